/* What a finding goes through: it is stored when it is first seen, tried again in fresh sessions, and stored with its rate.
 *
 * A signature is announced when it has failed in fresh sessions, not when it is first seen: first it is stored as new, so
 * that a kill in between loses nothing, then it is tried confirm.runs times, then stored with its rate. Two workers
 * never try the same signature at the same time. */
#include "exec/loop_internal.h"

#include "base/clock.h"
#include "exec/oracle/check.h"
#include "exec/oracle/facts.h"
#include "exec/reproduce.h"

#include <stdio.h>
#include <string.h>

struct loop_known *loop_known_row(struct loop *l, const char *signature)
{
    for (size_t i = 0; i < l->known_count; i++)
        if (!strcmp(l->known[i].signature, signature))
            return &l->known[i];
    if (l->known_count == l->known_capacity) {
        l->known_capacity = l->known_capacity ? 2 * l->known_capacity : 64;
        l->known = xrealloc(l->known, l->known_capacity * sizeof *l->known);
    }
    struct loop_known *row = &l->known[l->known_count++];
    *row = (struct loop_known){0};
    memcpy(row->signature, signature, sizeof row->signature);
    return row;
}

bool loop_note_waits(struct loop *l, const struct finding *f)
{
    const struct loop_options *o = l->options;
    if (!o->feed_back || !detail_is_note(f->detail))
        return false;
    double share = settings_real(o->settings, "confirm.note-share");
    pthread_mutex_lock(&l->lock);
    double allowed = share * (double)(clock_monotonic_ns() - l->start_ns) * o->workers;
    bool waits = (double)l->note_ns > allowed;
    pthread_mutex_unlock(&l->lock);
    return waits;
}

static void count_note(struct loop *l, const struct finding *f, int64_t began_ns)
{
    pthread_mutex_lock(&l->lock);
    l->note_ns += detail_is_note(f->detail) ? clock_monotonic_ns() - began_ns : 0;
    pthread_mutex_unlock(&l->lock);
}

/* May this worker try the signature in fresh sessions now? Marks it as busy if so. */
static bool claim(struct loop *l, const char *signature)
{
    const struct loop_options *o = l->options;
    pthread_mutex_lock(&l->lock);
    struct loop_known *row = loop_known_row(l, signature);
    bool mine = o->confirm && !row->settled && !row->busy &&
                row->attempts < settings_int(o->settings, "confirm.per-signature");
    if (mine) {
        row->busy = true;
        row->attempts++;
    }
    pthread_mutex_unlock(&l->lock);
    return mine;
}

/* Gives the signature back; true when it is settled now, and was not before. */
static bool unclaim(struct loop *l, const struct finding *f)
{
    bool first = false;
    pthread_mutex_lock(&l->lock);
    struct loop_known *row = loop_known_row(l, f->signature);
    row->busy = false;
    row->settled = f->state == FINDING_CONFIRMED || f->state == FINDING_FLAKY || f->state == FINDING_REGRESSED;
    if (row->settled && !row->counted) {
        first = row->counted = true;
        l->total.findings++;
        l->total.confirmed += f->state != FINDING_FLAKY;
        l->total.interface_findings += !strcmp(f->layer, "interface");
        l->total.sandbox_findings += !strcmp(f->layer, "sandbox");
        snprintf(l->last_title, sizeof l->last_title, "%s", f->title);
    }
    pthread_mutex_unlock(&l->lock);
    return first;
}

