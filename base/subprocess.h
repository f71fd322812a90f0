/* Starting a program of our own choosing (the box, the session agent, a --start command), with posix_spawn,
 * so the cost does not grow with our memory. Each child leads its own process group. Targets' own commands
 * are started by the session agent (exec/agent), not here. */
#ifndef BASE_SUBPROCESS_H
#define BASE_SUBPROCESS_H

#include <sys/types.h>
#include "base/bytes.h"
#include "base/error.h"

struct subprocess {
    pid_t pid;   /* 0 when not running */
    int in;      /* our end of its standard input, or -1 */
    int out;     /* our end of its standard output, or -1 */
    int err;     /* our end of its standard error, or -1 */
    pid_t group; /* its process group, ours to signal until release, also after pid became 0; 0: none */
    int status;  /* how it ended, as by waitpid, once pid is 0 */
};

struct subprocess_options {
    const char *const *argv; /* NULL-terminated; argv[0] is looked for in PATH */
    const char *const *envp; /* NULL: ours */
    const char *cwd;         /* NULL: ours */
    int keep_fd;             /* a descriptor above 2 that the child keeps under the same number; -1: none */
    bool pipe_in, pipe_out, pipe_err; /* else /dev/null */
};

/* ERR_TARGET when it cannot be started, with the reason; then there is nothing to release. The child has its
 * standard streams, keep_fd and no other descriptor, default actions for all signals and none blocked. Our
 * ends of the pipes block; set O_NONBLOCK as needed, and expect SIGPIPE when writing to one that was closed.
 */
int subprocess_start(struct subprocess *p, const struct subprocess_options *o, struct error **err);
/* Waits up to ms (-1: for ever); 1 when it ended (*status as by waitpid; may be NULL), 0 when the time ran
 * out. May be asked again after the end. */
int subprocess_wait(struct subprocess *p, int64_t ms, int *status);
/* Signals what is left of its group, also after its end. */
void subprocess_kill_group(struct subprocess *p, int signal);
/* Closes pipes, kills the group, reaps; a child that the kernel does not let die is left after 10 s. May be
 * repeated. */
void subprocess_release(struct subprocess *p);

/* Runs argv to its end, gathering standard output and error up to max bytes each; for tools we call
 * ourselves. Returns 0 with *status; ERR_TARGET when it cannot be started; ERR_LIMIT when ms (-1: no limit)
 * ran out, and it was killed with its group. out and errors are initialised by the caller or NULL; one whose
 * end had to be cut has its overflow flag set. Input that the tool does not read is dropped. */
int subprocess_run(const char *const *argv, struct bytes input, int64_t ms, size_t max, struct buf *out,
                   struct buf *errors, int *status, struct error **err);

#endif
