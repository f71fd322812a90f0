/* base/encode: the RFC's examples, strictness, and outputs that stay as they were when a decoder refuses. */
#include "base/encode.h"
#include "base/rng.h"
#include "unit.h"

static struct buf out;

static void set_up(void)
{
    buf_init(&out, 1 << 16);
}

static void tear_down(void)
{
    buf_release(&out);
}

static const struct {
    struct bytes plain;
    const char *base64, *hex;
} pairs[] = {
    {BYTES_LITERAL(""), "", ""},
    {BYTES_LITERAL("f"), "Zg==", "66"},
    {BYTES_LITERAL("fo"), "Zm8=", "666f"},
    {BYTES_LITERAL("foo"), "Zm9v", "666f6f"},
    {BYTES_LITERAL("foob"), "Zm9vYg==", "666f6f62"},
    {BYTES_LITERAL("fooba"), "Zm9vYmE=", "666f6f6261"},
    {BYTES_LITERAL("foobar"), "Zm9vYmFy", "666f6f626172"},
    {BYTES_LITERAL("\0\xff\xfe\xfb"), "AP/++w==", "00fffefb"},
};

START_TEST(known_pairs)
{
    base64_encode(&out, pairs[_i].plain);
    ck_assert_str_eq(buf_string(&out), pairs[_i].base64);
    buf_clear(&out);
    ck_assert_int_eq(base64_decode(&out, bytes_of_string(pairs[_i].base64)), 0);
    ck_assert(bytes_equal(buf_bytes(&out), pairs[_i].plain));
    buf_clear(&out);
    hex_encode(&out, pairs[_i].plain);
    ck_assert_str_eq(buf_string(&out), pairs[_i].hex);
    buf_clear(&out);
    ck_assert_int_eq(hex_decode(&out, bytes_of_string(pairs[_i].hex)), 0);
    ck_assert(bytes_equal(buf_bytes(&out), pairs[_i].plain));
}
END_TEST

static const struct bytes bad_base64[] = {
    BYTES_LITERAL("Z"),        BYTES_LITERAL("Zg"),       BYTES_LITERAL("Zg="),
    BYTES_LITERAL("Zg==="),    BYTES_LITERAL("===="),     BYTES_LITERAL("Z==="),
    BYTES_LITERAL("Zg==Zg=="), BYTES_LITERAL("Zm9v\n"),   BYTES_LITERAL(" Zm9"),
    BYTES_LITERAL("Zm9-"),     BYTES_LITERAL("Zm9_"),     BYTES_LITERAL("Zh=="), /* leftover bits */
    BYTES_LITERAL("Zm9="),     BYTES_LITERAL("Z=8="),     BYTES_LITERAL("Zm\0v"),
    BYTES_LITERAL("Zm9\xff"),  BYTES_LITERAL("Zm9vZg=A"),
};

START_TEST(refused_base64)
{
    buf_add_string(&out, "kept");
    ck_assert_int_eq(base64_decode(&out, bad_base64[_i]), -1);
    ASSERT_BYTES(buf_bytes(&out), "kept");
}
END_TEST

START_TEST(looks_like_base64)
{
    ck_assert(base64_looks_like(BYTES_LITERAL("Zm9vYmFy")));
    ck_assert(base64_looks_like(BYTES_LITERAL("Zm9vYg==")));
    ck_assert(!base64_looks_like(BYTES_LITERAL("Zm9v"))); /* a short word may well be one */
    ck_assert(!base64_looks_like(BYTES_LITERAL("")));
    ck_assert(!base64_looks_like(BYTES_LITERAL("not one!")));
}
END_TEST

START_TEST(hex_cases)
{
    ck_assert_int_eq(hex_decode(&out, BYTES_LITERAL("aAfF09")), 0);
    ASSERT_BYTES(buf_bytes(&out), "\xaa\xff\x09");
    ck_assert_int_eq(hex_decode(&out, BYTES_LITERAL("0")), -1);
    ck_assert_int_eq(hex_decode(&out, BYTES_LITERAL("0g")), -1);
    ck_assert_int_eq(hex_decode(&out, BYTES_LITERAL("11 2")), -1);
    ck_assert_int_eq(hex_decode(&out, BYTES_LITERAL("11@a")), -1);
    ck_assert_uint_eq(out.len, 3);
}
END_TEST

