/* Grammars written as JSON: both ways to write an alternative, wrapped ones, what is a reference and what is
 * not, and every message with its place. */
#include "grammar_languages.h"

static struct grammar *load_json(const char *text)
{
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    int status = grammar_add_json(g, bytes_of_string(text), "test.json", &err);
    if (status == 0)
        status = grammar_compile(g, TEST_FIRST_SITE, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    return g;
}

/* A grammar that has one text. */
static const struct {
    const char *grammar;
    const char *text;
} single[] = {
    {"{\"<start>\": [\"a<b>c<b>\"], \"<b>\": [\"1\"]}", "a1c1"},
    {"{\"<start>\": [\"<b>\"], \"<b>\": [\"<c>\"], \"<c>\": [\"\"]}", ""},
    {"{\"<start>\": [[\"a\", \"<b>\", \"c\"]], \"<b>\": [[\"1\"]]}", "a1c"},
    {"{\"<start>\": [[]]}", ""},
    {"{\"<start>\": [[\"<\", \"<b>\", \">\", \"<no>\", \"b\", \"\"]], \"<b>\": [\"1\"]}", "<1><no>b"},
    {"{\"start\": [[\"b\", \"<b>\", \"x\"]], \"b\": [\"1\"]}", "1<b>x"},
    {"{\"start\": [\"b<b>x\"], \"b\": [\"1\"]}", "b1x"},
    {"{\"<start>\": [\"a < b > c <> < <<b>> 1<2\"], \"<b>\": [\"1\"]}", "a < b > c <> < <1> 1<2"},
    {"{\"<start>\": [\"<a b><b\\u00e4>\"], \"<b\xc3\xa4>\": [\"\\u0000\\\"\"]}", NULL},
    {"{\"[start]\": \"<start>\", \"[grammar]\": {\"<start>\": [[\"<x-1>\"]], \"<x-1>\": [[\"y\"]]}}", "y"},
};

START_TEST(single_texts)
{
    struct grammar *g = load_json(single[_i].grammar);
    struct derived d = derive_one(g, "start", 0, roomy);
    if (single[_i].text)
        ck_assert_msg(bytes_equal_string(buf_bytes(&d.out), single[_i].text), "%s gave %.*s",
                      single[_i].grammar, BYTES_ARG(buf_bytes(&d.out)));
    else
        ASSERT_BYTES(buf_bytes(&d.out), "<a b>\0\"");
    derived_release(&d);
    grammar_free(g);
}
END_TEST

static const char arithmetic[] =
    "{\"<start>\": [\"<expr>\"], \"<expr>\": [\"<term> + <expr>\", \"<term> - <expr>\", \"<term>\"],\n"
    " \"<term>\": [\"<factor> * <term>\", \"<factor> / <term>\", \"<factor>\"],\n"
    " \"<factor>\": [\"+<factor>\", \"-<factor>\", \"(<expr>)\", \"<integer>.<integer>\", \"<integer>\"],\n"
    " \"<integer>\": [\"<digit><integer>\", \"<digit>\"],\n"
    " \"<digit>\": [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]}";

static void remove_spaces(struct buf *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i] != ' ')
            b->data[kept++] = b->data[i];
    buf_cut(b, kept);
}

START_TEST(arithmetic_in_a_book)
{
    struct grammar *g = load_json(arithmetic);
    for (uint64_t i = 0; i < 1000; i++) {
        struct derived d = derive_one(g, "start", i,
                                      (struct grammar_limits){.max_bytes = 1 + i % 200, .max_depth = 20});
        ck_assert_uint_le(d.out.len, 1 + i % 200);
        remove_spaces(&d.out);
        ck_assert(is_arithmetic(buf_bytes(&d.out)));
        derived_release(&d);
    }
    grammar_free(g);
}
END_TEST

