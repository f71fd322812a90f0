/* gen/schema: replay, damaged logs, the judge, names, and schemas made to hurt. That values are what they say
 * they are is judged by another program's eyes: tests/schema_judge.py. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "gen/schema.h"
#include "unit.h"

static struct arena a;
static struct buf file, text;

static void set_up(void)
{
    struct error *err = NULL;
    arena_init(&a);
    buf_init(&file, 1 << 20);
    buf_init(&text, 1 << 26);
    ck_assert_msg(fs_read(TASKGEN_SOURCE_DIR "/tests/data/schema/schemas.jsonl", 1 << 20, &file, &err) == 0,
                  "%s", err ? err->text : "?");
}

static void tear_down(void)
{
    buf_release(&text);
    buf_release(&file);
    arena_release(&a);
}

static struct schema_book *book_of(struct bytes source)
{
    struct schema_book *book = NULL;
    struct error *err = NULL;
    ck_assert_msg(schema_book_new(source, &book, &err) == 0, "%s", err ? err->text : "?");
    return book;
}

/* One draw; the text of its value, kind and violation lives in the arena. */
static const char *draw(const struct schema_book *book, const struct json *schema, enum schema_kind kind,
                        uint64_t seed, const struct derivation *replay, struct derivation *log,
                        struct schema_value *out)
{
    struct rng rng;
    struct chooser c;
    rng_seed(&rng, seed, kind);
    derivation_clear(log);
    chooser_init(&c, &rng, replay, log);
    schema_draw(book, schema, kind, &c, &a, out);
    buf_clear(&text);
    buf_addf(&text, "%s %s %s ", schema_kind_name(out->kind), out->violation ? out->violation : "", out->at);
    json_write(&text, out->value, JSON_COMPACT);
    ck_assert(!replay || !c.diverged || c.at <= replay->count);
    return arena_string(&a, buf_bytes(&text));
}

static bool same_log(const struct derivation *x, const struct derivation *y)
{
    return x->count == y->count &&
           (!x->count || memcmp(x->items, y->items, x->count * sizeof *x->items) == 0);
}

static bool next_line(struct bytes *rest, struct bytes *line)
{
    ptrdiff_t end = bytes_find(*rest, BYTES_LITERAL("\n"), 0);
    if (end < 0)
        return false;
    *line = bytes_slice(*rest, 0, (size_t)end);
    *rest = bytes_slice(*rest, (size_t)end + 1, rest->len);
    return true;
}

START_TEST(replays)
{
    struct bytes rest = buf_bytes(&file), line;
    size_t cases = 0;
    struct derivation log, again;
    derivation_init(&log);
    derivation_init(&again);
    while (next_line(&rest, &line)) {
        struct schema_book *book = book_of(line);
        const struct json *schema = json_get(schema_book_document(book), "schema");
        for (int kind = 0; kind < SCHEMA_KINDS; kind++)
            for (uint64_t seed = 0; seed < 12; seed++) {
                struct schema_value one, two;
                const char *first = draw(book, schema, (enum schema_kind)kind, seed, NULL, &log, &one);
                const char *second = draw(book, schema, (enum schema_kind)kind, seed + 1000, &log, &again,
                                          &two);
                ck_assert_msg(strcmp(first, second) == 0, "%.60s\n%s\n%s", (const char *)line.data, first,
                              second);
                ck_assert_msg(same_log(&log, &again), "%.60s: another log", (const char *)line.data);
                ck_assert_int_eq(one.judged, two.judged);
            }
        schema_book_free(book);
        arena_clear(&a);
        cases++;
    }
    derivation_release(&log);
    derivation_release(&again);
    ck_assert_uint_ge(cases, 45);
}
END_TEST

