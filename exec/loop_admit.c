/* Who joins the corpus: a task that showed something new which shows again. What is new is tried in fresh sessions, as often as its domain
 * asks for (exec/oracle/feedback.h), and in no more of them than it takes to decide. The sessions in which a finding is confirmed run
 * the same task, so they count too. What fails too often is not tried again (the store sees to that), and sessions that are held for this
 * alone get a share of the time: what has to wait is tried with the next task that shows it. */
#include "exec/loop_internal.h"

#include "base/clock.h"
#include "exec/oracle/feedback.h"

#include <stdlib.h>

enum { LATENCIES_MAX = 64, OWN_PART = 8, STATE_PART = 2 /* of the time for trials: the eighth part for each domain, half for states */ };
static const double FEW = 10; /* stable features of a domain that has few */
enum { RUNS_MAX = 5 }; /* sessions for one execution: what is undecided then was not watched in them */
enum { FEATURES_A_STEP = 40, FEATURES_BESIDE = 256, FEATURES_MAX = 16384 };

/* Room for the features of such an execution; what finds none is lost, and a task of so many steps has enough to show. */
static size_t room_for(const struct execution *e)
{
    size_t room = FEATURES_BESIDE + FEATURES_A_STEP * e->count + e->seen_count;
    return room < FEATURES_MAX ? room : FEATURES_MAX;
}

bool loop_admission_strong(const struct loop_admission *m, const struct store_trial *t)
{
    return !(m->record.weak >> (t->feature >> 56 & (FEEDBACK_IDS - 1)) & 1);
}

static void decide(struct store_trial *t)
{
    const struct feedback *d = feedback_of(t->feature);
    t->stable = t->shows >= d->shows;
    t->failed = !t->stable && t->tries - t->shows > d->runs - d->shows;
}

