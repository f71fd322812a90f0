/* grammar/expr: what parses into what, and what does not. Values are tested through templates
 * (test_generate). */
#include <stdio.h>

#include "grammar/expr.h"
#include "unit.h"

static struct arena arena;
static const struct plan_place place = {"case", 7};

static void set_up(void)
{
    arena_init(&arena);
}

static void tear_down(void)
{
    arena_release(&arena);
}

static const char *const signs[] = {
    [EXPR_NEGATE] = "neg", [EXPR_NOT] = "not", [EXPR_AND] = "and", [EXPR_OR] = "or", [EXPR_ADD] = "+",
    [EXPR_SUBTRACT] = "-", [EXPR_MULTIPLY] = "*", [EXPR_DIVIDE] = "/", [EXPR_REMAINDER] = "%", [EXPR_EQUAL] = "=",
    [EXPR_UNEQUAL] = "!=", [EXPR_LESS] = "<", [EXPR_LESS_EQUAL] = "<=", [EXPR_GREATER] = ">", [EXPR_GREATER_EQUAL] = ">="};

/* As a list, prefix notation. */
static void show(const struct expr *e, struct buf *out)
{
    if (e->kind == EXPR_INTEGER || e->kind == EXPR_BOOL)
        buf_addf(out, e->kind == EXPR_BOOL ? "#%lld" : "%lld", (long long)e->integer);
    else if (e->kind == EXPR_TEXT)
        buf_addf(out, "'%.*s'", BYTES_ARG(e->text));
    else if (e->kind == EXPR_NAME)
        buf_addf(out, "%.*s%s%.*s", BYTES_ARG(e->text), e->rest.len ? ":" : "", BYTES_ARG(e->rest));
    else
        buf_addf(out, "(%.*s%s", BYTES_ARG(e->text), e->kind == EXPR_CALL ? "" : signs[e->kind]);
    for (size_t i = 0; i < e->arg_count; i++) {
        buf_add_byte(out, ' ');
        show(e->args[i], out);
    }
    if (e->kind >= EXPR_CALL)
        buf_add_byte(out, ')');
}

static const struct {
    const char *text, *tree;
} trees[] = {
    {"1", "1"},
    {" 0o644 ", "420"},
    {"9223372036854775807", "9223372036854775807"},
    {"-1", "(neg 1)"},
    {"--1", "(neg (neg 1))"},
    {"'a\"b'", "'a\"b'"},
    {"\"a'b\"", "'a'b'"},
    {"''", "''"},
    {"true", "#1"},
    {"falsehood", "falsehood"},
    {"a-b", "a-b"},
    {"a - b", "(- a b)"},
    {"a -b", "(- a b)"},
    {"table.data.sum.unit-price", "table:data.sum.unit-price"},
    {"1+2*3", "(+ 1 (* 2 3))"},
    {"(1+2)*3", "(* (+ 1 2) 3)"},
    {"10-3-2", "(- (- 10 3) 2)"},
    {"8/2%3", "(% (/ 8 2) 3)"},
    {"a = 1 and b != 2 or not c", "(or (and (= a 1) (!= b 2)) (not c))"},
    {"a == 1", "(= a 1)"},
    {"a lt 1 and b ge 2", "(and (< a 1) (>= b 2))"},
    {"a<=1", "(<= a 1)"},
    {"len(x)+1", "(+ (len x) 1)"},
    {"esc.sh(x.path)", "(esc.sh x:path)"},
    {"if(a > 0, 'x', y.z)", "(if (> a 0) 'x' y:z)"},
    {"steps()", "(steps)"},
    {"max( 1 , 2 , 3 )", "(max 1 2 3)"},
    {"notary and order", "(and notary order)"},
};

START_TEST(trees_of_expressions)
{
    struct expr *e = NULL;
    struct buf shown;
    ck_assert_int_eq(expr_parse(&arena, bytes_of_string(trees[_i].text), place, &e, NULL), 0);
    buf_init(&shown, 1 << 16);
    show(e, &shown);
    ck_assert_str_eq(buf_string(&shown), trees[_i].tree);
    buf_release(&shown);
}
END_TEST

