/* Checks, the objective of the loop beside its observers and its feedback (feedback.h): what of an execution is a finding. Each
 * decides one thing. One file and one row of check_table each; a check's name is the slug of its
 * fault class (docs/classes.md), "mcp-NN" for a protocol duty without a class, "target-died", or "user-NAME".
 *
 * The layer follows from one rule (layer_of): the effect, as a witness sees it, is wrong -> sandbox; the effect is right,
 * or there is none to have, and the reply is wrong, late or missing -> interface; no witness -> undecided. */
#ifndef EXEC_ORACLE_CHECK_H
#define EXEC_ORACLE_CHECK_H

#include "exec/oracle/observation.h"

enum layer { LAYER_INTERFACE, LAYER_SANDBOX, LAYER_UNDECIDED };
const char *layer_name(enum layer l);

enum effect { EFFECT_UNSEEN, EFFECT_RIGHT, EFFECT_WRONG, EFFECT_NONE /* there is none to have */ };
enum layer layer_of(enum effect effect);

/* The closed list of primitives, in the order of reports. */
const char *const *primitive_names(size_t *count);

struct verdict {
    const char *check, *primitive, *op;
    enum layer layer;
    const char *detail;      /* short and normalised: no paths, ids, sizes, times; part of the signature */
    const char *raw;         /* detail as the check said it, before the execution's rules; set by oracle_judge */
    const char *title;       /* one sentence */
    const char *evidence;    /* plain words with the numbers of this run */
    size_t observation;      /* index it speaks of, or count of observations for the whole task */
    bool client_illegal;
};

struct verdicts {
    struct arena *arena;
    struct verdict items[64]; /* more are counted, not kept */
    size_t count, dropped;
};

/* Adds one; texts are copied. Equal signatures within one execution are added once. */
void verdict_add(struct verdicts *v, const struct verdict *verdict);

/* Takes from details what differs from run to run, by the rules (NULL: none), and says once what is the same then. */
void verdicts_normalise(struct verdicts *v, const struct normaliser *rules);

struct check {
    const char *slug;
    const char *class_id;    /* "C06", or "" */
    const char *primitive;
    const char *doc;         /* one line: what must hold */
    void (*judge)(const struct execution *e, struct verdicts *out);
};
const struct check *check_at(size_t index); /* NULL past the end */
const struct check *check_find(const char *slug); /* of the table, or of a duty (duty.h) */

/* Runs all checks. A harness execution yields none. */
void oracle_judge(const struct execution *e, struct verdicts *out);
/* Did the task do what it should? Expectations hold and no step failed that should not have. `why`: first reason. */
bool oracle_passed(const struct execution *e, const char **why, struct arena *a);

/* Is a finding with this detail but a note: a recommendation of the protocol, or a fact that depends on an unstated policy? */
bool detail_is_note(const char *detail);

/* "layer/primitive/check/op: detail", and its key. */
void verdict_signature(const struct verdict *v, struct buf *text, char key[17]);

/* How got differs from sent: one of the round-trip classes, with where and in which words. */
enum difference {
    DIFFERENCE_NONE, DIFFERENCE_CUT_AT_NUL, DIFFERENCE_NUL_LOST, DIFFERENCE_REPLACEMENT, DIFFERENCE_BASE64_OF,
    DIFFERENCE_BASE64_DECODED, DIFFERENCE_DOUBLE_UTF8, DIFFERENCE_NEWLINES, DIFFERENCE_BOM, DIFFERENCE_CUT,
    DIFFERENCE_FINAL_NEWLINE, DIFFERENCE_EMPTY, DIFFERENCE_GROWN, DIFFERENCE_OTHER
};
enum difference difference_of(struct bytes sent, struct bytes got);
const char *difference_name(enum difference d);  /* "cut-at-nul", "replacement-character", … */
const char *difference_words(enum difference d); /* "cut at the first NUL", … */

#endif
