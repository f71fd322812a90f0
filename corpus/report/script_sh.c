/* A finding on a target of programs as a POSIX shell script: its commands as functions, what must be as variables, and a program
 * (script_sh_program.c) around them. All of it is ASCII: other bytes are written in octal, for printf's %b. */
#include <string.h>

#include "base/encode.h"
#include "corpus/report/report_internal.h"

#define ROOT "@TASKGEN-ROOT@"

/* Plain text within single quotes. */
static bool is_plain(struct bytes b)
{
    for (size_t i = 0; i < b.len; i++)
        if ((b.data[i] < 0x20 && b.data[i] != '\n') || b.data[i] >= 0x7f)
            return false;
    return true;
}

static void add_byte(struct buf *out, uint8_t c, bool octal)
{
    if (octal && (c == '\\' || c == '\'' || (c < 0x20 && c != '\n') || c >= 0x7f))
        buf_addf(out, "\\0%03o", c);
    else if (c == '\'')
        buf_add_string(out, "'\\''");
    else
        buf_add_byte(out, c);
}

/* One word of the shell, with $root where the root's name stood; octal: as an argument of printf %b. */
static void add_quoted(struct buf *out, struct bytes b, bool octal)
{
    struct bytes name = BYTES_LITERAL(ROOT);
    buf_add_byte(out, '\'');
    for (size_t at = 0; at < b.len;) {
        if (bytes_starts(bytes_slice(b, at, b.len), name)) {
            buf_add_string(out, "'\"$root\"'");
            at += name.len;
        } else {
            add_byte(out, b.data[at++], octal);
        }
    }
    buf_add_byte(out, '\'');
}

static struct bytes bytes_of_value(const struct json *value, struct arena *a)
{
    const struct json *text = json_get(value, "base64");
    struct buf data;
    if (!text)
        return json_as_text(value);
    buf_init(&data, text->text.len);
    base64_decode(&data, text->text);
    struct bytes copy = arena_copy(a, buf_bytes(&data));
    buf_release(&data);
    return copy;
}

/* A word is appended to "$@"; one that no quotes can hold goes through a variable, whose last dot saves its last line ends. */
static void add_word(struct buf *out, struct bytes b)
{
    if (is_plain(b)) {
        buf_add_string(out, "    set -- \"$@\" ");
        add_quoted(out, b, false);
    } else {
        buf_add_string(out, "    w=$(printf '%b.' ");
        add_quoted(out, b, true);
        buf_add_string(out, "); set -- \"$@\" \"${w%.}\"");
    }
    buf_add_byte(out, '\n');
}

static void add_words(struct buf *out, const struct json *list, struct arena *a)
{
    for (const struct json *word = list ? list->first : NULL; word; word = word->next)
        add_word(out, bytes_of_value(word, a));
}

static void add_printf(struct buf *out, struct bytes b)
{
    buf_add_string(out, "printf '%b' ");
    add_quoted(out, b, true);
}

/* A function that becomes the command: the usual variables and those of the call, the prefix, which is its arguments, and the words. */
static void add_command(struct buf *out, size_t index, const struct json *entry, const struct json *words, struct arena *a)
{
    const struct json *input = json_get(entry, "stdin");
    buf_addf(out, "command_%zu() {\n    cd ", index);
    add_quoted(out, bytes_of_value(json_get(entry, "in"), a), false);
    buf_add_string(out, " || exit 125\n");
    if (input) {
        buf_add_string(out, "    ");
        add_printf(out, bytes_of_value(input, a));
        buf_add_string(out, " >\"$base/in\"\n");
    }
    add_words(out, words, a);
    const struct json *env = json_get(entry, "env");
    if (env && env->first) {
        buf_add_string(out, "    n=$#\n");
        add_words(out, env, a);
        buf_add_string(out, "    while [ \"$n\" -gt 0 ]; do w=$1; shift; set -- \"$@\" \"$w\"; n=$((n - 1)); done\n");
    }
    buf_addf(out, "    exec env -i PATH=\"$PATH\" HOME=\"$home\" LANG=\"$lang\" \"$@\" <%s\n}\n", input ? "\"$base/in\"" : "/dev/null");
}