static const struct {
    const char *text, *message;
} faults[] = {
    {"", "case:7: expression \"\", at character 1: it ends too early, expected a name, a number, 'text' or ("},
    {"a b", "something follows the expression, expected its end"},
    {"(a", "at character 3: a parenthesis without its end, expected )"},
    {"'a", "text without its closing quote, expected '"},
    {"a.", "at character 2: a dot without a name after it, expected a property"},
    {"1a", "a malformed number, expected digits"},
    {"0o8", "a digit that octal numbers do not have, expected 0 to 7"},
    {"9223372036854775808", "a number too big, expected one below 2^63"},
    {"a ! b", "something follows the expression"},
    {"a = b = c", "something follows the expression"},
    {"len()", "function len has 0 arguments, expected len(x)"},
    {"slice(a, 1)", "function slice has 2 arguments, expected slice(x, from, to)"},
    {"esc.sh(a, b)", "function esc.sh has 2 arguments, expected one"},
    {"nope(a)", "unknown function \"nope\""},
    {"len(a", "an argument list without its end, expected , or )"},
    {"max(1,2,3,4,5,6,7,8,9)", "too many arguments, expected at most 8"},
    {"a +", "it ends too early"},
    {"#", "an unexpected character"},
};

START_TEST(faults_in_expressions)
{
    struct expr *e = NULL;
    struct error *err = NULL;
    ck_assert_int_eq(expr_parse(&arena, bytes_of_string(faults[_i].text), place, &e, &err), ERR_INPUT);
    ck_assert_msg(strncmp(err->text, "case:7: ", 8) == 0 && strstr(err->text, faults[_i].message), "%s: %s",
                  faults[_i].text, err->text);
    error_free(err);
}
END_TEST

START_TEST(nesting_is_bounded)
{
    struct buf text;
    struct expr *e = NULL;
    static const char *const deep[] = {"(", "-", "not ", "len("};
    for (size_t k = 0; k < sizeof deep / sizeof deep[0]; k++) {
        buf_init(&text, 1 << 20);
        for (int i = 0; i < 400; i++)
            buf_add_string(&text, deep[k]);
        ck_assert_int_eq(expr_parse(&arena, buf_bytes(&text), place, &e, NULL), ERR_INPUT);
        buf_release(&text);
    }
    buf_init(&text, 1 << 20);
    buf_add_string(&text, "1");
    for (int i = 0; i < 1000; i++)
        buf_add_string(&text, "+1");
    struct error *err = NULL;
    ck_assert_int_eq(expr_parse(&arena, buf_bytes(&text), place, &e, &err), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "2001 characters, expected at most 2000"));
    error_free(err);
    buf_release(&text);
    ck_assert_int_eq(expr_parse(&arena, bytes_of("a\0b", 3), place, &e, NULL), ERR_INPUT);
}
END_TEST

START_TEST(names)
{
    ck_assert(expr_is_name(BYTES_LITERAL("a")) && expr_is_name(BYTES_LITERAL("_a-1")));
    ck_assert(!expr_is_name(BYTES_NONE) && !expr_is_name(BYTES_LITERAL("a-")) &&
              !expr_is_name(BYTES_LITERAL("1a")));
    ck_assert(!expr_is_name(BYTES_LITERAL("a.b")) && !expr_is_name(BYTES_LITERAL("a--b")) &&
              !expr_is_name(BYTES_LITERAL("a\0")));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, trees_of_expressions, 0, sizeof trees / sizeof trees[0]);
    tcase_add_loop_test(tests, faults_in_expressions, 0, sizeof faults / sizeof faults[0]);
    tcase_add_test(tests, nesting_is_bounded);
    tcase_add_test(tests, names);
}

int main(void)
{
    return unit_main("expr", fill);
}
