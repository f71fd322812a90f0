/* exec/oracle/user_check: rules that are read, the faults of those that are not, and what they say of a recorded execution. */
#include "exec/oracle/record.h"
#include "exec/oracle/user_check.h"
#include "oracle_case.h"

static const char record[] =
    "{\"format\":\"taskgen/execution/1\",\"task\":{\"format\":\"taskgen/task/1\",\"instruction\":\"x\",\"steps\":["
    "{\"id\":\"s1\",\"op\":\"run\",\"args\":{\"argv\":[\"a\"]}},{\"id\":\"s2\",\"op\":\"read\",\"args\":{\"path\":\"a\"}},"
    "{\"id\":\"s3\",\"op\":\"run\",\"args\":{\"argv\":[\"b\"]}},{\"id\":\"s4\",\"op\":\"run\",\"args\":{\"argv\":[\"c\"]}}]},"
    "\"observations\":["
    "{\"step\":\"s1\",\"outcome\":{\"class\":\"ok\",\"exit\":3,\"result\":{\"exit\":3,\"stdout\":\"one\\ntwo\\n\",\"stderr\":\"Traceback\\n\"},\"raw\":\"raw one\"}},"
    "{\"step\":\"s2\",\"outcome\":{\"class\":\"tool-error\",\"message\":\"ENOENT: no such file\"}},"
    "{\"step\":\"s3\",\"outcome\":{\"class\":\"ok\",\"exit\":0,\"result\":{\"exit\":0,\"stdout\":\"\",\"stderr\":\"\"}}},"
    "{\"step\":\"s4\",\"outcome\":{\"class\":\"skipped\",\"skip_reason\":\"x\"}}],\"verdicts\":[]}";

/* `lines` are "key=value", parted by |; the check is called n. */
static struct user_checks *checks_of(const char *lines, struct error **err)
{
    struct user_checks *c = user_checks_new();
    char *copy = xstrdup(lines), *rest = copy;
    int status = 0;
    for (char *line; status == 0 && (line = strsep(&rest, "|"));) {
        char *equals = strchr(line, '=');
        *equals = '\0';
        status = user_checks_set(c, "n", line, equals + 1, err);
    }
    if (status == 0)
        status = user_checks_end(c, err);
    free(copy);
    if (status == 0)
        return c;
    user_checks_free(c);
    return NULL;
}

static const struct {
    const char *lines;
    const char *steps; /* of the verdicts, in order */
} said[] = {
    {"field=stderr|must-not=^Traceback|primitive=process", "s1"},
    {"field=stderr|must-not=^traceback|primitive=process", ""},
    {"field=stdout|must=^two$|primitive=process", "s3"}, /* of run s4 there is nothing */
    {"field=stdout|must=.|primitive=process|op=read", ""},
    {"field=exit|must=^0$|primitive=process", "s1"},
    {"field=message|must=permission|primitive=path", "s2"},
    {"field=message|must-not=ENOENT|primitive=path|op=read", "s2"},
    {"field=outcome|must=^ok$|primitive=path", "s2"},
    {"field=content|must=x|primitive=path", ""},
    {"field=raw|must-not=^raw one$|primitive=path", "s1"},
    {"field=stdout|must-not=(a+)+$|primitive=path", ""},
};

START_TEST(verdicts_of_a_recording)
{
    struct arena a;
    struct execution e;
    struct task *task = NULL;
    struct error *err = NULL;
    struct ops *ops = oracle_ops();
    arena_init(&a);
    ck_assert_msg(execution_read(ops, bytes_of_string(record), "record", &a, &e, &task, &err) == 0, "%s", err ? err->text : "?");
    struct verdicts out = {.arena = &a}, without = {.arena = &a};
    user_checks_judge(&e, &without);
    ck_assert_uint_eq(without.count, 0);
    struct user_checks *c = checks_of(said[_i].lines, &err);
    ck_assert_msg(c != NULL, "%s", err ? err->text : "?");
    e.user_checks = c;
    user_checks_judge(&e, &out);
    struct buf steps;
    buf_init(&steps, 64);
    for (size_t i = 0; i < out.count; i++) {
        buf_add_string(&steps, e.observations[out.items[i].observation].step->id);
        ck_assert_str_eq(out.items[i].check, "user-n");
        ck_assert_int_eq(out.items[i].layer, LAYER_UNDECIDED);
        ck_assert_str_eq(out.items[i].detail, strstr(said[_i].lines, "must-not") ? "what must not be there is" : "what must be there is not");
    }
    ck_assert_str_eq(buf_string(&steps), said[_i].steps);
    buf_release(&steps);
    struct verdicts all = {.arena = &a}; /* among all checks, and what was our own trouble says nothing */
    e.harness = true;
    oracle_judge(&e, &all);
    ck_assert_uint_eq(all.count, 0);
    user_checks_free(c);
    task_free(task);
    ops_free(ops);
    arena_release(&a);
}
END_TEST

static const struct {
    const char *lines, *message;
} faults[] = {
    {"field=output", "field: found 'output', expected stdout, stderr, content, message, raw, exit or outcome"},
    {"primitive=bytes", "primitive: found 'bytes', expected one of the closed list, such as encoding or process"},
    {"primitive=size|primitive=bytes", "primitive: found 'bytes', expected one of the closed list, such as encoding or process"},
    {"must=(", "found '(', expected a PCRE2 pattern: missing closing parenthesis at byte 1"},
    {"must=a|must-not=b", "found a second pattern of the check, expected one must or must-not"},
    {"pattern=a", "found 'pattern', expected field, must, must-not, op or primitive"},
    {"must=a|primitive=size", "[n]: found nothing of that name, expected field"},
    {"must=a|field=raw", "[n]: found nothing of that name, expected primitive"},
    {"field=raw|primitive=size", "[n]: found nothing of that name, expected must or must-not"},
};

START_TEST(refused)
{
    struct error *err = NULL;
    ck_assert_ptr_null(checks_of(faults[_i].lines, &err));
    ck_assert_int_eq(err->code, ERR_INPUT);
    ck_assert_str_eq(err->text, faults[_i].message);
    error_free(err);
}
END_TEST

START_TEST(names)
{
    static const char *const odd[] = {"", "A", "a b", "a/b", "a-name-that-is-longer-than-the-forty-bytes-allowed"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct user_checks *c = user_checks_new();
        struct error *err = NULL;
        ck_assert_int_eq(user_checks_set(c, odd[i], "field", "raw", &err), ERR_INPUT);
        ck_assert_ptr_nonnull(strstr(err->text, "expected up to 40 of a to z, 0 to 9 and -"));
        error_free(err);
        user_checks_free(c);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, verdicts_of_a_recording, 0, sizeof said / sizeof *said);
    tcase_add_loop_test(tests, refused, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tests, names);
}

int main(void)
{
    return unit_main("user_check", fill);
}
