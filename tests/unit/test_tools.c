/* gen/tools: same tool list, seed and index, same bytes; derivations replay; records are good records; calls
 * feed each other; odd lists are data. */
#include "exec/loop_internal.h"
#include "exec/resolve.h"
#include "gen/tools.h"
#include "task_case.h"

static struct settings settings;
static struct arena a;

static const char tool_list[] =
    "[{\"name\":\"create_job\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"title\":{\"type\":"
    "\"string\"},"
    "\"seconds\":{\"type\":\"integer\"}},\"required\":[\"title\"]},"
    "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"job\":{\"type\":\"object\",\"properties\":{"
    "\"jobId\":{\"type\":\"string\"},"
    "\"a/b id\":{\"type\":\"string\"}}}}}},"
    "{\"name\":\"get_job\",\"description\":\"reads a "
    "job\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"jobId\":{\"type\":\"string\"}},"
    "\"required\":[\"jobId\"]}},"
    "{\"name\":\"delete_job\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"jobId\":{\"type\":"
    "\"string\"},"
    "\"force\":{\"type\":\"boolean\"}},\"required\":[\"jobId\"],\"additionalProperties\":false}},"
    "{\"name\":\"start_session\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"send_line\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"session\":{\"type\":"
    "\"string\"},"
    "\"text\":{\"type\":\"string\",\"maxLength\":10}},\"required\":[\"session\",\"text\"]}},"
    "{\"name\":\"odd\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"$from\":{\"type\":\"string\"}},"
    "\"required\":[\"$from\"]}},"
    "{\"name\":\"no_schema\"},{\"name\":\"bad_schema\",\"inputSchema\":17},"
    "{\"name\":\"not_an_object\",\"inputSchema\":{\"type\":\"string\"}},"
    "{\"name\":\"list_jobs\",\"annotations\":{\"readOnlyHint\":true},\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{}}}]";

static void set_up(void)
{
    task_set_up();
    settings_defaults(&settings);
    arena_init(&a);
}

static void tear_down(void)
{
    arena_release(&a);
    task_tear_down();
}

static struct toolset *tools_of(const char *list)
{
    struct toolset *tools = NULL;
    struct error *err = NULL;
    ck_assert_msg(toolset_new(bytes_of_string(list), &tools, &err) == 0, "%s", err ? err->text : "?");
    return tools;
}

/* Whatever is made can be read back: a campaign keeps it, and ends when it cannot take it up again. */
static struct task *task_at(const struct toolset *tools, uint64_t seed, uint64_t index)
{
    struct task *t = NULL, *read = NULL;
    struct error *err = NULL;
    ck_assert_msg(toolset_task(tools, ops, &settings, seed, index, &t, &err) == 0, "%s",
                  err ? err->text : "?");
    ck_assert_msg(task_read(ops, bytes_of_string(record_of(t)), "a task", &read, &err) == 0, "%s", err ? err->text : "?");
    task_free(read);
    return t;
}

START_TEST(same_bytes)
{
    struct toolset *tools = tools_of(tool_list), *again = tools_of(tool_list);
    char *first[40];
    bool differ = false;
    for (uint64_t i = 0; i < 40; i++) {
        struct task *t = task_at(tools, 3, i);
        first[i] = xstrdup(record_of(t));
        differ = differ || (i && strcmp(first[i], first[0]) != 0);
        task_free(t);
    }
    ck_assert(differ);
    for (uint64_t i = 40; i-- > 0;) { /* in another order, from another copy of the list */
        struct task *t = task_at(again, 3, i);
        ck_assert_str_eq(record_of(t), first[i]);
        task_free(t);
        t = task_at(again, 4, i);
        ck_assert_str_ne(record_of(t), first[i]);
        task_free(t);
        free(first[i]);
    }
    toolset_free(tools);
    toolset_free(again);
}
END_TEST

START_TEST(hash_of_the_list)
{
    struct toolset *one = tools_of(
        "[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"required\":[\"x\"]},\"icons\":[1]}]");
    struct toolset *two = tools_of(
        " [ {\"inputSchema\":{\"required\":[\"x\"],\"type\":\"object\"}, \"name\":\"\\u0061\"} ]");
    struct toolset *other = tools_of(
        "[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"required\":[\"y\"]}}]");
    ck_assert_uint_eq(strlen(toolset_hash(one)), 16);
    ck_assert_str_eq(toolset_hash(one), toolset_hash(two));
    ck_assert_str_ne(toolset_hash(one), toolset_hash(other));
    toolset_free(one);
    toolset_free(two);
    toolset_free(other);
}
END_TEST

