/* What a session has left behind, as this machine sees it; see outside.h.
 *
 * A process that carries the session's mark and is no descendant of its agent has got away: by way of a service of this
 * machine, or because the agent was killed where it is nobody's init. The mark in its environment is proof enough to end it.
 * In its arguments it is only when the process began after the session did and has no terminal, since a person may look
 * into a session's directory too. It is ended through a descriptor of it, by which it cannot be taken for another. */
#include "exec/outside_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/error.h"
#include "exec/procfs.h"

#define PROC "/proc"

enum { ALL_PROCESSES_MAX = 65536, PASSES = 3, GENERATIONS_MAX = 64, END_MS = 500, COMMAND_SIZE = 256 };

void leftovers_add(struct leftovers *list, const struct leftover *l)
{
    if (list->count == list->max)
        return;
    struct leftover *own = &list->items[list->count++];
    *own = *l;
    own->name = arena_string(list->arena, bytes_of_string(l->name));
    own->command = arena_string(list->arena, bytes_of_string(l->command));
    own->where = arena_copy(list->arena, l->where);
}

static void add_thing(struct leftovers *list, enum leftover_kind kind, const char *where, bool calm)
{
    leftovers_add(list, &(struct leftover){.kind = kind, .where = bytes_of_string(where), .calm = calm});
}

/* --- names in directories of the box --- */

static int compare_names(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

static const char *const scratch[OUTSIDE_SCRATCH] = {"tmp", "var/tmp", "dev/shm", "run"};

/* A directory of the box, through a process in it. The agent may not be ours to look through, the target is. */
static DIR *open_scratch(struct outside *w, const struct whereabouts *at, size_t which)
{
    int through[] = {at->agent_pid, outside_main(w, at)};
    DIR *dir = NULL;
    for (size_t i = 0; i < 2 && !dir; i++) {
        char path[64];
        snprintf(path, sizeof path, PROC "/%d/root/%s", through[i], scratch[which]);
        if (through[i])
            dir = opendir(path);
    }
    return dir;
}

static bool read_names(struct outside *w, const struct whereabouts *at, size_t which, struct arena *a,
                       struct names *out)
{
    *out = (struct names){.items = arena_alloc(a, OUTSIDE_NAMES_MAX * sizeof *out->items)};
    DIR *dir = open_scratch(w, at, which);
    if (!dir)
        return false;
    for (struct dirent *entry; out->count < OUTSIDE_NAMES_MAX && (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            out->items[out->count++] = arena_copy(a, bytes_of_string(entry->d_name));
    closedir(dir);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, compare_names);
    return true;
}

/* Without a box these are the machine's own, where everybody comes and goes. */
void outside_note_scratch(struct outside *w, const struct whereabouts *at)
{
    w->scratch_seen = at->boxed && at->agent_pid;
    for (size_t i = 0; i < OUTSIDE_SCRATCH && w->scratch_seen; i++)
        w->scratch_seen = read_names(w, at, i, &w->arena, &w->scratch[i]);
}

static bool was_there(const struct names *names, struct bytes name)
{
    return names->count == OUTSIDE_NAMES_MAX ||
           (names->count && bsearch(&name, names->items, names->count, sizeof name, compare_names));
}

static void add_temporaries(struct outside *w, const struct whereabouts *at, struct leftovers *list)
{
    struct names now;
    for (size_t i = 0; i < OUTSIDE_SCRATCH && w->scratch_seen; i++) {
        if (!read_names(w, at, i, list->arena, &now))
            continue;
        for (size_t n = 0; n < now.count; n++)
            if (!was_there(&w->scratch[i], now.items[n]))
                add_thing(list, LEFTOVER_TEMPORARY,
                          arena_printf(list->arena, "/%s/%.*s", scratch[i], BYTES_ARG(now.items[n])), false);
    }
}

/* --- while the box is there --- */

static bool listened_before(const struct outside *w, const struct listener *l)
{
    for (size_t i = 0; i < w->listener_count; i++)
        if (w->listeners[i].inode == l->inode)
            return true;
    return false;
}

void outside_left_open(struct outside *w, struct leftovers *list)
{
    struct whereabouts at;
    struct listener *listeners;
    struct strings groups = {0};
    session_whereabouts(w->session, &at);
    size_t count = outside_listeners(w, &at, list->arena, &listeners);
    for (size_t i = 0; i < count; i++)
        add_thing(list, LEFTOVER_LISTENER,
                  arena_printf(list->arena, "%s %.*s", listeners[i].family, BYTES_ARG(listeners[i].where)),
                  listened_before(w, &listeners[i]));
    add_temporaries(w, &at, list);
    session_inner_groups(w->session, &groups);
    for (size_t i = 0; i < groups.count; i++)
        add_thing(list, LEFTOVER_GROUP, groups.items[i], false);
    strings_release(&groups);
}

/* --- when it is gone --- */

/* The number that was given to a process last, on this machine; 0: not known. */
static int last_pid(void)
{
    char text[256];
    int fd = open(PROC "/loadavg", O_RDONLY | O_CLOEXEC), last = 0;
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *space = strrchr(text, ' ');
    return space && sscanf(space, "%d", &last) == 1 ? last : 0;
}

static bool is_same(const struct proc_stat *p)
{
    struct proc_stat now;
    return proc_stat(PROC, p->pid, &now) && now.started == p->started;
}

/* True when it has ended, or is on its way. */
static bool end_process(const struct proc_stat *p)
{
    int fd = pidfd_open(p->pid, 0);
    bool killed = fd >= 0 && is_same(p) && pidfd_send_signal(fd, SIGKILL, NULL, 0) == 0;
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    if (killed)
        poll(&poll_fd, 1, END_MS);
    if (fd >= 0)
        close(fd);
    return killed;
}

/* Is `pid` this process, or one of those that it descends from? */
static bool descends(int from, int pid)
{
    struct proc_stat p = {.parent = from};
    for (int steps = 0; pid && p.parent > 1 && steps < GENERATIONS_MAX; steps++) {
        if (p.parent == pid)
            return true;
        if (!proc_stat(PROC, p.parent, &p))
            return false;
    }
    return false;
}

/* The agent, what it has started, and what it was started by. Asked when a process has been seen, since one of the session's
 * may have begun just now. */
static bool in_reach(const struct whereabouts *at, int pid)
{
    return pid == getpid() || (at->agent_pid && (descends(pid, at->agent_pid) || descends(at->agent_pid, pid)));
}

static bool is_listed(const struct leftovers *list, int pid)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind == LEFTOVER_ESCAPED && list->items[i].pid == pid)
            return true;
    return false;
}

