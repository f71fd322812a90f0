/* What mutators share: where they may strike, how a change is made and recorded, what it means for the
 * expectations.
 *
 * A mutator finds a site, begins a change there, changes the value (and whatever else) through the change,
 * lets the expectations follow, and ends the change with words for a person. What was before is kept in the
 * record's "before", an object whose members are all optional: value      what stood at the mutation's place;
 * absent: nothing stood there steps      ids of steps that were inserted contents   names of contents that
 * were added rename     {"from","to"}: a file's name was changed in the whole task expect     array of
 * {"index","was"} for an expectation that was dropped and {"index","was","kept":true} for one that was
 * changed, in the order in which it was done */
#ifndef MUTATE_MUTATE_INTERNAL_H
#define MUTATE_MUTATE_INTERNAL_H

#include "mutate/mutate.h"

extern const struct mutator mutator_null_byte, mutator_encoding, mutator_large_file, mutator_process_spawn,
    mutator_interleave, mutator_tab_flood, mutator_cancel, mutator_restart_between, mutator_idle_between,
    mutator_repeat, mutator_background, mutator_stale_handle, mutator_drop, mutator_duplicate, mutator_swap,
    mutator_move;
extern const struct mutator mutator_newline, mutator_truncated_multibyte, mutator_base64_lookalike, mutator_long_name,
    mutator_path_trick, mutator_special_file, mutator_deep_nesting, mutator_number_edge, mutator_shell_quote,
    mutator_dictionary;
/* Of browser tasks (page/). */
extern const struct mutator mutator_heavy_tabs, mutator_dialog_storm, mutator_navigation_race, mutator_kill_browser, mutator_odd_address,
    mutator_odd_value, mutator_odd_text, mutator_lose_session;
/* Applied while a task runs (wire/). */
extern const struct mutator mutator_bad_utf8, mutator_embedded_newline, mutator_split_frame,
    mutator_oversize_frame, mutator_duplicate_key, mutator_id_type, mutator_missing_field, mutator_batch,
    mutator_bom, mutator_unknown_version, mutator_early_close, mutator_no_newline_flood, mutator_slow_reader,
    mutator_kill_server, mutator_stop_server;
/* Around the whole task (start/). */
extern const struct mutator mutator_locale, mutator_uid, mutator_small_shm, mutator_closed_stdin,
    mutator_env_canary, mutator_small_disk;

/* Sites (site.c). */

enum place {
    PLACE_NAME = 1,  /* a file's name; changed wherever the task uses it */
    PLACE_PATH = 2,  /* one path argument */
    PLACE_BODY = 4,  /* bytes that a step puts into a file */
    PLACE_SCRIPT = 8, /* a program's text, arguments, environment or input */
    PLACE_ARGUMENT = 16 /* a text or number among the arguments of a tool that is called, or which part of a file is read */
};

struct mutation_site {
    size_t step; /* index */
    enum place place;
    const char *at;     /* JSON pointer into the step */
    struct json *value; /* what stands there; a string, for a body {"$content":…} as well, for an argument a number as well */
};

struct sites {
    struct arena arena;
    unsigned places; /* those that are gathered */
    struct mutation_site *items;
    size_t count, capacity;
    unsigned depth; /* while they are gathered */
};

/* All sites of the places that both `places` and the hazard's `on` name; release in any case. */
void sites_find(struct sites *s, const struct mutation *m, unsigned places);
void sites_release(struct sites *s);
/* Calls strike for one site after the other, in random order, until it says true; false when none did. */
bool sites_try(struct mutation *m, unsigned places,
               bool (*strike)(struct mutation *m, const struct mutation_site *site));

/* Whether `word` is among the words of `list`; NULL list: always. */
bool mutation_words_have(const char *list, const char *word);
/* Whether every word of `list` (NULL: none) is among `known`. Otherwise *bad is the first that is not, and
 * its length. */
bool mutation_words_within(const char *list, const char *known, struct bytes *bad);
/* One of the kinds (NULL-terminated) that the hazard admits, each alike; NULL when it admits none. */
const char *mutation_kind(const struct mutation *m, const char *const *kinds);

/* Steps. */

/* A path argument's bytes, through $path; no bytes when only the run tells. */
struct bytes mutation_path(const struct json *value);
/* Without "." parts, doubled and trailing slashes, and "x/.." pairs; in the arena. */
struct bytes mutation_path_normal(struct arena *a, struct bytes path);
bool mutation_path_within(struct bytes path,
                          struct bytes directory); /* equal to it or below it; both normal */
/* The index after the last step of the group that step `index` is in; index + 1 when it is in none. */
size_t mutation_group_end(const struct task *t, size_t index);
const char *mutation_group_fresh(struct task *t);
bool mutation_puts_file(const struct op *op);  /* its content becomes the whole file */
bool mutation_is_program(const struct op *op); /* may read and write whatever it likes */
bool mutation_only_reads(const struct op *op); /* can be done twice without a trace */

/* Changes (change.c). */

struct change {
    struct mutation *m;
    const char *mutator;
    const char *step; /* id: indices move when steps are inserted */
    const char *at;
    struct json *before;
    struct json *old_args; /* the step's arguments as they were */
};

void change_begin(struct change *c, struct mutation *m, const char *mutator, size_t step, const char *at);
void change_set(struct change *c, struct json *value); /* at the change's place; records what was there */
/* A step right at `index` with fresh id, to be undone with the change. */
struct task_step *change_insert_step(struct change *c, size_t index, const struct op *op, struct json *args);
struct json *change_add_content(struct change *c, struct json *content); /* gives {"$content":NAME} */
void change_drop_expectation(struct change *c, size_t index);
void change_put_expectation(struct change *c, size_t index, const char *member, struct json *value);
void change_end(struct change *c, const char *detail, ...) __attribute__((format(printf, 2, 3)));
size_t change_index(const struct change *c); /* where the step stands now */

