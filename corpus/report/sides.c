/* What each target was put to and how that ended, added up from the executions of all databases. */
#include "corpus/report/sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { LETTERS = 26 };

/* The rows of a table while it is filled. */
struct filling {
    struct arena *a;
    struct report_sides *s;
    const struct report_source *from;
    struct report_side *last; /* of the execution before: mostly the next one's too */
};

bool report_perished(enum execution_ending ending)
{
    return ending >= ENDING_REFUSING;
}

const struct report_side *report_side_of(const struct report_sides *s, const struct report_source *from, const char *target)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].from == from && strcmp(s->items[i].of->target, target) == 0)
            return &s->items[i];
    return NULL;
}

/* ---- adding up ---- */

static void add_cause(struct arena *a, struct report_tally *t, const struct store_workload *w)
{
    for (size_t i = 0; i < t->cause_count; i++)
        if (t->causes[i].ending == w->ending && strcmp(t->causes[i].op, w->ending_op) == 0) {
            t->causes[i].count++;
            return;
        }
    if (!t->cause_count || (t->cause_count >= 4 && !(t->cause_count & (t->cause_count - 1)))) {
        struct report_cause *bigger = arena_alloc(a, (t->cause_count ? 2 * t->cause_count : 4) * sizeof *bigger);
        for (size_t i = 0; i < t->cause_count; i++)
            bigger[i] = t->causes[i];
        t->causes = bigger;
    }
    t->causes[t->cause_count++] = (struct report_cause){w->ending, arena_string(a, bytes_of_string(w->ending_op)), 1};
}

static void add_to(struct arena *a, struct report_tally *t, const struct store_workload *w)
{
    t->skipped += w->outcome == EXECUTION_SKIPPED;
    t->spoiled += w->outcome == EXECUTION_HARNESS;
    if (w->outcome != EXECUTION_PASSED && w->outcome != EXECUTION_FAILED)
        return;
    t->ran++;
    t->passed += w->outcome == EXECUTION_PASSED;
    t->failed += w->outcome == EXECUTION_FAILED;
    t->ns += w->ns;
    if (*w->why && !*t->why)
        t->why = arena_string(a, bytes_of_string(w->why));
    if (!w->ending_known)
        return;
    t->known++;
    t->timed_out += w->ending == ENDING_TIMED_OUT;
    t->crashed += w->ending == ENDING_PAGE_CRASHED;
    t->perished += report_perished(w->ending);
    if (w->ending != ENDING_WELL)
        add_cause(a, t, w);
}

/* The row, made when there is none. */
static struct report_load *load_of(struct filling *f, struct report_loads *loads, const char *domain, struct bytes name)
{
    uint64_t hash = hash64(bytes_of_string(domain)) * 31 + hash64(name);
    size_t n = loads->count;
    for (size_t i = 0; i < n; i++)
        if (loads->items[i].hash == hash)
            return &loads->items[i];
    if (!n || (n >= 16 && !(n & (n - 1)))) {
        struct report_load *bigger = arena_alloc(f->a, (n ? 2 * n : 16) * sizeof *bigger);
        for (size_t i = 0; i < n; i++)
            bigger[i] = loads->items[i];
        loads->items = bigger;
    }
    struct report_load *l = &loads->items[loads->count++];
    *l = (struct report_load){.domain = arena_string(f->a, bytes_of_string(domain)), .name = arena_string(f->a, name), .hash = hash};
    l->by_side = arena_alloc(f->a, f->s->count * sizeof *l->by_side);
    for (size_t i = 0; i < f->s->count; i++)
        l->by_side[i].why = "";
    return l;
}

/* A mutator counts once for a task, however often it had its hand in it. */
static bool named_before(const char *mutators, const char *at, size_t length)
{
    for (const char *m = mutators; m < at;) {
        size_t n = strcspn(m, " ");
        if (n == length && strncmp(m, at, n) == 0)
            return true;
        m += n + (m[n] == ' ');
    }
    return false;
}

static void add_mutators(struct filling *f, size_t side, const struct store_workload *w)
{
    if (!*w->mutators)
        add_to(f->a, &load_of(f, &f->s->mutators, "", BYTES_NONE)->by_side[side], w);
    for (const char *m = w->mutators; *m;) {
        size_t n = strcspn(m, " ");
        if (n && !named_before(w->mutators, m, n))
            add_to(f->a, &load_of(f, &f->s->mutators, "", bytes_of(m, n))->by_side[side], w);
        m += n + (m[n] == ' ');
    }
}

