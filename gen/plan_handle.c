/* Handles: what a plan makes and uses, their properties, made up on demand, and values that stay unique in a
 * task. */
#include <string.h>

#include "gen/plan_internal.h"

enum { TRIES = 4, MOST_SUFFIX = 100000 };

struct handle *plan_handle_new(struct plan_run *run, const struct handle_type *type, const char *state)
{
    struct handle *handle = arena_alloc(&run->scratch, sizeof *handle);
    handle->type = type;
    handle->state = state;
    handle->props = arena_alloc(&run->scratch, (type->prop_count + 1) * sizeof *handle->props);
    if (run->handle_count == run->handle_capacity) {
        size_t capacity = run->handle_capacity ? run->handle_capacity * 2 : 16;
        struct handle **bigger = arena_alloc(&run->scratch, capacity * sizeof *bigger);
        if (run->handle_count)
            memcpy(bigger, run->handles, run->handle_count * sizeof *bigger);
        run->handles = bigger;
        run->handle_capacity = capacity;
    }
    run->handles[run->handle_count++] = handle;
    return handle;
}

size_t plan_handle_count(const struct plan_run *run, struct bytes type, struct bytes state)
{
    size_t count = 0;
    for (size_t i = 0; i < run->handle_count; i++) {
        const struct handle_type *t = run->handles[i]->type;
        while (t && !bytes_equal_string(type, t->name))
            t = t->base;
        count += t && (!state.len || bytes_equal_string(state, run->handles[i]->state));
    }
    return count;
}

/* --- unique values --- */

static bool lies_below(struct bytes path, struct bytes directory)
{
    return path.len > directory.len && bytes_starts(path, directory) && path.data[directory.len] == '/';
}

static bool is_path(const struct handle_prop *prop)
{
    return strcmp(prop->name, "path") == 0;
}

/* A path is also taken when it is a directory of another one, or lies below it. */
static bool clash(const struct handle_prop *prop, struct bytes a, struct bytes b)
{
    return bytes_equal(a, b) || (is_path(prop) && (lies_below(a, b) || lies_below(b, a)));
}

/* What the value clashes with; NULL: it is free. */
static const struct bytes *find_clash(const struct plan_run *run, const struct handle_prop *prop,
                                      struct bytes value)
{
    for (size_t i = 0; i < run->taken_count; i++)
        if (strcmp(run->taken[i].prop, prop->name) == 0 && clash(prop, value, run->taken[i].value))
            return &run->taken[i].value;
    for (size_t i = 0; is_path(prop) && i < run->domain->fixed_path_count; i++)
        if (bytes_equal(value, run->domain->fixed_paths[i]))
            return &run->domain->fixed_paths[i];
    return NULL;
}

static void take(struct plan_run *run, const struct handle_prop *prop, struct bytes value)
{
    if (run->taken_count == run->taken_capacity) {
        size_t capacity = run->taken_capacity ? run->taken_capacity * 2 : 16;
        struct taken *bigger = arena_alloc(&run->scratch, capacity * sizeof *bigger);
        if (run->taken_count)
            memcpy(bigger, run->taken, run->taken_count * sizeof *bigger);
        run->taken = bigger;
        run->taken_capacity = capacity;
    }
    run->taken[run->taken_count++] = (struct taken){prop->name, value};
}

/* Where a path is varied: before its extension, or, when it lies below a taken one, behind that. */
static size_t varying_offset(struct bytes text, struct bytes taken)
{
    if (lies_below(text, taken))
        return taken.len;
    size_t slash = text.len;
    while (slash && text.data[slash - 1] != '/')
        slash--;
    for (size_t at = text.len; at > slash + 1; at--)
        if (text.data[at - 1] == '.')
            return at - 1;
    return text.len;
}

