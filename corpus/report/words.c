/* Words of reports: made safe for terminals, wrapped, times, rates; see report_internal.h. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/encode.h"
#include "base/utf8.h"
#include "corpus/report/report_internal.h"

enum { MS_PER_S = 1000, TASK_TEXT_MAX = 1024 * 1024, SKIPS_SHOWN = 8 };

/* Characters without a shape that change how what follows is read: directions, joins of lines, byte order
 * marks. */
static bool is_hidden(int32_t c)
{
    return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
           c == 0xfeff || c == 0x61c || (c >= 0xe0000 && c <= 0xe007f);
}

void report_safe(struct buf *out, struct bytes text, bool keep_newlines)
{
    size_t at = 0;

    while (at < text.len) {
        size_t start = at;
        int32_t c = utf8_next(text, &at);

        if (c == '\n' && keep_newlines)
            buf_add_byte(out, '\n');
        else if (c < 0 || c < 0x20 || c == 0x7f)
            buf_addf(out, "\\x%02x", (unsigned)text.data[start]);
        else if ((c >= 0x80 && c < 0xa0) || is_hidden(c))
            buf_addf(out, "\\u{%" PRIx32 "}", (uint32_t)c);
        else
            buf_add(out, bytes_slice(text, start, at));
    }
}

/* Offset behind `limit` characters, or the end. */
static size_t characters(struct bytes text, size_t limit)
{
    size_t at = 0;

    for (size_t n = 0; n < limit && at < text.len; n++)
        utf8_next(text, &at);
    return at;
}

/* Where a line of at most `limit` characters ends: at its end, before a blank, or, in a long word, just
 * there. */
static size_t line_end(struct bytes line, size_t limit)
{
    size_t end = characters(line, limit), blank = end;

    if (end == line.len)
        return end;
    while (blank > 0 && line.data[blank] != ' ')
        blank--;
    return blank > 0 ? blank : end;
}

static void wrap_line(struct buf *out, struct bytes line, unsigned indent, size_t limit)
{
    do {
        size_t end = line_end(line, limit);

        buf_addf(out, "%*s", line.len ? (int)indent : 0, "");
        buf_add(out, bytes_slice(line, 0, end));
        buf_add_byte(out, '\n');
        while (end < line.len && line.data[end] == ' ')
            end++;
        line = bytes_slice(line, end, line.len);
    } while (line.len);
}

void report_wrapped(struct buf *out, const char *text, unsigned indent, unsigned width)
{
    struct buf safe;
    struct bytes rest;
    size_t limit = width > indent + 20 ? width - indent : 20;

    buf_init(&safe, SIZE_MAX / 4);
    report_safe(&safe, bytes_of_string(text), true);
    rest = buf_bytes(&safe);
    for (;;) {
        ptrdiff_t newline = bytes_find(rest, BYTES_LITERAL("\n"), 0);

        wrap_line(out, bytes_slice(rest, 0, newline < 0 ? rest.len : (size_t)newline), indent, limit);
        if (newline < 0 || (size_t)newline + 1 == rest.len)
            break;
        rest = bytes_slice(rest, (size_t)newline + 1, rest.len);
    }
    buf_release(&safe);
}

void report_hanging(struct buf *out, const char *label, const char *text, unsigned width)
{
    size_t at = out->len, indent = strlen(label);

    report_wrapped(out, text, (unsigned)indent, width);
    if (out->len == at + 1) { /* nothing but the end of a line */
        out->len = at;
        buf_addf(out, "%s\n", label);
    } else if (!out->overflow) {
        memcpy(out->data + at, label, indent);
    }
}

void report_time(struct buf *out, int64_t wall_ms)
{
    time_t seconds = (time_t)(wall_ms / MS_PER_S);
    struct tm t;

    if (wall_ms > 0 && gmtime_r(&seconds, &t))
        buf_addf(out, "%04d-%02d-%02dT%02d:%02d:%02dZ", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour,
                 t.tm_min, t.tm_sec);
}

void report_rate(struct buf *out, const struct finding *f)
{
    if (f->n_run > 0)
        buf_addf(out, "%d of %d", f->n_failed, f->n_run);
    else
        buf_add_string(out, "not tried again");
}

static void add_count(struct buf *out, int64_t n, const char *one, const char *many)
{
    buf_addf(out, "%" PRId64 " %s", n, n == 1 ? one : many);
}

static void add_executions(struct buf *out, const struct report_view *v)
{
    const struct store_totals *t = &v->totals;

    add_count(out, t->runs, "run", "runs");
    buf_add_string(out, ", ");
    add_count(out, t->executions, "execution", "executions");
    buf_addf(out, ": %" PRId64 " passed, %" PRId64 " failed, %" PRId64 " skipped", t->passed, t->failed,
             t->skipped);
    if (t->harness)
        buf_addf(out, ", %" PRId64 " spoiled by this machine", t->harness);
    buf_addf(out, ".\nEvery step reached the target in %" PRId64 "; ", t->executed);
    add_count(out, t->corpus, "task is", "tasks are");
    buf_add_string(out, " kept for ");
    add_count(out, t->features, "feature", "features");
    buf_add_string(out, ".\n");
}