static void add_commands(struct buf *out, const struct json *wire, struct arena *a)
{
    size_t index = 0;
    for (const struct json *entry = wire->first; entry; entry = entry->next) {
        const struct json *run = json_get(entry, "run"), *start = json_get(entry, "start");
        if (run || start)
            add_command(out, index++, entry, run ? run : start, a);
    }
}

/* The steps in their order; it is looked once, when the one in question is done. */
static void add_play(struct buf *out, const struct json *wire, int64_t step)
{
    size_t index = 0;
    int64_t now = -1, done;
    buf_add_string(out, "play() {\n");
    for (const struct json *entry = wire->first; entry; entry = entry->next) {
        if (json_as_integer(json_get(entry, "step"), &now))
            buf_add_string(out, "    begin\n");
        else if (json_get(entry, "run"))
            buf_addf(out, "    run command_%zu \"$@\"\n", index++);
        else if (json_get(entry, "start"))
            buf_addf(out, "    start command_%zu \"$@\"\n", index++);
        else if (json_as_integer(json_get(entry, "done"), &done))
            buf_add_string(out, done == step ? "    look\n" : "");
    }
    buf_add_string(out, "}\n\n");
}

static size_t programs_of(const struct json *wire, int64_t step)
{
    size_t count = 0;
    int64_t now = -1;
    for (const struct json *entry = wire->first; entry; entry = entry->next) {
        json_as_integer(json_get(entry, "step"), &now);
        count += now == step && !json_get(entry, "step") && !json_get(entry, "done");
    }
    return count;
}

static void add_variable(struct buf *out, const char *name, struct bytes value)
{
    buf_addf(out, "%s=$(printf '%%b.' ", name);
    add_quoted(out, value, true);
    buf_addf(out, "); %s=${%s%%.}\n", name, name);
}

static void add_member(struct buf *out, const char *name, const struct json *object, const char *member)
{
    const struct json *value = json_get(object, member);
    int64_t number;
    if (json_as_integer(value, &number))
        buf_addf(out, "%s=%lld\n", name, (long long)number);
    else if (json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE))
        buf_addf(out, "%s=%d\n", name, json_as_bool(value, false));
    else
        add_variable(out, name, json_as_text(value));
}

/* For a terminal. */
static void add_words_of_ours(struct buf *out, const char *name, const struct json *record, const char *member)
{
    struct buf safe;
    buf_init(&safe, SIZE_MAX / 4);
    report_safe(&safe, json_as_text(json_get(record, member)), false);
    add_variable(out, name, buf_bytes(&safe));
    buf_release(&safe);
}

void report_script_sh(struct buf *out, const struct json *record, struct arena *a)
{
    static const char *const members[] = {"how", "op", "path", "sha256", "lines", "why"};
    const struct json *decide = json_get(record, "decide"), *wire = json_get(record, "wire");
    int64_t step = -1, mode = 0;
    json_as_integer(json_get(decide, "step"), &step);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        add_member(out, members[i], decide, members[i]);
    add_member(out, "wanted_status", decide, "status");
    bool pieces = bytes_equal_string(json_as_text(json_get(decide, "how")), "reply") && programs_of(wire, step) != 1;
    if (pieces)
        buf_add_string(out, "how=show why='several commands make up its answer'\n");
    if (json_as_integer(json_get(decide, "mode"), &mode))
        buf_addf(out, "mode=%o\n", (unsigned)mode);
    add_words_of_ours(out, "expected", record, "expected");
    add_words_of_ours(out, "then", record, "observed");
    struct buf wanted;
    buf_init(&wanted, 1 << 20);
    base64_decode(&wanted, json_as_text(json_get(decide, "base64")));
    buf_add_string(out, "wanted() {\n    ");
    add_printf(out, buf_bytes(&wanted));
    buf_add_string(out, "\n}\n\n");
    buf_release(&wanted);
    buf_add_string(out, report_script_sh_program);
    add_commands(out, wire, a);
    add_play(out, wire, step);
    buf_add_string(out, "if [ $# = 0 ]; then\n");
    add_words(out, json_get(record, "command"), a);
    buf_add_string(out, "fi\n");
    buf_add_string(out, report_script_sh_end);
}
