/* Targets side by side, for a terminal of 80 columns and more: who they are, tasks by domain, failures by primitive, what perished under
 * what. */
#include <inttypes.h>
#include <string.h>

#include "corpus/report/report_internal.h"

enum { DEFAULT_WIDTH = 100, PRIMITIVE_WIDTH = 14, CELL_WIDTH = 20, NAME_MOST = 34, TARGET_WIDTH = 7, HURT_SHOWN = 15, CAUSES_SHOWN = 4, NUMBERS_WIDTH = 60 };

static unsigned width_of(const struct report_options *o)
{
    return o->width ? o->width : DEFAULT_WIDTH;
}

/* Safe text in a column: cut when it is too long, with blanks behind it up to `width`. */
static void add_cell(struct buf *out, const char *text, size_t width)
{
    struct buf safe;
    buf_init(&safe, 1 << 16);
    report_safe(&safe, bytes_of_string(text), false);
    if (safe.len + 1 > width) {
        size_t keep = width - 2;
        while (keep && (safe.data[keep] & 0xc0) == 0x80)
            keep--;
        buf_add(out, bytes_slice(buf_bytes(&safe), 0, keep));
        buf_add_string(out, "~ ");
    } else {
        buf_addf(out, "%-*s", (int)width, buf_string(&safe));
    }
    buf_release(&safe);
}

/* ---- who they are ---- */

static void add_targets(struct buf *out, const struct report_options *o, const struct report_sides *s)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    buf_add_string(out, "\nTARGETS\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct report_side *side = &s->items[i];
        buf_clear(&text);
        buf_addf(&text, "%-3s", side->label);
        char label[16];
        memcpy(label, buf_string(&text), text.len + 1);
        buf_clear(&text);
        buf_addf(&text, "%s%s%s", *side->of->target ? side->of->target : "(not stated)", *side->kind ? ", " : "", side->kind);
        report_hanging(out, label, buf_string(&text), width_of(o));
        for (size_t k = 0; k < side->of->identity_count; k++)
            report_hanging(out, "     answered ", side->of->identities[k], width_of(o));
        buf_clear(&text);
        report_passed(&text, &side->all);
        buf_add_string(&text, "; ");
        report_side_words(&text, side);
        if (o->source_count > 1)
            buf_addf(&text, "; in %s", side->from->name);
        report_wrapped(out, buf_string(&text), 5, width_of(o));
    }
    buf_release(&text);
}

/* ---- tasks ---- */

static void add_tally(struct buf *out, const struct report_tally *t)
{
    struct buf text;
    buf_init(&text, 64);
    buf_addf(out, "%7" PRId64 "%8" PRId64 "%8" PRId64, t->ran, t->passed, t->failed);
    if (t->known)
        buf_addf(&text, "%" PRId64, t->timed_out);
    buf_addf(out, "%11s", t->known ? buf_string(&text) : "-");
    buf_clear(&text);
    if (t->known)
        buf_addf(&text, "%" PRId64, t->perished);
    buf_addf(out, "%10s%9" PRId64 "\n", t->known ? buf_string(&text) : "-", t->skipped);
    buf_release(&text);
}

/* Rows of one thing, a line for each target that was put to it. */
static void add_loads(struct buf *out, const struct report_sides *s, const char *name, const struct report_tally *by_side, size_t width)
{
    bool first = true;
    for (size_t i = 0; i < s->count; i++) {
        const struct report_tally *t = &by_side[i];
        if (!t->ran && !t->skipped && !t->spoiled)
            continue;
        add_cell(out, first ? name : "", width);
        buf_addf(out, "%-*s", TARGET_WIDTH, s->items[i].label);
        add_tally(out, t);
        first = false;
    }
}

static void add_workflows(struct buf *out, const struct report_sides *s, const char *domain, size_t width)
{
    struct buf name;
    buf_init(&name, 1 << 16);
    for (size_t i = 0; i < s->workflows.count; i++) {
        const struct report_load *l = &s->workflows.items[i];
        if (strcmp(l->domain, domain) != 0)
            continue;
        buf_clear(&name);
        buf_addf(&name, "  %s", l->name);
        add_loads(out, s, buf_string(&name), l->by_side, width);
    }
    buf_release(&name);
}

/* As wide as its longest name, if that leaves room for the numbers. */
static size_t tasks_width(const struct report_options *o, const struct report_sides *s)
{
    size_t width = PRIMITIVE_WIDTH, most = width_of(o) - NUMBERS_WIDTH;
    for (size_t i = 0; i < s->workflows.count && o->workflows; i++) {
        size_t n = strlen(s->workflows.items[i].name) + 3;
        width = n > width ? n : width;
    }
    return width < most ? width : most;
}

