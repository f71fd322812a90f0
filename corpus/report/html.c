/* The report as one HTML page without scripts, for a person with a browser and for colleagues who get it sent. What targets sent is text
 * in it: report_xml leaves no way to write an element. */
#include "corpus/report/html.h"

#include <inttypes.h>
#include <string.h>

static void add_term(struct buf *out, const char *term, const char *text)
{
    if (!text || !*text)
        return;
    buf_addf(out, "<dt>%s</dt><dd>", term);
    report_xml(out, text, false);
    buf_add_string(out, "</dd>\n");
}

static void add_layers(struct buf *out, const struct report_view *v)
{
    if (!v->row_count)
        return;
    buf_add_string(out, "<h2 id=\"layers\">Failures by primitive and layer</h2>\n<div class=\"wide\"><table><thead><tr><th>primitive</th>"
                        "<th class=\"num\">interface</th><th class=\"num\">sandbox</th><th class=\"num\">undecided</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < v->row_count; i++) {
        const struct report_row *row = &v->rows[i];
        buf_add_string(out, "<tr><th>");
        report_xml(out, row->primitive, false);
        buf_add_string(out, "</th>");
        for (int layer = 0; layer < REPORT_LAYERS; layer++) {
            const struct report_failures f = {.confirmed = row->confirmed[layer], .flaky = row->flaky[layer]};
            buf_addf(out, "<td class=\"num%s\">", f.confirmed || f.flaky ? "" : " zero");
            report_failures(out, &f);
            buf_add_string(out, "</td>");
        }
        buf_add_string(out, "</tr>\n");
    }
    buf_add_string(out, "</tbody></table></div>\n");
}

static const char *class_of(const struct finding *f)
{
    if (f->state == FINDING_CONFIRMED || f->state == FINDING_REGRESSED)
        return report_is_note(f) || f->suppressed ? "soft" : "bad";
    return f->state == FINDING_FIXED ? "good" : f->state == FINDING_FLAKY ? "warn" : "soft";
}

static void add_summary_line(struct buf *out, const struct report_item *item)
{
    const struct finding *f = item->f;
    buf_addf(out, "<summary><span class=\"%s\">%s, ", class_of(f), finding_state_name(f->state));
    report_rate(out, f);
    buf_add_string(out, "</span> ");
    report_xml(out, f->title, false);
    buf_addf(out, "<span class=\"where\"><code>%.*s</code> ", item->digits, f->signature);
    struct buf text;
    buf_init(&text, 1 << 20);
    buf_addf(&text, "%s/%s/%s/%s%s%s", f->layer, f->primitive, f->check, f->op, f->client_illegal ? ", after a message no client may send" : "",
             f->suppressed ? ", suppressed" : "");
    report_xml(out, buf_string(&text), false);
    for (size_t i = 0; i < item->sight_count; i++)
        buf_addf(out, "%s%s %" PRId64 "&times;", i ? ", " : " &middot; ", item->sights[i].side->label, item->sights[i].times);
    buf_add_string(out, "</span></summary>\n");
    buf_release(&text);
}

static void add_seen(struct buf *out, const struct finding *f)
{
    struct buf text;
    buf_init(&text, 256);
    buf_addf(&text, "%lld %s, ", (long long)f->times_seen, f->times_seen == 1 ? "time" : "times");
    report_time(&text, f->first_ms);
    if (f->last_ms != f->first_ms) {
        buf_add_string(&text, " to ");
        report_time(&text, f->last_ms);
    }
    add_term(out, "seen", buf_string(&text));
    buf_release(&text);
}

/* "A: flaky, 2 of 5; B: …" where databases do not agree. */
static void add_states(struct buf *out, const struct report_item *item)
{
    struct buf text;
    bool differ = false;
    buf_init(&text, 1 << 16);
    for (size_t i = 0; i < item->sight_count; i++) {
        const struct report_sight *sight = &item->sights[i];
        differ = differ || sight->f->state != item->f->state || sight->f->n_failed != item->f->n_failed;
        buf_addf(&text, "%s%s: %s, ", i ? "; " : "", sight->side->label, finding_state_name(sight->f->state));
        report_rate(&text, sight->f);
    }
    if (differ)
        add_term(out, "by target", buf_string(&text));
    buf_release(&text);
}

static void add_finding(struct buf *out, const struct report_options *o, const struct report_item *item)
{
    const struct finding *f = item->f;
    const char *expected, *observed;
    struct arena a;
    struct buf text;
    buf_init(&text, SIZE_MAX / 4);
    arena_init(&a);
    report_expected(f, &a, &expected, &observed);
    buf_addf(out, "<details id=\"f%s\">", f->signature);
    add_summary_line(out, item);
    buf_add_string(out, "<dl>\n");
    add_term(out, "expected", expected);
    add_term(out, "observed", observed);
    add_term(out, "detail", f->detail);
    add_term(out, "target", f->target);
    add_term(out, "answered", f->identity);
    add_states(out, item);
    add_seen(out, f);
    buf_add_string(out, "</dl>\n");
    if (*f->evidence) {
        buf_add_string(out, "<pre>");
        report_xml(out, f->evidence, true);
        buf_add_string(out, "</pre>\n");
    }
    report_task(&text, o, f);
    if (text.len) {
        buf_addf(out, "<p class=\"soft\">Shortest task, %" PRId64 " %s:</p>\n<pre>", f->task_steps, f->task_steps == 1 ? "step" : "steps");
        report_xml(out, buf_string(&text), true);
        buf_add_string(out, "</pre>\n");
    }
    buf_clear(&text);
    report_replay(&text, item);
    buf_add_string(out, "<pre>");
    report_xml(out, buf_string(&text), false);
    buf_add_string(out, "</pre></details>\n");
    arena_release(&a);
    buf_release(&text);
}

static void add_report(struct buf *out, const struct report_options *o, struct report_view *v)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    buf_addf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>taskgen report</title>\n<style>\n%s</style></head>\n"
                  "<body>\n<h1>taskgen report</h1>\n",
             report_html_style);
    report_summary(&text, v, 0);
    for (struct bytes rest = buf_bytes(&text); rest.len;) {
        ptrdiff_t newline = bytes_find(rest, BYTES_LITERAL("\n"), 0);
        size_t end = newline < 0 ? rest.len : (size_t)newline;
        char *line = arena_string(&v->arena, bytes_slice(rest, 0, end));
        buf_add_string(out, "<p>");
        report_xml(out, line, false);
        buf_add_string(out, "</p>\n");
        rest = bytes_slice(rest, end + (newline >= 0), rest.len);
    }
    buf_release(&text);
    if (!o->signature)
        report_html_sides(out, o, v);
    add_layers(out, v);
    if (v->count)
        buf_addf(out, "<h2 id=\"findings\">Findings</h2>\n");
    for (size_t i = 0; i < v->count; i++)
        add_finding(out, o, &v->items[i]);
    buf_add_string(out, "</body></html>\n");
}

static int write_html(const struct report_options *o, struct buf *out, struct error **err)
{
    return report_write(o, out, add_report, err);
}

const struct report_format report_html = {
    .name = "html",
    .doc = "for a browser: one page, targets side by side, each finding with evidence and task",
    .write = write_html,
};
