/* gen/recipe: completion, making, streaming, limits. The bytes are looked at in test_recipe_bytes.c. */
#include "base/utf8.h"
#include "gen/charset.h"
#include "recipe_case.h"

/* Attributes that the elements of templates have themselves, so no parameter may be called so. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {"name",  "prop", "unique", "when", "rule",
                                           "value", "int",  "recipe", "pick"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

START_TEST(registry)
{
    size_t count = 0;
    for (const struct recipe *r; (r = recipe_at(count)); count++) {
        ck_assert_ptr_eq(recipe_find(bytes_of_string(r->name)), r);
        ck_assert_ptr_nonnull(r->doc);
        ck_assert_int_eq(!!r->make + (r->fill && r->size) + !!r->compose, 1);
        for (size_t i = 0; i < r->parameter_count; i++) {
            ck_assert(recipe_parameter_known(r, r->parameters[i].name));
            ck_assert_msg(!is_reserved(r->parameters[i].name), "%s", r->name);
            ck_assert_ptr_nonnull(r->parameters[i].doc);
        }
        for (size_t i = 0; r->facts && r->facts[i]; i++)
            ck_assert(strchr(r->facts[i], '*') || recipe_fact_known(r, r->facts[i]));
        ck_assert(recipe_fact_known(r, "sha256") && recipe_fact_known(r, "size"));
        ck_assert(!recipe_parameter_known(r, "frob") && !recipe_fact_known(r, "frob"));
    }
    ck_assert_uint_eq(count, 31);
    ck_assert_ptr_null(recipe_find(BYTES_LITERAL("frob")));
    ck_assert_ptr_null(recipe_find(BYTES_NONE));
    const struct recipe *labelled = recipe_find(BYTES_LITERAL("labelled-csv"));
    ck_assert(recipe_fact_known(labelled, "count.3"));
    ck_assert(!recipe_fact_known(labelled, "count."));
    ck_assert(!recipe_fact_known(labelled, "count"));
}
END_TEST

START_TEST(completion)
{
    ck_assert_str_eq(
        text_of(complete_of("{\"$recipe\":\"csv\",\"seed\":7}")),
        "{\"$recipe\":\"csv\",\"rows\":100,\"header\":true,\"delimiter\":\"comma\",\"quoting\":\"some\","
        "\"newline\":\"lf\",\"seed\":7}");
    struct json *once = complete_of("{\"insert\":{\"size\":3,\"$recipe\":\"zeros\"},\"$recipe\":\"splice\","
                                    "\"base\":{\"$bytes\":\"/w==\"}}");
    ck_assert_uint_eq(json_get(once, "base")->text.len, 1);
    char *text = xstrdup(text_of(once));
    struct json *twice;
    ck_assert_int_eq(recipe_complete(once, "test", &arena, &twice, NULL), 0);
    ck_assert_str_eq(text, text_of(twice));
    free(text);
}
END_TEST

static const struct {
    const char *recipe, *message;
} faults[] = {
    {"{}",
     "test: $recipe: found nothing, expected one of the recipes that 'taskgen domains --recipes' lists"},
    {"{\"$recipe\":7}",
     "test: $recipe: found 7, expected one of the recipes that 'taskgen domains --recipes' lists"},
    {"{\"$recipe\":\"csv\",\"rows\":\"9\"}",
     "test: rows: found '9', expected a whole number from 0 to 1000000"},
    {"{\"$recipe\":\"csv\",\"rows\":1.5}",
     "test: rows: found 1.5, expected a whole number from 0 to 1000000"},
    {"{\"$recipe\":\"csv\",\"rows\":1000001}",
     "test: rows: found 1000001, expected a whole number from 0 to 1000000"},
    {"{\"$recipe\":\"zeros\",\"size\":1073741825}",
     "test: size: found 1073741825, expected a whole number from 0 to 1073741824"},
    {"{\"$recipe\":\"csv\",\"header\":1}", "test: header: found 1, expected true or false"},
    {"{\"$recipe\":\"csv\",\"newline\":\"nel\"}", "test: newline: found 'nel', expected one of lf, crlf, cr"},
    {"{\"$recipe\":\"csv\",\"size\":1}",
     "test: found 'size', expected a parameter of csv: rows, header, delimiter, quoting, newline, seed"},
    {"{\"$recipe\":\"lines\",\"prefix\":7}", "test: prefix: found 7, expected a string of 0 to 4096 bytes"},
    {"{\"$recipe\":\"splice\"}", "test: base: found nothing, expected a content: a string or a recipe"},
    {"{\"$recipe\":\"splice\",\"base\":[]}",
     "test: base: found array, expected a content: a string or a recipe"},
    {"{\"$recipe\":\"splice\",\"base\":{\"$recipe\":\"zeros\",\"size\":-1}}",
     "test: base: size: found -1, expected a whole number from 0 to 1073741824"},
    {"{\"$recipe\":\"text\",\"encoding\":\"latin-1\",\"script\":\"cjk\"}",
     "test: script: found 'cjk', expected one that latin-1 can write"},
    {"{\"$recipe\":\"text\",\"encoding\":\"shift-jis\",\"script\":\"mixed\"}",
     "test: script: found 'mixed', expected one that shift-jis can write"},
    {"{\"$recipe\":\"text\",\"lines\":1000000,\"words\":1000}",
     "test: lines: found lines with more than 4000000 words in all, expected fewer"},
    {"{\"$recipe\":\"wav\",\"bits\":12}", "test: bits: found 12, expected 8 or 16"},
    {"{\"$recipe\":\"wav\",\"rate\":192000,\"milliseconds\":3600000}",
     "test: milliseconds: found a sound of more than 67108864 bytes, expected a shorter one"},
    {"{\"$recipe\":\"sqlite\",\"page-size\":3000}", "test: page-size: found 3000, expected a power of two"},
    {"{\"$recipe\":\"zip\",\"file-name\":\"../a\"}",
     "test: file-name: found '../a', expected a path below the archive's root"},
    {"{\"$recipe\":\"tar\",\"file-name\":\"/a\"}",
     "test: file-name: found '/a', expected a path below the archive's root"},
    {"{\"$recipe\":\"tar\",\"file-name\":\"a/../../b\"}",
     "test: file-name: found 'a/../../b', expected a path below the archive's root"},
    {"{\"$recipe\":\"zip\",\"files\":5000,\"lines\":1000}",
     "test: files: found files with more than 200000 lines in all, expected fewer"},
    {"{\"$recipe\":\"gzip\"}", "test: of: found nothing, expected a content: a string or a recipe"},
    {"{\"$recipe\":\"gzip\",\"of\":\"\",\"file-name\":\"a\\u0000b\"}",
     "test: file-name: found bytes that are no plain text, expected a line of UTF-8"},
    {"{\"$recipe\":\"svg\",\"title\":\"a\\nb\"}",
     "test: title: found bytes that are no plain text, expected a line of UTF-8"},
    {"{\"$recipe\":\"html\",\"charset\":\"latin-1\",\"script\":\"cjk\"}",
     "test: script: found 'cjk', expected ascii or latin, which latin-1 can write"},
    {"{\"$recipe\":\"html\",\"charset\":\"latin-1\",\"title\":\"表\"}",
     "test: title: found '表', expected characters that latin-1 can write"},
    {"{\"$recipe\":\"eml\",\"file-name\":\"a/b\"}",
     "test: file-name: found 'a/b', expected a file name without quotes and slashes"},
    {"{\"$recipe\":\"source\",\"file\":\"header\"}",
     "test: file: found 'header', which a tree of python does not have"},
    {"{\"$recipe\":\"source\",\"module\":3}",
     "test: module: found 3 of 3 modules, expected a smaller one; 0 is the first"},
    {"{\"$recipe\":\"project\",\"folder\":\"a/b\"}",
     "test: folder: found 'a/b', expected letters, digits, dots, _ and -"},
    {"{\"$recipe\":\"project\",\"folder\":\"..\"}",
     "test: folder: found '..', expected letters, digits, dots, _ and -"},
    {"{\"$recipe\":\"npy\",\"rows\":4194304,\"columns\":2}",
     "test: rows: found an array of more than 4194304 numbers, expected fewer"},
    {"{\"$recipe\":\"safetensors\",\"layers\":200,\"width\":1024}",
     "test: width: found a model of more than 4194304 numbers, expected fewer"},
};

START_TEST(completion_faults)
{
    struct json *complete;
    struct error *err = NULL;
    ck_assert_int_eq(recipe_complete(parse(faults[_i].recipe), "test", &arena, &complete, &err), ERR_INPUT);
    ck_assert_str_eq(err->text, faults[_i].message);
    error_free(err);
}
END_TEST

START_TEST(nesting_is_bounded)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    for (int depth = RECIPE_NESTING_MAX; depth <= 2000; depth += 1992) {
        buf_clear(&text);
        for (int i = 0; i < depth - 1; i++)
            buf_add_string(&text, "{\"$recipe\":\"splice\",\"insert\":\"x\",\"base\":");
        buf_add_string(&text, "{\"$recipe\":\"zeros\",\"size\":1}");
        for (int i = 0; i < depth - 1; i++)
            buf_add_string(&text, "}");
        struct json *value = parse(buf_string(&text)), *complete;
        struct error *err = NULL;
        int status = recipe_complete(value, "test", &arena, &complete, &err);
        if (depth == RECIPE_NESTING_MAX) {
            ck_assert_int_eq(status, 0);
            ck_assert_int_eq(content_size(value), depth);
        } else {
            ck_assert_int_eq(status, ERR_INPUT);
            ck_assert(bytes_ends(bytes_of_string(err->text),
                                 BYTES_LITERAL("nested more than 8 deep, expected fewer")));
            ck_assert_int_eq(content_size(value), -1);
        }
        error_free(err);
    }
    buf_release(&text);
}
END_TEST

START_TEST(plain_contents)
{
    struct buf out;
    make(parse("\"a\\u0000b\""), &out);
    ASSERT_BYTES(buf_bytes(&out), "a\0b");
    buf_release(&out);
    make(parse("{\"$bytes\":\"AP8=\"}"), &out);
    ASSERT_BYTES(buf_bytes(&out), "\0\xff");
    buf_release(&out);
    make(parse("\"\""), &out);
    ck_assert_uint_eq(out.len, 0);
    buf_release(&out);
    ck_assert_int_eq(content_size(parse("\"abc\"")), 3);
    ck_assert(content_is_utf8(parse("\"\\u0000ü\"")));
    ck_assert(!content_is_utf8(parse("{\"$bytes\":\"AP8=\"}")));
    ck_assert_str_eq(text_of(content_fact(parse("\"abc\""), BYTES_LITERAL("sha256"), &arena)),
                     "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"");
    ck_assert_ptr_null(content_fact(parse("\"abc\""), BYTES_LITERAL("rows"), &arena));
}
END_TEST

static const char *const no_contents[] = {"null",
                                          "7",
                                          "[]",
                                          "{}",
                                          "{\"$bytes\":\"a\"}",
                                          "{\"$bytes\":1}",
                                          "{\"$content\":\"c1\"}",
                                          "{\"$recipe\":\"frob\"}"};

START_TEST(what_is_no_content)
{
    struct json *value = parse(no_contents[_i]);
    struct error *err = NULL;
    struct content_stream *stream = (struct content_stream *)1;
    struct buf out;
    buf_init(&out, 100);
    ck_assert_int_eq(content_make(value, 100, &out, &err), ERR_INPUT);
    ck_assert_ptr_nonnull(err);
    error_free(err);
    ck_assert_int_eq(content_open(value, &stream, NULL), ERR_INPUT);
    ck_assert_ptr_null(stream);
    ck_assert_int_eq(content_size(value), -1);
    ck_assert(!content_is_utf8(value));
    ck_assert_ptr_null(content_fact(value, BYTES_LITERAL("size"), &arena));
    ck_assert_ptr_null(content_fact(value, BYTES_LITERAL("sha256"), &arena));
    ck_assert_int_eq(content_open(NULL, &stream, NULL), ERR_INPUT);
    content_close(NULL);
    buf_release(&out);
}
END_TEST

START_TEST(limits)
{
    struct json *value = parse("{\"$recipe\":\"zeros\",\"size\":100}");
    struct error *err = NULL;
    struct buf out;
    buf_init(&out, 1000);
    ck_assert_int_eq(content_make(value, 99, &out, &err), ERR_LIMIT);
    ck_assert_str_eq(err->text, "content has 100 bytes, more than the 99 that are allowed");
    error_free(err);
    err = NULL;
    ck_assert_uint_eq(out.len, 0);
    ck_assert_int_eq(content_make(value, 100, &out, &err), 0);
    buf_release(&out);
    buf_init(&out, 50);
    ck_assert_int_eq(content_make(value, 100, &out, &err), ERR_LIMIT);
    ck_assert_str_eq(err->text, "content does not fit into a buffer of 50 bytes");
    error_free(err);
    buf_release(&out);
}
END_TEST

/* Streamed in odd pieces it is what it is made whole; size and UTF-8 are what the bytes say. */
static void check_stream(const char *text, int number, void *context)
{
    struct json *value = parse(text);
    struct content_stream *stream;
    struct buf whole, streamed;
    make(value, &whole);
    buf_init(&streamed, SIZE_MAX / 4);
    ck_assert_int_eq(content_open(value, &stream, NULL), 0);
    static uint8_t piece[8192];
    for (size_t want = 1, got; (got = content_read(stream, piece, want)) > 0; want = want * 5 % 8191 + 1)
        buf_add(&streamed, bytes_of(piece, got));
    ck_assert_uint_eq(content_read(stream, piece, 10), 0);
    content_close(stream);
    ck_assert_msg(bytes_equal(buf_bytes(&whole), buf_bytes(&streamed)), "%s", text);
    ck_assert_int_eq(content_size(value), (int64_t)whole.len);
    ck_assert_msg(content_is_utf8(value) == utf8_valid(buf_bytes(&whole)), "%s", text);
    buf_release(&whole);
    buf_release(&streamed);
}

