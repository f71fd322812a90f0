/* Targets side by side, as Markdown tables: a column group for each target. */
#include <inttypes.h>
#include <string.h>

#include "corpus/report/report_internal.h"

enum { CAUSES_SHOWN = 4 };

static void add_targets(struct buf *out, const struct report_options *o, const struct report_sides *s)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    buf_add_string(out, "\n## Targets\n\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct report_side *side = &s->items[i];
        buf_addf(out, "- **%s** ", side->label);
        buf_clear(&text);
        buf_addf(&text, "%s%s%s; ", *side->of->target ? side->of->target : "(not stated)", *side->kind ? ", " : "", side->kind);
        for (size_t k = 0; k < side->of->identity_count; k++)
            buf_addf(&text, "answered as %s; ", side->of->identities[k]);
        report_passed(&text, &side->all);
        buf_add_string(&text, "; ");
        report_side_words(&text, side);
        if (o->source_count > 1)
            buf_addf(&text, "; in %s", side->from->name);
        report_markdown_text(out, buf_string(&text));
        buf_add_byte(out, '\n');
    }
    buf_release(&text);
}

static void add_row(struct buf *out, const struct report_sides *s, const char *name, const struct report_tally *by_side)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct report_tally *t = &by_side[i];
        if (!t->ran && !t->skipped && !t->spoiled)
            continue;
        buf_add_string(out, "| ");
        report_markdown_text(out, name);
        buf_addf(out, " | %s | %" PRId64 " | %" PRId64 " | %" PRId64 " | ", s->items[i].label, t->ran, t->passed, t->failed);
        if (t->known)
            buf_addf(out, "%" PRId64 " | %" PRId64, t->timed_out, t->perished);
        else
            buf_add_string(out, "- | -");
        buf_addf(out, " | %" PRId64 " |\n", t->skipped);
    }
}

static void add_tasks(struct buf *out, const struct report_options *o, const struct report_sides *s)
{
    const struct report_loads *loads = o->workflows ? &s->workflows : &s->domains;
    struct buf name;
    if (!loads->count)
        return;
    buf_init(&name, 1 << 16);
    buf_add_string(out, "\n## Tasks\n\n| tasks | target | ran | passed | failed | timed out | perished | skipped |\n|---|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < loads->count; i++) {
        buf_clear(&name);
        buf_addf(&name, "%s%s%s", loads->items[i].domain, *loads->items[i].name ? "/" : "", loads->items[i].name);
        add_row(out, s, buf_string(&name), loads->items[i].by_side);
    }
    buf_release(&name);
}

static void add_failed(struct buf *out, const struct report_sides *s)
{
    struct arena a;
    size_t count;
    arena_init(&a);
    const struct report_load **worst = report_worst(s, &s->workflows, REPORT_FAILED, &a, &count);
    if (count)
        buf_add_string(out, "\n## Failed tasks\n\n| workflow | target | failed | rate | such as |\n|---|---|--:|--:|---|\n");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < s->count; k++) {
            const struct report_tally *t = &worst[i]->by_side[k];
            if (!t->ran)
                continue;
            buf_add_string(out, "| ");
            report_markdown_text(out, worst[i]->domain);
            buf_add_byte(out, '/');
            report_markdown_text(out, worst[i]->name);
            buf_addf(out, " | %s | %" PRId64 " of %" PRId64 " | ", s->items[k].label, t->failed, t->ran);
            report_percent(out, t->failed, t->ran);
            buf_add_string(out, " | ");
            report_markdown_text(out, t->why);
            buf_add_string(out, " |\n");
        }
    arena_release(&a);
}

static void add_primitives(struct buf *out, const struct report_sides *s)
{
    struct buf text;
    if (!s->primitive_count || s->count < 2)
        return;
    buf_init(&text, 1 << 10);
    buf_add_string(out, "\n## Failures by primitive and target\n\n| primitive |");
    for (size_t i = 0; i < s->count; i++)
        buf_addf(out, " %s |", s->items[i].label);
    buf_add_string(out, "\n|---|");
    for (size_t i = 0; i < s->count; i++)
        buf_add_string(out, "---|");
    buf_add_byte(out, '\n');
    for (size_t p = 0; p < s->primitive_count; p++) {
        buf_add_string(out, "| ");
        report_markdown_text(out, s->primitives[p].name);
        for (size_t i = 0; i < s->count; i++) {
            buf_clear(&text);
            report_failures(&text, &s->primitives[p].by_side[i]);
            buf_addf(out, " | %s", buf_string(&text));
        }
        buf_add_string(out, " |\n");
    }
    buf_release(&text);
}

static void add_hurt_row(struct buf *out, const struct report_side *side, const char *name, const struct report_tally *t)
{
    struct buf causes;
    if (!t->known)
        return;
    buf_init(&causes, 1 << 12);
    buf_add_string(out, "| ");
    report_markdown_text(out, name);
    buf_addf(out, " | %s | ", side->label);
    report_perished_of(out, t);
    buf_add_string(out, " | ");
    report_percent(out, t->perished, t->known);
    report_causes(&causes, t, CAUSES_SHOWN);
    buf_add_string(out, " | ");
    report_markdown_text(out, buf_string(&causes));
    buf_add_string(out, " |\n");
    buf_release(&causes);
}

static void add_hurt_loads(struct buf *out, const struct report_sides *s, const struct report_loads *loads, const char *kind)
{
    struct arena a;
    struct buf name;
    arena_init(&a);
    buf_init(&name, 1 << 16);
    size_t count;
    const struct report_load **hurt = report_worst(s, loads, REPORT_HURT, &a, &count);
    for (size_t i = 0; i < count; i++) {
        const struct report_load *l = hurt[i];
        buf_clear(&name);
        buf_addf(&name, "%s %s%s%s", kind, l->domain, *l->domain ? "/" : "", *l->name || *l->domain ? l->name : "(none)");
        for (size_t k = 0; k < s->count; k++)
            add_hurt_row(out, &s->items[k], buf_string(&name), &l->by_side[k]);
    }
    buf_release(&name);
    arena_release(&a);
}

static void add_perished(struct buf *out, const struct report_sides *s)
{
    struct buf words;
    bool hurt = report_any_hurt(s);
    buf_init(&words, 1 << 12);
    report_perished_words(&words, s);
    if (hurt || words.len)
        buf_add_string(out, "\n## Perished\n\n");
    if (hurt) {
        buf_add_string(out, "| under | target | sessions | rate | how |\n|---|---|--:|--:|---|\n");
        for (size_t i = 0; i < s->count; i++)
            add_hurt_row(out, &s->items[i], "all tasks", &s->items[i].all);
        add_hurt_loads(out, s, &s->workflows, "workflow");
        add_hurt_loads(out, s, &s->mutators, "mutator");
    }
    if (words.len)
        buf_addf(out, "%s%s\n", hurt ? "\n" : "", buf_string(&words));
    buf_release(&words);
}

void report_sides_markdown(struct buf *out, const struct report_options *o, const struct report_view *v)
{
    if (!v->sides.count || o->signature)
        return;
    add_targets(out, o, &v->sides);
    add_tasks(out, o, &v->sides);
    add_failed(out, &v->sides);
    add_primitives(out, &v->sides);
    add_perished(out, &v->sides);
}