/* name.ext becomes name-2.ext, a number the next one. */
static struct value varied(struct plan_run *run, const struct value *value, struct bytes text, size_t offset,
                           int64_t n)
{
    if (value->kind == VALUE_INTEGER)
        return plan_value_of_integer((int64_t)((uint64_t)value->integer + (uint64_t)n - 1));
    struct buf made;
    buf_init(&made, text.len + 32);
    buf_add(&made, bytes_slice(text, 0, offset));
    buf_addf(&made, "-%lld", (long long)n);
    buf_add(&made, bytes_slice(text, offset, text.len));
    return plan_value_of_text(plan_text_once(run, &made));
}

static int vary_until_free(struct plan_run *run, const struct handle_prop *prop, const struct maker *maker,
                           struct bytes text, struct value *value)
{
    const struct bytes *taken = find_clash(run, prop, text);
    size_t offset = varying_offset(text, *taken);
    for (int64_t n = 2; n < MOST_SUFFIX; n++) {
        struct value other = varied(run, value, text, offset, n);
        struct bytes bytes;
        TRY(plan_value_bytes(run, maker->place, &other, &bytes));
        if (find_clash(run, prop, bytes))
            continue;
        take(run, prop, bytes);
        *value = other;
        return 0;
    }
    return plan_fail(run->err, maker->place, "no unique value of property \"%s\" could be made", prop->name);
}

static int make_unique(struct plan_run *run, struct frame *frame, const struct handle_prop *prop,
                       const struct maker *maker, struct value *out)
{
    struct bytes text = BYTES_NONE;
    for (int tries = 0; tries < TRIES; tries++) {
        TRY(plan_make(run, frame, maker, out));
        if (out->kind != VALUE_TEXT && out->kind != VALUE_INTEGER)
            return 0;
        TRY(plan_value_bytes(run, maker->place, out, &text));
        if (!find_clash(run, prop, text)) {
            take(run, prop, text);
            return 0;
        }
        if (maker->kind == MAKE_VALUE)
            break; /* it would come out the same again */
    }
    return vary_until_free(run, prop, maker, text, out);
}

/* --- properties --- */

int plan_handle_set(struct plan_run *run, struct frame *frame, struct handle *handle, int prop,
                    const struct maker *maker)
{
    const struct handle_prop *row = &handle->type->props[prop];
    struct value value;
    bool own = maker == row->maker;
    if (row->unique && (own || maker->kind != MAKE_VALUE)) {
        TRY(make_unique(run, frame, row, maker, &value));
    } else {
        TRY(plan_make(run, frame, maker, &value));
        if (row->unique && (value.kind == VALUE_TEXT || value.kind == VALUE_INTEGER)) {
            struct bytes text;
            TRY(plan_value_bytes(run, maker->place, &value, &text));
            take(run, row, text);
        }
    }
    handle->props[prop] = value;
    return 0;
}

int plan_handle_prop(struct plan_run *run, struct plan_place place, struct handle *handle, int prop,
                     struct value *out)
{
    if (handle->props[prop].kind == VALUE_NONE) {
        const struct maker *maker = handle->type->props[prop].maker;
        if (!maker)
            return plan_fail(run->err, place, "property \"%s\" of this %s is not set",
                             handle->type->props[prop].name, handle->type->name);
        struct value self = {.kind = VALUE_HANDLE, .handle = handle};
        struct frame frame = {&self, 1};
        TRY(plan_handle_set(run, &frame, handle, prop, maker));
    }
    *out = handle->props[prop];
    return 0;
}

/* The name stands for the handle already while its properties are set. */
int plan_handle_define(struct plan_run *run, struct frame *frame, const struct plan_def *def,
                       struct value *slot)
{
    struct handle *handle = plan_handle_new(run, def->type, def->state);
    *slot = (struct value){.kind = VALUE_HANDLE, .handle = handle};
    for (size_t i = 0; i < def->set_count; i++)
        TRY(plan_handle_set(run, frame, handle, def->sets[i].prop, def->sets[i].maker));
    return 0;
}
