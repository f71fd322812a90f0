/* Reading /proc; see procfs.h. Files of /proc are read whole with one call where they are short, so that what is read is of
 * one moment. */
#include "exec/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SHORT = 4096,
    STRINGS_MAX = 2 << 20, /* what the kernel keeps of arguments and environment */
    FIELD_PARENT = 4,
    FIELD_TERMINAL = 7,
    FIELD_TICKS_FIRST = 14,
    FIELD_TICKS_LAST = 17,
    FIELD_STARTED = 22,
    FIELD_RSS = 24
};

static int open_file(const char *proc, int pid, const char *file, int flags)
{
    char path[512];
    int length = snprintf(path, sizeof path, "%s/%d/%s", proc, pid, file);
    if (length < 0 || (size_t)length >= sizeof path)
        return -1;
    return open(path, flags | O_CLOEXEC);
}

/* The beginning of a file, with a NUL behind it; its length, or -1. */
static ssize_t read_short(const char *proc, int pid, const char *file, char *data, size_t size)
{
    int fd = open_file(proc, pid, file, O_RDONLY);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, data, size - 1);
    close(fd);
    data[n > 0 ? n : 0] = '\0';
    return n;
}

static void take_field(struct proc_stat *s, int number, const char *field)
{
    uint64_t value = strtoull(field, NULL, 10);
    if (number == FIELD_PARENT)
        s->parent = (int)value;
    else if (number == FIELD_TERMINAL)
        s->terminal = (int)strtol(field, NULL, 10);
    else if (number >= FIELD_TICKS_FIRST && number <= FIELD_TICKS_LAST)
        *(number < FIELD_TICKS_FIRST + 2 ? &s->ticks : &s->reaped_ticks) += value;
    else if (number == FIELD_STARTED)
        s->started = value;
    else if (number == FIELD_RSS)
        s->rss = value * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* "pid (name) state parent …": the name may hold anything, so its end is the last parenthesis. */
bool proc_stat(const char *proc, int pid, struct proc_stat *s)
{
    char text[SHORT];
    if (read_short(proc, pid, "stat", text, sizeof text) <= 0)
        return false;
    const char *begin = strchr(text, '('), *end = strrchr(text, ')');
    if (!begin || !end || end < begin || end[1] != ' ' || !end[2])
        return false;
    *s = (struct proc_stat){.pid = pid, .state = end[2]};
    size_t length = (size_t)(end - begin - 1);
    memcpy(s->name, begin + 1, length < sizeof s->name - 1 ? length : sizeof s->name - 1);
    int number = 3;
    for (const char *field = end + 2; *field && number <= FIELD_RSS; number++) {
        take_field(s, number, field);
        field += strcspn(field, " ");
        field += *field == ' ';
    }
    return number > FIELD_STARTED;
}

static bool is_pid(const char *name, int *pid)
{
    char *end;
    long number = strtol(name, &end, 10);
    *pid = (int)number;
    return end != name && !*end && number > 0 && number < INT32_MAX;
}

size_t proc_list(const char *proc, int *pids, size_t max)
{
    DIR *dir = opendir(proc);
    size_t count = 0;
    int pid;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (is_pid(entry->d_name, &pid) && count++ < max)
            pids[count - 1] = pid;
    if (dir)
        closedir(dir);
    return count;
}

/* Children are listed by the thread that made them. */
static size_t add_children(const char *proc, int pid, int thread, int *pids, size_t count, size_t max)
{
    char file[64], text[SHORT];
    snprintf(file, sizeof file, "task/%d/children", thread);
    ssize_t n = read_short(proc, pid, file, text, sizeof text);
    char *at = text;
    while (n > 0 && *at) {
        char *end;
        long child = strtol(at, &end, 10);
        if (end == at)
            break;
        if (child > 0 && count++ < max)
            pids[count - 1] = (int)child;
        at = end;
    }
    return count;
}

static size_t add_all_children(const char *proc, int pid, int *pids, size_t count, size_t max)
{
    int fd = open_file(proc, pid, "task", O_RDONLY | O_DIRECTORY), thread;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (is_pid(entry->d_name, &thread))
            count = add_children(proc, pid, thread, pids, count, max);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    return count;
}

size_t proc_descendants(const char *proc, int pid, int *pids, size_t max)
{
    size_t count = add_all_children(proc, pid, pids, 0, max);
    for (size_t i = 0; i < count && i < max; i++)
        count = add_all_children(proc, pids[i], pids, count, max);
    return count;
}

/* "Name:   1 2 3": where the values of a line begin; NULL. */
static const char *line_of(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            return line + length + 1;
    }
    return NULL;
}

int proc_inside(const char *proc, int pid)
{
    char text[SHORT];
    if (read_short(proc, pid, "status", text, sizeof text) <= 0)
        return 0;
    const char *line = line_of(text, "NSpid");
    long last = 0;
    while (line && *line && *line != '\n') {
        char *end;
        last = strtol(line, &end, 10);
        if (end == line)
            break;
        line = end;
    }
    return (int)last;
}

