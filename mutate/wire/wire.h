/* Mutations of wire frames: what is done to the frame of one call while a task runs.
 *
 * The task keeps its steps as they are. A record
 * {"mutator":"bad-utf8","step":"s3","at":"/frame","detail":"KIND: words"} says which call's frame is sent
 * otherwise and how; whoever speaks the protocol asks here what to send instead. A plan is a pure function of
 * the kind and the request: no state, no I/O, no chance. Big ones are a few pieces that repeat a block, so
 * that megabytes are written from 64 KiB. */
#ifndef MUTATE_WIRE_WIRE_H
#define MUTATE_WIRE_WIRE_H

#include "gen/task.h"

/* A mutation that is applied while running. */
struct wire_mutation {
    const char *mutator; /* of the registry */
    const char *kind;    /* one of its kinds */
};

/* The record of a mutation in group `group` ("wire" or "env") that stands for this step, the first one;
 * false: none, or one whose mutator or kind is unknown. Texts of *out are static. */
bool wire_find(const struct task *t, const char *step, const char *group, struct wire_mutation *out);

/* What would be sent without the mutation. */
struct wire_request {
    struct bytes frame; /* one JSON-RPC request, without a newline; must live as long as the plan */
    struct bytes id;    /* its id, as JSON text */
    bool lines;         /* messages are lines of a stream; else each is the body of a request of its own */
    bool batches;       /* the version of the protocol allows several messages in one */
    uint64_t room;      /* bytes that may be sent for it at most */
};

enum { WIRE_PIECES_MAX = 8, WIRE_IDS_MAX = 4, WIRE_BLOCK = 64 << 10 };

/* Bytes to write: `block`, over and over, `total` bytes of it. */
struct wire_piece {
    struct bytes block;
    uint64_t total;
    size_t at_once;   /* bytes in one write at most; 0: as many as go */
    int64_t pause_ms; /* before each write of the piece */
};

enum wire_end {
    WIRE_GOES_ON, /* the connection stays */
    WIRE_CLOSES,  /* nothing more is written: end of input, or of the HTTP request's connection */
    WIRE_BREAKS   /* both directions at once, without a word */
};

struct wire_plan {
    struct wire_piece pieces[WIRE_PIECES_MAX];
    size_t count;
    uint64_t total;
    uint64_t declared; /* length that is announced where one is (a body's); more than total: it breaks off in
                          the middle */
    enum wire_end end;
    int64_t end_after_ms;           /* from the last byte until that end */
    bool lawful;                    /* a lawful client may send this */
    bool own_id;                    /* the request's own id can be read, and is owed its one answer */
    bool inert;                     /* no right server carries out what is asked, so any answer comes soon */
    struct bytes ids[WIRE_IDS_MAX]; /* other ids that can be read, as JSON text: each is owed an answer too */
    size_t id_count;
    unsigned any;   /* so many answers are owed, whatever id they bear */
    unsigned nulls; /* so many errors with the id null are in order */
    bool duplicate; /* two requests bear the own id */
};

/* Fills *plan (its data lie in `a` and in the request). False: this kind cannot be done to this request. */
bool wire_plan_make(const struct wire_mutation *mutation, const struct wire_request *request, struct arena *a,
                    struct wire_plan *plan);

/* Env mutations, in numbers. How long nothing is read from the target after the call was sent; 0: this is
 * none of them. */
int64_t wire_deaf_ms(const struct wire_mutation *mutation);

#endif
