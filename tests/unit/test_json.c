/* base/json: building, changing, copying, comparing and finding. */
#include <math.h>
#include <signal.h>

#include "json_case.h"

START_TEST(building)
{
    struct json *object = json_new(&arena, JSON_OBJECT), *array = json_new(&arena, JSON_ARRAY);
    ck_assert_ptr_eq(json_set(&arena, object, "list", array), array);
    json_add(array, json_integer(&arena, INT64_MIN));
    json_add(array, json_integer(&arena, 0));
    json_add(array, json_real(&arena, 0.1));
    json_add(array, json_real(&arena, 100));
    json_add(array, json_real(&arena, 1e300));
    json_add(array, json_real(&arena, -2.5e-10));
    json_add(array, json_real(&arena, -0.0));
    json_add(array, json_bool(&arena, true));
    json_add(array, json_bool(&arena, false));
    json_add(array, json_new(&arena, JSON_NULL));
    json_add(array, json_raw(&arena, BYTES_LITERAL("{\"a\":1,\"a\":01}")));
    json_add(array, json_text(&arena, "t"));
    json_set_bytes(&arena, object, BYTES_LITERAL("k\0"), json_string(&arena, BYTES_LITERAL("v\0")));
    ck_assert_uint_eq(object->count, 2);
    ck_assert_uint_eq(array->count, 12);
    ck_assert_str_eq(text_of(object),
                     "{\"list\":[-9223372036854775808,0,0.1,100,1e+300,-2.5e-10,-0,true,false,null,"
                     "{\"a\":1,\"a\":01},\"t\"],\"k\\u0000\":\"v\\u0000\"}");
}
END_TEST

START_TEST(reals_read_back)
{
    static const double values[] = {0,
                                    1,
                                    -1,
                                    0.1,
                                    1.0 / 3,
                                    5e-324,
                                    2.2250738585072014e-308,
                                    1.7976931348623157e308,
                                    1e21,
                                    1e22,
                                    123456,
                                    1e15 + .5,
                                    9007199254740993.0,
                                    1e-7,
                                    0.000123};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double back = NAN;
        ck_assert(json_as_real(json_real(&arena, values[i]), &back));
        ck_assert(back == values[i]);
    }
}
END_TEST

START_TEST(infinity_aborts)
{
    json_real(&arena, INFINITY);
}
END_TEST

START_TEST(second_parent_aborts)
{
    struct json *value = json_text(&arena, "x");
    json_add(json_new(&arena, JSON_ARRAY), value);
    json_add(json_new(&arena, JSON_ARRAY), value);
}
END_TEST

START_TEST(adding_to_a_string_aborts)
{
    json_add(json_text(&arena, "x"), json_text(&arena, "y"));
}
END_TEST

START_TEST(replacing_the_root_aborts)
{
    json_replace(json_text(&arena, "x"), json_text(&arena, "y"));
}
END_TEST

START_TEST(removing)
{
    struct json *array = parse("[1,2,3]");
    struct json *second = json_at(array, 1);
    json_remove(array, second);
    ck_assert_str_eq(text_of(array), "[1,3]");
    ck_assert_ptr_null(second->parent);
    json_remove(array, json_at(array, 1)); /* the last one */
    json_add(array, second);
    ck_assert_str_eq(text_of(array), "[1,2]");
    json_remove(array, json_at(array, 0)); /* the first one */
    json_remove(array, second);
    ck_assert_str_eq(text_of(array), "[]");
    ck_assert_ptr_null(array->last);
    json_add(array, json_integer(&arena, 9));
    ck_assert_str_eq(text_of(array), "[9]");
}
END_TEST

START_TEST(replacing)
{
    struct json *object = parse("{\"a\":1,\"b\":[2],\"c\":3}");
    struct json *b = json_get(object, "b");
    json_replace(b, json_text(&arena, "B"));
    json_replace(json_get(object, "c"), json_text(&arena, "C"));
    ck_assert_str_eq(text_of(object), "{\"a\":1,\"b\":\"B\",\"c\":\"C\"}");
    json_set(&arena, object, "d", b); /* the replaced one is free again */
    ck_assert_str_eq(text_of(object), "{\"a\":1,\"b\":\"B\",\"c\":\"C\",\"d\":[2]}");
}
END_TEST

