/* The loop's workers and its clock. The caller's thread watches the time and the stop flag and reports progress; workers
 * take work, run it in a session of its own and settle what they saw. Nothing but the store is shared, and the counters
 * under one lock. */
#include "exec/loop_internal.h"

#include "base/clock.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICK_MS = 50,
    TRIM_MS = 10000,
    RUNS_WEIGHED = 16,      /* the mean time of an execution is about that of so many */
    REFUSED_MOST = 1000,    /* sessions in a row that could not be had; more are not counted */
    BACK_OFF_MS = 100,      /* doubled with each, up to 32 times as long */
    RATE_SAMPLES = 8        /* the rate is that of the last so many reports */
};

static const char *const end_names[] = {
    [LOOP_END_DONE] = "done", [LOOP_END_RUNS] = "runs", [LOOP_END_TIME] = "time",
    [LOOP_END_STABLE] = "stable", [LOOP_END_STOP] = "stopped", [LOOP_END_FAILED] = "failed",
};

const char *loop_end_name(enum loop_end end)
{
    return end_names[end];
}

struct worker {
    struct loop *loop;
    pthread_t thread;
    unsigned number;
    bool started;
    struct runner_pool pool;
};

static void end_with(struct loop *l, struct error *err)
{
    pthread_mutex_lock(&l->lock);
    if (!l->err && err && err->code != ERR_STOP)
        l->err = err;
    else
        error_free(err);
    if (l->err)
        l->halt = 1;
    pthread_mutex_unlock(&l->lock);
}

/* A session could not be had: wait, longer each time; true when the target has been gone for so long that it is given up. A server that is
 * started anew, a network that is away for a minute, are not the end of a campaign of days. */
static bool refused(struct loop *l)
{
    int64_t now_ns = clock_monotonic_ns(), patience_ns = settings_int(l->options->settings, "loop.patience") * 1000000;
    pthread_mutex_lock(&l->lock);
    int times = l->refused < REFUSED_MOST ? ++l->refused : REFUSED_MOST;
    l->refused_ns = l->refused_ns ? l->refused_ns : now_ns;
    bool gone = now_ns - l->refused_ns >= patience_ns;
    pthread_mutex_unlock(&l->lock);
    int64_t wait = gone ? 0 : (int64_t)BACK_OFF_MS << (times < 6 ? times - 1 : 5);
    for (; wait > 0 && !l->halt; wait -= TICK_MS)
        clock_sleep_ms(TICK_MS);
    return gone;
}

/* On failure the trouble is freed. */
static int note_refused(struct loop *l, struct error *trouble, struct error **err)
{
    int status = store_run_refused(l->options->store, l->options->run, err);
    if (status < 0)
        error_free(trouble);
    return status;
}

/* Runs one piece of work until a session was had for it. */
static int run_work(struct loop *l, struct runner_pool *pool, const struct loop_work *work, struct arena *a, struct error **err)
{
    for (;;) {
        struct execution e = {0};
        struct error *trouble = NULL;
        arena_clear(a);
        int status = runner_execute_pooled(pool, l->options->target, work->task, a, &l->halt, &e, &trouble);
        if (!status) {
            pthread_mutex_lock(&l->lock);
            l->refused = 0;
            l->refused_ns = 0;
            if (e.executed)
                l->run_ns += ((double)e.ns - l->run_ns) / (l->run_ns > 0 ? RUNS_WEIGHED : 1);
            pthread_mutex_unlock(&l->lock);
            return loop_settle(l, work, &e, a, err);
        }
        if (status == ERR_TARGET && !l->halt)
            TRY(note_refused(l, trouble, err));
        if (status != ERR_TARGET || l->halt || refused(l)) {
            *err = trouble;
            return status;
        }
        error_free(trouble);
    }
}

/* One execution of those that are allowed; false: there are none left. */
static bool take_run(struct loop *l)
{
    pthread_mutex_lock(&l->lock);
    bool may = !l->options->runs || l->begun < l->options->runs;
    l->begun += may;
    pthread_mutex_unlock(&l->lock);
    return may;
}

static void give_run_back(struct loop *l)
{
    pthread_mutex_lock(&l->lock);
    l->begun--;
    pthread_mutex_unlock(&l->lock);
}

static void count_source(struct loop *l, enum loop_source source)
{
    int64_t *counts[] = {[LOOP_GENERATE] = &l->total.generated, [LOOP_MUTATE] = &l->total.mutated,
                         [LOOP_SPLICE] = &l->total.spliced, [LOOP_GIVEN] = &l->total.given};
    pthread_mutex_lock(&l->lock);
    ++*counts[source];
    pthread_mutex_unlock(&l->lock);
}

