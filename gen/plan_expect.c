/* Expectations: rows as in docs/task-format.md, one predicate each. A row about a file stands only as long as
 * nothing changes the handles that its subject names; what is made from those handles' properties is true of
 * the end then. */
#include <string.h>

#include "gen/plan_internal.h"

/* Bytes up to which a content, and a text, is compared in full. */
enum { INLINE_CONTENT = 256, INLINE_TEXT = 4096 };

static struct json *typed(struct plan_run *run, const struct value *value, struct bytes text)
{
    struct arena *a = &run->task->arena;
    if (value->kind == VALUE_INTEGER)
        return json_integer(a, value->integer);
    if (value->kind == VALUE_BOOL)
        return json_bool(a, value->integer);
    if (value->kind == VALUE_JSON)
        return json_copy(a, value->json);
    return json_string(a, text);
}

struct subject {
    const struct plan_node *node;
    struct bytes file, json, site;
    const char *step;
    struct frame *frame;
};

/* A row with its subject, to which one predicate is added. */
static struct json *row_new(struct plan_run *run, const struct subject *s, bool of_part)
{
    struct arena *a = &run->task->arena;
    const struct plan_expect *e = &s->node->u.expect;
    struct json *row = json_new(a, JSON_OBJECT);
    if (s->step)
        json_set(a, row, "step", json_text(a, s->step));
    else
        json_set(a, row, "file", json_string(a, s->file));
    if (of_part && e->site)
        json_set(a, row, "site", json_string(a, s->site));
    if (of_part && e->at)
        json_set(a, row, "at", json_text(a, e->at));
    if (of_part && e->json)
        json_set(a, row, "json", json_string(a, s->json));
    return row;
}

static bool stands_already(const struct plan_run *run, const struct json *row)
{
    for (size_t i = 0; i < run->pending_count; i++)
        if (json_equal(run->pending[i].row, row))
            return true;
    return false;
}

static int add_row(struct plan_run *run, const struct subject *s, struct json *row, const char *predicate,
                   struct json *value)
{
    const struct plan_expect *e = &s->node->u.expect;
    json_set(&run->task->arena, row, predicate, value);
    if (run->pending_count == run->pending_capacity) {
        size_t capacity = run->pending_capacity ? run->pending_capacity * 2 : 16;
        struct pending *bigger = arena_alloc(&run->scratch, capacity * sizeof *bigger);
        if (run->pending_count)
            memcpy(bigger, run->pending, run->pending_count * sizeof *bigger);
        run->pending = bigger;
        run->pending_capacity = capacity;
    }
    struct pending pending = {.row = row};
    for (size_t i = 0; i < e->handle_count; i++) {
        const struct value *slot = &s->frame->slots[e->handles[i]];
        if (slot->kind != VALUE_HANDLE)
            continue;
        pending.handles[pending.handle_count] = slot->handle;
        pending.versions[pending.handle_count++] = slot->handle->version;
    }
    if (!pending.handle_count && stands_already(run, row))
        return 0;
    run->pending[run->pending_count++] = pending;
    return plan_charge(run, s->node->place, plan_json_length(row));
}

/* --- predicates --- */

static int integer_row(struct plan_run *run, const struct subject *s, const char *name,
                       const struct text *text, bool of_part)
{
    int64_t number;
    TRY(plan_text_integer(run, s->frame, text, name, &number));
    if (number < 0)
        return plan_fail(run->err, text->place, "%s is %lld, expected a number from 0", name,
                         (long long)number);
    return add_row(run, s, row_new(run, s, of_part), name, json_integer(&run->task->arena, number));
}

static int expect_exit(struct plan_run *run, const struct subject *s, const struct text *text)
{
    return integer_row(run, s, "exit", text, false);
}

static int expect_size(struct plan_run *run, const struct subject *s, const struct text *text)
{
    return integer_row(run, s, "size", text, true);
}

static int expect_lines(struct plan_run *run, const struct subject *s, const struct text *text)
{
    return integer_row(run, s, "lines", text, true);
}

static int expect_outcome(struct plan_run *run, const struct subject *s, const struct text *text)
{
    struct bytes outcome;
    TRY(plan_text_bytes(run, s->frame, text, &outcome));
    if (!bytes_equal_string(outcome, "ok") && !bytes_equal_string(outcome, "error"))
        return plan_fail(run->err, text->place, "outcome is \"%.*s\", expected ok or error",
                         BYTES_ARG(bytes_slice(outcome, 0, 40)));
    return add_row(run, s, row_new(run, s, false), "outcome", json_string(&run->task->arena, outcome));
}

static int expect_exists(struct plan_run *run, const struct subject *s, const struct text *text)
{
    struct bytes answer;
    TRY(plan_text_bytes(run, s->frame, text, &answer));
    bool yes = bytes_equal_string(answer, "yes") || bytes_equal_string(answer, "true");
    if (!yes && !bytes_equal_string(answer, "no") && !bytes_equal_string(answer, "false"))
        return plan_fail(run->err, text->place, "exists is \"%.*s\", expected yes or no",
                         BYTES_ARG(bytes_slice(answer, 0, 40)));
    return add_row(run, s, row_new(run, s, false), "exists", json_bool(&run->task->arena, yes));
}

