/* corpus/store: findings, their states, what is written when. */
#include "corpus/store_internal.h"
#include "store_case.h"

#define A "00000000000000aa"
#define B "00000000000000bb"

START_TEST(finding_round_trip)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    int64_t run = a_run(s, 1, "g");
    struct finding f = a_finding(A);
    f.state = FINDING_FLAKY;
    f.n_failed = 2;
    f.n_run = 5;
    f.times_seen = 4;
    f.first_ms = 1000;
    f.last_ms = 2000;
    f.client_illegal = f.suppressed = true;
    f.evidence = "na\xc3\xafve \xff\xfe 'quoted' \"and\" \x01 %s\nline";
    bool grew = false;
    OK(store_put_finding(s, run, &f, &grew, err));
    ck_assert(grew);
    struct finding g = only(s, &a, NULL);
    ck_assert_str_eq(g.signature, f.signature);
    ck_assert_str_eq(g.text, f.text);
    ck_assert_str_eq(g.layer, f.layer);
    ck_assert_str_eq(g.primitive, f.primitive);
    ck_assert_str_eq(g.check, f.check);
    ck_assert_str_eq(g.op, f.op);
    ck_assert_str_eq(g.detail, f.detail);
    ck_assert_str_eq(g.title, f.title);
    ck_assert_str_eq(g.evidence, f.evidence);
    ck_assert_str_eq(g.target, f.target);
    ck_assert_str_eq(g.identity, f.identity);
    ck_assert_int_eq(g.state, FINDING_FLAKY);
    ck_assert_int_eq(g.n_failed, 2);
    ck_assert_int_eq(g.n_run, 5);
    ck_assert_int_eq(g.times_seen, 4);
    ck_assert_int_eq(g.first_ms, 1000);
    ck_assert_int_eq(g.last_ms, 2000);
    ck_assert_str_eq(g.task, f.task);
    ck_assert_int_eq(g.task_steps, 3);
    ck_assert(g.client_illegal && g.suppressed);
    /* NULL strings are empty ones, no times are now, no run is none. */
    struct finding none = {.times_seen = 1};
    memcpy(none.signature, B, 17);
    OK(store_put_finding(s, 0, &none, &grew, err));
    OK(store_put_finding(s, 0, &none, &grew, err));
    g = only(s, &a, "00000000000000b");
    ck_assert_str_eq(g.text, "");
    ck_assert_str_eq(g.task, "");
    ck_assert_int_gt(g.first_ms, 1600000000000);
    ck_assert_int_eq(outside("SELECT count(*) FROM sighting"), 1);
    arena_release(&a);
    store_close(s);
    expect_intact();
}
END_TEST

START_TEST(finding_seen_again)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    int64_t run = a_run(s, 1, "g"), run2 = a_run(s, 2, "g");
    bool grew = false, known = true;
    enum finding_state state = FINDING_FIXED;
    OK(store_find(s, A, &known, &state, err));
    ck_assert(!known);
    struct finding f = a_finding(A);
    f.client_illegal = true;
    OK(store_put_finding(s, run, &f, &grew, err));
    ck_assert(grew);
    OK(store_find(s, A, &known, &state, err));
    ck_assert(known && state == FINDING_NEW);
    /* A settled state replaces, and counts no sighting when told so. */
    f.state = FINDING_CONFIRMED;
    f.n_failed = 4;
    f.n_run = 5;
    f.times_seen = 0;
    OK(store_put_finding(s, run, &f, &grew, err));
    ck_assert(!grew);
    /* New leaves state and rates, adds up; a larger task does not replace, unless it is the first lawful one. */
    struct finding again = a_finding(A);
    again.task_steps = 4;
    again.client_illegal = true;
    again.task = "{}";
    again.title = "of the larger task";
    again.n_failed = again.n_run = 1;
    again.times_seen = 3;
    OK(store_put_finding(s, run2, &again, &grew, err));
    ck_assert(!grew);
    struct finding g = only(s, &a, A);
    ck_assert_int_eq(g.state, FINDING_CONFIRMED);
    ck_assert_int_eq(g.n_failed, 4);
    ck_assert_int_eq(g.n_run, 5);
    ck_assert_int_eq(g.times_seen, 4);
    ck_assert_str_eq(g.task, "{\"t\":1}");
    ck_assert_str_eq(g.title, "It escapes");
    ck_assert(g.client_illegal);
    again.client_illegal = false;
    OK(store_put_finding(s, run2, &again, &grew, err));
    g = only(s, &a, A);
    ck_assert(!g.client_illegal); /* it shows without the client's fault, too */
    ck_assert_str_eq(g.title, "of the larger task");
    again.client_illegal = true; /* and is not given up for a smaller one of that kind */
    again.task_steps = 1;
    OK(store_put_finding(s, run2, &again, &grew, err));
    ck_assert_str_eq(only(s, &a, A).task, "{}");
    again.client_illegal = false;
    /* Same steps, fewer bytes; then fewer steps, more bytes; then the same once more. */
    again.task_steps = 3;
    OK(store_put_finding(s, run2, &again, &grew, err));
    ck_assert_str_eq(only(s, &a, A).task, "{}");
    ck_assert_str_eq(only(s, &a, A).title, "of the larger task");
    again.task_steps = 2;
    again.task = "{\"longer\":true}";
    again.target = "other";
    OK(store_put_finding(s, run2, &again, &grew, err));
    again.task = "{\"longer\":null}";
    OK(store_put_finding(s, run2, &again, &grew, err));
    again.task = "";
    again.task_steps = 0; /* no task is no smaller task */
    OK(store_put_finding(s, run2, &again, &grew, err));
    g = only(s, &a, A);
    ck_assert_str_eq(g.task, "{\"longer\":true}");
    ck_assert_int_eq(g.task_steps, 2);
    ck_assert_str_eq(g.target, "other");
    ck_assert_int_eq(outside("SELECT times FROM sighting WHERE run = 2"), 21);
    ck_assert_int_eq(outside("SELECT times FROM sighting WHERE run = 1"), 1);
    arena_release(&a);
    store_close(s);
}
END_TEST