/* The processes that carry the mark, each added and killed; how many. */
static size_t end_marked(struct outside *w, const struct whereabouts *at, struct leftovers *list, int *pids)
{
    const char *variable = arena_printf(list->arena, SESSION_MARK "=%s", at->mark);
    bool wrapped = last_pid() < w->first_pid;
    size_t count = proc_list(PROC, pids, ALL_PROCESSES_MAX), ended = 0;
    for (size_t i = 0; i < count && i < ALL_PROCESSES_MAX; i++) {
        struct proc_stat p;
        char command[COMMAND_SIZE] = "";
        if ((!wrapped && pids[i] <= w->first_pid) || !proc_stat(PROC, pids[i], &p) || p.started < w->started ||
            p.state == 'Z')
            continue;
        enum proc_mark mark = proc_marked(PROC, pids[i], variable, at->base);
        if (mark == PROC_UNMARKED || (mark == PROC_BY_ARGUMENT && p.terminal) || in_reach(at, pids[i]) || !is_same(&p))
            continue;
        proc_command(PROC, pids[i], command, sizeof command);
        ended += end_process(&p);
        if (!is_listed(list, p.pid))
            leftovers_add(list, &(struct leftover){.kind = LEFTOVER_ESCAPED,
                                                   .pid = p.pid,
                                                   .state = p.state,
                                                   .name = p.name,
                                                   .command = command});
    }
    return ended;
}

void outside_left_escaped(struct outside *w, struct leftovers *list)
{
    struct whereabouts at;
    session_whereabouts(w->session, &at);
    int *pids = w->first_pid ? xmalloc(ALL_PROCESSES_MAX * sizeof *pids) : NULL;
    for (int pass = 0; pids && pass < PASSES && end_marked(w, &at, list, pids); pass++)
        continue; /* what one of them has started meanwhile */
    free(pids);
}

static void end_mounts(struct outside *w, struct leftovers *list)
{
    struct strings mounts = {0};
    session_stray_mounts(w->session, &mounts);
    for (size_t i = 0; i < mounts.count; i++) {
        add_thing(list, LEFTOVER_MOUNT, mounts.items[i], false);
        umount2(mounts.items[i], MNT_DETACH | UMOUNT_NOFOLLOW);
    }
    strings_release(&mounts);
}

void outside_left_stopped(struct outside *w, struct leftovers *list)
{
    struct strings files = {0};
    struct whereabouts at;
    session_whereabouts(w->session, &at);
    if (!at.boxed) /* nothing leaves a process namespace when that has ended */
        outside_left_escaped(w, list);
    end_mounts(w, list);
    session_strays(w->session, &files);
    for (size_t i = 0; i < files.count; i++)
        add_thing(list, LEFTOVER_FILE, files.items[i], false);
    strings_release(&files);
}
