/* Scripts that a wrapper of the sandbox spoils: a here-document that swallows what the wrapper puts behind the command, or ends at a
 * line that only looks like its end; a script that is right, and that a shell calls wrong. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

static const char slug[] = "quoting-breaks-wrapper";

static bool must_succeed(const struct execution *e, const struct observation *o)
{
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        int64_t status;
        if (bytes_equal_string(json_as_text(json_get(x, "step")), o->step->id) && json_as_integer(json_get(x, "exit"), &status) &&
            status == 0)
            return true;
    }
    return false;
}

static bool is_shell(const struct observation *o)
{
    struct bytes language = observation_argument(o, "language");
    return bytes_equal_string(language, "sh") || bytes_equal_string(language, "bash");
}

/* The shell does not understand a script that the task knows to be right. A long one may have come in part. */
static void judge_syntax(const struct execution *e, struct verdicts *out, size_t i)
{
    enum { LONG = 900 };
    static const char words[] = "unterminated quoted string|unexpected EOF while looking for matching|unexpected end of file|"
                                "yntax error near unexpected token|yntax error: unexpected";
    const struct observation *o = &e->observations[i];
    if (!symptom_failed(e, i) || !is_shell(o) || !must_succeed(e, o) || observation_script(o).len >= LONG ||
        !symptom_program(o, "'|\"|<<|`") || symptom_program(o, words))
        return;
    struct bytes printed = symptom_printed(o, out->arena);
    if (!symptom_words(printed, words))
        return;
    struct buf evidence;
    buf_init(&evidence, 4096);
    buf_addf(&evidence, "step %s run: the script is right and ends with status 0 by itself; it ended with %d, and a shell said ",
             o->step->id, o->outcome.exit);
    judge_quote(&evidence, bytes_slice(printed, 0, 300), 300);
    buf_add_string(&evidence, " -> sandbox");
    judge_say(out, e, slug, i, EFFECT_WRONG, "a shell does not understand a right script", "a shell does not understand a right script",
              buf_string(&evidence));
    buf_release(&evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    command_report(e, out, slug, COMMAND_SWALLOWS, "a here-document does not end where its end stands",
                   "a here-document does not end where its end stands");
    for (size_t i = 0; i < e->count; i++)
        judge_syntax(e, out, i);
}

const struct check check_quoting_breaks_wrapper = {slug, "C44", "process", "scripts with here-documents, many lines and quotes run as written", judge};
