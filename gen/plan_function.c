/* Functions of expressions, one row each; names, arguments and words for people stand in grammar/expr.c. */
#include <string.h>

#include "base/hash.h"
#include "gen/plan_internal.h"

struct call {
    struct plan_run *run;
    struct frame *frame;
    struct plan_place place;
    const struct expr *e;
};

static int value_arg(const struct call *c, size_t index, struct value *out)
{
    return plan_evaluate(c->run, c->frame, c->place, c->e->args[index], out);
}

static int bytes_arg(const struct call *c, size_t index, struct bytes *out)
{
    struct value value;
    TRY(value_arg(c, index, &value));
    return plan_value_bytes(c->run, c->place, &value, out);
}

static int integer_arg(const struct call *c, size_t index, int64_t *out)
{
    struct value value;
    struct bytes text;
    TRY(value_arg(c, index, &value));
    if (plan_value_integer(&value, out))
        return 0;
    TRY(plan_value_bytes(c->run, c->place, &value, &text));
    return plan_fail(c->run->err, c->place, "%s() takes whole numbers, found \"%.*s\"", c->e->function->name,
                     BYTES_ARG(bytes_slice(text, 0, 40)));
}

static struct value truth(bool holds)
{
    return (struct value){.kind = VALUE_BOOL, .integer = holds};
}

static int do_len(const struct call *c, struct value *out)
{
    struct value value;
    TRY(value_arg(c, 0, &value));
    return plan_fact(c->run, c->place, &value, BYTES_LITERAL("size"), out);
}

static int do_lines(const struct call *c, struct value *out)
{
    struct value value;
    TRY(value_arg(c, 0, &value));
    return plan_fact(c->run, c->place, &value, BYTES_LITERAL("lines"), out);
}

static int do_crc32(const struct call *c, struct value *out)
{
    struct bytes text;
    TRY(bytes_arg(c, 0, &text));
    *out = plan_value_of_integer(crc32_of(text));
    return 0;
}

static int do_int(const struct call *c, struct value *out)
{
    int64_t number;
    TRY(integer_arg(c, 0, &number));
    *out = plan_value_of_integer(number);
    return 0;
}

static int do_str(const struct call *c, struct value *out)
{
    *out = plan_value_of_text(BYTES_NONE);
    return bytes_arg(c, 0, &out->text);
}

static int do_json(const struct call *c, struct value *out)
{
    struct value value;
    struct bytes text;
    TRY(value_arg(c, 0, &value));
    TRY(plan_value_bytes(c->run, c->place, &value, &text));
    if (value.kind == VALUE_TEXT || value.kind == VALUE_CONTENT) {
        struct buf quoted;
        buf_init(&quoted, c->run->bytes_max);
        json_write_string(&quoted, text);
        text = plan_text_once(c->run, &quoted);
    }
    *out = plan_value_of_text(text);
    return 0;
}

/* Offset behind the last slash. */
static size_t name_offset(struct bytes path)
{
    size_t at = path.len;
    while (at && path.data[at - 1] != '/')
        at--;
    return at;
}

/* Offset of the dot of the last extension, or the length; a name that starts with its only dot has none. */
static size_t extension_offset(struct bytes name)
{
    for (size_t at = name.len; at > 1; at--)
        if (name.data[at - 1] == '.')
            return at - 1;
    return name.len;
}

static int do_basename(const struct call *c, struct value *out)
{
    struct bytes path;
    TRY(bytes_arg(c, 0, &path));
    *out = plan_value_of_text(bytes_slice(path, name_offset(path), path.len));
    return 0;
}

static int do_dirname(const struct call *c, struct value *out)
{
    struct bytes path;
    TRY(bytes_arg(c, 0, &path));
    size_t at = name_offset(path);
    *out = plan_value_of_text(at > 1 ? bytes_slice(path, 0, at - 1)
                              : at   ? BYTES_LITERAL("/")
                                     : BYTES_LITERAL("."));
    return 0;
}

