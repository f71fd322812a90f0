/* closed-stdin: a program of the task runs without a standard input: not an empty one, none at all. The next descriptor that it opens
 * is 0 then. */
#include <string.h>

#include "mutate/mutate_internal.h"

#define CLOSE "exec 0<&-\n"

static bool fits(const struct task_step *s)
{
    struct bytes language = json_as_text(json_get(s->args, "language"));
    const struct json *script = json_get(s->args, "script");
    return strcmp(s->op->name, "run") == 0 && json_is(script, JSON_STRING) && !json_get(s->args, "stdin") &&
           !bytes_starts(script->text, BYTES_LITERAL(CLOSE)) && !bytes_starts(script->text, BYTES_LITERAL("#!")) &&
           (bytes_equal_string(language, "sh") || bytes_equal_string(language, "bash"));
}

static void strike(struct mutation *m, size_t index)
{
    struct task *t = m->task;
    struct change c;
    struct buf script;
    change_begin(&c, m, "closed-stdin", index, "/args/script");
    buf_init(&script, SIZE_MAX);
    buf_add_string(&script, CLOSE);
    buf_add(&script, json_get(t->steps[index].args, "script")->text);
    change_set(&c, json_string(&t->arena, buf_bytes(&script)));
    buf_release(&script);
    retarget_unknown(&c);
    change_end(&c, "the script closes its standard input first");
}

static bool apply(struct mutation *m)
{
    size_t count = m->task->step_count;
    size_t first = count ? (size_t)rng_below(m->rng, count) : 0;
    for (size_t i = 0; i < count; i++)
        if (fits(&m->task->steps[(first + i) % count])) {
            strike(m, (first + i) % count);
            return true;
        }
    return false;
}

const struct mutator mutator_closed_stdin = {
    .name = "closed-stdin",
    .group = "env",
    .summary = "a program runs without a standard input",
    .details = "A script in sh or bash that is given none closes it before anything else, so that reading fails at once, and the next "
               "descriptor that is opened is 0.",
    .places = "",
    .kinds = "",
    .at_start = true,
    .apply = apply,
};
