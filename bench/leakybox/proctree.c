/* The process tree from /proc/PID/stat; see proctree.h.
 *
 * A tree that forks while it is being killed can outrun a single pass: each pass stops what it sees first,
 * and passes are repeated until one sees nothing new, and only then are the stopped ones killed. */
#include "leakybox/proctree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

struct entry {
    pid_t pid, parent;
    char state;
    bool below;
};

struct table {
    struct entry *items;
    size_t count, capacity;
};

/* "123 (name that may hold ) and spaces) S 1 …" */
static bool read_entry(const char *name, struct entry *e)
{
    char path[64], text[512];
    const char *end;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%.20s/stat", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    end = strrchr(text, ')');
    if (!end || end[1] != ' ' || !end[2])
        return false;
    *e = (struct entry){
        .pid = (pid_t)strtol(name, NULL, 10), .state = end[2], .parent = (pid_t)strtol(end + 3, NULL, 10)};
    return true;
}

static void read_table(struct table *t)
{
    DIR *proc = opendir("/proc");
    struct dirent *d;

    t->count = 0;
    while (proc && (d = readdir(proc))) {
        if (!isdigit((unsigned char)d->d_name[0]))
            continue;
        if (t->count == t->capacity) {
            t->capacity = t->capacity ? 2 * t->capacity : 256;
            t->items = xrealloc(t->items, t->capacity * sizeof(*t->items));
        }
        if (read_entry(d->d_name, &t->items[t->count]))
            t->count++;
    }
    if (proc)
        closedir(proc);
}

static int by_pid(const void *a, const void *b)
{
    pid_t x = ((const struct entry *)a)->pid, y = ((const struct entry *)b)->pid;

    return (x > y) - (x < y);
}

/* Marks what stands below `top`; returns how many live ones there are. A parent mostly has the lower number,
 * so one or two rounds are enough. */
static size_t mark(struct table *t, pid_t top)
{
    size_t live = 0;
    bool changed = t->count > 0;

    if (changed)
        qsort(t->items, t->count, sizeof(*t->items), by_pid);
    while (changed) {
        changed = false;
        for (size_t i = 0; i < t->count; i++) {
            struct entry *e = &t->items[i], key = {.pid = e->parent};
            const struct entry *parent;

            if (e->below)
                continue;
            parent = bsearch(&key, t->items, t->count, sizeof(*t->items), by_pid);
            e->below = e->parent == top || (parent && parent->below);
            changed = changed || e->below;
            live += e->below && e->state != 'Z' && e->state != 'X';
        }
    }
    return live;
}

size_t proctree_count(pid_t top)
{
    struct table t = {0};
    size_t live;

    read_table(&t);
    live = mark(&t, top);
    free(t.items);
    return live;
}

/* Sends a signal to all live ones below top; returns how many were not yet stopped. */
static size_t signal_all(struct table *t, pid_t top, int signal)
{
    size_t running = 0;

    read_table(t);
    mark(t, top);
    for (size_t i = 0; i < t->count; i++) {
        const struct entry *e = &t->items[i];

        if (!e->below || e->state == 'Z' || e->state == 'X')
            continue;
        running += e->state != 'T' && e->state != 't';
        kill(e->pid, signal);
    }
    return running;
}

bool proctree_kill(pid_t top, long ms)
{
    struct table t = {0};
    int64_t end = clock_monotonic_ns() + ms * 1000000;
    bool gone = false;

    while (!gone) {
        for (int pass = 0; pass < 8 && signal_all(&t, top, SIGSTOP); pass++)
            ;
        signal_all(&t, top, SIGKILL);
        for (;;) { /* killed ones are reaped, and their children come to us */
            pid_t pid = waitpid(-1, NULL, WNOHANG);

            if (pid < 0 && errno == EINTR)
                continue;
            gone = pid < 0 && errno == ECHILD;
            if (pid <= 0)
                break;
        }
        if (clock_monotonic_ns() > end)
            break;
        if (!gone)
            clock_sleep_ms(1);
    }
    free(t.items);
    return gone;
}