/* Any log means some value, and what it means says truly what it is. */
START_TEST(damaged_logs)
{
    struct bytes rest = buf_bytes(&file), line;
    struct derivation log, again;
    struct rng rng;
    rng_seed(&rng, 5, 0);
    derivation_init(&log);
    derivation_init(&again);
    while (next_line(&rest, &line)) {
        struct schema_book *book = book_of(line);
        const struct json *schema = json_get(schema_book_document(book), "schema");
        bool open = json_get(schema_book_document(book), "contradictory") ||
                    json_get(schema_book_document(book), "hard");
        for (uint64_t seed = 0; seed < 40; seed++) {
            struct schema_value out;
            enum schema_kind kind = (enum schema_kind)(seed % SCHEMA_KINDS);
            draw(book, schema, kind, seed, NULL, &log, &out);
            for (int i = 0; i < 3 && log.count; i++)
                log.items[rng_below(&rng, log.count)].value = rng_next(&rng);
            if (log.count)
                log.items[rng_below(&rng, log.count)].site ^= (uint32_t)rng_below(&rng, 64);
            draw(book, schema, kind, seed, &log, &again, &out);
            enum schema_verdict verdict = schema_check(book, schema, schema, out.value);
            ck_assert_msg(open || verdict == (out.kind == SCHEMA_INVALID ? SCHEMA_REJECTS : SCHEMA_ACCEPTS),
                          "%.60s: %s", (const char *)line.data, buf_string(&text));
        }
        schema_book_free(book);
        arena_clear(&a);
    }
    derivation_release(&log);
    derivation_release(&again);
}
END_TEST

static const struct {
    const char *schema, *value;
    enum schema_verdict verdict;
} judged[] = {
    {"true", "1", SCHEMA_ACCEPTS},
    {"false", "1", SCHEMA_REJECTS},
    {"{}", "null", SCHEMA_ACCEPTS},
    {"{\"type\":\"integer\"}", "1.0", SCHEMA_ACCEPTS},
    {"{\"type\":\"integer\"}", "1.5", SCHEMA_REJECTS},
    {"{\"type\":[\"string\",\"null\"]}", "null", SCHEMA_ACCEPTS},
    {"{\"type\":\"nonsense\"}", "1", SCHEMA_REJECTS},
    {"{\"enum\":[1.0]}", "1", SCHEMA_ACCEPTS},
    {"{\"const\":{\"a\":1,\"b\":2}}", "{\"b\":2,\"a\":1}", SCHEMA_ACCEPTS},
    {"{\"maxLength\":2}", "\"\\u00fc\\u00fc\"", SCHEMA_ACCEPTS},
    {"{\"maxLength\":2}", "\"abc\"", SCHEMA_REJECTS},
    {"{\"pattern\":\"^a+$\"}", "\"aaa\"", SCHEMA_ACCEPTS},
    {"{\"pattern\":\"^a+$\"}", "\"aa\\n\"", SCHEMA_REJECTS},
    {"{\"pattern\":\"(\"}", "\"x\"", SCHEMA_UNSURE},
    {"{\"exclusiveMinimum\":3}", "3", SCHEMA_REJECTS},
    {"{\"minimum\":3,\"exclusiveMinimum\":true}", "3", SCHEMA_REJECTS},
    {"{\"multipleOf\":0.5}", "1.5", SCHEMA_ACCEPTS},
    {"{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}", "[\"a\",1]", SCHEMA_REJECTS},
    {"{\"items\":[{\"type\":\"string\"}],\"additionalItems\":false}", "[\"a\",1]", SCHEMA_REJECTS},
    {"{\"contains\":{\"const\":1},\"maxContains\":1}", "[1,1]", SCHEMA_REJECTS},
    {"{\"uniqueItems\":true}", "[1,2,1]", SCHEMA_REJECTS},
    {"{\"required\":[\"a\"]}", "{}", SCHEMA_REJECTS},
    {"{\"required\":[\"a\"]}", "[]", SCHEMA_ACCEPTS},
    {"{\"properties\":{\"a\":true},\"additionalProperties\":false}", "{\"b\":1}", SCHEMA_REJECTS},
    {"{\"patternProperties\":{\"^x\":{\"type\":\"null\"}}}", "{\"xa\":1}", SCHEMA_REJECTS},
    {"{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1}", SCHEMA_REJECTS},
    {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}", SCHEMA_REJECTS},
    {"{\"anyOf\":[false,{\"type\":\"null\"}]}", "null", SCHEMA_ACCEPTS},
    {"{\"oneOf\":[true,{\"type\":\"null\"}]}", "null", SCHEMA_REJECTS},
    {"{\"not\":{\"type\":\"null\"}}", "null", SCHEMA_REJECTS},
    {"{\"if\":{\"const\":1},\"then\":false,\"else\":true}", "1", SCHEMA_REJECTS},
    {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"null\"}}}", "1", SCHEMA_REJECTS},
    {"{\"$ref\":\"#/$defs/a~1b\",\"$defs\":{\"a/b\":{\"type\":\"null\"}}}", "1", SCHEMA_REJECTS},
    {"{\"$ref\":\"#x\",\"$defs\":{\"a\":{\"$anchor\":\"x\",\"type\":\"null\"}}}", "1", SCHEMA_REJECTS},
    {"{\"$ref\":\"https://example.com/other\"}", "1", SCHEMA_UNSURE},
    {"{\"$ref\":\"#\"}", "1", SCHEMA_UNSURE},
    {"{\"unevaluatedProperties\":false}", "{\"a\":1}", SCHEMA_REJECTS},
    {"{\"allOf\":[{\"additionalProperties\":{\"type\":\"integer\"}}],\"unevaluatedProperties\":false}", "{\"a\":1}",
     SCHEMA_ACCEPTS}, /* python3-jsonschema does not see these two */
    {"{\"allOf\":[{\"unevaluatedProperties\":{\"type\":\"integer\"}}],\"unevaluatedProperties\":false}", "{\"a\":1}",
     SCHEMA_ACCEPTS},
    {"{\"$ref\":\"https://example.com/other\",\"unevaluatedProperties\":false}", "{\"a\":1}", SCHEMA_UNSURE},
};