static int do_stem(const struct call *c, struct value *out)
{
    struct bytes path;
    TRY(bytes_arg(c, 0, &path));
    struct bytes name = bytes_slice(path, name_offset(path), path.len);
    *out = plan_value_of_text(bytes_slice(name, 0, extension_offset(name)));
    return 0;
}

static int do_extension(const struct call *c, struct value *out)
{
    struct bytes path;
    TRY(bytes_arg(c, 0, &path));
    struct bytes name = bytes_slice(path, name_offset(path), path.len);
    *out = plan_value_of_text(bytes_slice(name, extension_offset(name) + 1, name.len));
    return 0;
}

static int two_bytes(const struct call *c, struct bytes *a, struct bytes *b)
{
    TRY(bytes_arg(c, 0, a));
    return bytes_arg(c, 1, b);
}

static int do_contains(const struct call *c, struct value *out)
{
    struct bytes text, part;
    TRY(two_bytes(c, &text, &part));
    *out = truth(bytes_find(text, part, 0) >= 0);
    return 0;
}

static int do_starts(const struct call *c, struct value *out)
{
    struct bytes text, part;
    TRY(two_bytes(c, &text, &part));
    *out = truth(bytes_starts(text, part));
    return 0;
}

static int do_ends(const struct call *c, struct value *out)
{
    struct bytes text, part;
    TRY(two_bytes(c, &text, &part));
    *out = truth(bytes_ends(text, part));
    return 0;
}

static int do_replace(const struct call *c, struct value *out)
{
    struct bytes text, old, new;
    TRY(two_bytes(c, &text, &old));
    TRY(bytes_arg(c, 2, &new));
    ptrdiff_t at = bytes_find(text, old, 0);
    if (at < 0)
        return plan_fail(c->run->err, c->place, "replace(): the text to replace does not stand there");
    struct buf made;
    buf_init(&made, c->run->bytes_max);
    buf_add(&made, bytes_slice(text, 0, (size_t)at));
    buf_add(&made, new);
    buf_add(&made, bytes_slice(text, (size_t)at + old.len, text.len));
    *out = plan_value_of_text(plan_text_once(c->run, &made));
    return 0;
}

static size_t clamp(int64_t at, size_t len)
{
    return at < 0 ? 0 : (uint64_t)at > len ? len : (size_t)at;
}

static int do_slice(const struct call *c, struct value *out)
{
    struct bytes text;
    int64_t from, to;
    TRY(bytes_arg(c, 0, &text));
    TRY(integer_arg(c, 1, &from));
    TRY(integer_arg(c, 2, &to));
    size_t low = clamp(from, text.len), high = clamp(to, text.len);
    *out = plan_value_of_text(bytes_slice(text, low, high > low ? high : low));
    return 0;
}

static int do_head(const struct call *c, struct value *out)
{
    struct bytes text;
    int64_t count;
    TRY(bytes_arg(c, 0, &text));
    TRY(integer_arg(c, 1, &count));
    size_t at = 0;
    for (; at < text.len && count > 0; at++)
        count -= text.data[at] == '\n';
    *out = plan_value_of_text(bytes_slice(text, 0, at));
    return 0;
}

/* A line feed at the very end ends the last line, it does not start another. */
static int do_tail(const struct call *c, struct value *out)
{
    struct bytes text;
    int64_t count;
    TRY(bytes_arg(c, 0, &text));
    TRY(integer_arg(c, 1, &count));
    size_t at = text.len;
    if (count > 0 && at && text.data[at - 1] == '\n')
        at--;
    while (at && count > 0) {
        count -= text.data[at - 1] == '\n';
        at -= count > 0;
    }
    *out = plan_value_of_text(bytes_slice(text, at, text.len));
    return 0;
}

static int do_if(const struct call *c, struct value *out)
{
    bool holds;
    TRY(plan_guard(c->run, c->frame, c->place, c->e->args[0], &holds));
    return value_arg(c, holds ? 1 : 2, out);
}

