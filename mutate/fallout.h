/* What may have become of steps and files after a change of one step. For retarget.c; see fallout.c for how a
 * plan is followed. */
#ifndef MUTATE_FALLOUT_H
#define MUTATE_FALLOUT_H

#include "gen/task.h"

enum knowledge {
    KNOWN_SAME,    /* as without the change */
    KNOWN_CONTENT, /* holds, or gives, the changed step's new content */
    KNOWN_SIZE,    /* a step that gives that content's size */
    KNOWN_NOTHING
};

struct fallout_path {
    struct bytes path; /* normal */
    enum knowledge knowledge;
};

struct fallout {
    struct arena arena;
    const struct task *task;
    enum knowledge *steps; /* by index */
    struct fallout_path *paths;
    size_t path_count, path_capacity;
    bool all; /* paths that are not listed may be anything */
    bool confined; /* it is a change in one of several tasks that were put together, the steps own_first to before own_end, and it concerns only that one */
    size_t own_first, own_end;
};

/* Follows the plan from the changed step on. `content`: the step puts a whole file, and its new content is
 * known. */
void fallout_follow(struct fallout *f, const struct task *t, size_t step, const struct json *old_args,
                    bool content);
enum knowledge fallout_of_path(const struct fallout *f, struct bytes path); /* normal */
void fallout_release(struct fallout *f);

/* What an op does with the files it names. */
enum deed {
    DOES_NOTHING, /* to files */
    DOES_ANYTHING,
    ASKS_ANYTHING, /* changes nothing, its result may come from anything */
    PUTS,          /* the whole file, from its content */
    PUTS_OTHER,    /* a file, from somewhere else */
    CHANGES,       /* a file, from what it was */
    GETS,
    GETS_SIZE,
    LISTS,
    MAKES,   /* a directory */
    TOUCHES, /* what a file is, not what it holds */
    REMOVES,
    COPIES,
    MOVES
};

enum deed fallout_deed(const struct op *op);

/* Finds out whether the change stays in its part. What the changed step names must be its own: then it does not touch what others have made. */
void fallout_confine(struct fallout *f, size_t step, const struct json *old_args);
/* The step is the first of one of several tasks that were put together. */
bool fallout_begins_part(const struct task *t, size_t index);
/* The file is one of another part's. */
bool fallout_is_foreign(const struct fallout *f, struct bytes path);

/* For fallout.c: what is known of paths. */
void fallout_know(struct fallout *f, struct bytes path, enum knowledge knowledge);
bool fallout_is_listed(const struct fallout *f, struct bytes path);
/* Whether something strictly below the path is not as it was. */
bool fallout_holds_changed(const struct fallout *f, struct bytes path);
void fallout_forget_all(struct fallout *f);
/* Step `index` may or may not have made the path, and with it the directories above it. */
void fallout_doubt(struct fallout *f, size_t index, struct bytes path);
/* The normal paths of a step's arguments; false when one of them only the run tells. */
bool fallout_paths(struct fallout *f, const struct json *args, struct bytes *path, struct bytes *to);

#endif
