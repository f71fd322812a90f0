/* base/json: what the reader keeps, marks and refuses, and with which words; depth and size. */
#include <time.h>

#include "json_case.h"

/* Where and why texts are refused. Offsets count from 0. */
static const struct {
    struct bytes text;
    const char *message;
} refused[] = {
    {BYTES_LITERAL(""), "src:3: byte 0: expected a value, found the end"},
    {BYTES_LITERAL(" \n "), "src:3: byte 3: expected a value, found the end"},
    {BYTES_LITERAL("{\"a\":1 x"), "src:3: byte 7: expected ',' or '}', found 'x'"},
    {BYTES_LITERAL("[1 2]"), "src:3: byte 3: expected ',' or ']', found '2'"},
    {BYTES_LITERAL("[1,]"), "src:3: byte 3: expected a value, found ']'"},
    {BYTES_LITERAL("[,1]"), "src:3: byte 1: expected a value, found ','"},
    {BYTES_LITERAL("[1"), "src:3: byte 2: expected ',' or ']', found the end"},
    {BYTES_LITERAL("["), "src:3: byte 1: expected a value, found the end"},
    {BYTES_LITERAL("{"), "src:3: byte 1: expected a key in quotes or '}', found the end"},
    {BYTES_LITERAL("{\"a\":1,}"), "src:3: byte 7: expected a key in quotes, found '}'"},
    {BYTES_LITERAL("{a:1}"), "src:3: byte 1: expected a key in quotes or '}', found 'a'"},
    {BYTES_LITERAL("{\"a\" 1}"), "src:3: byte 5: expected ':' behind a key, found '1'"},
    {BYTES_LITERAL("{\"a\":}"), "src:3: byte 5: expected a value, found '}'"},
    {BYTES_LITERAL("[1}"), "src:3: byte 2: expected ',' or ']', found '}'"},
    {BYTES_LITERAL("1 2"), "src:3: byte 2: expected the end behind the value, found '2'"},
    {BYTES_LITERAL("01"), "src:3: byte 1: expected the end behind the value, found '1'"},
    {BYTES_LITERAL("-"), "src:3: byte 1: expected a digit, found the end"},
    {BYTES_LITERAL("+1"), "src:3: byte 0: expected a value, found '+'"},
    {BYTES_LITERAL(".5"), "src:3: byte 0: expected a value, found '.'"},
    {BYTES_LITERAL("5."), "src:3: byte 2: expected a digit behind the point, found the end"},
    {BYTES_LITERAL("5.e1"), "src:3: byte 2: expected a digit behind the point, found 'e'"},
    {BYTES_LITERAL("5e"), "src:3: byte 2: expected a digit in the exponent, found the end"},
    {BYTES_LITERAL("5e+x"), "src:3: byte 3: expected a digit in the exponent, found 'x'"},
    {BYTES_LITERAL("0x1"), "src:3: byte 1: expected the end behind the value, found 'x'"},
    {BYTES_LITERAL("nul"), "src:3: byte 0: expected a value, found 'n'"},
    {BYTES_LITERAL("True"), "src:3: byte 0: expected a value, found 'T'"},
    {BYTES_LITERAL("NaN"), "src:3: byte 0: expected a value, found 'N'"},
    {BYTES_LITERAL("nullx"), "src:3: byte 4: expected the end behind the value, found 'x'"},
    {BYTES_LITERAL("\xEF\xBB\xBF[]"), "src:3: byte 0: expected a value, found a byte order mark"},
    {BYTES_LITERAL("\xFF"), "src:3: byte 0: expected a value, found byte 0xff"},
    {BYTES_LITERAL("[]\0"), "src:3: byte 2: expected the end behind the value, found byte 0x00"},
    {BYTES_LITERAL("[] \n}"), "src:3: byte 4: expected the end behind the value, found '}'"},
    {BYTES_LITERAL("\"abc"), "src:3: byte 4: expected '\"' at the end of a string, found the end"},
    {BYTES_LITERAL("\"abc\\\""), "src:3: byte 6: expected '\"' at the end of a string, found the end"},
    {BYTES_LITERAL("\"abc\\"), "src:3: byte 5: expected '\"' at the end of a string, found the end"},
    {BYTES_LITERAL("\"a\nb\""),
     "src:3: byte 2: expected an escape for a control character in a string, found byte 0x0a"},
    {BYTES_LITERAL("\"a\0b\""),
     "src:3: byte 2: expected an escape for a control character in a string, found byte 0x00"},
    {BYTES_LITERAL("\"ok\\x\""), "src:3: byte 3: an unknown escape in a string"},
    {BYTES_LITERAL("\"ok\\\0\""), "src:3: byte 3: an unknown escape in a string"},
    {BYTES_LITERAL("\"\\u12\""), "src:3: byte 1: expected four hex digits behind \\u"},
    {BYTES_LITERAL("\"\\u12g4\""), "src:3: byte 1: expected four hex digits behind \\u"},
    {BYTES_LITERAL("\"\\ud800\\u\""), "src:3: byte 7: expected four hex digits behind \\u"},
    {BYTES_LITERAL("\"ab\xFF\""), "src:3: byte 3: a string is not UTF-8"},
    {BYTES_LITERAL("\"\xED\xA0\x80\""), "src:3: byte 1: a string is not UTF-8"},
    {BYTES_LITERAL("{\"k\xC0\":1}"), "src:3: byte 3: a string is not UTF-8"},
    {BYTES_LITERAL("[1]//"), "src:3: byte 3: expected the end behind the value, found '/'"},
    {BYTES_LITERAL("'a'"), "src:3: byte 0: expected a value, found '''"},
    {BYTES_LITERAL("[\v1]"), "src:3: byte 1: expected a value, found byte 0x0b"},
};

