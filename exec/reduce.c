/* Shrinking a stored finding: candidates from mutate/shrink.h, fresh sessions, the store.
 *
 * Invariant: what stands in the store has shown the signature when it was put there, with the evidence of that run. */
#include "exec/reduce.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "exec/loop_internal.h"
#include "mutate/shrink.h"

enum {
    TROUBLE_MAX = 5,   /* sessions in a row that could not be had, or that this machine spoiled */
    TRIES_MAX = 10,    /* sessions for one candidate */
    SHOWS = 2          /* times that a candidate must show it: once may be luck */
};
static const double MISS_CHANCE = 0.05; /* of turning down a candidate that is as flaky as the finding */

struct reduction {
    const struct reduce_options *o;
    struct reduce_result *r;
    struct finding f;     /* as stored; texts in `arena` */
    struct arena arena, shown; /* `shown`: what the last look showed */
    int tries;            /* sessions for a candidate, beside those that show it */
    int trouble;
    int64_t runs_max, deadline_ns;
    bool ended;
};

const char *reduce_end_words(enum reduce_end end)
{
    static const char *const words[] = {
        [REDUCE_WHOLE] = "nothing smaller shows it",
        [REDUCE_RUNS] = "ended after shrink.runs sessions",
        [REDUCE_TIME] = "ended by its time; goes on from here",
        [REDUCE_STOPPED] = "stopped; goes on from here",
        [REDUCE_NOT_SHOWN] = "does not show any more",
    };
    return words[end];
}

/* How many sessions a candidate gets: enough that one as flaky as the finding is seldom missed. */
static int tries_for(const struct finding *f)
{
    if (!f->n_run || f->n_failed >= f->n_run)
        return 1;
    double passes = f->n_failed ? 1 - (double)f->n_failed / f->n_run : 1 - 0.5 / f->n_run;
    double tries = ceil(log(MISS_CHANCE) / log(passes));
    return tries > TRIES_MAX ? TRIES_MAX : tries < 1 ? 1 : (int)tries;
}

static bool end_with(struct reduction *x, enum reduce_end end)
{
    x->r->end = end;
    x->ended = true;
    return true;
}

static bool is_over(struct reduction *x)
{
    if (x->o->stop && *x->o->stop)
        return end_with(x, REDUCE_STOPPED);
    if (clock_monotonic_ns() >= x->deadline_ns)
        return end_with(x, REDUCE_TIME);
    return x->r->runs >= x->runs_max && end_with(x, REDUCE_RUNS);
}

/* One session. 1: shows, 0: does not; trouble of sessions is borne for a while. */
static int look(struct reduction *x, const struct task *task, struct loop_shown *shown, struct error **err)
{
    struct error *trouble = NULL;
    arena_clear(&x->shown);
    int status = loop_look(x->o->target, task, x->f.signature, x->o->stop, &x->shown, shown, &trouble);
    x->r->runs++;
    if (status >= 0)
        x->trouble = 0;
    else if (status == ERR_STOP || (status == ERR_TARGET && ++x->trouble < TROUBLE_MAX))
        status = 0;
    else {
        *err = trouble;
        return status;
    }
    error_free(trouble);
    return status > 0 && (x->f.client_illegal || !shown->client_illegal);
}

/* Does the candidate show it, as surely as is wanted? *shown is the last look that did. */
static int shows(struct reduction *x, const struct task *task, struct loop_shown *shown, struct error **err)
{
    int seen = 0;
    for (int i = 0; seen < SHOWS && i < x->tries + seen && !is_over(x); i++) {
        int status = look(x, task, shown, err);
        if (status < 0)
            return status;
        seen += status;
    }
    return seen >= SHOWS;
}

static int keep(struct reduction *x, const struct task *task, const struct loop_shown *shown, struct error **err)
{
    struct buf text;
    buf_init(&text, (size_t)1 << 30);
    task_write(task, &text);
    struct finding smaller = x->f;
    smaller.task = buf_string(&text);
    smaller.task_steps = (int64_t)task->step_count;
    smaller.title = shown->title;
    smaller.evidence = shown->evidence;
    smaller.wire = shown->wire;
    smaller.client_illegal = shown->client_illegal;
    smaller.target = target_spec(x->o->target);
    smaller.identity = target_identity(x->o->target);
    int status = store_put_shrunk(x->o->store, &smaller, SHRUNK_PART, err);
    buf_release(&text);
    x->r->accepted++;
    x->r->steps = (int64_t)task->step_count;
    x->f.client_illegal &= shown->client_illegal;
    return status;
}

