/* The report for a person at a terminal: counts, targets side by side, a table by primitive and layer, then each finding with its
 * evidence and the shortest task that shows it. */
#include <stdio.h>
#include <string.h>

#include "corpus/report/report_internal.h"

enum { DEFAULT_WIDTH = 100, INDENT = 3, TASK_INDENT = 5, LABEL = 9, CELL = 64, INDEX_FROM = 4 };

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

/* A label and one safe line; on a terminal as many as it takes. */
static void add_line(struct buf *out, const struct report_options *o, const char *label, const char *text)
{
    struct buf safe;

    if (!text || !*text)
        return;
    buf_init(&safe, SIZE_MAX / 4);
    report_safe(&safe, bytes_of_string(text), false);
    if (o->width) {
        char column[CELL];

        snprintf(column, sizeof column, "%*s%-*s", INDENT, "", LABEL, label);
        report_hanging(out, column, buf_string(&safe), o->width);
    } else {
        buf_addf(out, "%*s%-*s%s\n", INDENT, "", LABEL, label, buf_string(&safe));
    }
    buf_release(&safe);
}

/* On a terminal no line is longer than it is wide; what goes on keeps the indent of its line. */
static void add_indented(struct buf *out, const struct report_options *o, struct bytes text, unsigned indent)
{
    struct arena a;

    arena_init(&a);
    while (text.len) {
        ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), 0);
        size_t end = newline < 0 ? text.len : (size_t)newline, own = 0;

        while (own < end && text.data[own] == ' ')
            own++;
        if (end && o->width) {
            report_wrapped(out, arena_string(&a, bytes_slice(text, own, end)), indent + (unsigned)own, o->width);
        } else {
            buf_addf(out, "%*s", end ? (int)indent : 0, "");
            buf_add(out, bytes_slice(text, 0, end));
            buf_add_byte(out, '\n');
        }
        text = bytes_slice(text, end + 1, text.len);
    }
    arena_release(&a);
}

static void add_seen(struct buf *out, const struct report_options *o, const struct finding *f)
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
    add_line(out, o, "seen", buf_string(&text));
    buf_release(&text);
}

/* Where else it was seen, when several targets are reported of. */
static void add_sights(struct buf *out, const struct report_options *o, const struct report_view *v, const struct report_item *item)
{
    struct buf text;

    if (v->sides.count < 2 || o->signature)
        return;
    buf_init(&text, 1 << 16);
    for (size_t i = 0; i < item->sight_count; i++) {
        const struct report_sight *sight = &item->sights[i];

        buf_addf(&text, "%s%s ", i ? ", " : "", sight->side->label);
        report_times(&text, sight->times);
        if (sight->f != item->f && sight->f->state != item->f->state) {
            buf_addf(&text, " (%s, ", finding_state_name(sight->f->state));
            report_rate(&text, sight->f);
            buf_add_byte(&text, ')');
        }
    }
    add_line(out, o, "on", buf_string(&text));
    buf_release(&text);
}

static void add_head(struct buf *out, const struct report_options *o, const struct report_item *item)
{
    const struct finding *f = item->f;
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_addf(&text, "%.*s  %s, ", item->digits, f->signature, finding_state_name(f->state));
    report_rate(&text, f);
    buf_addf(&text, "  %s/%s/%s/%s%s%s", f->layer, f->primitive, f->check, f->op,
             f->client_illegal ? "  (after a message no client may send)" : "", f->suppressed ? "  (suppressed)" : "");
    buf_add_byte(out, '\n');
    if (o->width) {
        report_wrapped(out, buf_string(&text), 0, o->width);
    } else {
        report_safe(out, buf_bytes(&text), false);
        buf_add_byte(out, '\n');
    }
    buf_release(&text);
}

static void add_finding(struct buf *out, const struct report_options *o, const struct report_view *v,
                        const struct report_item *item)
{
    unsigned width = o->width ? o->width : DEFAULT_WIDTH;
    const struct finding *f = item->f;
    const char *expected, *observed;
    struct arena a;
    struct buf text;

    add_head(out, o, item);
    report_wrapped(out, f->title, INDENT, width);
    if (*f->evidence)
        report_wrapped(out, f->evidence, INDENT, width);
    arena_init(&a);
    report_expected(f, &a, &expected, &observed);
    add_line(out, o, "expected", expected);
    add_line(out, o, "observed", observed);
    arena_release(&a);
    add_line(out, o, "target", f->target);
    add_line(out, o, "answered", f->identity);
    add_seen(out, o, f);
    add_sights(out, o, v, item);
    buf_init(&text, SIZE_MAX / 4);
    report_task(&text, o, f);
    if (text.len) {
        buf_addf(out, "%*sshortest task, %lld %s:\n", INDENT, "", (long long)f->task_steps,
                 f->task_steps == 1 ? "step" : "steps");
        add_indented(out, o, buf_bytes(&text), TASK_INDENT);
    }
    buf_release(&text);
    buf_addf(out, "%*sreplay:  ", INDENT, "");
    report_replay(out, item);
    buf_add_byte(out, '\n');
}

/* All in short, before each at length. */
static void add_index(struct buf *out, const struct report_options *o, const struct report_view *v)
{
    struct buf text, label;

    if (v->count < INDEX_FROM || o->signature)
        return;
    buf_init(&text, 1 << 20);
    buf_init(&label, 64);
    buf_add_string(out, "\nFINDINGS\n");
    for (size_t i = 0; i < v->count; i++) {
        const struct report_item *item = &v->items[i];

        buf_clear(&text);
        buf_clear(&label);
        buf_addf(&label, "%.*s  ", item->digits, item->f->signature);
        buf_addf(&text, "%s, %s: %s", finding_state_name(item->f->state), item->f->primitive, item->f->title);
        for (size_t k = 0; k < item->sight_count; k++)
            buf_addf(&text, "%s%s %lldx", k ? ", " : " - ", item->sights[k].side->label, (long long)item->sights[k].times);
        report_hanging(out, buf_string(&label), buf_string(&text), o->width ? o->width : DEFAULT_WIDTH);
    }
    buf_release(&text);
    buf_release(&label);
}

static void add_report(struct buf *out, const struct report_options *o, struct report_view *v)
{
    report_summary(out, v, o->width);
    report_sides_text(out, o, v);
    add_table(out, v);
    add_index(out, o, v);
    for (size_t i = 0; i < v->count; i++)
        add_finding(out, o, v, &v->items[i]);
}

static int write_text(const struct report_options *o, struct buf *out, struct error **err)
{
    return report_write(o, out, add_report, err);
}

const struct report_format report_text = {
    .name = "text",
    .doc = "for a person: counts, a table by primitive and layer, each finding with evidence and task",
    .write = write_text,
};
