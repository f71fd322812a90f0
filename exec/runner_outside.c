/* The outside witness in the course of a task: when it looks, and what becomes of what it sees. */
#include <stdlib.h>
#include <string.h>

#include "exec/canary.h"
#include "exec/runner_internal.h"
#include "exec/site/site.h"
#include "exec/target/whereabouts.h"

enum { SIGHTINGS_MAX = 64, REPORTS_MAX = 64 };

static struct tripwires *tripwires_of(const struct runner *r)
{
    struct whereabouts at;
    session_whereabouts(r->session, &at);
    return at.tripwires;
}

static void report(struct runner *r, const unsigned how[TRIPWIRE_PLACES], size_t after_step)
{
    for (int i = 0; i < TRIPWIRE_PLACES; i++)
        if (how[i] && r->e->tripwire_count < REPORTS_MAX)
            r->e->tripwires[r->e->tripwire_count++] = (struct tripwire_report){(enum tripwire_place)i, how[i], after_step};
}

static void look_at_tripwires(struct runner *r, size_t after_step)
{
    struct tripwires *t = tripwires_of(r);
    unsigned how[TRIPWIRE_PLACES];
    if (t && tripwires_look(t, how))
        report(r, how, after_step);
}

static void sight(struct runner *r, unsigned places, enum canary_in in, size_t observation)
{
    for (int i = 0; i < TRIPWIRE_PLACES; i++)
        if (places & 1u << i && r->e->sighting_count < SIGHTINGS_MAX)
            r->e->sightings[r->e->sighting_count++] =
                (struct canary_sighting){.place = (enum tripwire_place)i, .in = in, .observation = observation};
}

void runner_outside_begin(struct runner *r)
{
    r->e->tripwires = arena_alloc(r->a, REPORTS_MAX * sizeof *r->e->tripwires);
    r->e->sightings = arena_alloc(r->a, SIGHTINGS_MAX * sizeof *r->e->sightings);
    r->e->leftovers = arena_alloc(r->a, RUNNER_LEFTOVERS_MAX * sizeof *r->e->leftovers);
    struct whereabouts at;
    session_whereabouts(r->session, &at);
    if (!at.base)
        return;
    r->outside = outside_new(r->session, r->a, &r->e->at_start);
    look_at_tripwires(r, SIZE_MAX);
}

void runner_outside_step(struct runner *r, size_t from, size_t count)
{
    if (!r->outside)
        return;
    struct tripwires *t = tripwires_of(r);
    struct usage usage;
    outside_usage(r->outside, &usage);
    for (size_t i = from; i < from + count; i++) {
        struct observation *o = &r->e->observations[i];
        o->usage = usage;
        if (t)
            sight(r,
                  canary_in_text(t, o->outcome.raw) | canary_in_text(t, o->outcome.message) |
                      canary_in_json(t, o->outcome.result),
                  CANARY_REPLY, i);
    }
    runner_page_look(r, from, count);
    look_at_tripwires(r, from + count - 1);
}

void runner_outside_end(struct runner *r)
{
    if (!r->outside)
        return;
    struct tripwires *t = tripwires_of(r);
    outside_snapshot(r->outside, r->a, &r->e->at_end);
    if (t)
        sight(r, canary_in_text(t, r->e->stderr_tail), CANARY_STDERR, 0);
}

static struct leftovers list_of(struct runner *r)
{
    return (struct leftovers){r->e->leftovers, r->e->leftover_count, RUNNER_LEFTOVERS_MAX, r->a};
}

/* A socket is as calm as the processes that may hold it. */
void runner_outside_left_open(struct runner *r)
{
    if (!r->outside)
        return;
    struct leftovers list = list_of(r);
    bool all_calm = list.count > 0;
    for (size_t i = 0; i < list.count; i++)
        all_calm = all_calm && list.items[i].calm;
    size_t first = list.count;
    outside_left_open(r->outside, &list);
    for (size_t i = first; i < list.count; i++)
        list.items[i].calm |= all_calm && list.items[i].kind == LEFTOVER_LISTENER;
    r->e->leftover_count = list.count;
}

void runner_outside_escaped(struct runner *r)
{
    struct leftovers list = list_of(r);
    outside_left_escaped(r->outside, &list);
    r->e->leftover_count = list.count;
}

/* What inotify has told is in the reports already; what stands there in the end may add to it. */
static void compare_tripwires(struct runner *r, struct tripwires *t)
{
    unsigned now[TRIPWIRE_PLACES];
    size_t last = r->e->count ? r->e->count - 1 : SIZE_MAX;
    look_at_tripwires(r, last);
    tripwires_compare(t, now);
    for (size_t i = 0; i < r->e->tripwire_count; i++)
        now[r->e->tripwires[i].place] &= ~r->e->tripwires[i].how;
    report(r, now, last);
}

static void search_files(struct runner *r, struct tripwires *t)
{
    struct bytes found[TRIPWIRE_PLACES];
    canary_in_files(t, session_root(r->session), r->e->tripwire_count > 0, r->a, found);
    for (int i = 0; i < TRIPWIRE_PLACES; i++) {
        if (!found[i].len)
            continue;
        size_t index = r->e->sighting_count;
        sight(r, 1u << i, CANARY_FILE, 0);
        if (r->e->sighting_count > index)
            r->e->sightings[index].path = found[i];
    }
}

void runner_outside_stopped(struct runner *r)
{
    struct leftovers list = list_of(r);
    outside_left_stopped(r->outside, &list);
    r->e->leftover_count = list.count;
}

void runner_outside_done(struct runner *r)
{
    struct tripwires *t = r->outside ? tripwires_of(r) : NULL;
    if (t) {
        compare_tripwires(r, t);
        search_files(r, t);
    }
    outside_free(r->outside);
    r->outside = NULL;
}

void runner_site(struct runner *r)
{
    struct web_visits seen;
    if (!session_site(r->session) || !session_site_visits(r->session, r->a, &seen))
        return;
    r->e->site = (struct site_view){
        .address = arena_string(r->a, bytes_of_string(session_site(r->session))),
        .visits = seen.items,
        .count = seen.count,
        .dropped = seen.dropped,
    };
}