START_TEST(full_buffer)
{
    struct buf small;
    buf_init(&small, 4);
    ck_assert_int_eq(base64_decode(&small, BYTES_LITERAL("Zm9vYmFy")), -1);
    ck_assert(small.overflow);
    ck_assert_uint_eq(small.len, 0);
    buf_release(&small);
}
END_TEST

START_TEST(random_round_trips)
{
    struct rng r;
    rng_seed(&r, 11, 0);
    for (int i = 0; i < 200; i++) {
        uint8_t plain[300];
        struct bytes b = bytes_of(plain, rng_below(&r, sizeof plain));
        rng_fill(&r, plain, b.len);
        struct buf text;
        buf_init(&text, 1024);
        base64_encode(&text, b);
        buf_clear(&out);
        ck_assert_int_eq(base64_decode(&out, buf_bytes(&text)), 0);
        ck_assert(bytes_equal(buf_bytes(&out), b));
        buf_release(&text);
    }
}
END_TEST

START_TEST(varints)
{
    static const uint64_t values[] = {0, 1, 127, 128, 300, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX};
    enum { COUNT = sizeof values / sizeof *values };
    for (int i = 0; i < COUNT; i++)
        varint_put(&out, values[i]);
    size_t at = 0;
    for (int i = 0; i < COUNT; i++) {
        uint64_t value = 0;
        ck_assert_int_eq(varint_get(buf_bytes(&out), &at, &value), 0);
        ck_assert_uint_eq(value, values[i]);
    }
    ck_assert_uint_eq(at, out.len);
    buf_clear(&out);
    varint_put(&out, 300);
    ASSERT_BYTES(buf_bytes(&out), "\xAC\x02");
}
END_TEST

static const struct bytes bad_varints[] = {
    {NULL, 0},
    BYTES_LITERAL("\x80"),                                     /* cut */
    BYTES_LITERAL("\x80\x00"),                                 /* 0 in two bytes */
    BYTES_LITERAL("\xFF\x80\x00"),                             /* 127 in three */
    BYTES_LITERAL("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"), /* 65 bits */
    BYTES_LITERAL("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"),
};

START_TEST(refused_varints)
{
    size_t at = 0;
    uint64_t value = 77;
    ck_assert_int_eq(varint_get(bad_varints[_i], &at, &value), -1);
    ck_assert_uint_eq(at, 0);
    ck_assert_uint_eq(value, 77);
    at = 9999;
    ck_assert_int_eq(varint_get(bad_varints[_i], &at, &value), -1);
}
END_TEST

START_TEST(shell_words)
{
    static const struct {
        const char *word, *expected;
    } cases[] = {
        {"plain", "plain"},   {"{root}/a-b_c.d", "{root}/a-b_c.d"}, {"", "''"},          {"two words", "'two words'"},
        {"it's", "'it'\\''s'"}, {"$HOME", "'$HOME'"},                {"a\nb", "'a\nb'"}, {"{a,b}", "'{a,b}'"},
        {"-n", "-n"},         {"~", "'~'"},                          {"\xff", "'\xff'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf word;
        buf_init(&word, 1000);
        shell_word(&word, bytes_of_string(cases[i].word));
        ck_assert_str_eq(buf_string(&word), cases[i].expected);
        buf_release(&word);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, known_pairs, 0, sizeof pairs / sizeof *pairs);
    tcase_add_loop_test(tests, refused_base64, 0, sizeof bad_base64 / sizeof *bad_base64);
    tcase_add_test(tests, looks_like_base64);
    tcase_add_test(tests, hex_cases);
    tcase_add_test(tests, full_buffer);
    tcase_add_test(tests, random_round_trips);
    tcase_add_test(tests, varints);
    tcase_add_test(tests, shell_words);
    tcase_add_loop_test(tests, refused_varints, 0, sizeof bad_varints / sizeof *bad_varints);
}

int main(void)
{
    return unit_main("encode", fill);
}
