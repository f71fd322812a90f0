/* gen/tools_request: which requests tasks make of a server, by what it declares. */
#include "gen/task_internal.h"
#include "gen/tools.h"
#include "task_case.h"

static struct settings settings;

static const char full[] =
    "{\"capabilities\":{\"tools\":{},\"resources\":{\"subscribe\":true},\"prompts\":{},\"completions\":{},\"logging\":{}},"
    "\"tools\":[{\"name\":\"create_job\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\"}}}},"
    "{\"name\":\"get_job\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"jobId\":{\"type\":\"string\"}},\"required\":[\"jobId\"]}}],"
    "\"resources\":[{\"uri\":\"test://one\",\"extra\":1},{\"uri\":\"test://two\"}],\"resourceTemplates\":[{\"uriTemplate\":\"test://t/{id}\"},"
    "{\"uriTemplate\":\"test://s{?q}\"}],"
    "\"prompts\":[{\"name\":\"ask\",\"arguments\":[{\"name\":\"topic\",\"required\":true},{\"name\":\"style\"}]},{\"name\":\"plain\"}]}";
static const char doubled[] = "{\"capabilities\":{\"prompts\":{}},\"tools\":[],\"prompts\":[{\"name\":\"twice\",\"arguments\":[{\"name\":\"x\",\"required\":true},"
                              "{\"name\":\"x\",\"required\":true}]}]}";
static const char bare[] = "{\"capabilities\":{\"tools\":{}},\"tools\":[{\"name\":\"status\"}]}";
static const char no_tools[] = "{\"capabilities\":{\"resources\":{}},\"tools\":[],\"resources\":[{\"uri\":\"test://one\"}]}";

static void set_up(void)
{
    task_set_up();
    settings_defaults(&settings);
}

static struct toolset *tools_of(const char *list)
{
    struct toolset *tools = NULL;
    struct error *err = NULL;
    ck_assert_msg(toolset_new(bytes_of_string(list), &tools, &err) == 0, "%s", err ? err->text : "?");
    return tools;
}

static struct task *task_at(const struct toolset *tools, uint64_t index)
{
    struct task *t = NULL, *read = NULL;
    struct error *err = NULL;
    ck_assert_msg(toolset_task(tools, ops, &settings, 1, index, &t, &err) == 0, "%s", err ? err->text : "?");
    ck_assert_msg(task_read(ops, bytes_of_string(record_of(t)), "a task", &read, &err) == 0, "%s", err ? err->text : "?");
    task_free(read);
    return t;
}

/* A prompt that names an argument twice is asked for with it once. */
START_TEST(doubled_arguments)
{
    struct toolset *tools = tools_of(doubled);
    size_t asked = 0;
    for (uint64_t i = 0; i < 100; i++) {
        struct task *t = task_at(tools, i);
        for (size_t k = 0; k < t->step_count; k++)
            asked += json_pointer(t->steps[k].args, BYTES_LITERAL("/params/arguments/x")) != NULL;
        task_free(t);
    }
    ck_assert_uint_gt(asked, 0);
    toolset_free(tools);
}
END_TEST

static struct bytes at(const struct json *value, const char *pointer)
{
    return json_as_text(json_pointer(value, bytes_of_string(pointer)));
}

/* What of `wanted` the steps of many tasks show. */
enum { TASKS = 400 };

