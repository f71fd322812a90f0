/* exec/oracle/user_check: rules that are read, the faults of those that are not, and what they say of a recorded execution; and
 * exec/user_command: commands that are asked about its steps. */
#include "exec/oracle/record.h"
#include "exec/oracle/user_check.h"
#include "exec/user_command.h"
#include "oracle_case.h"

#include "base/clock.h"

#include <sys/wait.h>

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
    int first = 0;
    if (status == 0)
        status = user_checks_end(c, &first, err);
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
    {"must=a|must-not=b", "found a second rule of the check, expected one must, must-not or command"},
    {"command=a|must-not=b", "found a second rule of the check, expected one must, must-not or command"},
    {"must=a|command=b", "found a second rule of the check, expected one must, must-not or command"},
    {"command=", "command: found nothing, expected a command for the shell"},
    {"command=a|field=raw", "[n]: found field, expected none beside command"},
    {"pattern=a", "found 'pattern', expected command, field, must, must-not, op or primitive"},
    {"must=a|primitive=size", "[n]: found nothing of that name, expected field"},
    {"must=a|field=raw", "[n]: found nothing of that name, expected primitive"},
    {"field=raw|primitive=size", "[n]: found nothing of that name, expected must, must-not or command"},
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

START_TEST(the_line_of_what_is_not_whole)
{
    struct user_checks *c = user_checks_new();
    struct error *err = NULL;
    int line = 0;
    user_checks_at(c, 3);
    ck_assert_int_eq(user_checks_set(c, "a", "command", "true", &err), 0);
    user_checks_at(c, 6);
    ck_assert_int_eq(user_checks_set(c, "b", "field", "raw", &err), 0);
    ck_assert_int_eq(user_checks_end(c, &line, &err), ERR_INPUT);
    ck_assert_int_eq(line, 6);
    ck_assert(user_checks_have(c, "user-a") && !user_checks_have(c, "user-c") && !user_checks_have(NULL, "user-a"));
    error_free(err);
    user_checks_free(c);
}
END_TEST

/* --- commands --- */

static char *told;

static void hear(void *user, const char *check, const char *trouble)
{
    ck_assert_ptr_null(told); /* once a check */
    told = xstrdup(trouble);
    ck_assert_str_eq(check, "user-n");
}

static const struct {
    const char *lines;
    const char *steps;   /* with fault, in order */
    const char *detail, *primitive;
    const char *trouble; /* how it begins; NULL: there is none */
    int64_t asked, troubles;
} commands[] = {
    {"command=exit 0", "", NULL, NULL, NULL, 3, 0},
    {"command=cat >/dev/null; echo 'out of  order'; echo more; exit 1|op=read", "s2", "out of  order", "storage", NULL, 1, 0},
    {"command=exit 1|op=run|primitive=time", "s1s3", "the command finds fault with it", "time", NULL, 2, 0},
    {"command=grep -q '\"exit\":3' && { printf '\\001two \\377\\n'; exit 1; }; exit 0", "s1", "two ?", "process", NULL, 3, 0},
    {"command=grep -q '\"op\":\"read\"' && exit 1; exit 0", "s2", "the command finds fault with it", "storage", NULL, 3, 0},
    {"command=for i in $(seq 50000); do echo y; done; exit 1|op=read", "s2", "y", "storage", NULL, 1, 0},
    {"command=printf %1000000d 7; exit 1|op=read", "s2", NULL, "storage", NULL, 1, 0},
    {"command=echo 'Traceback' >&2; exit 1", "", NULL, NULL, "ended with status 1, and only its standard error says why: Traceback", 3, 3},
    {"command=exit 2", "", NULL, NULL, "ended with status 2, expected 0 or 1", 3, 3},
    {"command=/no/such/program|op=read", "", NULL, NULL, "ended with status 127, expected 0 or 1: ", 1, 1},
    {"command=kill -9 $$|op=read", "", NULL, NULL, "was ended by signal 9", 1, 1},
    {"command=sleep 30; exit 1|op=read", "", NULL, NULL, "did not end within 200 ms (the setting check.time)", 1, 1},
    {"command=sleep 30 & exit 1|op=read", "s2", "the command finds fault with it", "storage", NULL, 1, 0},
};

