/* What the files of this folder share: each finds the features of one domain in an execution. */
#ifndef EXEC_ORACLE_FEATURES_FEATURES_H
#define EXEC_ORACLE_FEATURES_FEATURES_H

#include "base/arena.h"
#include "base/hash.h"
#include "exec/oracle/feedback.h"

struct features {
    const struct feedback *domain; /* whose features are being found */
    const struct feedback_context *context;
    struct arena scratch;
    const uint64_t *ops;           /* feedback_op of each observation; 0: not sent, or trouble of ours: it says nothing */
    uint64_t *out;
    size_t count, max;
    size_t left;                   /* so many more may be of the domain */
    uint32_t *slots;               /* open addressing: index into out, plus one */
    size_t mask;
    /* Asked for words (features_tell): */
    const uint64_t *sought;
    size_t sought_count, telling;
    const char **words;
    struct arena *words_arena;
};

/* Adds one to the domain at work, of the low 56 bits of the hash. True: somebody asks for its words, and feature_say is to be called next;
 * so words cost nothing where nobody asks. */
bool feature_add(struct features *f, uint64_t hash);
void feature_say(struct features *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline uint64_t feature_text(const char *text)
{
    return hash64(bytes_of_string(text));
}
/* (op, outcome class), the most common part of a tuple. */
static inline uint64_t feature_op_class(const struct features *f, const struct execution *e, size_t index)
{
    return hash64_mix(f->ops[index], (uint64_t)e->observations[index].outcome.class);
}
/* 0 for 0, else one more than its binary logarithm. */
static inline uint64_t feature_power(uint64_t value)
{
    return value ? 64 - (uint64_t)__builtin_clzll(value) : 0;
}
/* "read", "call echo": for words. */
const char *feature_op_words(struct features *f, const struct observation *o);

void feature_find_outcome(struct features *f, const struct execution *e);
void feature_find_code(struct features *f, const struct execution *e);
void feature_find_shape_in(struct features *f, const struct execution *e);
void feature_find_flow(struct features *f, const struct execution *e);
void feature_find_sequence(struct features *f, const struct execution *e);
void feature_find_shape_out(struct features *f, const struct execution *e);
void feature_find_size(struct features *f, const struct execution *e);
void feature_find_differential(struct features *f, const struct execution *e);
void feature_find_message(struct features *f, const struct execution *e);
void feature_find_log(struct features *f, const struct execution *e);
void feature_find_fault(struct features *f, const struct execution *e);
void feature_find_leftover(struct features *f, const struct execution *e);
void feature_find_tripwire(struct features *f, const struct execution *e);
void feature_find_resources(struct features *f, const struct execution *e);
void feature_find_fs_delta(struct features *f, const struct execution *e);
void feature_find_trace(struct features *f, const struct execution *e);
void feature_find_time(struct features *f, const struct execution *e);
void feature_find_syscalls(struct features *f, const struct execution *e);
void feature_find_code_coverage(struct features *f, const struct execution *e);

#endif
