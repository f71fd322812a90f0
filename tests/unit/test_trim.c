/* Of several tasks in one session, what is kept when they have shown something new. */
#include "exec/loop_internal.h"

#include <string.h>

#include "exec/runner.h"
#include "loop_case.h"
#include "mutate/join.h"

/* A target without a box; a file outside of the session says what it was started for. */
static struct loop_options a_loop(void)
{
    struct target_options target = {.spec = "exec:", .settings = &f.settings, .ops = f.ops, .no_box = true};
    struct store_run run = {.verb = "fuzz", .command = "test", .target = "exec:", .grammar = "", .settings = "{}"};
    int64_t id = 0;
    ck_assert_int_eq(target_new(&target, &f.target, NULL), 0);
    ck_assert_int_eq(store_run_begin(store, &run, &id, NULL), 0);
    ck_assert_int_eq(settings_set(&f.settings, "leftover.settle", "0", NULL), 0);
    ck_assert_int_eq(settings_set(&f.settings, "feedback.again-share", "1", NULL), 0);
    uint64_t features;
    ck_assert_int_eq(feedback_parse("code,sequence", &features, NULL), 0);
    return (struct loop_options){.target = f.target, .store = store, .run = id, .settings = &f.settings, .ops = f.ops,
                                 .feed_back = true, .features = features, .workers = 1};
}

static struct task *a_script(const char *script)
{
    struct task *task;
    struct error *err = NULL;
    const char *text = arena_printf(&f.arena, "{\"format\":\"taskgen/task/1\",\"instruction\":\"t\",\"steps\":[{\"id\":\"s1\",\"op\":\"run\","
                                              "\"args\":{\"language\":\"sh\",\"script\":\"%s\"}}]}", script);
    ck_assert_msg(task_read(f.ops, bytes_of_string(text), "test", &task, &err) == 0, "%s", err ? err->text : "");
    return task;
}

/* Runs them in one session, as the loop does with what it has put together. */
static void run_joined(const struct loop_options *o, const char *const *scripts, size_t count)
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
        work.parts[work.part_count++] = a_script(scripts[i]);
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

/* The scripts of the member that joined last, a blank between; "" where fewer than `members` did. */
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
            text = arena_printf(&f.arena, "%s%s%.*s", text, k ? " / " : "", BYTES_ARG(json_as_text(json_get(task->steps[k].args, "script"))));
        task_free(task);
        return text;
    }
    return text;
}

START_TEST(what_is_not_needed_is_left_out)
{
    struct loop_options o = a_loop();
    run_joined(&o, (const char *[]){"exit 0", "exit 7", "true"}, 3);
    ck_assert_str_eq(newest(1), "exit 0 / exit 7"); /* both codes were new */
    run_joined(&o, (const char *[]){"exit 0", "exit 8", "exit 7", "true"}, 4);
    ck_assert_str_eq(newest(2), "exit 8");
    run_joined(&o, (const char *[]){"true", ": > made", "exit 7", "test -e made && exit 9; exit 0", "exit 0"}, 5);
    ck_assert_str_eq(newest(3), ": > made / test -e made && exit 9; exit 0");
}
END_TEST

/* What shows only where two of them meet lets none in. */
START_TEST(seams_are_no_news)
{
    struct loop_options o = a_loop();
    run_joined(&o, (const char *[]){"exit 0", "exit 7"}, 2);
    ck_assert_str_eq(newest(1), "exit 0 / exit 7");
    run_joined(&o, (const char *[]){"exit 7", "exit 0", "exit 0"}, 3);
    newest(1);
}
END_TEST

/* What does not show again is in nobody's favour. */
START_TEST(chance_is_not_kept)
{
    struct loop_options o = a_loop();
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
    tcase_add_test(tests, seams_are_no_news);
    tcase_add_test(tests, chance_is_not_kept);
}

int main(void)
{
    return unit_main("trim", fill);
}
