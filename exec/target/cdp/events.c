/* What happened on the wire outside any one op, kept between two looks. One arena fills while the other is with the caller. */
#include <stdlib.h>

#include "base/clock.h"
#include "exec/target/cdp/cdp.h"

enum { EVENTS_MAX = 256, TEXT_MAX = 4096 };

struct cdp_events {
    struct {
        struct arena arena;
        struct wire_event items[EVENTS_MAX];
        size_t count;
    } lists[2];
    int filling;
};

struct cdp_events *cdp_events_new(void)
{
    struct cdp_events *e = xcalloc(1, sizeof *e);
    for (int i = 0; i < 2; i++)
        arena_init(&e->lists[i].arena);
    return e;
}

void cdp_events_free(struct cdp_events *e)
{
    for (int i = 0; i < 2; i++)
        arena_release(&e->lists[i].arena);
    free(e);
}

void cdp_event(struct cdp *c, enum wire_kind kind, const char *detail, struct bytes text)
{
    struct cdp_events *e = c->events;
    size_t *count = &e->lists[e->filling].count;
    if (*count == EVENTS_MAX)
        return;
    e->lists[e->filling].items[(*count)++] =
        (struct wire_event){.kind = kind,
                            .detail = detail,
                            .text = arena_copy(&e->lists[e->filling].arena, bytes_slice(text, 0, TEXT_MAX)),
                            .at_ns = clock_monotonic_ns()};
}

bool cdp_alive(struct session *s)
{
    struct cdp *c = s->driver_state;
    if (c)
        cdp_turn(c, 0);
    return c && !c->link.lost;
}

struct bytes cdp_stderr(struct session *s)
{
    const struct cdp *c = s->driver_state;
    return cdp_link_stderr(&c->link);
}

size_t cdp_wire_events(struct session *s, const struct wire_event **events)
{
    struct cdp *c = s->driver_state;
    cdp_turn(c, 0); /* what happened since the last call */
    struct cdp_events *e = c->events;
    int given = e->filling;
    e->filling = 1 - given;
    e->lists[e->filling].count = 0;
    arena_clear(&e->lists[e->filling].arena);
    *events = e->lists[given].items;
    return e->lists[given].count;
}
