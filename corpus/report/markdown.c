/* Findings as Markdown (CommonMark with tables), to be pasted into an issue. What targets sent stands in code
 * blocks or has its special characters escaped, so it is shown, not rendered. */
#include <string.h>

#include "corpus/report/report_internal.h"

/* A code block whose fence is longer than any run of backticks in it. */
static void add_block(struct buf *out, struct bytes text)
{
    size_t run = 0, longest = 2;

    for (size_t i = 0; i < text.len; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        buf_add_byte(out, '`');
    buf_add_string(out, "text\n");
    buf_add(out, text);
    if (text.len && text.data[text.len - 1] != '\n')
        buf_add_byte(out, '\n');
    for (size_t i = 0; i <= longest; i++)
        buf_add_byte(out, '`');
    buf_add_byte(out, '\n');
}

static void add_table(struct buf *out, const struct report_view *v)
{
    if (!v->row_count)
        return;
    buf_add_string(out, "\n| primitive | interface | flaky | sandbox | flaky | undecided | flaky |\n"
                        "|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < v->row_count; i++) {
        buf_add_string(out, "| ");
        report_markdown_text(out, v->rows[i].primitive);
        for (int layer = 0; layer < REPORT_LAYERS; layer++)
            buf_addf(out, " | %zu | %zu", v->rows[i].confirmed[layer], v->rows[i].flaky[layer]);
        buf_add_string(out, " |\n");
    }
}

static void add_item(struct buf *out, const char *label, const char *text)
{
    if (!text || !*text)
        return;
    buf_addf(out, "- %s: ", label);
    report_markdown_text(out, text);
    buf_add_byte(out, '\n');
}

static void add_finding(struct buf *out, const struct report_options *o, const struct report_view *v,
                        const struct report_item *item)
{
    const struct finding *f = item->f;
    const char *expected, *observed;
    struct arena a;
    struct buf text;

    buf_init(&text, SIZE_MAX / 4);
    buf_add_string(out, "\n## ");
    report_markdown_text(out, f->title);
    buf_addf(out, "\n\n- signature: `%s` ", f->signature);
    report_markdown_text(out, f->text);
    buf_addf(out, "\n- state: %s, ", finding_state_name(f->state));
    report_rate(out, f);
    buf_addf(out, "%s%s\n", f->client_illegal ? ", after a message no client may send" : "",
             f->suppressed ? ", suppressed" : "");
    arena_init(&a);
    report_expected(f, &a, &expected, &observed);
    add_item(out, "expected", expected);
    add_item(out, "observed", observed);
    arena_release(&a);
    add_item(out, "target", f->target);
    add_item(out, "answered", f->identity);
    report_time(&text, f->first_ms);
    buf_add_string(&text, f->times_seen > 1 ? " to " : "");
    if (f->times_seen > 1)
        report_time(&text, f->last_ms);
    add_item(out, "seen", buf_string(&text));
    if (v->sides.count > 1 && !o->signature) {
        buf_clear(&text);
        for (size_t i = 0; i < item->sight_count; i++) {
            buf_addf(&text, "%s%s ", i ? ", " : "", item->sights[i].side->label);
            report_times(&text, item->sights[i].times);
        }
        add_item(out, "on", buf_string(&text));
    }
    if (*f->evidence) {
        buf_clear(&text);
        report_safe(&text, bytes_of_string(f->evidence), true);
        buf_add_byte(out, '\n');
        add_block(out, buf_bytes(&text));
    }
    buf_clear(&text);
    report_task(&text, o, f);
    if (text.len) {
        buf_add_string(out, "\nShortest task:\n\n");
        add_block(out, buf_bytes(&text));
    }
    buf_clear(&text);
    report_replay(&text, item);
    buf_add_string(out, "\nReplay:\n\n");
    add_block(out, buf_bytes(&text));
    buf_release(&text);
}

static void add_report(struct buf *out, const struct report_options *o, struct report_view *v)
{
    buf_add_string(out, "# taskgen report\n\n");
    report_summary(out, v, 0);
    report_sides_markdown(out, o, v);
    add_table(out, v);
    for (size_t i = 0; i < v->count; i++)
        add_finding(out, o, v, &v->items[i]);
}

static int write_markdown(const struct report_options *o, struct buf *out,
                          struct error **err)
{
    return report_write(o, out, add_report, err);
}

const struct report_format report_markdown = {
    .name = "markdown",
    .doc = "for an issue tracker: sections with code blocks",
    .write = write_markdown,
};