static void *work_on(void *argument)
{
    struct worker *w = argument;
    struct loop *l = w->loop;
    struct arena a;
    struct rng rng;
    arena_init(&a);
    w->pool = (struct runner_pool){.reset = l->options->reset, .most = settings_int(l->options->settings, "session.tasks"),
                                    .observers = l->options->observers};
    rng_seed(&rng, l->options->seed ^ (uint64_t)l->options->run << 32, w->number);
    int status = 0;
    while (status >= 0 && !l->halt && take_run(l)) {
        struct loop_work work;
        struct error *err = NULL;
        arena_clear(&a);
        int more = loop_next(l, &rng, &a, &work, &err);
        if (!more) {
            give_run_back(l);
            break;
        }
        status = more < 0 ? more : run_work(l, &w->pool, &work, &a, &err);
        if (more > 0 && status >= 0)
            count_source(l, work.source);
        if (more > 0)
            loop_work_release(&work);
        if (status < 0)
            end_with(l, err);
    }
    arena_release(&a);
    runner_pool_release(&w->pool);
    pthread_mutex_lock(&l->lock);
    l->running--;
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

struct meter {
    int64_t at_ms[RATE_SAMPLES], count[RATE_SAMPLES];
    unsigned samples;
};

static double rate_of(struct meter *m, int64_t now_ms, int64_t count)
{
    unsigned slot = m->samples % RATE_SAMPLES;
    unsigned oldest = m->samples < RATE_SAMPLES ? 0 : slot;
    int64_t since = m->samples ? m->at_ms[oldest] : 0, base = m->samples ? m->count[oldest] : 0;
    m->at_ms[slot] = now_ms;
    m->count[slot] = count;
    m->samples++;
    return now_ms > since ? (double)(count - base) * 1000 / (double)(now_ms - since) : 0;
}

/* What is new since the last look, and since when nothing is. */
struct news {
    int64_t features, findings;
    int64_t feature_ms, finding_ms; /* -1: none yet */
};

static void look_for_news(struct news *n, struct loop_progress *p)
{
    if (p->features > n->features)
        n->feature_ms = p->elapsed_ms;
    if (p->findings > n->findings)
        n->finding_ms = p->elapsed_ms;
    n->features = p->features;
    n->findings = p->findings;
    p->last_feature_ms = n->feature_ms;
    p->last_finding_ms = n->finding_ms;
}

/* Why the loop should end now; LOOP_END_DONE: it should not. */
static enum loop_end due_end(const struct loop_options *o, const struct loop_progress *p)
{
    int64_t last = p->last_feature_ms > p->last_finding_ms ? p->last_feature_ms : p->last_finding_ms;
    if (o->stop && *o->stop)
        return LOOP_END_STOP;
    if (o->time_ms && p->elapsed_ms >= o->time_ms)
        return LOOP_END_TIME;
    if (o->stable_ms && p->elapsed_ms - (last < 0 ? 0 : last) >= o->stable_ms)
        return LOOP_END_STABLE;
    return LOOP_END_DONE;
}

static void end_because(struct loop *l, enum loop_end why)
{
    pthread_mutex_lock(&l->lock);
    if (!l->halt)
        l->total.end = why;
    l->halt = 1;
    pthread_mutex_unlock(&l->lock);
}

static bool snapshot(struct loop *l, int64_t start_ns, struct loop_progress *p, char title[256])
{
    pthread_mutex_lock(&l->lock);
    *p = l->total;
    memcpy(title, l->last_title, sizeof l->last_title);
    bool running = l->running > 0;
    p->gone_ms = l->refused_ns ? (clock_monotonic_ns() - l->refused_ns) / 1000000 : 0;
    pthread_mutex_unlock(&l->lock);
    p->elapsed_ms = (clock_monotonic_ns() - start_ns) / 1000000;
    p->last_title = *title ? title : NULL;
    return running;
}

/* Until every worker has ended. */
static void watch(struct loop *l, int64_t start_ns, struct news *news)
{
    const struct loop_options *o = l->options;
    int64_t interval = settings_int(o->settings, "status.interval"), next = interval, trim = TRIM_MS;
    struct meter tasks = {0}, calls = {0};
    double rate = 0, call_rate = 0;
    struct loop_progress p;
    char title[256];
    while (snapshot(l, start_ns, &p, title)) {
        look_for_news(news, &p);
        enum loop_end why = due_end(o, &p);
        if (why != LOOP_END_DONE)
            end_because(l, why);
        bool due = p.elapsed_ms >= next;
        if (due) {
            next = p.elapsed_ms + interval;
            rate = rate_of(&tasks, p.elapsed_ms, p.executions);
            call_rate = rate_of(&calls, p.elapsed_ms, p.calls);
        }
        if (o->progress && (due || (o->hurry && atomic_exchange(o->hurry, 0)))) {
            p.rate = rate;
            p.call_rate = call_rate;
            o->progress(o->user, &p);
        }
        if (p.elapsed_ms >= trim) {
            trim = p.elapsed_ms + TRIM_MS;
            malloc_trim(0); /* each worker's heap keeps what its largest task took, full of holes */
        }
        clock_sleep_ms(TICK_MS);
    }
}

/* What the target has no way to do at all, so that no session is spent on tasks that need it. */
static void note_lacks(const struct loop_options *o, struct session *session)
{
    for (size_t i = 0; i < ops_count(o->ops); i++) {
        const char *need = ops_at(o->ops, i)->needs;
        if (*need && !session_supports(session, need) && session_alive(session))
            target_note_lack(o->target, need);
    }
}

/* One session before any work, so that a target that cannot be started is said at once and in one line. While exploring, tasks
 * that it cannot run are passed over: then it is also asked what it can do. */
static int first_answer(const struct loop_options *o, struct error **err)
{
    const struct start as_always = {.shared_memory = 0};
    struct session *session = NULL;
    struct lookout *lookout = lookout_new(o->observers); /* finds out what there is to see */
    int status = session_open_watched(o->target, &as_always, lookout_hooks(lookout), &session, err);
    if (!status && o->feed_back && !o->count && o->ops)
        note_lacks(o, session);
    session_close(session);
    lookout_free(lookout);
    return status;
}

static void start_workers(struct loop *l, struct worker *workers)
{
    l->running = (int)l->options->workers;
    for (unsigned i = 0; i < l->options->workers; i++) {
        workers[i] = (struct worker){.loop = l, .number = i};
        workers[i].started = !pthread_create(&workers[i].thread, NULL, work_on, &workers[i]);
        if (!workers[i].started) {
            pthread_mutex_lock(&l->lock);
            l->running--;
            pthread_mutex_unlock(&l->lock);
        }
    }
}

int loop_run(const struct loop_options *o, struct loop_progress *total, struct error **err)
{
    *total = (struct loop_progress){.last_feature_ms = -1, .last_finding_ms = -1, .end = LOOP_END_FAILED};
    TRY(first_answer(o, err));
    if (o->answered)
        o->answered(o->user);
    struct store_totals before;
    TRY(store_totals(o->store, &before, err));
    struct loop l = {.options = o, .next_index = o->first_index, .kept_before = before.corpus};
    TRY(loop_load_yields(&l, err));
    struct worker *workers = xcalloc(o->workers, sizeof *workers);
    pthread_mutex_init(&l.lock, NULL);
    int64_t start_ns = l.start_ns = clock_monotonic_ns();
    start_workers(&l, workers);
    struct news news = {.feature_ms = -1, .finding_ms = -1};
    watch(&l, start_ns, &news);
    bool any = false;
    for (unsigned i = 0; i < o->workers; i++) {
        any |= workers[i].started;
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
    }
    if (!any)
        error_set(&l.err, ERR_TARGET, "no thread could be started");
    struct error *flush_err = NULL;
    if (store_flush(o->store, &flush_err) < 0)
        end_with(&l, flush_err);
    static _Thread_local char title[256];
    snapshot(&l, start_ns, total, title);
    look_for_news(&news, total);
    total->rate = total->elapsed_ms ? (double)total->executions * 1000 / (double)total->elapsed_ms : 0;
    total->call_rate = total->elapsed_ms ? (double)total->calls * 1000 / (double)total->elapsed_ms : 0;
    if (l.err)
        total->end = LOOP_END_FAILED;
    else if (total->end == LOOP_END_DONE && o->runs && l.begun >= o->runs)
        total->end = LOOP_END_RUNS;
    pthread_mutex_destroy(&l.lock);
    free(workers);
    free(l.known);
    if (l.err) {
        *err = l.err;
        return l.err->code;
    }
    return 0;
}

int loop_replay(struct target *target, const struct task *task, const char *signature, int runs,
                const struct settings *settings, const atomic_int *stop, int *n_failed, int *n_run, struct error **err)
{
    return loop_replay_seen(target, task, signature, runs, settings, stop, NULL, n_failed, n_run, err);
}

int loop_replay_seen(struct target *target, const struct task *task, const char *signature, int runs,
                     const struct settings *settings, const atomic_int *stop, const struct loop_view *view, int *n_failed,
                     int *n_run, struct error **err)
{
    *n_failed = *n_run = 0;
    while (*n_run < runs && !(stop && *stop)) {
        int shows = loop_shows_seen(target, task, signature, stop, view, err);
        if (shows == ERR_STOP) {
            error_free(*err);
            *err = NULL;
            break;
        }
        if (shows < 0)
            return shows;
        *n_failed += shows;
        ++*n_run;
    }
    return 0;
}
