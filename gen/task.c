/* The task in memory: making, copying, changing steps, deriving needs and the id.
 *
 * Invariants: everything a task points to lives in its arena, except ops, which outlive all tasks; arguments
 * hold bytes as they are (see gen/task_internal.h for how they look in the record); step ids are unique. */
#include "gen/task.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "gen/recipe.h"
#include "gen/task_internal.h"

struct task *task_new(void)
{
    struct task *t = xcalloc(1, sizeof *t);
    arena_init(&t->arena);
    t->domain = t->workflow = "imported";
    t->derivation = t->grammar_hash = t->instruction = "";
    t->expect = json_new(&t->arena, JSON_ARRAY);
    t->mutations = json_new(&t->arena, JSON_ARRAY);
    t->contents = json_new(&t->arena, JSON_OBJECT);
    t->limits = json_new(&t->arena, JSON_OBJECT);
    return t;
}

void task_free(struct task *t)
{
    if (!t)
        return;
    arena_release(&t->arena);
    free(t);
}

static const char *copy_string(struct arena *a, const char *text)
{
    return text ? arena_string(a, bytes_of_string(text)) : NULL;
}

static void reserve_steps(struct task *t, size_t count)
{
    if (count <= t->step_capacity)
        return;
    size_t capacity = t->step_capacity ? t->step_capacity * 2 : 8;
    if (capacity < count)
        capacity = count;
    struct task_step *steps = arena_alloc(&t->arena, capacity * sizeof *steps);
    if (t->step_count)
        memcpy(steps, t->steps, t->step_count * sizeof *steps);
    t->steps = steps;
    t->step_capacity = capacity;
}

static void copy_step(struct arena *a, struct task_step *to, const struct task_step *from)
{
    *to = *from;
    to->id = copy_string(a, from->id);
    to->args = json_copy(a, from->args);
    to->session = copy_string(a, from->session);
    to->group = copy_string(a, from->group);
}

struct task *task_copy(const struct task *t)
{
    struct task *copy = task_new();
    struct arena *a = &copy->arena;
    memcpy(copy->id, t->id, sizeof copy->id);
    copy->domain = copy_string(a, t->domain);
    copy->workflow = copy_string(a, t->workflow);
    copy->seed = t->seed;
    copy->index = t->index;
    copy->derivation = copy_string(a, t->derivation);
    copy->grammar_hash = copy_string(a, t->grammar_hash);
    copy->instruction = copy_string(a, t->instruction);
    copy->needs = arena_alloc(a, (t->need_count + 1) * sizeof *copy->needs);
    for (size_t i = 0; i < t->need_count; i++)
        copy->needs[i] = copy_string(a, t->needs[i]);
    copy->need_count = t->need_count;
    reserve_steps(copy, t->step_count);
    for (size_t i = 0; i < t->step_count; i++)
        copy_step(a, &copy->steps[i], &t->steps[i]);
    copy->step_count = t->step_count;
    copy->expect = json_copy(a, t->expect);
    copy->mutations = json_copy(a, t->mutations);
    copy->contents = json_copy(a, t->contents);
    copy->limits = json_copy(a, t->limits);
    return copy;
}

/* "sN" with the smallest N above the number of steps that no step has; so ids grow with the plan. */
static const char *fresh_id(struct task *t)
{
    for (size_t n = t->step_count + 1;; n++) {
        const char *id = arena_printf(&t->arena, "s%zu", n);
        if (!task_find_step(t, id))
            return id;
    }
}

struct task_step *task_insert_step(struct task *t, size_t index, const struct op *op, struct json *args)
{
    if (index > t->step_count)
        BUG("a step is inserted past the end");
    const char *id = fresh_id(t);
    reserve_steps(t, t->step_count + 1);
    memmove(&t->steps[index + 1], &t->steps[index], (t->step_count - index) * sizeof *t->steps);
    t->step_count++;
    t->steps[index] = (struct task_step){
        .id = id,
        .op = op,
        .args = args ? args : json_new(&t->arena, JSON_OBJECT),
        .session = "main",
        .cancel_after_ms = -1,
        .repeat = 1,
    };
    return &t->steps[index];
}

struct task_step *task_add_step(struct task *t, const struct op *op, struct json *args)
{
    return task_insert_step(t, t->step_count, op, args);
}

size_t task_step_index(const struct task *t, const char *id)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (strcmp(t->steps[i].id, id) == 0)
            return i;
    return t->step_count;
}

struct task_step *task_find_step(const struct task *t, const char *id)
{
    size_t index = task_step_index(t, id);
    return index < t->step_count ? &t->steps[index] : NULL;
}

void task_remove_step(struct task *t, size_t index)
{
    if (index >= t->step_count)
        BUG("a step that is not there is removed");
    memmove(&t->steps[index], &t->steps[index + 1], (t->step_count - index - 1) * sizeof *t->steps);
    t->step_count--;
}