uint64_t proc_rss(const char *proc, int pid)
{
    char text[256];
    unsigned long long size = 0, resident = 0;
    if (read_short(proc, pid, "statm", text, sizeof text) <= 0 || sscanf(text, "%llu %llu", &size, &resident) != 2)
        return 0;
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t proc_pss(const char *proc, int pid)
{
    char text[SHORT];
    if (read_short(proc, pid, "smaps_rollup", text, sizeof text) <= 0)
        return 0;
    const char *line = line_of(text, "Pss");
    return line ? strtoull(line, NULL, 10) * 1024 : 0;
}

static enum descriptor_kind kind_of(const char *target)
{
    static const struct {
        const char *prefix;
        enum descriptor_kind kind;
    } rows[] = {
        {"pipe:", DESCRIPTOR_PIPE},    {"socket:", DESCRIPTOR_SOCKET}, {"anon_inode:", DESCRIPTOR_OTHER},
        {"/dev/", DESCRIPTOR_DEVICE},  {"/", DESCRIPTOR_FILE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(target, rows[i].prefix, strlen(rows[i].prefix)) == 0)
            return rows[i].kind;
    return DESCRIPTOR_OTHER;
}

/* Calls `each` with what every descriptor leads to; false when they are not to be seen. */
static bool each_descriptor(const char *proc, int pid, void (*each)(void *user, const char *target), void *user)
{
    int fd = open_file(proc, pid, "fd", O_RDONLY | O_DIRECTORY), number;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        char target[64]; /* how it begins is enough */
        bool numbered = strcmp(entry->d_name, "0") == 0 || is_pid(entry->d_name, &number);
        ssize_t n = numbered ? readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1) : -1;
        if (n < 0)
            continue;
        target[n] = '\0';
        each(user, target);
    }
    closedir(dir);
    return true;
}

static void count_kind(void *user, const char *target)
{
    uint32_t *kinds = user;
    kinds[kind_of(target)]++;
}

bool proc_descriptors(const char *proc, int pid, uint32_t kinds[DESCRIPTOR_KINDS])
{
    memset(kinds, 0, DESCRIPTOR_KINDS * sizeof *kinds);
    return each_descriptor(proc, pid, count_kind, kinds);
}

struct sockets {
    uint64_t *inodes;
    size_t count, max;
};

static void add_socket(void *user, const char *target)
{
    struct sockets *s = user;
    unsigned long long inode;
    if (sscanf(target, "socket:[%llu]", &inode) == 1 && s->count++ < s->max)
        s->inodes[s->count - 1] = inode;
}

size_t proc_sockets(const char *proc, int pid, uint64_t *inodes, size_t max)
{
    struct sockets s = {inodes, 0, max};
    each_descriptor(proc, pid, add_socket, &s);
    return s.count;
}

void proc_command(const char *proc, int pid, char *out, size_t size)
{
    ssize_t n = read_short(proc, pid, "cmdline", out, size);
    while (n > 0 && out[n - 1] == '\0')
        n--;
    for (ssize_t i = 0; i < n; i++)
        if (out[i] == '\0')
            out[i] = ' ';
}

/* Arguments or environment; these come a page at a time. */
static void read_strings(const char *proc, int pid, const char *file, struct buf *out)
{
    int fd = open_file(proc, pid, file, O_RDONLY);
    uint8_t block[SHORT];
    ssize_t n;
    while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0 && buf_add(out, bytes_of(block, (size_t)n)) == 0)
        continue;
    if (fd >= 0)
        close(fd);
}

static bool holds_variable(struct bytes environment, struct bytes variable)
{
    for (ptrdiff_t at = 0; (at = bytes_find(environment, variable, (size_t)at)) >= 0; at++) {
        size_t end = (size_t)at + variable.len;
        if ((at == 0 || environment.data[at - 1] == '\0') && (end == environment.len || environment.data[end] == '\0'))
            return true;
    }
    return false;
}

enum proc_mark proc_marked(const char *proc, int pid, const char *variable, const char *text)
{
    struct buf strings;
    enum proc_mark mark = PROC_UNMARKED;
    buf_init(&strings, STRINGS_MAX);
    read_strings(proc, pid, "environ", &strings);
    if (holds_variable(buf_bytes(&strings), bytes_of_string(variable)))
        mark = PROC_BY_ENVIRONMENT;
    buf_clear(&strings);
    if (mark == PROC_UNMARKED)
        read_strings(proc, pid, "cmdline", &strings);
    if (bytes_find(buf_bytes(&strings), bytes_of_string(text), 0) >= 0)
        mark = PROC_BY_ARGUMENT;
    buf_release(&strings);
    return mark;
}
