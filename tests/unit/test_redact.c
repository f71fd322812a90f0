/* base/redact: a secret is found in whatever form a program shows it, nothing else is, and JSON stays JSON. */
#include "base/redact.h"

#include <stdio.h>

#include "base/encode.h"
#include "base/json.h"
#include "base/rng.h"
#include "unit.h"

static struct redactor *r;
static struct arena a;

static void set_up(void)
{
    r = redactor_new();
    arena_init(&a);
}

static void tear_down(void)
{
    redactor_free(r);
    arena_release(&a);
}

static const char *clean(const char *text)
{
    return arena_string(&a, redact(r, bytes_of_string(text), NULL, REDACT_WHOLE, &a));
}

static const struct {
    const char *value, *text, *expected;
} forms[] = {
    {"s3cr3t-value", "a s3cr3t-value b", "a [redacted K] b"},
    {"s3cr3t-value", "s3cr3t-values3cr3t-value", "[redacted K][redacted K]"},
    {"s3cr3t-value", "s3cr3t-valu", "s3cr3t-valu"},
    {"s3cr3t-value", "S3CR3T-VALUE", "S3CR3T-VALUE"},
    {"a\"b\\c/d", "{\"x\":\"a\\\"b\\\\c/d\"}", "{\"x\":\"[redacted K]\"}"},
    {"a\"b\\c/d", "{\"x\":\"{\\\"y\\\":\\\"a\\\\\\\"b\\\\\\\\c/d\\\"}\"}", "{\"x\":\"{\\\"y\\\":\\\"[redacted K]\\\"}\"}"},
    {"a/b/c/d", "\"a\\/b\\/c\\/d\"", "\"[redacted K]\""},
    {"p\xc3\xa4sswort", "\"p\\u00e4sswort\"", "\"[redacted K]\""},
    {"\xf0\x9f\x94\x91-key-1", "\"\\ud83d\\udd11-key-1\"", "\"[redacted K]\""},
    {"p\xc3\xa4sswort", "b'p\\xc3\\xa4sswort'", "b'[redacted K]'"},
    {"a b/c+d=&e", "x=a%20b%2Fc%2Bd%3D%26e", "x=[redacted K]"},
    {"a b/c+d=&e", "x=a%20b%2fc%2bd%3d%26e", "x=[redacted K]"},
    {"a b/c+d=&e", "x=a+b%2Fc%2Bd%3D%26e", "x=[redacted K]"},
    {"a b/c+d=&e", "x=a%20b/c+d=&e", "x=[redacted K]"},
    {"a ~*bc", "x=a+~%2Abc", "x=[redacted K]"},
    {"a ~*bc", "x=a+%7E*bc", "x=[redacted K]"},
    {"<tag>&'\"", "v='&lt;tag&gt;&amp;&#39;&quot;'", "v='[redacted K]'"},
    {"<tag>&'\"", "v='&lt;tag&gt;&amp;&#x27;&#34;'", "v='[redacted K]'"},
    {"it's mine", "echo 'it'\\''s mine'", "echo '[redacted K]'"},
    {"abc123", "616263313233", "[redacted K]"},
    {"abc\xff""23", "616263FF3233.", "[redacted K]."},
    {"abc123", "61 62 63 31 32 33", "[redacted K]"},
    {"abc123", "6162 6331 3233", "[redacted K]"},
    {"abc123", "\\x61\\x62\\x63\\x31\\x32\\x33", "[redacted K]"},
    {"abc123", "%61%62%63%31%32%33", "[redacted K]"},
    {"secret-key-0", "secret\n-key-0", "[redacted K]"},
    {"secret-key-0", "\"secret\\n-key-0\"", "\"[redacted K]\""},
    {"secret-key-0", "secret -key-0", "secret -key-0"},
};

START_TEST(each_form)
{
    ck_assert(redactor_add(r, "K", bytes_of_string(forms[_i].value)));
    ck_assert_str_eq(clean(forms[_i].text), forms[_i].expected);
}
END_TEST

