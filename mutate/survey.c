/* The survey. Each thread counts on its own over a slice of the indices; sums and unions do not depend on
 * their order. */
#include "mutate/survey.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "mutate/mutate.h"

enum { THREADS_MAX = 64, SET_FIRST = 64 };

/* --- a set of 64-bit keys, open addressing; 0 is kept apart by counting as 1 --- */

struct survey_set {
    uint64_t *slots;
    size_t count, capacity; /* a power of two, at least twice the count */
};

static struct survey_set *set_new(void)
{
    struct survey_set *set = xcalloc(1, sizeof *set);
    set->capacity = SET_FIRST;
    set->slots = xcalloc(set->capacity, sizeof *set->slots);
    return set;
}

static void set_free(struct survey_set *set)
{
    if (set)
        free(set->slots);
    free(set);
}

static void set_place(uint64_t *slots, size_t capacity, uint64_t key)
{
    size_t at = key & (capacity - 1);
    while (slots[at])
        at = (at + 1) & (capacity - 1);
    slots[at] = key;
}

static bool set_has(const struct survey_set *set, uint64_t key)
{
    for (size_t at = key & (set->capacity - 1); set->slots[at]; at = (at + 1) & (set->capacity - 1))
        if (set->slots[at] == key)
            return true;
    return false;
}

static void set_add(struct survey_set *set, uint64_t key)
{
    key = key ? key : 1;
    if (set_has(set, key))
        return;
    if (2 * (set->count + 1) > set->capacity) {
        uint64_t *slots = xcalloc(2 * set->capacity, sizeof *slots);
        for (size_t i = 0; i < set->capacity; i++)
            if (set->slots[i])
                set_place(slots, 2 * set->capacity, set->slots[i]);
        free(set->slots);
        set->slots = slots;
        set->capacity *= 2;
    }
    set_place(set->slots, set->capacity, key);
    set->count++;
}

/* --- shapes --- */

/* The kind of what an argument holds: a recipe's name, text or bytes; none for what is no content. */
static struct bytes content_kind(const struct task *t, const struct json *value)
{
    const struct json *made = value;
    if (task_is_wrapper(value, "$content"))
        made = json_get_bytes(t->contents, json_as_text(json_get(value, "$content")));
    if (json_get(made, "$recipe"))
        return json_as_text(json_get(made, "$recipe"));
    return json_is(made, JSON_STRING) ? BYTES_LITERAL("text") : BYTES_NONE;
}

/* A hash that does not depend on the order of the arguments. */
static uint64_t shape_of(const struct task *t, const struct task_step *step)
{
    uint64_t arguments = 0;
    for (const struct json *value = step->args->first; value; value = value->next) {
        uint64_t key = hash64(value->key);
        const struct op_arg *arg = op_arg_find(step->op, (const char *)value->key.data);
        if (arg && arg->type == OP_BYTES)
            key = hash64_mix(key, hash64(content_kind(t, value)));
        else if (bytes_equal_string(value->key, "language"))
            key = hash64_mix(key, hash64(json_as_text(value)));
        arguments += hash64_mix(key, 0);
    }
    return hash64_mix(hash64(bytes_of_string(step->op->name)), arguments);
}

/* --- counting --- */

static void domain_begin(struct survey_domain *s, const struct domain *d)
{
    *s = (struct survey_domain){.domain = d, .workflow_count = domain_workflow_count(d)};
    s->workflows = xcalloc(s->workflow_count, sizeof *s->workflows);
    for (size_t i = 0; i < s->workflow_count; i++)
        s->workflows[i].name = domain_workflow_name(d, i);
    s->shapes = set_new();
    s->ops = set_new();
}

static void survey_begin(struct survey *s, const struct survey_options *o)
{
    *s = (struct survey){.domain_count = o->generate->domain_count};
    s->domains = xcalloc(s->domain_count, sizeof *s->domains);
    for (size_t i = 0; i < s->domain_count; i++)
        domain_begin(&s->domains[i], o->generate->domains[i]);
}

void survey_release(struct survey *s)
{
    for (size_t i = 0; i < s->domain_count; i++) {
        free(s->domains[i].workflows);
        set_free(s->domains[i].shapes);
        set_free(s->domains[i].ops);
    }
    free(s->domains);
    *s = (struct survey){0};
}

size_t survey_shapes(const struct survey_domain *d)
{
    return d->shapes->count;
}

