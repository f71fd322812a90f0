/* Deriving within budgets: bytes hold exactly, depth is bounded, and every derivation ends. */
#include "grammar_languages.h"

START_TEST(budgets_hold)
{
    const struct language *l = &languages[_i];
    struct grammar *g = load_file(l->file);
    size_t at_the_limit = 0;
    uint64_t rounds = rounds_of(l, 10000);
    for (uint64_t i = 0; i < rounds; i++) {
        struct grammar_limits limits = {.max_bytes = l->least + (i % 5 == 0 ? 0 : i % 97),
                                        .max_depth = i % 3 ? 5 + i % 40 : 0};
        struct derived d = derive_one(g, "start", i, limits);
        assert_in(l, &d, limits.max_bytes);
        at_the_limit += d.out.len == limits.max_bytes;
        derived_release(&d);
    }
    /* The limit is used, not only kept: a closing that is too timid would leave room. */
    ck_assert_uint_ge(at_the_limit, rounds / 100);
    grammar_free(g);
}
END_TEST

START_TEST(one_byte_below_the_least)
{
    const struct language *l = &languages[_i];
    struct grammar *g = load_file(l->file);
    for (size_t below = 1; below <= l->least; below++) {
        struct derived d = derive_call(
            g, "start", NULL, 0, 1, NULL,
            (struct grammar_limits){.max_bytes = l->least - below, .max_depth = 10});
        ck_assert_int_eq(d.status, ERR_LIMIT);
        ck_assert_ptr_nonnull(strstr(d.err->text, "rule 'start' of "));
        ck_assert_uint_eq(d.out.len, 0);
        ck_assert_uint_eq(d.log.count, 0);
        derived_release(&d);
    }
    grammar_free(g);
}
END_TEST

START_TEST(shortest_when_asked)
{
    const struct language *l = &languages[_i];
    struct grammar *g = load_file(l->file);
    for (uint64_t i = 0; i < 20; i++) {
        struct grammar_limits limits = {.max_bytes = 20000, .max_depth = 40, .shortest = true};
        struct derived d = derive_one(g, "start", i, limits);
        assert_in(l, &d, l->least);
        derived_release(&d);
    }
    ck_assert_uint_eq(grammar_rule_least(g, grammar_rule(g, BYTES_LITERAL("start"))), l->least);
    grammar_free(g);
}
END_TEST

START_TEST(large_budgets)
{
    const struct language *l = &languages[_i];
    struct grammar *g = load_file(l->file);
    for (uint64_t i = 0; i < 10; i++) {
        struct grammar_limits limits = {.max_bytes = 20000, .max_depth = i % 2 ? 200 : 20};
        struct derived d = derive_one(g, "start", i, limits);
        assert_in(l, &d, limits.max_bytes);
        assert_nested(&d.log);
        derived_release(&d);
    }
    grammar_free(g);
}
END_TEST

/* Small grammars with what their shortest text takes: exactly that fits, one less does not. */
static const struct {
    const char *text;
    size_t least;
} smallest[] = {
    {"start = \"abc\" | \"abcd\";", 3},
    {"start = a a; a = \"x\" a \"y\" | b; b = \"123\" | \"12\" a;", 6},
    {"start = \"x\"{3..9 sep \", \"};", 7},
    {"start = \"x\"{0..9 sep \", \"};", 0},
    {"start = (\"xx\" | \"yyy\"){2..4} \"z\"*;", 4},
    {"start = int(-500..-20);", 3},
    {"start = int(5..2000) int(-3..1000);", 2},
    {"start = int(1000..2000);", 4},
    {"start = /[à-ÿ]{2}/;", 4},
    {"start = u32be() u8(3) bits(:16);", 7},
    {"start = esc.json(/[a-z]{5,}/);", 5},
    {"start = esc.json('\"' /[a-z]{5,}/);", 7},
    {"start = esc.sh(/[a-z]{5,}/) esc.py(/[a-z ]*/);", 9},
    {"start = esc.url(/[a-z]{2}/) esc.xml(/[a-z]{2}/);", 4},
    {"start = esc.url(/[é-ü]{2}/);", 12},
    {"start = hex(/[ab]{3,}/) b64(/[ab]{1,}/);", 10},
    {"start = len(/[ab]{3,}/) \"-\" len(/[ab]{10,}/);", 4},
    {"start = sha256(\"abc\" | \"abcdef\"{100});", 64},
    {"start = gzip(/[a-z]{7}/);", 30},
    {"start = hex(/[a-z]{3}/) | /[a-z]{5}/;", 5},
    {"start = u32be(len(/x{1000,}/));", 4},
    {"start = esc.json(b64(/[a-z]{4}/));", 8},
    {"start = upper(/[a-z]{4}/) lower(/[a-z]+/);", 5},
    {"start = p(\"xyz\" | \"x\"); p(q) = q \"-\" q;", 3},
    {"start = p(/[a-z]{4,}/, /[0-9]{2,}/); p(q, r) = q r q sha256(r);", 74},
    {"start = \"a\" start | start \"b\" | \"\";", 0},
};

