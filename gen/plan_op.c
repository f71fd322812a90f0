/* Ops to steps: arguments by their types, contents by reference, results by name. */
#include <string.h>

#include "base/utf8.h"
#include "gen/plan_internal.h"
#include "gen/task_internal.h"

enum {
    MAX_REPEAT = 100000,
    MAX_DELAY_MS = 24 * 3600 * 1000,
    MEMBER = 8 /* quotes, colon and comma of a member */
};

const char *plan_step_id(struct plan_run *run, int64_t step)
{
    return run->task->steps[step].id;
}

static uint64_t text_length(struct bytes text)
{
    uint64_t length = MEMBER;
    if (!utf8_valid(text))
        return length + text.len / 3 * 4 + 24;
    for (size_t i = 0; i < text.len; i++)
        length += text.data[i] < 0x20 ? 6 : text.data[i] == '"' || text.data[i] == '\\' ? 2 : 1;
    return length;
}

uint64_t plan_json_length(const struct json *value)
{
    uint64_t length = 0;
    for (const struct json *v = value; v; v = json_next(value, (struct json *)v, true)) {
        length += text_length(v->key);
        length += v->kind == JSON_STRING ? text_length(v->text) : v->text.len + MEMBER;
    }
    return length;
}

struct json *plan_content_reference(struct plan_run *run, struct content *content)
{
    struct task *t = run->task;
    if (!content->name) {
        content->name = arena_printf(&t->arena, "c%u", ++run->content_count);
        struct json *kept = json_copy(&t->arena, content->recipe);
        run->bytes += plan_json_length(kept);
        json_set(&t->arena, t->contents, content->name, kept);
    }
    struct json *reference = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, reference, "$content", json_text(&t->arena, content->name));
    return reference;
}

/* --- values by type --- */

struct slot_of {
    const struct op_arg *arg;
    struct plan_place place;
};

static int bad(struct plan_run *run, const struct slot_of *s, const struct value *value, const char *expected)
{
    struct bytes text;
    TRY(plan_value_bytes(run, s->place, value, &text));
    return plan_fail(run->err, s->place, "argument \"%s\" is \"%.*s\", expected %s", s->arg->name,
                     BYTES_ARG(bytes_slice(text, 0, 40)), expected);
}

static int text_json(struct plan_run *run, const struct slot_of *s, const struct value *value,
                     struct json **out)
{
    struct bytes text;
    TRY(plan_value_bytes(run, s->place, value, &text));
    *out = json_string(&run->task->arena, text);
    return 0;
}

static int bytes_json(struct plan_run *run, const struct slot_of *s, const struct value *value,
                      struct json **out)
{
    if (value->kind != VALUE_CONTENT)
        return text_json(run, s, value, out);
    *out = plan_content_reference(run, value->content);
    return 0;
}

static int integer_json(struct plan_run *run, const struct slot_of *s, const struct value *value,
                        struct json **out)
{
    int64_t number;
    if (!plan_value_integer(value, &number))
        return bad(run, s, value, "a whole number");
    *out = json_integer(&run->task->arena, number);
    return 0;
}

static int real_json(struct plan_run *run, const struct slot_of *s, const struct value *value,
                     struct json **out)
{
    struct bytes text;
    double number;
    TRY(plan_value_bytes(run, s->place, value, &text));
    struct json *read = NULL;
    if (json_read(&run->task->arena, text, NULL, "a number", &read, NULL, NULL) < 0 ||
        !json_as_real(read, &number))
        return bad(run, s, value, "a number");
    *out = read;
    return 0;
}

static int bool_json(struct plan_run *run, const struct slot_of *s, const struct value *value,
                     struct json **out)
{
    struct bytes text;
    TRY(plan_value_bytes(run, s->place, value, &text));
    bool yes = bytes_equal_string(text, "true") || bytes_equal_string(text, "yes");
    if (!yes && !bytes_equal_string(text, "false") && !bytes_equal_string(text, "no"))
        return bad(run, s, value, "true or false");
    *out = json_bool(&run->task->arena, yes);
    return 0;
}

static int one_of_json(struct plan_run *run, const struct slot_of *s, const struct value *value,
                       struct json **out)
{
    TRY(text_json(run, s, value, out));
    for (size_t i = 0; s->arg->values[i]; i++)
        if (bytes_equal_string((*out)->text, s->arg->values[i]))
            return 0;
    return bad(run, s, value, "one of the values that the op takes (see taskgen ops)");
}

