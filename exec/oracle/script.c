/* Looks at a shell script command by command; see script.h. Quotes and substitutions are not followed: what
 * they hold is taken for words, and a word that is not known makes a command slow, which keeps checks silent.
 */
#include "exec/oracle/script.h"

#include <stdlib.h>
#include <string.h>

static bool is_separator(uint8_t c)
{
    return c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')' || c == '{' || c == '}';
}

static struct bytes trimmed(struct bytes b)
{
    size_t from = 0, to = b.len;
    while (from < to && (b.data[from] == ' ' || b.data[from] == '\t'))
        from++;
    while (to > from && (b.data[to - 1] == ' ' || b.data[to - 1] == '\t'))
        to--;
    return bytes_slice(b, from, to);
}

/* A & of a redirection (2>&1, &>file) separates nothing. */
static bool separates(struct bytes script, size_t at)
{
    if (!is_separator(script.data[at]))
        return false;
    if (script.data[at] != '&')
        return true;
    bool redirects = (at > 0 && (script.data[at - 1] == '>' || script.data[at - 1] == '<')) ||
                     (at + 1 < script.len && script.data[at + 1] == '>');
    return !redirects;
}

static struct bytes next_word(struct bytes command, size_t *at)
{
    while (*at < command.len && (command.data[*at] == ' ' || command.data[*at] == '\t'))
        (*at)++;
    size_t from = *at;
    while (*at < command.len && command.data[*at] != ' ' && command.data[*at] != '\t')
        (*at)++;
    return bytes_slice(command, from, *at);
}

static double sleep_of(struct bytes command)
{
    ptrdiff_t at = bytes_find(command, BYTES_LITERAL("sleep "), 0);
    char digits[24] = "";
    if (at < 0)
        return 0;
    struct bytes number = bytes_slice(command, (size_t)at + 6, (size_t)at + 6 + sizeof digits - 1);
    memcpy(digits, number.data ? number.data : (const uint8_t *)"", number.len);
    double seconds = strtod(digits, NULL);
    return seconds > 0 && seconds < 1e6 ? seconds : 0;
}

static bool one_of(struct bytes word, const char *const *words)
{
    for (; *words; words++)
        if (bytes_equal_string(word, *words))
            return true;
    return false;
}

/* A program of the first kind ends at once whatever it is given; one of the second when it is not left alone
 * with its input. */
static void look_at_foreground(struct bytes command, struct script_traits *t)
{
    static const char *const quick[] = {"echo", "printf", "true",  "false", "cd", "exit", "export",
                                        "set",  ":",      "mkdir", "touch", "rm", "pwd",  "disown",
                                        "trap", "umask",  "test",  "[",     NULL};
    static const char *const readers[] = {"cat", "read",    "sort",   "wc",   "tr", "rev",
                                          "tac", "python3", "python", "bash", "sh", NULL};
    size_t at = 0;
    struct bytes word = next_word(command, &at);
    while (bytes_find(word, BYTES_LITERAL("="), 0) > 0)
        word = next_word(command, &at); /* variables set for one command */
    if (word.len == 0 || one_of(word, quick))
        return;
    struct bytes rest = trimmed(bytes_slice(command, at, command.len));
    bool alone = rest.len == 0 || rest.data[0] == '>' || bytes_equal_string(rest, "-") ||
                 bytes_equal_string(word, "read");
    bool redirected = bytes_find(command, BYTES_LITERAL("<"), 0) >= 0;
    if (one_of(word, readers) && alone && !redirected)
        t->reads_input = true;
    else
        t->foreground_slow = true;
}

/* Programs that read their input to its end and then end, and others that may stand behind them in a pipeline. */
static const char *const filters[] = {"cat", "wc", "tr", "sort", "sha256sum", "md5sum", "cksum", "gzip", "base64", "rev", "od", "tac", NULL};
static const char *const behind[] = {"cut", "head", "tail", "grep", "uniq", "sed", "echo", "printf", "exit", "true", NULL};

/* One command and what stands behind it. */
static void look_at_command(struct bytes command, bool in_background, bool piped, struct script_traits *t)
{
    double seconds = sleep_of(command);
    if (in_background) {
        t->background = true;
        t->background_s = seconds > t->background_s ? seconds : t->background_s;
    } else if (!piped) {
        look_at_foreground(command, t);
    } else {
        size_t at = 0;
        struct bytes word = next_word(command, &at);
        t->foreground_slow |= word.len && !one_of(word, filters) && !one_of(word, behind);
    }
}