static const struct {
    const char *text, *message;
} bad[] = {
    {"[1]", "test.json:1:1: found a JSON array, expected an object of rules"},
    {"{\"<a>\": \"x\"}", "test.json:1:9: found a JSON string as rule 'a', expected an array of alternatives"},
    {"{\n  \"<a>\": []}",
     "test.json:2:10: found an empty array as rule 'a', expected an array of alternatives"},
    {"{\"<a>\": [\"x\",\n 5]}",
     "test.json:2:2: found a JSON number, expected an alternative: a string, or an array of strings"},
    {"{\"<a>\": [[\"x\", null]]}", "test.json:1:16: found a JSON null, expected a symbol: a string"},
    {"{\"<a>\": [\"\xc3\xa4\", \"<b>\"]}", "test.json:1:15: rule 'b' is not defined"},
    {"{\"<a>\": [\"<bb>\"], \"<bbb>\": [\"x\"]}",
     "test.json:1:10: rule 'bb' is not defined; did you mean 'bbb'?"},
    {"{\"<a>\": [\"x\"], \"a\": [\"y\"]}",
     "test.json:1:21: rule 'a' is defined a second time, first at test.json:1"},
    {"{\"<a>\": [\"x\"], \"<a>\": [\"y\"]}",
     "test.json:1:23: rule 'a' is defined a second time, first at test.json:1"},
    {"{\"\": [\"x\"]}", "test.json:1:6: found a key that is empty or has a NUL, expected the name of a rule"},
    {"{\"a\\u0000\": [\"x\"]}",
     "test.json:1:13: found a key that is empty or has a NUL, expected the name of a rule"},
    {"{\"<a>\": [\"<a>x\", [\"<b>\"]], \"<b>\": [\"<a>\"]}",
     "test.json:1:9: rule 'a' never ends: each of its alternatives needs the rule again"},
    {"{\"<a>\": [}", "test.json: byte 9: expected a value, found '}'"},
    {"", NULL},
};

START_TEST(messages)
{
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    int status = grammar_add_json(g, bytes_of_string(bad[_i].text), "test.json", &err);
    if (status == 0)
        status = grammar_compile(g, 0, &err);
    ck_assert_int_eq(status, ERR_INPUT);
    if (bad[_i].message)
        ck_assert_str_eq(err->text, bad[_i].message);
    error_free(err);
    grammar_free(g);
}
END_TEST

/* A rule of a JSON grammar can be referred to from the compact notation, and the other way round. */
START_TEST(both_notations)
{
    struct grammar *g = grammar_new();
    ck_assert_int_eq(grammar_add_text(g, BYTES_LITERAL("start = \"[\" json{2} \"]\"; number = int(3..3);"),
                                      "a.tg", 1, NULL),
                     0);
    ck_assert_int_eq(
        grammar_add_json(g, BYTES_LITERAL("{\"<json>\": [\"<number>,\"], \"<n>\": [[\"<number>\"]]}"),
                         "b.json", NULL),
        0);
    ck_assert_int_eq(grammar_compile(g, 0, NULL), 0);
    struct derived d = derive_one(g, "start", 0, roomy);
    ASSERT_BYTES(buf_bytes(&d.out), "[3,3,]");
    derived_release(&d);
    d = derive_one(g, "n", 0, roomy); /* in an array, only names of the same text are references */
    ASSERT_BYTES(buf_bytes(&d.out), "<number>");
    derived_release(&d);
    ck_assert_str_eq(grammar_rule_place(g, rule_of(g, "json")), "b.json:1");
    grammar_free(g);
}
END_TEST

/* A thousand rules that refer to each other load quickly. */
START_TEST(many_rules)
{
    struct buf text;
    buf_init(&text, 1 << 22);
    buf_add_string(&text, "{\"<start>\": [\"<r0>\"]");
    for (int i = 0; i < 20000; i++)
        buf_addf(&text, ",\n\"<r%d>\": [\"a<r%d><r%d>\", [\"<r%d>\", \"c\"], \"b\"]", i, (i * 7 + 1) % 20000,
                 (i + 1) % 20000, i / 2);
    buf_add_byte(&text, '}');
    struct grammar *g = load_json(buf_string(&text));
    for (uint64_t i = 0; i < 50; i++) {
        struct derived d = derive_one(g, "start", i,
                                      (struct grammar_limits){.max_bytes = 1000, .max_depth = 30});
        ck_assert_uint_le(d.out.len, 1000);
        derived_release(&d);
    }
    grammar_free(g);
    buf_release(&text);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_loop_test(t, single_texts, 0, sizeof single / sizeof *single);
    tcase_add_test(t, arithmetic_in_a_book);
    tcase_add_loop_test(t, messages, 0, sizeof bad / sizeof *bad);
    tcase_add_test(t, both_notations);
    tcase_add_test(t, many_rules);
}

int main(void)
{
    return unit_main("json_grammar", fill);
}
