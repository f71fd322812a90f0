/* small-shm: /dev/shm holds little, and a program that is put in fills it and cleans up. It has to be told that there is no room;
 * everything else is as without. */
#include <string.h>

#include "mutate/start/start_internal.h"

enum { KIB = 1024, MIB = KIB * KIB };

static const struct start_kind kinds[] = {
    {"64k", "shared memory holds 64 KiB, and a program writes one byte more", START_SAME, {.shared_memory = 64 * KIB}},
    {"1m", "shared memory holds 1 MiB, and a program writes one byte more", START_SAME, {.shared_memory = MIB}},
    {"64m", "shared memory holds 64 MiB, and a program writes one byte more", START_SAME, {.shared_memory = 64 * MIB}},
    {0}};

/* The first program that stands alone; step_count: there is none. */
static size_t first_run(const struct task *t)
{
    size_t i = 0;
    while (i < t->step_count && !(!t->steps[i].group && strcmp(t->steps[i].op->name, "run") == 0))
        i++;
    return i;
}

static struct json *fill(struct task *t, int64_t bytes)
{
    struct json *args = json_new(&t->arena, JSON_OBJECT);
    struct json *argv = json_set(&t->arena, args, "argv", json_new(&t->arena, JSON_ARRAY));
    json_add(argv, json_text(&t->arena, "sh"));
    json_add(argv, json_text(&t->arena, "-c"));
    json_add(argv, json_text(&t->arena, arena_printf(&t->arena,
                                                     "head -c %lld /dev/zero >/dev/shm/taskgen-fill; s=$?; "
                                                     "rm -f /dev/shm/taskgen-fill; exit $s",
                                                     (long long)bytes + 1)));
    return args;
}

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    size_t index = first_run(t);
    const struct start_kind *kind = index < t->step_count ? start_choose(m, &start_shared_memory) : NULL;
    if (!kind)
        return false;
    struct change c;
    change_begin(&c, m, "small-shm", index, start_shared_memory.at);
    const char *session = t->steps[index].session;
    struct task_step *step = change_insert_step(&c, index, ops_find(m->ops, "run"), fill(t, kind->start.shared_memory));
    step->session = session;
    c.step = step->id;
    change_end(&c, "%s: %s", kind->kind, kind->words);
    return true;
}

const struct mutator mutator_small_shm = {
    .name = "small-shm",
    .group = "env",
    .summary = "little shared memory, and a program that fills it",
    .details = "/dev/shm holds 64 KiB, 1 MiB or 64 MiB (what containers get); a program writes one byte more than that there, in tasks "
               "that run programs. Only in our box.",
    .places = "",
    .kinds = "64k 1m 64m",
    .at_start = true,
    .apply = apply,
};

const struct start_row start_shared_memory = {&mutator_small_shm, "/start/shared-memory", kinds, NULL};
