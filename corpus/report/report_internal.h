/* Shared by the report formats: which findings are shown, and words made harmless.
 *
 * Titles, details and evidence quote what targets sent. Whatever is printed for a person goes through
 * report_safe, so that no escape sequence, no control character and no change of writing direction reaches a
 * terminal. */
#ifndef CORPUS_REPORT_REPORT_INTERNAL_H
#define CORPUS_REPORT_REPORT_INTERNAL_H

#include "corpus/report/report.h"

enum report_layer { REPORT_INTERFACE, REPORT_SANDBOX, REPORT_UNDECIDED, REPORT_LAYERS };

/* One row of the table by primitive. */
struct report_row {
    const char *primitive;
    size_t confirmed[REPORT_LAYERS]; /* confirmed and regressed */
    size_t flaky[REPORT_LAYERS];
};

struct report_view {
    struct arena arena;           /* all below lives here */
    const struct finding **items; /* in the store's order: what no client may send last, worst state first, most often seen */
    size_t count;
    size_t hidden;                          /* left out: unconfirmed or suppressed */
    size_t by_state[FINDING_REGRESSED + 1]; /* of the items */
    size_t client_illegal;                  /* of the items */
    struct report_row *rows; /* primitives with a confirmed or flaky item, in the order of their list */
    size_t row_count;
    struct store_totals totals;
    struct store_count *skips; /* why executions were skipped, most first */
    size_t skip_count;
};

/* Loads what the options ask for and hands it to `add`, which appends the report to out. Unconfirmed and
 * suppressed findings are left out unless `all` or a signature asks for them. ERR_LIMIT when out is too
 * small. */
int report_write(struct store *s, const struct report_options *o, struct buf *out,
                 void (*add)(struct buf *out, const struct report_options *o, struct report_view *v),
                 struct error **err);

/* Appends safe text with each line behind `indent` spaces, broken at blanks so that no line has more than
 * `width` characters; ends with a newline. */
void report_wrapped(struct buf *out, const char *text, unsigned indent, unsigned width);
/* How many hex digits of the signature tell this item from the others: 8, seldom more. */
int report_prefix(const struct report_view *v, const struct finding *f);
/* The counts of the whole database, a few lines. */
void report_summary(struct buf *out, const struct report_view *v);
/* "taskgen replay --db F SIGNATURE", as a shell takes it. */
void report_replay(struct buf *out, const struct report_options *o, const struct report_view *v,
                   const struct finding *f);
/* The shortest task for reading; its JSON when it cannot be read (an op that is no more). */
void report_task(struct buf *out, const struct report_options *o, const struct finding *f);

/* A recommendation, or what depends on a policy: no more than a note. */
bool report_is_note(const struct finding *f);

extern const struct report_format report_text, report_json, report_csv, report_markdown, report_script, report_junit, report_sarif,
    report_series;
extern const char report_script_python[];
extern const char report_script_sh_program[], report_script_sh_end[];
/* The shell script of a finding whose record has programs, behind its head; only ASCII. */
void report_script_sh(struct buf *out, const struct json *record, struct arena *a);
/* What should have been and what was, as kept with the finding, or "" where it was not kept; in `a`. */
void report_expected(const struct finding *f, struct arena *a, const char **expected, const char **observed);

#endif
