/* What the files that make up sessions share: target.c, session.c, session_calls.c, call.c, stage.c, spell.c.
 */
#ifndef EXEC_TARGET_SESSION_INTERNAL_H
#define EXEC_TARGET_SESSION_INTERNAL_H

#include "exec/target/driver.h"

/* --- outcomes of calls (call.c) --- */

/* Before anything else: an empty outcome that starts now. */
void call_begin(struct call *call);
/* Sets how long it took, when nobody has yet. */
void call_end(struct call *call);
/* `reason` is static, or lives in the call's arena. */
void call_skip(struct call *call, const char *reason);
/* A class with a message; code: an errno or 0. */
void call_fail(struct call *call, enum outcome_class class, int64_t code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The result object, made when it is not there yet. */
struct json *call_result(struct call *call);
/* Members of it. Bytes are copied. */
void call_put_bytes(struct call *call, const char *name, struct bytes value);
void call_put_integer(struct call *call, const char *name, int64_t value);
/* Milliseconds until the call's deadline; not less than 0. */
int64_t call_time_left(const struct call *call);
/* Arguments. False: absent, or something else; *present (may be NULL) tells these apart. */
bool call_bytes(const struct call *call, const char *name, struct bytes *value);
bool call_integer(const struct call *call, const char *name, int64_t *value, bool *present);

/* --- what both sides see (session_visible.c) --- */

/* Sets root_visible and disk_visible; asks the target, by a few calls, when no session of it has done so yet. */
void session_look_for_root(struct session *s);

/* --- staging (stage.c) --- */

bool stage_supports(const struct session *s, const char *need); /* "stage", "stage:stored", "stage:mount", "stage:device" */
bool stage_is(const struct op *op);
void stage_call(struct session *s, struct call *call);
void stage_release(struct session *s); /* unmounts what was mounted */

/* --- programs beside the ops (programs.c) --- */

/* "program:git", "python:numpy": what a step says it uses. */
bool programs_is(const char *need);
/* Whether it is there: asked in the target once, by a run, then remembered for all its sessions. A name that is none, or a
 * target without the language to ask in, counts as not there. */
bool programs_has(struct session *s, const char *need);

/* --- budgets (session_budget.c) --- */

/* Takes one call from the budgets; false, with the call skipped, when one of them does not have it. */
bool session_budget_take(struct session *s, struct call *call);
/* After it: what was sent beyond what was counted, and tabs that were closed. */
void session_budget_settle(struct session *s, const struct call *call);
/* Waits for the turn of so many calls, where budget.rate is set. */
void session_budget_rate(struct session *s, size_t count);
void session_disk_watch(struct session *s); /* from now on */
/* Why the session must stop for the disk's sake; NULL: it need not. Cheap enough to be asked all the time. */
const char *session_disk_full(struct session *s);

/* --- the border for secrets (session_secrets.c) --- */

void session_secrets_sent(struct session *s, struct call *const *calls, size_t count); /* before calls: notes what they hold */
void session_secrets_came(struct session *s, struct call *const *calls, size_t count); /* after them: cleans their outcomes */
struct bytes session_secrets_tail(struct session *s, struct bytes text);
const struct wire_event *session_secrets_events(struct session *s, const struct wire_event *events, size_t count);
void session_secrets_processes(struct session *s, struct process_info *list, size_t count);
struct web_visits;
void session_secrets_visits(struct session *s, struct arena *a, struct web_visits *all); /* a copy of ours, changed in place */
void session_secrets_text(struct session *s, struct buf *out, size_t from); /* what was appended behind `from` */
void target_secrets_error(const struct target *t, struct error **err);

/* --- memory (memory.c) --- */

/* The most that the target's own process ever had in memory, in bytes; 0: there is none, or it cannot be seen. */
uint64_t session_peak_memory(const struct session *s);

/* --- the rest --- */

/* How an op, or a need like "write:bytes", can be had in this session. */
enum support session_support(struct session *s, const char *need);
enum support session_support_op(struct session *s, const struct op *op);
/* A line for each op: "write: by commands"; for drivers' explain. */
void session_explain_ops(struct session *s, struct buf *out);
/* Starts target and agent on the directories that are there; for session_open and session_reopen. */
int session_start(struct session *s, struct error **err);
void session_shut(struct session *s); /* driver, then whatever is left of it */
/* The same for a task that ends its session itself: what is left of its first life is kept for session_end. */
void session_shut_noting(struct session *s);
/* Calls without looking at budgets, counted nowhere: canaries and probes. */
void session_calls_raw(struct session *s, struct call *const *calls, size_t count);

#endif