START_TEST(judges)
{
    struct schema_book *book = book_of(bytes_of_string(judged[_i].schema));
    struct json *value = NULL;
    ck_assert_int_eq(json_read(&a, bytes_of_string(judged[_i].value), NULL, "value", &value, NULL, NULL), 0);
    const struct json *schema = schema_book_document(book);
    ck_assert_msg(schema_check(book, schema, schema, value) == judged[_i].verdict, "%s of %s",
                  judged[_i].schema, judged[_i].value);
    schema_book_free(book);
}
END_TEST

/* tests/data/schema/judge.jsonl: schemas and values with what python3-jsonschema says of them (schema_judge.py holds it to that). */
START_TEST(judges_as_others_do)
{
    struct buf cases;
    size_t count = 0;
    buf_init(&cases, 1 << 20);
    ck_assert_int_eq(fs_read(TASKGEN_SOURCE_DIR "/tests/data/schema/judge.jsonl", 1 << 20, &cases, NULL), 0);
    for (size_t at = 0; at < cases.len;) {
        ptrdiff_t newline = bytes_find(buf_bytes(&cases), BYTES_LITERAL("\n"), at);
        ck_assert_int_ge(newline, 0);
        struct schema_book *book = book_of(bytes_slice(buf_bytes(&cases), at, (size_t)newline));
        const struct json *schema = json_get(schema_book_document(book), "schema");
        for (const struct json *one = json_get(schema_book_document(book), "values")->first; one; one = one->next, count++) {
            enum schema_verdict want = json_is(json_at(one, 1), JSON_TRUE) ? SCHEMA_ACCEPTS : SCHEMA_REJECTS;
            ck_assert_msg(schema_check(book, schema, schema, json_at(one, 0)) == want, "line at byte %zu, value %zu: %.*s", at,
                          count, BYTES_ARG(bytes_slice(buf_bytes(&cases), at, (size_t)newline)));
        }
        schema_book_free(book);
        at = (size_t)newline + 1;
    }
    ck_assert_uint_gt(count, 100);
    buf_release(&cases);
}
END_TEST

