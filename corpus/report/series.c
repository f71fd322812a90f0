/* The time series of a database as CSV: how much it held about every ten seconds of each run. */
#include <inttypes.h>

#include "corpus/report/report_internal.h"

static int write_series(struct store *s, const struct report_options *o, struct buf *out, struct error **err)
{
    struct arena a;
    struct store_stat *rows = NULL;
    size_t count = 0;

    arena_init(&a);
    int status = store_stats(s, &a, &rows, &count, err);
    buf_add_string(out, "time_ms,run,executions,features,corpus,findings\n");
    for (size_t i = 0; i < count; i++)
        buf_addf(out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", rows[i].at_ms, rows[i].run, rows[i].executions,
                 rows[i].features, rows[i].corpus, rows[i].findings);
    arena_release(&a);
    if (!status && out->overflow)
        status = error_set(err, ERR_LIMIT, "the report is longer than %zu bytes", out->max);
    return status;
}

const struct report_format report_series = {
    .name = "series",
    .doc = "CSV: what the database held over time, all runs",
    .write = write_series,
};
