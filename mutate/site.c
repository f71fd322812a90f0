/* Where a mutator may strike: places of a task's steps, and the words with which a hazard narrows them.
 *
 * Only literal values are sites: what a $from, $raw or $literal holds was put there on purpose. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

enum { VALUES_DEPTH = 32 /* values within values of a tool's arguments that are looked into */ };

/* Words. */

static struct bytes next_word(const char **list)
{
    while (**list == ' ')
        ++*list;
    const char *start = *list;
    while (**list && **list != ' ')
        ++*list;
    return bytes_of(start, (size_t)(*list - start));
}

static bool have(const char *list, struct bytes wanted)
{
    for (struct bytes word; (word = next_word(&list)).len;)
        if (bytes_equal(word, wanted))
            return true;
    return false;
}

bool mutation_words_have(const char *list, const char *word)
{
    return !list || have(list, bytes_of_string(word));
}

bool mutation_words_within(const char *list, const char *known, struct bytes *bad)
{
    for (struct bytes word; list && (word = next_word(&list)).len;)
        if (!have(known, word)) {
            *bad = word;
            return false;
        }
    return true;
}

const char *mutation_kind(const struct mutation *m, const char *const *kinds)
{
    size_t count = 0;
    for (size_t i = 0; kinds[i]; i++)
        count += mutation_words_have(m->kinds, kinds[i]);
    uint64_t chosen = rng_below(m->rng, count);
    for (size_t i = 0; kinds[i]; i++)
        if (mutation_words_have(m->kinds, kinds[i]) && chosen-- == 0)
            return kinds[i];
    return NULL;
}

/* Steps. */

struct bytes mutation_path(const struct json *value)
{
    if (task_is_wrapper(value, "$path"))
        value = value->first;
    return json_is(value, JSON_STRING) ? value->text : BYTES_NONE;
}

static void drop_last_part(struct buf *out)
{
    while (out->len && out->data[out->len - 1] != '/')
        buf_cut(out, out->len - 1);
    if (out->len > 1)
        buf_cut(out, out->len - 1);
}

struct bytes mutation_path_normal(struct arena *a, struct bytes path)
{
    struct buf out;
    buf_init(&out, SIZE_MAX);
    if (path.len && path.data[0] == '/')
        buf_add_byte(&out, '/');
    size_t root = out.len, depth = 0;
    for (size_t at = 0; at < path.len;) {
        size_t end = at;
        while (end < path.len && path.data[end] != '/')
            end++;
        struct bytes part = bytes_slice(path, at, end);
        at = end + 1;
        if (!part.len || bytes_equal_string(part, "."))
            continue;
        bool up = bytes_equal_string(part, "..");
        if (up && depth) {
            drop_last_part(&out);
            depth--;
            continue;
        }
        if (out.len > root)
            buf_add_byte(&out, '/');
        buf_add(&out, part);
        depth += !up;
    }
    struct bytes normal = arena_copy(a, buf_bytes(&out));
    buf_release(&out);
    return normal;
}

bool mutation_path_within(struct bytes path, struct bytes directory)
{
    if (!directory.len) /* the root */
        return true;
    return bytes_starts(path, directory) && (path.len == directory.len || path.data[directory.len] == '/' ||
                                             directory.data[directory.len - 1] == '/');
}

size_t mutation_group_end(const struct task *t, size_t index)
{
    const char *group = t->steps[index].group;
    while (group && index + 1 < t->step_count && t->steps[index + 1].group &&
           strcmp(t->steps[index + 1].group, group) == 0)
        index++;
    return index + 1;
}

const char *mutation_group_fresh(struct task *t)
{
    for (size_t n = 1;; n++) {
        const char *name = arena_printf(&t->arena, "g%zu", n);
        bool taken = false;
        for (size_t i = 0; i < t->step_count; i++)
            taken = taken || (t->steps[i].group && strcmp(t->steps[i].group, name) == 0);
        if (!taken)
            return name;
    }
}

/* Sites. */

static void add_site(struct sites *s, size_t step, enum place place, const char *at, struct json *value)
{
    if (!(s->places & place))
        return;
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? s->capacity * 2 : 32;
        s->items = xrealloc(s->items, s->capacity * sizeof *s->items);
    }
    s->items[s->count++] = (struct mutation_site){.step = step, .place = place, .at = at, .value = value};
}

static const char *member_at(struct arena *a, const char *prefix, struct bytes key)
{
    struct buf at;
    buf_init(&at, SIZE_MAX);
    buf_add_string(&at, prefix);
    for (size_t i = 0; i < key.len; i++) {
        if (key.data[i] == '~' || key.data[i] == '/')
            buf_add_string(&at, key.data[i] == '~' ? "~0" : "~1");
        else
            buf_add_byte(&at, key.data[i]);
    }
    const char *copy = arena_string(a, buf_bytes(&at));
    buf_release(&at);
    return copy;
}

