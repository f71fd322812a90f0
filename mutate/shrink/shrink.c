/* The iterator: which pass, which chunk of its units, whether the candidate is worth a question.
 *
 * Invariants: what is proposed is strictly smaller than the best and has an id that was never proposed; the
 * best gets strictly smaller with every accept. Within a round the passes, and within a pass the chunks, only
 * go on, so a round ends; a round that brought nothing is the last. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "mutate/mutate.h"
#include "mutate/shrink/record.h"
#include "mutate/shrink/shrink_internal.h"

/* Either of a log, by units, or of a record, by a count and what makes a candidate without [first, last). */
struct pass {
    const char *name;
    gather_units *gather;
    size_t (*count)(const struct shrink *s);
    int (*make)(struct shrink *s, size_t first, size_t last, struct task **task, struct error **err);
    bool one_by_one; /* units cannot be changed together */
};

enum { ID_LENGTH = 32 };

struct shrink {
    struct shrink_options options;
    struct task *best, *candidate;
    struct derivation log; /* of the best */
    struct units units;
    const struct pass *passes; /* of this round */
    size_t pass_count, pass, chunk, at, size;
    bool gathered, progress, done;
    char (*seen)[ID_LENGTH]; /* open addressing; an empty slot starts with NUL */
    size_t seen_count, seen_room;
    size_t proposed;
};

/* --- ids that were proposed --- */

static size_t find_slot(char (*slots)[ID_LENGTH], size_t room, const char *id)
{
    size_t at = (size_t)hash64(bytes_of(id, ID_LENGTH)) & (room - 1);
    while (slots[at][0] && memcmp(slots[at], id, ID_LENGTH) != 0)
        at = (at + 1) & (room - 1);
    return at;
}

static bool was_seen(const struct shrink *s, const char *id)
{
    return s->seen[find_slot(s->seen, s->seen_room, id)][0] != 0;
}

static void remember(struct shrink *s, const char *id)
{
    if (2 * (s->seen_count + 1) > s->seen_room) {
        size_t room = 2 * s->seen_room;
        char(*slots)[ID_LENGTH] = xcalloc(room, sizeof *slots);
        for (size_t i = 0; i < s->seen_room; i++)
            if (s->seen[i][0])
                memcpy(slots[find_slot(slots, room, s->seen[i])], s->seen[i], ID_LENGTH);
        free(s->seen);
        s->seen = slots;
        s->seen_room = room;
    }
    size_t at = find_slot(s->seen, s->seen_room, id);
    s->seen_count += !s->seen[at][0];
    memcpy(s->seen[at], id, ID_LENGTH);
}

/* --- passes over a log --- */

static int derive_edited(struct shrink *s, const struct derivation *edited, struct task **task,
                         struct error **err)
{
    struct error *trouble = NULL;
    int status = shrink_derive(&s->options, edited, s->best->seed, s->best->index, task, &trouble);
    if (status == ERR_LIMIT) {
        error_free(trouble);
        return 0;
    }
    if (status < 0 && err)
        *err = trouble;
    else
        error_free(trouble);
    return status;
}

static int make_of_units(struct shrink *s, size_t first, size_t last, struct task **task, struct error **err)
{
    struct derivation edited;
    derivation_init(&edited);
    units_apply(&s->units, first, last, &s->log, &edited);
    int status = derive_edited(s, &edited, task, err);
    derivation_release(&edited);
    return status;
}

/* The task without its records of tree edits: it is made by its own derivation all the same. */
static size_t count_records(const struct shrink *s)
{
    return s->best->mutations->count > 0;
}

static int make_plain(struct shrink *s, size_t first, size_t last, struct task **task, struct error **err)
{
    return derive_edited(s, &s->log, task, err);
}