START_TEST(refusing)
{
    struct json *value = NULL;
    struct error *err = NULL;
    size_t used = 77;
    int status = json_read(&arena, refused[_i].text, NULL, "src:3", &value, &used, &err);
    ck_assert_int_eq(status, ERR_INPUT);
    ck_assert_str_eq(err->text, refused[_i].message);
    ck_assert_ptr_null(value);
    ck_assert_uint_eq(used, 77);
    error_free(err);
    ck_assert_int_eq(json_read(&arena, refused[_i].text, NULL, "src:3", &value, NULL, NULL), ERR_INPUT);
}
END_TEST

/* Texts that come back byte for byte. */
static const char *const kept[] = {
    "null",
    "true",
    "false",
    "0",
    "-0",
    "0.0",
    "-0.0e-0",
    "1E+2",
    "1e999",
    "1.0",
    "10.00e01",
    "18446744073709551616",
    "123456789012345678901234567890123456789012345678901234567890",
    "\"\"",
    "[]",
    "{}",
    "[[],{}]",
    "{\"\":{\"\":[]}}",
    "{\"a\":1,\"a\":2,\"a\":3}",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\udfff\\ud800\"",
    "\"\\ud83d\xF0\x9F\x98\x80\"",
    "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\x7F\"",
    "\"\\\"\\\\\\b\\f\\n\\r\\t\\u001f\"",
    "{\"\\u0000\":0}",
    "[1,[2,[3,{\"a\":[4]}]],5]",
};

START_TEST(round_trip)
{
    ck_assert_str_eq(text_of(parse(kept[_i])), kept[_i]);
}
END_TEST

START_TEST(decoding)
{
    ASSERT_BYTES(parse("\"a\\u0000b\"")->text, "a\0b");
    ASSERT_BYTES(parse("\"\\/\\u002F/\"")->text, "///");
    ASSERT_BYTES(parse("\"\\u00e9\\u20AC\\uD83d\\uDe00\"")->text, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    ASSERT_BYTES(parse("\"\\uFFFF\\u0080\"")->text, "\xEF\xBF\xBF\xC2\x80");
    struct json *lone = parse(
        "[\"x\\ud800y\",\"\\udc00\\ud800\\udc00\",\"\\ud800\\u0041\",\"\\ud83d\\ude00\"]");
    ASSERT_BYTES(json_at(lone, 0)->text, "x\xED\xA0\x80y");
    ASSERT_BYTES(json_at(lone, 1)->text, "\xED\xB0\x80\xF0\x90\x80\x80");
    ASSERT_BYTES(json_at(lone, 2)->text, "\xED\xA0\x80" "A");
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(json_at(lone, i)->lone_surrogate, i < 3);
        ck_assert(!json_at(lone, i)->bad_utf8);
    }
    ck_assert(!lone->lone_surrogate);
}
END_TEST

/* The scan takes eight bytes at a time: each special byte at each place of a word, and every other one. */
START_TEST(every_byte_at_every_place)
{
    for (size_t place = 0; place < 20; place++) {
        for (int c = 0; c < 256; c++) {
            uint8_t text[] = "\"abcdefghijklmnopqrst\"";
            struct json *value = NULL;
            text[1 + place] = (uint8_t)c;
            int code = json_read(&arena, bytes_of(text, sizeof text - 1), NULL, "test", &value, NULL, NULL);
            bool good = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
            if (c == '\\') /* an escape when a letter of one comes next */
                good = strchr("bfnrt", text[2 + place]) != NULL || text[2 + place] == '"';
            if (c == '\\' && place == 19)
                good = false; /* it takes the closing quote */
            ck_assert_msg((code == 0) == good, "byte 0x%02x at %zu", (unsigned)c, place);
            if (code == 0)
                ck_assert_uint_eq(value->text.len, c == '\\' ? 19 : 20);
        }
    }
}
END_TEST