static const struct {
    const char *method, *pointer, *value; /* a pointer into args, and what stands there; NULL: anything */
} wanted[] = {
    {"ping", NULL, NULL},
    {"taskgen/none", NULL, NULL},
    {"tools/list", "/params/cursor", ""},
    {"resources/list", "/params/cursor/at", "/result/nextCursor"},
    {"resources/templates/list", NULL, NULL},
    {"prompts/list", "/params/cursor", "taskgen-no-cursor"},
    {"tools/call", "/params/name", "taskgen_no_such_tool"},
    {"tools/call", "/params/name", "get_job_taskgen"},
    {"resources/read", "/params/uri", "test://two"},
    {"resources/read", "/params/uri", "test://t/100"},
    {"resources/read", "/params/uri", "test://s?q=test"},
    {"resources/read", "/params/uri", "taskgen://none"},
    {"resources/subscribe", NULL, NULL},
    {"resources/unsubscribe", NULL, NULL},
    {"prompts/get", "/params/arguments/topic", "test"},
    {"prompts/get", "/params/arguments/taskgen_extra", "1"},
    {"prompts/get", "/params/name", "taskgen_no_such_prompt"},
    {"completion/complete", "/params/ref/type", "ref/prompt"},
    {"completion/complete", "/params/argument/name", "style"},
    {"completion/complete", "/params/ref/uri", "test://t/{id}"},
    {"logging/setLevel", "/params/level", "warning"},
    {"logging/setLevel", "/params/level", "loud"},
    {"notifications/cancelled", "/about", "finished"},
    {"notifications/cancelled", "/about", "unknown"},
    {"ping", "/progress", "text"},
    {"ping", "/progress", "number"},
};
enum { WANTED = sizeof wanted / sizeof *wanted };

static bool shows(const struct json *args, size_t i)
{
    return bytes_equal_string(at(args, "/method"), wanted[i].method) &&
           (!wanted[i].pointer || bytes_equal_string(at(args, wanted[i].pointer), wanted[i].value));
}

START_TEST(everything)
{
    struct toolset *tools = tools_of(full);
    bool seen[WANTED] = {false};
    for (uint64_t index = 0; index < TASKS; index++) {
        struct task *t = task_at(tools, index);
        for (size_t s = 0; s < t->step_count; s++)
            for (size_t i = 0; i < WANTED; i++)
                seen[i] = seen[i] || shows(t->steps[s].args, i);
        ck_assert_str_eq(t->steps[t->step_count - 1].op->name, "call");
        task_free(t);
    }
    for (size_t i = 0; i < WANTED; i++)
        ck_assert_msg(seen[i], "never: %s %s %s", wanted[i].method, wanted[i].pointer ? wanted[i].pointer : "",
                      wanted[i].value ? wanted[i].value : "");
    toolset_free(tools);
}
END_TEST

/* A prompt lacks a required argument now and then, and nothing else is missing. */
START_TEST(prompts_lack)
{
    struct toolset *tools = tools_of(full);
    size_t whole = 0, lacking = 0;
    for (uint64_t index = 0; index < TASKS; index++) {
        struct task *t = task_at(tools, index);
        for (size_t s = 0; s < t->step_count; s++) {
            const struct json *args = t->steps[s].args;
            if (!bytes_equal_string(at(args, "/method"), "prompts/get") || !bytes_equal_string(at(args, "/params/name"), "ask"))
                continue;
            bool there = json_pointer(args, BYTES_LITERAL("/params/arguments/topic"));
            whole += there;
            lacking += !there;
        }
        task_free(t);
    }
    ck_assert_uint_gt(lacking, 0);
    ck_assert_uint_gt(whole, lacking);
    toolset_free(tools);
}
END_TEST

static struct json *from_below(const struct json *args)
{
    for (struct json *v = (struct json *)args; v; v = json_next(args, v, true))
        if (task_is_wrapper(v, "$from"))
            return v;
    return NULL;
}

/* References lead to the right kind of step, however calls and requests are mixed. */
START_TEST(references)
{
    struct toolset *tools = tools_of(full);
    size_t calls = 0, requests = 0;
    for (uint64_t index = 0; index < TASKS; index++) {
        struct task *t = task_at(tools, index);
        for (size_t s = 0; s < t->step_count; s++) {
            const struct json *wrapper = from_below(t->steps[s].args);
            if (!wrapper)
                continue;
            char id[16];
            snprintf(id, sizeof id, "%.*s", BYTES_ARG(at(wrapper, "/$from")));
            size_t to = task_step_index(t, id);
            ck_assert_uint_lt(to, s);
            ck_assert_ptr_eq(t->steps[to].op, t->steps[s].op);
            if (strcmp(t->steps[s].op->name, "call") == 0) {
                ASSERT_BYTES(at(t->steps[to].args, "/name"), "create_job");
                calls++;
            } else {
                ck_assert(bytes_equal(at(t->steps[to].args, "/method"), at(t->steps[s].args, "/method")));
                requests++;
            }
        }
        task_free(t);
    }
    ck_assert_uint_gt(calls, 0);
    ck_assert_uint_gt(requests, 0);
    toolset_free(tools);
}
END_TEST