static int try_candidates(struct reduction *x, struct shrink *s, struct error **err)
{
    const struct task *candidate;
    while (!is_over(x)) {
        struct loop_shown shown;
        int more = shrink_next(s, &candidate, err);
        if (more <= 0)
            return more;
        x->r->candidates++;
        int status = shows(x, candidate, &shown, err);
        if (status < 0)
            return status;
        if (status)
            TRY(keep(x, candidate, &shown, err));
        (status ? shrink_accept : shrink_reject)(s);
    }
    return 0;
}

/* The domain whose derivation the task's may be; NULL: it is reduced as a record. */
static const struct domain *const *domain_of(const struct reduce_options *o, const struct task *t)
{
    for (size_t i = 0; *t->derivation && i < o->domain_count; i++)
        if (!strcmp(domain_hash(o->domains[i]), t->grammar_hash) && !strcmp(domain_name(o->domains[i]), t->domain))
            return &o->domains[i];
    return NULL;
}

static int reduce(struct reduction *x, const struct task *task, struct error **err)
{
    const struct reduce_options *o = x->o;
    const struct domain *const *domain = domain_of(o, task);
    struct generate_options g = {.settings = o->settings, .domains = domain, .domain_count = 1};
    struct shrink_options options = {.generate = domain ? &g : NULL, .domain = domain ? *domain : NULL};
    struct loop_shown shown;
    int status = shows(x, task, &shown, err); /* what does not show in its own task could only be lost */
    if (status <= 0) {
        if (!status && !x->ended)
            x->r->end = REDUCE_NOT_SHOWN;
        return status;
    }
    struct shrink *s = shrink_new(&options, task);
    status = try_candidates(x, s, err);
    /* A template does some steps always, however little they matter here; as a record the task may go without them. */
    if (!status && !x->ended && domain) {
        struct shrink *record = shrink_new(&(struct shrink_options){0}, shrink_best(s));
        status = try_candidates(x, record, err);
        shrink_free(record);
    }
    shrink_free(s);
    if (status < 0)
        return status;
    bool whole = x->r->end == REDUCE_WHOLE || x->r->end == REDUCE_RUNS;
    struct finding same = x->f;
    same.task = NULL;
    if (whole || x->r->accepted)
        return store_put_shrunk(o->store, &same, whole ? SHRUNK_WHOLE : SHRUNK_PART, err);
    return 0;
}

static int read_finding(struct reduction *x, const char *signature, struct task **task, struct error **err)
{
    struct finding *found = NULL;
    size_t count = 0;
    TRY(store_findings(x->o->store, signature, &x->arena, &found, &count, err));
    if (count != 1 || strcmp(found->signature, signature) != 0)
        return error_set(err, ERR_INPUT, "no finding has the signature '%s'", signature);
    x->f = *found;
    return task_read(x->o->ops, bytes_of_string(found->task), found->signature, task, err);
}

int reduce_finding(const struct reduce_options *o, const char *signature, bool again, struct reduce_result *r,
                   struct error **err)
{
    struct task *task = NULL;
    *r = (struct reduce_result){.end = REDUCE_WHOLE};
    struct reduction x = {
        .o = o,
        .r = r,
        .runs_max = settings_int(o->settings, "shrink.runs"),
        .deadline_ns = clock_monotonic_ns() + o->time_ms * 1000000,
    };
    arena_init(&x.arena);
    arena_init(&x.shown);
    int status = read_finding(&x, signature, &task, err);
    if (!status) {
        r->steps_before = r->steps = (int64_t)task->step_count;
        x.tries = tries_for(&x.f);
        if (again || x.f.shrunk != SHRUNK_WHOLE)
            status = reduce(&x, task, err);
    }
    task_free(task);
    arena_release(&x.arena);
    arena_release(&x.shown);
    return status;
}
