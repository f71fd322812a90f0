/* corpus/suppress: what is read, what each fault says, when a rule holds, and what the database keeps. */
#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/settings.h"
#include "corpus/suppress.h"
#include "unit.h"

static const struct finding finding = {.signature = "9f3a2b1c4d5e6f70",
                                       .text = "interface/encoding/newline-altered/write: line ends were changed"};

enum { DAY = 24 * 60 * 60 * 1000 };
static const int64_t NEW_YEAR = INT64_C(20454) * DAY; /* 2026-01-01 */

static struct suppressions *rules_of(const char *text)
{
    struct suppressions *s = NULL;
    struct error *err = NULL;
    ck_assert_msg(suppressions_read(bytes_of_string(text), "f", &s, &err) == 0, "%s", err ? err->text : "?");
    return s;
}

START_TEST(rules)
{
    struct suppressions *s = rules_of("# a note\n; another\n\n[9f3a2b1c]\nreason = known \t\r\nexpires=2025-12-31\n"
                                      " [ interface/encoding/* ]\n  expires = 2026-01-01\n  reason = a = b\n");
    ck_assert_str_eq(suppression_at(s, 0)->pattern, "9f3a2b1c");
    ck_assert_str_eq(suppression_at(s, 0)->reason, "known");
    ck_assert_uint_eq(suppression_at(s, 0)->line, 4);
    ck_assert_int_eq(suppression_at(s, 0)->until_ms, NEW_YEAR);
    ck_assert_str_eq(suppression_at(s, 1)->pattern, "interface/encoding/*");
    ck_assert_str_eq(suppression_at(s, 1)->reason, "a = b");
    ck_assert_ptr_null(suppression_at(s, 2));
    /* through its day, and no longer */
    ck_assert_ptr_eq(suppression_of(s, &finding, NEW_YEAR - 1), suppression_at(s, 0));
    ck_assert_ptr_eq(suppression_of(s, &finding, NEW_YEAR), suppression_at(s, 1));
    ck_assert_ptr_eq(suppression_of(s, &finding, NEW_YEAR + DAY - 1), suppression_at(s, 1));
    ck_assert_ptr_null(suppression_of(s, &finding, NEW_YEAR + DAY));
    suppressions_free(s);
}
END_TEST

START_TEST(about)
{
    static const struct {
        const char *pattern;
        bool about;
    } cases[] = {{"9f3a2b1c4d5e6f70", true},
                 {"9f3a2b1c", true},
                 {"9f3a2b1d", false},
                 {"3a2b1c4d", false},
                 {"*/write: *", true},
                 {"interface/*", true},
                 {"interface/encoding/newline-altered/write: line ends were changed", true},
                 {"interface/encoding/newline-altered/write", false},
                 {"sandbox/*", false},
                 {"interface/[a-e]*/newline-?ltered/*", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "[%s]\nreason=x\nexpires=2026-01-01\n", cases[i].pattern);
        struct suppressions *s = rules_of(text);
        struct finding marked = finding;
        suppressions_mark(s, &marked, 1, NEW_YEAR);
        ck_assert_msg(marked.suppressed == cases[i].about, "%s", cases[i].pattern);
        suppressions_mark(s, &marked, 1, NEW_YEAR + DAY); /* what is marked stays so */
        ck_assert(marked.suppressed == cases[i].about);
        suppressions_free(s);
    }
    struct suppressions *none = rules_of("");
    ck_assert_ptr_null(suppression_of(none, &finding, 0));
    ck_assert_ptr_null(suppression_of(NULL, &finding, 0));
    ck_assert_ptr_null(suppression_at(NULL, 0));
    suppressions_free(none);
    suppressions_free(NULL);
}
END_TEST