START_TEST(least_of_small_grammars)
{
    struct grammar *g = load(smallest[_i].text);
    for (uint64_t i = 0; i < 50; i++) {
        struct grammar_limits limits = {.max_bytes = smallest[_i].least, .max_depth = 20};
        struct derived d = derive_call(g, "start", NULL, 0, i, NULL, limits);
        ck_assert_msg(d.status == 0, "%s: %s", smallest[_i].text, d.err ? d.err->text : "");
        ck_assert_uint_eq(d.out.len, smallest[_i].least);
        derived_release(&d);
        limits.max_bytes--;
        d = derive_call(g, "start", NULL, 0, i, NULL, limits);
        if (smallest[_i].least) /* else -1 is a great deal */
            ck_assert_int_eq(d.status, ERR_LIMIT);
        derived_release(&d);
    }
    grammar_free(g);
}
END_TEST

/* With 64 bytes of room, encoders of anything: never above, often full. */
static const char *const growing[] = {
    "start = esc.json(x); x = /[\"\\\\a\\n]/ x @30 | \"\";",
    "start = esc.sh(esc.sh(x)); x = /['a]/ x | \"\";",
    "start = esc.py(/[\\x00-\\xff]*/{0..9});",
    "start = esc.url(esc.xml(/[<&a]*/{0..9}));",
    "start = hex(x) b64(x) x; x = /[ab]*/{0..30};",
    "start = p(/[a']*/{0..9}, x); p(q, r) = r | esc.sh(q) r esc.py(r) p(q r, q) | len(q r); x = \"x\" x?;",
    "start = p(\"x\"); p(q) = p(q q) | q q | p(\"y\") q;",
    "start = gzip(/a*/{0..9}) | \"\" | u16be(len(start)) start;",
    "start = x{0..100 sep len(x)}; x = \"\" | \"ab\" | int(-1000000..1000000);",
    "start = esc.json(esc.json(esc.json(start))) | \"\\\"\" | \"xyz\";",
    "start = /[\\x{1}-\\x{10ffff}]{0,40}/;",
    "start = x{1..100 sep \", and then \"}; x = \"a\" | \"bcd\";",
    "start = esc.url(/[a-zé-ü]{0,40}/) esc.py(/[é-ü]{0,9}/);",
    "start = esc.xml(/[\\x80-\\xff<&']{0,40}/) u8() bits(:8);",
};

START_TEST(growing_texts_stay_within)
{
    struct grammar *g = load(growing[_i]);
    size_t large = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        struct derived d = derive_one(g, "start", i,
                                      (struct grammar_limits){.max_bytes = 64, .max_depth = 30});
        ck_assert_uint_le(d.out.len, 64);
        large += d.out.len > 32;
        derived_release(&d);
    }
    ck_assert_uint_ge(large, 10);
    grammar_free(g);
}
END_TEST

START_TEST(the_buffer_is_a_budget_too)
{
    struct grammar *g = load_file("json.tg");
    for (uint64_t i = 0; i < 200; i++) {
        struct buf small;
        struct derivation log;
        struct rng rng;
        struct chooser c;
        struct error *err = NULL;
        buf_init(&small, 50);
        derivation_init(&log);
        rng_seed(&rng, 1, i);
        chooser_init(&c, &rng, NULL, &log);
        buf_add_string(&small, "kept");
        ck_assert_int_eq(grammar_derive(g, rule_of(g, "start"), NULL, 0, &c, &roomy, &small, &err), 0);
        ck_assert(!small.overflow);
        ck_assert(bytes_starts(buf_bytes(&small), BYTES_LITERAL("kept")));
        ck_assert(is_json(bytes_slice(buf_bytes(&small), 4, small.len)));
        small.overflow = true;
        ck_assert_int_eq(grammar_derive(g, 0, NULL, 0, &c, &roomy, &small, &err), ERR_LIMIT);
        error_free(err);
        buf_release(&small);
        derivation_release(&log);
    }
    grammar_free(g);
}
END_TEST

