/* Sessions: ids, deaths, state between calls, fresh and lost sandboxes. */
#include <string.h>

#include "gen/arm/tables.h"
#include "gen/task_internal.h"

enum { IDLE_MIN = 500 };

/* C24: a session that is over is used again, or a tool is given an id that nobody handed out. */
static bool session_errors(const struct arm_view *v)
{
    EACH (s, v) {
        if (s->op & OP(CLOSE))
            EACH_AFTER (use, s, v)
                if (arm_same_session(s, use) && !(use->op & (OP(OPEN) | OP(REOPEN) | OP(CLOSE))))
                    return true;
        const struct json *arguments = json_get(s->step->args, "arguments");
        for (const struct json *m = s->op & OP(CALL) && arguments ? arguments->first : NULL; m; m = m->next)
            if (arm_holds(m->key, "session|sandbox|Session|Sandbox") && json_is(m, JSON_STRING))
                return true;
    }
    return false;
}

/* C25: steps cannot name the server's process, so only these mutators do it. */
static bool peer_death(const struct arm_view *v)
{
    return arm_mutated(v, "kill-server") || arm_mutated(v, "stop-server") || arm_mutated(v, "early-close");
}

/* C49 */
static bool state_between_calls(const struct arm_view *v)
{
    EACH (s, v) {
        if (!(s->op & OP(RUN)) || !arm_is_shell(s) ||
            !arm_word(s, "cd|export|set|ulimit|umask|alias|shopt|exec"))
            continue;
        EACH_AFTER (next, s, v)
            if (next->op & OP(RUN) && arm_same_session(s, next))
                return true;
    }
    return false;
}

/* C81 */
static bool fresh_silent(const struct arm_view *v)
{
    EACH (put, v) {
        const struct arm_step *idle = put->op & OPS_PUT && put->content.size ? arm_next(v, put, OP(IDLE))
                                                                             : NULL;
        const struct arm_step *job = arm_next(v, NULL, OP(START)); /* which keeps a sandbox from being idle */
        if (idle && arm_int(idle, "ms", 0) >= IDLE_MIN && !(job && job < idle) &&
            (arm_next_on(v, idle, OPS_LOOK, put->path.text) || arm_next_program(v, idle, put->path.text)))
            return true;
    }
    return false;
}

/* C82: the call right behind an opening; several openings at once. */
static bool created_not_usable(const struct arm_view *v)
{
    static const uint64_t opens = OP(OPEN) | OP(REOPEN) | OP(FORK) | OP(RESTORE);
    EACH (s, v) {
        if (s->op & OP(OPEN) && s->step->group)
            return true;
        if (s + 1 < v->end && s->op & opens && !((s + 1)->op & (opens | OP(IDLE) | OP(CLOSE))) &&
            !(s + 1)->step->after_ms)
            return true;
        EACH_AFTER (other, s, v)
            if (arm_same_group(s, other) && !arm_same_session(s, other))
                return true;
    }
    return false;
}

const struct arm_row arm_session[] = {
    {"C24", session_errors, NULL}, {"C25", peer_death, "env"},        {"C49", state_between_calls, NULL},
    {"C81", fresh_silent, NULL},   {"C82", created_not_usable, NULL}, {0},
};
