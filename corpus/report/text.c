/* The report for a person at a terminal: counts, a table by primitive and layer, then each finding with its
 * evidence and the shortest task that shows it. */
#include <stdio.h>
#include <string.h>

#include "corpus/report/report_internal.h"

enum { DEFAULT_WIDTH = 100, INDENT = 3, TASK_INDENT = 5, CELL = 64 };

static const char *const layers[REPORT_LAYERS] = {"interface", "sandbox", "undecided"};

/* "2", "2 +1 flaky", "1 flaky", "-" */
static const char *cell(char text[CELL], size_t confirmed, size_t flaky)
{
    if (confirmed && flaky)
        snprintf(text, CELL, "%zu +%zu flaky", confirmed, flaky);
    else if (flaky)
        snprintf(text, CELL, "%zu flaky", flaky);
    else if (confirmed)
        snprintf(text, CELL, "%zu", confirmed);
    else
        snprintf(text, CELL, "-");
    return text;
}

static void add_table(struct buf *out, const struct report_view *v)
{
    char text[CELL];

    if (!v->row_count)
        return;
    buf_addf(out, "\n%-14s", "PRIMITIVE");
    for (int layer = 0; layer < REPORT_LAYERS; layer++)
        buf_addf(out, layer + 1 < REPORT_LAYERS ? "%-16s" : "%s\n", layers[layer]);
    for (size_t i = 0; i < v->row_count; i++) {
        const struct report_row *row = &v->rows[i];

        buf_addf(out, "%-14s", row->primitive);
        for (int layer = 0; layer < REPORT_LAYERS; layer++)
            buf_addf(out, layer + 1 < REPORT_LAYERS ? "%-16s" : "%s\n",
                     cell(text, row->confirmed[layer], row->flaky[layer]));
    }
}

/* A label and one safe line. */
static void add_line(struct buf *out, const char *label, const char *text)
{
    if (!text || !*text)
        return;
    buf_addf(out, "%*s%-9s", INDENT, "", label);
    report_safe(out, bytes_of_string(text), false);
    buf_add_byte(out, '\n');
}

static void add_indented(struct buf *out, struct bytes text, int indent)
{
    while (text.len) {
        ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), 0);
        size_t end = newline < 0 ? text.len : (size_t)newline;

        if (end)
            buf_addf(out, "%*s", indent, "");
        buf_add(out, bytes_slice(text, 0, end));
        buf_add_byte(out, '\n');
        text = bytes_slice(text, end + 1, text.len);
    }
}

static void add_seen(struct buf *out, const struct finding *f)
{
    struct buf text;

    buf_init(&text, 256);
    if (f->times_seen == 1)
        buf_add_string(&text, "once, ");
    else
        buf_addf(&text, "%lld times, ", (long long)f->times_seen);
    report_time(&text, f->first_ms);
    if (f->times_seen > 1) {
        buf_add_string(&text, " to ");
        report_time(&text, f->last_ms);
    }
    add_line(out, "seen", buf_string(&text));
    buf_release(&text);
}

static void add_finding(struct buf *out, const struct report_options *o, const struct report_view *v,
                        const struct finding *f)
{
    unsigned width = o->width ? o->width : DEFAULT_WIDTH;
    const char *expected, *observed;
    struct arena a;
    struct buf text;

    buf_addf(out, "\n%.*s  %s, ", report_prefix(v, f), f->signature, finding_state_name(f->state));
    report_rate(out, f);
    buf_add_string(out, "  ");
    report_safe(out, bytes_of_string(f->layer), false);
    buf_add_byte(out, '/');
    report_safe(out, bytes_of_string(f->primitive), false);
    buf_add_byte(out, '/');
    report_safe(out, bytes_of_string(f->check), false);
    buf_add_byte(out, '/');
    report_safe(out, bytes_of_string(f->op), false);
    buf_addf(out, "%s%s\n", f->client_illegal ? "  (after a message no client may send)" : "",
             f->suppressed ? "  (suppressed)" : "");
    report_wrapped(out, f->title, INDENT, width);
    if (*f->evidence)
        report_wrapped(out, f->evidence, INDENT, width);
    arena_init(&a);
    report_expected(f, &a, &expected, &observed);
    add_line(out, "expected", expected);
    add_line(out, "observed", observed);
    arena_release(&a);
    add_line(out, "target", f->target);
    add_line(out, "answered", f->identity);
    add_seen(out, f);
    buf_init(&text, SIZE_MAX / 4);
    report_task(&text, o, f);
    if (text.len) {
        buf_addf(out, "%*sshortest task, %lld %s:\n", INDENT, "", (long long)f->task_steps,
                 f->task_steps == 1 ? "step" : "steps");
        add_indented(out, buf_bytes(&text), TASK_INDENT);
    }
    buf_release(&text);
    buf_addf(out, "%*sreplay:  ", INDENT, "");
    report_replay(out, o, v, f);
    buf_add_byte(out, '\n');
}

static void add_report(struct buf *out, const struct report_options *o, struct report_view *v)
{
    report_summary(out, v);
    add_table(out, v);
    for (size_t i = 0; i < v->count; i++)
        add_finding(out, o, v, v->items[i]);
}

static int write_text(struct store *s, const struct report_options *o, struct buf *out, struct error **err)
{
    return report_write(s, o, out, add_report, err);
}

const struct report_format report_text = {
    .name = "text",
    .doc = "for a person: counts, a table by primitive and layer, each finding with evidence and task",
    .write = write_text,
};