/* Where several tasks were put together, what is new at the seams is no news. */
static uint64_t weak_domains(const struct loop_work *work)
{
    uint64_t weak = 0;
    const struct feedback *d;
    for (size_t i = 0; (d = feedback_at(i)); i++)
        weak |= (uint64_t)(!d->alone || (work->part_count && d->about == FEEDBACK_SEAMS)) << d->id;
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
    m->record.weak = weak_domains(m->work);
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

uint64_t *loop_admission_features(const struct loop_admission *m, const struct execution *e, struct arena *a, size_t *count)
{
    size_t room = room_for(e);
    uint64_t *features = arena_alloc(a, room * sizeof *features);
    *count = features_of(e, &m->context, features, room);
    return features;
}

bool loop_admission_has(const uint64_t *features, size_t count, uint64_t feature)
{
    return bsearch(&feature, features, count, sizeof *features, compare) != NULL;
}

void loop_admission_tried(struct store_trial *t, bool showed)
{
    t->tries++;
    t->shows += showed;
    decide(t);
}

void loop_admission_ran(struct loop_admission *m, const struct execution *e)
{
    struct arena scratch;
    size_t count;
    if (!m->trials.count || e->harness || (!e->executed && e->skip_reason))
        return;
    arena_init(&scratch);
    const uint64_t *again = loop_admission_features(m, e, &scratch, &count);
    uint64_t shown = domains_of(again, count);
    for (size_t i = 0; i < m->trials.count; i++) {
        struct store_trial *t = &m->trials.items[i];
        const struct feedback *d = feedback_of(t->feature);
        if (t->stable || t->failed || (d->watched && !(shown >> d->id & 1)))
            continue;
        loop_admission_tried(t, loop_admission_has(again, count, t->feature));
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
        open = !t->stable && !t->failed && loop_admission_strong(m, t) && !(d->watched && m->blind);
    }
    return open;
}

/* Without feedback nobody asks for what is stable. */
static bool tries(const struct loop *l)
{
    return l->options->feed_back && settings_flag(l->options->settings, "loop.feedback");
}

/* The domains that another session could decide something of; a set. */
static uint64_t open_domains(const struct loop_admission *m)
{
    uint64_t open = m->states;
    for (size_t i = 0; i < m->trials.count; i++) {
        const struct store_trial *t = &m->trials.items[i];
        if (!t->stable && !t->failed && loop_admission_strong(m, t))
            open |= UINT64_C(1) << (t->feature >> 56 & (FEEDBACK_IDS - 1));
    }
    return open;
}

/* Is there time for a session that takes as long as the first one did? So quick tasks are tried at once, and a slow one, for which many of
 * those could be tried, when time is left over. Domains of which there is much would use up all of it, so each has a part of its own. */
bool loop_admission_may_run(struct loop_admission *m, int64_t ns)
{
    struct loop *l = m->loop;
    uint64_t open = open_domains(m);
    double share = settings_real(l->options->settings, "feedback.again-share");
    pthread_mutex_lock(&l->lock);
    double allowed = share * (double)(clock_monotonic_ns() - l->start_ns) * l->options->workers;
    bool may = !l->again_ns || (double)(l->again_ns + ns) <= allowed;
    for (size_t d = 0; d < FEEDBACK_IDS && !may; d++)
        may = (open >> d & 1) && (double)(l->again_of_ns[d] + ns) <= allowed / (feedback_find((unsigned)d)->about == FEEDBACK_STATE ? STATE_PART : OWN_PART);
    may = may && share > 0 && !l->halt;
    pthread_mutex_unlock(&l->lock);
    return may;
}

int loop_admission_run(struct loop_admission *m, const struct task *task, struct arena *a, struct execution *e, struct error **err)
{
    struct loop *l = m->loop;
    struct error *trouble = NULL;
    int64_t began_ns = clock_monotonic_ns();
    uint64_t open = open_domains(m);
    struct runner_pool own = {.observers = l->options->observers}; /* or what they saw could not be seen again */
    *e = (struct execution){0};
    int status = runner_execute_pooled(&own, l->options->target, task, a, &l->halt, e, &trouble);
    bool fit = !status && !e->harness && (e->executed || !e->skip_reason);
    pthread_mutex_lock(&l->lock);
    int64_t took_ns = clock_monotonic_ns() - began_ns;
    l->again_ns += took_ns;
    for (size_t d = 0; d < FEEDBACK_IDS && open; d++)
        l->again_of_ns[d] += (open >> d & 1) ? took_ns / __builtin_popcountll(open) : 0;
    l->total.again += fit;
    pthread_mutex_unlock(&l->lock);
    if (status == ERR_OUTPUT || status == ERR_INPUT) {
        *err = trouble;
        return status;
    }
    error_free(trouble);
    return fit;
}

static int run_again(struct loop_admission *m, struct error **err)
{
    struct arena a;
    struct execution e;
    arena_init(&a);
    int ran = loop_admission_run(m, m->record.task, &a, &e, err);
    if (ran > 0)
        loop_admission_ran(m, &e);
    m->blind |= !e.seen_count;
    m->ran += ran > 0;
    arena_release(&a);
    return ran;
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
        any = m->trials.items[i].stable && loop_admission_strong(m, &m->trials.items[i]);
    return any;
}

/* What a new feature is worth: much where its domain has few, little where another one turns up every second. */
static int weigh(struct loop_admission *m, struct error **err)
{
    for (size_t i = 0; i < m->trials.count && m->worth < 1; i++) {
        struct store_domain domain;
        if (!m->trials.items[i].stable)
            continue;
        TRY(store_domain(m->loop->options->store, (unsigned)(m->trials.items[i].feature >> 56), &domain, err));
        m->worth += FEW / (FEW + (double)domain.stable);
    }
    m->worth = m->worth < 1 ? m->worth : 1;
    return 0;
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

/* Fresh sessions, as many as there is time for and as it takes. */
static int run_trials(struct loop_admission *m, struct arena *a, struct error **err)
{
    int ran = loop_trim(m, a, err);
    while (ran > 0 && m->ran < RUNS_MAX && asks(m) && loop_admission_may_run(m, m->record.ns))
        ran = run_again(m, err);
    return ran < 0 ? ran : 0;
}

static int join_or_not(struct loop_admission *m, const struct execution *e, struct arena *a, size_t *gained, struct error **err)
{
    struct loop *l = m->loop;
    if (tries(l))
        TRY(run_trials(m, a, err));
    else
        believe(m);
    bool in = joins(m);
    if (in) {
        tell(m, e, a);
        TRY(weigh(m, err));
    }
    TRY(store_admit(l->options->store, &m->record, in, gained, err));
    pthread_mutex_lock(&l->lock);
    l->total.features += (int64_t)*gained;
    l->total.corpus += *gained > 0;
    pthread_mutex_unlock(&l->lock);
    return 0;
}

int loop_admission_end(struct loop_admission *m, const struct execution *e, struct arena *a, size_t *gained, struct error **err)
{
    *gained = 0;
    if (!m->trials.count)
        return 0;
    int status = join_or_not(m, e, a, gained, err);
    task_free(m->trimmed);
    m->trimmed = NULL;
    return status;
}
