/* Server-sent events, as WHATWG's HTML standard section 9.2 parses them: lines ended by LF, CR or CR LF; "data", "id" and "retry"
 * fields; an empty line dispatches. Whatever a server sends is some stream of events; memory is bounded by the maximum. */
#ifndef EXEC_TARGET_SSE_H
#define EXEC_TARGET_SSE_H

#include "base/bytes.h"

struct sse {
    struct buf line, data;    /* of the event that is being read */
    size_t max;               /* bytes of one event's data; more is counted, not kept */
    uint64_t length;          /* of the data so far, kept or not */
    uint64_t dropped;         /* bytes of the line that is being read that were not kept */
    bool after_cr, has_data;
    bool has_id;              /* the event that is being read has one of its own */
    char name[16];            /* of the event that is being read; "" and longer ones: "message" */
    char last_id[256];        /* of the last whole event that had one; longer ones are not kept */
    char id[256];             /* of the event that is being read */
    int64_t retry_ms;         /* -1: never said */
};

struct sse_event {
    struct bytes data;        /* lines joined by LF; valid until the next call */
    uint64_t length;
    bool too_long;            /* data is the beginning only */
    bool has_id;              /* `last_id` is this event's own */
    bool is_endpoint;         /* of the name "endpoint": the first one of the HTTP+SSE transport */
};

void sse_init(struct sse *s, size_t max);
void sse_release(struct sse *s);
/* Another stream begins: half an event is forgotten, the last id and the time to wait stay. */
void sse_again(struct sse *s);
/* Takes from the front of *chunk up to the end of one event. True: an event with data is there. False: the chunk is used up. */
bool sse_next(struct sse *s, struct bytes *chunk, struct sse_event *event);

#endif
