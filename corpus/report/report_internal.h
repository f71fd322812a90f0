/* Shared by the report formats: which findings are shown, and words made harmless.
 *
 * Titles, details and evidence quote what targets sent. Whatever is printed for a person goes through
 * report_safe, so that no escape sequence, no control character and no change of writing direction reaches a
 * terminal. */
#ifndef CORPUS_REPORT_REPORT_INTERNAL_H
#define CORPUS_REPORT_REPORT_INTERNAL_H

#include "corpus/report/report.h"
#include "corpus/report/sides.h"

enum report_layer { REPORT_INTERFACE, REPORT_SANDBOX, REPORT_UNDECIDED, REPORT_LAYERS };

/* One row of the table by primitive. */
struct report_row {
    const char *primitive;
    size_t confirmed[REPORT_LAYERS]; /* confirmed and regressed */
    size_t flaky[REPORT_LAYERS];
};

/* A finding on one target. */
struct report_sight {
    const struct report_side *side;
    const struct finding *f;      /* as that target's database has it */
    int64_t times;                /* executions on it that showed it */
};

/* A finding, once, in whichever databases it is. */
struct report_item {
    struct finding *f;            /* of the database where it is in its worst state; times and dates are of all */
    const struct report_source *from; /* that database */
    int digits;                   /* of its signature tell it from the others: 8, seldom more */
    struct report_sight *sights;  /* in the order of the targets */
    size_t sight_count;
};

struct report_view {
    struct arena arena;           /* all below lives here */
    struct report_item *items;    /* what no client may send last, worst state first, most often seen */
    size_t count;
    size_t hidden;                          /* left out: unconfirmed or suppressed */
    size_t by_state[FINDING_REGRESSED + 1]; /* of the items */
    size_t client_illegal;                  /* of the items */
    struct report_row *rows; /* primitives with a confirmed or flaky item, in the order of their list */
    size_t row_count;
    struct store_totals totals; /* of all databases */
    struct store_count *skips; /* why executions were skipped, most first */
    size_t skip_count;
    struct report_sides sides;
};

/* Loads what the options ask for and hands it to `add`, which appends the report to out. Unconfirmed and
 * suppressed findings are left out unless `all` or a signature asks for them. ERR_LIMIT when out is too
 * small. */
int report_write(const struct report_options *o, struct buf *out,
                 void (*add)(struct buf *out, const struct report_options *o, struct report_view *v),
                 struct error **err);

/* Where a primitive stands in the order of reports; all that are not on their list: behind it. */
size_t report_primitive_rank(const char *primitive);

/* Appends safe text with each line behind `indent` spaces, broken at blanks so that no line has more than
 * `width` characters; ends with a newline. */
void report_wrapped(struct buf *out, const char *text, unsigned indent, unsigned width);
/* The same behind a label, whose width the other lines are indented by. */
void report_hanging(struct buf *out, const char *label, const char *text, unsigned width);
/* The counts of the whole, a few lines, none of them longer than `width`; 0: each sentence on a line. */
void report_summary(struct buf *out, const struct report_view *v, unsigned width);
/* "taskgen replay --db F SIGNATURE", as a shell takes it. */
void report_replay(struct buf *out, const struct report_item *item);
/* The shortest task for reading; its JSON when it cannot be read (an op that is no more). */
void report_task(struct buf *out, const struct report_options *o, const struct finding *f);
/* Safe text for XML and HTML, in an element or between double quotes. */
void report_xml(struct buf *out, const char *text, bool keep_newlines);
/* Safe text for Markdown: what has a meaning there is escaped. */
void report_markdown_text(struct buf *out, const char *text);
/* A finding as an object of the public JSON format. */
struct json *report_finding_json(struct arena *a, const struct report_item *item);
struct json *report_time_json(struct arena *a, int64_t wall_ms);

/* A recommendation, or what depends on a policy: no more than a note. */
bool report_is_note(const struct finding *f);

extern const struct report_format report_text, report_json, report_csv, report_markdown, report_script, report_junit, report_sarif,
    report_series, report_html, report_summary_json;
extern const char report_script_python[];
extern const char report_script_sh_program[], report_script_sh_end[];
/* The shell script of a finding whose record has programs, behind its head; only ASCII. */
void report_script_sh(struct buf *out, const struct json *record, struct arena *a);
/* What should have been and what was, as kept with the finding, or "" where it was not kept; in `a`. */
void report_expected(const struct finding *f, struct arena *a, const char **expected, const char **observed);

#endif