/* Nothing is waited for: what is pending goes with it. */
/* A task that was made smaller stays until one with fewer steps comes. */
START_TEST(finding_made_smaller)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    bool grew;
    arena_init(&a);
    struct finding f = a_finding(A);
    f.task = "{\"long\":\"long\"}";
    f.task_steps = 5;
    f.client_illegal = true;
    OK(store_put_finding(s, 0, &f, &grew, err));
    ck_assert_int_eq(only(s, &a, A).shrunk, SHRUNK_NOT);
    struct finding smaller = f;
    smaller.task = "{\"clearer, if longer\":\"because that is so\"}";
    smaller.title = "another title";
    smaller.client_illegal = false;
    OK(store_put_shrunk(s, &smaller, SHRUNK_PART, err));
    struct finding g = only(s, &a, A);
    ck_assert_str_eq(g.task, smaller.task);
    ck_assert_str_eq(g.title, "another title");
    ck_assert(g.shrunk == SHRUNK_PART && !g.client_illegal && g.times_seen == f.times_seen && g.last_ms >= f.last_ms);
    smaller.task = NULL;
    OK(store_put_shrunk(s, &smaller, SHRUNK_WHOLE, err));
    OK(store_put_finding(s, 0, &f, &grew, err)); /* fewer bytes only */
    g = only(s, &a, A);
    ck_assert(g.shrunk == SHRUNK_WHOLE && strcmp(g.task, f.task) != 0);
    f.task_steps = 4;
    f.client_illegal = false;
    OK(store_put_finding(s, 0, &f, &grew, err));
    g = only(s, &a, A);
    ck_assert(g.shrunk == SHRUNK_NOT && strcmp(g.task, f.task) == 0);
    FAILS(ERR_INPUT, "has no finding " B, (memcpy(smaller.signature, B, 17), store_put_shrunk(s, &smaller, SHRUNK_PART, err)));
    store_close(s);
    arena_release(&a);
}
END_TEST

/* Two findings that other rules make one: what was seen adds up, the worse state and the smaller task stay, and every name that
 * ever found one of them still does. */