static void add_execution(void *user, const struct store_workload *w)
{
    struct filling *f = user;
    struct report_side *side = f->last;
    if (!side || strcmp(side->of->target, w->target) != 0)
        side = (struct report_side *)report_side_of(f->s, f->from, w->target);
    f->last = side;
    if (!side) /* of no run */
        return;
    size_t at = (size_t)(side - f->s->items);
    add_to(f->a, &side->all, w);
    add_to(f->a, &load_of(f, &f->s->domains, w->domain, BYTES_NONE)->by_side[at], w);
    add_to(f->a, &load_of(f, &f->s->workflows, w->domain, bytes_of_string(w->workflow))->by_side[at], w);
    add_mutators(f, at, w);
}

/* ---- order ---- */

static int by_name(const void *a, const void *b)
{
    const struct report_load *x = a, *y = b;
    int order = strcmp(x->domain, y->domain);
    return order ? order : strcmp(x->name, y->name);
}

static int by_count(const void *a, const void *b)
{
    const struct report_cause *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->ending != y->ending)
        return x->ending < y->ending ? 1 : -1;
    return strcmp(x->op, y->op);
}

static void order_causes(struct report_tally *t)
{
    if (t->cause_count)
        qsort(t->causes, t->cause_count, sizeof *t->causes, by_count);
}

static void order(struct report_sides *s, struct report_loads *loads)
{
    if (loads->count)
        qsort(loads->items, loads->count, sizeof *loads->items, by_name);
    for (size_t i = 0; i < loads->count; i++)
        for (size_t side = 0; side < s->count; side++)
            order_causes(&loads->items[i].by_side[side]);
}

/* ---- targets ---- */

/* From how it is spoken to, or else from what ran on it: nobody has said what it is. */
static const char *kind_of(const struct report_sides *s, size_t side)
{
    if (strncmp(s->items[side].of->target, "cdp:", 4) == 0)
        return "browser";
    int64_t pages = 0, tools = 0, rest = 0;
    for (size_t i = 0; i < s->domains.count; i++) {
        const struct report_load *l = &s->domains.items[i];
        int64_t *to = strcmp(l->domain, "browser") == 0 ? &pages : strcmp(l->domain, "tools") == 0 ? &tools : &rest;
        *to += l->by_side[side].ran;
    }
    if (!pages && !rest)
        return tools ? "tools" : "";
    return !rest ? "browser" : !pages ? "code sandbox" : "code sandbox and browser";
}

static int load_targets(const struct report_options *o, struct arena *a, struct report_sides *s, struct error **err)
{
    struct store_side **found = arena_alloc(a, o->source_count * sizeof *found);
    size_t *counts = arena_alloc(a, o->source_count * sizeof *counts), total = 0;
    for (size_t i = 0; i < o->source_count; i++) {
        TRY(store_sides(o->sources[i].store, a, &found[i], &counts[i], err));
        total += counts[i];
    }
    s->items = arena_alloc(a, (total + 1) * sizeof *s->items);
    for (size_t i = 0; i < o->source_count; i++)
        for (size_t k = 0; k < counts[i]; k++) {
            struct report_side *side = &s->items[s->count];
            *side = (struct report_side){.from = &o->sources[i], .of = &found[i][k], .kind = "", .all = {.why = ""}};
            size_t round = s->count / LETTERS;
            int letter = (int)('A' + s->count % LETTERS);
            if (round)
                snprintf(side->label, sizeof side->label, "%c%u", letter, (unsigned)(round + 1) % 100000);
            else
                snprintf(side->label, sizeof side->label, "%c", letter);
            s->count++;
        }
    return 0;
}

int report_sides_load(const struct report_options *o, struct arena *a, struct report_sides *s, struct error **err)
{
    struct filling f = {.a = a, .s = s};
    TRY(load_targets(o, a, s, err));
    for (size_t i = 0; i < o->source_count; i++) {
        f.from = &o->sources[i];
        f.last = NULL;
        TRY(store_workloads(o->sources[i].store, add_execution, &f, err));
    }
    order(s, &s->domains);
    order(s, &s->workflows);
    order(s, &s->mutators);
    for (size_t i = 0; i < s->count; i++) {
        order_causes(&s->items[i].all);
        s->items[i].kind = kind_of(s, i);
    }
    return 0;
}
