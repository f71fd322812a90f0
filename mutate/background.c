/* background: the script of a call does its work in a child. Either the call waits for it, and everything is as without; or the
 * call is over at once, and the work goes on behind it. */
#include <string.h>

#include "mutate/mutate_internal.h"

static const char *const kinds[] = {"waited", "left", NULL};

static bool is_alone(const struct task_step *s)
{
    return !s->group && s->repeat == 1 && s->cancel_after_ms < 0 && !json_get(s->args, "stdin");
}

/* A script whose end is the end of a line, so that more can stand behind it. */
static bool fits(const struct task_step *s)
{
    static const char *const words[] = {"trap", "&", "<<"};
    if (!is_alone(s) || !script_can_wrap(s))
        return false;
    struct bytes script = json_get(s->args, "script")->text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(script, bytes_of_string(words[i]), 0) >= 0)
            return false;
    return script.len && script.data[script.len - 1] != '\\';
}

/* Work that goes on must not meet a step that changes anything: two right results would be possible. */
static bool only_reads_from(const struct task *t, size_t index)
{
    for (size_t i = index; i < t->step_count; i++)
        if (!mutation_only_reads(t->steps[i].op))
            return false;
    return true;
}

static void wrap(struct mutation *m, size_t index, bool waited)
{
    struct task *t = m->task;
    struct change c;
    struct buf script;
    change_begin(&c, m, "background", index, "/args/script");
    buf_init(&script, SIZE_MAX);
    buf_add_string(&script, "(\n");
    buf_add(&script, json_get(t->steps[index].args, "script")->text);
    buf_add_string(&script, waited ? "\n) &\nwait $!\n" : "\n) </dev/null >/dev/null 2>&1 &\n");
    change_set(&c, json_string(&t->arena, buf_bytes(&script)));
    buf_release(&script);
    if (!waited)
        retarget_unknown(&c);
    change_end(&c, waited ? "waited: the script does its work in a child, and waits for it"
                          : "left: the script leaves its work to a child, and ends");
}

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const char *kind = mutation_kind(m, kinds);
    bool waited = kind && strcmp(kind, "waited") == 0;
    size_t first = kind && t->step_count ? (size_t)rng_below(m->rng, t->step_count) : 0;
    for (size_t i = 0; kind && i < t->step_count; i++) {
        size_t index = (first + i) % t->step_count;
        if (!fits(&t->steps[index]) || !(waited || only_reads_from(t, index + 1)))
            continue;
        wrap(m, index, waited);
        return true;
    }
    return false;
}

const struct mutator mutator_background = {
    .name = "background",
    .group = "step",
    .summary = "the work of a call is done by a child in the background",
    .details = "waited: the script waits for the child, and all is as without; left: the call ends at once and the work goes on, where "
               "nothing but reading comes after it.",
    .places = "",
    .kinds = "waited left",
    .apply = apply,
};
