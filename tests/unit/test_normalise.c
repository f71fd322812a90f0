/* Normalised messages, by tests/data/oracle/normalise.json. */
#include "exec/oracle/normalise.h"
#include "exec/oracle/check.h"
#include "oracle_case.h"

static struct normaliser *rules;

/* Loading holds every rule's examples, too. */
static void set_up(void)
{
    struct error *err = NULL;
    ck_assert_msg(normaliser_load(TASKGEN_SOURCE_DIR "/domains/normalise.json", &rules, &err) == 0, "%s", err ? err->text : "");
}

static void tear_down(void)
{
    normaliser_free(rules);
}

START_TEST(rows_of_the_file)
{
    struct arena a;
    arena_init(&a);
    const struct json *rows = oracle_load(&a, ORACLE_DATA "/normalise.json");
    for (const struct json *row = rows->first; row; row = row->next) {
        struct buf out;
        buf_init(&out, 4096);
        normalise(rules, NORMALISE_MESSAGE, json_as_text(json_get(row, "message")), &out);
        struct bytes want = json_as_text(json_get(row, "normal"));
        ck_assert_msg(bytes_equal(buf_bytes(&out), want), "byte %zu: got \"%s\", expected \"%.*s\"",
                      row->offset, buf_string(&out), BYTES_ARG(want));
        buf_release(&out);
    }
    arena_release(&a);
}
END_TEST

/* What was normalised stays as it is, and nothing is longer than it may be, for bytes of every kind. */
START_TEST(any_bytes)
{
    uint8_t data[600];
    for (unsigned seed = 0; seed < 500; seed++) {
        for (size_t i = 0; i < sizeof data; i++)
            data[i] =
                (uint8_t)("/.~-'\"0x7aZ :\n\xE2\x80\x98\xFF"[(seed * 31 + i * i * 7 + i / (seed % 7 + 1)) %
                                                             18]);
        struct buf out;
        buf_init(&out, 4096);
        normalise(rules, NORMALISE_MESSAGE, bytes_of(data, seed + 1), &out);
        ck_assert_uint_le(out.len, 200);
        ck_assert(!out.overflow);
        for (size_t i = 0; i < out.len; i++)
            ck_assert(out.data[i] >= ' ' && out.data[i] < 0x7F);
        buf_release(&out);
    }
}
END_TEST

START_TEST(appends)
{
    struct buf out;
    buf_init(&out, 100);
    buf_add_string(&out, "x: ");
    normalise(rules, NORMALISE_MESSAGE, BYTES_LITERAL("job 5 "), &out);
    ck_assert_str_eq(buf_string(&out), "x: job <n>");
    buf_release(&out);
}
END_TEST

#define HEAD "{\"format\":\"taskgen/normalise/1\","
#define RULE HEAD "\"detail\":[],\"message\":[{\"name\":\"x\","

/* One line that says what is wrong, for each way in which a file of rules can be. */
START_TEST(damaged_rules)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"{", "r.json"},
        {"[]", "expected the format taskgen/normalise/1"},
        {"{\"format\":\"taskgen/normalise/2\"}", "expected the format taskgen/normalise/1"},
        {HEAD "\"detail\":[]}", "expected a list 'message'"},
        {HEAD "\"message\":[],\"detail\":3}", "expected a list 'detail'"},
        {RULE "\"replacement\":\"b\"}]}", "a name, a pattern and a replacement"},
        {RULE "\"pattern\":\"(\"}]}", "rule 'x': the pattern, at byte 1"},
        {RULE "\"pattern\":\"a\"}]}", "rule 'x' has no examples"},
        {RULE "\"pattern\":\"a\",\"replacement\":\"b\",\"examples\":[{\"text\":\"a\",\"becomes\":\"c\"}]}]}",
         "rule 'x': its example 'a' becomes 'b', expected 'c'"},
    };
    struct normaliser *n;
    struct error *err = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(normaliser_read(bytes_of_string(rows[i].text), "r.json", &n, &err), ERR_INPUT);
        ck_assert_msg(strstr(err->text, rows[i].part) && !strchr(err->text, '\n') && !n, "%s", err->text);
        error_free(err);
        err = NULL;
    }
    ck_assert_int_eq(normaliser_load("/nowhere/r.json", &n, &err), ERR_INPUT);
    error_free(err);
}
END_TEST

/* Details that differ in what differs from run to run only are one verdict; what names the fault stays. */
START_TEST(details)
{
    static const char *const said[] = {"lost in /tmp/tg-1/a", "lost in /tmp/tg-2/b/c", "HTTP 404 for version 2025-06-18", "should: no -32602"};
    static const char *const wanted[] = {"lost in <path>", "HTTP 404 for version 2025-06-18", "should: no -32602"};
    struct arena a;
    arena_init(&a);
    struct verdicts v = {.arena = &a};
    for (size_t i = 0; i < 4; i++)
        verdict_add(&v, &(struct verdict){.check = "c", .primitive = "p", .op = "o", .detail = said[i], .title = "", .evidence = ""});
    verdicts_normalise(&v, rules);
    ck_assert_uint_eq(v.count, 3);
    ck_assert_str_eq(v.items[0].raw, said[0]);
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(v.items[i].detail, wanted[i]);
    arena_release(&a);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, damaged_rules);
    tcase_add_test(tests, details);
    tcase_add_test(tests, rows_of_the_file);
    tcase_add_test(tests, any_bytes);
    tcase_add_test(tests, appends);
}

int main(void)
{
    return unit_main("normalise", fill);
}
