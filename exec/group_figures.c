/* Reading control groups, of both versions; see group_figures.h. */
#include "exec/group_figures.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHORT = 4096 };

static bool read_short(const char *dir, const char *file, char text[SHORT])
{
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/%s", dir, file);
    int fd = length > 0 && (size_t)length < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, SHORT - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* The number in a file that holds nothing else, or behind a word at the beginning of a line. */
static bool read_number(const char *dir, const char *file, const char *word, uint64_t *value)
{
    char text[SHORT];
    if (!dir || !read_short(dir, file, text))
        return false;
    const char *at = text;
    size_t length = word ? strlen(word) : 0;
    while (word && at && !(strncmp(at, word, length) == 0 && at[length] == ' ')) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (!at)
        return false;
    at += word ? length + 1 : 0;
    char *end;
    unsigned long long number = strtoull(at, &end, 10);
    if (end == at)
        return false;
    *value = number;
    return true;
}

static void read_count(const char *dir, const char *file, const char *word, uint32_t *value)
{
    uint64_t number;
    if (read_number(dir, file, word, &number))
        *value = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

void group_usage(const char *memory, bool v2, struct usage *out)
{
    read_number(memory, v2 ? "memory.current" : "memory.usage_in_bytes", NULL, &out->memory);
    read_number(memory, v2 ? "memory.peak" : "memory.max_usage_in_bytes", NULL, &out->memory_peak);
}

/* io.stat has a line for each disk: "8:0 rbytes=10 wbytes=20 rios=1 …". */
static void read_io(const char *dir, uint64_t *bytes)
{
    char text[SHORT];
    if (!dir || !read_short(dir, "io.stat", text))
        return;
    static const char *const names[] = {" rbytes=", " wbytes="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *at = strstr(text, names[i]); at; at = strstr(at + 1, names[i]))
            *bytes += strtoull(at + strlen(names[i]), NULL, 10);
}

void group_figures(const char *pids, bool pids_v2, const char *memory, bool memory_v2, struct snapshot *out)
{
    struct usage usage = {.memory = out->memory, .memory_peak = out->memory_peak};
    group_usage(memory, memory_v2, &usage);
    out->memory = usage.memory;
    out->memory_peak = usage.memory_peak;
    read_count(memory, memory_v2 ? "memory.events" : "memory.oom_control", "oom_kill", &out->oom_kills);
    read_count(memory, memory_v2 ? "memory.events" : "memory.failcnt", memory_v2 ? "max" : NULL, &out->memory_refusals);
    read_count(pids, "pids.current", NULL, &out->group_processes);
    read_count(pids, "pids.events", "max", &out->process_refusals);
    const char *whole = pids_v2 ? pids : memory_v2 ? memory : NULL; /* in version 2 one directory has all */
    read_number(whole, "cpu.stat", "usage_usec", &out->cpu_us);
    read_count(whole, "cpu.stat", "nr_throttled", &out->throttled);
    read_count(whole, "pids.peak", NULL, &out->processes_peak);
    read_io(whole, &out->io_bytes);
}