/* A real argument that looks like one of our own wrappers is wrapped, so that nobody takes it for one. */
static struct json *literal(struct plan_run *run, struct json *value)
{
    for (struct json *v = value; v; v = json_next(value, v, true)) {
        if (task_wrapper_of(v) == WRAP_NONE)
            continue;
        struct json *wrapper = json_new(&run->task->arena, JSON_OBJECT);
        json_set(&run->task->arena, wrapper, "$literal", value);
        return wrapper;
    }
    return value;
}

/* JSON that our own reader would refuse in a task goes as it stands. */
static bool is_delicate(const struct json *value)
{
    for (const struct json *v = value; v; v = json_next(value, (struct json *)v, true))
        if (v->duplicate || v->lone_surrogate)
            return true;
    return false;
}

/* A text that is JSON is that, any other text is a string. */
static int any_json(struct plan_run *run, const struct slot_of *s, const struct value *value,
                    struct json **out)
{
    struct arena *a = &run->task->arena;
    struct json_options options = {.max_depth = 200};
    if (value->kind == VALUE_INTEGER)
        *out = json_integer(a, value->integer);
    else if (value->kind == VALUE_BOOL)
        *out = json_bool(a, value->integer);
    else if (value->kind == VALUE_JSON)
        *out = literal(run, json_copy(a, value->json));
    else if (value->kind == VALUE_CONTENT)
        return bytes_json(run, s, value, out);
    else if (value->text.len &&
             json_read(a, arena_copy(a, value->text), &options, "an argument", out, NULL, NULL) == 0)
        *out = is_delicate(*out) ? json_raw(a, value->text) : literal(run, *out);
    else
        return text_json(run, s, value, out);
    return 0;
}

static int (*const by_type[])(struct plan_run *run, const struct slot_of *s, const struct value *value,
                              struct json **out) = {
    [OP_PATH] = text_json, [OP_BYTES] = bytes_json,    [OP_TEXT] = text_json,  [OP_INT] = integer_json,
    [OP_BOOL] = bool_json, [OP_REAL] = real_json,      [OP_ONE_OF] = one_of_json, [OP_TEXTS] = text_json,
    [OP_MAP] = text_json,  [OP_JSON] = any_json,
};

static int text_arg(struct plan_run *run, struct frame *frame, const struct text *text,
                    const struct op_arg *arg, struct json **out)
{
    struct value value;
    struct slot_of slot = {arg, text->place};
    TRY(plan_text(run, frame, text, &value));
    if (value.kind == VALUE_FROM)
        *out = json_copy(&run->task->arena, value.json);
    else
        TRY(by_type[arg->type](run, &slot, &value, out));
    return 0;
}

static int arg_json(struct plan_run *run, struct frame *frame, const struct plan_op_arg *a, struct json **out)
{
    if (a->kind == OP_VALUE_TEXT)
        return text_arg(run, frame, &a->text, a->arg, out);
    *out = json_new(&run->task->arena, a->kind == OP_VALUE_MAP ? JSON_OBJECT : JSON_ARRAY);
    for (size_t i = 0; i < a->item_count; i++) {
        struct json *item;
        TRY(text_arg(run, frame, &a->items[i].value, a->arg, &item));
        if (a->kind == OP_VALUE_MAP)
            json_set(&run->task->arena, *out, a->items[i].name, item);
        else
            json_add(*out, item);
    }
    return 0;
}

/* --- what every step has --- */

/* as="absolute|tilde" picks one; the result has to be one of the five spellings. */
static int spell_path(struct plan_run *run, struct frame *frame, const struct plan_node *n, struct json *args)
{
    struct bytes spelling, piece, picked = BYTES_NONE;
    TRY(plan_text_bytes(run, frame, n->u.op.as, &spelling));
    size_t count = 1;
    for (size_t i = 0; i < spelling.len; i++)
        count += spelling.data[i] == '|';
    uint64_t index = chooser_uniform(&run->chooser, n->site, count);
    for (size_t at = 0; at <= spelling.len; at += piece.len + 1) {
        ptrdiff_t bar = bytes_find(spelling, BYTES_LITERAL("|"), at);
        piece = bytes_slice(spelling, at, bar < 0 ? spelling.len : (size_t)bar);
        if (index-- == 0)
            picked = piece;
    }
    bool known = false;
    for (size_t i = 0; task_spellings[i]; i++)
        known |= bytes_equal_string(picked, task_spellings[i]);
    if (!known)
        return plan_fail(run->err, n->place,
                         "as is \"%.*s\", expected relative, absolute, tilde, dotted or link",
                         BYTES_ARG(bytes_slice(picked, 0, 40)));
    struct json *path = json_get(args, "path"), *wrapper = json_new(&run->task->arena, JSON_OBJECT);
    json_set(&run->task->arena, wrapper, "$path", json_string(&run->task->arena, json_as_text(path)));
    json_set(&run->task->arena, wrapper, "as", json_string(&run->task->arena, picked));
    json_replace(path, wrapper);
    return 0;
}

