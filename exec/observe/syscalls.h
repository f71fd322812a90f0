/* System calls by number: their names, which argument is a path, and which say nothing. */
#ifndef EXEC_OBSERVE_SYSCALLS_H
#define EXEC_OBSERVE_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum path_class {
    PATH_NONE,     /* no path, or none that could be read */
    PATH_RELATIVE, /* from a working directory or a descriptor on */
    PATH_ROOT,     /* the session's */
    PATH_HOME,
    PATH_TMP,
    PATH_PROC,
    PATH_SYS,
    PATH_DEV,
    PATH_SYSTEM,   /* etc, usr, lib, bin … */
    PATH_ELSEWHERE,
    PATH_CLASSES
};

/* Where paths of a class begin, for those that are the same in every session. */
struct path_start {
    const char *text; /* at most 8 bytes, compared as they stand */
    enum path_class class;
    bool whole;       /* the NUL belongs to it */
};
extern const struct path_start path_starts[];
extern const size_t path_start_count;

struct syscall_row {
    int number;
    const char *name;
    int path;     /* which argument is the path, from 0; -1: none is */
    bool ignored; /* differs from run to run, or is what waiting looks like */
};
const struct syscall_row *syscall_rows(size_t *count);

/* "openat ENOENT tmp", "read ok": in the arena. error: 0 or an errno. */
const char *syscall_text(struct arena *a, int number, int error, enum path_class class);

#endif
