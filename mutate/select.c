/* Selection: rows of (domain, workflow) with how often their tasks fit, and candidates drawn from them. */
#include "mutate/select.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "mutate/mutate.h"

/* The sample of a workflow grows while nothing fits, so that what is usual costs little and what is rare is
 * found. */
enum { SAMPLE_FIRST = 10, SAMPLE_GROWS = 4, SAMPLE_MOST = 160, SAMPLE_SEED = 1 };

struct row {
    const struct domain *domain;
    const char *workflow;
    double weight; /* the template's */
    uint64_t made, fitted;
};

struct selection {
    struct select_options o;
    uint64_t seed;
    uint64_t candidates;
    bool plain, judged; /* judged: a task has to be made to see whether it fits */
    struct row *rows;
    size_t row_count;
    struct weight_slot *slots;
};

static bool is_judged(const struct select_options *o)
{
    return o->by_class || o->by_primitive || o->steps_low || o->steps_high || o->hostile;
}

bool select_fits(const struct select_options *o, const struct task *t)
{
    if ((o->steps_low || o->steps_high) && (t->step_count < o->steps_low || t->step_count > o->steps_high))
        return false;
    if (o->hostile && !t->mutations->count)
        return false;
    if (!o->by_class && !o->by_primitive)
        return true;
    struct arm_set armed;
    arm_task(t, &armed);
    return (!o->by_class || arm_meets(&armed, &o->classes)) &&
           (!o->by_primitive || arm_meets(&armed, &o->primitives));
}

/* When no hazard has struck, the domain's are tried one after the other, from one that is drawn on. */
static void force_hazard(struct task *t, const struct domain *d, const struct select_options *o)
{
    size_t count = domain_hazard_count(d);
    struct rng rng;
    rng_seed(&rng, hash64_mix(t->seed, hash64(BYTES_LITERAL("forced hazard"))), t->index);
    size_t first = (size_t)rng_below(&rng, count);
    for (size_t i = 0; i < count && !t->mutations->count; i++) {
        const struct domain_hazard *h = domain_hazard(d, (first + i) % count);
        struct mutation m = {.task = t,
                             .ops = o->ops,
                             .rng = &rng,
                             .settings = o->generate->settings,
                             .on = h->on,
                             .kinds = h->kinds};
        if (h->probability > 0)
            mutator_find(h->mutator)->apply(&m);
    }
    task_identify(t);
}

static int make(const struct select_options *o, const struct domain *d, const char *workflow, uint64_t seed,
                uint64_t index, struct task **task, struct error **err)
{
    const struct generate_options g = {
        .domains = &d, .domain_count = 1, .workflow = workflow, .settings = o->generate->settings};
    TRY(generate_task(&g, seed, index, task, err));
    int status = mutate_hazards(*task, d, o->ops, o->generate->settings, o->strength, err);
    if (status == 0 && o->hostile && !(*task)->mutations->count)
        force_hazard(*task, d, o);
    if (status < 0) {
        task_free(*task);
        *task = NULL;
    }
    return status;
}

/* --- rows --- */

const struct arm_set *selection_classes(const struct selection *s)
{
    return s->o.by_class ? &s->o.classes : NULL;
}

bool select_workflow(const struct select_options *o, const char *workflow)
{
    if (!o->workflow_count)
        return !o->generate->workflow || strcmp(o->generate->workflow, workflow) == 0;
    for (size_t i = 0; i < o->workflow_count; i++)
        if (fnmatch(o->workflows[i], workflow, 0) == 0)
            return true;
    return false;
}

static void add_rows(struct selection *s)
{
    const struct generate_options *g = s->o.generate;
    size_t most = 0;
    for (size_t i = 0; i < g->domain_count; i++)
        most += domain_workflow_count(g->domains[i]);
    s->rows = xcalloc(most ? most : 1, sizeof *s->rows);
    for (size_t i = 0; i < g->domain_count; i++) {
        const struct domain *d = g->domains[i];
        double total = 0;
        for (size_t k = 0; k < domain_workflow_count(d); k++)
            total += domain_workflow_weight(d, k);
        for (size_t k = 0; k < domain_workflow_count(d); k++)
            if (select_workflow(&s->o, domain_workflow_name(d, k)) && domain_workflow_weight(d, k) > 0)
                s->rows[s->row_count++] = (struct row){.domain = d,
                                                       .workflow = domain_workflow_name(d, k),
                                                       .weight = domain_workflow_weight(d, k) / total};
    }
}

static int sample_row(const struct selection *s, struct row *row, uint64_t count, struct error **err)
{
    for (uint64_t end = row->made + count; row->made < end; row->made++) {
        struct task *t = NULL;
        TRY(make(&s->o, row->domain, row->workflow, SAMPLE_SEED, row->made, &t, err));
        row->fitted += select_fits(&s->o, t);
        task_free(t);
    }
    return 0;
}

static uint64_t fitted(const struct selection *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->row_count; i++)
        sum += s->rows[i].fitted;
    return sum;
}

static int sample(struct selection *s, struct error **err)
{
    for (uint64_t count = SAMPLE_FIRST; count <= SAMPLE_MOST && !fitted(s); count *= SAMPLE_GROWS)
        for (size_t i = 0; i < s->row_count; i++)
            TRY(sample_row(s, &s->rows[i], count, err));
    return 0;
}

