/* A browser's processes as this machine sees them: what they take, and their death; see outside.h. */
#include "exec/outside_internal.h"

#include <signal.h>
#include <string.h>

#include "exec/procfs.h"

#define PROC "/proc"

/* Browsers start a process for the pages of one tab or site, and say so in its command line. */
static bool shows_pages(int pid)
{
    static const char *const words[] = {"--type=renderer", "-isForBrowser", "WebKitWebProcess", NULL};
    char command[512];
    proc_command(PROC, pid, command, sizeof command);
    for (size_t i = 0; words[i]; i++)
        if (strstr(command, words[i]))
            return true;
    return false;
}

void outside_pages(struct outside *w, struct usage *out)
{
    struct whereabouts at;
    int pids[OUTSIDE_PROCESSES_MAX];
    session_whereabouts(w->session, &at);
    size_t count = at.agent_pid ? proc_descendants(PROC, at.agent_pid, pids, OUTSIDE_PROCESSES_MAX) : 0;
    for (size_t i = 0; i < count && i < OUTSIDE_PROCESSES_MAX; i++) {
        uint64_t pss = proc_pss(PROC, pids[i]);
        bool page = pss && shows_pages(pids[i]);
        out->pss += pss;
        out->renderers += page;
        out->renderers_pss += page ? pss : 0;
    }
}

/* The ancestor of a process that is a child of the target's own or of the session's agent: where a server starts its browser. Servers may let go of it,
 * then it is the agent's. 0: there is none but the target itself. */
static int root_of(int pid, const struct whereabouts *at, int target)
{
    struct proc_stat stat;
    for (int depth = 0; depth < 32 && proc_stat(PROC, pid, &stat); depth++) {
        if (pid == target || pid == at->agent_pid)
            return 0;
        if (stat.parent == target || stat.parent == at->agent_pid)
            return pid;
        pid = stat.parent;
    }
    return 0;
}

uint32_t outside_kill_pages(struct outside *w, bool pages)
{
    struct whereabouts at;
    int pids[OUTSIDE_PROCESSES_MAX];
    uint32_t killed = 0;
    session_whereabouts(w->session, &at);
    int target = outside_main(w, &at);
    size_t count = at.agent_pid ? proc_descendants(PROC, at.agent_pid, pids, OUTSIDE_PROCESSES_MAX) : 0;
    for (size_t i = 0; i < count && i < OUTSIDE_PROCESSES_MAX; i++) {
        if (!shows_pages(pids[i]))
            continue;
        int victim = pages ? pids[i] : root_of(pids[i], &at, target);
        killed += victim > 0 && victim != target && kill(victim, SIGKILL) == 0;
        if (!pages && killed)
            break; /* it takes the others along */
    }
    return killed;
}
