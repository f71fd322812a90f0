/* What a step uses beside the ops: programs and Python modules, asked for inside the target.
 *
 * The question goes through the op `run` like any other, so it is answered by what tasks will use: the same shell, search
 * path and environment. The answer is a word that the question does not spell, since some servers repeat commands. */
#include <string.h>

#include "exec/target/session_internal.h"

enum { NAME_MAX_LENGTH = 64 };

static const struct way {
    const char *prefix; /* of the need */
    const char *language, *need_language;
    const char *before, *after; /* the name stands between them */
} ways[] = {
    {"program:", "sh", "run:sh", "p=$(command -v ", " 2>&1) && echo taskgen-$((40 + 2))"},
    {"python:", "python", "run:python", "import importlib.util\nif importlib.util.find_spec('",
     "'): print('taskgen-%d' % (40 + 2))"},
};

static const struct way *way_of(const char *need)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strncmp(need, ways[i].prefix, strlen(ways[i].prefix)) == 0)
            return &ways[i];
    return NULL;
}

/* Nothing that could mean more than a name to a shell or to Python. */
static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
    size_t length = strlen(name);
    return length > 0 && length <= NAME_MAX_LENGTH && name[0] != '-' && strspn(name, letters) == length;
}

static bool ask(struct session *s, const struct way *way, const char *name)
{
    const struct op *run = ops_find(s->target->options.ops, "run");
    if (!run || session_support(s, way->need_language) == SUPPORT_NONE)
        return false;
    struct arena a;
    arena_init(&a);
    struct call call = {.op = run,
                        .args = json_new(&a, JSON_OBJECT),
                        .cancel_after_ms = -1,
                        .arena = &a,
                        .timeout_ms = settings_int(s->target->options.settings, "exec.probe-timeout")};
    json_set(&a, call.args, "language", json_text(&a, way->language));
    json_set(&a, call.args, "script", json_text(&a, arena_printf(&a, "%s%s%s", way->before, name, way->after)));
    session_calls_raw(s, (struct call *const[]){&call}, 1);
    bool there = call.outcome.class == OUTCOME_OK &&
                 bytes_find(call.outcome.raw, BYTES_LITERAL("taskgen-42"), 0) >= 0;
    arena_release(&a);
    return there;
}

/* '+' or '-' as remembered, 0 when nobody has asked yet. */
static char recall(struct target *t, const char *need)
{
    char known = 0;
    target_lock(t);
    for (size_t i = 0; i < t->programs.count && !known; i++)
        if (strcmp(t->programs.items[i] + 1, need) == 0)
            known = t->programs.items[i][0];
    target_unlock(t);
    return known;
}

bool programs_is(const char *need)
{
    return way_of(need) != NULL;
}

bool programs_has(struct session *s, const char *need)
{
    const struct way *way = way_of(need);
    const char *name = need + strlen(way->prefix);
    if (!is_name(name))
        return false;
    char known = recall(s->target, need);
    if (known)
        return known == '+';
    bool there = ask(s, way, name); /* two sessions may both ask; they get the same answer */
    target_lock(s->target);
    strings_addf(&s->target->programs, "%c%s", there ? '+' : '-', need);
    target_unlock(s->target);
    return there;
}
