/* Marks of commands that a wrapper, a terminal or a channel did not carry; see command.h. Each mark is one that nothing else leaves: a loss
 * of output or of files that does not bear one stays with the checks of that loss. */
#include "exec/oracle/command.h"

#include <stdlib.h>
#include <string.h>

#include "exec/oracle/roundtrip.h"
#include "exec/oracle/wrong_file.h"

enum { LONG_LINE = 1000, LONG_COMMAND = 96 * 1024, MARK_MAX = 64, NUMBER_MAX = 20 };

/* --- the command --- */

/* The texts of a command: its script, the words of its argv, what it reads. False behind the last. */
static bool next_text(const struct observation *o, size_t *at, struct bytes *text)
{
    static const char *const names[] = {"script", "stdin"};
    enum { NAMES = sizeof names / sizeof *names };
    size_t i = (*at)++;
    if (i < NAMES) {
        *text = observation_argument(o, names[i]);
        return true;
    }
    const struct json *argv = json_get(o->args, "argv"), *word = json_is(argv, JSON_ARRAY) ? json_at(argv, i - NAMES) : NULL;
    *text = json_as_text(word);
    return word != NULL;
}

static size_t longest_line(const struct observation *o)
{
    size_t longest = 0, at = 0;
    for (struct bytes text; next_text(o, &at, &text);)
        for (size_t i = 0, from = 0; i <= text.len; i++) {
            if (i < text.len && text.data[i] != '\n')
                continue;
            longest = i - from > longest ? i - from : longest;
            from = i + 1;
        }
    return longest;
}

/* Without what it reads, which is no part of it. */
static size_t command_size(const struct observation *o)
{
    size_t size = observation_argument(o, "script").len;
    const struct json *argv = json_get(o->args, "argv");
    for (const struct json *word = json_is(argv, JSON_ARRAY) ? argv->first : NULL; word; word = word->next)
        size += json_as_text(word).len + 1;
    return size;
}

