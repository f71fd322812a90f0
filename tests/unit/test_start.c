/* Sessions that a task wants started otherwise: what its records mean together, and what programs in the sandbox see of it. */
#include "exec/target/tripwire.h"
#include "mutate/start/start.h"
#include "session_fixture.h"

static struct session_fixture f;

static void set_up(void)
{
    session_set_up(&f);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

static struct start start_of_records(const char *records)
{
    struct task *t = NULL;
    struct error *err = NULL;
    struct start start;
    char *text = arena_printf(&f.arena,
                              "{\"format\":\"taskgen/task/1\",\"instruction\":\"\",\"steps\":[{\"id\":\"s1\",\"op\":\"list\",\"args\":{"
                              "\"path\":\"\"}}],\"mutations\":[%s]}",
                              records);
    int status = task_read(f.ops, bytes_of_string(text), "test", &t, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    bool any = start_of(t, &start);
    ck_assert(any == (start.variables[0] || start.user || start.shared_memory || start.canary));
    task_free(t);
    return start;
}

#define RECORD(mutator, at, detail)                                                                           \
    "{\"mutator\":\"" mutator "\",\"step\":\"s1\",\"at\":\"" at "\",\"detail\":\"" detail "\",\"before\":{}}"

static void begin(const char *spec, const char *records)
{
    struct start start = start_of_records(records);
    struct error *err = NULL;
    session_target_new(&f, spec);
    int status = session_open_as(f.target, &start, &f.session, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    snprintf(fixture_mark, sizeof fixture_mark, "%s", f.session->base);
}

START_TEST(records)
{
    struct start all = start_of_records(RECORD("locale", "/start/locale", "ascii: …") "," RECORD(
        "uid", "/start/user", "nobody: …") "," RECORD("env-canary", "/start/canary", "key: …"));
    ck_assert_str_eq(all.variables[3], "PYTHONCOERCECLOCALE=0");
    ck_assert_ptr_null(all.variables[4]);
    ck_assert_uint_eq(all.user, 65534);
    ck_assert(all.canary && all.shared_memory == 0);
    /* Not of ours: an unknown kind, another place, another mutator. */
    start_of_records(RECORD("locale", "/start/locale", "klingon: …"));
    struct start none = start_of_records(RECORD("locale", "/start/user", "c: …") "," RECORD("uid", "/env", "nobody: …") "," RECORD(
        "slow-reader", "/env", "short: …") "," RECORD("uid", "/start/user", "nobody"));
    ck_assert(!none.variables[0] && !none.user);
}
END_TEST

START_TEST(variables)
{
    begin("exec:", RECORD("locale", "/start/locale", "ascii: …") "," RECORD("env-canary", "/start/canary", "key: …"));
    const char *canary = tripwires_canary(f.session->tripwires, TRIPWIRE_ENVIRONMENT);
    ck_assert_str_eq(sh_out(&f, "echo $LC_ALL $LANG $PYTHONUTF8 $" START_CANARY),
                     arena_printf(&f.arena, "C C 0 %s\n", canary));
    ck_assert(tripwires_canary(f.session->tripwires, TRIPWIRE_HOME) != canary);
    unsigned how[TRIPWIRE_PLACES];
    tripwires_look(f.session->tripwires, how);
    ck_assert_uint_eq(how[TRIPWIRE_ENVIRONMENT], 0);
    tripwires_compare(f.session->tripwires, how);
    ck_assert_uint_eq(how[TRIPWIRE_ENVIRONMENT], 0);
    /* A session beside it has the locale too, but not the secret. */
    struct session *first = f.session, *second = NULL;
    struct error *err = NULL;
    ck_assert_msg(session_open_beside(first, &second, &err) == 0, "%s", err ? err->text : "");
    f.session = second;
    ck_assert_str_eq(sh_out(&f, "echo $LC_ALL:$" START_CANARY), "C:\n");
    session_close(second);
    f.session = first;
}
END_TEST

START_TEST(as_always)
{
    session_new(&f, "exec:");
    ck_assert_str_eq(sh_out(&f, "echo $LANG:$LC_ALL:$" START_CANARY), "C.UTF-8::\n");
}
END_TEST

START_TEST(shared_memory)
{
    if (!box_possible(NULL))
        return; /* only the box has one of its own */
    begin("exec:", RECORD("small-shm", "/start/shared-memory", "64k: …"));
    ck_assert_str_eq(sh_out(&f, "head -c 65536 /dev/zero >/dev/shm/a && echo fits; rm /dev/shm/a; "
                                "head -c 65537 /dev/zero >/dev/shm/a 2>/dev/null || echo full"),
                     "fits\nfull\n");
}
END_TEST

START_TEST(user)
{
    struct box box = {.settings = &f.settings};
    if (!box_owner(&box))
        return; /* only root's boxes have users to choose from */
    begin("demo:none", RECORD("uid", "/start/user", "nameless: …"));
    ASSERT_OK("run", "{\"argv\":[\"sh\",\"-c\",\"id -u; touch own; stat -c %u own .\"]}");
    ck_assert(bytes_equal_string(result_bytes(&f, "stdout"), "54321\n54321\n54321\n"));
    ASSERT_OK("write", "{\"path\":\"x\",\"content\":\"y\"}");
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, records);
    tcase_add_test(tests, variables);
    tcase_add_test(tests, as_always);
    tcase_add_test(tests, shared_memory);
    tcase_add_test(tests, user);
}

int main(void)
{
    return unit_main("start", fill);
}
