/* Filling a map's argument template with the arguments of one call.
 *
 * In a template an object with the member "$arg" stands for a value:
 *
 *   {"$arg":NAME, "as":FORM, "map":{…}, "else":JSON, "most":NUMBER}
 *
 *   NAME   an argument of the op, or of a run: @line (a shell's command line), @argv, @program, @arguments,
 *          @script, @language; or @tab, the current tab; or @timeout, some 9/10 of the call's time limit; or @limit, that limit when the task
 *          gave the step one of its own
 *   FORM   value (as it is; default), text, base64, path, uri (file://), string, number, octal, ms, s (from
 *          milliseconds), signal (SIGTERM …), glob, glob-deep ("**" and a slash before a bare name), regex (of
 *          a glob), part (the longest fixed part of a glob), tab (what the server calls it), function (of an
 *          expression: one that gives its value)
 *   map    from the op's value to what the tool calls it; a value that is not there cannot be said
 *   else   what is sent when the op's argument is absent; without it the member is left out
 *   most   a number in the tool's form that is more is left out
 *
 * An argument of the call that has no place in the template, and is not what its absence means anyway, makes
 * the call impossible: `missing` then says what. Text that is not UTF-8 cannot be said in JSON either. */
#ifndef EXEC_TARGET_MAP_FILL_H
#define EXEC_TARGET_MAP_FILL_H

#include "exec/target/map.h"

struct map_fill {
    const struct json *args;      /* of the call; object */
    int64_t timeout_ms;
    int64_t own_limit_ms;         /* that the task gave this step; 0: none */
    const char *path_as, *to_as;  /* how paths are spelled; NULL: absolute */
    struct bytes (*spell)(void *context, struct bytes path, const char *as, struct arena *a);
    /* What the server calls a tab: of a value that tab-open gave, or, of NULL, the current one. NULL: not known. */
    struct json *(*tab)(void *context, const struct json *handle, struct arena *a);
    void *context;
    struct arena *arena;
    /* Set by map_fill: */
    const char *missing;          /* why there are no arguments; in the arena or static */
    bool cut_here;                /* a part of a file was asked for that the tool cannot cut: cut it */
    struct bytes path;            /* the argument `path` as it was spelled; none */
    int64_t told_ms;              /* the time limit that the tool is told, when its unit is known; 0 */
};

enum { TEMPLATE_DEPTH = 32 };     /* profiles with deeper templates are refused */

/* The tool's arguments, in the arena; NULL with `missing` set. */
struct json *map_fill(const struct op_map *m, struct map_fill *f);
/* Is the name or form one of those above? For profiles. */
bool map_form_known(const char *form);
bool map_special_known(const char *name);

#endif
