/* How much memory the target's own process had at most so far, seen from outside its box: its process is found among the descendants of
 * the session's agent by the number that it has inside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "exec/target/session_internal.h"

enum { STATUS_MAX = 16 << 10, PROCESSES_MAX = 512 };

/* The number behind "NAME:" in a process's status; the last one where there are several (of namespaces, ours first). 0: none. */
static uint64_t status_number(const char *status, const char *name)
{
    const char *line = strstr(status, name);
    uint64_t number = 0;
    for (const char *at = line ? line + strlen(name) : ""; *at && *at != '\n';) {
        char *end;
        unsigned long long one = strtoull(at, &end, 10);
        if (end == at) {
            at++;
            continue;
        }
        number = one;
        at = end;
    }
    return number;
}

static bool read_proc(int pid, const char *file, struct buf *out)
{
    char path[128];
    buf_clear(out);
    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    return fs_read(path, out->max, out, NULL) == 0;
}

/* Adds the children of one process to the list. */
static size_t add_children(int pid, struct buf *text, int *list, size_t count)
{
    char file[64];
    snprintf(file, sizeof file, "task/%d/children", pid);
    if (!read_proc(pid, file, text))
        return count;
    for (const char *at = buf_string(text); *at && count < PROCESSES_MAX;) {
        char *end;
        long child = strtol(at, &end, 10);
        if (end == at)
            break;
        list[count++] = (int)child;
        at = end;
    }
    return count;
}

uint64_t session_peak_memory(const struct session *s)
{
    int list[PROCESSES_MAX];
    size_t count = 1;
    uint64_t peak = 0;
    struct buf text;
    if (!s->agent || !s->main_pid)
        return 0;
    buf_init(&text, STATUS_MAX);
    list[0] = agent_host_pid(s->agent);
    for (size_t i = 0; i < count && !peak; i++) {
        if (read_proc(list[i], "status", &text) && status_number(buf_string(&text), "\nNSpid:") == (uint64_t)s->main_pid)
            peak = status_number(buf_string(&text), "\nVmHWM:") << 10;
        else
            count = add_children(list[i], &text, list, count);
    }
    buf_release(&text);
    return peak;
}