void task_note_mutation(struct task *t, const char *mutator, const char *step, const char *at,
                        const char *detail, const struct json *before)
{
    struct arena *a = &t->arena;
    struct json *note = json_add(t->mutations, json_new(a, JSON_OBJECT));
    json_set(a, note, "mutator", json_text(a, mutator));
    json_set(a, note, "step", json_text(a, step));
    json_set(a, note, "at", json_text(a, at));
    json_set(a, note, "detail", json_text(a, detail));
    json_set(a, note, "before", before ? json_copy(a, before) : json_new(a, JSON_NULL));
}

bool task_is_wrapper(const struct json *value, const char *name)
{
    return json_is(value, JSON_OBJECT) && value->first && bytes_equal_string(value->first->key, name);
}

struct json *task_bytes_argument(struct task *t, const char *step, const char *arg)
{
    struct task_step *found = task_find_step(t, step);
    return found ? json_get(found->args, arg) : NULL;
}

/* Needs. */

struct needs {
    struct arena *arena;
    const char **items;
    size_t count, capacity;
};

static void need_add(struct needs *n, const char *need)
{
    if (!*need)
        return;
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->items[i], need) == 0)
            return;
    if (n->count == n->capacity) {
        size_t capacity = n->capacity ? n->capacity * 2 : 16;
        const char **items = arena_alloc(n->arena, capacity * sizeof *items);
        if (n->count)
            memcpy(items, n->items, n->count * sizeof *items);
        n->items = items;
        n->capacity = capacity;
    }
    n->items[n->count++] = need;
}

/* Whether a step sends bytes that text cannot carry, in an argument or in a content it refers to. */
static bool step_has_bytes(const struct task *t, const struct task_step *step)
{
    for (struct json *v = step->args; v; v = task_walk_values(step->args, v)) {
        if (json_is(v, JSON_STRING) && !utf8_valid(v->text))
            return true;
        if (task_is_wrapper(v, "$content")) {
            const struct json *content = json_get_bytes(t->contents, v->first->text);
            if (content && !content_is_utf8(content))
                return true;
        }
    }
    return false;
}

/* What a run or start uses beside its language: "git" means a program, "python:numpy" a module. */
static void add_uses(struct task *t, struct needs *n, const struct json *uses)
{
    for (const struct json *word = uses ? uses->first : NULL; word; word = word->next) {
        bool readable = json_is(word, JSON_STRING) && utf8_valid(word->text); /* a need is text */
        const char *text = readable ? arena_string(&t->arena, word->text) : "";
        need_add(n, strchr(text, ':') || !*text ? text : arena_printf(&t->arena, "program:%s", text));
    }
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Raw bytes that can only be meant for HTTP. */
static bool asks_of_http(const struct json *args)
{
    return json_get(args, "verb") || json_get(args, "suffix") || json_get(args, "headers");
}

bool task_names_site(const struct task_step *step)
{
    for (size_t i = 0; i < step->op->arg_count; i++)
        if (step->op->args[i].site && bytes_starts(json_as_text(json_get(step->args, step->op->args[i].name)), BYTES_LITERAL(TASK_SITE)))
            return true;
    return false;
}

static void derive_needs(struct task *t)
{
    struct needs n = {.arena = &t->arena};
    bool several = false;
    for (size_t i = 0; i < t->step_count; i++) {
        const struct task_step *step = &t->steps[i];
        need_add(&n, step->op->needs);
        /* What the harness makes itself can be any bytes. */
        if (strcmp(step->op->group, "stage") != 0 && step_has_bytes(t, step))
            need_add(&n, arena_printf(&t->arena, "%s:bytes", step->op->name));
        struct json *language = json_get(step->args, "language");
        if (json_is(language, JSON_STRING))
            need_add(&n, arena_printf(&t->arena, "run:%s", arena_string(&t->arena, language->text)));
        add_uses(t, &n, json_get(step->args, "uses"));
        if (strcmp(step->op->name, "send") == 0 && asks_of_http(step->args))
            need_add(&n, "send:http");
        if (task_names_site(step))
            need_add(&n, "site");
        several = several || strcmp(step->session, t->steps[0].session) != 0;
    }
    if (several)
        need_add(&n, "sessions");
    if (n.count)
        qsort(n.items, n.count, sizeof *n.items, compare_strings);
    t->needs = n.items;
    t->need_count = n.count;
}

void task_identify(struct task *t)
{
    derive_needs(t);
    struct arena scratch;
    struct buf text;
    arena_init(&scratch);
    buf_init(&text, SIZE_MAX);
    json_write(&text, task_tree(t, &scratch, false), JSON_SORTED);
    hash128_hex(buf_bytes(&text), t->id);
    buf_release(&text);
    arena_release(&scratch);
}
