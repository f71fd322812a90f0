/* exec/oracle/policy: every key of a file, what is refused and in which words, roots, JSON both ways, and what a check says with it. */
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/ini_file.h"
#include "exec/oracle/judge.h"
#include "unit.h"

static struct policy policy;
static struct arena arena;

static void set_up(void)
{
    policy = (struct policy){0};
    arena_init(&arena);
}

static void tear_down(void)
{
    arena_release(&arena);
}

static int take(void *user, const char *section, const char *key, const char *value, struct error **err)
{
    return policy_set(user, section, key, value, err);
}

static int load(struct bytes text, struct error **err)
{
    char *directory = fs_fresh_dir("taskgen-policy", NULL);
    char *file = arena_printf(&arena, "%s/p.ini", directory);
    ck_assert_int_eq(fs_write(file, text, NULL), 0);
    int status = ini_file_read(file, take, &policy, err);
    ck_assert_int_eq(unlink(file), 0);
    ck_assert_int_eq(rmdir(directory), 0);
    free(directory);
    return status;
}

static const char whole[] = "[roots]\nreadable = {root} /usr\nreadable = /etc/\nwritable = {root}/work\n"
                            "[limits]\nmemory = 512M\nprocesses = 64\noutput = 1M\nfile-size = 1.5M\ndisk = 2G\n"
                            "call-timeout = 30s\ncpus = 4\nsession-timeout = 10m\n"
                            "[network]\negress = no\n[state]\ncalls = yes\nsessions = no\nbackground = yes\n"
                            "[environment]\nsecrets = no\n";

static const char whole_json[] =
    "{\"environment.secrets\":\"no\",\"limits.call-timeout\":30000,\"limits.cpus\":4,\"limits.disk\":2147483648,"
    "\"limits.file-size\":1572864,\"limits.memory\":536870912,\"limits.output\":1048576,\"limits.processes\":64,"
    "\"limits.session-timeout\":600000,\"network.egress\":\"no\",\"roots.readable\":[\"{root}\",\"/usr\",\"/etc/\"],"
    "\"roots.writable\":[\"{root}/work\"],\"state.background\":\"yes\",\"state.calls\":\"yes\",\"state.sessions\":\"no\"}";

static void check_json(const struct policy *p, const char *expected)
{
    struct buf text;
    buf_init(&text, 4096);
    json_write(&text, policy_json(p, &arena), JSON_COMPACT);
    ck_assert_str_eq(buf_string(&text), expected);
    buf_release(&text);
}