START_TEST(derivations_replay)
{
    struct toolset *tools = tools_of(tool_list);
    struct derivation d;
    derivation_init(&d);
    for (uint64_t i = 0; i < 120; i++) {
        struct task *t = task_at(tools, 9, i), *replayed = NULL;
        char *text = xstrdup(record_of(t));
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        ck_assert_int_eq(toolset_task_from(tools, ops, &settings, &d, 9, i, &replayed, NULL), 0);
        ck_assert_str_eq(record_of(replayed), text);
        task_free(replayed);
        /* Nothing but the log decides: another stream to complete it from changes only what says so. */
        char id[33];
        memcpy(id, t->id, sizeof id);
        ck_assert_int_eq(toolset_task_from(tools, ops, &settings, &d, 10, i + 1, &replayed, NULL), 0);
        ck_assert_str_eq(replayed->id, id);
        task_free(replayed);
        task_free(t);
        free(text);
    }
    derivation_release(&d);
    toolset_free(tools);
}
END_TEST

START_TEST(damaged_derivations)
{
    struct toolset *tools = tools_of(tool_list);
    toolset_can_damage(tools);
    struct derivation d;
    struct rng rng;
    derivation_init(&d);
    rng_seed(&rng, 1, 1);
    for (uint64_t i = 0; i < 100; i++) {
        struct task *t = task_at(tools, 2, i), *mutant = NULL;
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        for (int k = 0; k < 4; k++) {
            struct choice *c = &d.items[rng_below(&rng, d.count)];
            c->value = rng_next(&rng);
            c->site ^= rng_chance(&rng, 0.3);
        }
        ck_assert_int_eq(toolset_task_from(tools, ops, &settings, &d, 2, i, &mutant, NULL), 0);
        struct task *read = task_of(bytes_of_string(record_of(mutant)));
        ck_assert_str_eq(read->id, mutant->id);
        task_free(read);
        task_free(mutant);
        task_free(t);
    }
    derivation_release(&d);
    toolset_free(tools);
}
END_TEST

/* What a record must be whatever was drawn, and what all of them together must show. */
START_TEST(records)
{
    struct toolset *tools = tools_of(tool_list);
    size_t kinds[3] = {0}, violations = 0, from_output = 0, guessed = 0, told = 0, literal = 0;
    for (uint64_t i = 0; i < 300; i++) {
        struct task *t = task_at(tools, 1, i);
        ck_assert_str_eq(t->domain, "tools");
        ck_assert_str_eq(t->grammar_hash, toolset_hash(tools));
        ck_assert_uint_ge(t->step_count, 2);
        ck_assert_uint_le(t->step_count, (size_t)settings_int(&settings, "generate.max-steps"));
        char *record = xstrdup(record_of(t));
        struct task *read = task_of(bytes_of_string(record));
        ck_assert_str_eq(record_of(read), record);
        task_free(read);
        free(record);
        const struct task_step *last = &t->steps[t->step_count - 1];
        ck_assert(bytes_equal_string(json_as_text(json_get(last->args, "name")), "list_jobs"));
        ck_assert(bytes_equal_string(json_as_text(json_get(last->args, "kind")), "valid"));
        for (size_t s = 0; s < t->step_count; s++) {
            if (strcmp(t->steps[s].op->name, "call") != 0)
                continue; /* damage, and the session begun anew */
            const struct json *args = t->steps[s].args, *arguments = json_get(args, "arguments");
            struct bytes kind = json_as_text(json_get(args, "kind"));
            bool invalid = bytes_equal_string(kind, "invalid");
            kinds[invalid ? 2 : bytes_equal_string(kind, "boundary")]++;
            ck_assert(json_is(arguments, JSON_OBJECT));
            ck_assert_int_eq(invalid, json_get(args, "violation") != NULL);
            violations += invalid;
            literal += json_get(arguments, "$literal") != NULL;
            const struct json *id = json_get(arguments, "jobId"), *session = json_get(arguments, "session");
            struct bytes at = json_as_text(json_get(id, "at"));
            from_output += bytes_equal_string(at, "/structured/job/jobId") ||
                           bytes_equal_string(at, "/structured/job/a~1b id");
            ck_assert(!at.len || json_get(id, "else"));
            at = json_as_text(json_get(session, "at"));
            guessed += bytes_starts(at, BYTES_LITERAL("/json/")) || bytes_equal_string(at, "/id");
            for (size_t b = 0; b < s && json_is(id, JSON_STRING) && id->text.len; b++)
                if (json_is(json_get(json_get(t->steps[b].args, "arguments"), "jobId"), JSON_STRING) &&
                    json_equal(json_get(json_get(t->steps[b].args, "arguments"), "jobId"), id)) {
                    told++;
                    break;
                }
        }
        task_free(t);
    }
    for (int k = 0; k < 3; k++)
        ck_assert_uint_gt(kinds[k], 100);
    ck_assert_uint_gt(violations, 100);
    ck_assert_uint_gt(from_output, 20);
    ck_assert_uint_gt(guessed, 10);
    ck_assert_uint_gt(told, 50);
    ck_assert_uint_gt(literal, 20);
    toolset_free(tools);
}
END_TEST

