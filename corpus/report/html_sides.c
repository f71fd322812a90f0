/* Targets side by side, as HTML tables: a group of columns for each target. */
#include "corpus/report/html.h"

#include <inttypes.h>
#include <string.h>

enum { CAUSES_SHOWN = 6 };

static void add_term(struct buf *out, const char *term, const char *text)
{
    buf_addf(out, "<dt>%s</dt><dd>", term);
    report_xml(out, text, false);
    buf_add_string(out, "</dd>");
}

static void add_number(struct buf *out, int64_t n, bool known, const char *class)
{
    buf_addf(out, "<td class=\"num%s%s\">", class, !known || !n ? " zero" : "");
    if (known)
        buf_addf(out, "%" PRId64, n);
    else
        buf_add_string(out, "&ndash;");
    buf_add_string(out, "</td>");
}

/* ---- who they are ---- */

static void add_targets(struct buf *out, const struct report_options *o, const struct report_sides *s)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    buf_add_string(out, "<h2 id=\"targets\">Targets</h2>\n<ul class=\"targets\">\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct report_side *side = &s->items[i];
        buf_addf(out, "<li><b>%s</b> <code>", side->label);
        report_xml(out, *side->of->target ? side->of->target : "(not stated)", false);
        buf_add_string(out, "</code><dl>");
        if (*side->kind)
            add_term(out, "is a", side->kind);
        for (size_t k = 0; k < side->of->identity_count; k++)
            add_term(out, "answered", side->of->identities[k]);
        buf_clear(&text);
        report_side_words(&text, side);
        add_term(out, "runs", buf_string(&text));
        if (o->source_count > 1)
            add_term(out, "in", side->from->name);
        buf_clear(&text);
        report_passed(&text, &side->all);
        add_term(out, "tasks", buf_string(&text));
        buf_clear(&text);
        report_percent(&text, side->all.perished, side->all.known);
        buf_addf(&text, ", %" PRId64 " of %" PRId64 " sessions", side->all.perished, side->all.known);
        add_term(out, "perished", side->all.known ? buf_string(&text) : "not written down");
        buf_add_string(out, "</dl></li>\n");
    }
    buf_add_string(out, "</ul>\n");
    buf_release(&text);
}

/* ---- tasks ---- */

static void add_tally(struct buf *out, const struct report_tally *t)
{
    add_number(out, t->ran, true, " first");
    add_number(out, t->passed, true, "");
    add_number(out, t->failed, true, t->failed ? " bad" : "");
    add_number(out, t->timed_out, t->known, "");
    add_number(out, t->perished, t->known, t->perished ? " bad" : "");
    add_number(out, t->skipped, true, "");
}

static void add_head(struct buf *out, const struct report_sides *s, const char *what, const char *columns, int span)
{
    buf_addf(out, "<div class=\"wide\"><table><thead><tr><th rowspan=\"2\">%s</th>", what);
    for (size_t i = 0; i < s->count; i++)
        buf_addf(out, "<th class=\"first\" colspan=\"%d\">%s%s%s</th>", span, s->items[i].label, *s->items[i].kind ? ", " : "", s->items[i].kind);
    buf_add_string(out, "</tr><tr>");
    for (size_t i = 0; i < s->count; i++)
        buf_add_string(out, columns);
    buf_add_string(out, "</tr></thead>\n<tbody>\n");
}

static void add_workflows(struct buf *out, const struct report_sides *s, const char *domain)
{
    for (size_t i = 0; i < s->workflows.count; i++) {
        const struct report_load *l = &s->workflows.items[i];
        if (strcmp(l->domain, domain) != 0)
            continue;
        buf_add_string(out, "<tr class=\"part\"><th>");
        report_xml(out, l->name, false);
        buf_add_string(out, "</th>");
        for (size_t k = 0; k < s->count; k++)
            add_tally(out, &l->by_side[k]);
        buf_add_string(out, "</tr>\n");
    }
}

static void add_tasks(struct buf *out, const struct report_sides *s, bool workflows)
{
    static const char columns[] = "<th class=\"num first\">ran</th><th class=\"num\">passed</th><th class=\"num\">failed</th>"
                                  "<th class=\"num\">timed out</th><th class=\"num\">perished</th><th class=\"num\">skipped</th>";
    add_head(out, s, workflows ? "workflow" : "domain", columns, 6);
    for (size_t i = 0; i < s->domains.count; i++) {
        const struct report_load *l = &s->domains.items[i];
        buf_addf(out, "<tr%s><th>", workflows ? " class=\"group\"" : "");
        report_xml(out, l->domain, false);
        buf_add_string(out, "</th>");
        for (size_t k = 0; k < s->count; k++)
            add_tally(out, &l->by_side[k]);
        buf_add_string(out, "</tr>\n");
        if (workflows)
            add_workflows(out, s, l->domain);
    }
    buf_add_string(out, "<tr class=\"sum\"><th>all</th>");
    for (size_t k = 0; k < s->count; k++)
        add_tally(out, &s->items[k].all);
    buf_add_string(out, "</tr>\n</tbody></table></div>\n");
}

/* ---- failed tasks ---- */