/* A contradiction is met by the name, and not called valid. */
START_TEST(names_decide)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"filePath\":{\"type\":\"string\",\"minLength\":9,"
        "\"maxLength\":2},"
        "\"url\":{\"allOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]},\"command\":false},"
        "\"required\":[\"filePath\",\"url\"]}";
    struct schema_book *book = book_of(bytes_of_string(schema));
    struct derivation log;
    derivation_init(&log);
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct schema_value out;
        draw(book, schema_book_document(book), SCHEMA_VALID, seed, NULL, &log, &out);
        struct bytes path = json_as_text(json_get(out.value, "filePath")),
                     url = json_as_text(json_get(out.value, "url"));
        ck_assert(!out.judged);
        ck_assert_msg(path.len && path.data[0] != '/' && bytes_find(path, BYTES_LITERAL(".."), 0) < 0, "%.*s",
                      BYTES_ARG(path));
        ck_assert_msg(bytes_starts(url, BYTES_LITERAL("http://")), "%.*s", BYTES_ARG(url));
        ck_assert_ptr_null(json_get(out.value, "command"));
    }
    derivation_release(&log);
    schema_book_free(book);
}
END_TEST

/* Paths and commands stay harmless at boundaries, and what takes time short. */
START_TEST(stays_calm)
{
    static const char schema[] = "{\"type\":\"object\",\"properties\":{\"target_dir\":{\"type\":\"string\"},"
                                 "\"command\":{\"type\":\"string\"},"
                                 "\"timeoutMs\":{\"type\":\"integer\",\"maximum\":3600000,\"default\":60000},"
                                 "\"seconds\":{\"type\":\"number\"}}}";
    struct schema_book *book = book_of(bytes_of_string(schema));
    struct derivation log;
    derivation_init(&log);
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct schema_value out;
        double number;
        draw(book, schema_book_document(book), seed % 2 ? SCHEMA_BOUNDARY : SCHEMA_VALID, seed, NULL, &log,
             &out);
        struct bytes path = json_as_text(json_get(out.value, "target_dir")),
                     command = json_as_text(json_get(out.value, "command"));
        ck_assert(!bytes_starts(path, BYTES_LITERAL("/")) && !bytes_starts(path, BYTES_LITERAL("~")));
        ck_assert(bytes_find(path, BYTES_LITERAL(".."), 0) < 0 &&
                  bytes_find(command, BYTES_LITERAL("rm"), 0) < 0);
        ck_assert(json_as_real(json_get(out.value, "timeoutMs"), &number) && number <= 500);
        ck_assert(json_as_real(json_get(out.value, "seconds"), &number) && number <= 3);
    }
    derivation_release(&log);
    schema_book_free(book);
}
END_TEST

START_TEST(name_words)
{
    ck_assert(schema_name_has(BYTES_LITERAL("filePath"), "path"));
    ck_assert(schema_name_has(BYTES_LITERAL("file_paths"), "url|path"));
    ck_assert(schema_name_has(BYTES_LITERAL("FILE-ID"), "id"));
    ck_assert(!schema_name_has(BYTES_LITERAL("video"), "id"));
    ck_assert(!schema_name_has(BYTES_LITERAL("pathology"), "path"));
    ck_assert(!schema_name_has(BYTES_LITERAL(""), "path"));
    ck_assert(!schema_name_has(BYTES_LITERAL("a"), ""));
}
END_TEST

/* --- made to hurt --- */

static void repeat(struct buf *out, const char *part, size_t times)
{
    for (size_t i = 0; i < times; i++)
        buf_add_string(out, part);
}

