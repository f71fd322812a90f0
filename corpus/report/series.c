/* The time series of a database as CSV: how much it held about every ten seconds of each run. */
#include <inttypes.h>

#include "corpus/report/report_internal.h"

/* The name of the database, as CSV, where there are several. */
static void add_name(struct buf *out, const char *name)
{
    buf_add_string(out, ",\"");
    for (const char *c = name; *c; c++)
        buf_addf(out, *c == '"' ? "%c\"" : "%c", (unsigned char)*c < ' ' ? '?' : *c);
    buf_add_byte(out, '"');
}

static int add_series(const struct report_source *from, bool named, struct arena *a, struct buf *out, struct error **err)
{
    struct store_stat *rows = NULL;
    size_t count = 0;

    TRY(store_stats(from->store, a, &rows, &count, err));
    for (size_t i = 0; i < count; i++) {
        buf_addf(out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, rows[i].at_ms, rows[i].run, rows[i].executions,
                 rows[i].features, rows[i].corpus, rows[i].findings);
        if (named)
            add_name(out, from->name);
        buf_add_byte(out, '\n');
    }
    return 0;
}

static int write_series(const struct report_options *o, struct buf *out, struct error **err)
{
    struct arena a;
    int status = 0;
    bool named = o->source_count > 1;

    arena_init(&a);
    buf_addf(out, "time_ms,run,executions,features,corpus,findings%s\n", named ? ",database" : "");
    for (size_t i = 0; i < o->source_count && !status; i++)
        status = add_series(&o->sources[i], named, &a, out, err);
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