START_TEST(commands_are_asked)
{
    struct arena a;
    struct execution e, again;
    struct task *task = NULL, *same = NULL;
    struct error *err = NULL;
    struct settings settings;
    struct ops *ops = oracle_ops();
    arena_init(&a);
    ck_assert_int_eq(execution_read(ops, bytes_of_string(record), "record", &a, &e, &task, &err), 0);
    struct user_checks *c = checks_of(commands[_i].lines, &err);
    ck_assert_msg(c != NULL, "%s", err ? err->text : "?");
    user_checks_tell(c, hear, NULL);
    settings_defaults(&settings);
    if (strstr(commands[_i].lines, "sleep 30; "))
        ck_assert_int_eq(settings_set(&settings, "check.time", "200", &err), 0);
    e.user_checks = c;
    int64_t began = clock_monotonic_ns();
    user_commands_ask(&settings, NULL, NULL, &e);
    ck_assert_int_lt((clock_monotonic_ns() - began) / 1000000, 20000);
    struct user_tally tally = user_checks_tally(c, 0);
    ck_assert_int_eq(tally.asked, commands[_i].asked);
    ck_assert_int_eq(tally.troubles, commands[_i].troubles);
    ck_assert_msg(commands[_i].trouble ? told && !strncmp(told, commands[_i].trouble, strlen(commands[_i].trouble)) : !told, "told: %s",
                  told ? told : "nothing");
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no zombie is left */

    /* The answers are part of the record: judged from there, they say the same. */
    struct buf text, steps;
    buf_init(&text, 1 << 20);
    buf_init(&steps, 64);
    execution_write(&e, &text);
    ck_assert_msg(execution_read(ops, buf_bytes(&text), "again", &a, &again, &same, &err) == 0, "%s", err ? err->text : "?");
    struct verdicts out = {.arena = &a};
    user_checks_judge(&again, &out);
    for (size_t i = 0; i < out.count; i++) {
        buf_add_string(&steps, again.observations[out.items[i].observation].step->id);
        ck_assert_str_eq(out.items[i].check, "user-n");
        ck_assert_str_eq(out.items[i].primitive, commands[_i].primitive);
        ck_assert_int_eq(out.items[i].layer, LAYER_UNDECIDED);
        ck_assert_uint_le(strlen(out.items[i].detail), 170);
        if (commands[_i].detail)
            ck_assert_str_eq(out.items[i].detail, commands[_i].detail);
    }
    /* Two runs that get the same words are one signature. */
    ck_assert_str_eq(buf_string(&steps), strcmp(commands[_i].steps, "s1s3") ? commands[_i].steps : "s1");
    ck_assert_uint_eq(e.answer_count, strlen(commands[_i].steps) / 2);
    buf_release(&text);
    buf_release(&steps);
    free(told);
    told = NULL;
    user_checks_free(c);
    task_free(task);
    task_free(same);
    ops_free(ops);
    arena_release(&a);
}
END_TEST

/* A stop ends it, and of trouble of our own nothing is asked. */
START_TEST(nothing_is_asked)
{
    struct arena a;
    struct execution e;
    struct task *task = NULL;
    struct error *err = NULL;
    struct settings settings;
    struct ops *ops = oracle_ops();
    atomic_int stop = 1;
    arena_init(&a);
    settings_defaults(&settings);
    ck_assert_int_eq(execution_read(ops, bytes_of_string(record), "record", &a, &e, &task, &err), 0);
    struct user_checks *c = checks_of("command=exit 1", &err);
    e.user_checks = c;
    user_commands_ask(&settings, NULL, &stop, &e);
    e.harness = true;
    user_commands_ask(&settings, NULL, NULL, &e);
    ck_assert_int_eq(user_checks_tally(c, 0).asked, 0);
    ck_assert_uint_eq(e.answer_count, 0);
    user_checks_free(c);
    task_free(task);
    ops_free(ops);
    arena_release(&a);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, the_line_of_what_is_not_whole);
    tcase_add_test(tests, nothing_is_asked);
    tcase_add_loop_test(tests, commands_are_asked, 0, sizeof commands / sizeof *commands);
    tcase_add_loop_test(tests, verdicts_of_a_recording, 0, sizeof said / sizeof *said);
    tcase_add_loop_test(tests, refused, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tests, names);
}

int main(void)
{
    return unit_main("user_check", fill);
}
