/* gen/tools_http: which tasks a target behind HTTP gets beside the others, and that what is called lawful in them is. */
#include "exec/oracle/judge.h"
#include "gen/tools.h"
#include "task_case.h"

static struct settings settings;
static struct arena a;
static struct toolset *tools;

static const char list[] =
    "{\"capabilities\":{\"tools\":{}},\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}},\"required\":[\"message\"]}},"
    "{\"name\":\"make_it\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}}}}]}";

static void set_up(void)
{
    struct error *err = NULL;
    task_set_up();
    settings_defaults(&settings);
    arena_init(&a);
    ck_assert_int_eq(toolset_new(bytes_of_string(list), &tools, &err), 0);
}

static void tear_down(void)
{
    toolset_free(tools);
    arena_release(&a);
    task_tear_down();
}

static struct task *task_at(uint64_t index)
{
    struct task *t = NULL;
    ck_assert_int_eq(toolset_task(tools, ops, &settings, 11, index, &t, NULL), 0);
    return t;
}

static bool sends(const struct task *t)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (strcmp(t->steps[i].op->name, "send") == 0)
            return true;
    return false;
}

/* As if every request had been answered. */
static bool is_illegal(const struct task *t)
{
    struct execution e = {.task = t, .arena = &a};
    e.observations = arena_alloc(&a, (t->step_count + 1) * sizeof *e.observations);
    struct json *result = json_new(&a, JSON_OBJECT);
    json_set(&a, result, "status", json_integer(&a, 200));
    for (size_t i = 0; i < t->step_count; i++)
        e.observations[e.count++] = (struct observation){
            .step = &t->steps[i], .args = t->steps[i].args, .outcome = {.class = OUTCOME_OK, .result = result}};
    return client_illegal(&e, e.count);
}

START_TEST(over_pipes)
{
    for (uint64_t i = 0; i < 200; i++) {
        struct task *t = task_at(i);
        ck_assert(!sends(t));
        task_free(t);
    }
}
END_TEST

START_TEST(over_http)
{
    size_t with = 0, lawful = 0, odd = 0, ids = 0, clients = 0;
    char before[17];
    memcpy(before, toolset_hash(tools), sizeof before);
    toolset_over_http(tools);
    ck_assert_str_ne(toolset_hash(tools), before); /* derivations mean something else here */
    for (uint64_t i = 0; i < 400; i++) {
        struct task *t = task_at(i);
        const struct task_step *last = &t->steps[t->step_count - 1];
        ck_assert_str_eq(last->op->name, "call"); /* that must still work */
        ck_assert_str_eq(last->session, "main");
        for (size_t k = 0; k < t->step_count; k++)
            if (strcmp(t->steps[k].op->name, "send") == 0)
                ck_assert(json_get(t->steps[k].args, "what") && json_get(t->steps[k].args, "verb"));
        with += sends(t);
        bool illegal = is_illegal(t), is_lawful = strcmp(t->workflow, "http") == 0;
        ck_assert_msg(!illegal || !is_lawful, "%s", t->instruction);
        lawful += is_lawful;
        odd += strcmp(t->workflow, "http-odd") == 0 && illegal;
        ids += strcmp(t->workflow, "http-ids") == 0 && illegal;
        clients += strcmp(t->steps[0].session, t->step_count > 1 ? t->steps[1].session : "main") != 0;
        task_free(t);
    }
    ck_assert_uint_gt(with, 80);
    ck_assert_uint_lt(with, 240);
    ck_assert_uint_gt(lawful, 20);
    ck_assert_uint_gt(odd, 20);
    ck_assert_uint_gt(ids, 10);
    ck_assert_uint_gt(clients, 10);
}
END_TEST

/* It begins with a list on two connections, and nothing before that breaks a rule. */
static bool compares_connections(const struct task *t)
{
    static const char *const sessions[] = {"main", "other", "main"};
    for (size_t i = 0; i < 3; i++) {
        const struct task_step *step = i < t->step_count ? &t->steps[i] : NULL;
        if (!step || strcmp(step->op->name, "request") != 0 || strcmp(step->session, sessions[i]) != 0 ||
            !json_equal(step->args, t->steps[0].args))
            return false;
    }
    return true;
}

/* The stateless era has no sessions to end or to take over: its own requests take the place of these. */
START_TEST(over_http_stateless)
{
    size_t own = 0, compared = 0;
    toolset_over_http(tools);
    toolset_stateless(tools, TOOLS_OVER_HTTP);
    for (uint64_t i = 0; i < 200; i++) {
        struct task *t = task_at(i);
        ck_assert_msg(strncmp(t->workflow, "http", 4) != 0, "%s", t->workflow);
        own += strcmp(t->workflow, "stateless") == 0;
        compared += compares_connections(t);
        ck_assert(sends(t) == (strcmp(t->workflow, "stateless") == 0));
        task_free(t);
    }
    ck_assert_uint_gt(own, 10);
    ck_assert_uint_gt(compared, 2);
    ck_assert_uint_lt(compared, own);
}
END_TEST

/* What a derivation of such a task means is the same task. */
START_TEST(replay)
{
    toolset_over_http(tools);
    for (uint64_t i = 0; i < 60; i++) {
        struct derivation d;
        struct task *t = task_at(i), *again = NULL;
        derivation_init(&d);
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        ck_assert_int_eq(toolset_task_from(tools, ops, &settings, &d, t->seed, t->index, &again, NULL), 0);
        ck_assert_str_eq(again->id, t->id);
        derivation_release(&d);
        task_free(again);
        task_free(t);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, over_pipes);
    tcase_add_test(tests, over_http);
    tcase_add_test(tests, over_http_stateless);
    tcase_add_test(tests, replay);
}

int main(void)
{
    return unit_main("tools_http", fill);
}
