/* Undoing one mutation, whichever, from its record.
 *
 * Values, steps and contents go back by themselves. Expectations are a list that later mutations shortened as
 * well, so their places are carried through what was done since; and when a later mutation took away or
 * changed the very expectation, or may have made it uncertain too, its record gets what we would have put back. So the order of undoing does not
 * matter, except that a mutation on which a later one builds has to wait. */
#include <string.h>

#include "mutate/mutate_internal.h"

static struct bytes text_of(const struct json *mutation, const char *name)
{
    return json_as_text(json_get(mutation, name));
}

static bool is_inserted(const struct json *before, struct bytes id)
{
    const struct json *steps = json_get(before, "steps");
    for (const struct json *step = json_is(steps, JSON_ARRAY) ? steps->first : NULL; step; step = step->next)
        if (bytes_equal(json_as_text(step), id))
            return true;
    return false;
}

/* Same step, and one pointer within the other. */
static bool same_place(const struct json *a, const struct json *b)
{
    struct bytes x = text_of(a, "at"), y = text_of(b, "at");
    return bytes_equal(text_of(a, "step"), text_of(b, "step")) &&
           (mutation_path_within(x, y) || mutation_path_within(y, x));
}

static bool is_used(const struct task *t, const struct json *before)
{
    for (size_t i = 0; i < t->step_count; i++) {
        if (is_inserted(before, bytes_of_string(t->steps[i].id)))
            continue;
        const struct json *args = t->steps[i].args;
        for (const struct json *v = args; v;) {
            if (task_is_wrapper(v, "$from") && is_inserted(before, v->first->text))
                return true;
            v = json_next(args, v, true);
        }
    }
    return false;
}

/* A file that got a third name: both records say the name it has now. And one whose directory got another name, when that took away expectations: they
 * stand in the record by the names of then. */
static bool renamed_again(const struct json *mutation, const struct json *later)
{
    const struct json *first = json_get(json_get(mutation, "before"), "rename"),
                      *second = json_get(json_get(later, "before"), "rename");
    if (!first || !second)
        return false;
    return mutation_path_within(text_of(second, "to"), text_of(first, "to")) ||
           (mutation_path_within(text_of(first, "to"), text_of(second, "to")) && json_get(json_get(later, "before"), "expect"));
}

/* The name that a file had before it was renamed is one that a later change has come to use, since it was free. */
static bool name_is_taken(const struct task *t, const struct json *mutation, const struct json *later)
{
    static const char *const args[] = {"path", "to"};
    struct bytes from = text_of(json_get(json_get(mutation, "before"), "rename"), "from"), id = text_of(later, "step");
    for (size_t i = 0; from.len && i < t->step_count; i++)
        for (size_t k = 0; k < sizeof args / sizeof *args && bytes_equal_string(id, t->steps[i].id); k++) {
            struct bytes path = mutation_path(json_get(t->steps[i].args, args[k]));
            if (path.len && (mutation_path_within(from, path) || mutation_path_within(path, from)))
                return true;
        }
    return false;
}

static bool moves_step(const struct json *mutation)
{
    static const char *const places[] = {"/order", "/next", "/first"};
    bool moves = false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        moves = moves || bytes_equal_string(text_of(mutation, "at"), places[i]);
    return moves;
}

static bool inserts_step(const struct json *mutation)
{
    return json_get(json_get(mutation, "before"), "steps") != NULL;
}

/* Where a step was moved from is told by its neighbour, so the row must be again what it was then. */
static bool rearranged(const struct json *mutation, const struct json *later)
{
    return (moves_step(mutation) && (moves_step(later) || inserts_step(later))) || (inserts_step(mutation) && moves_step(later));
}

/* Whether something since rests on this mutation. */
static bool is_built_on(const struct task *t, const struct json *mutation)
{
    const struct json *before = json_get(mutation, "before");
    for (const struct json *later = mutation->next; later; later = later->next)
        if (same_place(mutation, later) || is_inserted(before, text_of(later, "step")) ||
            renamed_again(mutation, later) || rearranged(mutation, later) || name_is_taken(t, mutation, later))
            return true;
    return json_get(before, "steps") && is_used(t, before);
}