/* A reply without such a member is replaced by what stands under else, and the harness's own words are not
 * sent. */
static const struct json *reply(void *user, struct bytes step)
{
    return bytes_equal_string(step, "s1") ? user : NULL;
}

START_TEST(else_stands_in)
{
    static const char record[] =
        "{\"format\":\"taskgen/task/"
        "1\",\"domain\":\"tools\",\"workflow\":\"w\",\"instruction\":\"x\",\"expect\":[],\"steps\":["
        "{\"id\":\"s1\",\"op\":\"call\",\"args\":{\"name\":\"a\"}},{\"id\":\"s2\",\"op\":\"call\",\"args\":{"
        "\"name\":\"b\",\"kind\":\"invalid\","
        "\"violation\":\"too-long "
        "/x\",\"arguments\":{\"x\":{\"else\":\"spare\",\"at\":\"/"
        "id\",\"$from\":\"s1\"},\"y\":{\"$from\":\"s1\",\"at\":\"/json/no\",\"else\":[1]}}}}]}";
    struct task *t = task_of(BYTES_LITERAL(record));
    struct json *result = json_new(&a, JSON_OBJECT);
    json_set(&a, result, "id", json_text(&a, "real"));
    struct resolver r = {.task = t, .result = reply, .user = result};
    struct resolved out;
    struct buf text;
    buf_init(&text, 1 << 16);
    ck_assert_int_eq(resolve_step(&r, &t->steps[1], &a, &out, NULL), 0);
    ck_assert_ptr_null(out.skip_reason);
    json_write(&text, out.args, JSON_SORTED);
    ck_assert_str_eq(buf_string(&text), "{\"arguments\":{\"x\":\"real\",\"y\":[1]},\"name\":\"b\"}");
    ck_assert_ptr_nonnull(strstr(record_of(t), "{\"$from\":\"s1\",\"at\":\"/id\",\"else\":\"spare\"}"));
    buf_release(&text);
    task_free(t);
}
END_TEST

/* Edits of derivations, generation after generation: each is a good record of the same list, many are other ones. */
START_TEST(mutants)
{
    struct toolset *tools = tools_of(tool_list), *other = tools_of("[{\"name\":\"x\"}]");
    struct loop_options o = {.tools = tools, .ops = ops, .settings = &settings};
    struct loop_options elsewhere = {.tools = other, .ops = ops, .settings = &settings};
    struct derivation d;
    struct rng rng;
    size_t changed = 0, count = 0;
    derivation_init(&d);
    rng_seed(&rng, 6, 6);
    for (uint64_t i = 0; i < 40; i++) {
        struct task *parent = task_at(tools, 1, i);
        ck_assert(loop_tools_own(&o, parent));
        ck_assert(!loop_tools_own(&elsewhere, parent));
        for (int generation = 0; generation < 10; generation++, count++) {
            struct task *mutant = NULL;
            ck_assert_int_eq(loop_tools_mutant(&o, parent, &rng, &mutant, NULL), 1);
            struct task *read = task_of(bytes_of_string(record_of(mutant)));
            ck_assert_str_eq(read->id, mutant->id);
            ck_assert_int_eq(derivation_decode(&d, bytes_of_string(mutant->derivation), NULL), 0);
            changed += strcmp(mutant->id, parent->id) != 0;
            task_free(read);
            task_free(parent);
            parent = mutant;
        }
        task_free(parent);
    }
    ck_assert_uint_gt(5 * changed, 2 * count); /* what is drawn for an argument that is then left out changes nothing */
    derivation_release(&d);
    toolset_free(tools);
    toolset_free(other);
}
END_TEST

