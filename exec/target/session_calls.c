/* Calls: what becomes of each (done here, natively, lowered, not at all), and running them side by
 * side.
 *
 * Calls that go to the driver go in rounds. The first has every native call and the first command of every
 * lowered one, all at once; the following ones have next commands, of those few ops that need more than one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "exec/target/lower.h"
#include "exec/target/session_internal.h"
#include "exec/target/session_site.h"

enum { NS_PER_MS = 1000000, SLICE_MS = 100 };

/* --- what a session can do --- */

/* The op that a need speaks of: "write" of "write:bytes". */
static void need_base(const char *need, char base[64])
{
    size_t length = strcspn(need, ":");
    if (length > 63)
        length = 63;
    memcpy(base, need, length);
    base[length] = '\0';
}

/* Ops of every session's life, which we carry out. */
static bool is_ours(const char *need)
{
    static const char *const ours[] = {"", "idle", "open", "close", "reopen", "sessions"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(need, ours[i]) == 0)
            return true;
    return false;
}

enum support session_support(struct session *s, const char *need)
{
    char base[64];
    if (is_ours(need))
        return SUPPORT_NATIVE;
    need_base(need, base);
    if (strcmp(base, "stage") == 0)
        return stage_supports(s, need) ? SUPPORT_NATIVE : SUPPORT_NONE;
    if (strcmp(need, "site") == 0)
        return session_site_supports(s) ? SUPPORT_NATIVE : SUPPORT_NONE;
    if (programs_is(need))
        return programs_has(s, need) ? SUPPORT_NATIVE : SUPPORT_NONE;
    if (s->driver->supports(s, need) == SUPPORT_NATIVE)
        return SUPPORT_NATIVE;
    /* Commands keep bytes; only a language is run or is not. */
    if (strcmp(base, "run") != 0 && (!need[strlen(base)] || strcmp(need + strlen(base), ":bytes") == 0) &&
        lower_supports(s, base))
        return SUPPORT_LOWERED;
    return SUPPORT_NONE;
}

/* A browser may have some of its ops only. */
static bool is_apart(const struct session *s, const struct op *op)
{
    return s->driver->apart && strcmp(op->group, "browser") == 0;
}

enum support session_support_op(struct session *s, const struct op *op)
{
    enum support support = session_support(s, op->needs);
    if (support != SUPPORT_NATIVE || !is_apart(s, op))
        return support;
    if (s->driver->supports(s, op->name) == SUPPORT_NATIVE)
        return SUPPORT_NATIVE;
    return lower_supports(s, op->name) ? SUPPORT_LOWERED : SUPPORT_NONE;
}

void session_explain_ops(struct session *s, struct buf *out)
{
    static const char *const words[] = {
        [SUPPORT_NONE] = "no", [SUPPORT_LOWERED] = "by commands", [SUPPORT_NATIVE] = "yes"};
    const struct ops *ops = s->target->options.ops;
    for (size_t i = 0; i < ops_count(ops); i++)
        buf_addf(out, "%s: %s\n", ops_at(ops, i)->name, words[session_support_op(s, ops_at(ops, i))]);
}

bool session_supports(struct session *s, const char *need)
{
    return s->running && !s->closed && session_support(s, need) != SUPPORT_NONE;
}

bool session_supports_op(struct session *s, const struct op *op)
{
    return s->running && !s->closed && session_support_op(s, op) != SUPPORT_NONE;
}

bool session_first_refused(const struct session *s)
{
    return s->first_refused;
}

/* --- ops that we carry out --- */

static void call_idle(struct session *s, struct call *call)
{
    int64_t ms = 0;
    if (!call_integer(call, "ms", &ms, NULL) || ms < 0) {
        call_skip(call, "idle: ms is no number that one can wait");
        return;
    }
    if (ms > call->timeout_ms)
        ms = call->timeout_ms;
    if (call->cancel_after_ms >= 0 && ms > call->cancel_after_ms)
        ms = call->cancel_after_ms;
    int64_t left = ms;
    while (left > 0 && !session_stopping(s)) {
        clock_sleep_ms(left < SLICE_MS ? left : SLICE_MS);
        left = ms - (clock_monotonic_ns() - call->outcome.start_ns) / NS_PER_MS;
    }
    call->outcome.class = OUTCOME_OK;
    if (left > 0)
        call_fail(call, OUTCOME_HARNESS, 0, "%s",
                  session_stop_reason(s) ? session_stop_reason(s) : "interrupted");
}