static const struct pass log_passes[] = {
    {.name = "records", .count = count_records, .make = make_plain},
    {.name = "steps", .gather = units_of_steps},
    {.name = "steps and handles", .gather = units_of_shifts, .one_by_one = true},
    {.name = "cheaper steps", .gather = units_of_step_alternatives},
    {.name = "hoist", .gather = units_to_hoist, .one_by_one = true},
    {.name = "cheaper alternatives", .gather = units_of_rule_alternatives},
    {.name = "repetitions", .gather = units_of_counts},
    {.name = "single repetitions", .gather = units_of_repetitions},
    {.name = "zeros", .gather = units_of_zeros},
    {.name = "halves", .gather = units_of_halves},
    {.name = "eighths", .gather = units_of_eighths},
    {.name = "less", .gather = units_of_decrements},
};

/* --- passes over a record --- */

static size_t count_mutations(const struct shrink *s)
{
    return s->best->mutations->count;
}

/* Undoes [first, last), from the last one on; those on which later ones rest stay. */
static int make_undone(struct shrink *s, size_t first, size_t last, struct task **task, struct error **err)
{
    struct task *t = task_copy(s->best);
    bool any = false;
    for (size_t i = last; i-- > first;)
        any |= mutate_undo(t, i);
    if (any)
        *task = t;
    else
        task_free(t);
    return 0;
}

static size_t count_steps(const struct shrink *s)
{
    return s->best->step_count;
}

static int make_without_steps(struct shrink *s, size_t first, size_t last, struct task **task,
                              struct error **err)
{
    struct task *t = task_copy(s->best);
    bool *gone = xcalloc(t->step_count + 1, sizeof *gone);
    memset(gone + first, 1, (last - first) * sizeof *gone);
    record_drop_steps(t, gone);
    free(gone);
    if (t->step_count)
        *task = t;
    else
        task_free(t);
    return 0;
}

static int make_simpler(struct shrink *s, size_t first, size_t last, struct task **task, struct error **err)
{
    struct task *t = task_copy(s->best);
    bool any = false;
    for (size_t i = first; i < last; i++)
        any |= record_simplify_step(t, i);
    if (any)
        *task = t;
    else
        task_free(t);
    return 0;
}

static const struct pass record_passes[] = {
    {.name = "mutations", .count = count_mutations, .make = make_undone},
    {.name = "steps", .count = count_steps, .make = make_without_steps},
    {.name = "simpler steps", .count = count_steps, .make = make_simpler},
};

/* --- which passes --- */

static bool is_tree_edit(const struct json *record)
{
    return json_get(json_get(record, "before"), "derivation") && !json_as_text(json_get(record, "step")).len;
}

/* Whether the best task's derivation makes it, but for records of tree edits; then the log is read. */
static bool is_derived(struct shrink *s)
{
    const struct task *t = s->best;
    const struct shrink_options *o = &s->options;
    if (!o->generate || !o->domain || !*t->derivation || strcmp(domain_hash(o->domain), t->grammar_hash) != 0)
        return false;
    for (const struct json *m = t->mutations->first; m; m = m->next)
        if (!is_tree_edit(m))
            return false;
    struct task *made = NULL, *calm = task_copy(t);
    calm->mutations = json_new(&calm->arena, JSON_ARRAY);
    task_identify(calm);
    bool same = derivation_decode(&s->log, bytes_of_string(t->derivation), NULL) == 0 &&
                tree_repair(o->generate, o->domain, &s->log, t->seed, t->index, &made, NULL) == 0 &&
                strcmp(made->id, calm->id) == 0;
    task_free(made);
    task_free(calm);
    return same;
}

static void begin_round(struct shrink *s)
{
    bool derived = is_derived(s);
    s->passes = derived ? log_passes : record_passes;
    s->pass_count = derived ? sizeof log_passes / sizeof *log_passes
                            : sizeof record_passes / sizeof *record_passes;
    s->pass = 0;
    s->chunk = s->at = 0;
    s->gathered = s->progress = false;
}

/* --- the walk --- */

static size_t count_units(struct shrink *s)
{
    const struct pass *p = &s->passes[s->pass];
    if (!p->gather)
        return p->count(s);
    if (!s->gathered) {
        units_release(&s->units);
        s->units.domain = s->options.domain;
        p->gather(&s->units, s->options.domain, &s->log);
        s->gathered = true;
    }
    return s->units.count;
}