static void add_tasks(struct buf *out, const struct report_options *o, const struct report_sides *s)
{
    size_t width = tasks_width(o, s);
    if (!s->domains.count)
        return;
    buf_addf(out, "\n%-*s%-*s%7s%8s%8s%11s%10s%9s\n", (int)width, "TASKS", TARGET_WIDTH, "TARGET", "RAN", "PASSED", "FAILED",
             "TIMED OUT", "PERISHED", "SKIPPED");
    for (size_t i = 0; i < s->domains.count; i++) {
        add_loads(out, s, s->domains.items[i].domain, s->domains.items[i].by_side, width);
        if (o->workflows)
            add_workflows(out, s, s->domains.items[i].domain, width);
    }
    for (size_t i = 0; i < s->count && s->domains.count > 1; i++) {
        add_cell(out, i ? "" : "all", width);
        buf_addf(out, "%-*s", TARGET_WIDTH, s->items[i].label);
        add_tally(out, &s->items[i].all);
    }
}

/* ---- failures by primitive ---- */

static void add_column(struct buf *out, const char *text, bool last)
{
    if (last)
        buf_addf(out, "%s\n", text);
    else
        buf_addf(out, "%-*s ", CELL_WIDTH - 1, text);
}

static void add_primitives(struct buf *out, const struct report_options *o, const struct report_sides *s)
{
    size_t fit = (width_of(o) - PRIMITIVE_WIDTH) / CELL_WIDTH;
    struct buf text;
    if (!s->primitive_count || s->count < 2)
        return;
    buf_init(&text, 1 << 10);
    for (size_t from = 0; from < s->count; from += fit) {
        size_t to = from + fit < s->count ? from + fit : s->count;
        buf_addf(out, "\n%-*s", PRIMITIVE_WIDTH, "FAILURES");
        for (size_t i = from; i < to; i++)
            add_column(out, s->items[i].label, i + 1 == to);
        for (size_t p = 0; p < s->primitive_count; p++) {
            add_cell(out, s->primitives[p].name, PRIMITIVE_WIDTH);
            for (size_t i = from; i < to; i++) {
                buf_clear(&text);
                report_failures(&text, &s->primitives[p].by_side[i]);
                if (s->primitives[p].by_side[i].times)
                    buf_addf(&text, " (%" PRId64 "x)", s->primitives[p].by_side[i].times);
                add_column(out, buf_string(&text), i + 1 == to);
            }
        }
    }
    buf_release(&text);
}

/* ---- what perished ---- */

static void end_line(struct buf *out)
{
    while (out->len && out->data[out->len - 1] == ' ')
        out->len--;
    buf_add_byte(out, '\n');
}

/* "NAME TARGET part of whole RATE words": the words on lines of their own where they do not fit. */
static void add_rate_row(struct buf *out, const struct report_options *o, const char *label, const char *name, size_t width, const char *counts,
                         const char *rate, const char *words)
{
    size_t indent = width + TARGET_WIDTH + 14 + 8 + 2;
    add_cell(out, name, width);
    buf_addf(out, "%-*s%14s%8s  ", TARGET_WIDTH, label, counts, rate);
    if (*words && strlen(words) + indent <= width_of(o)) {
        buf_addf(out, "%s\n", words);
        return;
    }
    end_line(out);
    if (*words)
        report_wrapped(out, words, (unsigned)width, width_of(o));
}

static void add_hurt_row(struct buf *out, const struct report_options *o, const struct report_side *side, const char *name, size_t width,
                         const struct report_tally *t)
{
    struct buf counts, rate, causes;
    buf_init(&counts, 256);
    buf_init(&rate, 256);
    buf_init(&causes, 1 << 12);
    report_perished_of(&counts, t);
    report_percent(&rate, t->perished, t->known);
    report_causes(&causes, t, CAUSES_SHOWN);
    add_rate_row(out, o, side->label, name, width, buf_string(&counts), buf_string(&rate), buf_string(&causes));
    buf_release(&counts);
    buf_release(&rate);
    buf_release(&causes);
}

static void add_failed_row(struct buf *out, const struct report_options *o, const struct report_side *side, const char *name, size_t width,
                           const struct report_tally *t)
{
    struct buf counts, rate, why;
    buf_init(&counts, 256);
    buf_init(&rate, 256);
    buf_init(&why, 1 << 16);
    buf_addf(&counts, "%" PRId64 " of %" PRId64, t->failed, t->ran);
    report_percent(&rate, t->failed, t->ran);
    report_safe(&why, bytes_of_string(t->why), false);
    add_rate_row(out, o, side->label, name, width, buf_string(&counts), buf_string(&rate), buf_string(&why));
    buf_release(&counts);
    buf_release(&rate);
    buf_release(&why);
}

