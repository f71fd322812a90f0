/* exec/compare: the first step that went otherwise than in an earlier execution, in words. */
#include "exec/compare.h"
#include "exec/oracle/record.h"
#include "oracle_case.h"

static struct ops *ops;
static struct arena arena;

static void set_up(void)
{
    arena_init(&arena);
    ops = oracle_ops();
}

static void tear_down(void)
{
    ops_free(ops);
    arena_release(&arena);
}

/* An execution of two steps with these outcomes. */
static struct execution *execution_of(const char *first, const char *second, struct task **task)
{
    struct execution *e = arena_alloc(&arena, sizeof *e);
    struct error *err = NULL;
    const char *text = arena_printf(&arena,
                                    "{\"format\":\"taskgen/execution/1\",\"task\":{\"format\":\"taskgen/task/1\",\"instruction\":\"x\",\"steps\":["
                                    "{\"id\":\"s1\",\"op\":\"run\",\"args\":{\"argv\":[\"a\"]}},{\"id\":\"s2\",\"op\":\"read\",\"args\":{\"path\":\"a\"}}]},"
                                    "\"observations\":[{\"step\":\"s1\",\"outcome\":%s}%s%s%s]}",
                                    first, second ? ",{\"step\":\"s2\",\"outcome\":" : "", second ? second : "", second ? "}" : "");
    ck_assert_msg(execution_read(ops, bytes_of_string(text), "record", &arena, e, task, &err) == 0, "%s", err ? err->text : "?");
    return e;
}

#define OK_STEP "{\"class\":\"ok\",\"exit\":0,\"raw\":\"some words\"}"

static const struct {
    const char *then[2], *now[2];
    const char *words; /* NULL: no difference */
} rows[] = {
    {{OK_STEP, OK_STEP}, {OK_STEP, OK_STEP}, NULL},
    {{OK_STEP, OK_STEP}, {OK_STEP, "{\"class\":\"timeout\"}"}, "step s2 read: it was ok, is timeout"},
    {{OK_STEP, OK_STEP}, {"{\"class\":\"ok\",\"exit\":3,\"raw\":\"some words\"}", "{\"class\":\"timeout\"}"},
     "step s1 run: its exit status was 0, is 3"},
    {{OK_STEP, OK_STEP}, {"{\"class\":\"ok\",\"raw\":\"some words\"}", OK_STEP}, "step s1 run: its exit status was 0, is not there"},
    {{OK_STEP, OK_STEP}, {OK_STEP, "{\"class\":\"ok\",\"exit\":0,\"raw\":\"some wor\\u0001s\"}"},
     "step s2 read: its reply was \"some words\", is \"some wor\\x01s\""},
    {{"{\"class\":\"tool-error\",\"code\":2,\"message\":\"no such file: /tmp/a/17\"}", OK_STEP},
     {"{\"class\":\"tool-error\",\"code\":2,\"message\":\"no such file: /tmp/b/9\"}", OK_STEP}, NULL},
    {{"{\"class\":\"tool-error\",\"code\":2,\"message\":\"no such file\"}", OK_STEP},
     {"{\"class\":\"tool-error\",\"code\":2,\"message\":\"is a directory\"}", OK_STEP},
     "step s1 run: its message was \"no such file\", is \"is a directory\""},
    {{"{\"class\":\"ok\",\"raw\":\"in /tmp/one/a\"}", OK_STEP}, {"{\"class\":\"ok\",\"raw\":\"in /tmp/another/a\"}", OK_STEP}, NULL},
    {{"{\"class\":\"ok\",\"raw\":\"a\\nb\\n\"}", OK_STEP}, {"{\"class\":\"ok\",\"raw\":\"a\\r\\nb\\n\"}", OK_STEP},
     "step s1 run: its reply was \"a\\x0ab\\x0a\", is \"a\\x0d\\x0ab\\x0a\""},
    {{OK_STEP, OK_STEP}, {OK_STEP, NULL}, "fewer steps than then"},
    {{OK_STEP, NULL}, {OK_STEP, OK_STEP}, "more steps than then"},
};

START_TEST(first_difference)
{
    struct task *then_task = NULL, *now_task = NULL;
    struct execution *then = execution_of(rows[_i].then[0], rows[_i].then[1], &then_task),
                     *now = execution_of(rows[_i].now[0], rows[_i].now[1], &now_task);
    struct normaliser *rules = NULL;
    ck_assert_int_eq(normaliser_load_own(&rules, NULL), 0);
    now->rules = rules;
    const char *words = outline_difference(outline_of(then, &arena), now, &arena);
    if (rows[_i].words)
        ck_assert_str_eq(words ? words : "none", rows[_i].words);
    else
        ck_assert_msg(!words, "%s", words);
    ck_assert_ptr_nonnull(strstr(outline_difference(NULL, now, &arena), "not known"));
    normaliser_free(rules);
    task_free(then_task);
    task_free(now_task);
}
END_TEST

/* What is longer than what is kept of it shows by its size. */
START_TEST(sizes)
{
    struct task *then_task = NULL, *now_task = NULL;
    const char *text = arena_printf(&arena, "%0900d", 7);
    struct execution *then = execution_of(arena_printf(&arena, "{\"class\":\"ok\",\"raw\":\"%s\"}", text), OK_STEP, &then_task),
                     *now = execution_of(arena_printf(&arena, "{\"class\":\"ok\",\"raw\":\"%s1\"}", text), OK_STEP, &now_task);
    ck_assert_str_eq(outline_difference(outline_of(then, &arena), now, &arena), "step s1 run: its reply's size in bytes was 900, is 901");
    task_free(then_task);
    task_free(now_task);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, first_difference, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tests, sizes);
}

int main(void)
{
    return unit_main("compare", fill);
}
