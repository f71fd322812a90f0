/* What wire mutators share: where they strike, how a frame's text is looked at, how plans are put together.
 */
#ifndef MUTATE_WIRE_WIRE_INTERNAL_H
#define MUTATE_WIRE_WIRE_INTERNAL_H

#include "mutate/mutate_internal.h"
#include "mutate/wire/wire.h"

/* One kind of a mutator. */
struct wire_variant {
    const char *kind, *words; /* the record's detail is "kind: words" */
    uint64_t bytes;           /* sent beside the frame, at most */
    bool same;                /* the call does what it would do without */
};

/* A wire mutator: its row in the registry, its kinds (the last has no name), and what is sent. */
struct wire_row {
    const struct mutator *mutator;
    const struct wire_variant *variants;
    bool (*plan)(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p);
};
extern const struct wire_row wire_bad_utf8, wire_embedded_newline, wire_split_frame, wire_oversize_frame,
    wire_duplicate_key, wire_id_type, wire_missing_field, wire_batch, wire_bom, wire_unknown_version,
    wire_early_close, wire_no_newline_flood;
/* Env mutators are rows without a plan. */
extern const struct wire_row wire_slow_reader, wire_kill_server, wire_stop_server;

const struct wire_row *wire_row_at(size_t index); /* NULL past the end */
const struct wire_row *wire_row_find(const char *mutator);

/* mutator.apply of each: one kind, of one step whose call is a frame, and which has no mutation of its frame
 * yet. `alone`:
 * only of steps that stand in no group, in tasks that leave nothing running: the target may end with it. */
bool wire_apply(struct mutation *m, const struct wire_row *row, bool alone);
/* The same, only of steps of the op; NULL: any. */
bool wire_apply_to(struct mutation *m, const struct wire_row *row, bool alone, const char *op);
bool wire_is_frame(const struct op *op); /* its call is a request to the target */

/* A frame's text (text.c). */
struct wire_token {
    char
        kind; /* 'k' key, 's' string that is no key, 'v' other scalar, or the character itself: { } [ ] , : */
    size_t from, to; /* with the quotes */
    unsigned depth;  /* of what it stands in: 1 in the frame's own object */
};
/* From {0} on, one after the other; false at the end, or where the text is no JSON that we write. */
bool wire_token_next(struct bytes frame, struct wire_token *token);
/* The last string with something in it that is a value below params, or a key there. */
bool wire_last_string(struct bytes frame, bool key, struct wire_token *found);
/* A member of the frame's object: its key, and all of its value. */
bool wire_member(struct bytes frame, const char *name, struct wire_token *key, struct wire_token *value);
/* The frame with [from, to) replaced. */
struct bytes wire_replaced(struct arena *a, struct bytes frame, size_t from, size_t to, struct bytes by);
/* The frame with another text as the member's value; with none: without the member. None when it has no such
 * member. */
struct bytes wire_with_member(struct arena *a, struct bytes frame, const char *name, struct bytes value);

/* Where a string may be put that means nothing to anybody, taskgen in params._meta: there, between the two texts. */
bool wire_note_place(struct bytes frame, size_t *at, struct bytes *before, struct bytes *after);

/* Plans (plan.c). */
void wire_put(struct wire_plan *p, struct bytes bytes);
void wire_put_slowly(struct wire_plan *p, struct bytes bytes, size_t at_once, int64_t pause_ms);
void wire_repeat(struct wire_plan *p, struct arena *a, uint8_t byte, uint64_t total);
void wire_newline(struct wire_plan *p, const struct wire_request *r); /* where messages are lines */
void wire_owe(struct wire_plan *p, struct bytes id);

#endif