static void call_open(struct session *s, struct call *call)
{
    struct session *other = NULL;
    struct error *err = NULL;
    if (session_open(s->target, &other, &err) < 0) {
        call_fail(call, OUTCOME_TOOL_ERROR, 0, "%s", err->text);
        error_free(err);
        return;
    }
    call->outcome.class = OUTCOME_OK;
    session_close(other);
}

static void call_close(struct session *s, struct call *call)
{
    session_shut_noting(s);
    s->closed = true;
    call->outcome.class = OUTCOME_OK;
}

static void call_reopen(struct session *s, struct call *call)
{
    struct error *err = NULL;
    session_shut_noting(s);
    if (session_reopen(s, &err) < 0) {
        call_fail(call, OUTCOME_TOOL_ERROR, 0, "%s", err->text);
        error_free(err);
        return;
    }
    call->outcome.class = OUTCOME_OK;
}

static const struct {
    const char *op;
    void (*call)(struct session *s, struct call *call);
} own_ops[] = {{"idle", call_idle}, {"open", call_open}, {"close", call_close}, {"reopen", call_reopen}};

static bool is_own(const struct op *op)
{
    for (size_t i = 0; i < sizeof own_ops / sizeof *own_ops; i++)
        if (strcmp(op->name, own_ops[i].op) == 0)
            return true;
    return stage_is(op);
}

static void call_own(struct session *s, struct call *call)
{
    for (size_t i = 0; i < sizeof own_ops / sizeof *own_ops; i++)
        if (strcmp(call->op->name, own_ops[i].op) == 0)
            own_ops[i].call(s, call);
    if (stage_is(call->op))
        stage_call(s, call);
}

/* --- calls that go to the driver --- */

struct plan {
    struct call *call;
    struct lowered *lowered; /* NULL: native */
    struct call sub;         /* its command of this round */
    bool busy;               /* has something to run in the next round */
};

/* Does an argument of type bytes hold what is no UTF-8? */
static bool has_raw_bytes(const struct call *call)
{
    for (size_t i = 0; i < call->op->arg_count; i++) {
        struct bytes value;
        if (call->op->args[i].type == OP_BYTES && call_bytes(call, call->op->args[i].name, &value) &&
            !utf8_valid(value))
            return true;
    }
    return false;
}

/* "run:python" of a run or start with a script; NULL: it says neither what nor in what. */
static const char *language_need(const struct call *call, char need[64])
{
    struct bytes language;
    if (!call_bytes(call, "language", &language) || !json_get(call->args, "script") || language.len > 32)
        return NULL;
    memcpy(need, "run:", 4);
    memcpy(need + 4, language.data, language.len);
    need[4 + language.len] = '\0';
    return need;
}

static enum support support_of(struct session *s, struct call *call)
{
    char need[64];
    const char *name = call->op->name;
    enum support support = session_support_op(s, call->op);
    if ((strcmp(name, "run") == 0 || strcmp(name, "start") == 0) && !json_get(call->args, "argv")) {
        const char *language = language_need(call, need);
        if (!language)
            return SUPPORT_NONE;
        return s->driver->supports(s, language) == SUPPORT_NONE ? SUPPORT_NONE : support;
    }
    if (support == SUPPORT_NATIVE && strcmp(call->op->group, "stage") != 0 && has_raw_bytes(call) &&
        strlen(name) < 50) {
        memcpy(need, name, strlen(name));
        memcpy(need + strlen(name), ":bytes", sizeof ":bytes");
        support = session_support(s, need);
    }
    return support;
}

static void plan_call(struct session *s, struct call *call, struct plan *plan)
{
    *plan = (struct plan){.call = call};
    switch (support_of(s, call)) {
    case SUPPORT_NONE:
        call_skip(call, is_apart(s, call->op) ? call->op->name : call->op->needs);
        break;
    case SUPPORT_NATIVE:
        plan->busy = true;
        break;
    case SUPPORT_LOWERED:
        call->outcome.lowered = true;
        plan->lowered = lower_begin(s, call);
        plan->busy = lower_next(plan->lowered, &plan->sub);
        break;
    }
}

