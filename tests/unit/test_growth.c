/* grammar_growth: the factor by which open rules grow, against what is computed by hand and against what
 * derivations measure; and what is said of those that do not end by themselves. */
#include "grammar_case.h"

static double growth_of(const char *text, char *why, size_t size)
{
    struct grammar *g = load(text);
    struct buf line;
    buf_init(&line, 8192);
    double factor = grammar_growth(g, NULL, 0, &line);
    snprintf(why, size, "%s", buf_string(&line));
    ck_assert_msg(!strchr(why, '\n') && !line.overflow, "%s", why);
    ck_assert((factor >= 1 - 1e-9) == (line.len > 0));
    buf_release(&line);
    grammar_free(g);
    return factor;
}

static const struct {
    const char *text;
    double factor;
} table[] = {
    {"a = \"x\";", 0},
    {"a = b b b; b = /[a-z]+/;", 0},
    {"a = a \"x\" | \"\";", 0.5},
    {"a = a a | \"\";", 1},
    {"a = a a @1 | \"\" @3;", 0.5},
    {"a = a a @3 | \"\";", 1.5},
    {"a = (\"x\" a){1..3} @1 | \"\" @9;", 0.2},
    {"a = (\"x\" a)* @1 | \"\" @3;", 0.75}, /* 3 beyond the least */
    {"a = (\"x\" a)+ @1 | \"\" @3;", 1},    /* 4 */
    {"a = a? a?;", 1},
    {"a = b @1 | \"\" @1; b = a a a;", 1.2247448713915890}, /* a grows by 3/2 in two steps */
    {"a = b @1 | \"\" @1; b = c c; c = a;", 1},
    {"a = \"(\" a \")\" a @1 | \"\" @2;", 0.66666666666666667},
    {"a = \"x\" | b; b = \"y\" | b b @2;", 1.33333333333333333},
    {"a = \"x\" | b @0; b = \"y\" | a a a;", 0},  /* weight 0: never */
    {"a = \"x\" | f(a) @0.25; f(p) = p p;", 0.2}, /* an argument is derived once */
    {"a = \"x\" | f(a); f(p) = p a;", 1},
    {"a = \"x\" | b{2 sep a}; b = \"y\";", 0.5}, /* one separator between two */
    {"a = \"x\" | b{0..2 sep a}; b = \"y\";", 0.166666666666666667},
    {"a = \"x\" @1 | (b{1..100} \"z\") @9; b = \"y\" @999 | a @1;", 0.14269723},
    {"a = len(a) | \"1\";", 0.5},
    {"a = (a | \"x\") (a | \"y\") | \"\";", 0.5},
};

/* {1..100} draws one of 8 ranges: 0, 1, 2..3, 4..7 … 64..99 beyond the one: 1 +
 * (0+1+2.5+5.5+11.5+23.5+47.5+81.5)/8 = 22.625; times 0.9 and 0.001 is 0.0203625, a mention of a in two
 * steps; the factor of one is its square root. */
START_TEST(factors)
{
    char why[8192];
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double factor = growth_of(table[i].text, why, sizeof why), expected = table[i].factor;
        ck_assert_msg(fabs(factor - expected) < 1e-6, "%s: %.9f, expected %.9f", table[i].text, factor,
                      expected);
    }
}
END_TEST

START_TEST(what_is_said)
{
    char why[8192];
    growth_of("start = expr;\nexpr = term \"+\" expr\n | term;\nterm = \"(\" expr \")\" @3\n | \"x\";", why,
              sizeof why);
    ck_assert_msg(
        strstr(why,
               "test.tg:2: rule 'expr' leads back to itself (expr > term > expr) and grows by the factor ") ==
            why,
        "%s", why);
    ck_assert_msg(
        strstr(
            why,
            "expected a factor below 1: lower the weight of alternative 1 at test.tg:2, which is 1, or raise "
            "those beside it"),
        "%s", why);
    growth_of("a = \"x\" | b; b = \"y\" | b b @2;", why, sizeof why);
    ck_assert_msg(strstr(why, "rule 'b' leads back to itself (b > b) and grows by the factor 1.33 each time"),
                  "%s", why);
    growth_of("a = (\"x\" a?){4};", why, sizeof why);
    ck_assert_msg(strstr(why, "factor 2 each time"), "%s", why);
}
END_TEST

/* Only what the roots lead to counts. */
START_TEST(roots)
{
    struct grammar *g = load("a = b; b = \"x\"; c = c c @9 | \"y\";");
    const int b = grammar_rule(g, BYTES_LITERAL("a")), c = grammar_rule(g, BYTES_LITERAL("c"));
    ck_assert(grammar_growth(g, &b, 1, NULL) <= 0);
    ck_assert(grammar_growth(g, &c, 1, NULL) > 1.7);
    ck_assert(grammar_growth(g, &b, 0, NULL) <= 0);
    ck_assert(grammar_growth(g, NULL, 0, NULL) > 1.7);
    grammar_free(g);
}
END_TEST

/* A long chain of rules, a component of two thousand, and one that swings between two halves. */
START_TEST(large_components)
{
    enum { RULES = 2000 };
    char why[8192];
    struct buf text;
    buf_init(&text, 1 << 20);
    for (int i = 0; i < RULES; i++)
        buf_addf(&text, "r%d = r%d @1 | r%d r0 @0.001 | \"x\" @0.001;\n", i, (i + 1) % RULES,
                 (i + 7) % RULES);
    double factor = growth_of(buf_string(&text), why, sizeof why);
    ck_assert_msg(factor > 0.9 && factor < 1.1, "%f", factor);
    buf_release(&text);
    factor = growth_of("a = b b b b | \"\"; b = a a @1 | \"\" @7;", why, sizeof why);
    ck_assert_msg(fabs(factor - sqrt(0.5)) < 1e-6, "%f", factor);
}
END_TEST

/* The mean number of brackets of a = "(" a a ")" @w | "": 1 / (1 - 2p) expansions, of which p open one. */
START_TEST(means_are_met)
{
    enum { TEXTS = 20000 };
    struct grammar *g = load("a = \"(\" a a \")\" @1 | \"\" @2;");
    double sum = 0;
    for (uint64_t i = 0; i < TEXTS; i++) {
        struct rng rng;
        struct derivation log;
        struct chooser chooser;
        struct buf out;
        rng_seed(&rng, 1, i);
        derivation_init(&log);
        chooser_init(&chooser, &rng, NULL, &log);
        buf_init(&out, 1 << 20);
        struct grammar_limits limits = {.max_bytes = 1 << 20, .max_depth = 1000000};
        ck_assert_int_eq(grammar_derive(g, 0, NULL, 0, &chooser, &limits, &out, NULL), 0);
        sum += (double)out.len / 2;
        buf_release(&out);
        derivation_release(&log);
    }
    double factor = grammar_growth(g, NULL, 0, NULL), mean = sum / TEXTS;
    ck_assert(fabs(factor - 2.0 / 3) < 1e-6);
    ck_assert_msg(fabs(mean - (1 / (1 - factor)) / 3) < 0.1, "%f", mean);
    grammar_free(g);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, factors);
    tcase_add_test(tests, what_is_said);
    tcase_add_test(tests, roots);
    tcase_add_test(tests, large_components);
    tcase_add_test(tests, means_are_met);
}

int main(void)
{
    return unit_main("growth", fill);
}
