/* The data of the automatic mapping: which words a tool's name has for each op, which words its parameters
 * have for each argument. No server is named here. To teach the mapping a synonym, add it to a pattern in
 * map_table.c. */
#ifndef EXEC_TARGET_MAP_TABLE_H
#define EXEC_TARGET_MAP_TABLE_H

#include "exec/target/map_words.h"

/* What a parameter can stand for. */
enum role {
    ROLE_PATH, ROLE_FROM, ROLE_TO, ROLE_CONTENT, ROLE_OLD, ROLE_NEW, ROLE_EDITS, ROLE_PATTERN, ROLE_QUERY,
    ROLE_HEAD, ROLE_TAIL, ROLE_OFFSET, ROLE_LENGTH, ROLE_COMMAND, ROLE_SCRIPT, ROLE_LANGUAGE, ROLE_ARGUMENTS,
    ROLE_CWD, ROLE_ENV, ROLE_STDIN, ROLE_TIMEOUT, ROLE_PID, ROLE_SIGNAL, ROLE_MODE, ROLE_RECURSIVE, ROLE_URL,
    ROLE_METHOD, ROLE_BODY, ROLE_ENCODING, ROLE_NOTE, ROLE_TAB, ROLE_SELECTOR, ROLE_REFERENCE, ROLE_ENTRY,
    ROLE_PATHS, ROLE_PAGE_SCRIPT, ROLE_WIDTH, ROLE_HEIGHT, ROLE_ACCEPT, ROLE_ANSWER, ROLE_COUNT
};

struct role_row {
    unsigned types;                      /* set of enum schema_type it can have */
    bool takes_values;                   /* may be limited to an enum */
    const char *says;                    /* only when its name or description speaks of this; NULL: in any case */
    const char *never;                   /* not when its name has one of these words; NULL */
    const char *usual;                   /* its name where a server gives no schema; NULL: no telling */
    const struct word_pattern *patterns;
    size_t count;
};
const struct role_row *role_row(enum role role);
/* How well a parameter's name fits, 0..1. */
double role_quality(enum role role, const struct words *name);

struct op_place {
    const char *arg;   /* argument of the op */
    enum role role;
    bool required;     /* no mapping without a parameter for it */
};

/* A parameter that is set the same in every call. */
struct op_fixed {
    const char *words; /* pattern of its name */
    const char *value; /* JSON text; or, for a parameter with an enum, alternatives of which the first found
                          is taken */
    bool choice;       /* the latter */
    bool wanted;       /* rows with such entries need one of them to be there */
};

enum op_way { WAY_PLAIN, WAY_RUN /* see map_run.c */, WAY_START, WAY_PAGE /* browser ops: a tool may have to be told the tab */ };

struct op_row {
    const char *op;
    bool binary;               /* only in a way that keeps every byte */
    bool changes;              /* a tool that says it only reads is not it */
    enum op_way way;
    const char *strange;       /* words that say it is about something else */
    const struct word_pattern *names;
    size_t name_count;
    const struct op_place *places;
    size_t place_count;
    const struct op_fixed *fixed;
    size_t fixed_count;
};
const struct op_row *op_rows(size_t *count); /* an op may have several; the best mapping of all is taken */

/* Rows of browser ops and their helpers (map_ops_page.c), which only a server has whose tools load pages. */
const struct op_row *op_page_rows(size_t *count);

extern const char *const map_neutral_words; /* of tools' names: they say nothing */

/* Languages of run: the name in ops.xml, words for it, and the command that runs a script given as its
 * last argument (NULL: there is none). */
struct language_row {
    const char *name, *words, *program, *flag;
};
const struct language_row *language_rows(size_t *count);

#endif