/* Base64 of a text that the value stands in, at every alignment, in both alphabets, in lines. */
START_TEST(base64_at_every_alignment)
{
    static const char value[] = "sk-~~?a?>>~~-0123456789";
    ck_assert(redactor_add(r, "K", bytes_of_string(value)));
    for (int before = 0; before < 7; before++) {
        for (int behind = 0; behind < 4; behind++) {
            struct buf text, lines;
            buf_init(&text, 4096);
            buf_init(&lines, 4096);
            char *whole = arena_printf(&a, "%.*s%s%.*s", before, "abcdefg", value, behind, "xyz");
            base64_encode(&text, bytes_of_string(whole));
            for (int url = 0; url < 2; url++) {
                for (size_t i = 0; url && i < text.len; i++)
                    text.data[i] = text.data[i] == '+' ? '-' : text.data[i] == '/' ? '_' : text.data[i];
                const char *plain = clean(arena_string(&a, buf_bytes(&text)));
                ck_assert_msg(strstr(plain, "[redacted K]") != NULL, "%s: %s", whole, plain);
                ck_assert_msg(strlen(plain) <= strlen("[redacted K]") + 16, "%s: too much is left: %s", whole, plain);
                buf_clear(&lines);
                for (size_t i = 0; i < text.len; i++)
                    buf_addf(&lines, i % 8 == 7 ? "%c\n" : "%c", text.data[i]);
                ck_assert(strstr(clean(buf_string(&lines)), "[redacted K]") != NULL);
            }
            buf_release(&text);
            buf_release(&lines);
        }
    }
}
END_TEST

START_TEST(short_values_and_names)
{
    ck_assert(redactor_empty(r));
    ck_assert(redactor_empty(NULL));
    ck_assert(!redactor_add(r, "A", BYTES_LITERAL("12345")));
    ck_assert_str_eq(clean("12345"), "12345");
    ck_assert(redactor_add(r, "a b\"\n\\x", BYTES_LITERAL("123456")));
    ck_assert_str_eq(clean("0123456"), "0[redacted a_b___x]");
}
END_TEST

START_TEST(the_longest_wins)
{
    redactor_add(r, "SHORT", BYTES_LITERAL("abcdef"));
    redactor_add(r, "LONG", BYTES_LITERAL("abcdefghij"));
    ck_assert_str_eq(clean("abcdefghij abcdef"), "[redacted LONG] [redacted SHORT]");
}
END_TEST

START_TEST(values_of_several_lines)
{
    redactor_add(r, "PEM", BYTES_LITERAL("-----BEGIN-----\nMIIBVgIBADANBg\nshort\n-----END-----"));
    ck_assert_str_eq(clean("x MIIBVgIBADANBg y"), "x [redacted PEM] y");
    ck_assert_str_eq(clean("-----BEGIN-----\\nMIIBVgIBADANBg\\nshort\\n-----END-----"), "[redacted PEM]");
    ck_assert_str_eq(clean("short"), "short");
}
END_TEST