static bool is_ours(const struct task *t, const struct json *mutation)
{
    struct bytes step = text_of(mutation, "step");
    const struct json *rename = json_get(json_get(mutation, "before"), "rename");
    bool named = step.len && !memchr(step.data, 0, step.len);
    if (!json_is(json_get(mutation, "before"), JSON_OBJECT) || !named)
        return false;
    if (rename && !(text_of(rename, "from").len && text_of(rename, "to").len))
        return false;
    const struct json *expect = json_get(json_get(mutation, "before"), "expect");
    for (const struct json *note = json_is(expect, JSON_ARRAY) ? expect->first : NULL; note;
         note = note->next) {
        int64_t index;
        if (!json_as_integer(json_get(note, "index"), &index) || index < 0 ||
            !json_is(json_get(note, "was"), JSON_OBJECT))
            return false;
    }
    for (size_t i = 0; i < t->step_count; i++)
        if (bytes_equal_string(step, t->steps[i].id))
            return true;
    return false;
}

/* Expectations. */

static void set_index(struct task *t, struct json *note, int64_t index)
{
    json_replace(json_get(note, "index"), json_integer(&t->arena, index));
}

/* The notes of all later mutations, in the order in which they were made. */
static struct json *next_note(struct json **mutation, struct json *note)
{
    if (note && note->next)
        return note->next;
    while ((*mutation = (*mutation)->next)) {
        const struct json *expect = json_get(json_get(*mutation, "before"), "expect");
        if (json_is(expect, JSON_ARRAY) && expect->first)
            return expect->first;
    }
    return NULL;
}

/* Puts `was` back at `index`, as it was before the later mutations: into the list, or into the record of the
 * one that has it now. */
static void restore_kept(struct task *t, struct json *mutation, int64_t index, struct json *was)
{
    struct json *later = mutation;
    for (struct json *note = next_note(&later, NULL); note; note = next_note(&later, note)) {
        int64_t other = 0;
        json_as_integer(json_get(note, "index"), &other);
        if (other == index) {
            json_replace(json_get(note, "was"), was);
            return;
        }
        if (other < index && !json_get(note, "kept"))
            index--;
    }
    struct json *now = json_at(t->expect, (size_t)index);
    if (now)
        json_replace(now, was);
}

/* A later change of what a step does or is given makes uncertain what an earlier one already had: it found nothing to take away, but the
 * expectation must not come back before it is undone too. Frames and surroundings change nothing that is expected of other steps. */
static bool is_change(const struct json *mutation)
{
    return bytes_starts(text_of(mutation, "at"), BYTES_LITERAL("/args")) || inserts_step(mutation) || moves_step(mutation);
}

/* What a later mutation would have taken away first. */
static void hand_over(struct task *t, struct json *later, int64_t index, const struct json *was)
{
    struct arena *a = &t->arena;
    struct json *before = json_get(later, "before"), *old = json_get(before, "expect");
    struct json *list = json_new(a, JSON_ARRAY), *note = json_add(list, json_new(a, JSON_OBJECT));
    json_set(a, note, "index", json_integer(a, index));
    json_set(a, note, "was", json_copy(a, was));
    for (const struct json *n = json_is(old, JSON_ARRAY) ? old->first : NULL; n; n = n->next)
        json_add(list, json_copy(a, n));
    if (old)
        json_remove(before, old);
    json_set(a, before, "expect", list);
}

