/* hoist: a subtree is replaced by one that stands in it and may take its place; what is between them goes. */
#include "mutate/tree/tree_nest.h"

static bool edit(struct tree_edit *e)
{
    struct tree_nested n;
    if (!tree_draw_nested(e, true, &n))
        return false;
    tree_give(e->from, n.outer, n.value, e->from, n.inner, e->to);
    tree_describe_entry(e, n.outer);
    buf_add_string(e->detail, " replaced by one that stood in it");
    return true;
}

const struct tree_mutator tree_hoist = {
    .name = "hoist",
    .group = "tree",
    .summary = "replace a part by one of its own kind that stands in it",
    .details = "A step that another one does within itself is done in its place; a part of a text takes the "
               "place of the whole.",
    .edit = edit,
};
