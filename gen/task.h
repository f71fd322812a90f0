/* The task record, public format taskgen/task/1: one JSON object a line (docs/task-format.md, domains/task-1.schema.json).
 *
 * In memory a task owns an arena; everything it points to lives there. Step arguments are JSON values in which
 *   - a string may hold any bytes; the writer turns one that is not UTF-8 into {"$bytes":"base64"}, the reader back;
 *   - {"$raw":"text"} is a JSON_RAW node: JSON that no parser may touch;
 *   - {"$content":"name"}, {"$from":"s1","at":"/pid"}, {"$path":"a/b","as":"absolute"} and {"$literal":…} stay objects until
 *     the step runs (exec/resolve.h).
 * Canonical form: JSON_SORTED. id = XXH3-128 of the canonical task without id, seed, index and derivation. */
#ifndef GEN_TASK_H
#define GEN_TASK_H

#include "base/arena.h"
#include "base/json.h"
#include "grammar/ops.h"

struct task_step {
    const char *id;        /* "s1", "s2", …; unique in the task */
    const struct op *op;
    struct json *args;     /* object */
    const char *session;   /* "main" unless the task uses several clients */
    const char *group;     /* NULL, or a name: neighbouring steps with the same group run in parallel */
    int64_t after_ms;      /* wait before the step; 0 */
    int64_t cancel_after_ms; /* cancel the call after so long; -1: never */
    int64_t timeout_ms;    /* deadline of this step; 0: the setting exec.step-timeout */
    uint32_t repeat;       /* run it so often; 1 */
};

struct task {
    struct arena arena;
    char id[33];               /* 32 hex digits; set by task_identify */
    const char *domain, *workflow;
    uint64_t seed, index;
    const char *derivation;    /* base64 text, see grammar/derivation.h; "" for an imported task */
    const char *grammar_hash;  /* 16 hex digits of the domain it came from; "" for an imported task */
    const char *instruction;   /* what an agent is told, UTF-8 */
    const char **needs;        /* sorted, unique capabilities, derived from the steps by task_identify */
    size_t need_count;
    struct task_step *steps;
    size_t step_count, step_capacity;
    struct json *expect;       /* array, see docs/task-format.md */
    struct json *mutations;    /* array of {mutator, step, at, detail, before} */
    struct json *contents;     /* object: name -> {"$recipe":…} or a string */
    struct json *limits;       /* object: timeout_ms, bytes, tabs, processes */
};

struct task *task_new(void);
void task_free(struct task *t);
struct task *task_copy(const struct task *t); /* deep, into an arena of its own */

/* Appends a step with defaults and a fresh id; the pointer is valid until the next one is added. */
struct task_step *task_add_step(struct task *t, const struct op *op, struct json *args);
struct task_step *task_find_step(const struct task *t, const char *id); /* NULL when there is none */
size_t task_step_index(const struct task *t, const char *id);           /* step_count when there is none */
void task_remove_step(struct task *t, size_t index); /* does not look at references to it */
/* Inserts at index, with a fresh id. */
struct task_step *task_insert_step(struct task *t, size_t index, const struct op *op, struct json *args);

/* Derives needs from the steps (op's capability, "write:bytes" for an argument of type bytes that is not UTF-8,
 * "run:python" for a language, "program:git" for what it uses, "site" for {site}, "sessions" for several clients) and sets the id. Call after every change. */
void task_identify(struct task *t);

/* Records a mutation; before is copied. */
void task_note_mutation(struct task *t, const char *mutator, const char *step, const char *at, const char *detail,
                        const struct json *before);

void task_write(const struct task *t, struct buf *out);      /* one line, canonical, without the newline */
void task_write_text(const struct task *t, struct buf *out); /* for reading: --format text */
/* Reads one JSON object. `where` is "file:line" for messages, which name the member and what was expected. Unknown
 * members are refused. The id is computed anew; a different one in the text is ERR_INPUT. */
int task_read(const struct ops *ops, struct bytes text, const char *where, struct task **t, struct error **err);

/* The fixture web site in an address; task_names_site: does any argument of the step that is an address begin so? */
#define TASK_SITE "{site}"
bool task_names_site(const struct task_step *step);

/* Helpers for wrappers in arguments. */
bool task_is_wrapper(const struct json *value, const char *name); /* an object whose first member is `name` */
struct json *task_bytes_argument(struct task *t, const char *step, const char *arg); /* NULL when absent */

#endif
