/* Values, and the expressions that have them. */
#include "gen/plan_internal.h"

enum { SMALL_CONTENT = 64 << 10 /* contents up to this size can be part of a text */ };

struct value plan_value_of_text(struct bytes text)
{
    return (struct value){.kind = VALUE_TEXT, .text = text};
}

struct value plan_value_of_integer(int64_t integer)
{
    return (struct value){.kind = VALUE_INTEGER, .integer = integer};
}

static struct value value_of_bool(bool truth)
{
    return (struct value){.kind = VALUE_BOOL, .integer = truth};
}

struct value plan_value_of_json(struct json *json)
{
    int64_t integer;
    if (json_as_integer(json, &integer))
        return plan_value_of_integer(integer);
    if (json_is(json, JSON_STRING))
        return plan_value_of_text(json->text);
    if (json_is(json, JSON_TRUE) || json_is(json, JSON_FALSE))
        return value_of_bool(json_is(json, JSON_TRUE));
    return (struct value){.kind = VALUE_JSON, .json = json};
}

struct bytes plan_text_once(struct plan_run *run, struct buf *text)
{
    struct bytes kept = arena_copy(&run->scratch, buf_bytes(text));
    buf_release(text);
    return kept;
}

int64_t plan_content_size(struct content *content)
{
    if (content->size < 0)
        content->size = content_size(content->recipe);
    return content->size;
}

static int content_bytes(struct plan_run *run, struct plan_place place, struct content *content,
                         struct bytes *out)
{
    int64_t size = plan_content_size(content);
    if (size > SMALL_CONTENT)
        return plan_fail(run->err, place,
                         "a content of %lld bytes cannot be part of a text, expected it alone, or at most %d "
                         "bytes",
                         (long long)size, SMALL_CONTENT);
    struct buf made;
    buf_init(&made, SMALL_CONTENT);
    int status = content_make(content->recipe, SMALL_CONTENT, &made, run->err);
    if (status < 0) {
        buf_release(&made);
        error_wrap(run->err, "%s:%u", place.file, place.line);
        return status;
    }
    *out = plan_text_once(run, &made);
    return 0;
}

int plan_value_bytes(struct plan_run *run, struct plan_place place, const struct value *value,
                     struct bytes *out)
{
    struct buf text;
    switch (value->kind) {
    case VALUE_TEXT:
        *out = value->text;
        return 0;
    case VALUE_INTEGER:
        *out = bytes_of_string(arena_printf(&run->scratch, "%lld", (long long)value->integer));
        return 0;
    case VALUE_BOOL:
        *out = bytes_of_string(value->integer ? "true" : "false");
        return 0;
    case VALUE_JSON:
        buf_init(&text, SMALL_CONTENT);
        json_write(&text, value->json, JSON_SORTED);
        *out = plan_text_once(run, &text);
        return 0;
    case VALUE_CONTENT:
        return content_bytes(run, place, value->content, out);
    case VALUE_FROM:
        return plan_fail(run->err, place,
                         "a result that is known only at run time has to stand alone in an op's argument");
    default:
        return plan_fail(run->err, place, "there is no text to read here");
    }
}

