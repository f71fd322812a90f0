/* base/json: the styles, strings that JSON cannot hold, and the canonical form that ids rest on. */
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "json_case.h"

START_TEST(pretty)
{
    ck_assert_str_eq(style_text(parse("{\"b\":[1,{\"c\":[]}],\"a\":{}}"), JSON_PRETTY), "{\n"
                                                                                       "  \"b\": [\n"
                                                                                       "    1,\n"
                                                                                       "    {\n"
                                                                                       "      \"c\": []\n"
                                                                                       "    }\n"
                                                                                       "  ],\n"
                                                                                       "  \"a\": {}\n"
                                                                                       "}");
    ck_assert_str_eq(style_text(parse("1.0"), JSON_PRETTY), "1.0");
}
END_TEST

START_TEST(part_of_a_document)
{
    struct json *value = parse("{\"a\":[1,[2,3]],\"b\":4}");
    ck_assert_str_eq(text_of(json_get(value, "a")), "[1,[2,3]]"); /* without its key and siblings */
    ck_assert_str_eq(style_text(json_at(json_get(value, "a"), 1), JSON_SORTED), "[2,3]");
    ck_assert_str_eq(text_of(json_get(value, "b")), "4");
}
END_TEST

static const struct {
    struct bytes text;
    const char *expected;
} strings[] = {
    {{NULL, 0}, "\"\""},
    {BYTES_LITERAL("\0"), "\"\\u0000\""},
    {BYTES_LITERAL("\b\f\n\r\t\"\\/"), "\"\\b\\f\\n\\r\\t\\\"\\\\/\""},
    {BYTES_LITERAL("\x01\x1F\x7F"), "\"\\u0001\\u001f\x7F\""},
    {BYTES_LITERAL("\xC3\xA9 \xE2\x80\xA8 \xF0\x9F\x98\x80"), "\"\xC3\xA9 \xE2\x80\xA8 \xF0\x9F\x98\x80\""},
    {BYTES_LITERAL("\xFF\xC3"), "\"\\u00ff\\u00c3\""},
    {BYTES_LITERAL("\xC0\x80"), "\"\\u00c0\\u0080\""},
    {BYTES_LITERAL("\xED\xA0\x80"), "\"\\ud800\""},
    {BYTES_LITERAL("\xED\xBF\xBF"), "\"\\udfff\""},
    {BYTES_LITERAL("\xED\xA0"), "\"\\u00ed\\u00a0\""}, /* cut */
    {BYTES_LITERAL("\xED\x9F\xBF"), "\"\xED\x9F\xBF\""},
};

START_TEST(string_text)
{
    json_write_string(&written, strings[_i].text);
    ck_assert_str_eq(buf_string(&written), strings[_i].expected);
    parse_bytes(buf_bytes(&written)); /* is JSON, whatever went in */
}
END_TEST

static const struct {
    const char *text, *expected;
} canonicals[] = {
    {"{\"b\":1,\"a\":{\"d\":1,\"c\":2}}", "{\"a\":{\"c\":2,\"d\":1},\"b\":1}"},
    {"[ { \"b\" : [ ] } , \"x\" ]", "[{\"b\":[]},\"x\"]"},
    {"[3,1,2]", "[3,1,2]"},
    {"{\"\xC3\xA9\":1,\"z\":2,\"\":3,\"Z\":4}", "{\"\":3,\"Z\":4,\"z\":2,\"\xC3\xA9\":1}"}, /* by bytes */
    {"{\"a\\u0000\":1,\"a\":2,\"b\":3,\"aa\":4}", "{\"a\":2,\"a\\u0000\":1,\"aa\":4,\"b\":3}"},
    {"{\"k\":2,\"a\":0,\"k\":1}", "{\"a\":0,\"k\":2,\"k\":1}"}, /* doubled keys keep their order */
    {"\"\\u0041\\/\"", "\"A/\""},

    {"0", "0"},
    {"-0", "0"},
    {"0.0", "0"},
    {"-0.00e5", "0"},
    {"0e999", "0"},
    {"1.0", "1"},
    {"1e2", "100"},
    {"1E+2", "100"},
    {"-1.50", "-1.5"},
    {"10.0e-1", "1"},
    {"1000e-3", "1"},
    {"123.456e1", "1234.56"},
    {"0.1", "0.1"},
    {"0.10", "0.1"},
    {"1e-1", "0.1"},
    {"1e-2", "0.01"},
    {"0.001", "0.001"},
    {"1e-3", "0.001"},
    {"0.0000010", "0.000001"},
    {"0.0000012", "0.0000012"},
    {"0.0000001", "1e-7"},
    {"12e-8", "1.2e-7"},
    {"1e20", "100000000000000000000"},
    {"123456789012345678901.5", "123456789012345678901.5"},
    {"1234567890123456789012.5", "1.2345678901234567890125e+21"},
    {"1e21", "1e+21"},
    {"1.5e300", "1.5e+300"},
    {"-15e299", "-1.5e+300"},
    {"1e999", "1e+999"}, /* no double holds it, its value does not change */
    {"1E0999", "1e+999"},
    {"1e-999", "1e-999"},
    {"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"}, /* not 0.1 */
    {"18446744073709551616", "18446744073709551616"},
    {"18446744073709551616.0", "18446744073709551616"},
    {"123456789012345678901234567890", "123456789012345678901234567890"}, /* integers stay integers */
    {"1000000000000000000000000000000", "1000000000000000000000000000000"},
    {"1e99999999999999999999", "1e99999999999999999999"}, /* an exponent we cannot count in */
    {"1.0E+99999999999999999999", "1.0E+99999999999999999999"},
};

