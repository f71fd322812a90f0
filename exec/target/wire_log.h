/* What went to a target, byte for byte, as a script can send it again: entries of a JSON array.
 *
 *     {"after":N,"text":"…"}   written to its standard input once N lines had come from it; "base64" where it is no UTF-8
 *     {"run":[WORD,…],"in":DIR,"env":["K=V",…],"stdin":B}   a program that was run, its words behind the prefix; "start": one that was
 *                              left running. A word is a string, or {"base64":…}; stdin likewise, absent where it had none
 *                              What goes to a browser has words in place of names that it gave (cdp/log.c)
 *     {"step":I} {"done":I}    around the calls of observation I
 *
 * The session's root stands as WIRE_LOG_ROOT. Programs are noted between step and done only: what is run besides only looks. A log that grew too long is empty for good: half of it would be of no use. */
#ifndef EXEC_TARGET_WIRE_LOG_H
#define EXEC_TARGET_WIRE_LOG_H

#include "base/bytes.h"

#define WIRE_LOG_ROOT "@TASKGEN-ROOT@"

struct wire_log {
    struct buf entries;  /* with commas between them */
    struct buf waiting;  /* written since `lines` was as it is now */
    uint64_t lines;      /* that came; counted by who reads them */
    const char *root;    /* of the session; borrowed */
    bool inside;         /* of a step */
    bool too_long;
};

struct wire_program {
    const char *const *words; /* NULL-terminated */
    const char *const *env;   /* K=V that it has beside the usual, NULL-terminated */
    const char *in;           /* directory */
    struct bytes input;
    bool stays;               /* nobody waits for it */
};

void wire_log_init(struct wire_log *l, const char *root);
void wire_log_release(struct wire_log *l);
void wire_log_sent(struct wire_log *l, struct bytes data);
void wire_log_came(struct wire_log *l); /* a line */
void wire_log_program(struct wire_log *l, const struct wire_program *p);
void wire_log_spoil(struct wire_log *l); /* something went that cannot be sent again: there is no log */
void wire_log_mark(struct wire_log *l, const char *what, size_t index);
/* Appends the array; "" when nothing was sent or it was too long. */
void wire_log_write(struct wire_log *l, struct buf *out);

/* Appends the bytes with `place` where that text stood; NULL: it stands nowhere. */
void wire_log_placed(struct buf *out, struct bytes data, const char *text, const char *place);
/* Appends the bytes with WIRE_LOG_ROOT where the root's name stood. */
void wire_log_unrooted(struct buf *out, struct bytes data, const char *root);

#endif