static int look(struct target *target, const struct task *task, const char *signature, const atomic_int *halt,
                const struct loop_view *view, struct arena *keep, struct loop_shown *shown, struct error **err)
{
    struct arena a;
    struct execution e = {0};
    struct verdicts verdicts = {.arena = &a};
    arena_init(&a);
    int status = runner_execute(target, task, &a, halt, &e, err);
    if (!status && e.harness)
        status = error_set(err, ERR_TARGET, "this machine could not run the task");
    if (!status) {
        e = facts_known(&e, &a);
        oracle_judge(&e, &verdicts);
    }
    for (size_t i = 0; !status && i < verdicts.count; i++) {
        const struct verdict *v = &verdicts.items[i];
        char key[17];
        struct buf text;
        buf_init(&text, 1 << 16);
        verdict_signature(v, &text, key);
        buf_release(&text);
        if (strcmp(key, signature))
            continue;
        *shown = (struct loop_shown){arena_string(keep, bytes_of_string(v->title)),
                                     arena_string(keep, bytes_of_string(v->evidence)),
                                     arena_string(keep, bytes_of_string(reproduction(&e, v, &a))), v->client_illegal};
        status = 1;
    }
    if (status >= 0 && view)
        view->ran(view->user, &e, status ? shown->wire : NULL);
    arena_release(&a);
    return status;
}

int loop_look(struct target *target, const struct task *task, const char *signature, const atomic_int *halt,
              struct arena *keep, struct loop_shown *shown, struct error **err)
{
    return look(target, task, signature, halt, NULL, keep, shown, err);
}

int loop_shows_seen(struct target *target, const struct task *task, const char *signature, const atomic_int *halt,
                    const struct loop_view *view, struct error **err)
{
    struct arena keep;
    struct loop_shown shown;
    arena_init(&keep);
    int status = look(target, task, signature, halt, view, &keep, &shown, err);
    arena_release(&keep);
    return status;
}

int loop_shows(struct target *target, const struct task *task, const char *signature, const atomic_int *halt,
               struct error **err)
{
    return loop_shows_seen(target, task, signature, halt, NULL, err);
}

static void ran_again(void *user, const struct execution *e, const char *record)
{
    (void)record;
    loop_admission_ran(user, e);
}

/* Fresh sessions, of which f may count some already; `m`: which they decide for too, NULL: none. Trouble of the harness ends the trial and leaves the finding new. */
static int try_again(struct loop *l, const struct task *task, struct finding *f, struct loop_admission *m, struct error **err)
{
    const struct loop_options *o = l->options;
    const struct loop_view view = {.ran = ran_again, .user = m};
    int runs = (int)settings_int(o->settings, "confirm.runs"), need = (int)settings_int(o->settings, "confirm.need");
    for (; f->n_run < runs; f->n_run++) {
        int shows = loop_shows_seen(o->target, task, f->signature, &l->halt, m ? &view : NULL, err);
        if (shows == ERR_STOP && f->n_failed >= need) { /* what is left cannot change it any more */
            error_free(*err);
            *err = NULL;
            break;
        }
        if (shows < 0)
            return shows;
        f->n_failed += shows;
    }
    f->state = f->n_failed >= need ? FINDING_CONFIRMED : f->n_failed ? FINDING_FLAKY : FINDING_UNCONFIRMED;
    return 0;
}

/* A finding that an earlier run has settled: as good as found, with the rate it had. Said once a run. */
static void seen_again(struct loop *l, struct finding *f, enum finding_state state)
{
    pthread_mutex_lock(&l->lock);
    bool said = loop_known_row(l, f->signature)->counted;
    pthread_mutex_unlock(&l->lock);
    f->state = state;
    unclaim(l, f);
    if (!said && l->options->finding)
        l->options->finding(l->options->user, f);
}

/* The finding is that of a smaller task, which has shown it once. */
static void make_smaller(struct finding *f, const struct task *task, const struct loop_shown *shown, struct arena *a)
{
    struct buf text;
    buf_init(&text, (size_t)1 << 30);
    task_write(task, &text);
    f->task = arena_string(a, buf_bytes(&text));
    f->task_steps = (int64_t)task->step_count;
    f->title = shown->title;
    f->evidence = shown->evidence;
    f->wire = shown->wire;
    f->client_illegal = shown->client_illegal;
    f->n_run = f->n_failed = 1;
    buf_release(&text);
}