/* What goes to the driver now: all that the budgets have. A lowered op that they leave half done is skipped as a whole. */
static size_t gather(struct session *s, struct plan *plans, size_t count, bool counted, struct call **batch)
{
    size_t busy = 0;
    for (size_t i = 0; i < count; i++) {
        struct call *call = plans[i].lowered ? &plans[i].sub : plans[i].call;
        if (!plans[i].busy)
            continue;
        if (!counted || session_budget_take(s, call)) {
            batch[busy++] = call;
            continue;
        }
        plans[i].busy = false;
        call_skip(plans[i].call, call->outcome.skip_reason);
    }
    return busy;
}

static void run_round(struct session *s, struct plan *plans, size_t count, bool counted, struct call **batch)
{
    size_t busy = gather(s, plans, count, counted, batch);
    if (busy && counted)
        session_budget_rate(s, busy);
    if (busy)
        s->driver->calls(s, batch, busy);
    for (size_t i = 0; counted && i < busy; i++)
        session_budget_settle(s, batch[i]);
    for (size_t i = 0; i < count; i++) {
        struct plan *plan = &plans[i];
        if (!plan->busy)
            continue;
        plan->busy = false;
        if (plan->lowered) {
            lower_reply(plan->lowered, &plan->sub);
            plan->busy = lower_next(plan->lowered, &plan->sub);
        }
        if (!plan->busy)
            call_end(plan->call);
    }
}

static void run_batch(struct session *s, struct call *const *calls, size_t count, bool counted)
{
    struct plan *plans = xcalloc(count, sizeof *plans);
    struct call **batch = xcalloc(count, sizeof *batch);
    bool busy = false;
    for (size_t i = 0; i < count; i++) {
        plan_call(s, calls[i], &plans[i]);
        busy |= plans[i].busy;
    }
    while (busy) {
        run_round(s, plans, count, counted, batch);
        busy = false;
        for (size_t i = 0; i < count; i++)
            busy |= plans[i].busy;
    }
    for (size_t i = 0; i < count; i++)
        call_end(calls[i]);
    free(batch);
    free(plans);
}

/* What cannot be sent now, whatever it is. NULL: it can. */
static const char *obstacle(struct session *s, const struct call *call)
{
    const char *op = call->op->name;
    if (strcmp(op, "reopen") == 0 || strcmp(op, "open") == 0 || strcmp(op, "idle") == 0)
        return NULL;
    if (s->closed)
        return "the session is closed";
    return s->running ? NULL : "the session could not be opened again";
}

/* One that the driver knows nothing of: the call went as it is, which is no failure. */
static void note_mutation(struct call *call)
{
    if (!call->mutation || call->outcome.fault)
        return;
    struct outcome_fault *fault = arena_alloc(call->arena, sizeof *fault);
    *fault = (struct outcome_fault){.mutator = call->mutation->mutator, .kind = call->mutation->kind};
    call->outcome.fault = fault;
}

static void make_calls(struct session *s, struct call *const *calls, size_t count, bool counted)
{
    struct call **sent = xcalloc(count, sizeof *sent), **own = xcalloc(count, sizeof *own);
    size_t sent_count = 0, own_count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *reason = obstacle(s, calls[i]);
        call_begin(calls[i]);
        if (reason)
            call_skip(calls[i], reason);
        else if (is_own(calls[i]->op) && (!counted || session_budget_take(s, calls[i])))
            own[own_count++] = calls[i];
        else if (is_own(calls[i]->op))
            continue;
        else
            sent[sent_count++] = calls[i];
    }
    if (sent_count)
        run_batch(s, sent, sent_count, counted);
    for (size_t i = 0; i < own_count;
         i++) { /* last: an idle beside others is over when they are, or goes on alone */
        call_own(s, own[i]);
        call_end(own[i]);
    }
    for (size_t i = 0; i < count; i++)
        note_mutation(calls[i]);
    free(own);
    free(sent);
}

void session_calls_raw(struct session *s, struct call *const *calls, size_t count)
{
    make_calls(s, calls, count, false);
}

void session_calls(struct session *s, struct call *const *calls, size_t count)
{
    session_secrets_sent(s, calls, count);
    make_calls(s, calls, count, true);
    session_secrets_came(s, calls, count);
}