START_TEST(odd_lists)
{
    struct error *err = NULL;
    struct toolset *tools = NULL;
    struct task *t = NULL;
    ck_assert_int_eq(toolset_new(BYTES_LITERAL("{}"), &tools, &err), ERR_INPUT);
    error_free(err);
    err = NULL;
    ck_assert_int_eq(toolset_new(BYTES_LITERAL("[nonsense"), &tools, &err), ERR_INPUT);
    error_free(err);
    err = NULL;
    tools = tools_of("[1,null,{},{\"name\":7},{\"name\":\"\"},[]]");
    ck_assert_uint_eq(toolset_count(tools), 0);
    ck_assert_int_eq(toolset_task(tools, ops, &settings, 1, 1, &t, &err), ERR_INPUT);
    error_free(err);
    toolset_free(tools);
}
END_TEST

/* A value as long as a whole task may be does not make a record that is longer. */
START_TEST(keeps_to_the_budget)
{
    struct toolset *tools = tools_of(
        "[{\"name\":\"put\",\"inputSchema\":{\"properties\":{\"a\":{\"type\":\"string\",\"minLength\":60000},"
        "\"b\":{\"type\":\"string\",\"minLength\":60000}},\"required\":[\"a\",\"b\"]}},{\"name\":\"list\"}]");
    for (uint64_t i = 0; i < 60; i++) {
        struct task *t = task_at(tools, 1, i);
        ck_assert_uint_le(strlen(record_of(t)), (size_t)settings_int(&settings, "generate.max-bytes"));
        ck_assert_uint_ge(t->step_count, 1);
        task_free(t);
    }
    toolset_free(tools);
}
END_TEST

START_TEST(explains)
{
    struct toolset *tools = tools_of(
        "[{\"name\":\"good\",\"inputSchema\":{\"properties\":{\"a\":{\"type\":\"integer\"}}}},"
        "{\"name\":\"bad\\u001b[31m\",\"inputSchema\":{\"properties\":{\"a\":{\"enum\":[]}},\"required\":["
        "\"a\"]}}]");
    struct buf out;
    buf_init(&out, 1 << 16);
    toolset_explain(tools, &out);
    const char *text = buf_string(&out), *bad = strstr(text, "bad");
    ck_assert_ptr_nonnull(strstr(text, "2 tools can be fuzzed from their schemas"));
    ck_assert_ptr_nonnull(bad);
    ck_assert_ptr_nonnull(strstr(bad, "by names"));
    ck_assert_ptr_eq(strstr(text, "by names"), strstr(bad, "by names"));
    ck_assert_ptr_null(strchr(text, '\x1b'));
    buf_release(&out);
    toolset_free(tools);
}
END_TEST

/* Calls that differ in null for an argument that may be left out and may not be null: left out, null, left out. */
START_TEST(nulls)
{
    struct toolset *tools = tools_of(tool_list);
    size_t triples = 0, others = 0;
    for (uint64_t i = 0; i < 400; i++) {
        struct task *t = task_at(tools, 11, i);
        if (strcmp(t->workflow, "absent") != 0) {
            others++;
            task_free(t);
            continue;
        }
        ck_assert_uint_eq(t->step_count % 3, 1); /* and the last call */
        for (size_t k = 0; k + 3 < t->step_count; k += 3) {
            const struct json *without = json_get(t->steps[k].args, "arguments"),
                              *with = json_get(t->steps[k + 1].args, "arguments");
            ck_assert(json_equal(without, json_get(t->steps[k + 2].args, "arguments")));
            ck_assert_uint_eq(with->count, without->count + 1);
            ck_assert_int_eq(with->last->kind, JSON_NULL);
            ck_assert_ptr_null(json_get_bytes(without, with->last->key));
            ck_assert(bytes_equal_string(with->last->key, "seconds") || bytes_equal_string(with->last->key, "force"));
            ck_assert(bytes_equal_string(json_as_text(json_get(t->steps[k + 1].args, "kind")), "invalid"));
            triples++;
        }
        task_free(t);
    }
    ck_assert_uint_gt(triples, 10);
    ck_assert_uint_gt(others, 300);
    toolset_free(tools);
    tools = tools_of("[{\"name\":\"none\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{},"
                     "\"b\":{\"type\":[\"string\",\"null\"]},\"c\":{\"type\":\"string\"}},\"required\":[\"c\"]}}]");
    for (uint64_t i = 0; i < 100; i++) {
        struct task *t = task_at(tools, 11, i);
        for (size_t k = 0; strcmp(t->workflow, "absent") == 0 && k < t->step_count; k++)
            ck_assert(!bytes_equal_string(json_as_text(json_get(t->steps[k].args, "kind")), "invalid"));
        task_free(t);
    }
    toolset_free(tools);
}
END_TEST

static bool is_op(const struct task *t, size_t i, const char *op)
{
    return i < t->step_count && strcmp(t->steps[i].op->name, op) == 0;
}