START_TEST(streams)
{
    each_content(check_stream, NULL);
}
END_TEST

/* Whatever does not fit is refused; nothing is cut, and nothing is written past the end. */
static void check_too_small(const char *text, int number, void *context)
{
    struct json *value = parse(text);
    int64_t size = content_size(value);
    const int64_t sizes[] = {0, 1, size / 4, size / 2, size - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] < 0 || sizes[i] >= size)
            continue;
        struct error *err = NULL;
        struct buf out;
        buf_init(&out, (size_t)sizes[i]);
        ck_assert_msg(content_make(value, (size_t)sizes[i], &out, &err) == ERR_LIMIT, "%s in %lld bytes",
                      text, (long long)sizes[i]);
        ck_assert_ptr_nonnull(err);
        error_free(err);
        buf_release(&out);
    }
}

START_TEST(too_small)
{
    each_content(check_too_small, NULL);
}
END_TEST

/* Of one seed and number of rows, all that hold the articles hold the same ones. */
START_TEST(one_table)
{
    static const char *const names[] = {"ndjson", "xlsx", "sqlite", "html"};
    static const char *const facts[] = {"rows",         "sum.price",    "sum.quantity", "sum.value",
                                        "max.quantity", "min.quantity", "max.price",    "min.price",
                                        "count.food",   "count.toys"};
    struct json *csv = parse("{\"$recipe\":\"csv\",\"rows\":77,\"seed\":9}");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct json *other = parse(
            arena_printf(&arena, "{\"$recipe\":\"%s\",\"rows\":77,\"seed\":9}", names[n]));
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
            struct bytes fact = bytes_of_string(facts[i]);
            struct json *here = content_fact(csv, fact, &arena), *there = content_fact(other, fact, &arena);
            ck_assert_ptr_nonnull(here);
            ck_assert_msg(json_equal(here, there), "%s of %s", facts[i], names[n]);
        }
    }
}
END_TEST

