/* Figures for files: "key : value" lines, and a row of CSV. See figures.h. */
#include "base/clock.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/figures.h"
#include "cli/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static void add_key(struct buf *out, const char *key)
{
    buf_addf(out, "%-18s : ", key);
}

static void add_text(struct buf *out, const char *key, const char *value)
{
    add_key(out, key);
    watch_harmless(out, value ? value : "");
    buf_add_byte(out, '\n');
}

static void add_integer(struct buf *out, const char *key, int64_t value)
{
    add_key(out, key);
    buf_addf(out, "%" PRId64 "\n", value);
}

/* Whole numbers as such, others with three digits behind the point. */
static void add_value(struct buf *out, const struct figures *f, const struct figure_row *row)
{
    if (row->real)
        buf_addf(out, "%.3f", figure_value(f, row));
    else
        buf_addf(out, "%.0f", figure_value(f, row));
}

static void add_findings(struct buf *out, const struct figures *f)
{
    size_t primitives;
    const char *const *names = primitive_names(&primitives);
    for (size_t layer = 0; layer < FIGURES_LAYERS; layer++)
        for (size_t primitive = 0; primitive < primitives; primitive++)
            for (size_t state = 0; state < FIGURES_STATES; state++)
                if (f->by[layer][primitive][state])
                    buf_addf(out, "finding.%s.%s.%s : %" PRId64 "\n", layer_name((enum layer)layer), names[primitive],
                             finding_state_name((enum finding_state)state), f->by[layer][primitive][state]);
}

static void add_yields(struct buf *out, const struct figures *f)
{
    for (int kind = 0; kind < FIGURES_KINDS; kind++)
        for (size_t i = 0; i < f->yields[kind].count; i++) {
            const struct figures_yield *y = &f->yields[kind].items[i];
            buf_addf(out, "%s.", figures_kind_name((enum figures_kind)kind));
            watch_harmless(out, y->name);
            buf_addf(out, " : %" PRId64 " tried, %" PRId64 " won, %.3f s\n", y->tried, y->won, (double)y->ns / 1e9);
        }
}

void figures_stats(const struct figures *f, struct buf *out)
{
    const struct figure_row *row;
    add_integer(out, "start_time", f->start_ms / 1000);
    add_integer(out, "last_update", clock_wall_ms() / 1000);
    add_integer(out, "pid", getpid());
    add_integer(out, "run", f->run);
    add_text(out, "version", cli_version());
    add_text(out, "verb", f->verb);
    add_text(out, "command", f->command);
    add_text(out, "database", f->db);
    add_text(out, "target", f->target);
    add_text(out, "identity", f->identity);
    add_text(out, "metrics", f->metrics);
    add_text(out, "state", f->ended ? loop_end_name(f->end) : "running");
    for (size_t i = 0; (row = figure_row_at(i)); i++) {
        add_key(out, row->name);
        add_value(out, f, row);
        buf_add_byte(out, '\n');
    }
    add_text(out, "last_finding", f->last_title);
    add_findings(out, f);
    add_yields(out, f);
}

void figures_series_header(struct buf *out)
{
    const struct figure_row *row;
    buf_add_string(out, "time_ms,run");
    for (size_t i = 0; (row = figure_row_at(i)); i++)
        buf_addf(out, ",%s", row->name);
    buf_add_byte(out, '\n');
}

void figures_series_row(const struct figures *f, struct buf *out)
{
    const struct figure_row *row;
    buf_addf(out, "%" PRId64 ",%" PRId64, clock_wall_ms(), f->run);
    for (size_t i = 0; (row = figure_row_at(i)); i++) {
        buf_add_byte(out, ',');
        add_value(out, f, row);
    }
    buf_add_byte(out, '\n');
}
