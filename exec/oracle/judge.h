/* What checks share: reading an observation, finding out whether somebody else could have touched a file, and
 * saying a verdict. Pure, like all oracles. Paths are compared without regard to "./" and doubled slashes. */
#ifndef EXEC_ORACLE_JUDGE_H
#define EXEC_ORACLE_JUDGE_H

#include "exec/oracle/check.h"

enum { BIG_FRAME = 1 << 20 /* bytes sent from which a loss is put down to the size */ };

/* Observations. */
bool observation_is(const struct observation *o, const char *op);
bool observation_is_any(const struct observation *o, const char *const *ops); /* NULL-terminated */
bool observation_claims(
    const struct observation *o); /* it says that it succeeded, and we have all that it said */
bool observation_refused(const struct observation *o); /* an explicit error of the tool or the protocol */
bool observation_lost(
    const struct observation *o); /* no answer: timeout, unreadable, died; not when we cancelled it */
/* A frame was sent for it that no lawful client sends, or one whose connection we ended: what it did is anybody's guess. */
bool observation_reframed(const struct observation *o); /* another frame was sent than the call's own, lawful or not */
bool observation_mutated(const struct observation *o);
/* The same op with the same arguments, spelled the same way: "a" and "./a" are one file and two calls. */
bool observation_same_call(const struct observation *a, const struct observation *b);
/* The first call of its session: nothing before it, or only what opened that session. */
bool observation_opens(const struct execution *e, size_t index);
struct bytes observation_argument(const struct observation *o, const char *name); /* of a string; none */
struct bytes observation_result(const struct observation *o, const char *name, bool *present);
/* Bytes sent for the step: as counted, or at least what its arguments hold when the target died before it was
 * counted. */
uint64_t observation_size(const struct observation *o);
bool view_has_bytes(const struct file_view *v); /* a regular file, or a link to one, whose hash is known */
bool view_same_bytes(const struct file_view *a, const struct file_view *b);
bool view_special(const struct file_view *v); /* there, and neither file nor directory nor a link to one */

/* Paths. */
bool path_same(struct bytes a, struct bytes b);
uint64_t path_hash(struct bytes path); /* equal for paths that are the same */
bool path_has_nul(struct bytes path);
struct bytes path_name(struct bytes path);                   /* what follows the last slash */
bool path_within(struct bytes path, struct bytes directory); /* the same, or below it */
/* "x/" and "x/." name a directory: of a file that is there they say that it is not. */
bool path_asks_for_directory(struct bytes path);
/* Does this step name the path in `path` or `to`, or may its script or tool touch it? Programs may touch
 * every file unless they are known not to: a script that does not hold the name. */
bool observation_touches(const struct observation *o, struct bytes path);
/* The name stands in the text, whatever is quoted of it: 'a.txt'.new is a.txt.new. The name is not empty. */
bool text_names(struct bytes text, struct bytes name);
/* A step of the same parallel group as `index`, other than it, touches the path. */
bool group_touches(const struct execution *e, size_t index, struct bytes path);
/* A program that an earlier step left in the background may touch the path while step `index` runs. */
bool background_touches(const struct execution *e, size_t index, struct bytes path);
/* What the step began may still be at work when it has returned. */
bool works_on(const struct execution *e, size_t index);
/* The step runs a file into which an earlier one put a program that leaves something in the background: it may touch every file. */
bool runs_background_file(const struct execution *e, size_t index);
/* What it stores is a program that leaves something in the background. */
bool stores_background(const struct observation *o);
bool script_in_background(struct bytes script); /* it starts something that may outlive it */
struct bytes observation_script(
    const struct observation *o); /* script, or the joined argv in the observation's args; none */

/* The task. The record of a mutation speaks of that step, and not only because the steps of another task begin with it (mutate/join.h). */
bool mutation_changes(const struct json *mutation, struct bytes step);
bool step_mutated(const struct execution *e, const struct task_step *step);
bool task_mutated_by(const struct task *task, const char *mutator);
bool error_expected(const struct execution *e, const struct task_step *step);
/* A request of any kind, or a call made up from a tool's schema: an open refusal says nothing for or against the target, whatever the schema allows. */
bool may_be_refused(const struct task_step *step);
/* A step before or at `index` sent what no lawful client sends, so what follows may be our own fault. */
bool client_illegal(const struct execution *e, size_t index);
/* So many observations from the first send only what lawful clients send. */
size_t lawful_length(const struct execution *e);

/* A small file system that an earlier step mounted (stage-small-disk) holds the path. */
bool on_small_disk(const struct execution *e, size_t index, struct bytes path);

/* Which check an unanswered control call or the target's death after step `index` belongs to; `fallback` when
 * nothing about the step stands out. */
const char *cause_of(const struct execution *e, size_t index, const char *fallback);

/* Says a verdict of the check with this slug. `index` is an observation, or e->count for the whole task
 * ("session" stands for its op). Texts are copied. */
void judge_say(struct verdicts *out, const struct execution *e, const char *slug, size_t index,
               enum effect effect, const char *detail, const char *title, const char *evidence);

/* The op under which a finding about what was stored stands: "write" for write, append, upload and edit, which store in one way, so that one
 * defect of it is one finding; else the step's own. */
const char *stored_op(const struct observation *o);
/* Likewise "read" for read and download, where it does not matter which of them showed it. */
const char *fetched_op(const struct observation *o);

/* The same with another op: "send" for what a frame of ours did, whatever call it stood for. */
void judge_say_op(struct verdicts *out, const struct execution *e, const char *slug, size_t index, const char *op,
                  enum effect effect, const char *detail, const char *title, const char *evidence);

/* A fact that depends on what the sandbox promises: nothing is said when its policy allows it, a finding when it forbids it, and a note
 * when it does not say (the detail begins with POLICY_NOTE then). Texts are copied. */
void judge_say_contract(struct verdicts *out, const struct execution *e, enum policy_answer allowed, const char *slug, size_t index,
                        enum effect effect, const char *detail, const char *title, const char *evidence);

/* Bytes for a person: printable ASCII as it is, the rest as \xHH, cut after max bytes with "…". */
void judge_quote(struct buf *out, struct bytes b, size_t max);

#endif