/* Depth. ------------------------------------------------------------------------------------------------- */

START_TEST(depth_is_bounded)
{
    struct grammar *g = load("a = \"(\" a \")\" @99 | \"x\"; b = \"\" | \"[\" b \"]\" b @50;");
    for (size_t depth = 0; depth < 60; depth += 7) {
        size_t deepest = 0;
        for (uint64_t i = 0; i < 200; i++) {
            struct derived d = derive_one(g, "a", i,
                                          (struct grammar_limits){.max_bytes = 100000, .max_depth = depth});
            ck_assert_uint_le(d.out.len / 2, depth);
            deepest = d.out.len / 2 > deepest ? d.out.len / 2 : deepest;
            derived_release(&d);
            d = derive_one(g, "b", i, (struct grammar_limits){.max_bytes = 2000, .max_depth = depth});
            ck_assert_uint_le(d.out.len, 2000);
            derived_release(&d);
        }
        ck_assert_uint_eq(deepest, depth);
    }
    grammar_free(g);
}
END_TEST

/* Recursion on either side, in the middle and through arguments, a hundred thousand deep: the C stack does
 * not grow. */
START_TEST(deep_recursion)
{
    static const char *const texts[] = {
        "a = a \"x\" @1e6 | \"x\";",
        "a = \"x\" a @1e6 | \"x\";",
        "a = \"(\" a \")\" @1e6 | \"x\";",
        "a = b; b = c; c = (\"x\" a) @1e6 | \"x\";",
        "a = len(a) \"x\" @1e6 | \"x\";",
        "a = p(a) @1e6 | \"x\"; p(q) = \"x\" q;",
        "a = p(\"x\"); p(q) = \"x\" p(q) @1e6 | q;",
    };
    struct grammar *g = load(texts[_i]);
    struct derived d = derive_one(g, "a", 0,
                                  (struct grammar_limits){.max_bytes = 1 << 20, .max_depth = 100000});
    ck_assert_uint_ge(d.log.count, 4000);
    assert_nested(&d.log);
    derived_release(&d);
    grammar_free(g);
}
END_TEST

/* Arguments that double with each call and are never written: given up by what they cost, not by running out
 * of memory. */
START_TEST(hidden_growth_ends)
{
    struct grammar *g = load(
        "a = p(\"0123456789\"); p(q) = p(q q) @1e6 | \"\"; b = sha256(c); c = c c @1e6 | \"abc\";");
    struct derived d = derive_one(g, "a", 0, (struct grammar_limits){.max_bytes = 100, .max_depth = 100000});
    ck_assert_uint_eq(d.out.len, 0);
    derived_release(&d);
    d = derive_one(g, "b", 0, (struct grammar_limits){.max_bytes = 64, .max_depth = 100000});
    ck_assert_uint_eq(d.out.len, 64);
    derived_release(&d);
    grammar_free(g);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_loop_test(t, budgets_hold, 0, LANGUAGES);
    tcase_add_loop_test(t, one_byte_below_the_least, 0, LANGUAGES);
    tcase_add_loop_test(t, shortest_when_asked, 0, LANGUAGES);
    tcase_add_loop_test(t, large_budgets, 0, LANGUAGES);
    tcase_add_loop_test(t, least_of_small_grammars, 0, sizeof smallest / sizeof *smallest);
    tcase_add_loop_test(t, growing_texts_stay_within, 0, sizeof growing / sizeof *growing);
    tcase_add_test(t, the_buffer_is_a_budget_too);
    tcase_add_test(t, depth_is_bounded);
    tcase_add_loop_test(t, deep_recursion, 0, 7);
    tcase_add_test(t, hidden_growth_ends);
}

int main(void)
{
    return unit_main("derive_budget", fill);
}
