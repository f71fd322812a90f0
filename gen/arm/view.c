/* Making the view: arguments by their types, expectations by what they are about. */
#include "gen/arm/view.h"

#include <string.h>

#include "gen/task_internal.h"

static uint64_t bit_of(const char *op)
{
#define ARM_OP_TEXT(name, text) text,
    static const char *const names[] = {ARM_OPS(ARM_OP_TEXT)};
#undef ARM_OP_TEXT
    for (size_t i = 0; i < ARM_OP_COUNT; i++)
        if (strcmp(names[i], op) == 0)
            return UINT64_C(1) << i;
    return 0;
}

struct bytes arm_path_plain(struct bytes path)
{
    while (path.len > 2 && path.data[0] == '.' && path.data[1] == '/')
        path = bytes_slice(path, 2, path.len);
    while (path.len > 1 && path.data[path.len - 1] == '/')
        path.len--;
    return path.len ? path : BYTES_LITERAL(".");
}

static struct arm_path path_of(const struct json *value)
{
    struct arm_path path = {0};
    if (task_wrapper_of(value) == WRAP_PATH) {
        path.as = json_as_text(json_get(value, "as"));
        value = json_get(value, "$path");
    }
    if (json_is(value, JSON_STRING)) {
        path.present = true;
        path.text = arm_path_plain(value->text);
        path.flags = arm_scan(value->text);
    }
    return path;
}

/* Strings and raw texts below an argument; what a wrapper refers to is not looked at. */
static unsigned flags_below(const struct json *value)
{
    unsigned flags = 0;
    for (const struct json *v = value; v; v = json_next(value, (struct json *)v, true)) {
        if (v->kind == JSON_STRING || v->kind == JSON_RAW || v->kind == JSON_NUMBER)
            flags |= arm_scan(v->text) & ~(unsigned)TEXT_NO_END;
        if (v != value && v->key.len)
            flags |= arm_scan(v->key) & ~(unsigned)TEXT_NO_END;
    }
    return flags;
}

/* The words of an argv with blanks between them: what a shell would show. */
static struct bytes join_words(struct arena *a, const struct json *argv)
{
    struct buf out;
    buf_init(&out, 1 << 20);
    for (const struct json *word = argv->first; word; word = word->next) {
        if (out.len)
            buf_add_byte(&out, ' ');
        buf_add(&out, task_wrapper_of(word) == WRAP_PATH ? json_as_text(json_get(word, "$path"))
                                                         : json_as_text(word));
    }
    struct bytes joined = arena_copy(a, buf_bytes(&out));
    buf_release(&out);
    return joined;
}

static void measure_script(struct arm_step *s)
{
    size_t line = 0;
    for (size_t i = 0; i <= s->script.len; i++) {
        uint8_t c = i < s->script.len ? s->script.data[i] : '\n';
        line = c == '\n' ? 0 : line + 1;
        s->longest_line = line > s->longest_line ? line : s->longest_line;
    }
}

static void read_program(struct arm_view *v, struct arm_step *s)
{
    const struct json *argv = json_get(s->step->args, "argv");
    s->script = json_as_text(json_get(s->step->args, "script"));
    s->language = json_as_text(json_get(s->step->args, "language"));
    if (json_is(argv, JSON_ARRAY)) {
        s->script = join_words(v->arena, argv);
        s->language = BYTES_LITERAL("argv");
    }
    measure_script(s);
}

static void read_argument(struct arm_view *v, struct arm_step *s, const struct json *value)
{
    bool content = bytes_equal_string(value->key, "content") || bytes_equal_string(value->key, "new") ||
                   bytes_equal_string(value->key, "body") ||
                   (bytes_equal_string(value->key, "send") && s->op & OP(CONNECT));
    if (bytes_equal_string(value->key, "path"))
        s->path = path_of(value);
    else if (bytes_equal_string(value->key, "to") &&
             s->op & (OP(MOVE) | OP(COPY) | OP(LINK) | OP(STAGE_SYMLINK)))
        s->to = path_of(value);
    if (content && !(s->op & OP(SEARCH)))
        arm_content_look(v->task, value, &s->content, v->arena);
    else if (bytes_equal_string(value->key, "stdin"))
        arm_content_look(v->task, value, &s->input, v->arena);
    else if (!bytes_equal_string(value->key, "script") && !bytes_equal_string(value->key, "old"))
        s->flags |= flags_below(value);
}

static void read_step(struct arm_view *v, struct arm_step *s, const struct task_step *step)
{
    *s = (struct arm_step){.op = bit_of(step->op->name), .step = step, .expects_exit = -1};
    for (const struct json *value = step->args->first; value; value = value->next)
        read_argument(v, s, value);
    if (s->op & (OPS_PROGRAM | OP(EVALUATE)))
        read_program(v, s);
}

static void read_expectation(struct arm_view *v, const struct json *expect)
{
    struct bytes id = json_as_text(json_get(expect, "step"));
    for (struct arm_step *s = v->steps; id.len && s < v->end; s++) {
        if (!bytes_equal_string(id, s->step->id))
            continue;
        s->expects_error |= bytes_equal_string(json_as_text(json_get(expect, "outcome")), "error");
        json_as_integer(json_get(expect, "exit"), &s->expects_exit);
    }
}

void arm_view_make(struct arm_view *v, const struct task *t, struct arena *a)
{
    *v = (struct arm_view){.task = t, .arena = a};
    v->steps = arena_alloc(v->arena, (t->step_count + 1) * sizeof *v->steps);
    v->end = v->steps + t->step_count;
    for (size_t i = 0; i < t->step_count; i++)
        read_step(v, &v->steps[i], &t->steps[i]);
    for (const struct json *e = t->expect ? t->expect->first : NULL; e; e = e->next)
        read_expectation(v, e);
}
