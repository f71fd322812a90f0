/* --fail-on: which findings a list counts, and what is said of one that means nothing. */
#include "cli/fail_on.h"
#include "unit.h"

static const struct fail_case sandbox = {.state = FINDING_CONFIRMED, .layer = "sandbox", .primitive = "path"};

static bool counts(const char *list, struct fail_case c)
{
    struct fail_on f;
    struct error *err = NULL;
    ck_assert_msg(fail_on_read(&f, list, &err) == 0, "%s: %s", list, err ? err->text : "");
    return fail_on_counts(&f, &c);
}

static struct fail_case in_state(enum finding_state state)
{
    struct fail_case c = sandbox;
    c.state = state;
    return c;
}

START_TEST(by_default)
{
    struct fail_on f;
    fail_on_default(&f);
    static const struct {
        enum finding_state state;
        bool counts;
    } rows[] = {{FINDING_NEW, false},         {FINDING_CONFIRMED, true}, {FINDING_FLAKY, true},
                {FINDING_UNCONFIRMED, false}, {FINDING_FIXED, false},    {FINDING_REGRESSED, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fail_case c = in_state(rows[i].state);
        ck_assert_int_eq(fail_on_counts(&f, &c), rows[i].counts);
        ck_assert_int_eq(counts("any", c), rows[i].counts);
        ck_assert(!counts("never", c));
        c.note = true;
        ck_assert(!fail_on_counts(&f, &c));
    }
    struct fail_case c = sandbox;
    c.suppressed = true;
    ck_assert(!fail_on_counts(&f, &c));
    c.suppressed = false;
    c.client_illegal = true;
    ck_assert(fail_on_counts(&f, &c));
}
END_TEST

START_TEST(words)
{
    struct fail_case note = sandbox, illegal = sandbox, fresh = sandbox;
    note.note = illegal.client_illegal = fresh.fresh = true;
    static const struct {
        const char *list;
        int sandbox, flaky, unconfirmed, note, illegal, fresh;
    } rows[] = {
        {"confirmed", 1, 0, 0, 0, 1, 1},
        {"flaky", 0, 1, 0, 0, 0, 0},
        {"unconfirmed", 0, 0, 1, 0, 0, 0},
        {"confirmed,flaky", 1, 1, 0, 0, 1, 1},
        {"confirmed+flaky", 1, 1, 0, 0, 1, 1},
        {"sandbox", 1, 1, 0, 0, 1, 1},
        {"interface", 0, 0, 0, 0, 0, 0},
        {"interface+sandbox", 1, 1, 0, 0, 1, 1},
        {"confirmed+interface", 0, 0, 0, 0, 0, 0},
        {"confirmed+interface,flaky", 0, 1, 0, 0, 0, 0},
        {"path", 1, 1, 0, 0, 1, 1},
        {"encoding", 0, 0, 0, 0, 0, 0},
        {"encoding+path+sandbox+confirmed", 1, 0, 0, 0, 1, 1},
        {"any,note", 1, 1, 0, 1, 1, 1},
        {"note", 0, 0, 0, 1, 0, 0},
        {"note+interface", 0, 0, 0, 0, 0, 0},
        {"lawful", 1, 1, 0, 0, 0, 1},
        {"fresh", 0, 0, 0, 0, 0, 1},
        {"fresh+confirmed+encoding", 0, 0, 0, 0, 0, 0},
        {"regressed", 0, 0, 0, 0, 0, 0},
        {"browser", 0, 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int got[] = {counts(rows[i].list, sandbox), counts(rows[i].list, in_state(FINDING_FLAKY)),
                           counts(rows[i].list, in_state(FINDING_UNCONFIRMED)), counts(rows[i].list, note),
                           counts(rows[i].list, illegal), counts(rows[i].list, fresh)};
        const int want[] = {rows[i].sandbox, rows[i].flaky, rows[i].unconfirmed, rows[i].note, rows[i].illegal, rows[i].fresh};
        for (size_t k = 0; k < sizeof got / sizeof *got; k++)
            ck_assert_msg(got[k] == want[k], "%s, column %zu: %d", rows[i].list, k, got[k]);
    }
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *list, *word;
    } rows[] = {{"", "''"},          {"confirmed,", "''"},       {"confirmed,,flaky", "''"},     {"confirmed+", "''"},
                {"Confirmed", "'Confirmed'"}, {"confirmed flaky", "'confirmed flaky'"}, {"never,any", "'never'"}, {"fixed", "'fixed'"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fail_on f;
        struct error *err = NULL;
        fail_on_default(&f);
        ck_assert_int_eq(fail_on_read(&f, rows[i].list, &err), ERR_INPUT);
        ck_assert_msg(strstr(err->text, rows[i].word) && !strchr(err->text, '\n'), "%s: %s", rows[i].list, err->text);
        ck_assert(f.count == 1 && fail_on_counts(&f, &sandbox));
        error_free(err);
    }
    struct buf many;
    struct fail_on f;
    struct error *err = NULL;
    buf_init(&many, 1 << 16);
    for (int i = 0; i < FAIL_TERMS_MAX; i++)
        buf_addf(&many, "%sflaky", i ? "," : "");
    ck_assert_int_eq(fail_on_read(&f, buf_string(&many), NULL), 0);
    buf_add_string(&many, ",flaky");
    ck_assert_int_eq(fail_on_read(&f, buf_string(&many), &err), ERR_INPUT);
    error_free(err);
    buf_release(&many);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, by_default);
    tcase_add_test(tests, words);
    tcase_add_test(tests, refused);
}

int main(void)
{
    return unit_main("fail_on", fill);
}
