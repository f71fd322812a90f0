/* A request with an unknown or ended session id and one without any mean different things to a client: the first begins anew, the
 * second has a fault of its own. So they are not to be answered alike. Only where the target gives session ids. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/http_send.h"

/* The status of the first such request that differs in its session alone; 0: there is none, or its status speaks of something
 * else. */
static int status_of(const struct execution *e, const char *session)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        int status = http_status(o);
        if (!bytes_equal_string(http_session(o), session) || !http_only_session(o))
            continue;
        return status == 401 || status == 403 || status == 429 || status >= 500 ? 0 : status;
    }
    return 0;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    static const char *const lost[] = {"unknown", "ended"};
    int none = status_of(e, "none");
    for (size_t i = 0; i < sizeof lost / sizeof *lost && none; i++) {
        int status = status_of(e, lost[i]);
        if (status == none)
            judge_say(out, e, "session-errors-alike", e->count, EFFECT_NONE,
                      arena_printf(out->arena, "no session id and an %s one are answered alike", lost[i]),
                      "the target does not tell a session that is over from a missing one",
                      arena_printf(out->arena, "HTTP %d to a request with an %s session id, and to one without any -> interface", status,
                                   lost[i]));
    }
}

const struct check check_session_errors_alike = {"session-errors-alike", "C24", "session",
                                                 "an unknown or ended session id is told from a missing one", judge};