static void next_pass(struct shrink *s)
{
    s->chunk = s->at = 0;
    s->gathered = false;
    /* Once its mutations are undone, a task may be what its derivation makes: then that is reduced. */
    bool undone = s->passes == record_passes && s->pass == 0 && s->progress && is_derived(s);
    if (!undone && ++s->pass < s->pass_count)
        return;
    if (s->progress)
        begin_round(s);
    else
        s->done = true;
}

/* The next chunk of this pass; false: there is none. chunk 0: the pass has not begun. */
static bool next_chunk(struct shrink *s, size_t *first, size_t *last)
{
    size_t count = count_units(s);
    if (!s->chunk)
        s->chunk = s->passes[s->pass].one_by_one && count ? 1 : count;
    while (s->chunk && s->at >= count) {
        s->chunk /= 2;
        s->at = 0;
    }
    if (!s->chunk || !count)
        return false;
    s->size = s->chunk < count - s->at ? s->chunk : count - s->at;
    *last = count - s->at;
    *first = *last - s->size;
    return true;
}

static void become(struct shrink *s, struct task *t)
{
    task_free(s->best);
    s->best = t;
    s->progress = true;
    s->gathered = false;
    if (s->passes == log_passes && derivation_decode(&s->log, bytes_of_string(t->derivation), NULL) < 0)
        BUG("a task that was derived has no derivation that can be read");
}

/* Makes the candidate of a chunk. Not worth a question: one that cannot be made, that is no smaller, that was
 * proposed before. One that is the same task, with less of a derivation, is taken without a question. */
static int make_candidate(struct shrink *s, size_t first, size_t last, struct error **err)
{
    const struct pass *p = &s->passes[s->pass];
    struct task *t = NULL;
    TRY((p->gather ? make_of_units : p->make)(s, first, last, &t, err));
    bool smaller = t && shrink_compare(t, s->best) < 0;
    if (smaller && strcmp(t->id, s->best->id) == 0) {
        become(s, t);
        return 0;
    }
    if (!smaller || was_seen(s, t->id)) {
        task_free(t);
        s->at += s->size;
        return 0;
    }
    remember(s, t->id);
    s->candidate = t;
    s->proposed++;
    return 1;
}

int shrink_next(struct shrink *s, const struct task **candidate, struct error **err)
{
    size_t first, last;
    if (s->candidate)
        BUG("a candidate was not judged");
    *candidate = NULL;
    while (!s->done) {
        if (s->options.candidates_max && s->proposed == s->options.candidates_max)
            return 0;
        if (!next_chunk(s, &first, &last)) {
            next_pass(s);
            continue;
        }
        int more = make_candidate(s, first, last, err);
        if (more) {
            *candidate = s->candidate;
            return more;
        }
    }
    return 0;
}

void shrink_accept(struct shrink *s)
{
    struct task *t = s->candidate;
    if (!t)
        BUG("there is no candidate to accept");
    s->candidate = NULL;
    become(s, t);
}

void shrink_reject(struct shrink *s)
{
    if (!s->candidate)
        BUG("there is no candidate to reject");
    task_free(s->candidate);
    s->candidate = NULL;
    s->at += s->size;
}

/* --- the rest --- */

struct shrink *shrink_new(const struct shrink_options *o, const struct task *task)
{
    struct shrink *s = xcalloc(1, sizeof *s);
    s->options = *o;
    s->best = task_copy(task);
    task_identify(s->best);
    derivation_init(&s->log);
    s->seen_room = 64;
    s->seen = xcalloc(s->seen_room, sizeof *s->seen);
    remember(s, s->best->id);
    begin_round(s);
    return s;
}

void shrink_free(struct shrink *s)
{
    if (!s)
        return;
    task_free(s->best);
    task_free(s->candidate);
    derivation_release(&s->log);
    units_release(&s->units);
    free(s->seen);
    free(s);
}

const struct task *shrink_best(const struct shrink *s)
{
    return s->best;
}

size_t shrink_proposed(const struct shrink *s)
{
    return s->proposed;
}

const char *shrink_pass_name(const struct shrink *s)
{
    return s->pass < s->pass_count ? s->passes[s->pass].name : "done";
}
