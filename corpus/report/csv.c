/* Findings as CSV (RFC 4180), for spreadsheets. Text that a spreadsheet would take for a formula gets an
 * apostrophe in front: it may come from a hostile target. */
#include <inttypes.h>
#include <string.h>

#include "corpus/report/report_internal.h"

static const char header[] =
    "signature,state,n_failed,n_run,layer,primitive,check,op,detail,title,evidence,target,"
    "identity,times_seen,first_seen,last_seen,client_illegal,suppressed,task_steps,database,seen_on\r\n";

static void add_field(struct buf *out, const char *text)
{
    struct buf safe;
    struct bytes field;

    buf_init(&safe, SIZE_MAX / 4);
    if (text && *text && strchr("=+-@", *text))
        buf_add_byte(&safe, '\'');
    report_safe(&safe, bytes_of_string(text), true);
    field = buf_bytes(&safe);
    buf_add_byte(out, '"');
    for (size_t i = 0; i < field.len; i++) {
        if (field.data[i] == '"')
            buf_add_byte(out, '"');
        buf_add_byte(out, field.data[i]);
    }
    buf_add_string(out, "\",");
    buf_release(&safe);
}

/* "A=12 B=3": targets by their letters in the other formats, and executions that showed it. */
static void add_sights(struct buf *out, const struct report_item *item)
{
    for (size_t i = 0; i < item->sight_count; i++)
        buf_addf(out, "%s%s=%" PRId64, i ? " " : "", item->sights[i].side->label, item->sights[i].times);
}

static void add_row(struct buf *out, const struct report_item *item)
{
    const struct finding *f = item->f;

    buf_addf(out, "%s,%s,%d,%d,", f->signature, finding_state_name(f->state), f->n_failed, f->n_run);
    add_field(out, f->layer);
    add_field(out, f->primitive);
    add_field(out, f->check);
    add_field(out, f->op);
    add_field(out, f->detail);
    add_field(out, f->title);
    add_field(out, f->evidence);
    add_field(out, f->target);
    add_field(out, f->identity);
    buf_addf(out, "%" PRId64 ",", f->times_seen);
    report_time(out, f->first_ms);
    buf_add_byte(out, ',');
    report_time(out, f->last_ms);
    buf_addf(out, ",%s,%s,%" PRId64 ",", f->client_illegal ? "true" : "false", f->suppressed ? "true" : "false", f->task_steps);
    add_field(out, item->from->name);
    add_sights(out, item);
    buf_add_string(out, "\r\n");
}

static void add_report(struct buf *out, const struct report_options *o, struct report_view *v)
{
    buf_add_string(out, header);
    for (size_t i = 0; i < v->count; i++)
        add_row(out, &v->items[i]);
}

static int write_csv(const struct report_options *o, struct buf *out, struct error **err)
{
    return report_write(o, out, add_report, err);
}

const struct report_format report_csv = {
    .name = "csv",
    .doc = "for spreadsheets: a line a finding",
    .write = write_csv,
};