static void add_skips(struct buf *out, const struct report_view *v)
{
    for (size_t i = 0; i < v->skip_count && i < SKIPS_SHOWN; i++) {
        buf_add_string(out, i ? ", " : "Skipped for want of ");
        report_safe(out, bytes_of_string(v->skips[i].name), false);
        buf_addf(out, " (%" PRId64 ")", v->skips[i].count);
    }
    if (v->skip_count > SKIPS_SHOWN)
        buf_addf(out, " and %zu more", v->skip_count - SKIPS_SHOWN);
    if (v->skip_count)
        buf_add_string(out, ".\n");
}

static void add_summary(struct buf *out, const struct report_view *v)
{
    static const enum finding_state order[] = {FINDING_REGRESSED, FINDING_CONFIRMED, FINDING_FLAKY,
                                               FINDING_NEW,       FINDING_FIXED,     FINDING_UNCONFIRMED};
    const char *between = ": ";

    add_executions(out, v);
    add_skips(out, v);
    add_count(out, (int64_t)v->count, "finding", "findings");
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
        if (!v->by_state[order[i]])
            continue;
        buf_addf(out, "%s%zu %s", between, v->by_state[order[i]], finding_state_name(order[i]));
        between = ", ";
    }
    if (v->client_illegal)
        buf_addf(out, "; %zu of them, listed last, after messages no client may send", v->client_illegal);
    if (v->hidden)
        buf_addf(out, "; %zu more not seen again or suppressed (--all shows them)", v->hidden);
    buf_add_string(out, ".\n");
}

void report_summary(struct buf *out, const struct report_view *v, unsigned width)
{
    struct buf text;

    if (!width) {
        add_summary(out, v);
        return;
    }
    buf_init(&text, 1 << 20);
    add_summary(&text, v);
    report_wrapped(out, buf_string(&text), 0, width);
    buf_release(&text);
}

/* One line of running text. */
void report_markdown_text(struct buf *out, const char *text)
{
    struct buf safe;

    buf_init(&safe, SIZE_MAX / 4);
    report_safe(&safe, bytes_of_string(text), false);
    for (size_t i = 0; i < safe.len; i++) {
        if (safe.data[i] < 0x80 && strchr("\\`*_{}[]<>#|~&!@", safe.data[i]))
            buf_add_byte(out, '\\');
        buf_add_byte(out, safe.data[i]);
    }
    buf_release(&safe);
}

/* XML 1.0 has no way to write most control characters, nor U+FFFE and U+FFFF; report_safe leaves only the latter two. */
void report_xml(struct buf *out, const char *text, bool keep_newlines)
{
    static const struct {
        int32_t c;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {0xfffe, "\\u{fffe}"}, {0xffff, "\\u{ffff}"}};
    struct buf safe;

    buf_init(&safe, SIZE_MAX / 4);
    report_safe(&safe, bytes_of_string(text), keep_newlines);
    struct bytes rest = buf_bytes(&safe);
    for (size_t at = 0; at < rest.len;) {
        size_t start = at, i = 0;
        int32_t c = utf8_next(rest, &at);
        while (i < sizeof entities / sizeof *entities && entities[i].c != c)
            i++;
        if (i < sizeof entities / sizeof *entities)
            buf_add_string(out, entities[i].entity);
        else
            buf_add(out, bytes_slice(rest, start, at));
    }
    buf_release(&safe);
}

bool report_is_note(const struct finding *f)
{
    return !strncmp(f->detail, "should: ", 8) || !strncmp(f->detail, "contract: ", 10);
}

void report_expected(const struct finding *f, struct arena *a, const char **expected, const char **observed)
{
    struct json *record = NULL;

    *expected = *observed = "";
    if (!f->wire || !*f->wire || json_read(a, bytes_of_string(f->wire), NULL, f->signature, &record, NULL, NULL) < 0)
        return;
    *expected = arena_string(a, json_as_text(json_get(record, "expected")));
    *observed = arena_string(a, json_as_text(json_get(record, "observed")));
}

void report_replay(struct buf *out, const struct report_item *item)
{
    struct buf line;

    buf_init(&line, SIZE_MAX / 4);
    buf_add_string(&line, "taskgen replay ");
    if (strcmp(item->from->name, "taskgen.db")) {
        buf_add_string(&line, "--db ");
        shell_word(&line, bytes_of_string(item->from->name));
        buf_add_byte(&line, ' ');
    }
    buf_addf(&line, "%.*s", item->digits, item->f->signature);
    report_safe(out, buf_bytes(&line), false);
    buf_release(&line);
}

void report_task(struct buf *out, const struct report_options *o, const struct finding *f)
{
    struct task *task = NULL;

    if (!f->task || !*f->task)
        return;
    if (o->ops && task_read(o->ops, bytes_of_string(f->task), f->signature, &task, NULL) == 0) {
        struct buf text;

        buf_init(&text, TASK_TEXT_MAX);
        task_write_text(task, &text);
        report_safe(out, buf_bytes(&text), true);
        buf_release(&text);
        task_free(task);
        return;
    }
    report_safe(out, bytes_of_string(f->task), false);
    buf_add_byte(out, '\n');
}
