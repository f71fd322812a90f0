/* The box: what taskgen starts on this machine runs inside, as far as the machine allows. Bubblewrap makes it: fresh root and home
 * writable, the rest of the host read-only, private /tmp and /dev, own process, IPC, and network namespace with loopback only;
 * beside it rlimits (core 0, file size) and, where cgroups (v1 or v2) are writable, pids and memory limits from the
 * budget.* settings. box_report says in one line each what was had and what is missing. */
#ifndef EXEC_TARGET_BOX_H
#define EXEC_TARGET_BOX_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/settings.h"

struct box {
    const char *root, *home;     /* writable, at the same path inside */
    const char *const *writable; /* more writable directories, NULL-terminated; NULL */
    const char *const *readable; /* host paths under /tmp or /root that must stay visible (programs), NULL-terminated; NULL */
    const char *const *shown;    /* pairs: a file of this machine, its name below /run/taskgen inside, NULL-terminated; NULL */
    bool off;                    /* --no-box: only rlimits and cgroups */
    int64_t shared_memory;       /* bytes of /dev/shm; 0: what the settings leave */
    unsigned user;               /* whom a session of root's without capabilities runs as, by the ids inside; 0: AGENT_PLAIN_ID */
    unsigned threads;            /* each of budget.processes may have so many, where threads are what is counted; 0: one */
    bool keep_capabilities;      /* for exec: sandboxes that make namespaces themselves */
    const struct settings *settings;
};

/* argv that starts `program` (the agent) in the box, NULL-terminated, owned by the caller (box_argv_free). All
 * descriptors stay open in it. program[0] must be a path; inside it is called /run/taskgen/NAME. It runs as process 1
 * of the box's process namespace. */
char **box_argv(const struct box *b, const char *const *program, struct error **err);
void box_argv_free(char **argv);

struct box_cgroup; /* a cgroup of one session */
/* threads: as in struct box */
struct box_cgroup *box_cgroup_new(const struct settings *settings, unsigned threads); /* NULL where the machine has none for us */
void box_cgroup_add(struct box_cgroup *c, int pid);
bool box_cgroup_oom_killed(struct box_cgroup *c);
/* Two lines for people: the version that limits processes and memory, and the limits as the kernel has them. NULL: neither. */
void box_cgroup_report(const struct box_cgroup *c, struct buf *out);
void box_cgroup_free(struct box_cgroup *c); /* kills what is left in it and below, removes it; NULL is fine */
/* The group that limits processes, or memory; NULL where there is none (or c is NULL). */
const char *box_cgroup_dir(const struct box_cgroup *c, bool memory, bool *v2);
/* Groups that were made below it, innermost first. */
struct strings;
void box_cgroup_inner(const struct box_cgroup *c, struct strings *out);
/* By which kind of hierarchy processes (kinds[0]) and memory (kinds[1]) are limited: "v1", "v2" or NULL. */
void box_cgroup_kinds(const struct box_cgroup *c, const char *kinds[2]);

/* Can boxes be made here at all? Found out once a process, by making one. If not, *why says so in one line (static; NULL:
 * not wanted), and box_argv gives the program as it stands, as with `off`. */
bool box_possible(const char **why);
/* Inside a box of root's, ids are mapped to ids of this machine that nobody has: what programs there shall be able to write
 * (root and home above all) must belong to this one. 0: as it is. */
unsigned box_owner(const struct box *b);
/* So many tasks, as the kernel has them, may be in a box: processes or their threads, and the agent. */
int64_t box_tasks(const struct settings *settings, unsigned threads);
/* Options of taskgen-agent that belong to the box: limits, and what box_owner speaks of. NULL-terminated, to be freed with
 * box_argv_free. */
char **box_agent_options(const struct box *b);

/* What this machine allows, a line each: "network namespace: yes", "pids cgroup: no (…)"; for doctor and local. */
void box_report(const struct settings *settings, struct buf *out);
/* Its last lines, about limits; not boxed: those that hold with --no-box. */
void box_report_limits(const struct settings *settings, bool boxed, struct buf *out);

#endif