static bool in_mark(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* The word behind the next "<<" from *at on. */
static bool next_mark(struct bytes text, size_t *at, struct bytes *mark)
{
    ptrdiff_t found = bytes_find(text, BYTES_LITERAL("<<"), *at);
    if (found < 0)
        return false;
    size_t from = (size_t)found + 2;
    while (from < text.len && strchr("- \t'\"\\", text.data[from]) && text.data[from])
        from++;
    size_t end = from;
    while (end < text.len && end - from < MARK_MAX && in_mark(text.data[end]))
        end++;
    *at = end;
    *mark = bytes_slice(text, from, end);
    return true;
}

/* --- the marks --- */

static struct bytes without_blanks(struct bytes b)
{
    size_t from = 0, to = b.len;
    while (from < to && strchr(" \t\r\n", b.data[from]) && b.data[from])
        from++;
    while (to > from && strchr(" \t\r\n", b.data[to - 1]) && b.data[to - 1])
        to--;
    return bytes_slice(b, from, to);
}

static size_t common(struct bytes a, struct bytes b)
{
    size_t at = 0;
    while (at < a.len && at < b.len && a.data[at] == b.data[at])
        at++;
    return at;
}

/* The text goes on behind its end with the end mark, or it ends where a line of it looks like that. */
static bool swallows(const struct observation *o, struct bytes want, struct bytes got)
{
    size_t same = common(want, got), texts = 0;
    bool longer = same == want.len && got.len > same, shorter = same == got.len && want.len > same && same > 0;
    struct bytes rest = longer ? bytes_slice(got, same, got.len) : without_blanks(bytes_slice(want, same, want.len)), mark;
    for (struct bytes text; (longer || shorter) && next_text(o, &texts, &text);)
        for (size_t at = 0; next_mark(text, &at, &mark);)
            if (mark.len && bytes_starts(rest, mark))
                return true;
    return false;
}

/* What terminals take of a line, with and without its end. */
static bool is_line_limit(uint64_t n)
{
    static const uint16_t limits[] = {254, 255, 256, 1022, 1023, 1024, 4094, 4095, 4096};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (n == limits[i])
            return true;
    return false;
}

static size_t line_end(struct bytes text, size_t at)
{
    while (at < text.len && text.data[at] != '\n')
        at++;
    return at;
}

/* The first line that differs is the beginning of the right one, as long as a terminal takes: its length; else 0. */
static size_t line_is_cut(struct bytes want, struct bytes got)
{
    size_t same = common(want, got), from = same;
    while (from > 0 && want.data[from - 1] != '\n')
        from--;
    bool cut = line_end(got, same) == same && line_end(want, same) > same && is_line_limit(same - from);
    return cut ? same - from : 0;
}

/* In output it may have been cut on the way back; but only terminals take one byte less than a round number of a line that was sent. */
static bool shown_line_is_cut(const struct observation *o, struct bytes want, struct bytes got)
{
    size_t length = line_is_cut(want, got);
    return (length & (length + 1)) == 0 && length && observation_argument(o, "stdin").len >= length;
}

/* The text has a line that goes on as this one begins. */
static bool has_longer_line(struct bytes text, struct bytes line)
{
    for (ptrdiff_t at = bytes_find(text, line, 0); at >= 0; at = bytes_find(text, line, (size_t)at + 1))
        if ((at == 0 || text.data[at - 1] == '\n') && line_end(text, (size_t)at + line.len) > (size_t)at + line.len)
            return true;
    return false;
}

/* The same of a file of which only the hash is known as it must be: one of its lines is the beginning of one of the command's. */
static bool stored_line_is_cut(const struct observation *o, struct bytes got)
{
    for (size_t from = 0; from < got.len;) {
        size_t end = line_end(got, from), texts = 0;
        for (struct bytes text; is_line_limit(end - from) && next_text(o, &texts, &text);)
            if (has_longer_line(text, bytes_slice(got, from, end)))
                return true;
        from = end + 1;
    }
    return false;
}

static bool is_digit(struct bytes text, size_t at)
{
    return at < text.len && text.data[at] >= '0' && text.data[at] <= '9';
}

static uint64_t number_at(struct bytes text, size_t at)
{
    char digits[NUMBER_MAX] = "";
    for (size_t i = 0; i + 1 < sizeof digits && is_digit(text, at + i); i++)
        digits[i] = (char)text.data[at + i];
    return strtoull(digits, NULL, 10);
}

/* The program counted what it was given: its number is what a terminal takes, where a bigger one is right. */
static bool count_is_cut(struct bytes want, struct bytes got)
{
    size_t at = common(want, got);
    while (at > 0 && is_digit(want, at - 1))
        at--;
    if (!is_digit(want, at) || !is_digit(got, at))
        return false;
    uint64_t right = number_at(want, at), counted = number_at(got, at);
    return right >= LONG_LINE && counted < right && is_line_limit(counted);
}

static const char *const prompts[] = {"$ ", "# ", "> ", ">>> ", "% ", "__DONE__", "__END__", "exit 0"};

/* Where the right text from `at` on begins with something like a prompt. */
static bool prompt_at(struct bytes want, size_t at)
{
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++)
        if (bytes_starts(bytes_slice(want, at, want.len), bytes_of_string(prompts[i])))
            return true;
    return false;
}

/* It ends just before a prompt, in front of the line that has one, or behind one, and there is more to come behind that line: the end of
 * an output may be lost for other reasons. */
static bool is_fooled(struct bytes want, struct bytes got)
{
    struct bytes kept = without_blanks(got);
    size_t end = common(want, kept);
    if (end < kept.len || end == 0)
        return false;
    size_t from = end;
    while (from > 0 && want.data[from - 1] != '\n')
        from--;
    size_t to = line_end(want, end < want.len && want.data[end] == '\n' ? end + 1 : end);
    bool more = without_blanks(bytes_slice(want, to, want.len)).len > 0;
    for (size_t at = from; more && at < to; at++)
        if (prompt_at(want, at))
            return true;
    return false;
}

bool command_prints_prompt(const struct observation *o)
{
    size_t texts = 0;
    const struct json *env = json_get(o->args, "env");
    if (json_get(env, "PS1"))
        return true;
    for (struct bytes text; next_text(o, &texts, &text);)
        for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++)
            if (bytes_find(text, bytes_of_string(prompts[i]), 0) >= 0)
                return true;
    return false;
}

enum command_fault command_fault_of(const struct observation *o, struct bytes want, struct bytes got, bool there, bool output)
{
    if (!observation_is(o, "run") || !observation_claims(o))
        return COMMAND_NO_FAULT;
    if (want.len && (!there || !got.len) && command_size(o) >= LONG_COMMAND)
        return COMMAND_LOST;
    if (!there)
        return COMMAND_NO_FAULT;
    if (longest_line(o) >= LONG_LINE && ((!output && line_is_cut(want, got)) || (output && (count_is_cut(want, got) || shown_line_is_cut(o, want, got)))))
        return COMMAND_LINE_CUT;
    if (swallows(o, want, got))
        return COMMAND_SWALLOWS;
    return output && command_prints_prompt(o) && is_fooled(want, got) ? COMMAND_FOOLED : COMMAND_NO_FAULT;
}