static void restore_dropped(struct task *t, struct json *mutation, int64_t index, struct json *was)
{
    for (struct json *later = mutation->next; later; later = later->next) {
        if (is_change(later) && json_is(json_get(later, "before"), JSON_OBJECT)) {
            hand_over(t, later, index, was);
            return;
        }
        const struct json *notes = json_get(json_get(later, "before"), "expect");
        for (struct json *note = json_is(notes, JSON_ARRAY) ? notes->first : NULL; note; note = note->next) {
            int64_t other = 0;
            json_as_integer(json_get(note, "index"), &other);
            if (other >= index)
                set_index(t, note, other + 1);
            else if (!json_get(note, "kept"))
                index--;
        }
    }
    struct json *list = json_new(&t->arena, JSON_ARRAY);
    for (struct json *e = t->expect->first, *next; e; e = next) {
        next = e->next;
        if (list->count == (uint64_t)index)
            json_add(list, was);
        json_remove(t->expect, e);
        json_add(list, e);
    }
    if (!was->parent)
        json_add(list, was);
    t->expect = list;
}

static void restore_expectations(struct task *t, struct json *mutation)
{
    const struct json *notes = json_get(json_get(mutation, "before"), "expect");
    for (size_t i = json_is(notes, JSON_ARRAY) ? notes->count : 0; i; i--) {
        const struct json *note = json_at(notes, i - 1);
        int64_t index = 0;
        json_as_integer(json_get(note, "index"), &index);
        struct json *was = json_copy(&t->arena, json_get(note, "was"));
        if (json_get(note, "kept"))
            restore_kept(t, mutation, index, was);
        else
            restore_dropped(t, mutation, index, was);
    }
}

/* Contents. */

static bool refers_to(const struct json *root, struct bytes name)
{
    for (const struct json *v = root; v;) {
        if (task_is_wrapper(v, "$content") && bytes_equal(json_as_text(v->first), name))
            return true;
        v = json_next(root, v, true);
    }
    return false;
}

static bool content_in_use(const struct task *t, struct bytes name)
{
    bool used = refers_to(t->expect, name) || refers_to(t->mutations, name);
    for (size_t i = 0; !used && i < t->step_count; i++)
        used = refers_to(t->steps[i].args, name);
    return used;
}

/* An added content goes with its mutation, unless others came to use it: then with the last of those that are
 * left. */
static void drop_contents(struct task *t, const struct json *before)
{
    const struct json *names = json_get(before, "contents");
    for (const struct json *name = json_is(names, JSON_ARRAY) ? names->first : NULL; name;
         name = name->next) {
        struct json *content = json_get_bytes(t->contents, json_as_text(name));
        if (!content)
            continue;
        if (!content_in_use(t, json_as_text(name))) {
            json_remove(t->contents, content);
            continue;
        }
        struct json *heir = json_get(t->mutations->last, "before");
        if (!json_is(heir, JSON_OBJECT))
            continue;
        struct json *list = json_get(heir, "contents");
        if (!list)
            list = json_set(&t->arena, heir, "contents", json_new(&t->arena, JSON_ARRAY));
        json_add(list, json_copy(&t->arena, name));
    }
}

bool mutate_undo(struct task *t, size_t index)
{
    struct json *mutation = json_at(t->mutations, index);
    if (!mutation || !is_ours(t, mutation) || is_built_on(t, mutation))
        return false;
    const struct json *before = json_get(mutation, "before"), *rename = json_get(before, "rename"),
                      *value = json_get(before, "value");
    struct arena *a = &t->arena;
    const char *at = arena_string(a, text_of(mutation, "at"));
    struct task_step *step = task_find_step(t, arena_string(a, text_of(mutation, "step")));
    bool inserted_itself = is_inserted(before, text_of(mutation, "step"));
    if (!rename && !inserted_itself && !change_step_put(t, step, at, value ? json_copy(a, value) : NULL))
        return false;
    for (size_t i = t->step_count; i; i--)
        if (is_inserted(before, bytes_of_string(t->steps[i - 1].id)))
            task_remove_step(t, i - 1);
    restore_expectations(t, mutation);
    struct json *kept = json_copy(a, before);
    json_remove(t->mutations, mutation);
    if (rename)
        rename_back(t, text_of(rename, "to"), text_of(rename, "from"));
    drop_contents(t, kept);
    task_identify(t);
    return true;
}
