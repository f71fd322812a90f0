/* The session's processes: which there are, and an end of all of them.
 *
 * As process 1 of a namespace every other process there is the session's. Without a namespace the session is
 * what descends from us: as a child subreaper we stay an ancestor of whatever daemonises itself.
 *
 * Killing: process 1 may say kill(-1), which the kernel carries out under the lock that fork takes, so that
 * no fork bomb outruns it. Otherwise passes are made: stop what is seen until nothing new is seen, then kill.
 * A process is signalled through a descriptor of it that is checked to be the one that was listed, never by a
 * number that may have gone to somebody else's process meanwhile. */
#include "exec/agent/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KILL_MS = 5000, NAP_MS = 5, FIELD_START_TIME = 22, FIELD_PARENT = 4, STOP_ROUNDS = 8 };

struct process {
    pid_t pid, parent;
    char state;
    bool ours;
    char name[AGENT_NAME];
    unsigned long long started; /* in ticks since boot; with pid it names a process for good */
};

struct processes {
    struct process *items;
    size_t count, capacity;
};

static ssize_t read_proc(pid_t pid, const char *file, char *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, data, size - 1);
    close(fd);
    data[n > 0 ? n : 0] = '\0';
    return n;
}

/* "pid (name) state parent …": the name may hold anything, so its end is the last parenthesis. */
static bool read_stat(pid_t pid, struct process *p)
{
    char text[1024];
    if (read_proc(pid, "stat", text, sizeof text) <= 0)
        return false;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || close[1] != ' ' || !close[2])
        return false;
    *p = (struct process){.pid = pid, .state = close[2]};
    size_t length = (size_t)(close - open - 1);
    memcpy(p->name, open + 1, length < AGENT_NAME - 1 ? length : AGENT_NAME - 1);
    char *field = close + 2;
    for (int number = 3; *field; number++) {
        if (number == FIELD_PARENT)
            p->parent = (pid_t)strtol(field, NULL, 10);
        if (number == FIELD_START_TIME) {
            p->started = strtoull(field, NULL, 10);
            return true;
        }
        field += strcspn(field, " ");
        field += *field == ' ';
    }
    return false;
}

static bool processes_add(struct processes *all, const struct process *p)
{
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 64;
        struct process *more = realloc(all->items, capacity * sizeof *more);
        if (!more)
            return false;
        all->items = more;
        all->capacity = capacity;
    }
    all->items[all->count++] = *p;
    return true;
}

static int by_pid(const void *a, const void *b)
{
    const struct process *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct process *find(const struct processes *all, pid_t pid)
{
    struct process key = {.pid = pid};
    return all->count ? bsearch(&key, all->items, all->count, sizeof key, by_pid) : NULL;
}

/* Marks what descends from us. A parent may have a higher number than its child, hence the repetition. */
static void mark_descendants(struct processes *all)
{
    pid_t self = getpid();
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < all->count; i++) {
            struct process *p = &all->items[i];
            if (p->ours || p->pid == self)
                continue;
            const struct process *parent = p->parent == self ? NULL : find(all, p->parent);
            if (p->parent == self || (parent && parent->ours))
                more = p->ours = true;
        }
    }
}

/* The session's processes, in all->items. */
static void processes_list(const struct state *s, struct processes *all)
{
    *all = (struct processes){0};
    DIR *dir = opendir("/proc");
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        struct process p;
        if (end != entry->d_name && !*end && pid > 0 && read_stat((pid_t)pid, &p) && !processes_add(all, &p))
            break;
    }
    closedir(dir);
    if (all->count)
        qsort(all->items, all->count, sizeof *all->items, by_pid);
    if (s->own_namespace) {
        for (size_t i = 0; i < all->count; i++)
            all->items[i].ours = all->items[i].pid != getpid();
    } else {
        mark_descendants(all);
    }
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].ours)
            all->items[kept++] = all->items[i];
    all->count = kept;
}

static void describe(const struct process *p, struct agent_info *info)
{
    *info = (struct agent_info){.pid = p->pid, .parent = p->parent, .state = p->state};
    memcpy(info->name, p->name, sizeof info->name);
    ssize_t n = read_proc(p->pid, "cmdline", info->command, sizeof info->command);
    while (n > 0 && info->command[n - 1] == '\0')
        n--;
    for (ssize_t i = 0; i < n; i++)
        if (info->command[i] == '\0')
            info->command[i] = ' ';
}

bool processes_answer(struct state *s, int32_t max)
{
    struct processes all;
    processes_list(s, &all);
    size_t count = max < 0 ? 0 : (size_t)max < all.count ? (size_t)max : all.count;
    if (count > AGENT_MAX_PAYLOAD / sizeof(struct agent_info))
        count = AGENT_MAX_PAYLOAD / sizeof(struct agent_info);
    struct agent_info *infos = calloc(count ? count : 1, sizeof *infos);
    if (!infos)
        count = 0;
    for (size_t i = 0; i < count; i++)
        describe(&all.items[i], &infos[i]);
    struct agent_frame answer = {
        .kind = AGENT_PROCESSES, .a = (int32_t)all.count, .size = (uint32_t)(count * sizeof *infos)};
    bool there = wire_write(s->socket, &answer, infos);
    free(infos);
    free(all.items);
    return there;
}

static void signal_exactly(const struct process *p, int signal)
{
    int fd = pidfd_open(p->pid, 0);
    struct process now;
    if (fd < 0) {
        if (errno == ENOSYS)
            kill(p->pid, signal);
        return;
    }
    if (read_stat(p->pid, &now) && now.started == p->started)
        pidfd_send_signal(fd, signal, NULL, 0);
    close(fd);
}

static bool same(const struct processes *a, const struct processes *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].pid != b->items[i].pid || a->items[i].started != b->items[i].started)
            return false;
    return true;
}

/* One pass without a namespace of our own; how many were alive when it began. */
static size_t kill_descendants(struct state *s)
{
    struct processes seen = {0};
    for (int round = 0; round < STOP_ROUNDS; round++) {
        struct processes now;
        processes_list(s, &now);
        bool settled = same(&seen, &now);
        free(seen.items);
        seen = now;
        if (settled)
            break;
        for (size_t i = 0; i < now.count; i++)
            if (now.items[i].state != 'Z' && now.items[i].state != 'T')
                signal_exactly(&now.items[i], SIGSTOP);
    }
    for (size_t i = 0; i < seen.count; i++)
        signal_exactly(&seen.items[i], SIGKILL);
    size_t count = seen.count;
    free(seen.items);
    return count;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

size_t processes_kill_all(struct state *s)
{
    int64_t deadline = now_ms() + KILL_MS;
    for (;;) {
        size_t before = 1;
        if (s->own_namespace)
            kill(-1, SIGKILL);
        else
            before = kill_descendants(s);
        pid_t pid;
        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        /* Without children nothing is left: whoever loses its parent becomes our child at once. */
        if (pid < 0 && errno == ECHILD)
            return 0;
        if (now_ms() > deadline)
            return before;
        nanosleep(&(struct timespec){.tv_nsec = NAP_MS * 1000000}, NULL);
    }
}