/* --- saying it --- */

/* The last run that may have written the file, when no other step has since; e->count when there is none. */
static size_t writer_of(const struct execution *e, struct bytes path)
{
    static const char *const reads[] = {"read", "stat", "list", "search", "download", "idle", NULL};
    for (size_t i = e->count; i-- > 0;) {
        const struct observation *o = &e->observations[i];
        if (observation_is_any(o, reads) || !observation_touches(o, path))
            continue;
        return observation_is(o, "run") ? i : e->count;
    }
    return e->count;
}

static const struct file_view *final_of(const struct execution *e, struct bytes path)
{
    for (size_t i = 0; i < e->final_count; i++)
        if (bytes_equal(e->finals[i].path, path) && e->finals[i].view.by != WITNESS_NONE)
            return &e->finals[i].view;
    return NULL;
}

enum command_fault command_fault_of_file(const struct execution *e, const struct fact_report *wrong, size_t *index)
{
    const struct file_view *view = final_of(e, wrong->file);
    *index = writer_of(e, wrong->file);
    if (*index >= e->count || !view)
        return COMMAND_NO_FAULT;
    const struct observation *o = &e->observations[*index];
    if (wrong->compared)
        return command_fault_of(o, wrong->want, wrong->got, true, false);
    bool nothing = !view->exists || (view->kind == 'f' && view->size == 0);
    if (!observation_claims(o) || (!nothing && !view->have_data))
        return COMMAND_NO_FAULT;
    if (nothing)
        return command_size(o) >= LONG_COMMAND ? COMMAND_LOST : COMMAND_NO_FAULT;
    return longest_line(o) >= LONG_LINE && stored_line_is_cut(o, view->data) ? COMMAND_LINE_CUT : COMMAND_NO_FAULT;
}

/* What must be there and what is; of a file of which only the hash is known, what the task asks of it. */
struct shown {
    const char *what;
    bool compared;
    struct bytes want, got;
    const char *why;
};

static void say(const struct execution *e, struct verdicts *out, const char *slug, size_t index, const struct shown *s, const char *detail,
                const char *title)
{
    const struct observation *o = &e->observations[index];
    size_t same = common(s->want, s->got);
    struct buf evidence;
    buf_init(&evidence, 8192);
    buf_addf(&evidence, "step %s run claims success; its command has %zu bytes, its longest line %zu; ", o->step->id, command_size(o),
             longest_line(o));
    if (s->compared) {
        buf_addf(&evidence, "%s must have %zu bytes and has %zu, the same up to byte %zu, where it must go on with ", s->what, s->want.len,
                 s->got.len, same);
        judge_quote(&evidence, bytes_slice(s->want, same, s->want.len), 48);
        buf_add_string(&evidence, " and goes on with ");
        judge_quote(&evidence, bytes_slice(s->got, same, s->got.len), 48);
    } else {
        buf_addf(&evidence, "%s is not what it must be: %s", s->what, s->why ? s->why : "a fact does not hold");
    }
    /* Only where a command is taken to be over too soon has it had its whole effect. */
    enum effect effect = strcmp(slug, "prompt-fooled") == 0 ? EFFECT_NONE : EFFECT_WRONG;
    buf_addf(&evidence, " -> %s", layer_name(layer_of(effect)));
    judge_say(out, e, slug, index, effect, detail, title, buf_string(&evidence));
    buf_release(&evidence);
}

void command_report(const struct execution *e, struct verdicts *out, const char *slug, enum command_fault fault, const char *detail,
                    const char *title)
{
    size_t count;
    const struct mismatch *m = roundtrip_find(e, out->arena, &count);
    for (size_t i = 0; i < count; i++)
        if (m[i].command == fault)
            say(e, out, slug, m[i].observation, &(struct shown){"its output", true, m[i].want, m[i].got, NULL}, detail, title);
    struct fact_report wrong[WRONG_FILES_MAX];
    count = wrong_files(e, out->arena, wrong);
    for (size_t i = 0; i < count; i++) {
        size_t at;
        if (command_fault_of_file(e, &wrong[i], &at) == fault)
            say(e, out, slug, at,
                &(struct shown){"a file that it writes, seen by a witness,", wrong[i].compared, wrong[i].want, wrong[i].got, wrong[i].why},
                detail, title);
    }
}
