/* gen/dictionary: the format of AFL and libFuzzer, and what is gathered. */
#include <stdlib.h>
#include <string.h>

#include "gen/dictionary.h"
#include "unit.h"

/* Tokens one after the other with a bar between. */
static const char *joined(const struct dictionary *d, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < dictionary_count(d); i++) {
        if (i)
            buf_add_byte(out, '|');
        buf_add(out, dictionary_at(d, i));
    }
    return buf_string(out);
}

static const struct {
    const char *text, *expected; /* the tokens, or the message */
} cases[] = {
    {"", ""},
    {"# only a comment\n\n   \n", ""},
    {"kw=\"GET\"\nkw2 = \"POST\" # both\n\"bare\"\r\n", "GET|POST|bare"},
    {"a@1=\"x\"\nb@20=\"y\"", "x|y"},
    {"\"\\x41\\x7a\\\\\\\"\\n\\r\\t\"", "Az\\\"\n\r\t"},
    {"\"same\"\nk=\"same\"", "same"},
    {"\"# no comment\"", "# no comment"},
    {"\"\xff\xfe\"", "\xff\xfe"},
    {"ok=\"a\"\n\nbad", "w:3: found the end of the line, expected '=' behind the name"},
    {"x=y", "w:1: found 'y', expected NAME=\"VALUE\", \"VALUE\" or # and a comment"},
    {"\"open", "w:1: found the end of the line, expected '\"' behind the value"},
    {"\"\\x4\"", "w:1: found 'x', expected an escape: \\xNN, \\\\, \\\", \\n, \\r or \\t"},
    {"\"\\q\"", "w:1: found 'q', expected an escape: \\xNN, \\\\, \\\", \\n, \\r or \\t"},
    {"\"\\", "w:1: found the end of the line, expected an escape: \\xNN, \\\\, \\\", \\n, \\r or \\t"},
    {"\"a\" b", "w:1: found 'b', expected nothing behind the value"},
    {"\"\"", "w:1: found an empty value, expected 1 to 1024 bytes"},
    {"\x01", "w:1: found byte 0x01, expected NAME=\"VALUE\", \"VALUE\" or # and a comment"},
};

START_TEST(files)
{
    struct dictionary *d = dictionary_new();
    struct error *err = NULL;
    struct buf out;
    buf_init(&out, 1 << 16);
    int status = dictionary_read(d, bytes_of_string(cases[_i].text), "w", &err);
    ck_assert_int_eq(status, err ? ERR_INPUT : 0);
    ck_assert_str_eq(err ? err->text : joined(d, &out), cases[_i].expected);
    error_free(err);
    buf_release(&out);
    dictionary_free(d);
}
END_TEST

START_TEST(bounds)
{
    struct dictionary *d = dictionary_new();
    struct buf text;
    struct error *err = NULL;
    buf_init(&text, 1 << 20);
    buf_add_byte(&text, '"');
    for (int i = 0; i <= DICTIONARY_TOKEN_MAX; i++)
        buf_add_byte(&text, 'x');
    buf_add_byte(&text, '"');
    ck_assert_int_eq(dictionary_read(d, buf_bytes(&text), "w", &err), ERR_INPUT);
    ck_assert_str_eq(err->text, "w:1: found a value of more than 1024 bytes");
    error_free(err);
    for (uint32_t i = 0; i < 2 * DICTIONARY_TOKENS_MAX; i++)
        dictionary_add(d, bytes_of(&i, sizeof i));
    ck_assert_uint_eq(dictionary_count(d), DICTIONARY_TOKENS_MAX);
    struct rng rng;
    rng_seed(&rng, 1, 1);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(dictionary_pick(d, &rng).len, 4);
    ck_assert_uint_eq(dictionary_pick(NULL, &rng).len, 0);
    ck_assert_uint_eq(dictionary_count(NULL), 0);
    buf_release(&text);
    dictionary_free(d);
}
END_TEST

START_TEST(schemas)
{
    static const char tools[] =
        "[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"mode\":{\"enum\":[\"fast\",\"slow\",3]},"
        "\"deep\":{\"anyOf\":[{\"const\":\"k\"},{\"default\":{\"a\":\"b\"}},{\"examples\":[\"e1\"]}]},"
        "\"long\":{\"default\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}}}}]";
    struct dictionary *d = dictionary_new();
    struct buf out;
    buf_init(&out, 1 << 16);
    dictionary_add_schemas(d, bytes_of_string("no list"));
    dictionary_add_schemas(d, bytes_of_string(tools));
    ck_assert_str_eq(joined(d, &out), "mode|fast|slow|deep|k|b|e1|long");
    buf_release(&out);
    dictionary_free(d);
}
END_TEST

START_TEST(words)
{
    struct dictionary *d = dictionary_new();
    struct buf out;
    buf_init(&out, 1 << 16);
    dictionary_add_words(d, bytes_of("ab magic\0\x01WORD=1 last", 21), 2);
    ck_assert_str_eq(joined(d, &out), "magic|WORD=1");
    buf_release(&out);
    dictionary_free(d);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, files, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, bounds);
    tcase_add_test(tests, schemas);
    tcase_add_test(tests, words);
}

int main(void)
{
    return unit_main("dictionary", fill);
}
