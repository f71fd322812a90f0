/* Helpers of browser ops: ops of a server's tools that are no ops of the vocabulary. They are mapped like those, and only
 * lower_page.c calls them. */
#include <string.h>

#include "exec/target/map_internal.h"

static const struct op_arg size_args[] = {{.name = "width", .type = OP_INT, .fallback = "1280"},
                                          {.name = "height", .type = OP_INT, .fallback = "720"}};
static const struct op_arg press_args[] = {{.name = "reference", .type = OP_TEXT, .required = true}};
static const struct op_arg enter_args[] = {{.name = "reference", .type = OP_TEXT, .required = true},
                                           {.name = "value", .type = OP_TEXT, .required = true}};
static const struct op_arg choose_args[] = {{.name = "reference", .type = OP_TEXT, .required = true},
                                            {.name = "path", .type = OP_PATH, .required = true}};
static const struct op_arg chosen_args[] = {{.name = "path", .type = OP_PATH, .required = true}};

#define ARGS(list) .args = list, .arg_count = sizeof list / sizeof *list

static const struct op helpers[] = {
    {.name = "resize", ARGS(size_args)},  {.name = "pictured"},          {.name = "outline"},
    {.name = "press", ARGS(press_args)},  {.name = "enter", ARGS(enter_args)},
    {.name = "choose", ARGS(choose_args)}, {.name = "chosen", ARGS(chosen_args)},
};

struct op *map_helpers(struct arena *a, const struct ops *all, size_t first, size_t *count)
{
    *count = sizeof helpers / sizeof *helpers;
    struct op *list = arena_alloc(a, sizeof helpers);
    memcpy(list, helpers, sizeof helpers);
    for (size_t i = 0; i < *count; i++) {
        list[i].group = "browser";
        list[i].needs = list[i].name;
        list[i].doc = "";
        list[i].index = (uint32_t)(first + i);
        list[i].all = all;
    }
    return list;
}