bool script_traits_of(const struct observation *o, struct script_traits *t)
{
    struct bytes script = observation_argument(o, "script"), language = observation_argument(o, "language");
    *t = (struct script_traits){0};
    if (!script.len || !(bytes_equal_string(language, "sh") || bytes_equal_string(language, "bash")))
        return false;
    bool piped = false;
    for (size_t from = 0, at = 0; at <= script.len; at++) {
        if (at < script.len && !separates(script, at))
            continue;
        uint8_t end = at < script.len ? script.data[at] : '\n';
        bool pair = at + 1 < script.len && script.data[at + 1] == end && (end == '&' || end == '|');
        look_at_command(trimmed(bytes_slice(script, from, at)), end == '&' && !pair, piped, t);
        piped = end == '|' && !pair;
        at += pair;
        from = at + 1;
    }
    return true;
}

bool script_python_reads(const struct observation *o)
{
    struct bytes script = observation_argument(o, "script");
    return bytes_equal_string(observation_argument(o, "language"), "python") &&
           (bytes_find(script, BYTES_LITERAL("input("), 0) >= 0 ||
            bytes_find(script, BYTES_LITERAL("sys.stdin.read"), 0) >= 0);
}

static bool all_quick(struct bytes script)
{
    bool first = true;
    for (size_t from = 0, at = 0; at <= script.len; at++) {
        if (at < script.len && !separates(script, at))
            continue;
        size_t word_at = 0;
        struct bytes command = trimmed(bytes_slice(script, from, at)), word = next_word(command, &word_at);
        bool background = at < script.len && script.data[at] == '&';
        if (background || (word.len && !one_of(word, filters) && (first || !one_of(word, behind))))
            return false;
        first = first && !word.len;
        from = at + 1;
    }
    return !first;
}

static const char *const interpreters[] = {"sh", "bash", "dash", "python", "python3", "node", "perl", "ruby", ".", "source", NULL};

static bool command_runs_file(struct bytes command, struct bytes name)
{
    static const char *const before[] = {"exec", "nohup", "setsid", "env", "time", "command", NULL};
    size_t at = 0;
    struct bytes word = next_word(command, &at);
    while (one_of(word, before) || bytes_find(word, BYTES_LITERAL("="), 0) > 0)
        word = next_word(command, &at);
    bool handed = one_of(word, interpreters) && text_names(bytes_slice(command, at, command.len), name);
    return handed || text_names(word, name);
}

static bool words_run_file(const struct json *argv, struct bytes name)
{
    bool interpreter = argv->first && one_of(json_as_text(argv->first), interpreters);
    for (const struct json *word = argv->first; word; word = word->next)
        if ((interpreter || word == argv->first) && text_names(json_as_text(word), name))
            return true;
    return false;
}

bool script_runs_file(const struct observation *o, struct bytes name)
{
    struct bytes script = observation_argument(o, "script"), language = observation_argument(o, "language");
    const struct json *argv = json_get(o->args, "argv");
    bool shell = bytes_equal_string(language, "sh") || bytes_equal_string(language, "bash");
    if (json_is(argv, JSON_ARRAY))
        return words_run_file(argv, name);
    if (!shell || !text_names(script, name))
        return !shell && text_names(script, name);
    for (size_t from = 0, at = 0; at <= script.len; at++) {
        if (at < script.len && !separates(script, at))
            continue;
        if (command_runs_file(trimmed(bytes_slice(script, from, at)), name))
            return true;
        from = at + 1;
    }
    return false;
}

bool script_reads_given(const struct observation *o)
{
    enum { LITTLE = 1 << 20 };
    const struct json *input = json_get(o->args, "stdin"), *argv = json_get(o->args, "argv");
    struct bytes language = observation_argument(o, "language"), script = observation_argument(o, "script");
    bool given = observation_is(o, "run") && json_is(input, JSON_STRING) && input->text.len > 0 && input->text.len < LITTLE;
    if (json_is(argv, JSON_ARRAY) && argv->first)
        return given && all_quick(json_as_text(argv->first));
    return given && (bytes_equal_string(language, "sh") || bytes_equal_string(language, "bash")) && all_quick(script);
}

bool script_reads_nothing(const struct observation *o)
{
    struct script_traits t;
    bool program = observation_is(o, "run") || observation_is(o, "start");
    return program && !json_get(o->args, "stdin") && ((script_traits_of(o, &t) && t.reads_input) || script_python_reads(o));
}
