/* Protocol: frames, ids, errors; what one defect does to the calls after it. */
#include "gen/arm/frame.h"
#include "gen/arm/tables.h"
#include "gen/task_internal.h"

enum { NAME_LONG = 256, BURST = 20, ODD = TEXT_NUL | TEXT_SURROGATE | TEXT_NOT_UTF8 | TEXT_ESCAPE };

static struct arm_frame frames_of(const struct arm_step *s, struct arena *a)
{
    struct arm_frames fs = {0};
    arm_frames_look(s, a, &fs);
    return fs.all;
}

/* C15 */
static bool bad_frame(const struct arm_view *v)
{
    EACH (s, v)
        if (frames_of(s, v->arena).bad && arm_follows(v, s, ~OP(SEND)))
            return true;
    return false;
}

/* A member somewhere below that is null, "" or []. */
static bool has_empty_member(const struct json *value)
{
    for (const struct json *m = value; m; m = json_next(value, (struct json *)m, true))
        if (m != value && (json_is(m, JSON_NULL) || (json_is(m, JSON_STRING) && !m->text.len) ||
                           (json_is(m, JSON_ARRAY) && !m->count)))
            return true;
    return false;
}

/* C16 */
static bool request_unanswered(const struct arm_view *v)
{
    EACH (s, v) {
        const struct json *arguments = json_get(s->step->args, "arguments");
        if (s->op & OP(CALL) &&
            (!arguments || !json_is(arguments, JSON_OBJECT) || has_empty_member(arguments) || s->flags & ODD))
            return true;
        if (s->op & (OP(WRITE) | OP(READ) | OP(LIST)) &&
            ((s->flags | s->content.flags) & ODD || s->path.text.len >= NAME_LONG))
            return true;
        if (frames_of(s, v->arena).odd_request)
            return true;
    }
    return false;
}

/* Something is printed behind a sleep, by what was put in the background. */
static bool prints_late(const struct arm_step *s)
{
    ptrdiff_t sleep = bytes_find(s->script, BYTES_LITERAL("sleep"), 0);
    if (sleep < 0)
        return false;
    /* Up to the "&" of a shell; else to the end of the line that starts the child. */
    ptrdiff_t end = bytes_find(s->script, arm_is_shell(s) ? BYTES_LITERAL("&") : BYTES_LITERAL("\n"),
                               (size_t)sleep);
    if (end < 0)
        return false;
    struct bytes rest = bytes_slice(s->script, (size_t)sleep, (size_t)end);
    return arm_holds(rest, "echo|printf|print(|console.log") && !arm_holds(rest, ">");
}

/* C19: a child that goes on printing after its call, or variables that make programs talk. */
static bool stdout_polluted(const struct arm_view *v)
{
    EACH (s, v) {
        if (!(s->op & OPS_PROGRAM))
            continue;
        for (const struct json *e = json_get(s->step->args, "env") ? json_get(s->step->args, "env")->first
                                                                   : NULL;
             e; e = e->next)
            if (arm_holds(e->key, "DEBUG|VERBOSE|TRACE|RUST_LOG|LOG_LEVEL"))
                return true;
        if (arm_leaves(s) && prints_late(s))
            return true;
        if (arm_says(s, "/proc/$PPID/fd/1|/proc/1/fd/1|set -x|bash -x|sh -x"))
            return true;
    }
    return false;
}

/* C21 */
static bool wrong_error_id(const struct arm_view *v)
{
    EACH (s, v)
        if (frames_of(s, v->arena).defect_with_id)
            return true;
    return false;
}

/* A step that is refused, given up or broken off. */
static bool is_defect(const struct arm_view *v, const struct arm_step *s)
{
    return s->expects_error || s->step->cancel_after_ms >= 0 || s->flags & (TEXT_NUL | TEXT_SURROGATE) ||
           frames_of(s, v->arena).bad || arm_overruns(s) ||
           (s->op & OP(CALL) && has_empty_member(json_get(s->step->args, "arguments")));
}

/* C23 */
static bool one_call_breaks(const struct arm_view *v)
{
    EACH (s, v) {
        if (!is_defect(v, s))
            continue;
        EACH_AFTER (w, s, v)
            if (w->op & (OP(WRITE) | OP(UPLOAD)) && !is_defect(v, w) &&
                arm_next_on(v, w, OPS_LOOK, w->path.text))
                return true;
    }
    return false;
}

/* C27 */
static bool null_not_absent(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OP(CALL) && has_empty_member(json_get(s->step->args, "arguments")))
            return true;
    return false;
}

/* C29 */
static bool fault_as_output(const struct arm_view *v)
{
    EACH (s, v) {
        uint64_t together = 0;
        if (!(s->op & (OP(RUN) | OP(CALL))))
            continue;
        EACH (other, v)
            together += arm_same_group(s, other) && other->op & (OP(RUN) | OP(CALL)) ? other->step->repeat
                                                                                     : 0;
        if (s->step->repeat >= BURST || together >= BURST / 2)
            return true;
        if (arm_word(s, "unshare|docker|podman|chroot|nsenter|bwrap") ||
            arm_says(s, "kill -9 1\n|kill -9 -1"))
            return true;
    }
    return false;
}

/* C83 */
static bool failure_unexplained(const struct arm_view *v)
{
    EACH (s, v)
        if ((s->expects_error && s->op & (OP(CALL) | OP(RUN) | OP(WRITE) | OP(READ) | OP(START))) ||
            (s->op & OP(RUN) && (s->expects_exit == 127 || s->expects_exit == 126)) ||
            (s->op & (OP(CALL) | OP(WRITE) | OP(READ)) && s->flags & ODD))
            return true;
    return false;
}

const struct arm_row arm_protocol[] = {
    {"C15", bad_frame, NULL},       {"C16", request_unanswered, NULL},  {"C19", stdout_polluted, NULL},
    {"C21", wrong_error_id, NULL},  {"C23", one_call_breaks, NULL},     {"C27", null_not_absent, NULL},
    {"C29", fault_as_output, NULL}, {"C83", failure_unexplained, NULL}, {0},
};