bool plan_value_integer(const struct value *value, int64_t *out)
{
    if (value->kind == VALUE_INTEGER) {
        *out = value->integer;
        return true;
    }
    struct bytes text = value->kind == VALUE_TEXT ? value->text : BYTES_NONE;
    size_t first = text.len && text.data[0] == '-';
    for (size_t i = first; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    bool padded = text.len > first + 1 && text.data[first] == '0'; /* 007 is a text, not 7 */
    struct json number = {.kind = JSON_NUMBER, .text = text};
    return text.len > first && !padded && json_as_integer(&number, out);
}

int plan_fact(struct plan_run *run, struct plan_place place, const struct value *value, struct bytes fact,
              struct value *out)
{
    if (value->kind == VALUE_FROM)
        return plan_fail(run->err, place, "a result that is known only at run time has no facts");
    struct json *found = NULL;
    bool of_size = value->kind == VALUE_CONTENT && bytes_equal_string(fact, "size");
    if (of_size && plan_content_size(value->content) >= 0)
        found = json_integer(&run->scratch, plan_content_size(value->content));
    else if (value->kind == VALUE_CONTENT)
        found = content_fact(value->content->recipe, fact, &run->scratch);
    if (!found) {
        struct bytes text;
        TRY(plan_value_bytes(run, place, value, &text));
        if (bytes_equal_string(fact, "lines")) {
            size_t lines = 0;
            for (size_t i = 0; i < text.len; i++)
                lines += text.data[i] == '\n';
            found = json_integer(&run->scratch, (int64_t)lines);
        } else if (value->kind != VALUE_CONTENT) {
            found = content_fact(json_string(&run->scratch, text), fact, &run->scratch);
        }
    }
    if (!found)
        return plan_fail(run->err, place, "there is no fact \"%.*s\" of this content", BYTES_ARG(fact));
    *out = plan_value_of_json(found);
    return 0;
}

/* --- expressions --- */

static struct value result_of(struct plan_run *run, const struct value *step, const struct expr *e)
{
    struct json *from = json_new(&run->scratch, JSON_OBJECT);
    struct buf pointer;
    buf_init(&pointer, 4096);
    buf_add_byte(&pointer, '/');
    for (size_t i = 0; i < e->rest.len; i++)
        buf_add_byte(&pointer, e->rest.data[i] == '.' ? '/' : e->rest.data[i]);
    json_set(&run->scratch, from, "$from", json_text(&run->scratch, plan_step_id(run, step->integer)));
    json_set(&run->scratch, from, "at", json_string(&run->scratch, buf_bytes(&pointer)));
    buf_release(&pointer);
    return (struct value){.kind = VALUE_FROM, .json = from};
}

static int read_name(struct plan_run *run, struct frame *frame, struct plan_place place, const struct expr *e,
                     struct value *out)
{
    struct value value = frame->slots[e->slot];
    if (value.kind == VALUE_NONE)
        return plan_fail(run->err, place, "\"%.*s\" has no value here", BYTES_ARG(e->text));
    if (value.kind == VALUE_STEP) {
        *out = result_of(run, &value, e);
        return 0;
    }
    if (value.kind == VALUE_HANDLE)
        TRY(plan_handle_prop(run, place, value.handle, e->prop, &value));
    if (e->fact.len)
        return plan_fact(run, place, &value, e->fact, out);
    *out = value;
    return 0;
}

/* Whole numbers are compared as such, anything else as bytes. */
static int compare(struct plan_run *run, struct plan_place place, const struct value *a,
                   const struct value *b, int *order)
{
    int64_t x, y;
    if (plan_value_integer(a, &x) && plan_value_integer(b, &y)) {
        *order = (x > y) - (x < y);
        return 0;
    }
    struct bytes s, t;
    TRY(plan_value_bytes(run, place, a, &s));
    TRY(plan_value_bytes(run, place, b, &t));
    *order = bytes_compare(s, t);
    return 0;
}

static bool order_fits(enum expr_kind kind, int order)
{
    switch (kind) {
    case EXPR_EQUAL:
        return order == 0;
    case EXPR_UNEQUAL:
        return order != 0;
    case EXPR_LESS:
        return order < 0;
    case EXPR_LESS_EQUAL:
        return order <= 0;
    case EXPR_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static int calculate(struct plan_run *run, struct plan_place place, enum expr_kind kind, int64_t a, int64_t b,
                     int64_t *out)
{
    bool over = false;
    if (kind == EXPR_ADD)
        over = __builtin_add_overflow(a, b, out);
    else if (kind == EXPR_SUBTRACT)
        over = __builtin_sub_overflow(a, b, out);
    else if (kind == EXPR_MULTIPLY)
        over = __builtin_mul_overflow(a, b, out);
    else if (b == 0 || (a == INT64_MIN && b == -1))
        return plan_fail(run->err, place, "%lld divided by %lld", (long long)a, (long long)b);
    else
        *out = kind == EXPR_DIVIDE ? a / b : a % b;
    return over ? plan_fail(run->err, place, "a number past 2^63") : 0;
}

static int integer_operand(struct plan_run *run, struct frame *frame, struct plan_place place,
                           const struct expr *e, int64_t *out)
{
    struct value value;
    TRY(plan_evaluate(run, frame, place, e, &value));
    if (plan_value_integer(&value, out))
        return 0;
    struct bytes text;
    TRY(plan_value_bytes(run, place, &value, &text));
    return plan_fail(run->err, place, "\"%.*s\" is not a whole number", BYTES_ARG(bytes_slice(text, 0, 40)));
}

static int evaluate_logic(struct plan_run *run, struct frame *frame, struct plan_place place,
                          const struct expr *e, struct value *out)
{
    bool holds;
    TRY(plan_guard(run, frame, place, e->args[0], &holds));
    if (e->kind == EXPR_NOT)
        holds = !holds;
    else if (holds == (e->kind == EXPR_AND))
        TRY(plan_guard(run, frame, place, e->args[1], &holds));
    *out = value_of_bool(holds);
    return 0;
}

static int evaluate_arithmetic(struct plan_run *run, struct frame *frame, struct plan_place place,
                               const struct expr *e, struct value *out)
{
    int64_t a = 0, b, result = 0;
    enum expr_kind kind = e->kind == EXPR_NEGATE ? EXPR_SUBTRACT : e->kind;
    if (e->kind != EXPR_NEGATE)
        TRY(integer_operand(run, frame, place, e->args[0], &a));
    TRY(integer_operand(run, frame, place, e->args[e->arg_count - 1], &b));
    TRY(calculate(run, place, kind, a, b, &result));
    *out = plan_value_of_integer(result);
    return 0;
}

static int evaluate_comparison(struct plan_run *run, struct frame *frame, struct plan_place place,
                               const struct expr *e, struct value *out)
{
    struct value a, b;
    int order;
    TRY(plan_evaluate(run, frame, place, e->args[0], &a));
    TRY(plan_evaluate(run, frame, place, e->args[1], &b));
    TRY(compare(run, place, &a, &b, &order));
    *out = value_of_bool(order_fits(e->kind, order));
    return 0;
}

int plan_evaluate(struct plan_run *run, struct frame *frame, struct plan_place place, const struct expr *e,
                  struct value *out)
{
    switch (e->kind) {
    case EXPR_INTEGER:
        *out = plan_value_of_integer(e->integer);
        return 0;
    case EXPR_TEXT:
        *out = plan_value_of_text(e->text);
        return 0;
    case EXPR_BOOL:
        *out = value_of_bool(e->integer);
        return 0;
    case EXPR_NAME:
        return read_name(run, frame, place, e, out);
    case EXPR_CALL:
        return plan_call_function(run, frame, place, e, out);
    case EXPR_NOT:
    case EXPR_AND:
    case EXPR_OR:
        return evaluate_logic(run, frame, place, e, out);
    case EXPR_NEGATE:
    case EXPR_ADD:
    case EXPR_SUBTRACT:
    case EXPR_MULTIPLY:
    case EXPR_DIVIDE:
    case EXPR_REMAINDER:
        return evaluate_arithmetic(run, frame, place, e, out);
    default:
        return evaluate_comparison(run, frame, place, e, out);
    }
}

int plan_guard(struct plan_run *run, struct frame *frame, struct plan_place place, const struct expr *when,
               bool *holds)
{
    *holds = true;
    if (!when)
        return 0;
    struct value value;
    TRY(plan_evaluate(run, frame, place, when, &value));
    *holds = value.kind == VALUE_TEXT ? value.text.len > 0 && !bytes_equal_string(value.text, "false") &&
                                            !bytes_equal_string(value.text, "no")
                                      : value.integer != 0;
    return 0;
}