/* A fact that does not need the bytes is told of a content that would take long to make. */
START_TEST(cheap_facts)
{
    static const struct {
        const char *recipe, *fact, *value;
    } cases[] = {
        {"{\"$recipe\":\"sqlite\",\"rows\":500000}", "rows", "500000"},
        {"{\"$recipe\":\"pdf\",\"pages\":500,\"lines\":50,\"words\":8}", "words", "200000"},
        {"{\"$recipe\":\"wav\",\"rate\":48000,\"milliseconds\":600000}", "frames", "28800000"},
        {"{\"$recipe\":\"docx\",\"paragraphs\":5000,\"words\":200}", "words", "1000000"},
        {"{\"$recipe\":\"npy\",\"rows\":4194304,\"columns\":1}", "elements", "4194304"},
        {"{\"$recipe\":\"gzip\",\"of\":{\"$recipe\":\"zeros\",\"size\":1073741824}}", "plain-size",
         "1073741824"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int n = 0; n < 1000; n++) /* made each time it would take minutes */
            ck_assert_str_eq(
                text_of(content_fact(parse(cases[i].recipe), bytes_of_string(cases[i].fact), &arena)),
                cases[i].value);
}
END_TEST

START_TEST(any_offset)
{
    static const char *const names[] = {"random", "pattern", "zeros"};
    for (size_t n = 0; n < 3; n++) {
        struct json *p = complete_of(arena_printf(&arena, "{\"$recipe\":\"%s\",\"size\":5000}", names[n]));
        const struct recipe *recipe = recipe_find(bytes_of_string(names[n]));
        uint8_t whole[5000], part[64];
        recipe->fill(p, 0, whole, sizeof whole);
        for (size_t at = 0; at < sizeof whole - sizeof part; at += 7) {
            recipe->fill(p, at, part, at % sizeof part);
            ck_assert(memcmp(whole + at, part, at % sizeof part) == 0);
        }
    }
}
END_TEST

/* Hashes are of the whole stream; nothing of that size is held. */
START_TEST(big_contents)
{
    ck_assert_int_eq(content_size(parse("{\"$recipe\":\"random\",\"size\":1073741824}")), 1 << 30);
    ck_assert(!content_is_utf8(parse("{\"$recipe\":\"random\",\"size\":1073741824}")));
    ck_assert(content_is_utf8(parse("{\"$recipe\":\"pattern\",\"size\":1073741824}")));
    struct json *value = parse(
        "{\"$recipe\":\"splice\",\"base\":{\"$recipe\":\"pattern\",\"size\":1073741820},\"at\":1000000,"
        "\"insert\":\"é\"}");
    ck_assert_int_eq(content_size(value), (1 << 30) - 2);
    ck_assert(content_is_utf8(value));
    ck_assert_str_eq(text_of(content_fact(parse("{\"$recipe\":\"zeros\",\"size\":67108864}"),
                                          BYTES_LITERAL("sha256"), &arena)),
                     "\"3b6a07d0d404fab4e23b6d34bc6696a6a312dd92821332385e5af7c01c421351\"");
    value = parse(
        "{\"$recipe\":\"splice\",\"base\":{\"$recipe\":\"zeros\",\"size\":1073741824},\"insert\":\"x\"}");
    ck_assert_int_eq(content_size(value), -1);
    struct content_stream *stream;
    struct error *err = NULL;
    ck_assert_int_eq(content_open(value, &stream, &err), ERR_LIMIT);
    error_free(err);
}
END_TEST

START_TEST(recode_needs_text)
{
    struct error *err = NULL;
    struct buf out;
    buf_init(&out, 100);
    ck_assert_int_eq(
        content_make(parse("{\"$recipe\":\"recode\",\"base\":{\"$bytes\":\"/w==\"}}"), 100, &out, &err),
        ERR_INPUT);
    ck_assert_str_eq(err->text, "content of recipe recode: found a base that is not UTF-8, expected text");
    error_free(err);
    buf_release(&out);
}
END_TEST

START_TEST(charsets)
{
    struct buf out;
    buf_init(&out, 100);
    for (size_t i = 0; charset_at(i); i++) {
        const struct charset *c = charset_at(i);
        ck_assert_str_eq(charset_names[i], c->name);
        ck_assert_ptr_eq(charset_find(bytes_of_string(c->name)), c);
        buf_clear(&out);
        ck_assert_uint_eq(charset_encode(c, BYTES_LITERAL("A\xff\xf0\x9f\x98\x80"), &out),
                          c->unicode ? 1 : 2);
        ck_assert(bytes_starts(buf_bytes(&out), c->mark));
    }
    ck_assert_ptr_null(charset_names[9]);
    ck_assert_ptr_null(charset_at(9));
    ck_assert_ptr_null(charset_find(BYTES_LITERAL("ebcdic")));
    buf_clear(&out);
    charset_encode(charset_find(BYTES_LITERAL("utf-16be")), BYTES_LITERAL("\xf0\x9f\x98\x80"), &out);
    ASSERT_BYTES(buf_bytes(&out), "\xd8\x3d\xde\x00");
    buf_release(&out);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, json_set_up, json_tear_down);
    tcase_add_test(tests, registry);
    tcase_add_test(tests, completion);
    tcase_add_loop_test(tests, completion_faults, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tests, nesting_is_bounded);
    tcase_add_test(tests, plain_contents);
    tcase_add_loop_test(tests, what_is_no_content, 0, sizeof no_contents / sizeof *no_contents);
    tcase_add_test(tests, limits);
    tcase_add_test(tests, streams);
    tcase_add_test(tests, too_small);
    tcase_add_test(tests, one_table);
    tcase_add_test(tests, cheap_facts);
    tcase_add_test(tests, any_offset);
    tcase_add_test(tests, big_contents);
    tcase_add_test(tests, recode_needs_text);
    tcase_add_test(tests, charsets);
}

int main(void)
{
    return unit_main("recipe", fill);
}
