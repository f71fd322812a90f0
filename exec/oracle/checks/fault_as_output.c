/* A failure of the sandbox that is handed out as the program's own: the call claims that the program ran and ended with a status,
 * but what it printed is the message of a layer below it. Judged by the first words of a line of standard error (or of output,
 * where nothing else came), and only when neither the script nor its arguments have those words. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/judge.h"

static const char slug[] = "fault-as-output";

/* What runs programs for others, and what it says when it cannot. */
static const struct {
    const char *begins, *detail;
} layers[] = {
    {"bwrap: ", "the box could not be made"},
    {"unshare: ", "the box could not be made"},
    {"nsenter: ", "the box could not be entered"},
    {"runc run failed", "the container could not be started"},
    {"OCI runtime ", "the container could not be started"},
    {"container_linux.go", "the container could not be started"},
    {"Error response from daemon", "the container could not be reached"},
    {"Cannot connect to the Docker daemon", "the container could not be reached"},
    {"docker: Error", "the container could not be started"},
    {"Failed to start transient", "the unit could not be started"},
    {"ssh: connect to host", "the host could not be reached"},
    {"kex_exchange_identification", "the host could not be reached"},
    {"rate limit exceeded", "too many calls"},
    {"Rate limit exceeded", "too many calls"},
    {"429 Too Many Requests", "too many calls"},
};

static bool begins_a_line(struct bytes text, struct bytes words)
{
    for (ptrdiff_t at = bytes_find(text, words, 0); at >= 0; at = bytes_find(text, words, (size_t)at + 1))
        if (at == 0 || text.data[at - 1] == '\n')
            return true;
    return false;
}

/* Does the task itself bring the words, in this step or in a file that it wrote before? */
static bool from_the_task(const struct execution *e, size_t index, struct bytes words)
{
    struct buf text;
    bool found = false;
    buf_init(&text, 64 << 20);
    for (size_t i = 0; i <= index && !found; i++) {
        buf_clear(&text);
        if (e->observations[i].args)
            json_write(&text, e->observations[i].args, JSON_COMPACT);
        found = text.overflow || bytes_find(buf_bytes(&text), words, 0) >= 0;
    }
    buf_release(&text);
    return found;
}

static void judge_run(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    bool has_error, has_output;
    struct bytes error = observation_result(o, "stderr", &has_error), output = observation_result(o, "stdout", &has_output);
    struct bytes said = error.len ? error : output;
    for (size_t k = 0; k < sizeof layers / sizeof *layers; k++) {
        struct bytes words = bytes_of_string(layers[k].begins);
        struct bytes name = bytes_slice(words, 0, words.len > 4 ? words.len - 2 : words.len);
        if (!begins_a_line(said, words) || from_the_task(e, i, name))
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "step %s run: the reply says that the program ended with status %d; what it printed is ",
                 o->step->id, o->outcome.exit);
        judge_quote(&evidence, said, 300);
        buf_add_string(&evidence, " -> interface");
        judge_say(out, e, slug, i, EFFECT_NONE, arena_printf(out->arena, "%s, given as the program's status", layers[k].detail),
                  "a failure of the sandbox is given as the program's own", buf_string(&evidence));
        buf_release(&evidence);
        return;
    }
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool failed = observation_claims(o) && o->outcome.has_exit && o->outcome.exit != 0;
        if (observation_is(o, "run") && failed)
            judge_run(e, out, i);
    }
}

const struct check check_fault_as_output = {
    slug, "C29", "protocol", "a failure of the sandbox can be told from one of the program", judge};
