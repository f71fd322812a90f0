/* A task as predicates look at it: every step with its op as a bit, its paths without their spelling, facts
 * of what it puts, and the text of what it runs. Made once for a task; all predicates share it.
 *
 * A content is looked at in a sample: literal bytes as they are, a recipe with its sizes cut down, so that a
 * gigabyte costs what a page costs. Its size is a fact of the recipe where that knows it, else the sample's
 * size scaled up. */
#ifndef GEN_ARM_VIEW_H
#define GEN_ARM_VIEW_H

#include "gen/task.h"

/* The ops, in no particular order; an op outside this list has no bit. */
#define ARM_OPS(X)                                                                                           \
    X(WRITE, "write")                                                                                        \
    X(APPEND, "append")                                                                                      \
    X(READ, "read")                                                                                          \
    X(LIST, "list")                                                                                          \
    X(STAT, "stat")                                                                                          \
    X(MKDIR, "mkdir")                                                                                        \
    X(MOVE, "move")                                                                                          \
    X(COPY, "copy")                                                                                          \
    X(REMOVE, "remove")                                                                                      \
    X(LINK, "link")                                                                                          \
    X(CHMOD, "chmod")                                                                                        \
    X(EDIT, "edit")                                                                                          \
    X(SEARCH, "search")                                                                                      \
    X(UPLOAD, "upload")                                                                                      \
    X(DOWNLOAD, "download")                                                                                  \
    X(RUN, "run")                                                                                            \
    X(START, "start")                                                                                        \
    X(POLL, "poll")                                                                                          \
    X(SIGNAL, "signal")                                                                                      \
    X(WAIT, "wait")                                                                                          \
    X(OPEN, "open")                                                                                          \
    X(CLOSE, "close")                                                                                        \
    X(REOPEN, "reopen")                                                                                      \
    X(IDLE, "idle")                                                                                          \
    X(RENEW, "renew")                                                                                        \
    X(PAUSE, "pause")                                                                                        \
    X(RESUME, "resume")                                                                                      \
    X(SNAPSHOT, "snapshot")                                                                                  \
    X(RESTORE, "restore")                                                                                    \
    X(FORK, "fork")                                                                                          \
    X(FETCH, "fetch")                                                                                        \
    X(CONNECT, "connect")                                                                                    \
    X(RESOLVE, "resolve")                                                                                    \
    X(SERVE, "serve")                                                                                        \
    X(TAB_OPEN, "tab-open")                                                                                  \
    X(TAB_SWITCH, "tab-switch")                                                                              \
    X(TAB_CLOSE, "tab-close")                                                                                \
    X(NAVIGATE, "navigate")                                                                                  \
    X(CLICK, "click")                                                                                        \
    X(FILL, "fill")                                                                                          \
    X(SUBMIT, "submit")                                                                                      \
    X(ATTACH, "attach")                                                                                      \
    X(SCRAPE, "scrape")                                                                                      \
    X(EVALUATE, "evaluate")                                                                                  \
    X(SCREENSHOT, "screenshot")                                                                              \
    X(SAVE, "save")                                                                                          \
    X(DIALOG, "dialog")                                                                                      \
    X(CALL, "call")                                                                                          \
    X(SEND, "send")                                                                                          \
    X(STAGE_FILE, "stage-file")                                                                              \
    X(STAGE_DIR, "stage-dir")                                                                                \
    X(STAGE_SYMLINK, "stage-symlink")                                                                        \
    X(STAGE_FIFO, "stage-fifo")                                                                              \
    X(STAGE_SIBLING, "stage-sibling-dir")                                                                    \
    X(STAGE_DISK, "stage-small-disk")                                                                        \
    X(STAGE_SOCKET, "stage-socket")                                                                          \
    X(STAGE_DEVICE, "stage-device")                                                                          \
    X(STAGE_MANY, "stage-many")                                                                              \
    X(STAGE_SPARSE, "stage-sparse")

