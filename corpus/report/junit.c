/* Findings as JUnit XML, for what shows test results in CI: a test case each, grouped by layer and primitive. What is fixed passes, what is
 * suppressed, unconfirmed, not tried again or but a note is skipped, with words; all else fails, as it does for fuzz and run. */
#include <string.h>

#include "corpus/report/report_internal.h"

static void add_attribute(struct buf *out, const char *name, const char *value)
{
    buf_addf(out, " %s=\"", name);
    report_xml(out, value, false);
    buf_add_byte(out, '"');
}

/* Why it is skipped; NULL: it is not. */
static const char *skipped(const struct finding *f)
{
    if (f->suppressed)
        return "suppressed";
    if (f->state == FINDING_UNCONFIRMED)
        return "did not show again in fresh sessions";
    if (f->state == FINDING_NEW)
        return "was not tried again yet";
    return report_is_note(f) && f->state != FINDING_FIXED ? "a note: recommended, or a matter of policy" : NULL;
}

static void add_words(struct buf *out, const struct report_options *o, const struct report_item *item)
{
    const struct finding *f = item->f;
    struct buf text;

    buf_init(&text, SIZE_MAX / 4);
    buf_addf(&text, "%s\n\nstate: %s, ", f->evidence, finding_state_name(f->state));
    report_rate(&text, f);
    buf_addf(&text, "%s\ntarget: %s\nanswered: %s\n\n", f->client_illegal ? ", after a message no client may send" : "", f->target, f->identity);
    report_task(&text, o, f);
    buf_add_string(&text, "\nreplay: ");
    report_replay(&text, item);
    buf_add_byte(&text, '\n');
    report_xml(out, buf_string(&text), true);
    buf_release(&text);
}

static void add_finding(struct buf *out, const struct report_options *o, const struct report_item *item)
{
    const struct finding *f = item->f;
    const char *why = skipped(f);
    struct buf name;

    buf_init(&name, 1 << 16);
    buf_addf(&name, "%s.%s", f->layer, f->primitive);
    buf_add_string(out, "    <testcase");
    add_attribute(out, "classname", buf_string(&name));
    buf_clear(&name);
    buf_addf(&name, "%s/%s: %s [%.8s]", f->check, f->op, f->detail, f->signature); /* the same, whatever else is found */
    add_attribute(out, "name", buf_string(&name));
    buf_release(&name);
    if (why) {
        buf_add_string(out, ">\n      <skipped");
        add_attribute(out, "message", why);
        buf_add_string(out, "/>\n    </testcase>\n");
    } else if (f->state == FINDING_FIXED) {
        buf_add_string(out, "/>\n");
    } else {
        buf_add_string(out, ">\n      <failure");
        add_attribute(out, "type", finding_state_name(f->state));
        add_attribute(out, "message", f->title);
        buf_add_byte(out, '>');
        add_words(out, o, item);
        buf_add_string(out, "</failure>\n    </testcase>\n");
    }
}

static void add_report(struct buf *out, const struct report_options *o, struct report_view *v)
{
    size_t failures = 0, skips = 0, tests = v->count ? v->count : 1;

    for (size_t i = 0; i < v->count; i++) {
        skips += skipped(v->items[i].f) != NULL;
        failures += !skipped(v->items[i].f) && v->items[i].f->state != FINDING_FIXED;
    }
    buf_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", tests, failures);
    buf_addf(out, "  <testsuite name=\"taskgen\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", tests, failures, skips);
    for (size_t i = 0; i < v->count; i++)
        add_finding(out, o, &v->items[i]);
    if (!v->count) /* some take a suite without a case for a job that broke */
        buf_add_string(out, "    <testcase classname=\"taskgen\" name=\"no findings\"/>\n");
    buf_add_string(out, "  </testsuite>\n</testsuites>\n");
}

static int write_junit(const struct report_options *o, struct buf *out, struct error **err)
{
    return report_write(o, out, add_report, err);
}

const struct report_format report_junit = {
    .name = "junit",
    .doc = "for CI: JUnit XML, a test case a finding",
    .write = write_junit,
};
