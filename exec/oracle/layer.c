/* The layer rule, the primitives, and the words for both: the one place that decides where a fault lies. */
#include "exec/oracle/check.h"

const char *layer_name(enum layer l)
{
    static const char *const names[] = {
        [LAYER_INTERFACE] = "interface", [LAYER_SANDBOX] = "sandbox", [LAYER_UNDECIDED] = "undecided"};
    return names[l];
}

enum layer layer_of(enum effect effect)
{
    static const enum layer layers[] = {
        [EFFECT_UNSEEN] = LAYER_UNDECIDED,
        [EFFECT_RIGHT] = LAYER_INTERFACE,
        [EFFECT_WRONG] = LAYER_SANDBOX,
        [EFFECT_NONE] = LAYER_INTERFACE,
    };
    return layers[effect];
}

const char *const *primitive_names(size_t *count)
{
    static const char *const names[] = {
        "encoding", "null-byte", "protocol", "size",    "path",    "permission", "mount",       "persistence", "storage",
        "memory",   "time",      "process",  "syscall", "network", "session",    "environment", "concurrency", "browser",
    };
    *count = sizeof names / sizeof *names;
    return names;
}
