/* Smaller tasks for findings while a fuzz goes on: one worker at a signature, in a share of the time of all. What the share does
 * not allow now is made up for when the signature is seen again, or by `taskgen shrink`. */
#include "exec/loop_internal.h"

#include "base/clock.h"
#include "exec/reduce.h"

enum {
    SHRINKS_MAX = 3,  /* tries for one signature in one run of the loop */
    SLICE_MIN_MS = 5000
};

static int64_t share_left_ns(const struct loop *l, int64_t now_ns)
{
    double share = settings_real(l->options->settings, "shrink.share");
    return (int64_t)(share * (double)(now_ns - l->start_ns) * l->options->workers) - l->shrink_ns;
}

/* How long this worker may take for it now; 0: not at all. Marks it as busy if so. */
static int64_t claim(struct loop *l, const char *signature, int64_t now_ns)
{
    const struct loop_options *o = l->options;
    int64_t slice_ms = settings_int(o->settings, "shrink.time");
    pthread_mutex_lock(&l->lock);
    struct loop_known *row = loop_known_row(l, signature);
    int64_t left_ms = share_left_ns(l, now_ns) / 1000000;
    bool mine = o->shrink && row->settled && !row->busy && !row->shrunk && left_ms > 0 && !l->halt;
    if (mine) {
        row->busy = true;
        row->shrinks++;
    }
    pthread_mutex_unlock(&l->lock);
    if (left_ms < SLICE_MIN_MS)
        left_ms = SLICE_MIN_MS; /* what began should get somewhere; later ones wait for it */
    return !mine ? 0 : slice_ms < left_ms ? slice_ms : left_ms;
}

static void unclaim(struct loop *l, const char *signature, const struct reduce_result *r, bool failed, int64_t began_ns)
{
    pthread_mutex_lock(&l->lock);
    struct loop_known *row = loop_known_row(l, signature);
    row->busy = false;
    row->shrunk = row->shrinks >= SHRINKS_MAX || (!failed && (r->end == REDUCE_WHOLE || r->end == REDUCE_RUNS));
    l->shrink_ns += clock_monotonic_ns() - began_ns;
    pthread_mutex_unlock(&l->lock);
}

int loop_shrink(struct loop *l, const char *signature, struct error **err)
{
    const struct loop_options *o = l->options;
    int64_t now_ns = clock_monotonic_ns(), slice_ms = claim(l, signature, now_ns);
    if (!slice_ms)
        return 0;
    struct reduce_options options = {
        .target = o->target,
        .store = o->store,
        .settings = o->settings,
        .ops = o->ops,
        .domains = o->generate ? o->generate->domains : NULL,
        .domain_count = o->generate ? o->generate->domain_count : 0,
        .stop = &l->halt,
        .time_ms = slice_ms,
    };
    struct reduce_result r;
    struct error *trouble = NULL;
    int status = reduce_finding(&options, signature, false, &r, &trouble);
    unclaim(l, signature, &r, status < 0, now_ns);
    if (status == ERR_OUTPUT) {
        *err = trouble;
        return status;
    }
    error_free(trouble); /* sessions that cannot be had end the loop elsewhere; a task that cannot be read stays as it is */
    return 0;
}