static bool is_body(const struct op *op, const char *arg)
{
    static const char *const bodies[][2] = {{"write", "content"},
                                            {"append", "content"},
                                            {"upload", "content"},
                                            {"stage-file", "content"},
                                            {"edit", "new"}};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (strcmp(op->name, bodies[i][0]) == 0 && strcmp(arg, bodies[i][1]) == 0)
            return true;
    return false;
}

static void add_members(struct sites *s, size_t step, const char *at, struct json *container)
{
    size_t index = 0;
    for (struct json *item = container->first; item; item = item->next, index++)
        if (json_is(item, JSON_STRING))
            add_site(s, step, PLACE_SCRIPT,
                     json_is(container, JSON_ARRAY)
                         ? arena_printf(&s->arena, "%s/%zu", at, index)
                         : member_at(&s->arena, arena_printf(&s->arena, "%s/", at), item->key),
                     item);
}

/* A name is a file's: the directory that is served, or in which a program runs, is a path only. */
static void add_path(struct sites *s, size_t step, const struct op *op, const char *at, struct json *value)
{
    bool of_file = strcmp(op->group, "files") == 0 || strcmp(op->name, "save") == 0 ||
                   strcmp(op->name, "attach") == 0;
    if (!mutation_path(value).len ||
        strcmp(op->group, "stage") == 0) /* stage: not the target, we would stumble */
        return;
    add_site(s, step, PLACE_PATH, at, value);
    if (of_file)
        add_site(s, step, PLACE_NAME, at, value);
}

/* A program's text, input, words or variables. */
static void add_program(struct sites *s, size_t step, enum op_type type, const char *at, struct json *value)
{
    if (type == OP_TEXTS || type == OP_MAP)
        add_members(s, step, at, value);
    else if ((type == OP_TEXT || type == OP_BYTES) && json_is(value, JSON_STRING))
        add_site(s, step, PLACE_SCRIPT, at, value);
}

static bool is_value(const struct json *value)
{
    return json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER);
}

/* Texts and numbers below a tool's arguments; what a wrapper stands for was put there on purpose. */
static void add_values(struct sites *s, size_t step, const char *at, struct json *container)
{
    size_t index = 0;
    if (task_wrapper_of(container) != WRAP_NONE)
        return;
    for (struct json *item = container->first; item; item = item->next, index++) {
        const char *below = json_is(container, JSON_ARRAY)
                                ? arena_printf(&s->arena, "%s/%zu", at, index)
                                : member_at(&s->arena, arena_printf(&s->arena, "%s/", at), item->key);
        if (is_value(item))
            add_site(s, step, PLACE_ARGUMENT, below, item);
        else if (item->first && s->depth < VALUES_DEPTH) {
            s->depth++;
            add_values(s, step, below, item);
            s->depth--;
        }
    }
}

/* Numbers that say which part of a file is read. Others set a mode, or say how long something takes. */
static bool is_part(const struct op *op, const char *arg)
{
    static const char *const parts[] = {"offset", "length", "head", "tail"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(arg, parts[i]) == 0)
            return strcmp(op->name, "read") == 0;
    return false;
}

static void add_argument(struct sites *s, const struct task *t, size_t step, struct json *value)
{
    const struct op *op = t->steps[step].op;
    const struct op_arg *arg = op_arg_find(op, arena_string(&s->arena, value->key));
    if (!arg || arg->unsent) /* what is for us says what the target must have */
        return;
    const char *at = arena_printf(&s->arena, "/args/%s", arg->name);
    if (arg->type == OP_PATH)
        add_path(s, step, op, at, value);
    else if (op_arg_find(op, "argv"))
        add_program(s, step, arg->type, at, value);
    else if (is_body(op, arg->name) && body_content(t, value))
        add_site(s, step, PLACE_BODY, at, value);
    else if (strcmp(op->name, "call") == 0 && strcmp(arg->name, "arguments") == 0)
        add_values(s, step, at, value);
    else if (is_part(op, arg->name) && is_value(value))
        add_site(s, step, PLACE_ARGUMENT, at, value);
}

static unsigned place_mask(const char *on)
{
    static const char *const names[] = {"name", "path", "body", "script", "argument"};
    unsigned mask = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        mask |= mutation_words_have(on, names[i]) ? 1u << i : 0;
    return mask;
}

void sites_find(struct sites *s, const struct mutation *m, unsigned places)
{
    *s = (struct sites){.places = places & place_mask(m->on)};
    arena_init(&s->arena);
    for (size_t i = 0; i < m->task->step_count; i++)
        for (struct json *value = m->task->steps[i].args->first; value; value = value->next)
            add_argument(s, m->task, i, value);
}

void sites_release(struct sites *s)
{
    free(s->items);
    arena_release(&s->arena);
}

bool sites_try(struct mutation *m, unsigned places,
               bool (*strike)(struct mutation *m, const struct mutation_site *site))
{
    struct sites s;
    bool done = false;
    sites_find(&s, m, places);
    for (size_t left = s.count; left && !done; left--) {
        size_t chosen = (size_t)rng_below(m->rng, left);
        struct mutation_site site = s.items[chosen];
        s.items[chosen] = s.items[left - 1];
        done = strike(m, &site);
    }
    sites_release(&s);
    return done;
}
