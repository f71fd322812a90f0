/* A program's streams and its end: standard input, output, error, quoting, exit status. */
#include "gen/arm/tables.h"

enum { ROUNDS = 20 };

/* C20 */
static bool stdin_inherited(const struct arm_view *v)
{
    EACH (s, v)
        if (arm_reads_input(s))
            return true;
    return false;
}

/* C31 */
static bool exit_status(const struct arm_view *v)
{
    EACH (s, v) {
        if (!(s->op & OPS_PROGRAM) || (s->op & OP(START) && !arm_follows(v, s, OP(WAIT) | OP(POLL))))
            continue;
        if (s->expects_exit > 0 ||
            arm_says(
                s,
                "set -e|pipefail|exec |kill -9 $$|kill -TERM $$|kill -KILL $$|os.kill(os.getpid()|sys.exit(|"
                "System.exit(|process.exit(|abort()|PIPESTATUS"))
            return true;
        for (char digit[] = "exit 1"; digit[5] <= '9'; digit[5]++)
            if (arm_says(s, digit))
                return true;
    }
    return false;
}

/* The last thing it does is to print something without an end of line. */
static bool ends_in_output(const struct arm_step *s)
{
    struct bytes script = s->script;
    while (script.len && (script.data[script.len - 1] == '\n' || script.data[script.len - 1] == ' '))
        script.len--;
    size_t from = script.len;
    while (from && script.data[from - 1] != '\n')
        from--;
    struct bytes last = bytes_slice(script, from, script.len);
    return (arm_holds(last,
                      "printf |echo -n|sys.stdout.write(|process.stdout.write(|System.out.print(|print!(") &&
            !arm_holds(last, "\\n")) ||
           arm_holds(last, "end=''|end=\"\"") ||
           (arm_says(s, "os._exit(|Runtime.getRuntime().halt") && !arm_says(s, "fork("));
}

/* C32 */
static bool last_output(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM && arm_prints(s) && (ends_in_output(s) || s->step->repeat >= ROUNDS))
            return true;
    return false;
}

/* How often it writes to standard error: each place once, a place in a loop many times. */
static size_t error_writes(const struct arm_step *s)
{
    static const char *const marks[] = {">&2", "stderr", "console.error(", "System.err.", "eprintln!"};
    struct bytes t = s->script;
    size_t writes = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct bytes mark = bytes_of_string(marks[i]);
        for (ptrdiff_t at = bytes_find(t, mark, 0); at >= 0; at = bytes_find(t, mark, (size_t)at + 1)) {
            size_t line = (size_t)at;
            while (line && t.data[line - 1] != '\n')
                line--;
            bool shell_loop = arm_is_shell(s) && arm_word(s, "done") &&
                              bytes_find(t, BYTES_LITERAL("done"), (size_t)at) >= 0;
            bool inside = line < t.len && (t.data[line] == ' ' || t.data[line] == '\t');
            writes += arm_loops(s) && (shell_loop || inside) ? 2 : 1;
        }
    }
    return writes;
}

/* C35: several lines to each stream, in turn. */
static bool streams_merged(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM && error_writes(s) >= 2 &&
            arm_says(s, "echo|printf|stdout|print(|console.log|System.out|println!"))
            return true;
    return false;
}

/* C43: likewise, or a program that waits for keys; and something after it. */
static bool stdin_hang(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM && s + 1 < v->end &&
            (arm_reads_input(s) ||
             (!s->input.present &&
              (arm_commands(s, "vi|vim|nano|ed|less|more|man|gdb|top|ftp|bc|ssh-keygen") ||
               arm_says(s, "-m pdb|breakpoint()|getpass.getpass(")))))
            return true;
    return false;
}

static bool has_odd_quotes(struct bytes script)
{
    size_t quotes = 0, doubles = 0;
    for (size_t i = 0; i < script.len; i++) {
        quotes += script.data[i] == '\'';
        doubles += script.data[i] == '"';
    }
    return quotes % 2 || doubles % 2;
}

/* C44 */
static bool quoting(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM && arm_is_shell(s) &&
            (arm_says(s, "<<") || has_odd_quotes(s->script) || arm_says(s, "'\"'\"'|'\\''|\\\"|\"'\"")))
            return true;
    return false;
}

/* C46 */
static bool prompt_fooled(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OP(RUN) &&
            (arm_says(s, "PS1=|PROMPT|\\033[|\\x1b[|\\e[|\\u001b|__END__|>>> |root@|user@|__DONE__|exit "
                         "code|EXIT_CODE") ||
             arm_scan(s->script) & TEXT_ESCAPE || arm_says(s, "'$ '|\"\\$ \"|'# '") ||
             (arm_says(s, "\\r") && !arm_says(s, "\\r\\n"))) &&
            arm_prints(s))
            return true;
    return false;
}

const struct arm_row arm_streams[] = {
    {"C20", stdin_inherited, NULL}, {"C31", exit_status, NULL},
    {"C32", last_output, NULL},     {"C35", streams_merged, NULL},
    {"C43", stdin_hang, NULL},      {"C44", quoting, NULL},
    {"C46", prompt_fooled, NULL},   {0},
};
