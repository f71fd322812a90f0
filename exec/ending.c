/* How sessions end; see ending.h. */
#include "exec/ending.h"

#include "exec/oracle/fatal.h"

#include <string.h>

enum { KILLED = 128 + 9 };

static bool holds(struct bytes text, const char *word)
{
    return bytes_find(text, bytes_of_string(word), 0) >= 0;
}

/* What runtimes say when they give up for want of memory; their process then ends by a signal or a status of its own. */
static bool says_out_of_memory(struct bytes stderr_tail)
{
    static const char *const words[] = {"out of memory", "Out of memory", "OutOfMemory", "Cannot allocate memory", "MemoryError", "bad_alloc"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds(stderr_tail, words[i]))
            return true;
    return false;
}

/* Where each call has a sandbox of its own, that of a call which was killed when memory was used up is gone, though the session is not. */
static size_t killed_call(const struct execution *e)
{
    bool own = e->driver && strcmp(e->driver, "exec") == 0;
    for (size_t i = 0; own && e->out_of_memory && i < e->count; i++) {
        const struct outcome *o = &e->observations[i].outcome;
        if (o->has_exit && o->exit == KILLED && !o->by_us)
            return i;
    }
    return e->count;
}

/* The step after which a page crashed that nobody killed; its record says after which of the steps it was noticed. */
static size_t crashed_page(const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->observations[i].killed)
            return e->count;
    for (size_t i = 0; i < e->wire_count; i++) {
        const struct wire_record *w = &e->wire[i];
        if (strcmp(w->kind, "note") == 0 && w->detail && strcmp(w->detail, "a page crashed") == 0)
            return w->after_step < e->count ? w->after_step : 0;
    }
    return e->count;
}

static size_t timed_out(const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (o->outcome.class == OUTCOME_TIMEOUT && !o->outcome.by_us && o->step->cancel_after_ms < 0)
            return i;
    }
    return e->count;
}

static enum execution_ending died(const struct execution *e)
{
    return e->out_of_memory || says_out_of_memory(e->stderr_tail) ? ENDING_OUT_OF_MEMORY : ENDING_DIED;
}

/* A plain call failed that went well before. */
static enum execution_ending fell_out(const struct control *c)
{
    const char *what = c->what ? c->what : "";
    if (strstr(what, outcome_class_name(OUTCOME_TIMEOUT)))
        return ENDING_SILENT;
    bool gone = strstr(what, outcome_class_name(OUTCOME_TRANSPORT_ERROR)) || strstr(what, outcome_class_name(OUTCOME_TARGET_DIED));
    return gone ? ENDING_LOST : ENDING_REFUSING;
}

static enum execution_ending find(const struct execution *e, size_t *at)
{
    if (e->target_died && !fatal_asked_for(e)) {
        *at = fatal_step(e);
        return died(e);
    }
    if ((*at = killed_call(e)) < e->count)
        return ENDING_OUT_OF_MEMORY;
    if (!e->target_died && control_failed(e) && !fatal_asked_for(e)) {
        *at = fatal_step(e);
        return fell_out(&e->control);
    }
    if ((*at = crashed_page(e)) < e->count)
        return ENDING_PAGE_CRASHED;
    return (*at = timed_out(e)) < e->count ? ENDING_TIMED_OUT : ENDING_WELL;
}

enum execution_ending ending_of(const struct execution *e, const char **op)
{
    size_t at = e->count;
    enum execution_ending ending = e->harness ? ENDING_WELL : find(e, &at);
    *op = at < e->count ? e->observations[at].step->op->name : NULL;
    return ending;
}