START_TEST(finding_renamed)
{
    static const char C[] = "00000000000000cc", D[] = "00000000000000dd";
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct arena a;
    bool grew, merged;
    arena_init(&a);
    struct finding f = a_finding(A), g = a_finding(B);
    f.task = "{\"a\":1}";
    f.task_steps = 2;
    f.times_seen = 3;
    f.state = FINDING_FLAKY;
    f.n_failed = 1;
    f.client_illegal = false;
    f.raw = "as it was said";
    f.title = "of the smaller one";
    g.task = "{\"b\":1}";
    g.task_steps = 9;
    g.times_seen = 4;
    g.state = FINDING_CONFIRMED;
    g.n_failed = 5;
    g.client_illegal = true;
    OK(store_put_finding(s, run, &f, &grew, err));
    OK(store_put_finding(s, run, &g, &grew, err));

    struct finding to = f;
    memcpy(to.signature, C, 17);
    to.text = "l/p/c/o: new";
    to.detail = "new";
    OK(store_rename(s, A, &to, &merged, err));
    ck_assert(!merged);
    struct finding h = only(s, &a, A);
    ck_assert_str_eq(h.signature, C);
    ck_assert_str_eq(h.text, "l/p/c/o: new");
    ck_assert_str_eq(h.detail, "new");
    ck_assert_str_eq(h.raw, "as it was said");
    ck_assert(h.state == FINDING_FLAKY && h.times_seen == 3);
    ck_assert_str_eq(only(s, &a, C).signature, C);

    memcpy(to.signature, B, 17);
    OK(store_rename(s, C, &to, &merged, err));
    ck_assert(merged);
    static const char *const names[] = {A, B, C, "00000000000000c"};
    for (int i = 0; i < 4; i++) {
        h = only(s, &a, names[i]);
        ck_assert_str_eq(h.signature, B);
    }
    ck_assert(h.state == FINDING_CONFIRMED && h.n_failed == 5 && h.times_seen == 7 && h.task_steps == 2 && !h.client_illegal);
    ck_assert_str_eq(h.title, "of the smaller one");
    ck_assert_int_eq(outside("SELECT sum(times) FROM sighting"), 7);
    const char **aliases;
    size_t count;
    OK(store_aliases(s, B, &a, &aliases, &count, err));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(aliases[0], A);
    ck_assert_str_eq(aliases[1], C);

    /* Back at a name it had. */
    memcpy(to.signature, A, 17);
    OK(store_rename(s, B, &to, &merged, err));
    ck_assert(!merged);
    OK(store_aliases(s, A, &a, &aliases, &count, err));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(only(s, &a, B).signature, A);
    FAILS(ERR_INPUT, "has no finding 00000000000000dd", store_rename(s, D, &to, &merged, err));
    store_close(s);
    expect_intact();
    arena_release(&a);
}
END_TEST

START_TEST(finding_is_committed_at_once)
{
    OK(settings_set(&settings, "loop.batch-ms", "1h", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 0, 1);
    bool grew;
    put(s, run, t, EXECUTION_FAILED, NULL, NULL, 0);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 0);
    struct finding f = a_finding(A);
    OK(store_put_finding(s, run, &f, &grew, err));
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 1);
    ck_assert_int_eq(outside("SELECT count(*) FROM finding"), 1);
    enum finding_state state;
    OK(store_retested(s, A, 3, 5, &state, err));
    ck_assert_int_eq(outside("SELECT state = 'confirmed' FROM finding"), 1);
    task_free(t);
    store_close(s);
}
END_TEST

static const struct {
    enum finding_state old;
    int n_failed, n_run;
    enum finding_state wanted;
} retests[] = {
    {FINDING_CONFIRMED, 0, 5, FINDING_FIXED},
    {FINDING_CONFIRMED, 0, 1, FINDING_CONFIRMED},
    {FINDING_CONFIRMED, 0, 4, FINDING_CONFIRMED},
    {FINDING_CONFIRMED, 5, 5, FINDING_CONFIRMED},
    {FINDING_REGRESSED, 0, 4, FINDING_REGRESSED},
    {FINDING_CONFIRMED, 1, 5, FINDING_CONFIRMED},
    {FINDING_CONFIRMED, 0, 0, FINDING_CONFIRMED},
    {FINDING_FIXED, 0, 5, FINDING_FIXED},
    {FINDING_FIXED, 1, 5, FINDING_REGRESSED},
    {FINDING_FIXED, 0, 0, FINDING_FIXED},
    {FINDING_REGRESSED, 0, 5, FINDING_FIXED},
    {FINDING_REGRESSED, 5, 5, FINDING_REGRESSED},
    {FINDING_NEW, 3, 5, FINDING_CONFIRMED},
    {FINDING_NEW, 2, 5, FINDING_FLAKY},
    {FINDING_NEW, 0, 5, FINDING_UNCONFIRMED},
    {FINDING_NEW, 1, 1, FINDING_NEW},
    {FINDING_NEW, 0, 1, FINDING_NEW},
    {FINDING_NEW, 3, 3, FINDING_CONFIRMED},
    {FINDING_UNCONFIRMED, 5, 5, FINDING_CONFIRMED},
    {FINDING_UNCONFIRMED, 1, 5, FINDING_FLAKY},
    {FINDING_UNCONFIRMED, 0, 5, FINDING_UNCONFIRMED},
    {FINDING_FLAKY, 0, 5, FINDING_FLAKY},
    {FINDING_FLAKY, 4, 5, FINDING_CONFIRMED},
    {FINDING_FLAKY, 1, 5, FINDING_FLAKY},
};

