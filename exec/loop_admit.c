/* Who joins the corpus: a task that showed something new which shows again. What is new is tried in fresh sessions, as often as its domain
 * asks for (exec/oracle/feedback.h), and in no more of them than it takes to decide. The sessions in which a finding is confirmed run
 * the same task, so they count too. What fails too often is not tried again (the store sees to that), and sessions that are held for this
 * alone get a share of the time: what has to wait is tried with the next task that shows it. */
#include "exec/loop_internal.h"

#include "base/clock.h"
#include "exec/oracle/feedback.h"

#include <stdlib.h>

enum { LATENCIES_MAX = 64 };
enum { RUNS_MAX = 5 }; /* sessions for one execution: what is undecided then was not watched in them */
enum { FEATURES_A_STEP = 40, FEATURES_BESIDE = 256, FEATURES_MAX = 16384 };

/* Room for the features of such an execution; what finds none is lost, and a task of so many steps has enough to show. */
static size_t room_for(const struct execution *e)
{
    size_t room = FEATURES_BESIDE + FEATURES_A_STEP * e->count + e->seen_count;
    return room < FEATURES_MAX ? room : FEATURES_MAX;
}

static void decide(struct store_trial *t)
{
    const struct feedback *d = feedback_of(t->feature);
    t->stable = t->shows >= d->shows;
    t->failed = !t->stable && t->tries - t->shows > d->runs - d->shows;
}

static uint64_t weak_domains(void)
{
    uint64_t weak = 0;
    const struct feedback *d;
    for (size_t i = 0; (d = feedback_at(i)); i++)
        weak |= (uint64_t)!d->alone << d->id;
    return weak;
}

/* What is ordinary until now; then this one counts too. */
static void hold_against(struct loop *l, struct loop_admission *m, const struct execution *e, struct arena *a)
{
    size_t room = e->count < LATENCIES_MAX ? e->count : LATENCIES_MAX;
    struct feedback_latency *latencies = arena_alloc(a, room * sizeof *latencies);
    pthread_mutex_lock(&l->lock);
    m->context.latency_count = loop_latency_known(&l->latencies, e, latencies, room);
    if (!e->harness)
        loop_latency_note(&l->latencies, e);
    pthread_mutex_unlock(&l->lock);
    m->context.latencies = latencies;
}