#define ARM_OP_NUMBER(name, text) ARM_OP_##name,
enum arm_op { ARM_OPS(ARM_OP_NUMBER) ARM_OP_COUNT };
#undef ARM_OP_NUMBER
_Static_assert(ARM_OP_COUNT < 64, "one bit for each op");

#define OP(name)    (UINT64_C(1) << ARM_OP_##name)
#define OPS_PUT     (OP(WRITE) | OP(UPLOAD) | OP(APPEND) | OP(STAGE_FILE))
#define OPS_LOOK    (OP(READ) | OP(DOWNLOAD))
#define OPS_PROGRAM (OP(RUN) | OP(START))
#define OPS_PAGE    (OP(NAVIGATE) | OP(TAB_OPEN))
#define OPS_BROWSER                                                                                          \
    (OPS_PAGE | OP(TAB_SWITCH) | OP(TAB_CLOSE) | OP(CLICK) | OP(FILL) | OP(SUBMIT) | OP(ATTACH) |            \
     OP(SCRAPE) | OP(EVALUATE) | OP(SCREENSHOT) | OP(SAVE) | OP(DIALOG))

/* What is known of some bytes. */
enum {
    TEXT_NUL = 1 << 0,
    TEXT_NOT_UTF8 = 1 << 1,
    TEXT_NON_ASCII = 1 << 2,
    TEXT_WIDE = 1 << 3,      /* a character of three or four bytes */
    TEXT_FOREIGN = 1 << 4,   /* a character past Latin: U+0300 on */
    TEXT_MARKS = 1 << 5,     /* combining marks, joiners, direction marks, odd spaces */
    TEXT_SURROGATE = 1 << 6, /* half of a pair, in generalised UTF-8 or as an escape */
    TEXT_CRLF = 1 << 7,
    TEXT_CR = 1 << 8,        /* one that no LF follows */
    TEXT_SEPARATOR = 1 << 9, /* U+2028, U+2029, U+0085, form feed */
    TEXT_LF = 1 << 10,
    TEXT_NO_END = 1 << 11, /* not empty, and the last line has no end */
    TEXT_SHELL = 1 << 12,  /* what a shell, printf or echo would change */
    TEXT_BIG_NUMBER = 1 << 13,
    TEXT_BOM = 1 << 14,
    TEXT_BASE64 = 1 << 15, /* is valid base64 itself */
    TEXT_ESCAPE = 1 << 16, /* ESC: a terminal's control sequence */
    TEXT_CHARSET = 1 << 17 /* text in an older charset or in UTF-16, by its recipe or without being UTF-8 */
};

struct arm_content {
    bool present;
    int64_t size; /* exact where that is cheap to know, else about right */
    unsigned flags;
    struct bytes kind;         /* the recipe's name; "text" when literal */
    struct bytes text;         /* literal: all of it; recipe: none */
    const struct json *recipe; /* NULL when literal */
};

struct arm_path {
    bool present;
    struct bytes text; /* without "./" in front and "/" behind */
    struct bytes as;   /* how it is spelled; none: left open */
    unsigned flags;
};

struct arm_step {
    uint64_t op;
    const struct task_step *step;
    struct arm_path path, to;
    struct arm_content content; /* content, new, send or body */
    struct arm_content input;   /* stdin */
    struct bytes script;        /* of run, start, evaluate; an argv's words with blanks between */
    struct bytes language;      /* "argv" for an argv; none when there is no program */
    unsigned flags;             /* of all strings but contents: paths, names, variables, arguments */
    bool expects_error;         /* an expectation says that it fails */
    int64_t expects_exit;       /* -1: nothing is said */
    size_t longest_line;        /* of the script */
};

struct arm_view {
    const struct task *task;
    struct arm_step *steps, *end;
    struct arena *arena; /* for what predicates make while they look */
};

/* Everything lies in the arena, or in the task, which must both outlive the view. */
void arm_view_make(struct arm_view *v, const struct task *t, struct arena *a);

