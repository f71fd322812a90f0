/* Reports of databases: what a person sees, and what programs read. One file and one table row a format. Several databases, and the several
 * targets of one, are laid side by side. */
#ifndef CORPUS_REPORT_REPORT_H
#define CORPUS_REPORT_REPORT_H

#include "corpus/store.h"
#include "corpus/suppress.h"

/* A database that is reported of. */
struct report_source {
    struct store *store;
    const char *name;                    /* as the user gave it, for the replay line */
    const struct suppressions *suppress; /* NULL: none but the marks in the database */
};

struct report_options {
    const struct report_source *sources; /* at least one */
    size_t source_count;
    const struct ops *ops;
    bool all;                 /* unconfirmed and suppressed ones too */
    bool workflows;           /* text and Markdown: a line for each workflow, not only for each domain */
    const char *signature;    /* prefix: only these; NULL */
    unsigned width;           /* of the terminal, for text; 0: 100 */
};

struct report_format {
    const char *name;         /* "text", "json" */
    const char *doc;
    int (*write)(const struct report_options *o, struct buf *out, struct error **err);
};

const struct report_format *report_find(const char *name);
const struct report_format *report_at(size_t index); /* NULL past the end */

/* For other pages that a person reads. Appends the text with control characters, invalid UTF-8 and changes of direction as \xHH and
 * \u{HEX}; newlines too, unless they are kept. */
void report_safe(struct buf *out, struct bytes text, bool keep_newlines);
void report_time(struct buf *out, int64_t wall_ms); /* "2026-03-01T12:00:00Z"; "" when it is none */
void report_rate(struct buf *out, const struct finding *f); /* "4 of 5", or "not tried again" */

#endif
