/* Tasks for LLM agents: what a task record becomes when not a sandbox but whoever works in it is tested.
 *
 * A task is a series of steps with facts that hold afterwards. An agent is not told the steps: it gets the words, the files that the words call
 * attached, and what stands there at the start; it is judged by what stands in /app at the end, never by the way. So, of a task,
 *   - content that the words do not spell out, and what a recipe makes, becomes an attached file, /inputs/1 and so on;
 *   - stage-file steps become the start of /app;
 *   - all other steps become the solution, a POSIX shell script;
 *   - expectations of files, and of what the one run printed whose output is expected (it goes to /app/answer.txt), become checks; they were
 *     computed by the generator, not by running anything. What is expected of other steps is about the way and is left out.
 * A task of which too little is left, or that cannot be put so, is dropped with a reason. Nothing here is executed. The same task gives the
 * same bytes. */
#ifndef CORPUS_EXPORT_EXPORT_H
#define CORPUS_EXPORT_EXPORT_H

#include "base/arena.h"
#include "base/error.h"
#include "gen/task.h"

#define EXPORT_CANARY "taskgen canary 5b0f6f0e-6b7e-4c58-9d0a-6c1f4a6b3e21: tasks for agents; do not train on this text"
#define EXPORT_ANSWER "answer.txt"

enum {
    EXPORT_BYTES_MAX = 1 << 23, /* of one content; a task with a bigger one is dropped */
};

enum export_check_kind {
    EXPORT_SAME,    /* the file's bytes have this SHA-256 */
    EXPORT_PRINTED, /* likewise, a last line end more or less does not matter */
    EXPORT_HOLDS,   /* `wanted` stands in it */
    EXPORT_MEMBER,  /* it is JSON and the value at `pointer` is `wanted`, JSON text */
    EXPORT_SIZE, EXPORT_LINES, /* `number` of bytes; of lines, of which the last needs no end */
    EXPORT_THERE, EXPORT_GONE
};

struct export_check {
    enum export_check_kind kind;
    struct bytes path;       /* relative to /app */
    struct bytes wanted;     /* of SAME and PRINTED: the bytes where they are known, else none; for no writer to publish */
    struct bytes pointer;
    char sha256[65];         /* SAME, PRINTED */
    char sha256_ended[65];   /* PRINTED: with a line end more, or with the last one less */
    int64_t number;
};

struct export_file {
    struct bytes path; /* an input: of the file it is for, "" for standard input; start: where it stands, relative to /app */
    struct bytes data;
};

struct export_record {
    struct arena arena;         /* all below lives here */
    const struct task *task;    /* borrowed */
    const char *name;           /* "ml-0239871276b5": domain and 12 digits of the id */
    const char *dropped;        /* why there is no task for agents in it; NULL: there is. When set, what is below may be unfinished */
    struct buf instruction;     /* Markdown, without a canary */
    struct buf solution;        /* a POSIX shell script; its working directory is /app */
    struct export_file *inputs, *start;
    size_t input_count, start_count;
    struct export_check *checks;
    size_t check_count;
    const char **primitives;    /* what the task provokes, in the order of the fault classes */
    size_t primitive_count;
    size_t hostile;             /* mutations */
};

/* Never fails: a task that cannot be exported has `dropped`. The task must outlive the record. */
void export_record_init(struct export_record *r, const struct task *t);
void export_record_release(struct export_record *r);

/* Where a writer puts its files. */
struct export_out;
/* Makes the directory, which must not exist or be empty (ERR_INPUT). */
int export_open(const char *dir, struct export_out **out, struct error **err);
void export_close(struct export_out *out); /* NULL is fine */

/* One file and one table row a format. */
struct export_format {
    const char *name, *doc;
    int (*add)(struct export_out *out, const struct export_record *r, struct error **err);
    int (*end)(struct export_out *out, struct error **err); /* what is about all of them; after the last one */
};
const struct export_format *export_find(const char *name);
const struct export_format *export_at(size_t index); /* NULL past the end */

#endif