START_TEST(copying)
{
    const char *text = "{\"a\":[1,[2,{\"b\":null}],[]],\"c\":{},\"d\":\"\\u0000\"}";
    struct json *value = parse(text);
    struct json *copy = json_copy(&arena, value);
    ck_assert_str_eq(text_of(copy), text);
    ck_assert(json_equal(value, copy));
    json_add(json_get(copy, "a"), json_text(&arena, "new"));
    ck_assert_str_eq(text_of(value), text);

    struct json *part = json_copy(&arena,
                                  json_get(value, "a")); /* a part comes without siblings, parent and key */
    ck_assert_ptr_null(part->parent);
    ck_assert_ptr_null(part->next);
    ck_assert_uint_eq(part->key.len, 0);
    ck_assert_str_eq(text_of(part), "[1,[2,{\"b\":null}],[]]");
    ck_assert_ptr_null(json_copy(&arena, NULL));

    struct arena other;
    arena_init(&other);
    struct json *away = json_copy(&other, value);
    arena_clear(&arena); /* a copy owns all it needs */
    buf_clear(&written);
    json_write(&written, away, JSON_COMPACT);
    ck_assert_str_eq(buf_string(&written), text);
    arena_release(&other);
}
END_TEST

static const struct {
    const char *a, *b;
    bool equal;
} comparisons[] = {
    {"null", "null", true},
    {"null", "false", false},
    {"1", "1.0", false}, /* by lexeme */
    {"[1,2]", "[2,1]", false},
    {"[1,2]", "[1]", false},
    {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
    {"{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}", false},
    {"{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}", true},
    {"{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}",
     false}, /* the order of doubled keys matters: the last one wins */
    {"{\"a\":1,\"b\":1}", "{\"a\":1,\"a\":1}", false},
    {"{\"a\":[{\"x\":[]}]}", "{\"a\":[{\"x\":[]}]}", true},
    {"{\"a\":[{\"x\":[]}]}", "{\"a\":[{\"x\":{}}]}", false},
    {"\"a\\u0000b\"", "\"a\\u0000b\"", true},
    {"\"a\\u0000b\"", "\"a\\u0000c\"", false},
    {"\"\\u00e9\"", "\"\xC3\xA9\"", true},
};

START_TEST(comparing)
{
    struct json *a = parse(comparisons[_i].a), *b = parse(comparisons[_i].b);
    ck_assert_int_eq(json_equal(a, b), comparisons[_i].equal);
    ck_assert_int_eq(json_equal(b, a), comparisons[_i].equal);
    ck_assert(json_equal(a, a));
    ck_assert(!json_equal(a, NULL) && !json_equal(NULL, a) && json_equal(NULL, NULL));
}
END_TEST

START_TEST(getting)
{
    struct json *object = parse("{\"a\":1,\"b\":\"x\",\"a\":2,\"n\\u0000\":3}");
    ck_assert_str_eq(text_of(json_get(object, "a")), "2");
    ck_assert_str_eq(text_of(json_get_bytes(object, BYTES_LITERAL("n\0"))), "3");
    ck_assert_ptr_null(json_get(object, "n"));
    ck_assert_ptr_null(json_get(NULL, "a"));
    ck_assert_ptr_null(json_get(parse("[]"), "a"));
    ck_assert_ptr_null(json_at(parse("[1]"), 1));
    ck_assert_ptr_null(json_at(object, 0));
    ck_assert_ptr_null(json_at(NULL, 0));
    ASSERT_BYTES(json_as_text(json_get(object, "b")), "x");
    ASSERT_BYTES(json_as_text(json_get(object, "a")), "2");
    ck_assert_ptr_null(json_as_text(object).data);
    ck_assert_ptr_null(json_as_text(NULL).data);
    ck_assert(json_is(object, JSON_OBJECT) && !json_is(NULL, JSON_NULL));
    ck_assert(json_as_bool(parse("true"), false) && !json_as_bool(parse("false"), true));
    ck_assert(json_as_bool(parse("1"), true) && !json_as_bool(NULL, false));
    ck_assert_str_eq(json_kind_name(JSON_RAW), "raw");
    ck_assert_str_eq(json_kind_name(JSON_NULL), "null");
}
END_TEST

static const struct {
    const char *text;
    bool integer;
    int64_t expected;
    bool real;
} numbers[] = {
    {"0", true, 0, true},
    {"-0", true, 0, true},
    {"9223372036854775807", true, INT64_MAX, true},
    {"9223372036854775808", false, 0, true},
    {"-9223372036854775808", true, INT64_MIN, true},
    {"-9223372036854775809", false, 0, true},
    {"18446744073709551616", false, 0, true},
    {"100000000000000000000000", false, 0, true},
    {"1.0", false, 0, true},
    {"1e2", false, 0, true},
    {"1e999", false, 0, false},
    {"-1e999", false, 0, false},
    {"1e-999", false, 0, true},
    {"\"5\"", false, 0, false},
    {"null", false, 0, false},
};

START_TEST(number_access)
{
    struct json *value = parse(numbers[_i].text);
    int64_t integer = 7;
    double real = 7;
    ck_assert_int_eq(json_as_integer(value, &integer), numbers[_i].integer);
    ck_assert_int_eq(integer, numbers[_i].integer ? numbers[_i].expected : 7);
    ck_assert_int_eq(json_as_real(value, &real), numbers[_i].real);
    ck_assert(numbers[_i].real || real == 7);
    ck_assert(!json_as_integer(NULL, &integer) && !json_as_real(NULL, &real));
}
END_TEST

/* The examples of RFC 6901, then what must find nothing. */
static const struct {
    struct bytes pointer;
    const char *expected;
} pointers[] = {
    {BYTES_LITERAL("/foo"), "[\"bar\",\"baz\"]"},
    {BYTES_LITERAL("/foo/0"), "\"bar\""},
    {BYTES_LITERAL("/"), "0"},
    {BYTES_LITERAL("/a~1b"), "1"},
    {BYTES_LITERAL("/c%d"), "2"},
    {BYTES_LITERAL("/e^f"), "3"},
    {BYTES_LITERAL("/g|h"), "4"},
    {BYTES_LITERAL("/i\\j"), "5"},
    {BYTES_LITERAL("/k\"l"), "6"},
    {BYTES_LITERAL("/ "), "7"},
    {BYTES_LITERAL("/m~0n"), "8"},
    {BYTES_LITERAL("/o\0p"), "9"},
    {BYTES_LITERAL("/twice"), "11"},
    {BYTES_LITERAL("/~01"), "12"},
    {BYTES_LITERAL("//"), NULL},
    {BYTES_LITERAL("foo"), NULL},
    {BYTES_LITERAL("/foo/2"), NULL},
    {BYTES_LITERAL("/foo/00"), NULL},
    {BYTES_LITERAL("/foo/01"), NULL},
    {BYTES_LITERAL("/foo/-"), NULL},
    {BYTES_LITERAL("/foo/-1"), NULL},
    {BYTES_LITERAL("/foo/1e0"), NULL},
    {BYTES_LITERAL("/foo/"), NULL},
    {BYTES_LITERAL("/foo/99999999999999999999"), NULL},
    {BYTES_LITERAL("/foo/0/x"), NULL},
    {BYTES_LITERAL("/m~n"), NULL},
    {BYTES_LITERAL("/m~"), NULL},
    {BYTES_LITERAL("/m~2n"), NULL},
    {BYTES_LITERAL("/fo"), NULL},
    {BYTES_LITERAL("/fooo"), NULL},
};

START_TEST(pointing)
{
    struct json *value = parse(
        "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,"
        "\"k\\\"l\":6,\" \":7,\"m~n\":8,\"o\\u0000p\":9,\"twice\":10,\"twice\":11,\"~1\":12}");
    ck_assert_ptr_eq(json_pointer(value, BYTES_NONE), value);
    struct json *found = json_pointer(value, pointers[_i].pointer);
    if (pointers[_i].expected)
        ck_assert_str_eq(found ? text_of(found) : "nothing", pointers[_i].expected);
    else
        ck_assert_ptr_null(found);
    ck_assert_ptr_null(json_pointer(NULL, pointers[_i].pointer));
}
END_TEST

/* The walk as a text: numbers by their digit, containers by their bracket; what is below `closed` is passed over. */
static void walk(const struct json *root, const struct json *closed, char text[64])
{
    size_t n = 0;
    for (const struct json *v = root; v; v = json_next(root, v, v != closed))
        text[n++] = json_is(v, JSON_NUMBER) ? (char)v->text.data[0] : json_is(v, JSON_ARRAY) ? '[' : '{';
    text[n] = 0;
}

START_TEST(walking)
{
    struct json *root = parse("[1,{\"a\":[2,3],\"b\":{}},4]"), *list = json_get(json_at(root, 1), "a");
    char text[64];
    walk(root, NULL, text);
    ck_assert_str_eq(text, "[1{[23{4");
    walk(root, list, text);
    ck_assert_str_eq(text, "[1{[{4");
    /* It ends with the root, whatever stands beside that. */
    walk(list, NULL, text);
    ck_assert_str_eq(text, "[23");
    walk(list, list, text);
    ck_assert_str_eq(text, "[");
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, json_set_up, json_tear_down);
    tcase_add_test(tests, building);
    tcase_add_test(tests, reals_read_back);
    tcase_add_test_raise_signal(tests, infinity_aborts, SIGABRT);
    tcase_add_test_raise_signal(tests, second_parent_aborts, SIGABRT);
    tcase_add_test_raise_signal(tests, adding_to_a_string_aborts, SIGABRT);
    tcase_add_test_raise_signal(tests, replacing_the_root_aborts, SIGABRT);
    tcase_add_test(tests, removing);
    tcase_add_test(tests, replacing);
    tcase_add_test(tests, copying);
    tcase_add_loop_test(tests, comparing, 0, sizeof comparisons / sizeof *comparisons);
    tcase_add_test(tests, getting);
    tcase_add_test(tests, walking);
    tcase_add_loop_test(tests, number_access, 0, sizeof numbers / sizeof *numbers);
    tcase_add_loop_test(tests, pointing, 0, sizeof pointers / sizeof *pointers);
}

int main(void)
{
    return unit_main("json", fill);
}
