/* Reading a task record: strict, because a record that is half understood runs as something else than was
 * meant.
 *
 * Members are read in the order of a table, not of the text: contents before the steps that refer to them,
 * steps before the expectations. Unknown and doubled members are refused. Needs and id follow from the rest;
 * where the text has them they must agree. */
#include "gen/recipe.h"
#include "gen/task_internal.h"

static int read_format(struct task_reader *r, struct json *value, const char *member)
{
    if (!json_is(value, JSON_STRING) || !bytes_equal_string(value->text, "taskgen/task/1"))
        return task_fault(r, member, value, "\"taskgen/task/1\"");
    return 0;
}

static int read_contents(struct task_reader *r, struct json *value, const char *member)
{
    struct arena *a = &r->task->arena;
    TRY(task_expect_kind(r, value, member, JSON_OBJECT, "an object of contents"));
    for (struct json *item = value->first; item; item = item->next) {
        struct json name = {.kind = JSON_STRING, .text = item->key};
        if (!task_name_ok(item->key))
            return task_fault(r, member, &name, "a content's name: 1 to 64 letters, digits, '-', '_' or '.'");
        char *path = arena_printf(a, "%s.%.*s", member, BYTES_ARG(item->key));
        bool fits = json_is(item, JSON_STRING) || task_wrapper_of(item) == WRAP_BYTES ||
                    task_wrapper_of(item) == WRAP_RECIPE;
        if (!fits)
            return task_fault(r, path, item, "a string, {\"$bytes\":...} or {\"$recipe\":...}");
        item = task_value_inward(r, item, WRAPS_CONTENT, path);
        if (!item)
            return ERR_INPUT;
        struct json *complete;
        if (json_is(item, JSON_OBJECT) && recipe_complete(item, path, a, &complete, r->err) < 0)
            return error_wrap(r->err, "%s", r->where);
    }
    r->task->contents = value;
    return 0;
}

static int read_limits(struct task_reader *r, struct json *value, const char *member)
{
    static const char *const names[] = {"timeout_ms", "bytes", "processes", "tabs"};
    TRY(task_expect_kind(r, value, member, JSON_OBJECT, "an object of limits"));
    for (struct json *item = value->first; item; item = item->next) {
        bool known = false;
        for (size_t i = 0; i < sizeof names / sizeof *names && !known; i++)
            known = bytes_equal_string(item->key, names[i]);
        struct json name = {.kind = JSON_STRING, .text = item->key};
        if (!known)
            return task_fault(r, member, &name, "one of timeout_ms, bytes, processes, tabs");
        int64_t limit;
        TRY(task_read_count(r, item, arena_printf(&r->task->arena, "%s.%.*s", member, BYTES_ARG(item->key)),
                            0, INT64_MAX, &limit));
    }
    r->task->limits = value;
    return 0;
}

static int read_domain(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_name(r, value, member, &r->task->domain);
}

static int read_workflow(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_name(r, value, member, &r->task->workflow);
}

static int read_seed(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_unsigned(r, value, member, &r->task->seed);
}

static int read_index(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_unsigned(r, value, member, &r->task->index);
}

static bool is_hex(struct bytes text, size_t len)
{
    bool ok = text.len == len;
    for (size_t i = 0; ok && i < len; i++)
        ok = (text.data[i] >= '0' && text.data[i] <= '9') || (text.data[i] >= 'a' && text.data[i] <= 'f');
    return ok;
}

static int read_grammar(struct task_reader *r, struct json *value, const char *member)
{
    if (!json_is(value, JSON_STRING) || !is_hex(value->text, 16))
        return task_fault(r, member, value, "16 hex digits");
    return task_read_text(r, value, member, &r->task->grammar_hash);
}

static int read_choices(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_text(r, value, member, &r->task->derivation);
}

static int read_derivation(struct task_reader *r, struct json *value, const char *member)
{
    static const struct task_member rows[] = {{"grammar", true, read_grammar},
                                              {"choices", true, read_choices}};
    TRY(task_expect_kind(r, value, member, JSON_OBJECT, "an object"));
    return task_read_members(r, value, member, rows, 2);
}

static int read_instruction(struct task_reader *r, struct json *value, const char *member)
{
    return task_read_text(r, value, member, &r->task->instruction);
}

static int read_expect(struct task_reader *r, struct json *value, const char *member)
{
    TRY(task_expect_kind(r, value, member, JSON_ARRAY, "an array of expectations"));
    if (!task_value_inward(r, value, WRAPS_EXPECT, member))
        return ERR_INPUT;
    TRY(task_check_expect(r, value));
    r->task->expect = value;
    return 0;
}