START_TEST(canonical_form)
{
    ck_assert_str_eq(canonical(canonicals[_i].text), canonicals[_i].expected);
    struct buf first;
    buf_init(&first, 4096);
    buf_add(&first, buf_bytes(&written));
    ck_assert_str_eq(canonical(buf_string(&first)), canonicals[_i].expected); /* and again */
    buf_release(&first);
}
END_TEST

/* One value in three spellings: digits behind a point, in front of it, and with zeros and a plus sign. */
START_TEST(spellings_of_one_number)
{
    struct rng r;
    rng_seed(&r, 2024, 0);
    for (int i = 0; i < 3000; i++) {
        char digits[24], text[3][96], first[96];
        int length = snprintf(digits, sizeof digits, "%llu",
                              1 + (unsigned long long)(rng_next(&r) >> rng_range(&r, 1, 63)));
        int exponent = (int)rng_range(&r, -30, 30), zeros = (int)rng_below(&r, 5);
        snprintf(text[0], sizeof text[0], "%s.0e%d", digits, exponent);
        snprintf(text[1], sizeof text[1], "%c.%s0e%d", digits[0], digits + 1, exponent + length - 1);
        snprintf(text[2], sizeof text[2], "%s%.*se%+d", digits, zeros, "00000", exponent - zeros);
        for (int k = 0; k < 3; k++) {
            const char *got = canonical(text[k]);
            if (k == 0)
                snprintf(first, sizeof first, "%s", got);
            ck_assert_str_eq(got, first);
            ck_assert(strtod(got, NULL) == strtod(text[k], NULL));
            ck_assert_uint_le(strlen(got), 21 + 2 + (size_t)length);
        }
    }
}
END_TEST

START_TEST(raw_in_every_style)
{
    struct json *object = json_new(&arena, JSON_OBJECT);
    json_set(&arena, object, "b", json_raw(&arena, BYTES_LITERAL("{\"z\":01, \"a\":\0}")));
    json_set(&arena, object, "a", json_raw(&arena, BYTES_LITERAL("")));
    style_text(object, JSON_SORTED);
    ASSERT_BYTES(buf_bytes(&written), "{\"a\":,\"b\":{\"z\":01, \"a\":\0}}");
}
END_TEST

START_TEST(full_buffer)
{
    struct json *value = parse("[[[[1,2,3],\"text\"]]]");
    for (size_t max = 0; max < 20; max++) {
        struct buf small;
        buf_init(&small, max);
        json_write(&small, value, JSON_SORTED);
        ck_assert_int_eq(small.overflow, max < strlen("[[[[1,2,3],\"text\"]]]"));
        buf_release(&small);
    }
}
END_TEST

START_TEST(random_objects_sort)
{
    struct rng r;
    rng_seed(&r, 8, 1);
    struct json *object = json_new(&arena, JSON_OBJECT);
    for (int i = 0; i < 2000; i++) {
        uint8_t key[3];
        rng_fill(&r, key, sizeof key);
        for (size_t k = 0; k < sizeof key; k++)
            key[k] &= 0x7F;
        json_set_bytes(&arena, object, bytes_of(key, rng_below(&r, 4)), json_integer(&arena, i));
    }
    struct json *sorted = parse(style_text(object, JSON_SORTED));
    ck_assert(json_equal(object, sorted));
    for (struct json *child = sorted->first; child->next; child = child->next) {
        int order = bytes_compare(child->key, child->next->key);
        ck_assert_int_le(order, 0);
        int64_t here = 0, next = 0;
        ck_assert(json_as_integer(child, &here) && json_as_integer(child->next, &next));
        ck_assert(order < 0 || here < next);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, json_set_up, json_tear_down);
    tcase_add_test(tests, pretty);
    tcase_add_test(tests, part_of_a_document);
    tcase_add_loop_test(tests, string_text, 0, sizeof strings / sizeof *strings);
    tcase_add_loop_test(tests, canonical_form, 0, sizeof canonicals / sizeof *canonicals);
    tcase_add_test(tests, spellings_of_one_number);
    tcase_add_test(tests, raw_in_every_style);
    tcase_add_test(tests, full_buffer);
    tcase_add_test(tests, random_objects_sort);
}

int main(void)
{
    return unit_main("json-write", fill);
}
