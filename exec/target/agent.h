/* The session agent: a small program of ours (exec/agent, installed as libexec/taskgen/taskgen-agent) that runs first
 * in a session's box and starts everything else there. It is a child subreaper (and, in a box with a process namespace,
 * the oldest process but the box's init), so nothing a target starts can leave its sight; it forks from a tiny image, so starting is
 * cheap; and it is the place from which the session's processes are listed and killed.
 *
 * We talk to it over one SOCK_STREAM socket pair that it inherits; descriptors travel by SCM_RIGHTS. All functions of
 * one agent are for one thread. A dead agent is data: functions say so by their return value. */
#ifndef EXEC_TARGET_AGENT_H
#define EXEC_TARGET_AGENT_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/settings.h"
#include "exec/target/box.h"

struct agent;

int agent_start(const struct box *box, struct agent **agent, struct error **err);
/* Kills everything in the session with SIGKILL, the agent and the box last, and waits until all are gone. */
void agent_stop(struct agent *a);

struct agent_process {
    int id;       /* our handle, from 1 */
    int pid;      /* in the agent's process namespace */
    int in;       /* write end of its stdin, or -1 when it got /dev/null; see exec/target/pipe.h. All three do not block */
    int out, err; /* read ends */
    int exec_errno; /* 0, or why it could not be executed */
};
struct agent_command {
    const char *const *argv; /* NULL-terminated; looked for in PATH */
    const char *const *env;  /* NULL-terminated K=V: the whole environment */
    const char *cwd;
    bool with_stdin;         /* a pipe; else /dev/null */
    bool merge_err;          /* stderr into out; then err is -1 */
};
/* 0; ERR_TARGET when the agent is gone or the machine has no process or descriptor left. A command that cannot be
 * executed is data: exec_errno. */
int agent_spawn(struct agent *a, const struct agent_command *command, struct agent_process *process, struct error **err);
/* A TCP socket of the box's network (family: AF_INET or AF_INET6; AF_NETLINK: one of NETLINK_SOCK_DIAG), not connected, close-on-exec; the caller's. -1 with errno
 * when there is none. What is connected with it reaches servers that listen in the box. */
int agent_socket(struct agent *a, int family);
/* Has it ended? 1 with *status as by waitpid, 0 not yet, -1 agent gone. Does not block. */
int agent_status(struct agent *a, int id, int *status);
/* A descriptor that becomes readable when any process of this agent has ended; for poll beside the pipes. */
int agent_fd(const struct agent *a);
void agent_signal(struct agent *a, int id, int signal, bool group);
struct process_info;
/* All processes below the agent, zombies too; returns how many there are, and fills at most max. */
size_t agent_processes(struct agent *a, struct process_info *out, size_t max);
bool agent_alive(const struct agent *a);
/* A process of the session was killed because budget.memory was used up (where a memory cgroup could be had). */
bool agent_oom_killed(const struct agent *a);
/* The control groups that the session is in; NULL where there are none. */
struct box_cgroup *agent_cgroup(const struct agent *a);
/* The agent's process as this machine sees it; for /proc/PID/ns. */
int agent_host_pid(const struct agent *a);

#endif
