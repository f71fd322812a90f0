/* uid: the target runs as another user: one that no table of users knows, as containers do it, or nobody. */
#include "mutate/start/start_internal.h"

static const struct start_kind kinds[] = {
    {"nameless", "the target runs as user 54321, whom no table knows", START_OTHER, {.user = 54321}},
    {"nobody", "the target runs as user 65534", START_OTHER, {.user = 65534}},
    {0}};

static bool apply(struct mutation *m)
{
    return start_apply(m, &start_user);
}

const struct mutator mutator_uid = {
    .name = "uid",
    .group = "env",
    .summary = "the target runs as another user",
    .details = "nameless: id 54321, which has no name and no home of its own; nobody: id 65534. Only in our box, and only when taskgen "
               "is root's.",
    .places = "",
    .kinds = "nameless nobody",
    .at_start = true,
    .apply = apply,
};

const struct start_row start_user = {&mutator_uid, "/start/user", kinds, NULL};