int loop_admission_begin(struct loop *l, struct loop_admission *m, const struct execution *e, bool keep, struct arena *a,
                         struct error **err)
{
    size_t room = keep ? room_for(e) : 0, none = 0;
    uint64_t *features = arena_alloc(a, room * sizeof *features);
    m->loop = l;
    m->context = (struct feedback_context){.domains = l->options->features ? l->options->features : feedback_all()};
    hold_against(l, m, e, a);
    m->record.features = features;
    m->record.feature_count = keep ? features_of(e, &m->context, features, room) : 0;
    m->record.trials = &m->trials;
    m->record.weak = weak_domains();
    m->trials.items = arena_alloc(a, m->record.feature_count * sizeof *m->trials.items);
    TRY(store_put_execution(l->options->store, &m->record, &none, err));
    for (size_t i = 0; i < m->trials.count; i++)
        decide(&m->trials.items[i]);
    return 0;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Domains of which there is any; observers do not look on everywhere. */
static uint64_t domains_of(const uint64_t *features, size_t count)
{
    uint64_t domains = 0;
    for (size_t i = 0; i < count; i++)
        domains |= UINT64_C(1) << (features[i] >> 56 & (FEEDBACK_IDS - 1));
    return domains;
}

void loop_admission_ran(struct loop_admission *m, const struct execution *e)
{
    struct arena scratch;
    if (!m->trials.count || e->harness || (!e->executed && e->skip_reason))
        return;
    arena_init(&scratch);
    size_t room = room_for(e);
    uint64_t *again = arena_alloc(&scratch, room * sizeof *again);
    size_t count = features_of(e, &m->context, again, room);
    uint64_t shown = domains_of(again, count);
    for (size_t i = 0; i < m->trials.count; i++) {
        struct store_trial *t = &m->trials.items[i];
        const struct feedback *d = feedback_of(t->feature);
        if (t->stable || t->failed || (d->watched && !(shown >> d->id & 1)))
            continue;
        t->tries++;
        t->shows += bsearch(&t->feature, again, count, sizeof *again, compare) != NULL;
        decide(t);
    }
    arena_release(&scratch);
}

/* Is there anything that another session could decide, and for which one may be held? */
static bool asks(const struct loop_admission *m)
{
    bool open = false;
    for (size_t i = 0; i < m->trials.count && !open; i++) {
        const struct store_trial *t = &m->trials.items[i];
        const struct feedback *d = feedback_of(t->feature);
        open = !t->stable && !t->failed && d->alone && !(d->watched && m->blind);
    }
    return open;
}

/* Without feedback nobody asks for what is stable. */
static bool tries(const struct loop *l)
{
    return l->options->feed_back && settings_flag(l->options->settings, "loop.feedback");
}

/* Is there time for a session that takes as long as the first one did? So quick tasks are tried at once, and a slow one, for which many of
 * those could be tried, when time is left over. */
static bool may_run(struct loop *l, int64_t ns)
{
    double share = settings_real(l->options->settings, "feedback.again-share");
    pthread_mutex_lock(&l->lock);
    double allowed = share * (double)(clock_monotonic_ns() - l->start_ns) * l->options->workers;
    bool may = share > 0 && !l->halt && (!l->again_ns || (double)(l->again_ns + ns) <= allowed);
    pthread_mutex_unlock(&l->lock);
    return may;
}

/* One fresh session. 1: it ran; 0: it could not be had, or the end has come, so nothing is decided by it; negative: error. */
static int run_again(struct loop_admission *m, struct error **err)
{
    struct loop *l = m->loop;
    struct arena a;
    struct execution e = {0};
    struct error *trouble = NULL;
    int64_t began_ns = clock_monotonic_ns();
    struct runner_pool own = {.observers = l->options->observers}; /* or what they saw could not be seen again */
    arena_init(&a);
    int status = runner_execute_pooled(&own, l->options->target, m->record.task, &a, &l->halt, &e, &trouble);
    if (!status)
        loop_admission_ran(m, &e);
    bool fit = !status && !e.harness && (e.executed || !e.skip_reason);
    bool seen = e.seen_count > 0;
    arena_release(&a);
    m->blind |= !seen;
    m->ran += fit;
    pthread_mutex_lock(&l->lock);
    l->again_ns += clock_monotonic_ns() - began_ns;
    l->total.again += fit;
    pthread_mutex_unlock(&l->lock);
    if (status == ERR_OUTPUT || status == ERR_INPUT) {
        *err = trouble;
        return status;
    }
    error_free(trouble);
    return fit;
}

/* Whoever has tasks run once wants to keep what they show: there what asks for one more look is believed, and the rest left undecided. */
static void believe(struct loop_admission *m)
{
    for (size_t i = 0; i < m->trials.count; i++) {
        struct store_trial *t = &m->trials.items[i];
        t->stable |= !t->failed && feedback_of(t->feature)->runs == 1;
    }
}

static bool joins(const struct loop_admission *m)
{
    bool any = false;
    for (size_t i = 0; i < m->trials.count && !any; i++)
        any = m->trials.items[i].stable && feedback_of(m->trials.items[i].feature)->alone;
    return any;
}

/* In words what is stable now, from the execution that showed it first. */
static void tell(struct loop_admission *m, const struct execution *e, struct arena *a)
{
    size_t count = 0, room = m->trials.count;
    uint64_t *stable = arena_alloc(a, room * sizeof *stable);
    const char **words = arena_alloc(a, room * sizeof *words);
    for (size_t i = 0; i < room; i++)
        if (m->trials.items[i].stable)
            stable[count++] = m->trials.items[i].feature;
    features_tell(e, &m->context, stable, count, a, words);
    for (size_t i = 0, k = 0; i < room; i++)
        if (m->trials.items[i].stable)
            m->trials.items[i].text = words[k++];
}

int loop_admission_end(struct loop_admission *m, const struct execution *e, struct arena *a, size_t *gained, struct error **err)
{
    struct loop *l = m->loop;
    *gained = 0;
    if (!m->trials.count)
        return 0;
    if (!tries(l))
        believe(m);
    int ran = 1;
    while (ran > 0 && tries(l) && m->ran < RUNS_MAX && asks(m) && may_run(l, m->record.ns))
        ran = run_again(m, err);
    if (ran < 0)
        return ran;
    bool in = joins(m);
    if (in)
        tell(m, e, a);
    TRY(store_admit(l->options->store, &m->record, in, gained, err));
    pthread_mutex_lock(&l->lock);
    l->total.features += (int64_t)*gained;
    l->total.corpus += *gained > 0;
    pthread_mutex_unlock(&l->lock);
    return 0;
}
