/* What the files of the task record share: wrappers of values, the walk over a value, the reader's context.
 */
#ifndef GEN_TASK_INTERNAL_H
#define GEN_TASK_INTERNAL_H

#include "gen/task.h"

enum {
    TASK_STEPS_MAX = 4096, /* steps of a record that is read */
    TASK_DEPTH_MAX = 256,  /* nesting of a record that is read */
    TASK_NAME_MAX = 64     /* bytes of a domain's, workflow's, step's, session's, group's or content's name */
};

/* The objects that stand for something else than themselves. */
enum task_wrapper {
    WRAP_NONE,
    WRAP_BYTES,
    WRAP_RAW,
    WRAP_CONTENT,
    WRAP_FROM,
    WRAP_PATH,
    WRAP_LITERAL,
    WRAP_RECIPE
};

/* Which wrapper an object is, by any of its members' names; WRAP_NONE for everything else. */
enum task_wrapper task_wrapper_of(const struct json *value);
const char *task_wrapper_name(enum task_wrapper wrapper); /* "$bytes" */
/* How a path may be spelled, NULL-terminated. */
extern const char *const task_spellings[];

/* The walk the wrappers ask for: does not go into $literal, whose inside is nobody's business. */
struct json *task_walk_values(const struct json *root, struct json *node);

/* A copy as it stands in the record: byte strings become {"$bytes":…}, raw texts {"$raw":…}. */
struct json *task_value_outward(struct arena *a, const struct json *value);

/* The record without the members that do not count for the id, unless `whole`. */
struct json *task_tree(const struct task *t, struct arena *a, bool whole);
/* One step as it stands in the record; what undoing a mutation works on too. */
struct json *task_step_tree(const struct task_step *step, struct arena *a);

/* Where the reader is: messages are "WHERE: MEMBER: found …, expected …". */
struct task_reader {
    struct task *task;
    const struct ops *ops;
    const char *where;
    struct error **err;
    size_t step; /* the step that is being read: references must point before it */
};

/* ERR_INPUT naming the member (printf format), what was found there (NULL: nothing) and what was expected. */
int task_fault(struct task_reader *r, const char *member, const struct json *found, const char *expected);
/* "write", 17, an array …: a value in a message. */
char *task_describe(struct arena *a, const struct json *value);
/* For a person: control characters and bytes that are not UTF-8 as \xNN, invisible characters as \uNNNN, all
 * on one line. */
void task_put_escaped(struct buf *out, struct bytes text);
size_t task_text_cut(struct bytes text,
                     size_t max); /* where to cut after at most max bytes: not within a character */
char *task_show(struct arena *a, struct bytes text, size_t max); /* likewise, in quotes and cut */
bool task_name_ok(struct bytes name);

/* Readers of one member each; ERR_INPUT names it and says what was expected. */
int task_read_name(struct task_reader *r, struct json *value, const char *member, const char **out);
int task_read_text(struct task_reader *r, struct json *value, const char *member,
                   const char **out); /* without NUL */
int task_read_unsigned(struct task_reader *r, struct json *value, const char *member, uint64_t *out);
int task_read_count(struct task_reader *r, struct json *value, const char *member, int64_t low, int64_t high,
                    int64_t *out);
int task_expect_kind(struct task_reader *r, struct json *value, const char *member, enum json_kind kind,
                     const char *expected);
/* One member of an object: whether it must be there and what reads it. Members are read in the table's order.
 */
struct task_member {
    const char *name;
    bool required;
    int (*read)(struct task_reader *r, struct json *value, const char *member);
};
int task_read_members(struct task_reader *r, struct json *object, const char *prefix,
                      const struct task_member *rows, size_t count);
int task_read_steps(struct task_reader *r, struct json *value, const char *member);

/* Which wrappers may stand where, as a set of 1 << enum task_wrapper. */
enum {
    WRAPS_ARGS = 1 << WRAP_BYTES | 1 << WRAP_RAW | 1 << WRAP_CONTENT | 1 << WRAP_FROM | 1 << WRAP_PATH |
                 1 << WRAP_LITERAL,
    WRAPS_EXPECT = 1 << WRAP_BYTES | 1 << WRAP_RAW | 1 << WRAP_CONTENT | 1 << WRAP_PATH | 1 << WRAP_LITERAL,
    WRAPS_CONTENT = 1 << WRAP_BYTES | 1 << WRAP_RECIPE,
    WRAPS_BEFORE = WRAPS_ARGS | WRAPS_CONTENT
};
/* Turns {"$bytes":…} and {"$raw":…} into what they stand for and checks the form of the other wrappers. The
 * value may be replaced, so it is handed back; its place among its parent's members stays. NULL after a
 * fault. */
struct json *task_value_inward(struct task_reader *r, struct json *value, unsigned wraps, const char *member);
int task_check_args(struct task_reader *r, const struct task_step *step, const char *member);
int task_check_expect(struct task_reader *r, const struct json *expect);

#endif
