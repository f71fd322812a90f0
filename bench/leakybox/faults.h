/* Planted faults. The server does everything right and calls a point (faults_load, faults_start, …) where a
 * fault may lie; a fault is one file under faults/ with hooks for one or more points, one line in
 * faults/list.h, one row in faults-1.json, and a switch. With all faults off no hook is ever called.
 *
 * A hook changes its event and says how far it went: FAULT_MISSED (not its business), FAULT_REACHED (the
 * faulty code ran, its condition did not hold), FAULT_TRIGGERED (the caller now gets something wrong). The
 * first of each is written to the canary file, so that a benchmark knows without believing any oracle. */
#ifndef LEAKYBOX_FAULTS_H
#define LEAKYBOX_FAULTS_H

#include <sys/types.h>

#include "leakybox/tools.h"

enum fault_mark { FAULT_MISSED, FAULT_REACHED, FAULT_TRIGGERED };

/* A call with its arguments, before they are checked. */
struct fault_call {
    struct call *call;
    bool taken; /* the hook answers it, or nobody does */
};
/* A path argument, before anything looks at it. */
struct fault_path {
    const struct tool *tool;
    struct arena *arena;
    const struct root *root; /* where relative paths start */
    struct bytes path;
    bool anywhere; /* links and absolute paths are followed with no regard to the root */
};
/* A file is about to be opened for reading. */
struct fault_open {
    const struct tool *tool;
    const struct place *place;
    bool head;    /* only the first lines are asked for */
    bool waits;   /* special files are opened and read, however long it takes */
    bool forgets; /* the descriptor is not closed */
};
/* The last lines of a file are looked for. */
struct fault_tail {
    int64_t lines;
    bool ends_with_newline;
    bool counts_empty; /* what follows the final newline is a line too */
};
/* Bytes of a file on their way into an answer. */
struct fault_load {
    const struct tool *tool;
    const struct place *place;
    bool whole; /* it is all of the file */
    struct buf *data;
    bool cut; /* a hook has cut it */
};
/* Bytes on their way into a file. */
struct fault_store {
    const struct tool *tool;
    struct arena *arena;
    const struct place *place;
    struct bytes data;
    bool lost;        /* success is claimed, nothing is done */
    bool resets_mode; /* an existing file gets the mode of a new one */
};
/* The disk turned out to be full while a file was written. */
struct fault_full {
    const struct tool *tool;
    bool hidden; /* what fitted stays, success is claimed */
};
/* A command is about to be started. */
struct fault_start {
    const struct tool *tool;
    struct arena *arena;
    struct bytes command, input;
    bool own_cwd;           /* the caller gave a directory */
    int *cwd;               /* a descriptor of it */
    bool more_environment;  /* the caller gave variables */
    bool whole_environment; /* the server's own is handed on */
    bool holds;             /* the answer waits until the command's output is closed by everybody */
    bool keeps_zombie;      /* its keeper is not reaped before the end */
    bool keeps_cwd;         /* its directory is known when it ends */
    bool keeps_input;       /* its input is not closed at the end of what was given */
    bool not_ready;         /* the command is refused */
    const char *temporary;  /* TMPDIR of the command, instead of what it should be */
    unsigned denied;        /* of its system calls: a set of denied_call */
};
/* The deadline of a command has passed. */
struct fault_timeout {
    pid_t keeper;
    bool spares_tree; /* only the shell is killed */
};
/* The caller no longer wants the answer of a call in flight. */
struct fault_cancel {
    struct server *server;
    struct bytes id;
    bool given_input; /* the command was */
    bool spares;      /* it runs on, and nothing is answered */
    bool goes_on;     /* the command runs on, and its end is answered */
};
/* A command has ended; what is to be said of it. */
struct fault_end {
    bool timed_out;
    bool signalled;  /* a signal ended the shell */
    pid_t shell;     /* its pid; the process group of what it has left behind */
    int cwd;         /* its working directory, when a hook has asked for it; else -1 */
    int64_t held_ms; /* so long the answer waited for others than the shell */
    int exit_code;
    struct buf *out, *err;
    uint64_t *out_total, *err_total;
};
/* An answer is complete; `line` ends with its newline. */
struct fault_reply {
    struct buf *out;
    size_t start; /* of the line in out */
};
/* A line of input, before it is read, and again when it turned out not to be JSON. */
struct fault_line {
    struct bytes line;
    bool malformed;
    bool ends; /* the server ends, and says nothing */
};
/* Params, or the arguments in them, are no object; an error is about to be answered. */
struct fault_malformed {
    bool in_arguments, is_string;
    struct bytes id; /* JSON text that the error carries */
};
/* A request has the id of a call in flight. */
struct fault_twin {
    struct server *server;
    struct bytes id;
    bool accepted; /* it is handled like any other */
};
/* A name on its way into a listing. */
struct fault_entry {
    struct arena *arena;
    struct bytes name;
};
/* Something is about to be deleted. */
struct fault_remove {
    const struct place *place;
    bool skipped; /* success is claimed, nothing is done */
};
/* A directory was made by a tool. */
struct fault_made {
    int dir;
    const char *name;
};
/* A name is about to be made in a directory, by make_directory or move_file. */
struct fault_make {
    const struct root *root;
    const struct place *place;
    int refused; /* errno; 0: it is not */
};
/* An error about a file is about to be put into words. */
struct fault_failure {
    const struct tool *tool;
    int number;    /* errno */
    bool wordless; /* it is told without any */
};
/* The notes were read. */
struct fault_notes {
    size_t bad_lines;
    bool fatal; /* they make the tools for notes useless */
};
/* The server begins to serve. */
struct fault_begin {
    const struct root *root;
};
/* A command that has a deadline has printed something. */
struct fault_output {
    bool overdue; /* the deadline would have passed by now */
    bool restarts;
};
/* A command has made a system call that is denied to it. */
struct fault_denied {
    unsigned call; /* a denied_call */
};
/* A signal is about to be sent to a background process. */
struct fault_signal {
    pid_t keeper;
    int number;
    bool shell_only; /* and not to its process group */
};
/* A background process is told of. */
struct fault_tell {
    struct arena *arena;
    bool killed; /* by a signal of signal_process */
    bool running;
    struct bytes out;
    uint64_t out_total;
};
/* A background process is asked for that is not known. */
struct fault_unknown {
    bool blank; /* it is told as one that ended well */
};
/* The server ends. */
struct fault_close {
    const struct server *server;
    bool spares; /* keepers are let go, and with them what they keep */
};