size_t survey_ops(const struct survey_domain *d)
{
    return d->ops->count;
}

static void count_classes(uint64_t *counts, const struct arm_set *armed)
{
    for (size_t i = 0; i < ARM_CLASSES; i++)
        counts[i] += arm_has(armed, i);
}

static void count_task(struct survey *s, const struct task *t, struct survey_domain *d)
{
    struct arm_set armed;
    arm_task(t, &armed);
    s->tasks++;
    d->tasks++;
    d->steps += t->step_count;
    d->hostile += t->mutations->count > 0;
    count_classes(d->armed, &armed);
    for (size_t i = 0; i < d->workflow_count; i++)
        if (strcmp(d->workflows[i].name, t->workflow) == 0) {
            d->workflows[i].tasks++;
            count_classes(d->workflows[i].armed, &armed);
        }
    for (size_t i = 0; i < t->step_count; i++) {
        set_add(d->shapes, shape_of(t, &t->steps[i]));
        set_add(d->ops, hash64(bytes_of_string(t->steps[i].op->name)));
    }
}

static void add_counts(uint64_t *to, const uint64_t *from)
{
    for (size_t i = 0; i < ARM_CLASSES; i++)
        to[i] += from[i];
}

static void add_set(struct survey_set *to, const struct survey_set *from)
{
    for (size_t i = 0; i < from->capacity; i++)
        if (from->slots[i])
            set_add(to, from->slots[i]);
}

static void survey_add(struct survey *to, const struct survey *from)
{
    to->tasks += from->tasks;
    for (size_t i = 0; i < to->domain_count; i++) {
        struct survey_domain *d = &to->domains[i];
        const struct survey_domain *more = &from->domains[i];
        d->tasks += more->tasks;
        d->steps += more->steps;
        d->hostile += more->hostile;
        add_counts(d->armed, more->armed);
        add_set(d->shapes, more->shapes);
        add_set(d->ops, more->ops);
        for (size_t k = 0; k < d->workflow_count; k++) {
            d->workflows[k].tasks += more->workflows[k].tasks;
            add_counts(d->workflows[k].armed, more->workflows[k].armed);
        }
    }
}

/* --- threads --- */

struct slice {
    const struct survey_options *o;
    struct survey counted;
    uint64_t first, end;
    struct error *err;
};

static int survey_one(struct slice *s, uint64_t index)
{
    const struct generate_options *g = s->o->generate;
    size_t domain = index % g->domain_count;
    struct task *t = NULL;
    TRY(generate_task(g, s->o->seed, index, &t, &s->err));
    int status = mutate_hazards(t, g->domains[domain], s->o->ops, g->settings, s->o->strength, &s->err);
    if (status == 0)
        count_task(&s->counted, t, &s->counted.domains[domain]);
    task_free(t);
    return status;
}

static void *survey_slice(void *argument)
{
    struct slice *s = argument;
    for (uint64_t i = s->first; i < s->end && !s->err && !(s->o->stop && *s->o->stop); i++)
        if (survey_one(s, i) < 0)
            error_wrap(&s->err, "task %llu", (unsigned long long)i);
    return NULL;
}

int survey_run(const struct survey_options *o, struct survey *survey, struct error **err)
{
    pthread_t ids[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    struct slice slices[THREADS_MAX];
    unsigned threads = o->threads < 1 ? 1 : o->threads > THREADS_MAX ? THREADS_MAX : o->threads;
    int status = 0;
    survey_begin(survey, o);
    for (unsigned i = 0; i < threads; i++) {
        slices[i] = (struct slice){
            .o = o, .first = o->count * i / threads, .end = o->count * (i + 1) / threads};
        survey_begin(&slices[i].counted, o);
        started[i] = i > 0 && !pthread_create(&ids[i], NULL, survey_slice, &slices[i]);
    }
    for (unsigned i = 0; i < threads; i++)
        if (!started[i])
            survey_slice(&slices[i]);
    for (unsigned i = 0; i < threads; i++) {
        if (started[i])
            pthread_join(ids[i], NULL);
        survey_add(survey, &slices[i].counted);
        survey_release(&slices[i].counted);
        if (slices[i].err && status == 0) {
            status = slices[i].err->code;
            *err = slices[i].err;
        } else {
            error_free(slices[i].err);
        }
    }
    return status;
}
