/* Any bytes as a grammar in the compact notation, or as a JSON one when the first byte says so; what is
 * accepted is compiled and derived from.
 *
 * Held true: a grammar is refused with a message, or it compiles, or that is refused with a message; a
 * derivation never passes its budget; its log nests, and replaying it gives the same bytes; a damaged log
 * still gives a text within the budget. */
#include <stdlib.h>
#include <string.h>

#include "grammar/grammar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RULES_MOST = 6, MAX_BYTES = 100 };

static const struct grammar_limits limits = {.max_bytes = MAX_BYTES, .max_depth = 12};

static void require(int holds)
{
    if (!holds)
        abort();
}

struct result {
    struct buf out;
    struct derivation log;
    int status;
};

static struct result derive(const struct grammar *g, int rule, uint64_t seed, const struct derivation *replay)
{
    struct result r;
    struct rng rng;
    struct chooser chooser;
    struct error *err = NULL;
    struct bytes args[16];
    size_t arity = grammar_rule_arity(g, rule);
    for (size_t i = 0; i < arity; i++)
        args[i] = BYTES_LITERAL("7");
    buf_init(&r.out, 1 << 16);
    derivation_init(&r.log);
    rng_seed(&rng, seed, 0);
    chooser_init(&chooser, &rng, replay, &r.log);
    r.status = grammar_derive(g, rule, args, arity, &chooser, &limits, &r.out, &err);
    require((r.status < 0) == (err != NULL));
    require(r.out.len <= MAX_BYTES && !r.out.overflow);
    error_free(err);
    return r;
}

static void release(struct result *r)
{
    buf_release(&r->out);
    derivation_release(&r->log);
}

static void check_log(const struct derivation *log)
{
    struct derivation back;
    struct buf text;
    derivation_init(&back);
    buf_init(&text, SIZE_MAX / 4);
    derivation_encode(log, &text);
    require(derivation_decode(&back, buf_bytes(&text), NULL) == 0);
    require(back.count == log->count);
    require(log->count == 0 || memcmp(back.items, log->items, log->count * sizeof *log->items) == 0);
    buf_release(&text);
    derivation_release(&back);
}

static void check_rule(const struct grammar *g, int rule)
{
    struct result first = derive(g, rule, 1, NULL);
    struct result again = derive(g, rule, 2, &first.log);
    require(first.status == again.status && bytes_equal(buf_bytes(&first.out), buf_bytes(&again.out)));
    check_log(&first.log);
    for (size_t i = 0; i < first.log.count; i += 3)
        first.log.items[i].value ^= i * 0x9E3779B97F4A7C15u + 1;
    struct result damaged = derive(g, rule, 3, &first.log);
    check_log(&damaged.log);
    release(&first);
    release(&again);
    release(&damaged);
}

/* It says something exactly when texts have no finite mean. */
static void check_growth(const struct grammar *g)
{
    struct buf why;
    buf_init(&why, 1 << 16);
    double factor = grammar_growth(g, NULL, 0, &why);
    require(factor >= 0 && !why.overflow && (factor < 1 - 1e-6 ? why.len == 0 : factor < 1 || why.len > 0));
    buf_release(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes text = bytes_of(data, size);
    bool json = size && data[0] == '{';
    if (!json && bytes_find(text, BYTES_LITERAL("import"), 0) >= 0)
        return 0; /* what happens to lie on this machine is no input */
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    int status = json ? grammar_add_json(g, text, "fuzz.json", &err)
                      : grammar_add_text(g, text, "fuzz.tg", 1, &err);
    if (status == 0)
        status = grammar_compile(g, 7, &err);
    require((status < 0) == (err != NULL));
    require(!err || strlen(err->text) > 0);
    if (status == 0)
        check_growth(g);
    for (size_t rule = 0; status == 0 && rule < grammar_rule_count(g) && rule < RULES_MOST; rule++)
        check_rule(g, (int)rule);
    error_free(err);
    grammar_free(g);
    return 0;
}