static void name_of(struct buf *name, const struct report_load *l)
{
    buf_clear(name);
    buf_addf(name, "  %s%s%s", l->domain, *l->domain ? "/" : "", *l->name || *l->domain ? l->name : "(no mutator)");
}

static void add_hurt_loads(struct buf *out, const struct report_options *o, const struct report_sides *s, const struct report_loads *loads,
                           const char *kind, size_t width)
{
    struct arena a;
    struct buf name;
    arena_init(&a);
    buf_init(&name, 1 << 16);
    size_t count, most = o->workflows ? SIZE_MAX : HURT_SHOWN;
    const struct report_load **hurt = report_worst(s, loads, REPORT_HURT, &a, &count);
    if (count)
        buf_addf(out, "%s\n", kind);
    for (size_t i = 0; i < count && i < most; i++) {
        name_of(&name, hurt[i]);
        for (size_t k = 0; k < s->count; k++)
            if (hurt[i]->by_side[k].known)
                add_hurt_row(out, o, &s->items[k], buf_string(&name), width, &hurt[i]->by_side[k]);
    }
    if (count > most)
        buf_addf(out, "  and %zu more (--workflows shows them)\n", count - most);
    buf_release(&name);
    arena_release(&a);
}

/* As wide as the longest name of those, if that leaves room for the rest. */
static size_t names_width(const struct report_sides *s, const struct report_loads *loads, enum report_what what, size_t width)
{
    struct arena a;
    size_t count;
    arena_init(&a);
    const struct report_load **worst = report_worst(s, loads, what, &a, &count);
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(worst[i]->domain) + strlen(worst[i]->name) + 5;
        width = n > width ? n : width;
    }
    arena_release(&a);
    return width < NAME_MOST ? width : NAME_MOST;
}

static void add_failed(struct buf *out, const struct report_options *o, const struct report_sides *s)
{
    struct arena a;
    struct buf name;
    size_t count, most = o->workflows ? SIZE_MAX : HURT_SHOWN, width = names_width(s, &s->workflows, REPORT_FAILED, strlen("FAILED TASKS  "));
    arena_init(&a);
    buf_init(&name, 1 << 16);
    const struct report_load **worst = report_worst(s, &s->workflows, REPORT_FAILED, &a, &count);
    if (count)
        buf_addf(out, "\n%-*s%-*s%14s%8s  %s\n", (int)width, "FAILED TASKS", TARGET_WIDTH, "TARGET", "FAILED", "RATE", "SUCH AS");
    for (size_t i = 0; i < count && i < most; i++) {
        name_of(&name, worst[i]);
        for (size_t k = 0; k < s->count; k++)
            if (worst[i]->by_side[k].ran)
                add_failed_row(out, o, &s->items[k], buf_string(&name) + 2, width, &worst[i]->by_side[k]);
    }
    if (count > most)
        buf_addf(out, "and %zu more (--workflows shows them)\n", count - most);
    buf_release(&name);
    arena_release(&a);
}

static void add_perished(struct buf *out, const struct report_options *o, const struct report_sides *s)
{
    bool hurt = report_any_hurt(s);
    struct buf words;
    buf_init(&words, 1 << 12);
    report_perished_words(&words, s);
    if (hurt) {
        size_t width = names_width(s, &s->workflows, REPORT_HURT, strlen("PERISHED UNDER "));
        width = names_width(s, &s->mutators, REPORT_HURT, width);
        buf_addf(out, "\n%-*s%-*s%14s%8s  %s\n", (int)width, "PERISHED UNDER", TARGET_WIDTH, "TARGET", "SESSIONS", "RATE", "HOW");
        for (size_t i = 0; i < s->count; i++)
            if (s->items[i].all.known)
                add_hurt_row(out, o, &s->items[i], "all tasks", width, &s->items[i].all);
        add_hurt_loads(out, o, s, &s->workflows, "workflows", width);
        add_hurt_loads(out, o, s, &s->mutators, "mutators", width);
    }
    if (words.len) {
        buf_add_string(out, hurt ? "" : "\n");
        report_wrapped(out, buf_string(&words), 0, width_of(o));
    }
    buf_release(&words);
}

void report_sides_text(struct buf *out, const struct report_options *o, const struct report_view *v)
{
    if (!v->sides.count || o->signature)
        return;
    add_targets(out, o, &v->sides);
    add_tasks(out, o, &v->sides);
    add_failed(out, o, &v->sides);
    add_primitives(out, o, &v->sides);
    add_perished(out, o, &v->sides);
}