START_TEST(bad_utf8_allowed)
{
    const struct json_options options = {.allow_bad_utf8 = true};
    struct bytes text = BYTES_LITERAL(
        "{\"k\xFF\":1,\"v\":\"a\xC3\",\"w\":\"\xED\xA0\x80\",\"x\":\"\xC3\xA9\"}");
    struct json *value = NULL;
    ck_assert_int_eq(json_read(&arena, text, &options, "test", &value, NULL, NULL), 0);
    ASSERT_BYTES(value->first->key, "k\xFF");
    ck_assert(value->first->bad_utf8);
    ck_assert(json_get(value, "v")->bad_utf8 && json_get(value, "w")->bad_utf8 &&
              !json_get(value, "x")->bad_utf8);
    ck_assert(!json_get(value, "w")->lone_surrogate);
    ck_assert_str_eq(text_of(value),
                     "{\"k\\u00ff\":1,\"v\":\"a\\u00c3\",\"w\":\"\\ud800\",\"x\":\"\xC3\xA9\"}");
    /* Outside strings there is nothing to keep. */
    ck_assert_int_eq(json_read(&arena, BYTES_LITERAL("[\xFF]"), &options, "test", &value, NULL, NULL),
                     ERR_INPUT);
}
END_TEST

START_TEST(offsets)
{
    struct json *value = parse(" { \"a\" : [ 10 , \"x\" ] ,\"b\":null}");
    ck_assert_uint_eq(value->offset, 1);
    ck_assert_uint_eq(json_get(value, "a")->offset, 9);
    ck_assert_uint_eq(json_at(json_get(value, "a"), 0)->offset, 11);
    ck_assert_uint_eq(json_at(json_get(value, "a"), 1)->offset, 16);
    ck_assert_uint_eq(json_get(value, "b")->offset, 27);
}
END_TEST