static void add_failed(struct buf *out, const struct report_sides *s)
{
    struct arena a;
    size_t count;
    arena_init(&a);
    const struct report_load **worst = report_worst(s, &s->workflows, REPORT_FAILED, &a, &count);
    if (count) {
        buf_add_string(out, "<h2 id=\"failed\">Failed tasks by workflow</h2>\n");
        add_head(out, s, "workflow", "<th class=\"num first\">failed</th><th class=\"num\">rate</th><th>such as</th>", 3);
    }
    for (size_t i = 0; i < count; i++) {
        buf_add_string(out, "<tr><th>");
        report_xml(out, worst[i]->domain, false);
        buf_add_byte(out, '/');
        report_xml(out, worst[i]->name, false);
        buf_add_string(out, "</th>");
        for (size_t k = 0; k < s->count; k++) {
            const struct report_tally *t = &worst[i]->by_side[k];
            buf_addf(out, "<td class=\"num first%s\">", t->failed ? " bad" : " zero");
            if (t->ran)
                buf_addf(out, "%" PRId64 " of %" PRId64, t->failed, t->ran);
            else
                buf_add_byte(out, '-');
            buf_addf(out, "</td><td class=\"num%s\">", t->failed ? "" : " zero");
            report_percent(out, t->failed, t->ran);
            buf_addf(out, "</td><td%s>", *t->why ? " class=\"why\"" : "");
            report_xml(out, t->why, false);
            buf_add_string(out, "</td>");
        }
        buf_add_string(out, "</tr>\n");
    }
    if (count)
        buf_add_string(out, "</tbody></table></div>\n");
    arena_release(&a);
}

/* ---- failures by primitive ---- */

static void add_primitives(struct buf *out, const struct report_sides *s)
{
    if (!s->primitive_count || s->count < 2)
        return;
    buf_add_string(out, "<h2 id=\"primitives\">Failures by primitive and target</h2>\n<p class=\"soft\">Findings, and how often tasks showed them.</p>\n");
    add_head(out, s, "primitive", "<th class=\"first\">findings</th><th class=\"num\">times</th>", 2);
    for (size_t p = 0; p < s->primitive_count; p++) {
        buf_add_string(out, "<tr><th>");
        report_xml(out, s->primitives[p].name, false);
        buf_add_string(out, "</th>");
        for (size_t i = 0; i < s->count; i++) {
            const struct report_failures *f = &s->primitives[p].by_side[i];
            buf_addf(out, "<td class=\"first%s\">", f->confirmed ? " bad" : f->flaky ? " warn" : " zero");
            report_failures(out, f);
            buf_add_string(out, "</td>");
            add_number(out, f->times, true, "");
        }
        buf_add_string(out, "</tr>\n");
    }
    buf_add_string(out, "</tbody></table></div>\n");
}

/* ---- what perished ---- */

static void add_hurt(struct buf *out, const struct report_tally *t)
{
    struct buf causes;
    buf_init(&causes, 1 << 12);
    buf_addf(out, "<td class=\"num first%s\">", t->perished ? " bad" : " zero");
    report_perished_of(out, t);
    buf_addf(out, "</td><td class=\"num%s\">", t->perished ? "" : " zero");
    report_percent(out, t->perished, t->known);
    buf_add_string(out, "</td><td>");
    report_causes(&causes, t, CAUSES_SHOWN);
    report_xml(out, buf_string(&causes), false);
    buf_add_string(out, "</td>");
    buf_release(&causes);
}

static void add_hurt_loads(struct buf *out, const struct report_sides *s, const struct report_loads *loads, const char *kind)
{
    struct arena a;
    size_t count;
    arena_init(&a);
    const struct report_load **hurt = report_worst(s, loads, REPORT_HURT, &a, &count);
    if (count)
        buf_addf(out, "<tr class=\"group\"><th>%s</th><td class=\"first\" colspan=\"%zu\"></td></tr>\n", kind, 3 * s->count);
    for (size_t i = 0; i < count; i++) {
        const struct report_load *l = hurt[i];
        buf_add_string(out, "<tr class=\"part\"><th>");
        report_xml(out, l->domain, false);
        buf_add_string(out, *l->domain ? "/" : "");
        report_xml(out, *l->name || *l->domain ? l->name : "(no mutator)", false);
        buf_add_string(out, "</th>");
        for (size_t k = 0; k < s->count; k++)
            add_hurt(out, &l->by_side[k]);
        buf_add_string(out, "</tr>\n");
    }
    arena_release(&a);
}

static void add_perished(struct buf *out, const struct report_sides *s)
{
    bool hurt = report_any_hurt(s);
    struct buf words;
    buf_init(&words, 1 << 12);
    report_perished_words(&words, s);
    if (hurt || words.len)
        buf_add_string(out, "<h2 id=\"perished\">What perished, and under which workload</h2>\n");
    if (words.len) {
        buf_add_string(out, "<p>");
        report_xml(out, buf_string(&words), false);
        buf_add_string(out, "</p>\n");
    }
    if (hurt) {
        buf_add_string(out, "<p class=\"soft\">Sessions that did not outlive a task, of those that ran it.</p>\n");
        add_head(out, s, "under", "<th class=\"num first\">sessions</th><th class=\"num\">rate</th><th>how</th>", 3);
        buf_add_string(out, "<tr class=\"sum\"><th>all tasks</th>");
        for (size_t k = 0; k < s->count; k++)
            add_hurt(out, &s->items[k].all);
        buf_add_string(out, "</tr>\n");
        add_hurt_loads(out, s, &s->workflows, "workflow");
        add_hurt_loads(out, s, &s->mutators, "mutator");
        buf_add_string(out, "</tbody></table></div>\n");
    }
    buf_release(&words);
}

void report_html_sides(struct buf *out, const struct report_options *o, const struct report_view *v)
{
    const struct report_sides *s = &v->sides;
    if (!s->count)
        return;
    add_targets(out, o, s);
    if (s->domains.count) {
        buf_add_string(out, "<h2 id=\"tasks\">Tasks by domain</h2>\n");
        add_tasks(out, s, false);
        buf_add_string(out, "<details><summary>by workflow</summary>\n");
        add_tasks(out, s, true);
        buf_add_string(out, "</details>\n");
    }
    add_failed(out, s);
    add_primitives(out, s);
    add_perished(out, s);
}
