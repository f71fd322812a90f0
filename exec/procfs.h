/* Processes as /proc shows them. Every function takes the directory to read, "/proc" or one that looks like it, and gives
 * what is there at that moment: a process may be gone, or not ours to look into, and then there is nothing. */
#ifndef EXEC_PROCFS_H
#define EXEC_PROCFS_H

#include "base/arena.h"
#include "exec/traces.h"

struct proc_stat {
    int pid, parent, terminal; /* terminal: 0 when it has none */
    char state;                /* R S D Z T … */
    char name[32];
    uint64_t ticks, reaped_ticks; /* of CPU time: its own, and that of children it has waited for */
    uint64_t started;             /* ticks since the machine was started; with pid it names a process for good */
    uint64_t rss;                 /* bytes */
};

bool proc_stat(const char *proc, int pid, struct proc_stat *s);
/* All processes; returns how many there are and fills at most max. */
size_t proc_list(const char *proc, int *pids, size_t max);
/* What descends from a process, nearest first, itself not among it. The same counting. */
size_t proc_descendants(const char *proc, int pid, int *pids, size_t max);
int proc_inside(const char *proc, int pid); /* its number in the innermost process namespace it is in; 0 */
uint64_t proc_rss(const char *proc, int pid);
uint64_t proc_pss(const char *proc, int pid); /* walks page tables: a millisecond for a big process */
/* False when its descriptors are not to be seen. */
bool proc_descriptors(const char *proc, int pid, uint32_t kinds[DESCRIPTOR_KINDS]);
/* Inodes of the sockets it holds; the same counting as above. */
size_t proc_sockets(const char *proc, int pid, uint64_t *inodes, size_t max);
/* The start of its command line, NULs as spaces. */
void proc_command(const char *proc, int pid, char *out, size_t size);

enum proc_mark { PROC_UNMARKED, PROC_BY_ARGUMENT, PROC_BY_ENVIRONMENT };
/* Does `variable` ("NAME=VALUE") stand in its environment, or `text` in its command line? */
enum proc_mark proc_marked(const char *proc, int pid, const char *variable, const char *text);

/* What listens in the network namespace of a process, at most max; arena for names and the list. */
size_t proc_listeners(const char *proc, int pid, struct arena *a, size_t max, struct listener **out);

#endif