static int number_in(struct plan_run *run, struct frame *frame, const struct text *text, const char *what,
                     int64_t low, int64_t high, int64_t *out)
{
    if (!text)
        return 0;
    TRY(plan_text_integer(run, frame, text, what, out));
    if (*out >= low && *out <= high)
        return 0;
    return plan_fail(run->err, text->place, "%s is %lld, expected %lld to %lld", what, (long long)*out,
                     (long long)low, (long long)high);
}

static int step_attributes(struct plan_run *run, struct frame *frame, const struct plan_node *n,
                           struct task_step *step)
{
    const struct plan_op *op = &n->u.op;
    int64_t repeat = 1;
    TRY(number_in(run, frame, op->after_ms, "after-ms", 0, MAX_DELAY_MS, &step->after_ms));
    TRY(number_in(run, frame, op->cancel_after_ms, "cancel-after-ms", 0, MAX_DELAY_MS,
                  &step->cancel_after_ms));
    TRY(number_in(run, frame, op->timeout_ms, "timeout-ms", 1, MAX_DELAY_MS, &step->timeout_ms));
    TRY(number_in(run, frame, op->repeat, "repeat", 1, MAX_REPEAT, &repeat));
    step->repeat = (uint32_t)repeat;
    step->group = run->group;
    if (!op->session)
        return 0;
    struct bytes session;
    TRY(plan_text_bytes(run, frame, op->session, &session));
    if (!task_name_ok(session))
        return plan_fail(run->err, n->place,
                         "session is \"%.*s\", expected a short name of letters, digits, _ - and .",
                         BYTES_ARG(bytes_slice(session, 0, 40)));
    step->session = arena_string(&run->task->arena, session);
    return 0;
}

/* A handle defined by into has the results that its kind has properties for. */
static int put_results(struct plan_run *run, struct frame *frame, const struct plan_node *n, int64_t step)
{
    const struct plan_op *op = &n->u.op;
    struct value *slot = &frame->slots[n->slot];
    if (!op->into->type) {
        *slot = (struct value){.kind = VALUE_STEP, .integer = step};
        return 0;
    }
    struct handle *handle = plan_handle_new(run, op->into->type, op->into->state);
    for (size_t i = 0; i < op->op->result_count; i++) {
        int prop = handle_type_prop(handle->type, bytes_of_string(op->op->results[i].name));
        if (prop < 0)
            continue;
        struct json *from = json_new(&run->scratch, JSON_OBJECT);
        json_set(&run->scratch, from, "$from", json_text(&run->scratch, plan_step_id(run, step)));
        json_set(&run->scratch, from, "at",
                 json_text(&run->scratch, arena_printf(&run->scratch, "/%s", op->op->results[i].name)));
        handle->props[prop] = (struct value){.kind = VALUE_FROM, .json = from};
    }
    *slot = (struct value){.kind = VALUE_HANDLE, .handle = handle};
    return 0;
}

int plan_run_op(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    const struct plan_op *op = &n->u.op;
    struct json *args = json_new(&run->task->arena, JSON_OBJECT);
    if (run->task->step_count >= run->steps_max)
        return error_set(run->err, ERR_LIMIT,
                         "%s:%u: the task needs more than %u steps (limit steps, generate.max-steps)",
                         n->place.file, n->place.line, run->steps_max);
    for (size_t i = 0; i < op->arg_count; i++) {
        struct json *value;
        TRY(arg_json(run, frame, &op->args[i], &value));
        json_set(&run->task->arena, args, op->args[i].arg->name, value);
    }
    if (op->as)
        TRY(spell_path(run, frame, n, args));
    enum { STEP_ITSELF = 160 };
    TRY(plan_charge(run, n->place, plan_json_length(args) + STEP_ITSELF));
    struct task_step *step = task_add_step(run->task, op->op, args);
    int64_t index = (int64_t)run->task->step_count - 1;
    TRY(step_attributes(run, frame, n, step));
    if (op->id_slot >= 0)
        frame->slots[op->id_slot] = (struct value){.kind = VALUE_STEP, .integer = index};
    return op->into ? put_results(run, frame, n, index) : 0;
}
