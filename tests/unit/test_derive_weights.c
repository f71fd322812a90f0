/* Deriving: declared weights, and even draws where none are declared, at 10^5 draws. */
#include "grammar_case.h"

enum { DRAWS = 100000 };

/* Draws go through one buffer and one log, which is emptied each time. */
static struct grammar *g;
static struct buf out;
static struct derivation made;
static struct rng rng;

static void set_up(void)
{
    buf_init(&out, 1000);
    derivation_init(&made);
    rng_seed(&rng, 2718, 0);
}

static void tear_down(void)
{
    grammar_free(g);
    buf_release(&out);
    derivation_release(&made);
}

static struct bytes draw(int rule, struct grammar_limits limits)
{
    struct chooser chooser;
    struct error *err = NULL;
    buf_clear(&out);
    derivation_clear(&made);
    chooser_init(&chooser, &rng, NULL, &made);
    ck_assert_msg(grammar_derive(g, rule, NULL, 0, &chooser, &limits, &out, &err) == 0, "%s",
                  err ? err->text : "");
    return buf_bytes(&out);
}

START_TEST(weights_of_alternatives)
{
    g = load("a = b \"\"; b = \"0\" @5 | \"1\" | \"2\" @0 | \"3\" @2.5 | \"4\" @0.25 | c @3; c = \"5\" @2 | "
             "\"6\";");
    static const double shares[] = {5, 1, 2.5, 0.25, 2, 1};
    static const int index[] = {0, 1, -1, 2, 3, 4, 5};
    uint64_t counts[6] = {0};
    for (int i = 0; i < DRAWS; i++) {
        struct bytes text = draw(0, roomy);
        ck_assert_uint_eq(text.len, 1);
        int k = index[text.data[0] - '0'];
        ck_assert_int_ge(k, 0);
        counts[k]++;
    }
    ck_assert(fits(counts, shares, 6));
}
END_TEST

/* When only some fit, these keep their shares. */
START_TEST(weights_of_what_fits)
{
    g = load("a = \"0\" @5 | \"1\" | \"long\" @7 | b @3; b = \"2\" | \"longer\";");
    static const double shares[] = {5, 1, 3};
    uint64_t counts[3] = {0};
    for (int i = 0; i < DRAWS; i++)
        counts[draw(0, (struct grammar_limits){.max_bytes = 1, .max_depth = 9}).data[0] - '0']++;
    ck_assert(fits(counts, shares, 3));
}
END_TEST

/* A hundred alternatives, each of another length: too many for tables of their own. */
START_TEST(weights_of_many_lengths)
{
    static const double shares[] = {1, 1, 1, 1, 1};
    uint64_t counts[100] = {0};
    struct buf text;
    buf_init(&text, 10000);
    buf_add_string(&text, "a = ");
    for (int i = 1; i <= 100; i++)
        buf_addf(&text, "%s\"x\"{%d}", i > 1 ? " | " : "", i);
    buf_add_byte(&text, ';');
    g = load_bytes(buf_bytes(&text));
    buf_release(&text);
    for (int i = 0; i < DRAWS; i++)
        counts[draw(0, (struct grammar_limits){.max_bytes = 5, .max_depth = 9}).len - 1]++;
    ck_assert(fits(counts, shares, 5));
    bool longest = false;
    for (int i = 0; i < 5000; i++)
        longest = longest || draw(0, (struct grammar_limits){.max_bytes = 100, .max_depth = 9}).len == 100;
    ck_assert(longest);
}
END_TEST

/* So do those that end soonest, when the depth is reached. */
START_TEST(weights_beyond_the_depth)
{
    g = load("a = \"0\" @5 | b @90 | \"1\" | c @3; b = \"2\" | a; c = \"3\" | a;");
    static const double shares[] = {5, 1};
    uint64_t counts[2] = {0};
    for (int i = 0; i < DRAWS; i++) {
        struct bytes text = draw(0, (struct grammar_limits){.max_bytes = 100, .max_depth = 0});
        ck_assert(text.data[0] < '2');
        counts[text.data[0] - '0']++;
    }
    ck_assert(fits(counts, shares, 2));
}
END_TEST

/* What of a text is counted: a number from 0. */
static size_t of_int(struct bytes b)
{
    return (size_t)(b.len == 2 ? '0' - b.data[1] + 3 : b.data[0] - '0' + 3);
}

static size_t of_byte(struct bytes b)
{
    return b.data[0] - 10u;
}

static size_t of_length(struct bytes b)
{
    return b.len;
}

static size_t of_low_bits(struct bytes b)
{
    return (b.data[0] & 7) - 3u;
}

static size_t of_high_nibble(struct bytes b)
{
    return b.data[0] >> 4;
}

static size_t of_sign_and_digits(struct bytes b)
{
    char text[24] = {0};
    memcpy(text, b.data, b.len);
    return (uint64_t)strtoll(text, NULL, 10) >> 60;
}

static const struct {
    const char *text;
    size_t (*count)(struct bytes);
    size_t n;
} even[] = {
    {"a = int(-3..4);", of_int, 8},
    {"a = u8(10..17);", of_byte, 8},
    {"a = \"x\"{0..7};", of_length, 8},
    {"a = \"x\"?;", of_length, 2},
    {"a = bits(:5, 3..6:3);", of_low_bits, 4},
    {"a = u64be();", of_high_nibble, 16},
    {"a = int(-9223372036854775808..9223372036854775807);", of_sign_and_digits, 16},
};

START_TEST(ranges_are_even)
{
    g = load(even[_i].text);
    uint64_t counts[16] = {0};
    double shares[16];
    for (int i = 0; i < DRAWS; i++) {
        size_t k = even[_i].count(draw(0, roomy));
        ck_assert_uint_lt(k, even[_i].n);
        counts[k]++;
    }
    for (size_t i = 0; i < 16; i++)
        shares[i] = 1;
    ck_assert_msg(fits(counts, shares, even[_i].n), "%s", even[_i].text);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, weights_of_alternatives);
    tcase_add_test(t, weights_of_what_fits);
    tcase_add_test(t, weights_of_many_lengths);
    tcase_add_test(t, weights_beyond_the_depth);
    tcase_add_loop_test(t, ranges_are_even, 0, sizeof even / sizeof *even);
}

int main(void)
{
    return unit_main("derive_weights", fill);
}
