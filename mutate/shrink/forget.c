/* Expectations that may not be true without steps that are to go, and the places of the others in records of
 * mutations.
 *
 * A record notes expectations that its mutation dropped or changed by their index in the list as it was then.
 * What goes now is made never to have been: its index is carried back through the notes, latest first, and
 * those behind it move up. So what is left of a record can still be undone. */
#include <stdlib.h>
#include <string.h>

#include "mutate/fallout.h"
#include "mutate/mutate_internal.h"
#include "mutate/shrink/record.h"

/* --- notes --- */

static struct json *notes_of(const struct json *record)
{
    struct json *notes = json_get(json_get(record, "before"), "expect");
    return json_is(notes, JSON_ARRAY) ? notes : NULL;
}

static int64_t index_of(const struct json *note)
{
    int64_t index = 0;
    json_as_integer(json_get(note, "index"), &index);
    return index;
}

static void set_index(struct task *t, struct json *note, int64_t index)
{
    json_replace(json_get(note, "index"), json_integer(&t->arena, index));
}

/* Carries the index back over one note; true: the note is about the expectation itself. */
static bool carry_back(struct task *t, struct json *note, int64_t *index)
{
    int64_t other = index_of(note);
    if (!json_get(note, "kept") && *index >= other)
        ++*index; /* before that, another one stood in front */
    if (other > *index)
        set_index(t, note, other - 1);
    return json_get(note, "kept") && other == *index;
}

/* The expectation at `index` after the first `record_count` records and `note_count` notes of the next one
 * was never there. */
static void forget_place(struct task *t, size_t record_count, size_t note_count, int64_t index)
{
    for (size_t r = record_count + 1; r-- > 0;) {
        struct json *notes = notes_of(json_at(t->mutations, r));
        size_t count = !notes ? 0 : r == record_count ? note_count : notes->count;
        while (count-- > 0) {
            struct json *note = json_at(notes, count);
            if (carry_back(t, note, &index))
                json_remove(notes, note);
        }
    }
}

static void forget_note(struct task *t, size_t record, size_t note)
{
    struct json *notes = notes_of(json_at(t->mutations, record)), *which = json_at(notes, note);
    int64_t index = index_of(which);
    bool kept = json_get(which, "kept") != NULL;
    json_remove(notes, which);
    if (!kept)
        forget_place(t, record, note, index);
}

void record_forget_mutation(struct task *t, struct json *mutation)
{
    size_t record = 0;
    while (json_at(t->mutations, record) != mutation)
        record++;
    struct json *notes = notes_of(mutation);
    while (notes && notes->count)
        forget_note(t, record, notes->count - 1);
    json_remove(t->mutations, mutation);
}

/* --- which --- */

struct doubt {
    const struct task *task;
    const bool *gone;
    struct fallout *fallouts; /* one for each step that goes */
    size_t count;
};

static bool step_is_sure(const struct doubt *d, struct bytes id)
{
    for (size_t i = 0; i < d->task->step_count; i++) {
        if (!bytes_equal_string(id, d->task->steps[i].id))
            continue;
        bool sure = !d->gone[i];
        for (size_t f = 0; sure && f < d->count; f++)
            sure = d->fallouts[f].steps[i] == KNOWN_SAME;
        return sure;
    }
    return false;
}

static bool file_is_sure(const struct doubt *d, const struct json *file)
{
    bool sure = true;
    for (size_t f = 0; sure && f < d->count; f++) {
        struct fallout *fallout = &d->fallouts[f];
        struct bytes path = mutation_path_normal(&fallout->arena, mutation_path(file));
        sure = path.len && fallout_of_path(fallout, path) == KNOWN_SAME;
    }
    return sure;
}

static bool is_sure(const struct doubt *d, const struct json *expectation)
{
    const struct json *step = json_get(expectation, "step");
    return step ? step_is_sure(d, json_as_text(step)) : file_is_sure(d, json_get(expectation, "file"));
}

static void forget_doubtful(struct task *t, const struct doubt *d)
{
    for (size_t i = t->expect->count; i-- > 0;)
        if (!is_sure(d, json_at(t->expect, i))) {
            json_remove(t->expect, json_at(t->expect, i));
            forget_place(t, t->mutations->count, 0, (int64_t)i);
        }
    for (size_t r = t->mutations->count; r-- > 0;) {
        struct json *notes = notes_of(json_at(t->mutations, r));
        for (size_t n = notes ? notes->count : 0; n-- > 0;)
            if (n < notes->count && !is_sure(d, json_get(json_at(notes, n), "was")))
                forget_note(t, r, n);
    }
}

static void doubt_init(struct doubt *d, const struct task *t, const bool *gone)
{
    *d = (struct doubt){.task = t, .gone = gone, .fallouts = xcalloc(t->step_count + 1, sizeof *d->fallouts)};
    for (size_t i = 0; i < t->step_count; i++)
        if (gone[i])
            fallout_follow(&d->fallouts[d->count++], t, i, t->steps[i].args, false);
}

static void doubt_release(struct doubt *d)
{
    for (size_t f = 0; f < d->count; f++)
        fallout_release(&d->fallouts[f]);
    free(d->fallouts);
}

void record_forget_expectations(struct task *t, const bool *gone)
{
    struct doubt d;
    doubt_init(&d, t, gone);
    forget_doubtful(t, &d);
    doubt_release(&d);
}

bool record_mark_failing(const struct task *t, bool *gone)
{
    struct doubt d;
    bool any = false;
    doubt_init(&d, t, gone);
    for (const struct json *e = t->expect->first; e; e = e->next) {
        struct bytes id = json_as_text(json_get(e, "step"));
        if (!bytes_equal_string(json_as_text(json_get(e, "outcome")), "error") || step_is_sure(&d, id))
            continue;
        for (size_t i = 0; i < t->step_count; i++)
            if (!gone[i] && bytes_equal_string(id, t->steps[i].id))
                any = gone[i] = true;
    }
    doubt_release(&d);
    return any;
}
