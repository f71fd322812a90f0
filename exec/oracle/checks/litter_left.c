/* Names in the root that the target made for itself: they turned up while a step ran that can make no such name, and were there until
 * the end. What programs do is known only of scripts that hold nothing but harmless words; core dumps are the kernel's. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/script.h"

#include <string.h>

static const char slug[] = "litter-left";

/* A name that a step may make: the first part of its path, or of where it goes to. */
static bool is_own(const struct observation *o, struct bytes name)
{
    static const char *const arguments[] = {"path", "to"};
    for (size_t i = 0; i < 2; i++) {
        struct bytes path = observation_argument(o, arguments[i]);
        while (bytes_starts(path, BYTES_LITERAL("./")) || bytes_starts(path, BYTES_LITERAL("/")))
            path = bytes_slice(path, path.data[0] == '/' ? 1 : 2, path.len);
        bool first = bytes_starts(path, name) && (path.len == name.len || path.data[name.len] == '/');
        if (first || bytes_find(path, BYTES_LITERAL(".."), 0) >= 0)
            return true;
    }
    return false;
}

static bool is_core(struct bytes name)
{
    return bytes_equal_string(name, "core") || bytes_starts(name, BYTES_LITERAL("core."));
}

/* Everything the step does is known, so a name that is not its own is nobody's but the target's. */
static bool is_known(const struct execution *e, size_t i)
{
    static const char *const quiet[] = {"read", "stat", "list", "search", "download", "chmod", "write", "append",
                                        "upload", "edit", "mkdir", "move", "copy", "link", "remove", "idle", NULL};
    const struct observation *o = &e->observations[i];
    if (o->in_group || o->outcome.fault || o->outcome.by_us || o->outcome.lowered || observation_lost(o) || effect_absent(e, i) ||
        path_has_nul(observation_argument(o, "path")) || path_has_nul(observation_argument(o, "to")))
        return false;
    return observation_is_any(o, quiet) || (observation_is(o, "run") && script_makes_nothing(o));
}

/* Something that an earlier step began may still make names. */
static bool disturbed(const struct execution *e, size_t index)
{
    static const char *const others[] = {"call", "send", "serve", "request", "notify", NULL};
    for (size_t i = 0; i < index; i++) {
        const struct observation *o = &e->observations[i];
        if (works_on(e, i) || (o->outcome.class != OUTCOME_SKIPPED && observation_is_any(o, others)))
            return true;
    }
    return false;
}

static void judge_one(const struct execution *e, struct verdicts *out, size_t i, struct bytes name)
{
    const struct observation *o = &e->observations[i];
    struct buf evidence;
    buf_init(&evidence, 2048);
    buf_addf(&evidence, "step %s %s makes no other name than its own; while it ran, ", o->step->id, o->step->op->name);
    judge_quote(&evidence, name, 120);
    buf_add_string(&evidence, " turned up in the root, seen from outside the sandbox, and it was there until the end -> sandbox");
    judge_say(out, e, slug, i, EFFECT_WRONG, "a name that no step made is left in the root",
              arena_printf(out->arena, "%s leaves a file of the target's own in the root", o->step->op->name), buf_string(&evidence));
    buf_release(&evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        for (size_t k = 0; k < o->appeared_count && is_known(e, i) && !disturbed(e, i); k++)
            if (!is_own(o, o->appeared[k]) && !is_core(o->appeared[k]))
                judge_one(e, out, i, o->appeared[k]);
    }
}

const struct check check_litter_left = {slug, "C60", "persistence", "a sandbox leaves nothing of its own in the root", judge};
