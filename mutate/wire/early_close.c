/* early-close: the client goes away, in the middle of a request or before its answer. Any client may die so.
 * Over pipes the target may end then; over HTTP only the request's connection is gone, and the target must
 * serve the next one. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

enum { WAIT_MS = 60, AT_WORK_MS = 500 };

static const struct wire_variant variants[] = {
    {"half-frame", "nothing more is sent after half of the request", 0, false},
    {"before-reply", "nothing more is sent after the request, before its answer", 0, false},
    {"broken", "the connection is broken off after the request, in both directions", 0, false},
    {"half-broken", "the connection is broken off in the middle of the request", 0, false},
    {"at-work", "the connection is broken off while a program is at work", 512, false},
    {0}};

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    bool half = strncmp(kind, "half", 4) == 0;
    uint64_t whole = r->frame.len + (r->lines ? 1 : 0);
    wire_put(p, bytes_slice(r->frame, 0, half ? r->frame.len / 2 : r->frame.len));
    if (!half)
        wire_newline(p, r);
    p->declared = whole;
    bool at_work = strcmp(kind, "at-work") == 0;
    p->end = at_work || strstr(kind, "broken") ? WIRE_BREAKS : WIRE_CLOSES;
    p->end_after_ms = half ? 0 : at_work ? AT_WORK_MS : WAIT_MS;
    p->lawful = true;
    return true;
}

/* Whoever looks then sees whether the work ended with its client. */
static bool leave_at_work(struct mutation *m)
{
    struct change c;
    if (!mutation_words_have(m->kinds, "at-work") || !work_insert(&c, m, "early-close", -1))
        return false;
    change_end(&c, "at-work: the connection is broken off while a program adds to %s", WORK_FILE);
    return true;
}

static bool apply(struct mutation *m)
{
    if ((m->kinds || rng_chance(m->rng, 0.1)) && leave_at_work(m))
        return true;
    return wire_apply(m, &wire_early_close, true);
}

const struct mutator mutator_early_close = {
    .name = "early-close",
    .group = "wire",
    .summary = "the client goes away in the middle of a request or before its answer",
    .details = "The input closed, or the connection broken off in both directions, after half of the request "
               "or after all of it, or while a "
               "program is at work that is put in for it. Any client may die so. The session is opened again "
               "after it where it was the target's only one.",
    .places = "",
    .kinds = "half-frame before-reply broken half-broken at-work",
    .apply = apply,
};

const struct wire_row wire_early_close = {&mutator_early_close, variants, plan};
