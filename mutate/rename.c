/* Giving a file another name in the whole task, so that the plan still makes sense and every expectation
 * stays true.
 *
 * Only names that the task uses as paths can be followed. Where a program, a link, a server or an expected
 * listing may speak of the file too, the name is left alone. The new name is one that nothing in the task
 * holds, so it can be found again. */
#include <string.h>

#include "mutate/mutate_internal.h"

static struct bytes base_name(struct bytes path)
{
    size_t start = path.len;
    while (start && path.data[start - 1] != '/')
        start--;
    return bytes_slice(path, start, path.len);
}

/* The path with `from`, or a directory of that name, replaced; no bytes when it has nothing to do with it. */
static struct bytes renamed(struct arena *a, struct bytes path, struct bytes from, struct bytes to)
{
    if (!mutation_path_within(path, from) || (path.len > from.len && path.data[from.len] != '/'))
        return BYTES_NONE;
    struct buf out;
    buf_init(&out, SIZE_MAX);
    buf_add(&out, to);
    buf_add(&out, bytes_slice(path, from.len, path.len));
    struct bytes copy = arena_copy(a, buf_bytes(&out));
    buf_release(&out);
    return copy;
}

static void rename_value(struct arena *a, struct json *value, struct bytes from, struct bytes to)
{
    if (task_is_wrapper(value, "$path"))
        value = value->first;
    struct bytes path = json_is(value, JSON_STRING) ? renamed(a, value->text, from, to) : BYTES_NONE;
    if (path.len)
        value->text = path;
}

/* Every string below root: for records of mutations, which hold paths at places of their own. */
static void rename_below(struct arena *a, struct json *root, struct bytes from, struct bytes to)
{
    for (struct json *v = root; v;) {
        rename_value(a, v, from, to);
        v = json_next(root, v, true);
    }
}

/* Where a mention of a name in prose ends: not in the middle of a longer name. */
static bool is_word(struct bytes text, size_t at)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";
    return at < text.len && (text.data[at] >= 0x80 || (text.data[at] && strchr(letters, text.data[at])));
}

static bool ends_name(struct bytes text, size_t at)
{
    bool extension = at < text.len && text.data[at] == '.' && is_word(text, at + 1);
    return !is_word(text, at) && !extension;
}

static bool begins_name(struct bytes text, size_t at)
{
    return at == 0 || (ends_name(text, at - 1) && text.data[at - 1] != '/' && text.data[at - 1] != '.');
}

static void rename_in_text(struct task *t, struct bytes from, struct bytes to, bool whole_names)
{
    struct bytes text = bytes_of_string(t->instruction);
    struct buf out;
    buf_init(&out, SIZE_MAX);
    for (size_t at = 0; at < text.len;) {
        ptrdiff_t found = bytes_find(text, from, at);
        size_t start = found < 0 ? text.len : (size_t)found;
        buf_add(&out, bytes_slice(text, at, start));
        if (found < 0)
            break;
        bool whole = !whole_names || (begins_name(text, start) && ends_name(text, start + from.len));
        buf_add(&out, whole ? to : from);
        at = start + from.len;
    }
    t->instruction = arena_string(&t->arena, buf_bytes(&out));
    buf_release(&out);
}

static void rename_paths(struct task *t, struct bytes from, struct bytes to)
{
    struct arena *a = &t->arena;
    for (size_t i = 0; i < t->step_count; i++)
        for (struct json *value = t->steps[i].args->first; value; value = value->next) {
            const struct op_arg *arg = op_arg_find(t->steps[i].op, arena_string(a, value->key));
            if (arg && arg->type == OP_PATH)
                rename_value(a, value, from, to);
        }
    for (struct json *e = t->expect->first; e; e = e->next)
        rename_value(a, json_get(e, "file"), from, to);
    for (struct json *mutation = t->mutations->first; mutation; mutation = mutation->next)
        rename_below(a, json_get(mutation, "before"), from, to);
}

void rename_back(struct task *t, struct bytes from, struct bytes to)
{
    rename_paths(t, from, to);
    rename_in_text(t, from, to, false);
}

/* Whether a string below root holds the needle. */
static bool mentions_name(const struct json *root, struct bytes needle)
{
    for (const struct json *v = root; v;) {
        if ((json_is(v, JSON_STRING) || json_is(v, JSON_RAW)) && bytes_find(v->text, needle, 0) >= 0)
            return true;
        v = json_next(root, v, true);
    }
    return false;
}

/* Whether an op may meet the name by other ways than the path it is given. */
static bool cares_for_names(const struct task *t, const struct task_step *step, struct bytes name)
{
    static const char *const ops[] = {"link", "stage-symlink", "serve", "attach"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(step->op->name, ops[i]) == 0)
            return true;
    bool lists = strcmp(step->op->name, "list") == 0 || strcmp(step->op->name, "search") == 0;
    for (const struct json *e = t->expect->first; lists && e; e = e->next)
        if (bytes_equal_string(json_as_text(json_get(e, "step")), step->id))
            return true;
    return mutation_is_program(step->op) || mentions_name(json_get(step->args, "url"), name);
}

static bool can_follow(struct task *t, struct bytes from)
{
    struct bytes name = base_name(from);
    for (size_t i = 0; i < t->step_count; i++) {
        if (cares_for_names(t, &t->steps[i], name))
            return false;
        for (struct json *value = t->steps[i].args->first; value; value = value->next) {
            const struct op_arg *arg = op_arg_find(t->steps[i].op, arena_string(&t->arena, value->key));
            struct bytes path = arg && arg->type == OP_PATH ? mutation_path(value) : BYTES_NONE;
            /* Another spelling of the same path would be missed. */
            if (path.len && !mutation_path_within(path, from) && bytes_find(path, name, 0) >= 0)
                return false;
        }
    }
    return name.len > 0 && !bytes_equal_string(name, ".") && !bytes_equal_string(name, "..");
}

static bool is_new(struct task *t, struct bytes name)
{
    bool found = bytes_find(bytes_of_string(t->instruction), name, 0) >= 0 ||
                 mentions_name(t->expect, name) || mentions_name(t->mutations, name) ||
                 mentions_name(t->contents, name);
    for (size_t i = 0; !found && i < t->step_count; i++)
        found = mentions_name(t->steps[i].args, name);
    return !found;
}

bool rename_fits(struct task *t, struct bytes from, struct bytes to)
{
    return can_follow(t, from) && is_new(t, base_name(to));
}

bool rename_everywhere(struct change *c, struct bytes from, struct bytes to)
{
    struct task *t = c->m->task;
    if (!rename_fits(t, from, to))
        return false;
    struct json *rename = json_set(&t->arena, c->before, "rename", json_new(&t->arena, JSON_OBJECT));
    json_set(&t->arena, rename, "from", json_string(&t->arena, from));
    json_set(&t->arena, rename, "to", json_string(&t->arena, to));
    struct bytes kept_from = arena_copy(&t->arena, from), kept_to = arena_copy(&t->arena, to);
    rename_paths(t, kept_from, kept_to);
    rename_in_text(t, kept_from, kept_to, true);
    return true;
}
