/* Scripts that make no file, or only hand bytes on, as far as their words tell: every command is one of a list, and nothing is
 * redirected into a file. In doubt the answer is no. */
#include "exec/oracle/script.h"

#include <string.h>

static bool in_list(struct bytes word, const char *const *list)
{
    for (; *list; list++)
        if (bytes_equal_string(word, *list))
            return true;
    return false;
}

static bool names_stream(uint8_t c)
{
    return (c >= '0' && c <= '9') || c == '-';
}

/* "> /dev/null", ">&2" and the like. */
static bool redirects_nowhere(struct bytes rest)
{
    size_t at = 0;
    while (at < rest.len && (rest.data[at] == '>' || rest.data[at] == ' '))
        at++;
    rest = bytes_slice(rest, at, rest.len);
    bool stream = rest.len > 1 && rest.data[0] == '&' && names_stream(rest.data[1]);
    return bytes_starts(rest, BYTES_LITERAL("/dev/null")) || stream;
}

/* Behind a ">" that an "&" follows: past the number of the stream, which is no word of a command. */
static size_t past_stream(struct bytes text, size_t at)
{
    if (at == 0 || at >= text.len || text.data[at - 1] != '>' || text.data[at] != '&')
        return at;
    for (at++; at < text.len && names_stream(text.data[at]);)
        at++;
    return at;
}

/* The next word of a command, and whether a new command begins with it. Quotes are not followed: what stands in them is taken for
 * words too, which can only make the answer no. */
static bool next_word(struct bytes text, size_t *at, struct bytes *word, bool *first)
{
    static const char ends[] = ";&|()\n`{}";
    while (*at < text.len && strchr(" \t;&|()\n`{}", text.data[*at])) {
        *first = *first || strchr(ends, text.data[*at]);
        (*at)++;
    }
    size_t from = *at;
    while (*at < text.len && !strchr(" \t;&|()\n`{}", text.data[*at]))
        (*at)++;
    *word = bytes_slice(text, from, *at);
    return word->len > 0;
}

static bool is_assignment(struct bytes word)
{
    return bytes_find(word, BYTES_LITERAL("="), 0) > 0 && word.data[0] != '"' && word.data[0] != '\'';
}

/* Each command of the text is one of the list; words of `leading` and assignments may come before it. */
static bool shell_has_only(struct bytes text, const char *const *commands, const char *const *leading)
{
    struct bytes word;
    bool first = true;
    for (size_t at = 0; next_word(text, &at, &word, &first);) {
        ptrdiff_t arrow = bytes_find(word, BYTES_LITERAL(">"), 0);
        if (arrow >= 0 && !redirects_nowhere(bytes_slice(text, at - word.len + (size_t)arrow, text.len)))
            return false;
        at = past_stream(text, at);
        if (!first)
            continue;
        if (in_list(word, leading) || is_assignment(word))
            continue; /* a command may follow */
        if (!in_list(word, commands))
            return false;
        first = false;
    }
    return true;
}

static bool shell_makes_nothing(struct bytes text)
{
    static const char *const harmless[] = {"true", "false",  ":",     "echo",  "printf", "kill", "sleep", "exit", "trap", "cd",
                                           "pwd",  "test",   "[",     "cat",   "head",   "tail", "ls",    "wc",   "id",   "date",
                                           "uname", "seq",   "export", "unset", "wait",   "return", "ulimit", "set",    "for",  NULL};
    static const char *const leading[] = {"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "exec", NULL};
    return shell_has_only(text, harmless, leading);
}

static bool python_makes_nothing(struct bytes text)
{
    static const char *const words[] = {"open",  "write", "mk",    "Path", "subprocess", "system", "popen", "exec",   "import ",
                                        "from ", "spawn", "fork",  "eval", "touch",      "link",   "dump",  "connect", NULL};
    static const char *const plain[] = {"import os\n", "import sys\n", "import time\n", "import signal\n", "import os, signal\n",
                                        "import os, signal, time\n", "import sys, time\n", "import os; ", "import sys; ", NULL};
    for (const char *const *word = words; *word; word++)
        for (ptrdiff_t at = 0; (at = bytes_find(text, bytes_of_string(*word), (size_t)at)) >= 0; at++) {
            bool calm = false;
            for (const char *const *p = plain; *p && strcmp(*word, "import ") == 0; p++)
                calm = calm || bytes_starts(bytes_slice(text, (size_t)at, text.len), bytes_of_string(*p));
            bool output = strcmp(*word, "write") == 0 && at > 4 &&
                          (bytes_starts(bytes_slice(text, (size_t)at - 4, text.len), BYTES_LITERAL("out.")) ||
                           bytes_starts(bytes_slice(text, (size_t)at - 4, text.len), BYTES_LITERAL("err.")));
            if (!calm && !output)
                return false;
        }
    return true;
}

static bool is_shell(struct bytes language)
{
    return bytes_equal_string(language, "sh") || bytes_equal_string(language, "bash");
}

bool script_makes_nothing(const struct observation *o)
{
    struct bytes language = observation_argument(o, "language"), script = observation_argument(o, "script");
    const struct json *argv = json_get(o->args, "argv");
    static const char *const alone[] = {"true", "false", "echo", "printf", "sleep", "pwd", "id", "date", "uname", "cat", "ls", NULL};
    if (json_is(argv, JSON_ARRAY))
        return argv->first && in_list(json_as_text(argv->first), alone);
    if (bytes_equal_string(language, "python"))
        return python_makes_nothing(script);
    return is_shell(language) && shell_makes_nothing(script);
}

bool script_passes_on(const struct observation *o)
{
    static const char *const commands[] = {"head", "tail", "tr", "cat", "seq", "echo", "printf", NULL};
    static const char *const none[] = {NULL};
    struct bytes script = observation_argument(o, "script");
    return is_shell(observation_argument(o, "language")) && script.len && shell_has_only(script, commands, none);
}