START_TEST(retested)
{
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    int64_t run = a_run(s, 1, "g");
    for (unsigned i = 0; i < sizeof retests / sizeof *retests; i++) {
        char signature[17];
        bool grew;
        enum finding_state state = FINDING_NEW;
        snprintf(signature, sizeof signature, "%016x", i);
        struct finding f = a_finding(signature);
        f.state = retests[i].old;
        f.n_failed = 9;
        f.n_run = 9;
        f.last_ms = 1000;
        OK(store_put_finding(s, run, &f, &grew, err));
        int64_t tried = f.state == FINDING_NEW ? 0 : 1000;
        ck_assert_int_eq(only(s, &a, signature).tested_ms, tried);
        OK(store_retested(s, signature, retests[i].n_failed, retests[i].n_run, &state, err));
        ck_assert_msg(state == retests[i].wanted, "row %u: %s", i, finding_state_name(state));
        struct finding g = only(s, &a, signature);
        ck_assert_int_eq(g.state, state);
        ck_assert_int_eq(g.n_run, retests[i].n_run ? retests[i].n_run : 9);
        ck_assert_int_eq(g.n_failed, retests[i].n_run ? retests[i].n_failed : 9);
        ck_assert(retests[i].n_run ? g.tested_ms > 1000 : g.tested_ms == tried);
    }
    arena_release(&a);
    store_close(s);
}
END_TEST

START_TEST(findings_in_order)
{
    static const enum finding_state states[] = {FINDING_FIXED,       FINDING_NEW,       FINDING_CONFIRMED,
                                                FINDING_UNCONFIRMED, FINDING_REGRESSED, FINDING_FLAKY,
                                                FINDING_CONFIRMED,   FINDING_CONFIRMED};
    static const int times[] = {90, 1, 5, 99, 1, 70, 6, 5};
    struct store *s = opened(STORE_WRITE);
    struct arena a;
    arena_init(&a);
    for (int i = 0; i < 8; i++) {
        char signature[17];
        bool grew;
        snprintf(signature, sizeof signature, "abcdef000000000%d", i);
        struct finding f = a_finding(signature);
        f.state = states[i];
        f.times_seen = times[i];
        f.detail = i == 2 ? "should: a recommendation" : f.detail;
        OK(store_put_finding(s, 0, &f, &grew, err));
    }
    struct finding *list = NULL;
    size_t count = 0;
    static const char *const all[] = {NULL, "", "a", "ABCDEF"};
    for (int p = 0; p < 4; p++) {
        OK(store_findings(s, all[p], &a, &list, &count, err));
        ck_assert_uint_eq(count, 8);
        char order[9] = "";
        for (size_t i = 0; i < count; i++)
            order[i] = list[i].signature[15];
        ck_assert_str_eq(order, "46725130"); /* 2 is but a recommendation */
    }
    static const char *const none[] = {"b", "%", "_", "abcdef0000000003x", "*", "'", "abcdef0000000009"};
    for (int p = 0; p < 7; p++) {
        OK(store_findings(s, none[p], &a, &list, &count, err));
        ck_assert_uint_eq(count, 0);
    }
    ck_assert_str_eq(only(s, &a, "abcdef0000000003").signature, "abcdef0000000003");
    struct store_totals totals;
    OK(store_totals(s, &totals, err));
    ck_assert_int_eq(totals.findings, 7);
    ck_assert_int_eq(totals.confirmed, 3);
    arena_release(&a);
    store_close(s);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, finding_round_trip);
    tcase_add_test(tests, finding_seen_again);
    tcase_add_test(tests, finding_made_smaller);
    tcase_add_test(tests, finding_renamed);
    tcase_add_test(tests, finding_is_committed_at_once);
    tcase_add_test(tests, retested);
    tcase_add_test(tests, findings_in_order);
}

int main(void)
{
    return unit_main("store findings", fill);
}