static int read_mutation(struct task_reader *r, struct json *value, const char *member)
{
    static const char *const names[] = {"mutator", "step", "at", "detail", "before"};
    struct arena *a = &r->task->arena;
    TRY(task_expect_kind(r, value, member, JSON_OBJECT, "a mutation"));
    for (size_t i = 0; i < 5; i++) {
        struct json *item = json_get(value, names[i]);
        if (!item || (i < 4 && !json_is(item, JSON_STRING)))
            return task_fault(r, arena_printf(a, "%s.%s", member, names[i]), item,
                              i < 4 ? "a text" : "this member");
    }
    if (value->count != 5)
        return error_set(r->err, ERR_INPUT,
                         "%s: %s: found %u members, expected mutator, step, at, detail and before", r->where,
                         member, value->count);
    const char *mutator;
    TRY(task_read_name(r, json_get(value, "mutator"), arena_printf(a, "%s.mutator", member), &mutator));
    return task_value_inward(r, json_get(value, "before"), WRAPS_BEFORE, member) ? 0 : ERR_INPUT;
}

static int read_mutations(struct task_reader *r, struct json *value, const char *member)
{
    TRY(task_expect_kind(r, value, member, JSON_ARRAY, "an array of mutations"));
    size_t index = 0;
    for (struct json *item = value->first; item; item = item->next)
        TRY(read_mutation(r, item, arena_printf(&r->task->arena, "%s[%zu]", member, index++)));
    r->task->mutations = value;
    return 0;
}

/* Once, when all that needs and id follow from has been read. */
static void identify(struct task_reader *r)
{
    if (!r->task->id[0])
        task_identify(r->task);
}

/* Needs are what the steps say; a record that says otherwise was changed by hand in one place only. */
static int read_needs(struct task_reader *r, struct json *value, const char *member)
{
    TRY(task_expect_kind(r, value, member, JSON_ARRAY, "an array of capabilities"));
    identify(r);
    const struct task *t = r->task;
    bool same = value->count == t->need_count;
    const struct json *found = value->first;
    for (size_t i = 0; i < t->need_count && same; i++, found = found->next)
        same = json_is(found, JSON_STRING) && bytes_equal_string(found->text, t->needs[i]);
    if (same)
        return 0;
    char *expected = arena_printf(&r->task->arena, "[");
    for (size_t i = 0; i < t->need_count; i++)
        expected = arena_printf(&r->task->arena, "%s%s%s", expected, i ? ", " : "", t->needs[i]);
    return task_fault(r, member, value, arena_printf(&r->task->arena, "%s], as the steps say", expected));
}

static int read_id(struct task_reader *r, struct json *value, const char *member)
{
    identify(r);
    if (!json_is(value, JSON_STRING) || !bytes_equal_string(value->text, r->task->id))
        return task_fault(r, member, value,
                          arena_printf(&r->task->arena,
                                       "'%s', which follows from the rest of the record; "
                                       "leave the member out after a change",
                                       r->task->id));
    return 0;
}

static const struct task_member record_members[] = {
    {"format", true, read_format},
    {"domain", false, read_domain},
    {"workflow", false, read_workflow},
    {"seed", false, read_seed},
    {"index", false, read_index},
    {"derivation", false, read_derivation},
    {"instruction", true, read_instruction},
    {"contents", false, read_contents},
    {"steps", true, task_read_steps},
    {"expect", false, read_expect},
    {"mutations", false, read_mutations},
    {"limits", false, read_limits},
    {"needs", false, read_needs},
    {"id", false, read_id},
};

/* What no part of a record may hold; looked for once, over all of it. */
static int check_whole(struct task_reader *r, struct json *record)
{
    for (struct json *v = record; v; v = json_next(record, v, true)) {
        if (v->duplicate)
            return error_set(r->err, ERR_INPUT,
                             "%s: byte %zu: found a second member of the same name, expected one (JSON "
                             "text with doubled names is written {\"$raw\":...})",
                             r->where, v->offset);
        if (v->lone_surrogate)
            return error_set(r->err, ERR_INPUT,
                             "%s: byte %zu: found a lone surrogate, expected {\"$bytes\":...} for bytes "
                             "that are not UTF-8 or {\"$raw\":...} for JSON text",
                             r->where, v->offset);
    }
    return 0;
}

static int read_record(struct task_reader *r, struct bytes text)
{
    const struct json_options options = {.max_depth = TASK_DEPTH_MAX};
    struct json *record;
    if (json_read(&r->task->arena, text, &options, r->where, &record, NULL, r->err) < 0) {
        if (r->err && *r->err)
            (*r->err)->code = ERR_INPUT; /* too deep as well: nobody but a person can mend it */
        return ERR_INPUT;
    }
    if (!json_is(record, JSON_OBJECT))
        return error_set(r->err, ERR_INPUT, "%s: found %s, expected a task: a JSON object", r->where,
                         task_describe(&r->task->arena, record));
    TRY(check_whole(r, record));
    return task_read_members(r, record, "", record_members, sizeof record_members / sizeof *record_members);
}

int task_read(const struct ops *ops, struct bytes text, const char *where, struct task **t,
              struct error **err)
{
    struct task_reader r = {.task = task_new(), .ops = ops, .where = where, .err = err};
    int status = read_record(&r, text);
    if (status < 0) {
        task_free(r.task);
        *t = NULL;
        return status;
    }
    identify(&r);
    *t = r.task;
    return 0;
}