static int extreme(const struct call *c, int sign, struct value *out)
{
    int64_t best = 0, number;
    for (size_t i = 0; i < c->e->arg_count; i++) {
        TRY(integer_arg(c, i, &number));
        if (i == 0 || (sign > 0 ? number > best : number < best))
            best = number;
    }
    *out = plan_value_of_integer(best);
    return 0;
}

static int do_min(const struct call *c, struct value *out)
{
    return extreme(c, -1, out);
}

static int do_max(const struct call *c, struct value *out)
{
    return extreme(c, 1, out);
}

static int do_state(const struct call *c, struct value *out)
{
    const struct value *value = &c->frame->slots[c->e->args[0]->slot];
    if (value->kind != VALUE_HANDLE)
        return plan_fail(c->run->err, c->place, "state(): there is no handle here");
    *out = plan_value_of_text(bytes_of_string(value->handle->state));
    return 0;
}

static int do_live(const struct call *c, struct value *out)
{
    struct bytes state = c->e->arg_count > 1 ? c->e->args[1]->text : BYTES_NONE;
    *out = plan_value_of_integer((int64_t)plan_handle_count(c->run, c->e->args[0]->text, state));
    return 0;
}

static int do_steps(const struct call *c, struct value *out)
{
    *out = plan_value_of_integer((int64_t)c->run->task->step_count);
    return 0;
}

static int do_bytes(const struct call *c, struct value *out)
{
    struct value value;
    struct bytes text;
    TRY(value_arg(c, 0, &value));
    if (value.kind == VALUE_CONTENT && strcmp(c->e->row->name, "sha256") == 0)
        return plan_fact(c->run, c->place, &value, BYTES_LITERAL("sha256"), out);
    TRY(plan_value_bytes(c->run, c->place, &value, &text));
    struct buf made;
    buf_init(&made, c->run->bytes_max);
    c->e->row->apply(text, &made);
    bool overflow = made.overflow;
    c->run->too_long |= overflow;
    *out = plan_value_of_text(plan_text_once(c->run, &made));
    return overflow ? error_set(c->run->err, ERR_LIMIT, "%s:%u: %s() gives more than a task may hold",
                                c->place.file, c->place.line, c->e->row->name)
                    : 0;
}

static int (*const functions[EXPR_FN_COUNT])(const struct call *c, struct value *out) = {
    [EXPR_FN_LEN] = do_len,           [EXPR_FN_LINES] = do_lines,     [EXPR_FN_CRC32] = do_crc32,
    [EXPR_FN_INT] = do_int,           [EXPR_FN_STR] = do_str,         [EXPR_FN_JSON] = do_json,
    [EXPR_FN_BASENAME] = do_basename, [EXPR_FN_DIRNAME] = do_dirname, [EXPR_FN_STEM] = do_stem,
    [EXPR_FN_EXTENSION] = do_extension, [EXPR_FN_CONTAINS] = do_contains, [EXPR_FN_STARTS] = do_starts,
    [EXPR_FN_ENDS] = do_ends,         [EXPR_FN_REPLACE] = do_replace, [EXPR_FN_SLICE] = do_slice,
    [EXPR_FN_HEAD] = do_head,         [EXPR_FN_TAIL] = do_tail,       [EXPR_FN_IF] = do_if,
    [EXPR_FN_MIN] = do_min,           [EXPR_FN_MAX] = do_max,         [EXPR_FN_STATE] = do_state,
    [EXPR_FN_LIVE] = do_live,         [EXPR_FN_STEPS] = do_steps,     [EXPR_FN_BYTES] = do_bytes,
};

int plan_call_function(struct plan_run *run, struct frame *frame, struct plan_place place,
                       const struct expr *e, struct value *out)
{
    struct call call = {run, frame, place, e};
    return functions[e->function->id](&call, out);
}