static void add_wish(struct buf *out, const char *wish)
{
    buf_addf(out, "%s%s", out->len ? ", " : "", wish);
}

static void add_classes(struct buf *out, const struct arm_set *set, const char *what)
{
    buf_addf(out, "%s%s", out->len ? ", " : "", what);
    for (size_t i = 0; i < ARM_CLASSES; i++)
        if (arm_has(set, i))
            buf_addf(out, " %s", class_at(i)->id);
}

/* "arms C63, has 3 to 5 steps": what was asked for. */
static void describe(const struct select_options *o, struct buf *out)
{
    if (o->by_class)
        add_classes(out, &o->classes, "arms any of");
    if (o->by_primitive)
        add_classes(out, &o->primitives, "arms any of");
    if (o->steps_low || o->steps_high)
        buf_addf(out, "%shas %u to %u steps", out->len ? ", " : "", o->steps_low, o->steps_high);
    if (o->hostile)
        add_wish(out, "is hostile");
}

static int nothing_fits(const struct selection *s, uint64_t tries, struct error **err)
{
    struct buf wishes;
    buf_init(&wishes, 4096);
    describe(&s->o, &wishes);
    int status = error_set(err, ERR_INPUT, "none of %llu tasks tried fits: %s", (unsigned long long)tries,
                           buf_string(&wishes));
    buf_release(&wishes);
    return status;
}

/* Keeps the rows that gave something; the better they did, the more often they are drawn. */
static void rank(struct selection *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i].fitted || !s->judged)
            s->rows[kept++] = s->rows[i];
    s->row_count = kept;
    double *weights = xcalloc(kept, sizeof *weights);
    for (size_t i = 0; i < kept; i++)
        weights[i] = s->judged ? s->rows[i].weight * (double)s->rows[i].fitted / (double)s->rows[i].made
                               : s->rows[i].weight;
    s->slots = xcalloc(kept, sizeof *s->slots);
    weight_slots_fill(s->slots, weights, kept);
    free(weights);
}

static int open_rows(struct selection *s, struct error **err)
{
    add_rows(s);
    if (!s->row_count)
        return error_set(err, ERR_INPUT, "no workflow of these domains matches");
    if (s->judged)
        TRY(sample(s, err));
    uint64_t made = 0;
    for (size_t i = 0; i < s->row_count; i++)
        made += s->rows[i].made;
    if (s->judged && !fitted(s))
        return nothing_fits(s, made, err);
    rank(s);
    return 0;
}

int selection_new(const struct select_options *o, uint64_t seed, struct selection **selection,
                  struct error **err)
{
    struct selection *s = xcalloc(1, sizeof *s);
    s->o = *o;
    s->seed = seed;
    s->candidates = (uint64_t)settings_int(o->generate->settings, "select.candidates");
    s->judged = is_judged(o);
    s->plain = !s->judged && !o->workflow_count;
    int status = 0;
    if (!s->plain)
        for (size_t i = 0; i < o->generate->domain_count && status == 0; i++)
            status = mutate_check_hazards(o->generate->domains[i], err);
    if (!s->plain && status == 0)
        status = open_rows(s, err);
    if (status < 0)
        selection_free(s);
    else
        *selection = s;
    return status;
}

void selection_free(struct selection *s)
{
    if (!s)
        return;
    free(s->rows);
    free(s->slots);
    free(s);
}

bool selection_plain(const struct selection *s)
{
    return s->plain;
}

uint64_t selection_from(const struct selection *s, uint64_t record_index)
{
    return s->plain ? record_index : record_index / s->candidates + (record_index % s->candidates > 0);
}

/* --- candidates --- */

static const struct row *draw(const struct selection *s, struct rng *rng)
{
    size_t i = (size_t)rng_below(rng, s->row_count);
    bool stays = (uint32_t)rng_next(rng) < s->slots[i].keep || s->slots[i].other == i;
    return &s->rows[stays ? i : s->slots[i].other];
}

static int plain_task(const struct selection *s, uint64_t index, struct task **task, struct error **err)
{
    const struct generate_options *g = s->o.generate;
    TRY(generate_task(g, s->seed, index, task, err));
    int status = mutate_hazards(*task, g->domains[index % g->domain_count], s->o.ops, g->settings,
                                s->o.strength, err);
    if (status < 0) {
        task_free(*task);
        *task = NULL;
    }
    return status;
}

int selection_task(const struct selection *s, uint64_t index, struct task **task, struct error **err)
{
    if (s->plain)
        return plain_task(s, index, task, err);
    struct rng rng;
    rng_seed(&rng, hash64_mix(s->seed, hash64(BYTES_LITERAL("select"))), index);
    for (uint64_t k = 0; k < s->candidates; k++) {
        const struct row *row = draw(s, &rng);
        TRY(make(&s->o, row->domain, row->workflow, s->seed, index * s->candidates + k, task, err));
        if (!s->judged || select_fits(&s->o, *task))
            return 0;
        task_free(*task);
        *task = NULL;
    }
    return nothing_fits(s, s->candidates, err);
}
