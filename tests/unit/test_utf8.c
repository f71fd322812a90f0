/* base/utf8: every code point, and every way to be wrong that RFC 3629 names. */
#include "base/utf8.h"
#include "unit.h"

static const struct {
    const char *name;
    struct bytes text;
    size_t valid; /* length of the valid prefix */
    size_t count;
} cases[] = {
    {"empty", {NULL, 0}, 0, 0},
    {"NUL is a character", BYTES_LITERAL("a\0b"), 3, 3},
    {"two bytes", BYTES_LITERAL("\xC3\xA9"), 2, 1},
    {"three bytes", BYTES_LITERAL("\xE2\x82\xAC!"), 4, 2},
    {"four bytes", BYTES_LITERAL("\xF0\x9F\x98\x80"), 4, 1},
    {"last code point", BYTES_LITERAL("\xF4\x8F\xBF\xBF"), 4, 1},
    {"above the last", BYTES_LITERAL("\xF4\x90\x80\x80"), 0, 4},
    {"lone continuation", BYTES_LITERAL("ab\x80"), 2, 3},
    {"overlong slash", BYTES_LITERAL("\xC0\xAF"), 0, 2},
    {"overlong NUL", BYTES_LITERAL("\xC0\x80"), 0, 2},
    {"overlong of three", BYTES_LITERAL("\xE0\x9F\xBF"), 0, 3},
    {"overlong of four", BYTES_LITERAL("\xF0\x8F\xBF\xBF"), 0, 4},
    {"surrogate", BYTES_LITERAL("x\xED\xA0\x80"), 1, 4},
    {"last before the surrogates", BYTES_LITERAL("\xED\x9F\xBF"), 3, 1},
    {"cut after one", BYTES_LITERAL("ok\xE2"), 2, 3},
    {"cut after two", BYTES_LITERAL("ok\xE2\x82"), 2, 4},
    {"cut after three", BYTES_LITERAL("\xF0\x9F\x98"), 0, 3},
    {"broken in the middle", BYTES_LITERAL("\xE2\x28\xA1"), 0, 3},
    {"five byte form", BYTES_LITERAL("\xF8\x88\x80\x80\x80"), 0, 5},
    {"FE FF", BYTES_LITERAL("\xFE\xFF"), 0, 2},
    {"one that is cut behind eight letters", BYTES_LITERAL("abcdefgh\xE2\x82"), 8, 10},
    {"one across the eighth byte", BYTES_LITERAL("abcdefg\xC3\xA9hijklmnopqrstuvw"), 25, 24},
    {"broken in the second eight bytes", BYTES_LITERAL("abcdefghijkl\x80nopq"), 12, 17},
};

START_TEST(table)
{
    struct bytes text = cases[_i].text;
    ck_assert_msg(utf8_valid_prefix(text) == cases[_i].valid, "%s", cases[_i].name);
    ck_assert_msg(utf8_valid(text) == (cases[_i].valid == text.len), "%s", cases[_i].name);
    ck_assert_msg(utf8_count(text) == cases[_i].count, "%s", cases[_i].name);
}
END_TEST

START_TEST(every_code_point)
{
    int wrong = 0; /* counted: a million assertions take their time */
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; code_point++) {
        uint8_t out[4];
        size_t at = 0, length = utf8_put(out, code_point);
        bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
        int32_t back = utf8_next(bytes_of(out, length), &at);
        wrong += back != (surrogate ? -1 : (int32_t)code_point) || at != (surrogate ? 1 : length);
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(invalid_bytes_advance_by_one)
{
    struct bytes text = BYTES_LITERAL("\xE2\x82z");
    size_t at = 0;
    ck_assert_int_eq(utf8_next(text, &at), -1);
    ck_assert_int_eq(utf8_next(text, &at), -1);
    ck_assert_int_eq(utf8_next(text, &at), 'z');
    ck_assert_int_eq(utf8_next(text, &at), -1);
    ck_assert_uint_eq(at, 3);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, table, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, every_code_point);
    tcase_add_test(tests, invalid_bytes_advance_by_one);
}

int main(void)
{
    return unit_main("utf8", fill);
}
