/* Files are the same when a session has ended, or was paused, as they were before; unless the policy says that nothing is
 * kept. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/kept.h"

static const char slug[] = "state-lost";

static void judge(const struct execution *e, struct verdicts *out)
{
    struct kept_loss l;
    if (policy_says(e->policy, POLICY_SESSIONS_KEEP) == POLICY_NO || !kept_lost(e, &l))
        return;
    struct buf evidence;
    buf_init(&evidence, 2048);
    judge_quote(&evidence, l.path, 120);
    buf_addf(&evidence, ", seen from outside the sandbox: %llu bytes (sha256 %.16s…) before %s, ", (unsigned long long)l.before->size,
             l.before->sha256, l.cause);
    if (l.after->exists)
        buf_addf(&evidence, "%llu bytes (sha256 %.16s…) after it", (unsigned long long)l.after->size, l.after->sha256);
    else
        buf_add_string(&evidence, "nothing after it");
    buf_add_string(&evidence, ", and no step in between names the file -> sandbox");
    judge_say(out, e, slug, e->count, EFFECT_WRONG,
              l.after->exists ? "a file is not what it was before the session ended" : "a file is gone after the session's end",
              l.after->exists ? "a file has other bytes when the session has ended" : "a file is gone when the session has ended",
              buf_string(&evidence));
    buf_release(&evidence);
}

const struct check check_state_lost = {slug, "C61", "persistence", "files stay as they are when a session ends or pauses", judge};
