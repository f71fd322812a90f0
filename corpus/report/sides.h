/* Targets side by side: of each database each target, what it was put to and how that ended. A code sandbox and a browser fail at
 * different things; one table shows both. */
#ifndef CORPUS_REPORT_SIDES_H
#define CORPUS_REPORT_SIDES_H

#include "corpus/report/report.h"

/* What became of sessions that is put down to one op. */
struct report_cause {
    enum execution_ending ending;
    const char *op;              /* "" when to none */
    int64_t count;
};

/* Executions of something on one target. */
struct report_tally {
    int64_t ran, passed, failed; /* ran is the sum of the other two */
    int64_t skipped, spoiled;    /* for a need; by a fault of this machine */
    int64_t timed_out;           /* of those that ran: a step was not answered in its time, and nothing worse */
    int64_t known;               /* of those that ran: how they ended was written down */
    int64_t perished;            /* of the known ones: the session did not outlive it */
    int64_t crashed;             /* of the known ones: a page crashed, and the browser lived on */
    int64_t ns;                  /* of those that ran, together */
    const char *why;             /* the first that failed did, in words; "" when none is known */
    struct report_cause *causes; /* timed out, crashed, perished; the most frequent first */
    size_t cause_count;
};

struct report_side {
    char label[8];               /* "A" */
    const struct report_source *from;
    const struct store_side *of;
    const char *kind;            /* "code sandbox", "browser", "code sandbox and browser", "tools"; "" when nothing ran */
    struct report_tally all;
};

/* A domain, a workflow, or a mutator; "" for tasks without one. */
struct report_load {
    const char *domain, *name;   /* domain "": a mutator; name "": all of the domain */
    uint64_t hash;
    struct report_tally *by_side;
};
struct report_loads {
    struct report_load *items;   /* by domain, then name */
    size_t count;
};

/* Findings of a primitive on one target. */
struct report_failures {
    size_t confirmed, flaky, untried; /* findings; those suppressed, unconfirmed or fixed are not counted */
    int64_t times;               /* executions that showed one of them, once for each that they showed */
};
struct report_primitive {
    const char *name;
    struct report_failures *by_side;
};

struct report_sides {
    struct report_side *items;   /* in the order of the databases, then as their runs began */
    size_t count;
    struct report_loads domains, workflows, mutators;
    struct report_primitive *primitives; /* with a finding, in their order */
    size_t primitive_count;
};

/* All but the primitives, which depend on the findings. */
int report_sides_load(const struct report_options *o, struct arena *a, struct report_sides *s, struct error **err);
/* The target of a database; NULL: it has none like that. */
const struct report_side *report_side_of(const struct report_sides *s, const struct report_source *from, const char *target);

bool report_perished(enum execution_ending ending);
/* Those under which tasks failed, or sessions and pages were lost, on any target; the worst first; in `a`. */
enum report_what { REPORT_FAILED, REPORT_HURT };
const struct report_load **report_worst(const struct report_sides *s, const struct report_loads *loads, enum report_what what, struct arena *a,
                                        size_t *count);
bool report_any_hurt(const struct report_sides *s);
void report_passed(struct buf *out, const struct report_tally *t); /* "253 of 257 tasks passed (98.4%), 230 ms a task" */
/* "3 of 412": perished of known. "-" when none is known. */
void report_perished_of(struct buf *out, const struct report_tally *t);
void report_percent(struct buf *out, int64_t part, int64_t whole); /* "0.73%"; "-" of nothing */
/* "2 died at run, 1 silent after write": the first `most` causes that are no mere timeout; "" when there is none. */
void report_causes(struct buf *out, const struct report_tally *t, size_t most);
void report_times(struct buf *out, int64_t times); /* "once", "3 times" */
/* "2 +1 flaky", "1 flaky, 1 untried", "-" */
void report_failures(struct buf *out, const struct report_failures *f);
/* "1 run, 2026-03-01T12:00:00Z to …; 3 sessions could not be had; 2 of the runs …" */
void report_side_words(struct buf *out, const struct report_side *side);
/* What a "PERISHED" table is to be read with: how many executions it speaks of, and which it cannot speak of. */
void report_perished_words(struct buf *out, const struct report_sides *s);

struct report_view;
void report_sides_text(struct buf *out, const struct report_options *o, const struct report_view *v);
void report_sides_markdown(struct buf *out, const struct report_options *o, const struct report_view *v);

#endif