START_TEST(trailing)
{
    const struct json_options options = {.allow_trailing = true};
    static const struct {
        const char *text;
        size_t used;
    } cases[] = {{" [1] [2]", 4}, {"12abc", 2}, {"\"x\"\xFF", 3}, {"{}", 2}, {"01", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json *value = NULL;
        size_t used = 0;
        ck_assert_int_eq(
            json_read(&arena, bytes_of_string(cases[i].text), &options, "t", &value, &used, NULL), 0);
        ck_assert_uint_eq(used, cases[i].used);
    }
    struct json *value = NULL;
    size_t used = 0;
    ck_assert_int_eq(json_read(&arena, BYTES_LITERAL(" [1] \n"), NULL, "t", &value, &used, NULL), 0);
    ck_assert_uint_eq(used, 6);
}
END_TEST

static void check_duplicates(size_t keys)
{
    struct buf text;
    buf_init(&text, 1 << 24);
    buf_add_byte(&text, '{');
    for (size_t i = 0; i < keys; i++)
        buf_addf(&text, "\"k%zu\":%zu,", i % (keys - 1), i); /* the first key comes again at the end */
    buf_add_string(&text, "\"\":[{\"k0\":0,\"k0\":1}]}");
    struct json *value = parse_bytes(buf_bytes(&text));
    buf_release(&text);
    ck_assert_uint_eq(value->count, keys + 1);
    size_t marked = 0, at = 0;
    for (struct json *child = value->first; child; child = child->next, at++) {
        marked += child->duplicate;
        ck_assert_int_eq(child->duplicate, at == keys - 1);
    }
    ck_assert_uint_eq(marked, 1);
    struct json *inner = json_at(json_get(value, ""), 0);
    ck_assert(!inner->first->duplicate && inner->last->duplicate);
}

START_TEST(duplicates)
{
    check_duplicates(2);
    check_duplicates(7);
    check_duplicates(8);
    check_duplicates(9);
    check_duplicates(50000);
}
END_TEST

/* n times open, then n times close. */
static struct bytes nested(struct buf *text, const char *open, const char *inside, const char *close,
                           size_t n)
{
    buf_init(text, SIZE_MAX / 4);
    for (size_t i = 0; i < n; i++)
        buf_add_string(text, open);
    buf_add_string(text, inside);
    for (size_t i = 0; i < n; i++)
        buf_add_string(text, close);
    return buf_bytes(text);
}

START_TEST(depth)
{
    enum { DEEP = 100000 };
    struct buf text, deeper;
    struct bytes deep = nested(&text, "[{\"a\":", "[]", "}]", DEEP / 2 - 1);
    struct json *value = parse_bytes(deep);
    struct json *copy = json_copy(&arena, value);
    ck_assert(json_equal(value, copy));
    ck_assert_str_eq(text_of(copy), buf_string(&text));
    ck_assert_str_eq(style_text(copy, JSON_SORTED), buf_string(&text));
    buf_release(&text);

    struct error *err = NULL;
    ck_assert_int_eq(json_read(&arena, nested(&deeper, "[", "", "]", DEEP), NULL, "t", &value, NULL, &err),
                     0);
    buf_release(&deeper);
    ck_assert_int_eq(
        json_read(&arena, nested(&deeper, "[", "", "]", DEEP + 1), NULL, "t", &value, NULL, &err), ERR_LIMIT);
    ck_assert_str_eq(err->text, "t: byte 100000: nested more than 100000 deep");
    error_free(err);
    buf_release(&deeper);

    const struct json_options shallow = {.max_depth = 2};
    ck_assert_int_eq(json_read(&arena, BYTES_LITERAL("[[1],[2]]"), &shallow, "t", &value, NULL, NULL), 0);
    ck_assert_int_eq(json_read(&arena, BYTES_LITERAL("[[1],[[]]]"), &shallow, "t", &value, NULL, NULL),
                     ERR_LIMIT);
}
END_TEST

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double seconds_to_read(const char *open, const char *inside, const char *close, size_t n)
{
    struct buf text;
    struct bytes b = nested(&text, open, inside, close, n);
    double start = cpu_seconds();
    parse_bytes(b);
    double spent = cpu_seconds() - start;
    arena_clear(&arena);
    buf_release(&text);
    return spent;
}

/* Four times the input may take four times the time; eight is noise, sixteen would be quadratic. A floor
 * keeps the ratio of two tiny times out. */
static void check_linear(const char *open, const char *inside, const char *close, size_t n)
{
    double small = seconds_to_read(open, inside, close, n),
           large = seconds_to_read(open, inside, close, 4 * n);
    ck_assert_double_lt(large, 10 * (small > 0.01 ? small : 0.01));
}

START_TEST(linear_time)
{
    check_linear("[", "", "]", 25000);
    check_linear("{\"a\":1,\"b\":", "0", "}", 25000);
    check_linear("[\"\\n\",", "0", "]", 25000);
}
END_TEST

START_TEST(many_keys_in_linear_time)
{
    double spent[2];
    for (size_t round = 0; round < 2; round++) {
        struct buf text;
        buf_init(&text, SIZE_MAX / 4);
        buf_add_byte(&text, '{');
        size_t keys = round ? 400000 : 100000;
        for (size_t i = 0; i < keys; i++)
            buf_addf(&text, "%s\"key number %zu\":0", i ? "," : "", i);
        buf_add_byte(&text, '}');
        double start = cpu_seconds();
        ck_assert_uint_eq(parse_bytes(buf_bytes(&text))->count, keys);
        spent[round] = cpu_seconds() - start;
        arena_clear(&arena);
        buf_release(&text);
    }
    ck_assert_double_lt(spent[1], 10 * (spent[0] > 0.01 ? spent[0] : 0.01));
}
END_TEST

START_TEST(huge_string)
{
    enum { HUGE = 100 << 20 };
    struct buf text;
    buf_init(&text, SIZE_MAX / 4);
    uint8_t *data = xmalloc(HUGE);
    memset(data, 'x', HUGE);
    memcpy(data, "\"\\u0000", 7); /* one escape: the slower way */
    data[HUGE - 1] = '"';
    struct json *value = parse_bytes(bytes_of(data, HUGE));
    ck_assert_uint_eq(value->text.len, HUGE - 7);
    json_write(&text, value, JSON_COMPACT);
    ck_assert(bytes_equal(buf_bytes(&text), bytes_of(data, HUGE)));
    free(data);
    buf_release(&text);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, json_set_up, json_tear_down);
    tcase_add_loop_test(tests, refusing, 0, sizeof refused / sizeof *refused);
    tcase_add_loop_test(tests, round_trip, 0, sizeof kept / sizeof *kept);
    tcase_add_test(tests, decoding);
    tcase_add_test(tests, every_byte_at_every_place);
    tcase_add_test(tests, bad_utf8_allowed);
    tcase_add_test(tests, offsets);
    tcase_add_test(tests, trailing);
    tcase_add_test(tests, duplicates);
    tcase_add_test(tests, depth);
    tcase_add_test(tests, linear_time);
    tcase_add_test(tests, many_keys_in_linear_time);
    tcase_add_test(tests, huge_string);
}

int main(void)
{
    return unit_main("json-read", fill);
}