#define EACH(s, v)             for (const struct arm_step *s = (v)->steps; s < (v)->end; s++)
#define EACH_AFTER(s, from, v) for (const struct arm_step *s = (from) + 1; s < (v)->end; s++)

unsigned arm_scan(struct bytes text); /* TEXT_… */
/* What a content argument holds; not present for a run-time value. */
void arm_content_look(const struct task *t, const struct json *value, struct arm_content *c, struct arena *a);

/* --- steps --- */
/* The first step behind `after` (NULL: the first of all) with one of the ops, or NULL. */
const struct arm_step *arm_next(const struct arm_view *v, const struct arm_step *after, uint64_t ops);
/* Likewise with this path (or `to`). */
const struct arm_step *arm_next_on(const struct arm_view *v, const struct arm_step *after, uint64_t ops,
                                   struct bytes path);
/* The first program behind it that names the path's last part, or NULL. */
const struct arm_step *arm_next_program(const struct arm_view *v, const struct arm_step *after,
                                        struct bytes path);
uint64_t arm_total(const struct arm_view *v, uint64_t ops); /* steps with one of them, repeats counted */
bool arm_follows(const struct arm_view *v, const struct arm_step *after, uint64_t ops);
bool arm_same_session(const struct arm_step *a, const struct arm_step *b);
bool arm_same_group(const struct arm_step *a, const struct arm_step *b);
/* "kill-server": a mutation of that name is recorded. */
bool arm_mutated(const struct arm_view *v, const char *mutator);
int64_t arm_int(const struct arm_step *s, const char *argument, int64_t fallback);
struct bytes arm_text(const struct arm_step *s, const char *argument); /* none when it is no string */
bool arm_file_expected(const struct arm_view *v, struct bytes path);   /* an expectation is about that file */

/* --- paths --- */
struct bytes arm_base(struct bytes path);                  /* last part */
bool arm_below(struct bytes path, struct bytes directory); /* "." holds all that is relative; not itself */
struct bytes arm_path_plain(struct bytes path);

/* --- words in scripts and other texts; `words` are separated by "|" --- */
bool arm_holds(struct bytes text, const char *words);
bool arm_says(const struct arm_step *s, const char *words); /* in its script */
/* As whole words: neither letter, digit, _, - nor dot beside them. */
bool arm_word(const struct arm_step *s, const char *words);
/* One of them is what a shell's script, or an argv, runs as a command. */
bool arm_commands(const struct arm_step *s, const char *words);
bool arm_is_shell(const struct arm_step *s);
bool arm_loops(const struct arm_step *s); /* repeats something: for, while, seq, range … */
bool arm_prints(const struct arm_step *s);
bool arm_background(const struct arm_step *s); /* starts a process and goes on */
bool arm_spawns(const struct arm_step *s);     /* likewise, round after round, and never waits for them */
bool arm_leaves(const struct arm_step *s);     /* likewise, and never waits for it */
/* The largest number that follows one of the words in the script: "range(1, 20 * 1000)" is 20000, "head -c
 * 2M" 2 MiB; a name is looked up where the script gives it a number. 0 when there is none. */
int64_t arm_amount(const struct arm_step *s, const char *words);
/* Likewise, of those lines alone that hold one of the deeds. */
int64_t arm_line_amount(const struct arm_step *s, const char *deeds, const char *words);
int64_t arm_rounds(const struct arm_step *s); /* how often its loops go round, as far as that can be read */
/* A loop of at least so many rounds, with one of the deeds near it. */
bool arm_repeats(const struct arm_step *s, int64_t least, const char *deeds);
/* Milliseconds that it certainly takes: the longest sleep in it; INT64_MAX for an endless loop. */
int64_t arm_duration(const struct arm_step *s);
bool arm_overruns(const struct arm_step *s);    /* has a deadline of its own that comes before its end */
bool arm_reads_input(const struct arm_step *s); /* a program that reads standard input, none given */
bool arm_serves(const struct arm_step *s);      /* opens a port */

#endif