START_TEST(cut_texts)
{
    redactor_add(r, "K", BYTES_LITERAL("abcdefghijkl"));
    const struct {
        const char *text;
        unsigned edges;
        const char *expected;
    } rows[] = {
        {"ghijkl and so", REDACT_CUT_FRONT, "[redacted K] and so"}, {"ghijkl and so", REDACT_WHOLE, "ghijkl and so"},
        {"so abcdefg", REDACT_CUT_BACK, "so [redacted K]"},         {"so abc", REDACT_CUT_BACK, "so abc"},
        {"so abcdefg", REDACT_CUT_FRONT, "so abcdefg"},             {"ijkl", REDACT_CUT_FRONT, "[redacted K]"},
        {"he said 'abcdefgh...'", REDACT_CUT_BACK, "he said '[redacted K]...'"},
        {"he said 'abcdef\xe2\x80\xa6'", REDACT_CUT_BACK, "he said '[redacted K]\xe2\x80\xa6'"},
        {"ijkl abcdefghijkl abcd", REDACT_CUT_FRONT | REDACT_CUT_BACK, "[redacted K] [redacted K] [redacted K]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes out = redact(r, bytes_of_string(rows[i].text), NULL, rows[i].edges, &a);
        ck_assert_str_eq(arena_string(&a, out), rows[i].expected);
    }
}
END_TEST

START_TEST(what_is_excepted)
{
    struct redact_set set = {0};
    redactor_add(r, "A", BYTES_LITERAL("production"));
    redactor_add(r, "B", BYTES_LITERAL("hunter2-hunter2"));
    redactor_mark(r, BYTES_LITERAL("a task about production"), &set);
    struct bytes out = redact(r, BYTES_LITERAL("production hunter2-hunter2"), &set, REDACT_WHOLE, &a);
    ck_assert_str_eq(arena_string(&a, out), "production [redacted B]");
    ck_assert(redact_finds(r, BYTES_LITERAL("production"), NULL));
    ck_assert(!redact_finds(r, BYTES_LITERAL("production"), &set));
}
END_TEST

START_TEST(without_secrets_nothing_is_copied)
{
    struct bytes text = BYTES_LITERAL("abcdef");
    ck_assert_ptr_eq(redact(NULL, text, NULL, REDACT_CUT_BACK, &a).data, text.data);
    redactor_add(r, "K", BYTES_LITERAL("zzzzzzz"));
    ck_assert_ptr_eq(redact(r, text, NULL, REDACT_WHOLE, &a).data, text.data);
}
END_TEST

/* Whatever the value and the text around it: JSON text with the value in it stays JSON text, and no form is left. */
START_TEST(json_stays_json)
{
    static const char letters[] = "ab\"\\/nu \n";
    struct rng rng;
    rng_seed(&rng, 42, 0);
    for (int round = 0; round < 3000; round++) {
        char value[12] = {0}, around[2][12] = {{0}, {0}};
        for (int i = 0; i < 8; i++)
            value[i] = letters[rng_below(&rng, sizeof letters - 1)];
        for (int k = 0; k < 2; k++)
            for (unsigned i = 0; i < rng_below(&rng, 9); i++)
                around[k][i] = letters[rng_below(&rng, sizeof letters - 1)];
        struct redactor *own = redactor_new();
        redactor_add(own, "K", bytes_of(value, 8));
        struct buf text, out;
        buf_init(&text, 4096);
        buf_init(&out, 4096);
        buf_add_byte(&text, '[');
        json_write_string(&text, bytes_of_string(arena_printf(&a, "%s%s%s", around[0], value, around[1])));
        buf_add_string(&text, ",\"");
        buf_addf(&text, "%s\"]", "tail");
        redact_into(own, buf_bytes(&text), NULL, REDACT_WHOLE, &out);
        struct json *read = NULL;
        int status = json_read(&a, buf_bytes(&out), NULL, "t", &read, NULL, NULL);
        ck_assert_msg(status == 0, "%s became %s", buf_string(&text), buf_string(&out));
        ck_assert_msg(bytes_find(buf_bytes(&out), BYTES_LITERAL("[redacted K]"), 0) >= 0, "%s: %s", value, buf_string(&out));
        buf_release(&text);
        buf_release(&out);
        redactor_free(own);
        arena_clear(&a);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, each_form, 0, sizeof forms / sizeof *forms);
    tcase_add_test(tests, base64_at_every_alignment);
    tcase_add_test(tests, short_values_and_names);
    tcase_add_test(tests, the_longest_wins);
    tcase_add_test(tests, values_of_several_lines);
    tcase_add_test(tests, cut_texts);
    tcase_add_test(tests, what_is_excepted);
    tcase_add_test(tests, without_secrets_nothing_is_copied);
    tcase_add_test(tests, json_stays_json);
}

int main(void)
{
    return unit_main("redact", fill);
}
