/* What there is to know of a running campaign, taken together at one moment. The live view, the events of --json, --stats, --series
 * and --metrics all show this one record, and the same table of rows names its numbers for all of them (docs/events.md). */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include "cli/fail_on.h"
#include "exec/loop.h"
#include "exec/oracle/check.h"

enum { FIGURES_STATES = FINDING_REGRESSED + 1, FIGURES_LAYERS = LAYER_UNDECIDED + 1, FIGURES_PRIMITIVES = 32 };

/* What was got for what was spent on one source of tasks, one domain or one mutator. */
struct figures_yield {
    char name[64];
    int64_t tried, won; /* executions, and those of them that showed something new */
    int64_t ns;         /* they took */
};
struct figures_yields {
    struct figures_yield *items; /* most won for its time first */
    size_t count;
};
enum figures_kind { FIGURES_SOURCE, FIGURES_DOMAIN, FIGURES_MUTATOR, FIGURES_KINDS };
const char *figures_kind_name(enum figures_kind kind); /* "source", "domain", "mutator" */

enum { FIGURES_GONE_MS = 2000 /* from then on it is said that the target cannot be started */ };

struct figures {
    int64_t elapsed_ms, executions, executed, passed, failed, skipped, harness, given, generated, mutated, spliced, calls;
    int64_t features, corpus, again, findings, confirmed, flaky, regressed, unconfirmed, sandbox, interface, undecided;
    int64_t notes, client_illegal, suppressed;
    int64_t last_feature_ms, last_finding_ms; /* -1: not yet */
    int64_t gone_ms; /* since no session of the target can be had; 0: it can */
    int64_t workers, memory, database;
    double rate, rate_mean, call_rate, call_rate_mean, stability;
    /* Of the findings that are not suppressed; undecided ones stand in the layer of that name. */
    int64_t by[FIGURES_LAYERS][FIGURES_PRIMITIVES][FIGURES_STATES];
    struct figures_yields yields[FIGURES_KINDS]; /* of this run */
    struct figures_yields before[FIGURES_KINDS]; /* what the database held when it began */
    char last_title[256]; /* of the newest finding; "" */
    /* Borrowed, for as long as the campaign runs. */
    const char *verb, *command, *db, *target, *identity;
    const char *metrics; /* where they are served; NULL: nowhere */
    int64_t run, start_ms; /* id in the database; wall clock */
    enum loop_end end;
    bool ended;
};

enum figure_kind {
    FIGURE_COUNTER,
    FIGURE_GAUGE,
    FIGURE_DERIVED /* a gauge that follows from labelled ones, and is no metric of its own */
};
struct figure_row {
    const char *name; /* ends in _ms for times, _bytes for sizes */
    enum figure_kind kind;
    bool real;        /* a double, else an int64_t */
    size_t offset;    /* in struct figures */
    const char *help;
};
const struct figure_row *figure_row_at(size_t index); /* NULL past the end */
double figure_value(const struct figures *f, const struct figure_row *row);

/* Takes the loop's numbers; derived rates are made of them. */
void figures_progress(struct figures *f, const struct loop_progress *p);
/* Findings are counted anew: first clear, then each. */
void figures_findings_clear(struct figures *f);
void figures_finding(struct figures *f, const struct fail_case *c);
/* What the store, open for writing, counts for the run; the first time what it counted before it. A store that fails leaves things as they are. */
void figures_yields_begin(struct figures *f, struct store *store);
void figures_yields_take(struct figures *f, struct store *store);
/* Sizes of this process and of the database's files. */
void figures_sizes(struct figures *f);
void figures_release(struct figures *f);

/* Won for a second of what was spent; where the time is not known, of nothing. */
double figures_per_second(const struct figures_yield *y);

/* As text. All end with a newline. Texts that may quote a target have no control characters. */
void figures_stats(const struct figures *f, struct buf *out);         /* "key : value" lines */
void figures_series_header(struct buf *out);                          /* of CSV */
void figures_series_row(const struct figures *f, struct buf *out);
void figures_metrics(const struct figures *f, struct buf *out);       /* Prometheus, text format 0.0.4 */
/* As members of an event; `all`: every domain and mutator, else the best few. */
enum { FIGURES_BEST = 5 };
void figures_event(const struct figures *f, bool all, struct arena *a, struct json *event);

#endif