static void deep(struct buf *out)
{
    repeat(out, "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":", 150);
    buf_add_string(out, "true");
    repeat(out, "}}", 150);
}

static void deep_arrays(struct buf *out)
{
    repeat(out, "{\"type\":\"array\",\"minItems\":3,\"items\":", 200);
    buf_add_string(out, "{}");
    repeat(out, "}", 200);
}

static void many_properties(struct buf *out)
{
    buf_add_string(out, "{\"type\":\"object\",\"properties\":{\"p\":{}");
    for (int i = 0; i < 50000; i++)
        buf_addf(out, ",\"p%d\":{\"type\":\"string\"}", i);
    buf_add_string(out, "},\"required\":[\"p\"");
    for (int i = 0; i < 50000; i++)
        buf_addf(out, ",\"p%d\"", i);
    buf_add_string(out, "]}");
}

static void many_branches(struct buf *out)
{
    buf_add_string(out, "{\"$defs\":{\"x\":{\"anyOf\":[{\"$ref\":\"#/$defs/x\"}");
    repeat(out,
           ",{\"oneOf\":[{\"$ref\":\"#/$defs/x\"},{\"type\":\"array\",\"minItems\":2,\"items\":{\"$ref\":\"#/"
           "$defs/x\"}}]}",
           500);
    buf_add_string(out, "]}},\"properties\":{\"x\":{\"$ref\":\"#/$defs/x\"}},\"required\":[\"x\"]}");
}

static void many_patterns(struct buf *out)
{
    buf_add_string(out, "{\"minProperties\":40,\"patternProperties\":{\"^(a+)+$\":{}");
    for (int i = 0; i < 2000; i++)
        buf_addf(out, ",\"^(a+)+%d$\":{\"pattern\":\"(x*)*y%d\"}", i, i);
    buf_add_string(out, "}}");
}

static void big_enum(struct buf *out)
{
    buf_add_string(out, "{\"type\":\"array\",\"minItems\":50,\"uniqueItems\":true,\"items\":{\"enum\":[0");
    for (int i = 1; i < 20000; i++)
        buf_addf(out, ",%d", i % 40);
    buf_add_string(out, "]}}");
}

static const struct {
    const char *text;
    void (*make)(struct buf *out);
} hostile[] = {
    {.make = deep},
    {.make = deep_arrays},
    {.make = many_properties},
    {.make = many_branches},
    {.make = many_patterns},
    {.make = big_enum},
    {"{\"$ref\":\"#\"}", NULL},
    {"{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#/allOf/0\"}]}", NULL},
    {"{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}},\"$ref\":\"#/$defs/a\"}",
     NULL},
    {"{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"$ref\":\"#\"}}}", NULL},
    {"{\"type\":\"object\",\"required\":[\"a\",\"b\",\"c\"],\"additionalProperties\":{\"$ref\":\"#\"}}",
     NULL},
    {"{\"not\":{\"$ref\":\"#\"}}", NULL},
    {"{\"if\":{\"$ref\":\"#\"},\"then\":{\"$ref\":\"#\"},\"else\":{\"$ref\":\"#\"}}", NULL},
    {"{\"propertyNames\":{\"$ref\":\"#\"},\"minProperties\":5}", NULL},
    {"{\"contains\":{\"$ref\":\"#\"},\"minItems\":4}", NULL},
    {"{\"type\":\"string\",\"minLength\":1e18}", NULL},
    {"{\"type\":\"string\",\"minLength\":-5,\"maxLength\":-1}", NULL},
    {"{\"type\":\"array\",\"minItems\":1000000000}", NULL},
    {"{\"type\":\"object\",\"minProperties\":1000000000}", NULL},
    {"{\"type\":\"integer\",\"minimum\":1e308,\"maximum\":1e309}", NULL},
    {"{\"type\":\"integer\",\"minimum\":-1e999,\"multipleOf\":1e-300}", NULL},
    {"{\"type\":\"number\",\"multipleOf\":0}", NULL},
    {"{\"type\":\"number\",\"multipleOf\":-1,\"exclusiveMinimum\":\"x\"}", NULL},
    {"{\"type\":5,\"properties\":[],\"required\":\"x\",\"enum\":{},\"items\":7,\"allOf\":{},\"anyOf\":1,"
     "\"not\":3,\"if\":4}",
     NULL},
    {"{\"enum\":[]}", NULL},
    {"{\"anyOf\":[]}", NULL},
    {"{\"anyOf\":[false,false]}", NULL},
    {"{\"properties\":{\"a\":false},\"required\":[\"a\"]}", NULL},
    {"{\"type\":\"string\",\"pattern\":\"(((((((((a*)*)*)*)*)*)*)*)*)$b\"}", NULL},
    {"{\"type\":\"string\",\"pattern\":\"[\"}", NULL},
    {"{\"type\":\"string\",\"pattern\":\"a{65535}{65535}\"}", NULL},
    {"{\"type\":\"string\",\"pattern\":\"a{60000}\",\"maxLength\":3}", NULL},
    {"{\"type\":\"string\",\"pattern\":\"/\\\\//[/]\\n\"}", NULL},
    {"{\"type\":\"string\",\"format\":\"no-such\"}", NULL},
    {"{\"$ref\":\"http://127.0.0.1:9/schema\"}", NULL},
    {"[]", NULL},
    {"null", NULL},
    {"{\"properties\":{\"\\u0000\":{\"pattern\":\"\\u0000\"}},\"required\":[\"\\u0000\"]}", NULL},
};

START_TEST(hurts_nobody)
{
    struct buf source;
    struct derivation log;
    buf_init(&source, 1 << 24);
    derivation_init(&log);
    if (hostile[_i].make)
        hostile[_i].make(&source);
    else
        buf_add_string(&source, hostile[_i].text);
    struct schema_book *book = book_of(buf_bytes(&source));
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct schema_value out;
        int64_t start = clock_monotonic_ns();
        draw(book, schema_book_document(book), (enum schema_kind)(seed % SCHEMA_KINDS), seed, NULL, &log,
             &out);
        int64_t ms = (clock_monotonic_ns() - start) / 1000000;
        ck_assert_ptr_nonnull(out.value);
        ck_assert_uint_lt(text.len, 1 << 20);
        if (getenv("SCHEMA_TIMES"))
            fprintf(stderr, "%d %d: %lld ms\n", _i, (int)seed, (long long)ms);
        ck_assert_msg(ms < 5000, "%d: %lld ms", _i, (long long)ms);
    }
    derivation_release(&log);
    schema_book_free(book);
    buf_release(&source);
}
END_TEST

START_TEST(bad_documents)
{
    struct schema_book *book = NULL;
    struct error *err = NULL;
    ck_assert_int_eq(schema_book_new(BYTES_LITERAL("{"), &book, &err), ERR_INPUT);
    ck_assert_ptr_nonnull(err);
    error_free(err);
    err = NULL;
    buf_clear(&text);
    repeat(&text, "[", 5000);
    ck_assert_int_eq(schema_book_new(buf_bytes(&text), &book, &err), ERR_LIMIT);
    error_free(err);
    ck_assert_ptr_null(book);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, replays);
    tcase_add_test(t, damaged_logs);
    tcase_add_loop_test(t, judges, 0, sizeof judged / sizeof *judged);
    tcase_add_test(t, judges_as_others_do);
    tcase_add_test(t, names_decide);
    tcase_add_test(t, stays_calm);
    tcase_add_test(t, name_words);
    tcase_add_loop_test(t, hurts_nobody, 0, sizeof hostile / sizeof *hostile);
    tcase_add_test(t, bad_documents);
}

int main(void)
{
    return unit_main("schema", fill);
}