static const struct json *arguments_at(const struct task *t, size_t i)
{
    return json_get(t->steps[i].args, "arguments");
}

/* The same two calls before and after the damage, the later ones the other way round. */
START_TEST(damaged)
{
    struct toolset *tools = tools_of(tool_list);
    for (uint64_t i = 0; i < 600; i++) { /* nobody has said that it can be damaged */
        struct task *t = task_at(tools, 5, i);
        ck_assert_str_ne(t->workflow, "damaged");
        task_free(t);
    }
    toolset_can_damage(tools);
    size_t seen = 0, anew = 0;
    for (uint64_t i = 0; i < 600; i++) {
        struct task *t = task_at(tools, 5, i);
        size_t at = 2 + (size_t)is_op(t, 3, "reopen");
        if (strcmp(t->workflow, "damaged") == 0 && is_op(t, 2, "stage-damage")) {
            ck_assert(is_op(t, at + 1, "call") && is_op(t, at + 2, "call"));
            ck_assert(json_equal(t->steps[0].args, t->steps[at + 2].args) && json_equal(t->steps[1].args, t->steps[at + 1].args));
            seen++;
            anew += at == 3;
        }
        task_free(t);
    }
    ck_assert_uint_gt(seen, 5);
    ck_assert(anew > 0 && anew < seen);
    toolset_free(tools);
}
END_TEST

static const char sql_list[] =
    "[{\"name\":\"create_table\",\"description\":\"Create a table in the database\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"query\":{"
    "\"type\":\"string\"}},\"required\":[\"query\"]}},{\"name\":\"write_query\",\"description\":\"Execute SQL that changes "
    "rows\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\"}},\"required\":[\"query\"]}},"
    "{\"name\":\"read_query\",\"description\":\"Execute a SELECT on the database\",\"annotations\":{\"readOnlyHint\":true},\"inputSchema\":{"
    "\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\"}},\"required\":[\"query\"]}}]";

/* A table is made, filled and read, by the tools for it. */
START_TEST(statements)
{
    static const char *const starts[] = {"create table", "insert into", "select n"}, *const names[] = {"create_table", "write_query", "read_query"};
    struct toolset *tools = tools_of(sql_list);
    size_t seen = 0;
    for (uint64_t i = 0; i < 300; i++) {
        struct task *t = task_at(tools, 5, i);
        for (size_t k = 0; strcmp(t->workflow, "back") == 0 && k + 1 < t->step_count; k++) {
            ck_assert(bytes_equal_string(json_as_text(json_get(t->steps[k].args, "name")), names[k % 3]));
            ck_assert(bytes_starts(json_as_text(json_get(arguments_at(t, k), "query")), bytes_of_string(starts[k % 3])));
            seen++;
        }
        task_free(t);
    }
    ck_assert_uint_gt(seen, 20);
    toolset_free(tools);
}
END_TEST

/* Free texts and numbers become such that are easily damaged. */
START_TEST(asked_back)
{
    struct toolset *tools = tools_of(tool_list);
    size_t numbers = 0, texts = 0;
    for (uint64_t i = 0; i < 600; i++) {
        struct task *t = task_at(tools, 5, i);
        for (size_t k = 0; strcmp(t->workflow, "back") == 0 && k < t->step_count; k++)
            for (const struct json *one = arguments_at(t, k)->first; one; one = one->next) {
                numbers += json_is(one, JSON_RAW) && one->text.len >= 16;
                texts += json_is(one, JSON_STRING) && (bytes_find(one->text, BYTES_LITERAL("\xc3"), 0) >= 0 ||
                                                       bytes_find(one->text, BYTES_LITERAL("343519"), 0) >= 0);
            }
        task_free(t);
    }
    ck_assert_uint_gt(numbers, 3);
    ck_assert_uint_gt(texts, 3);
    toolset_free(tools);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, same_bytes);
    tcase_add_test(t, nulls);
    tcase_add_test(t, damaged);
    tcase_add_test(t, statements);
    tcase_add_test(t, asked_back);
    tcase_add_test(t, hash_of_the_list);
    tcase_add_test(t, derivations_replay);
    tcase_add_test(t, damaged_derivations);
    tcase_add_test(t, records);
    tcase_add_test(t, else_stands_in);
    tcase_add_test(t, mutants);
    tcase_add_test(t, odd_lists);
    tcase_add_test(t, keeps_to_the_budget);
    tcase_add_test(t, explains);
}

int main(void)
{
    return unit_main("tools", fill);
}
