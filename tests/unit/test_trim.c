/* Of several tasks in one session, what is kept when they have shown something new. */
#include "exec/loop_internal.h"

#include <string.h>

#include "exec/runner.h"
#include "loop_case.h"
#include "mutate/join.h"

/* A target without a box; a file outside of the session says what it was started for. */
static struct loop_options a_loop(const char *spec, const char *domains)
{
    struct target_options target = {.spec = spec, .settings = &f.settings, .ops = f.ops, .no_box = strcmp(spec, "exec:") == 0};
    struct store_run run = {.verb = "fuzz", .command = "test", .target = spec, .grammar = "", .settings = "{}"};
    int64_t id = 0;
    ck_assert_int_eq(target_new(&target, &f.target, NULL), 0);
    ck_assert_int_eq(store_run_begin(store, &run, &id, NULL), 0);
    ck_assert_int_eq(settings_set(&f.settings, "leftover.settle", "0", NULL), 0);
    ck_assert_int_eq(settings_set(&f.settings, "feedback.again-share", "1", NULL), 0);
    uint64_t features;
    ck_assert_int_eq(feedback_parse(domains, &features, NULL), 0);
    return (struct loop_options){.target = f.target, .store = store, .run = id, .settings = &f.settings, .ops = f.ops,
                                 .feed_back = true, .features = features, .workers = 1};
}

static struct task *a_task(const char *text)
{
    struct task *task;
    struct error *err = NULL;
    ck_assert_msg(task_read(f.ops, bytes_of_string(text), "test", &task, &err) == 0, "%s", err ? err->text : "");
    return task;
}

static const char *a_script(const char *script)
{
    return arena_printf(&f.arena, "{\"format\":\"taskgen/task/1\",\"instruction\":\"t\",\"steps\":[{\"id\":\"s1\",\"op\":\"run\","
                                              "\"args\":{\"language\":\"sh\",\"script\":\"%s\"}}]}", script);
}

/* Runs them in one session, as the loop does with what it has put together. */
static void run_tasks(const struct loop_options *o, const char *const *texts, size_t count)
{
    struct loop l = {.options = o, .start_ns = 1};
    struct loop_work work = {.source = LOOP_SPLICE};
    struct execution e = {0};
    struct runner_pool pool = {0};
    struct error *err = NULL;
    struct arena a;
    arena_init(&a);
    pthread_mutex_init(&l.lock, NULL);
    for (size_t i = 0; i < count; i++) {
        work.parts[work.part_count++] = a_task(texts[i]);
        struct task *longer = work.task ? mutate_join(work.task, work.parts[i], o->settings) : task_copy(work.parts[i]);
        ck_assert_ptr_nonnull(longer);
        task_free(work.task);
        work.task = longer;
    }
    ck_assert_msg(runner_execute_pooled(&pool, o->target, work.task, &a, &l.halt, &e, &err) == 0, "%s", err ? err->text : "");
    ck_assert_msg(loop_settle(&l, &work, &e, &a, &err) == 0, "%s", err ? err->text : "");
    loop_work_release(&work);
    ck_assert_int_eq(work.part_count, 0);
    free(l.known);
    pthread_mutex_destroy(&l.lock);
    arena_release(&a);
}

static void run_joined(const struct loop_options *o, const char *const *scripts, size_t count)
{
    const char *texts[LOOP_PARTS_MAX];
    for (size_t i = 0; i < count; i++)
        texts[i] = a_script(scripts[i]);
    run_tasks(o, texts, count);
}

static struct bytes words_of(const struct task_step *step)
{
    struct bytes script = json_as_text(json_get(step->args, "script"));
    return script.len ? script : bytes_of_string(step->op->name);
}

/* The scripts of the member that joined last, a blank between; ops where they have none. */
static const char *newest(int64_t members)
{
    struct store_totals t;
    struct store_picked p;
    struct rng rng;
    const char *text = "";
    rng_seed(&rng, 1, 1);
    ck_assert_int_eq(store_totals(store, &t, NULL), 0);
    ck_assert_int_eq(t.corpus, members);
    for (int i = 0; i < 200 && members; i++) {
        struct task *task = NULL;
        ck_assert_int_eq(store_pick(store, &rng, &f.arena, &p, NULL), 0);
        if (p.number != members)
            continue;
        ck_assert_int_eq(task_read(f.ops, p.json, "pick", &task, NULL), 0);
        for (size_t k = 0; k < task->step_count; k++)
            text = arena_printf(&f.arena, "%s%s%.*s", text, k ? " / " : "", BYTES_ARG(words_of(&task->steps[k])));
        task_free(task);
        return text;
    }
    return text;
}

START_TEST(what_is_not_needed_is_left_out)
{
    struct loop_options o = a_loop("exec:", "code,sequence");
    run_joined(&o, (const char *[]){"exit 0", "exit 7", "true"}, 3);
    ck_assert_str_eq(newest(1), "exit 0 / exit 7"); /* both codes were new */
    run_joined(&o, (const char *[]){"exit 0", "exit 8", "exit 7", "true"}, 4);
    ck_assert_str_eq(newest(2), "exit 8");
    run_joined(&o, (const char *[]){"true", ": > made", "exit 7", "test -e made && exit 9; exit 0", "exit 0"}, 5);
    ck_assert_str_eq(newest(3), ": > made / test -e made && exit 9; exit 0");
}
END_TEST

/* Of what shows a state that the target tells of nothing is kept that does not bring it about. */
START_TEST(states_are_made_short)
{
    if (!possible)
        return;
    struct loop_options o = a_loop("demo:mode-lost+journal", "log,outcome");
    run_tasks(&o,
              (const char *[]){"{\"format\":\"taskgen/task/1\",\"instruction\":\"t\",\"steps\":["
                               "{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"a.txt\",\"content\":\"a\"}},"
                               "{\"id\":\"s2\",\"op\":\"write\",\"args\":{\"path\":\"b.txt\",\"content\":\"b\"}},"
                               "{\"id\":\"s3\",\"op\":\"read\",\"args\":{\"path\":\"b.txt\"}},"
                               "{\"id\":\"s4\",\"op\":\"download\",\"args\":{\"path\":\"a.txt\"}},"
                               "{\"id\":\"s5\",\"op\":\"list\",\"args\":{\"path\":\".\"}}]}"},
              1);
    ck_assert_str_eq(newest(1), "write / download");
}
END_TEST

/* What shows only where two of them meet lets none in. */
START_TEST(seams_are_no_news)
{
    struct loop_options o = a_loop("exec:", "code,sequence");
    run_joined(&o, (const char *[]){"exit 0", "exit 7"}, 2);
    ck_assert_str_eq(newest(1), "exit 0 / exit 7");
    run_joined(&o, (const char *[]){"exit 7", "exit 0", "exit 0"}, 3);
    newest(1);
}
END_TEST

/* What does not show again is in nobody's favour. */
START_TEST(chance_is_not_kept)
{
    struct loop_options o = a_loop("exec:", "code,sequence");
    const char *once = arena_printf(&f.arena, "test -e %s/once && exit 0; : > %s/once; exit 5", directory, directory);
    run_joined(&o, (const char *[]){"exit 0", "exit 7"}, 2);
    run_joined(&o, (const char *[]){"exit 0", once, "exit 7"}, 3);
    newest(1);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, loop_set_up, loop_tear_down);
    tcase_add_test(tests, what_is_not_needed_is_left_out);
    tcase_add_test(tests, states_are_made_short);
    tcase_add_test(tests, seams_are_no_news);
    tcase_add_test(tests, chance_is_not_kept);
}

int main(void)
{
    return unit_main("trim", fill);
}
