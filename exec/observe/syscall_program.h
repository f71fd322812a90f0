/* The program that the kernel runs at the end of each system call while an observer of them is at work, and what it speaks of.
 *
 * It tells a session by its process namespace: a process of a box has a number in that namespace, however deep in namespaces of its own
 * it is. So nothing about the process is changed, and nothing of it can be noticed there. Process 1 of the namespace, which is our
 * agent, is left out. */
#ifndef EXEC_OBSERVE_SYSCALL_PROGRAM_H
#define EXEC_OBSERVE_SYSCALL_PROGRAM_H

#include <stdbool.h>

#include "exec/observe/bpf.h"
#include "exec/observe/syscalls.h"

/* Offsets of members in the kernel's structures, in bytes. */
struct syscall_offsets {
    int32_t task_pid;    /* of a task's struct pid */
    int32_t pid_level, pid_numbers;
    int32_t number_space; /* in one of these numbers: of its namespace */
    int32_t space_inode;
};

enum {
    SYSCALL_NUMBERS = 512,   /* of the table of system calls */
    SYSCALL_PATH = 64,       /* bytes of a path that are looked at, the NUL too */
    SYSCALL_WORDS = SYSCALL_PATH / 8,
    SYSCALL_PREFIXES = 4,    /* of one session: root and home, with a slash behind and with the end */
    SYSCALL_SEEN = 16384,    /* different ones of all tasks that run */
    SYSCALL_SESSIONS = 512,
    SYSCALL_CODE = 1024      /* instructions at most */
};

/* Values of the table. */
enum { SYSCALL_IGNORED, SYSCALL_PLAIN, SYSCALL_PATH_FIRST /* the path is the first argument; the next value: the second; … */ };

/* A path belongs to it when the bits of `mask` are those of `text`. */
struct syscall_prefix {
    uint64_t text[SYSCALL_WORDS], mask[SYSCALL_WORDS];
};
struct syscall_session {
    uint64_t task; /* 1..65535: of the task that runs; 0: none does, or nobody wants to know */
    struct syscall_prefix prefixes[SYSCALL_PREFIXES]; /* the first two mean PATH_ROOT, the others PATH_HOME */
};

/* Descriptors. That sets are parts of one map, and sessions are not maps within a map, has a reason: changing one of those waits until
 * every processor has been seen idle. */
struct syscall_maps {
    int table;    /* array: number -> one of the values above, 32 bits */
    int sessions; /* hash: inode of a process namespace -> struct syscall_session */
    int seen;     /* hash: a key as below -> 32 bits */
};
enum { SYSCALL_TASK_SHIFT = 48, SYSCALL_NUMBER_SHIFT = 32, SYSCALL_ERROR_SHIFT = 16, SYSCALL_PART = 0xffff };
/* A key has 16 bits each: task, number, errno, enum path_class. */

bool syscall_program_here(void); /* is there one for this kind of machine? */
/* How many instructions; at most SYSCALL_CODE. */
size_t syscall_program(const struct syscall_offsets *at, const struct syscall_maps *maps, struct bpf_insn *code);

#endif
