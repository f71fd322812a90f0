/* Figures of a session, from outside; see outside.h. What is left behind is in outside_left.c.
 *
 * Cost is what decides how something is found out here: a snapshot is some dozens of small files of /proc, a figure after a
 * step three. Nothing walks all processes of the machine but the last look. */
#include "exec/outside_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "exec/group_figures.h"
#include "exec/procfs.h"
#include "exec/sockdiag.h"

#define PROC "/proc"

enum { SOCKETS_MAX = 4096, PSS_PROCESSES_MAX = 8, US_PER_S = 1000000 };

static bool same_network(int pid)
{
    char path[64];
    struct stat ours, theirs;
    snprintf(path, sizeof path, PROC "/%d/ns/net", pid);
    return stat(PROC "/self/ns/net", &ours) < 0 || stat(path, &theirs) < 0 ||
           (ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev);
}

static void take_snapshot(struct outside *w, struct arena *arena, bool pss, struct snapshot *out);

struct outside *outside_new(struct session *s, struct arena *arena, struct snapshot *first)
{
    struct outside *w = xcalloc(1, sizeof *w);
    struct whereabouts at;
    struct proc_stat stat;
    session_whereabouts(s, &at);
    w->session = s;
    w->sockdiag = -1;
    arena_init(&w->arena);
    w->first_pid = at.agent_pid;
    w->started = proc_stat(PROC, at.agent_pid, &stat) ? stat.started : 0;
    int seen = outside_main(w, &at); /* the agent may hide its namespaces from us, the target cannot */
    w->own_network = at.agent_pid && !same_network(seen ? seen : at.agent_pid);
    take_snapshot(w, arena, false, first);
    w->listener_count = first->listener_count;
    w->listeners = first->listeners;
    outside_note_scratch(w, &at);
    return w;
}

void outside_free(struct outside *w)
{
    if (!w)
        return;
    if (w->sockdiag >= 0)
        close(w->sockdiag);
    arena_release(&w->arena);
    free(w);
}

/* The target's own process is a child of the agent, which may count from 1. */
int outside_main(struct outside *w, const struct whereabouts *at)
{
    int children[OUTSIDE_PROCESSES_MAX];
    if (!at->main_pid || !at->agent_pid)
        return 0;
    if (w->main_of == at->main_pid && w->main_pid && proc_inside(PROC, w->main_pid) == at->main_pid)
        return w->main_pid;
    size_t count = proc_descendants(PROC, at->agent_pid, children, OUTSIDE_PROCESSES_MAX);
    w->main_of = at->main_pid;
    w->main_pid = 0;
    for (size_t i = 0; i < count && i < OUTSIDE_PROCESSES_MAX && !w->main_pid; i++)
        if (proc_inside(PROC, children[i]) == at->main_pid)
            w->main_pid = children[i];
    return w->main_pid;
}

static bool has(const uint64_t *inodes, size_t count, uint64_t inode)
{
    for (size_t i = 0; i < count; i++)
        if (inodes[i] == inode)
            return true;
    return false;
}

/* Where the network is everybody's, sockets are told by who holds them. */
static size_t keep_held(const struct whereabouts *at, struct listener *list, size_t count)
{
    int pids[OUTSIDE_PROCESSES_MAX];
    size_t processes = proc_descendants(PROC, at->agent_pid, pids, OUTSIDE_PROCESSES_MAX), kept = 0, held = 0;
    uint64_t *inodes = processes && count ? xmalloc(SOCKETS_MAX * sizeof *inodes) : NULL;
    for (size_t i = 0; inodes && i < processes && i < OUTSIDE_PROCESSES_MAX && held < SOCKETS_MAX; i++) {
        size_t more = proc_sockets(PROC, pids[i], inodes + held, SOCKETS_MAX - held);
        held += more < SOCKETS_MAX - held ? more : SOCKETS_MAX - held;
    }
    for (size_t i = 0; i < count; i++)
        if (has(inodes, held, list[i].inode))
            list[kept++] = list[i];
    free(inodes);
    return kept;
}

/* A session that is opened again has another agent and another network. */
static void meet_agent(struct outside *w, const struct whereabouts *at)
{
    if (w->sockdiag_agent == at->agent_pid)
        return;
    if (w->sockdiag >= 0)
        close(w->sockdiag);
    w->sockdiag = session_sockdiag(w->session);
    w->sockdiag_agent = at->agent_pid;
}

size_t outside_listeners(struct outside *w, const struct whereabouts *at, struct arena *a, struct listener **out)
{
    enum { EVERYBODYS = 4096 };
    *out = NULL;
    if (!at->agent_pid)
        return 0;
    size_t max = w->own_network ? OUTSIDE_LISTENERS_MAX : EVERYBODYS, count;
    meet_agent(w, at);
    if (!sockdiag_listeners(w->sockdiag, a, max, out, &count))
        count = proc_listeners(PROC, at->agent_pid, a, max, out);
    return w->own_network ? count : keep_held(at, *out, count);
}

static void add_process(struct snapshot *out, int pid, bool pss, uint64_t *ticks)
{
    struct proc_stat stat;
    if (!proc_stat(PROC, pid, &stat))
        return;
    out->processes++;
    out->zombies += stat.state == 'Z';
    out->rss += stat.rss;
    *ticks += stat.ticks;
    if (pss && stat.state != 'Z')
        out->pss += proc_pss(PROC, pid);
}

/* Walking the page tables of a big process takes milliseconds, so it is done once a session. */
static void take_snapshot(struct outside *w, struct arena *arena, bool pss, struct snapshot *out)
{
    struct whereabouts at;
    int pids[OUTSIDE_PROCESSES_MAX];
    struct proc_stat agent;
    session_whereabouts(w->session, &at);
    *out = (struct snapshot){.made = at.agent_pid != 0 && proc_stat(PROC, at.agent_pid, &agent)};
    if (!out->made)
        return;
    size_t count = proc_descendants(PROC, at.agent_pid, pids, OUTSIDE_PROCESSES_MAX);
    uint64_t ticks = agent.ticks + agent.reaped_ticks;
    for (size_t i = 0; i < count && i < OUTSIDE_PROCESSES_MAX; i++)
        add_process(out, pids[i], pss && i < PSS_PROCESSES_MAX, &ticks);
    int target = outside_main(w, &at);
    out->have_descriptors = target && proc_descriptors(PROC, target, out->descriptors);
    out->cpu_us = ticks * US_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    group_figures(at.pids_group, at.pids_v2, at.memory_group, at.memory_v2, out);
    struct listener *listeners;
    out->listener_count = outside_listeners(w, &at, arena, &listeners);
    out->listeners = listeners;
}

void outside_snapshot(struct outside *w, struct arena *arena, struct snapshot *out)
{
    take_snapshot(w, arena, true, out);
}

void outside_usage(struct outside *w, struct usage *out)
{
    struct whereabouts at;
    session_whereabouts(w->session, &at);
    *out = (struct usage){0};
    if (w->main_pid && w->main_of == at.main_pid && at.agent_pid) {
        uint32_t kinds[DESCRIPTOR_KINDS];
        out->rss = proc_rss(PROC, w->main_pid);
        bool counted = proc_descriptors(PROC, w->main_pid, kinds);
        for (int i = 0; i < DESCRIPTOR_KINDS && counted; i++)
            out->descriptors += kinds[i];
    }
    group_usage(at.memory_group, at.memory_v2, out);
}