/* Reads and writes one place of a step: /args…, /repeat, /session, /group, /cancel_after_ms; /order: the id of the step before it; /next: the whole step behind it, /first:
 * the task's first one, before this step: put takes such a step out, or puts one in. /frame, /env and
 * /start/… hold nothing. Get
 * gives NULL where there is nothing (and for members at their default); put NULL takes it away. */
struct json *change_step_get(struct task *t, struct task_step *step, const char *at);
bool change_step_put(struct task *t, struct task_step *step, const char *at, struct json *value);

/* Bodies (body.c): contents as mutators change them. */

enum {
    BODY_INLINE_MAX = 2048,  /* a changed string stays in the step up to this length */
    BODY_MAKE_MAX = 1 << 22, /* contents that are looked into */
    BODY_NESTING_MAX = 6     /* recipes in recipes before a content is left alone */
};

/* The content a body stands for: a string or a recipe object; NULL when there is none or it is nested too
 * deep. */
const struct json *body_content(const struct task *t, const struct json *value);
/* The largest offset up to `at` that does not lie within a character; only contents up to BODY_MAKE_MAX are
 * looked into, others give 0. */
uint64_t body_boundary(const struct json *content, uint64_t at);
/* A new recipe over a content, in the task's arena. */
struct json *body_recipe(struct task *t, const char *recipe);
struct json *body_splice(struct task *t, const struct json *base, uint64_t at, uint64_t remove,
                         struct json *insert);
struct json *body_recode(struct task *t, const struct json *base, const char *encoding, const char *newline);
/* The content made, in a buffer to be released; false when it is not text, or more than BODY_MAKE_MAX. */
bool body_text(const struct json *content, struct buf *out);
uint64_t body_any_boundary(struct mutation *m, const struct json *content); /* between two characters, anywhere */
struct json *body_insert(struct mutation *m, const struct json *content, uint64_t at, struct bytes bytes);
struct json *body_pattern(struct mutation *m, int64_t size, struct bytes unit); /* unit: none for numbered lines */
/* The value to stand in the step: the bytes themselves when they are few, else a reference to an added
 * content. */
struct json *body_value(struct change *c, struct json *content);
/* Bytes that the other steps of the task send, so that a new content keeps the budget; and what the budget
 * leaves. */
int64_t body_room(const struct mutation *m, size_t step);

/* Work (cancel.c): begins a change that puts in, at the end of a task that runs programs, where no listing and no program sees its
 * file, one that adds lines to WORK_FILE for six seconds. False: nothing was begun. */
bool work_insert(struct change *c, struct mutation *m, const char *mutator, int64_t cancel_after_ms);

/* A program in sh or bash that children do not disturb: it does not wait for any, or look at them, and i is its own
 * (process_spawn.c). */
bool script_can_wrap(const struct task_step *step);

/* Names (rename.c). */

/* Changes a file's name in steps, expectations, mutations and instruction. False, and nothing is done, when
 * the task uses the name in a way that cannot be followed: in a program, a link, a listing. */
bool rename_everywhere(struct change *c, struct bytes from, struct bytes to);
bool rename_fits(struct task *t, struct bytes from, struct bytes to); /* it would be done */
void rename_back(struct task *t, struct bytes from,
                 struct bytes to); /* for undo: `from` is a name nobody else has */

/* Payloads (payload.c). */

/* One way to change a body: gives the new content and says what it is, or NULL when there is nothing to change. */
struct payload_variant {
    const char *kind;
    struct json *(*make)(struct mutation *m, const struct payload_variant *v, const struct json *content, const char **detail);
    const char *encoding, *text, *words; /* for `make`, where it needs them */
};
/* One of the variants whose kind the hazard admits, put in the body's place; they end with one without a kind. */
bool payload_body_variant(struct mutation *m, const struct mutation_site *site, const char *mutator, const char *const *kinds,
                          const struct payload_variant *variants);

/* Puts a content in a body's place, and lets the expectations follow. False, and nothing is done, where the budget is too small. */
bool payload_body(struct mutation *m, const struct mutation_site *site, const char *mutator, struct json *content,
                  const char *detail);
/* Any other value; what depends on it is not known any more. */
void payload_value(struct mutation *m, const struct mutation_site *site, const char *mutator, struct json *value,
                   const char *detail);
/* A path that is spelled as the old one is. */
struct json *payload_path(struct mutation *m, const struct json *old, struct bytes path);
struct bytes payload_joined(struct mutation *m, struct bytes x, struct bytes y, struct bytes z);
struct bytes payload_decorated(struct mutation *m, struct bytes path, struct bytes text); /* "a/b.c" with "-x": "a/b-x.c" */
struct bytes payload_directory(struct bytes path); /* with its slash; none: no bytes */
/* Another name in the whole task for the file that the site names; `doubt`: a right sandbox may refuse that name, so what hangs on
 * the file goes. False, and nothing is done, when the file's name cannot be followed. */
bool payload_rename(struct mutation *m, const struct mutation_site *site, const char *mutator, struct bytes to, bool doubt,
                    const char *detail);

/* Expectations (retarget.c): an expectation stays only when it is true for a correct sandbox. */

/* The step, which puts a whole file, now has another content; expectations about the file's bytes follow, and
 * those that a program may have made of the bytes go. */
void retarget_content(struct change *c, const struct json *value);
/* What the step does now is anybody's guess: everything that may depend on it goes. */
void retarget_unknown(struct change *c);

#endif
