/* Resolving a step's arguments: one walk over a copy of them, in preorder by parent pointers, in which each
 * wrapper is replaced by its value. What was put in is not walked: a value out of a reply is data, whatever
 * it looks like. */
#include "exec/resolve.h"

#include <string.h>

#include "base/encode.h"
#include "gen/recipe.h"

struct resolving {
    const struct resolver *r;
    const struct task_step *step;
    struct arena *a;
    struct resolved *out;
    size_t left; /* bytes that contents may still come to */
    struct error **err;
};

/* Each gives the value for a wrapper in *value; with out->skip_reason set there is none. */

static int from_bytes(struct resolving *x, const struct json *wrapper, struct json **value)
{
    struct bytes text = json_as_text(json_get(wrapper, "$bytes"));
    struct buf data;
    buf_init(&data, text.len);
    int status = 0;
    if (base64_decode(&data, text) < 0)
        status = error_set(x->err, ERR_INPUT, "step %s: $bytes: found what is no base64", x->step->id);
    else
        *value = json_string(x->a, buf_bytes(&data));
    buf_release(&data);
    return status;
}

static int from_content(struct resolving *x, const struct json *wrapper, struct json **value)
{
    struct bytes name = json_as_text(json_get(wrapper, "$content"));
    const struct json *content = json_get_bytes(x->r->task->contents, name);
    if (!content)
        return error_set(x->err, ERR_INPUT, "step %s: $content: found '%.*s', expected a name in contents",
                         x->step->id, BYTES_ARG(bytes_slice(name, 0, 64)));
    struct buf data;
    struct error *why = NULL;
    buf_init(&data, x->left);
    int status = content_make(content, x->left, &data, &why);
    if (status == 0) {
        *value = json_string(x->a, buf_bytes(&data));
        x->left -= data.len;
    } else if (status == ERR_LIMIT) {
        x->out->skip_reason = arena_printf(
            x->a, "content '%.*s' is longer than the %zu bytes that may still be sent",
            BYTES_ARG(bytes_slice(name, 0, 64)), x->left);
        status = 0;
    } else {
        status = error_set(x->err, status, "step %s: $content '%.*s': %s", x->step->id,
                           BYTES_ARG(bytes_slice(name, 0, 64)), why->text);
    }
    error_free(why);
    buf_release(&data);
    return status;
}

static int from_step(struct resolving *x, const struct json *wrapper, struct json **value)
{
    struct bytes step = json_as_text(json_get(wrapper, "$from")), at = json_as_text(json_get(wrapper, "at"));
    const struct json *result = x->r->result ? x->r->result(x->r->user, step) : NULL;
    const struct json *found = result ? json_pointer(result, at) : NULL;
    if (!found)
        found = json_get(wrapper, "else");
    if (found)
        *value = json_copy(x->a, found);
    else
        x->out->skip_reason = arena_printf(x->a, "step %.*s gave no value at '%.*s'",
                                           BYTES_ARG(bytes_slice(step, 0, 64)),
                                           BYTES_ARG(bytes_slice(at, 0, 64)));
    return 0;
}

static int from_path(struct resolving *x, const struct json *wrapper, struct json **value)
{
    const struct json *path = json_get(wrapper, "$path"), *as = json_get(wrapper, "as");
    if (task_is_wrapper(path, "$bytes")) {
        int status = from_bytes(x, path, value);
        if (status < 0)
            return status;
    } else if (json_is(path, JSON_STRING)) {
        *value = json_string(x->a, path->text);
    } else {
        return error_set(x->err, ERR_INPUT, "step %s: $path: found %s, expected a string", x->step->id,
                         path ? json_kind_name(path->kind) : "nothing");
    }
    const char *how = json_is(as, JSON_STRING) ? arena_string(x->a, as->text) : NULL;
    bool direct = wrapper->parent && !wrapper->parent->parent;
    if (direct && bytes_equal_string(wrapper->key, "path"))
        x->out->path_as = how;
    else if (direct && bytes_equal_string(wrapper->key, "to"))
        x->out->to_as = how;
    return 0;
}

static int from_literal(struct resolving *x, const struct json *wrapper, struct json **value)
{
    *value = json_copy(x->a, json_get(wrapper, "$literal"));
    return 0;
}

static const struct {
    const char *name;
    int (*value)(struct resolving *x, const struct json *wrapper, struct json **value);
} wrappers[] = {
    {"$content", from_content}, {"$from", from_step},       {"$path", from_path},
    {"$bytes", from_bytes},     {"$literal", from_literal},
};

/* Replaces *node when it is a wrapper; *down: what it holds is to be walked. */
static int resolve_node(struct resolving *x, struct json **node, bool *down)
{
    *down = true;
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        struct json *value = NULL;
        if (!task_is_wrapper(*node, wrappers[i].name))
            continue;
        int status = wrappers[i].value(x, *node, &value);
        if (status < 0 || x->out->skip_reason)
            return status;
        json_replace(*node, value);
        *node = value;
        *down = false;
        return 0;
    }
    return 0;
}

/* Addresses of the fixture site; without one the step cannot be sent. */
static void put_site(struct resolving *x, struct json *args)
{
    for (size_t i = 0; i < x->step->op->arg_count && !x->out->skip_reason; i++) {
        const struct op_arg *arg = &x->step->op->args[i];
        struct json *value = arg->site ? json_get(args, arg->name) : NULL;
        struct bytes text = json_is(value, JSON_STRING) ? value->text : BYTES_NONE;
        if (!bytes_starts(text, BYTES_LITERAL(TASK_SITE)))
            continue;
        if (!x->r->site) {
            x->out->skip_reason = "site";
            return;
        }
        struct buf whole;
        buf_init(&whole, SIZE_MAX);
        buf_add_string(&whole, x->r->site);
        buf_add(&whole, bytes_slice(text, sizeof TASK_SITE - 1, text.len));
        json_replace(value, json_string(x->a, buf_bytes(&whole)));
        buf_release(&whole);
    }
}

int resolve_step(const struct resolver *r, const struct task_step *step, struct arena *a,
                 struct resolved *out, struct error **err)
{
    *out = (struct resolved){0};
    struct json *root = json_copy(a, step->args);
    for (size_t i = 0; i < step->op->arg_count; i++)
        if (step->op->args[i].unsent && json_get(root, step->op->args[i].name))
            json_remove(root, json_get(root, step->op->args[i].name));
    struct resolving x = {.r = r, .step = step, .a = a, .out = out, .left = r->max_bytes, .err = err};
    bool down = true;
    for (struct json *node = json_next(root, root, true); node; node = json_next(root, node, down)) {
        TRY(resolve_node(&x, &node, &down));
        if (out->skip_reason)
            return 0;
    }
    put_site(&x, root);
    if (out->skip_reason)
        return 0;
    out->args = root;
    return 0;
}
