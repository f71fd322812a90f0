/* For the tests of the value level: loading a grammar and deriving from it in one line. */
#ifndef TESTS_UNIT_GRAMMAR_CASE_H
#define TESTS_UNIT_GRAMMAR_CASE_H

#include <math.h>
#include <stdio.h>

#include "base/fs.h"
#include "grammar/grammar.h"
#include "unit.h"

enum { TEST_FIRST_SITE = 1000, TEST_OUT_MOST = 1 << 26 };

static const struct grammar_limits roomy = {.max_bytes = 4096, .max_depth = 32};

/* Compiled; must succeed. */
static inline struct grammar *load_bytes(struct bytes text)
{
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    int status = grammar_add_text(g, text, "test.tg", 1, &err);
    if (status == 0)
        status = grammar_compile(g, TEST_FIRST_SITE, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "no message");
    return g;
}

static inline struct grammar *load(const char *text)
{
    return load_bytes(bytes_of_string(text));
}

/* The message that reading or compiling this gives; must fail with ERR_INPUT. To be freed. */
static inline char *load_failure(struct bytes text)
{
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    int status = grammar_add_text(g, text, "test.tg", 1, &err);
    if (status == 0)
        status = grammar_compile(g, TEST_FIRST_SITE, &err);
    ck_assert_msg(status == ERR_INPUT, "accepted: %.*s", BYTES_ARG(text));
    ck_assert_ptr_nonnull(err);
    ck_assert_int_eq(err->code, ERR_INPUT);
    char *message = xstrdup(err->text);
    error_free(err);
    grammar_free(g);
    return message;
}

static inline int rule_of(const struct grammar *g, const char *name)
{
    int rule = grammar_rule(g, bytes_of_string(name));
    ck_assert_msg(rule >= 0, "no rule '%s'", name);
    return rule;
}

/* One derivation in full. Release it. */
struct derived {
    struct buf out;
    struct derivation log;
    int status;
    struct error *err;
    bool diverged;
};

static inline void derived_release(struct derived *d)
{
    buf_release(&d->out);
    derivation_release(&d->log);
    error_free(d->err);
}

static inline struct derived derive_call(const struct grammar *g, const char *rule, const struct bytes *args,
                                         size_t arg_count, uint64_t index, const struct derivation *replay,
                                         struct grammar_limits limits)
{
    struct derived d = {0};
    struct rng rng;
    struct chooser chooser;
    buf_init(&d.out, TEST_OUT_MOST);
    derivation_init(&d.log);
    rng_seed(&rng, 20260101, index);
    chooser_init(&chooser, &rng, replay, &d.log);
    d.status = grammar_derive(g, rule_of(g, rule), args, arg_count, &chooser, &limits, &d.out, &d.err);
    d.diverged = chooser.diverged;
    return d;
}

static inline struct derived derive_one(const struct grammar *g, const char *rule, uint64_t index,
                                        struct grammar_limits limits)
{
    struct derived d = derive_call(g, rule, NULL, 0, index, NULL, limits);
    ck_assert_msg(d.status == 0, "%s", d.err ? d.err->text : "no message");
    return d;
}

/* Subtrees nest, and every entry ends behind itself. */
static inline void assert_nested(const struct derivation *log)
{
    struct derivation again;
    struct buf text;
    derivation_init(&again);
    buf_init(&text, SIZE_MAX / 4);
    derivation_encode(log, &text);
    struct error *err = NULL;
    ck_assert_msg(derivation_decode(&again, buf_bytes(&text), &err) == 0, "%s", err ? err->text : "");
    ck_assert_uint_eq(again.count, log->count);
    buf_release(&text);
    derivation_release(&again);
}

/* Whether counts fit the expected shares: the chi-square statistic is below what chance passes once in a thousand
 * (Wilson and Hilferty's approximation of the quantile). */
static inline bool fits(const uint64_t *counts, const double *shares, size_t n)
{
    double total = 0, weight = 0, statistic = 0;
    for (size_t i = 0; i < n; i++) {
        total += (double)counts[i];
        weight += shares[i];
    }
    for (size_t i = 0; i < n; i++) {
        double expected = total * shares[i] / weight;
        statistic += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    }
    double freedom = (double)n - 1, part = 2 / (9 * freedom);
    double root = 1 - part + 3.0902 * sqrt(part);
    return statistic < freedom * root * root * root;
}

/* A file of tests/data/grammar, whole. */
static inline struct buf data_file(const char *name)
{
    char path[512];
    struct buf text;
    snprintf(path, sizeof path, "%s/tests/data/grammar/%s", TASKGEN_SOURCE_DIR, name);
    buf_init(&text, 1 << 20);
    struct error *err = NULL;
    ck_assert_msg(fs_read(path, 1 << 20, &text, &err) == 0, "%s", err ? err->text : "");
    return text;
}

/* The next line of text from *at on, without its end; false behind the last. Empty lines and lines that begin with
 * "##" are skipped. */
static inline bool next_line(struct bytes text, size_t *at, struct bytes *line)
{
    while (*at < text.len) {
        ptrdiff_t end = bytes_find(text, BYTES_LITERAL("\n"), *at);
        size_t stop = end < 0 ? text.len : (size_t)end;
        *line = bytes_slice(text, *at, stop);
        *at = stop + 1;
        if (line->len && !bytes_starts(*line, BYTES_LITERAL("##")))
            return true;
    }
    return false;
}

#endif
