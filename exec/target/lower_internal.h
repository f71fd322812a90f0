/* Inside lowering: lower.c is the engine, lower_*.c hold the rows. */
#ifndef EXEC_TARGET_LOWER_INTERNAL_H
#define EXEC_TARGET_LOWER_INTERNAL_H

#include "exec/target/lower.h"
#include "exec/target/session_internal.h"

struct lowered {
    struct session *s;
    struct call *call;
    struct arena *a;
    const struct lower_row *row;
    unsigned channel; /* enum run_channel */
    bool packed;      /* answers come between marks */
    char mark[24];
    unsigned step;         /* commands answered so far */
    bool ready;            /* the command below waits to be run */
    struct json *sub_args; /* of the command */
    const struct op *sub_op;
    void *own; /* the row's, in the arena */
};

struct lower_answer {
    int exit;
    struct bytes out, err;
    const struct json *result; /* of a `start`, or of another op than a command */
    struct bytes raw;          /* of another op than a command: the reply's text */
};

struct lower_row {
    const char *op;
    const char *need; /* "run:sh", "run:python"; or ops and helpers of the driver, all of them, with blanks between them */
    unsigned channel; /* enum run_channel flags it cannot do without */
    void (*begin)(struct lowered *l);
    /* Sets the outcome, or the next command. NULL: done when the exit status is 0, with no result. */
    void (*reply)(struct lowered *l, const struct lower_answer *answer);
    const char *command; /* of the simplest rows, whose begin is lower_simple: %p and %t are the paths `path`
                            and `to` */
};

extern const struct lower_row lower_file_rows[], lower_change_rows[], lower_job_rows[],
    lower_net_rows[], lower_page_rows[]; /* op NULL ends */

/* --- for rows --- */

void lower_simple(struct lowered *l);
/* The next command, a shell script. With input only where the channel has RUN_STDIN. */
void lower_shell(struct lowered *l, struct buf *script, const struct bytes *input);
/* The next command, Python: `code` ends in a call of done(status, out, err) with bytes. */
void lower_python(struct lowered *l, const char *code);
/* The next command, a start of a shell script. */
void lower_start(struct lowered *l, struct buf *script);

/* The next call, of an op or helper that the driver carries out itself. */
void lower_op(struct lowered *l, const char *op, struct json *args);

/* The argument as it is to be spelled; false, with the call skipped, when it is missing or cannot be said. */
bool lower_path(struct lowered *l, const char *arg, struct bytes *path);
bool lower_text(struct lowered *l, const char *arg, struct bytes *text); /* no NUL */
/* Absent: the value stays. False, with the call skipped, when it is no number from low to high. */
bool lower_number(struct lowered *l, const char *arg, int64_t low, int64_t high, int64_t *value);
void lower_add_path(struct buf *script, struct bytes path); /* quoted; a tilde at its beginning stays free */
void lower_add_quoted(struct buf *script, struct bytes text);
/* Goes there or ends, after ls has said in proper words why not. */
void lower_add_enter(struct buf *script, struct bytes directory);
void lower_add_base64(struct buf *script, struct bytes data);

/* The outcome: success; or the command's failure, its text and the errno that the text speaks of. */
void lower_done(struct lowered *l);
void lower_fail(struct lowered *l, const struct lower_answer *answer);
int lower_errno(struct bytes text); /* 0: none recognised */

/* Commands that replace or extend a file with any content, in as many pieces as it takes (lower_change.c). */
void lower_put(struct lowered *l, struct bytes path, struct bytes content, bool append);
void lower_put_reply(struct lowered *l, const struct lower_answer *answer);

/* A background job (lower_jobs.c) of a program, which is given as words for the shell, each after a space. */
void lower_add_job(struct lowered *l, struct buf *script, struct bytes program);

enum { LOWER_PIECE = 60 * 1024 }; /* bytes in one command, before base64: an argument holds 128 KiB */

#endif
