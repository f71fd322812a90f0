/* A program that was given no input reads the protocol's: what it prints holds messages that were meant for the target, or after
 * it plain calls are no longer answered, as if it had taken them. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"
#include "exec/oracle/script.h"

static const char slug[] = "stdin-inherited";

static void judge_output(const struct execution *e, struct verdicts *out, size_t i)
{
    static const struct bytes message = {(const uint8_t *)"{\"jsonrpc\":\"2.0\"", 16};
    const struct observation *o = &e->observations[i];
    bool present;
    struct bytes output = observation_result(o, "stdout", &present);
    if (bytes_find(output, message, 0) < 0 || bytes_find(observation_script(o), BYTES_LITERAL("jsonrpc"), 0) >= 0)
        return;
    struct buf evidence;
    buf_init(&evidence, 4096);
    buf_addf(&evidence, "step %s %s reads standard input, of which it was given none; it printed ", o->step->id,
             o->step->op->name);
    judge_quote(&evidence, output, 300);
    buf_add_string(&evidence, " -> interface");
    judge_say(out, e, slug, i, EFFECT_NONE, "the program gets messages of the protocol",
              "a program reads the messages that are meant for the target", buf_string(&evidence));
    buf_release(&evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++)
        if (script_reads_nothing(&e->observations[i]))
            judge_output(e, out, i);
    fatal_report(e, out, slug);
}

const struct check check_stdin_inherited = {
    slug, "C20", "process", "a program started by a call does not read the protocol's input", judge};
