/* Figures in the text format 0.0.4 of Prometheus; see figures.h. Each family has its HELP and TYPE once, in front of its samples; times
 * are in seconds and counters end in _total, as is the custom there. */
#include "cli/cli.h"
#include "cli/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* In a label's value a backslash, a quote and a line end are escaped; what is no UTF-8 would make the whole answer unreadable. */
static void add_label(struct buf *out, const char *name, const char *value)
{
    buf_addf(out, "%s=\"", name);
    for (; *value; value++) {
        unsigned char byte = (unsigned char)*value;
        if (byte == '"' || byte == '\\')
            buf_addf(out, "\\%c", byte);
        else if (byte < 0x20 || byte >= 0x7f)
            buf_addf(out, "\\\\x%02x", byte);
        else
            buf_add_byte(out, byte);
    }
    buf_add_byte(out, '"');
}

static void add_family(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_addf(out, "# HELP taskgen_%s %s\n# TYPE taskgen_%s %s\n", name, help, name, type);
}

/* "elapsed_ms" is "elapsed_seconds" there, the counter "calls" is "calls_total". */
static double metric_of(const struct figures *f, const struct figure_row *row, char *name, size_t size)
{
    size_t length = strlen(row->name);
    bool time = length > 3 && strcmp(row->name + length - 3, "_ms") == 0;
    snprintf(name, size, "%.*s%s%s", (int)(time ? length - 3 : length), row->name, time ? "_seconds" : "",
             row->kind == FIGURE_COUNTER ? "_total" : "");
    return figure_value(f, row) / (time ? 1000 : 1);
}

static void add_rows(struct buf *out, const struct figures *f)
{
    const struct figure_row *row;
    for (size_t i = 0; (row = figure_row_at(i)); i++) {
        char name[64];
        double value = metric_of(f, row, name, sizeof name);
        if (row->kind == FIGURE_DERIVED || value < 0) /* -1: there is none yet */
            continue;
        add_family(out, name, row->kind == FIGURE_COUNTER ? "counter" : "gauge", row->help);
        buf_addf(out, "taskgen_%s %.15g\n", name, value);
    }
}

static void add_findings(struct buf *out, const struct figures *f)
{
    size_t primitives;
    const char *const *names = primitive_names(&primitives);
    add_family(out, "findings", "gauge", "findings of this run that are not suppressed");
    for (size_t layer = 0; layer < FIGURES_LAYERS; layer++)
        for (size_t primitive = 0; primitive < primitives; primitive++)
            for (size_t state = 0; state < FIGURES_STATES; state++)
                if (f->by[layer][primitive][state])
                    buf_addf(out, "taskgen_findings{layer=\"%s\",primitive=\"%s\",state=\"%s\"} %" PRId64 "\n",
                             layer_name((enum layer)layer), names[primitive], finding_state_name((enum finding_state)state),
                             f->by[layer][primitive][state]);
}

struct yield_family {
    const char *suffix, *help;
    size_t offset;
    double per;
};

static void add_yields(struct buf *out, const struct figures *f, enum figures_kind kind)
{
    static const struct yield_family families[] = {
        {"tried_total", "executions of tasks", offsetof(struct figures_yield, tried), 1},
        {"won_total", "executions of tasks that showed something new", offsetof(struct figures_yield, won), 1},
        {"seconds_total", "time that executions of tasks took", offsetof(struct figures_yield, ns), 1e9},
    };
    const char *label = figures_kind_name(kind);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        char name[64], help[96];
        snprintf(name, sizeof name, "%s_%s", label, families[i].suffix);
        snprintf(help, sizeof help, "%s, by %s", families[i].help, label);
        add_family(out, name, "counter", help);
        for (size_t k = 0; k < f->yields[kind].count; k++) {
            const struct figures_yield *y = &f->yields[kind].items[k];
            buf_addf(out, "taskgen_%s{", name);
            add_label(out, label, y->name);
            buf_addf(out, "} %.15g\n", (double)*(const int64_t *)((const char *)y + families[i].offset) / families[i].per);
        }
    }
}

void figures_metrics(const struct figures *f, struct buf *out)
{
    add_family(out, "info", "gauge", "what runs, and what answers; always 1");
    buf_add_string(out, "taskgen_info{");
    add_label(out, "version", cli_version());
    buf_add_byte(out, ',');
    add_label(out, "verb", f->verb);
    buf_add_byte(out, ',');
    add_label(out, "target", f->target);
    buf_add_byte(out, ',');
    add_label(out, "identity", f->identity);
    buf_add_string(out, "} 1\n");
    add_family(out, "start_time_seconds", "gauge", "when the run began, since 1970");
    buf_addf(out, "taskgen_start_time_seconds %.3f\n", (double)f->start_ms / 1000);
    add_rows(out, f);
    add_findings(out, f);
    for (int kind = 0; kind < FIGURES_KINDS; kind++)
        add_yields(out, f, (enum figures_kind)kind);
}