/* In sessions of the whole task, or of those of its parts that it needs. */
static int try_narrowed(struct loop *l, const struct execution *e, size_t observation, struct finding *f, struct loop_admission *m,
                        struct error **err)
{
    struct loop_shown shown;
    struct task *smaller;
    TRY(loop_narrow(l, m->work, e, observation, f->signature, &shown, &smaller, err));
    if (!smaller)
        return try_again(l, e->task, f, m, err);
    make_smaller(f, smaller, &shown, e->arena);
    int status = try_again(l, smaller, f, NULL, err);
    task_free(smaller);
    return status;
}

/* Tries a claimed signature in fresh sessions and stores what came of it. */
static int try_and_store(struct loop *l, const struct execution *e, size_t observation, struct finding *f, enum finding_state before,
                         struct loop_admission *m, struct error **err)
{
    const struct loop_options *o = l->options;
    bool grew;
    TRY(try_narrowed(l, e, observation, f, m, err));
    f->times_seen = 0; /* counted when it was stored as new */
    if (before == FINDING_FIXED)
        f->state = f->n_failed ? FINDING_REGRESSED : FINDING_FIXED;
    TRY(store_put_finding(o->store, o->run, f, &grew, err));
    if (o->finding)
        o->finding(o->user, f);
    return 0;
}

static int shrink_it(struct loop *l, const struct finding *f, struct error **err)
{
    int64_t began_ns = clock_monotonic_ns();
    int status = loop_note_waits(l, f) ? 0 : loop_shrink(l, f->signature, err);
    count_note(l, f, began_ns);
    return status;
}

static int settle_finding(struct loop *l, const struct execution *e, size_t observation, struct finding *f, struct loop_admission *m,
                          struct error **err)
{
    const struct loop_options *o = l->options;
    bool known = false, grew = false;
    enum finding_state before = FINDING_NEW;
    TRY(store_find(o->store, f->signature, &known, &before, err));
    TRY(store_put_finding(o->store, o->run, f, &grew, err));
    if (o->finding && grew)
        o->finding(o->user, f);
    if (known && before != FINDING_NEW && before != FINDING_UNCONFIRMED && before != FINDING_FIXED) {
        seen_again(l, f, before);
        return shrink_it(l, f, err);
    }
    if (loop_note_waits(l, f) || !claim(l, f->signature))
        return 0;
    struct error *trouble = NULL;
    int64_t began_ns = clock_monotonic_ns();
    int status = try_and_store(l, e, observation, f, before, m, &trouble);
    count_note(l, f, began_ns);
    m->found += unclaim(l, f) && !detail_is_note(f->detail);
    if (status == ERR_OUTPUT || status == ERR_INPUT) {
        *err = trouble;
        return status;
    }
    error_free(trouble); /* a session that could not be had, or the end of the time: tried again when it is seen again */
    return shrink_it(l, f, err);
}

int loop_settle_verdict(struct loop *l, const struct execution *e, const char *task_text, const struct verdict *v,
                        struct loop_admission *m, struct error **err)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    struct finding f = {
        .layer = layer_name(v->layer),
        .primitive = v->primitive,
        .check = v->check,
        .op = v->op,
        .detail = v->detail,
        .raw = v->raw,
        .title = v->title,
        .evidence = v->evidence,
        .target = target_spec(l->options->target),
        .identity = target_identity(l->options->target),
        .state = FINDING_NEW,
        .times_seen = 1,
        .task = task_text,
        .task_steps = (int64_t)e->task->step_count,
        .wire = reproduction(e, v, e->arena),
        .client_illegal = v->client_illegal,
    };
    verdict_signature(v, &text, f.signature);
    f.text = buf_string(&text);
    int status = settle_finding(l, e, v->observation, &f, m, err);
    buf_release(&text);
    return status;
}