/* clang-format off */
#define FAULT_POINTS(X) \
    X(call) X(path) X(open) X(tail) X(load) X(store) X(full) X(start) X(timeout) X(cancel) X(end) X(reply) \
    X(close) X(line) X(malformed) X(twin) X(entry) X(remove) X(made) X(make) X(failure) X(notes) X(begin) X(output) X(signal) X(tell) X(unknown) X(denied)
/* clang-format on */

#define FAULT_HOOK(point) enum fault_mark (*point)(struct fault_##point * event);
struct fault {
    const char *id;
    const char *class_id; /* C01..C94 */
    const char *layer;    /* "interface" or "sandbox" */
    const char *primitive;
    const char
        *needs; /* to be met: "plain" one call, or "sequence", "concurrent", "threshold", "environment" */
    const char *summary;
    const char *report; /* the public report it is modelled on: REPOSITORY#NUMBER */
    bool demo;          /* part of the set "demo" */
    FAULT_POINTS(FAULT_HOOK)
};
#undef FAULT_HOOK

#define FAULT_POINT(point) void faults_##point(struct fault_##point *event);
FAULT_POINTS(FAULT_POINT)
#undef FAULT_POINT

/* "none", "demo", "all", ids, "id+guard" (guards.h), "all-2" (those of list 2), and each of them with a "-" before it, separated by commas, from left
 * to right. 0, or -1 with the reason in
 * why. */
int faults_choose(const char *list, struct buf *why);
void faults_list(struct buf *out);      /* the table, for --list */
void faults_list_json(struct buf *out); /* the rows of faults-1.json that are built in, one a line */
void faults_list_2_json(struct buf *out); /* of faults-2.json */
/* Appends "ID reached" and "ID triggered" lines to this file; NULL: none. 0, or -1 with errno. */
int faults_canary(const char *file);
struct guard;
bool faults_behind(const struct guard *guard); /* a fault behind it is on */
void faults_opened(const struct guard *guard); /* it opens: the line "+GUARD opened" */
void faults_mark(const struct fault *fault, enum fault_mark mark); /* for what a hook does later */

#endif
