/* The server: one thread, one poll loop over the protocol's two ends and the commands that run. Files are
 * worked on at once; commands run beside, so a slow one holds nobody up. */
#ifndef LEAKYBOX_SERVER_H
#define LEAKYBOX_SERVER_H

#include "base/arena.h"
#include "base/json.h"
#include "leakybox/idscan.h"
#include "leakybox/root.h"

enum {
    LINE_MAX_BYTES = 128 * 1024 * 1024,   /* a longer message is refused */
    CONTENT_MAX_BYTES = 32 * 1024 * 1024, /* of a file in one reply */
    VALUES_MAX = 4 * 1000 * 1000,         /* JSON values in one message */
    OUT_HIGH_BYTES = 64 * 1024 * 1024,    /* answers waiting for the reader: no more requests are read */
};

struct job;

struct timer {
    struct timer *next;
    int64_t due_ns;
    void (*run)(void *data);
    void *data;
};

struct server {
    struct root root;
    int signals;          /* signalfd: a child ended, or we are asked to end */
    uint8_t chunk[65536]; /* read, not yet taken apart */
    size_t chunk_at, chunk_len;
    struct buf line;    /* an unfinished message */
    bool skipping;      /* inside a message that is too long */
    struct idscan scan; /* of that message */
    struct buf out;     /* answers, of which `sent` bytes are written */
    size_t sent;
    struct job *jobs;
    size_t job_count;
    unsigned last_process; /* number of the newest background process */
    struct timer *timers;
    bool initialized;
    bool eof;        /* no more input */
    int stop_signal; /* asked to end by it */
    bool broken;     /* nobody reads our output any more */
};

/* 0, or -1 with the reason in why. */
int server_init(struct server *s, const char *root, struct buf *why);
/* Serves until the end of input or a signal; returns the exit status. Kills what commands have left behind.
 */
int server_run(struct server *s);
void server_release(struct server *s);
void server_later(struct server *s, long ms, void (*run)(void *data), void *data);

#endif