/* What a server did not declare is not asked for. */
START_TEST(only_what_is_declared)
{
    static const char *const allowed[] = {"ping", "tools/list", "tools/call", "taskgen/none", "tools", "tools/list/", "TOOLS/LIST",
                                          "resources/none", "rpc.discover", "", "notifications/cancelled"};
    struct toolset *tools = tools_of(bare);
    for (uint64_t index = 0; index < TASKS; index++) {
        struct task *t = task_at(tools, index);
        for (size_t s = 0; s < t->step_count; s++) {
            struct bytes method = at(t->steps[s].args, "/method");
            bool fine = strcmp(t->steps[s].op->name, "call") == 0;
            for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
                fine = fine || bytes_equal_string(method, allowed[i]);
            ck_assert_msg(fine, "%.*s", BYTES_ARG(method));
        }
        task_free(t);
    }
    toolset_free(tools);
}
END_TEST

START_TEST(without_tools)
{
    struct toolset *tools = tools_of(no_tools), *nothing = tools_of("{\"tools\":[],\"capabilities\":{}}");
    ck_assert(toolset_usable(tools) && !toolset_usable(nothing));
    ck_assert_uint_eq(toolset_count(tools), 0);
    for (uint64_t index = 0; index < 50; index++) {
        struct task *t = task_at(tools, index);
        ASSERT_BYTES(at(t->steps[t->step_count - 1].args, "/method"), "ping");
        ck_assert_str_eq(t->needs[0], "mcp");
        ck_assert_uint_eq(t->need_count, 1);
        task_free(t);
    }
    toolset_free(tools);
    toolset_free(nothing);
}
END_TEST

START_TEST(replays)
{
    struct toolset *tools = tools_of(full);
    struct derivation d;
    derivation_init(&d);
    for (uint64_t index = 0; index < 100; index++) {
        struct task *t = task_at(tools, index), *again = NULL;
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        ck_assert_int_eq(toolset_task_from(tools, ops, &settings, &d, 1, index, &again, NULL), 0);
        ck_assert_str_eq(again->id, t->id);
        task_free(t);
        task_free(again);
    }
    derivation_release(&d);
    toolset_free(tools);
}
END_TEST

/* The order and layout of a server's text count for nothing; what it can be asked for does. */
START_TEST(hash)
{
    struct toolset *one = tools_of("{\"tools\":[{\"name\":\"a\"}],\"capabilities\":{\"tools\":{}},\"resources\":[{\"uri\":\"u\",\"size\":1}]}");
    struct toolset *two = tools_of("{\"resources\":[{\"size\":2,\"uri\":\"u\"}],\"capabilities\":{\"tools\":{}},\"tools\":[{\"name\":\"a\"}]}");
    struct toolset *other = tools_of("{\"tools\":[{\"name\":\"a\"}],\"capabilities\":{\"tools\":{}}}"), *plain = tools_of("[{\"name\":\"a\"}]");
    ck_assert_str_eq(toolset_hash(one), toolset_hash(two));
    ck_assert_str_ne(toolset_hash(one), toolset_hash(other));
    ck_assert_str_ne(toolset_hash(plain), toolset_hash(other));
    toolset_free(one);
    toolset_free(two);
    toolset_free(other);
    toolset_free(plain);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, task_tear_down);
    tcase_add_test(t, doubled_arguments);
    tcase_add_test(t, everything);
    tcase_add_test(t, prompts_lack);
    tcase_add_test(t, references);
    tcase_add_test(t, only_what_is_declared);
    tcase_add_test(t, without_tools);
    tcase_add_test(t, replays);
    tcase_add_test(t, hash);
}

int main(void)
{
    return unit_main("tools_request", fill);
}