/* Hash and size say the same as the bytes, in less space. */
static int expect_hash(struct plan_run *run, const struct subject *s, const struct text *text,
                       const struct value *value)
{
    static const char *const facts[] = {"sha256", "size"};
    for (size_t i = 0; i < 2; i++) {
        struct value fact;
        TRY(plan_fact(run, text->place, value, bytes_of_string(facts[i]), &fact));
        TRY(add_row(run, s, row_new(run, s, true), facts[i], typed(run, &fact, fact.text)));
    }
    return 0;
}

static int expect_content(struct plan_run *run, const struct subject *s, const struct text *text,
                          const struct value *value)
{
    struct bytes bytes;
    if (plan_content_size(value->content) > INLINE_CONTENT)
        return expect_hash(run, s, text, value);
    TRY(plan_value_bytes(run, text->place, value, &bytes));
    return add_row(run, s, row_new(run, s, true), "equals", json_string(&run->task->arena, bytes));
}

static int expect_equals(struct plan_run *run, const struct subject *s, const struct text *text)
{
    struct value value;
    struct bytes bytes = BYTES_NONE;
    TRY(plan_text(run, s->frame, text, &value));
    if (value.kind == VALUE_CONTENT && !s->node->u.expect.json)
        return expect_content(run, s, text, &value);
    /* Bytes are compared with bytes, whatever the value's type. */
    bool of_text = s->step ? s->node->u.expect.of_text : !s->node->u.expect.json;
    if (of_text || value.kind != VALUE_JSON)
        TRY(plan_value_bytes(run, text->place, &value, &bytes));
    struct value as_text = plan_value_of_text(bytes);
    if (of_text && bytes.len > INLINE_TEXT)
        return expect_hash(run, s, text, &as_text);
    struct json *json = of_text ? json_string(&run->task->arena, bytes) : typed(run, &value, bytes);
    return add_row(run, s, row_new(run, s, true), "equals", json);
}

static int expect_contains(struct plan_run *run, const struct subject *s, const struct text *text)
{
    struct bytes bytes;
    struct value value;
    TRY(plan_text(run, s->frame, text, &value));
    TRY(plan_value_bytes(run, text->place, &value, &bytes));
    return add_row(run, s, row_new(run, s, true), "contains", json_string(&run->task->arena, bytes));
}

static int expect_sha256(struct plan_run *run, const struct subject *s, const struct text *text)
{
    struct bytes hex;
    TRY(plan_text_bytes(run, s->frame, text, &hex));
    bool good = hex.len == 64;
    for (size_t i = 0; i < hex.len; i++)
        good &= (hex.data[i] >= '0' && hex.data[i] <= '9') || (hex.data[i] >= 'a' && hex.data[i] <= 'f');
    if (!good)
        return plan_fail(run->err, text->place, "sha256 is \"%.*s\", expected 64 hex digits",
                         BYTES_ARG(bytes_slice(hex, 0, 70)));
    return add_row(run, s, row_new(run, s, true), "sha256", json_string(&run->task->arena, hex));
}

static int (*const predicates[EXPECT_PREDICATE_COUNT])(struct plan_run *run, const struct subject *s,
                                                       const struct text *text) = {
    [EXPECT_EXIT] = expect_exit,         [EXPECT_OUTCOME] = expect_outcome, [EXPECT_EQUALS] = expect_equals,
    [EXPECT_CONTAINS] = expect_contains, [EXPECT_SHA256] = expect_sha256,   [EXPECT_SIZE] = expect_size,
    [EXPECT_LINES] = expect_lines,       [EXPECT_EXISTS] = expect_exists,
};

int plan_run_expect(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    const struct plan_expect *e = &n->u.expect;
    struct subject s = {.node = n, .frame = frame};
    if (e->file) {
        TRY(plan_text_bytes(run, frame, e->file, &s.file));
        if (e->json)
            TRY(plan_text_bytes(run, frame, e->json, &s.json));
    } else {
        /* The step may have been guarded away: then there is nothing to expect of it. */
        const struct value *step = &frame->slots[e->step_slot];
        if (step->kind != VALUE_STEP)
            return 0;
        s.step = plan_step_id(run, step->integer);
        if (e->site)
            TRY(plan_text_bytes(run, frame, e->site, &s.site));
    }
    for (size_t i = 0; i < EXPECT_PREDICATE_COUNT; i++)
        if (e->values[i])
            TRY(predicates[i](run, &s, e->values[i]));
    return 0;
}

void plan_finish_expects(struct plan_run *run)
{
    for (size_t i = 0; i < run->pending_count; i++) {
        const struct pending *pending = &run->pending[i];
        bool holds = true;
        for (size_t k = 0; k < pending->handle_count; k++)
            holds &= pending->handles[k]->version == pending->versions[k];
        for (const struct json *row = run->task->expect->first; row && holds; row = row->next)
            holds = !json_equal(row, pending->row);
        if (holds)
            json_add(run->task->expect, pending->row);
    }
}