START_TEST(every_key)
{
    struct error *err = NULL;
    int64_t most = 0;
    int status = load(bytes_of_string(whole), &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    ck_assert_int_eq(policy_says(&policy, POLICY_EGRESS), POLICY_NO);
    ck_assert_int_eq(policy_says(&policy, POLICY_CALLS_KEEP), POLICY_YES);
    ck_assert_int_eq(policy_says(&policy, POLICY_SESSIONS_KEEP), POLICY_NO);
    ck_assert_int_eq(policy_says(&policy, POLICY_BACKGROUND_LIVES), POLICY_YES);
    ck_assert_int_eq(policy_says(&policy, POLICY_SECRETS_VISIBLE), POLICY_NO);
    ck_assert(policy_limits(&policy, POLICY_CALL_TIMEOUT, &most));
    ck_assert_int_eq(most, 30000);
    ck_assert(policy_limits(&policy, POLICY_FILE_SIZE, &most));
    ck_assert_int_eq(most, 1572864);
    check_json(&policy, whole_json);
    struct json *read = NULL;
    struct policy again;
    ck_assert_int_eq(json_read(&arena, bytes_of_string(whole_json), NULL, "policy", &read, NULL, NULL), 0);
    policy_of_json(&again, read);
    check_json(&again, whole_json);
}
END_TEST

START_TEST(nothing_stated)
{
    int64_t most = 7;
    const struct policy *none[] = {NULL, &policy};
    for (size_t i = 0; i < 2; i++) {
        for (int fact = 0; fact < POLICY_FACTS; fact++)
            ck_assert_int_eq(policy_says(none[i], (enum policy_fact)fact), POLICY_UNSTATED);
        for (int limit = 0; limit < POLICY_LIMITS; limit++)
            ck_assert(!policy_limits(none[i], (enum policy_limit)limit, &most));
        ck_assert_int_eq(policy_reaches(none[i], POLICY_WRITABLE, BYTES_LITERAL("/x")), POLICY_UNSTATED);
        check_json(none[i], "{}");
    }
    ck_assert_int_eq(most, 7);
}
END_TEST

static const struct {
    enum policy_roots kind;
    const char *path;
    enum policy_answer reaches;
} paths[] = {
    {POLICY_READABLE, "{root}", POLICY_YES},      {POLICY_READABLE, "{root}/a/b", POLICY_YES},
    {POLICY_READABLE, "{root}-private", POLICY_NO}, {POLICY_READABLE, "/usr/bin/env", POLICY_YES},
    {POLICY_READABLE, "/usrlocal", POLICY_NO},    {POLICY_READABLE, "/etc/hosts", POLICY_YES},
    {POLICY_READABLE, "/etc", POLICY_YES},        {POLICY_READABLE, "{home}/x", POLICY_NO},
    {POLICY_READABLE, "/tmp/x", POLICY_YES},      {POLICY_WRITABLE, "/tmp/x", POLICY_YES},
    {POLICY_WRITABLE, "/usr/x", POLICY_NO},       {POLICY_WRITABLE, "{root}/a", POLICY_NO},
};

START_TEST(roots)
{
    ck_assert_int_eq(policy_set(&policy, "roots", "readable", "{root}\t /usr  /etc/ ", NULL), 0);
    ck_assert_int_eq(policy_reaches(&policy, POLICY_WRITABLE, BYTES_LITERAL("/usr")), POLICY_UNSTATED);
    ck_assert_int_eq(policy_set(&policy, "roots", "writable", "/tmp", NULL), 0);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        ck_assert_msg(policy_reaches(&policy, paths[i].kind, bytes_of_string(paths[i].path)) == paths[i].reaches, "%s",
                      paths[i].path);
}
END_TEST

static const struct {
    const char *text, *message; /* behind "…/p.ini:" */
} bad[] = {
    {"[state]\n\nbackground = maybe\n", "3: 'state.background' is 'maybe', expected yes or no"},
    {"[limits]\nmemory = lots\n", "2: 'limits.memory' is 'lots', expected a size like 4096, 64K, 1.5M or 2G"},
    {"[limits]\nprocesses = 0\n", "2: 'limits.processes' is '0', expected at least 1"},
    {"[roots]\nreadable = usr\n", "2: 'roots.readable' names 'usr', expected an absolute path, {root}/… or {home}/…"},
    {"[roots]\nreadable = {rootx}\n",
     "2: 'roots.readable' names '{rootx}', expected an absolute path, {root}/… or {home}/…"},
    {"[roots]\nwritable =\n", "2: 'roots.writable' names no path, expected one or more"},
    {"[roots]\nwritable = /1 /2 /3 /4 /5 /6 /7 /8 /9 /10 /11 /12 /13 /14 /15 /16 /17\n",
     "2: 'roots.writable' has more than 16 paths or one of more than 199 bytes"},
    {"egress = no\n",
     "1: found 'egress', expected one of environment.secrets, limits.call-timeout, limits.cpus, limits.disk, limits.file-size, "
     "limits.memory, limits.output, limits.processes, limits.session-timeout, network.egress, roots.readable, "
     "roots.writable, state.background, state.calls, state.sessions"},
    {"[network\n", "1: expected [section] or key = value"},
};

START_TEST(bad_file)
{
    struct error *err = NULL;
    ck_assert_int_eq(load(bytes_of_string(bad[_i].text), &err), ERR_INPUT);
    const char *behind = strstr(err->text, "/p.ini:");
    ck_assert_ptr_nonnull(behind);
    ck_assert_str_eq(behind + strlen("/p.ini:"), bad[_i].message);
    error_free(err);
}
END_TEST

static const struct {
    enum policy_answer allowed;
    size_t count;
    const char *detail;
    bool note;
} said[] = {
    {POLICY_YES, 0, NULL, false},
    {POLICY_NO, 1, "a fact", false},
    {POLICY_UNSTATED, 1, "contract: a fact", true},
};

START_TEST(contract)
{
    struct task task = {0};
    struct execution e = {.task = &task, .arena = &arena};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct verdicts out = {.arena = &arena};
        judge_say_contract(&out, &e, said[i].allowed, "orphan-left", 0, EFFECT_NONE, "a fact", "title", "evidence");
        ck_assert_uint_eq(out.count, said[i].count);
        if (!said[i].detail)
            continue;
        ck_assert_str_eq(out.items[0].detail, said[i].detail);
        ck_assert(detail_is_note(out.items[0].detail) == said[i].note);
    }
    ck_assert(detail_is_note("should: answer"));
    ck_assert(!detail_is_note(NULL) && !detail_is_note("shoulder") && !detail_is_note(""));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, every_key);
    tcase_add_test(tests, nothing_stated);
    tcase_add_test(tests, roots);
    tcase_add_loop_test(tests, bad_file, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tests, contract);
}

int main(void)
{
    return unit_main("policy", fill);
}