START_TEST(days)
{
    static const struct {
        const char *day;
        int64_t days; /* since 1970; -1: none */
    } cases[] = {{"1970-01-01", 0},  {"2000-02-29", 11016}, {"2024-02-29", 19782}, {"2100-02-28", 47540}, {"2100-02-29", -1},
                 {"2023-02-29", -1}, {"2026-04-31", -1},    {"2026-00-01", -1},    {"2026-13-01", -1},    {"2026-1-01", -1},
                 {"2026-01-00", -1}, {"26-01-01", -1},      {"2026/01/01", -1},    {"2026-01-01x", -1},   {"1969-12-31", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        struct suppressions *s = NULL;
        struct error *err = NULL;
        snprintf(text, sizeof text, "[a/b]\nreason=x\nexpires=%s\n", cases[i].day);
        int status = suppressions_read(bytes_of_string(text), "f", &s, &err);
        ck_assert_msg((status == 0) == (cases[i].days >= 0), "%s", cases[i].day);
        if (status == 0)
            ck_assert_msg(suppression_at(s, 0)->until_ms == (cases[i].days + 1) * DAY, "%s", cases[i].day);
        suppressions_free(s);
        error_free(err);
    }
}
END_TEST

static const struct {
    const char *text, *message;
} faults[] = {
    {"reason = x\n", "f:1: found 'reason = x', expected [SIGNATURE] or [PATTERN] in front of it"},
    {"\n[a/b\n", "f:2: found '[a/b', expected ']' at its end"},
    {"[abc]\n", "f:1: found 'abc', expected 8 to 16 hex digits of a signature, or a pattern such as interface/encoding/*"},
    {"[]\n", "f:1: found '', expected 8 to 16 hex digits of a signature, or a pattern such as interface/encoding/*"},
    {"[a/b]\nreason\n", "f:2: found 'reason', expected [SIGNATURE], [PATTERN], 'reason = …' or 'expires = …'"},
    {"[a/b]\nwhy = x\n", "f:2: found 'why', expected reason or expires"},
    {"[a/b]\nreason =\n", "f:2: found 'reason =', expected words behind it"},
    {"[a/b]\nreason = x\nreason = y\n", "f:3: found 'reason', expected it once for each section"},
    {"[a/b]\nexpires = soon\n", "f:2: found 'soon', expected a day as YYYY-MM-DD"},
    {"[a/b]\nreason = x\n[c/d]\n", "f:1: found no 'expires' for [a/b], expected 'reason = WORDS' and 'expires = YYYY-MM-DD'"},
    {"[a/b]\nexpires = 2026-01-01\n", "f:1: found no 'reason' for [a/b], expected 'reason = WORDS' and 'expires = YYYY-MM-DD'"},
};

START_TEST(refused)
{
    struct suppressions *s = NULL;
    struct error *err = NULL;
    ck_assert_int_eq(suppressions_read(bytes_of_string(faults[_i].text), "f", &s, &err), ERR_INPUT);
    ck_assert_str_eq(err->text, faults[_i].message);
    ck_assert_ptr_null(s);
    error_free(err);
}
END_TEST

START_TEST(the_database_keeps_them)
{
    char directory[] = "/tmp/taskgen-suppress-XXXXXX", path[64];
    struct settings settings;
    struct store *store = NULL;
    struct arena a;
    const char *text;
    settings_defaults(&settings);
    arena_init(&a);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/t.db", directory);
    ck_assert_int_eq(store_open(path, STORE_WRITE, &settings, &store, NULL), 0);
    ck_assert_int_eq(store_suppressions(store, &a, &text, NULL), 0);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(store_put_suppressions(store, "[a/b]\n", NULL), 0);
    ck_assert_int_eq(store_put_suppressions(store, "[c/d]\n", NULL), 0);
    store_close(store);
    ck_assert_int_eq(store_open(path, STORE_READ, &settings, &store, NULL), 0);
    ck_assert_int_eq(store_suppressions(store, &a, &text, NULL), 0);
    ck_assert_str_eq(text, "[c/d]\n");
    store_close(store);
    arena_release(&a);
    ck_assert_int_eq(fs_remove_tree(directory, NULL), 0);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, rules);
    tcase_add_test(tests, about);
    tcase_add_test(tests, days);
    tcase_add_loop_test(tests, refused, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tests, the_database_keeps_them);
}

int main(void)
{
    return unit_main("suppress", fill);
}
