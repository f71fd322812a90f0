/* no-newline-flood: megabytes without a newline, then one. White space before a request is JSON like any
 * other, so a lawful client may send that; the rest is no message, and what is asked of the target is to keep
 * its memory and to go on. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

enum { FLOOD = 12 << 20, ENDLESS = 192 << 20 };

static const struct wire_variant variants[] = {
    {"spaces", "12 MiB of spaces before the request", FLOOD, false},
    {"letters", "12 MiB of letters before a newline, then the request", FLOOD, false},
    {"open-string", "12 MiB of a string that does not end, in the request's place", FLOOD, false},
    {"endless", "192 MiB of letters before a newline, then the request", ENDLESS, false},
    {0}};

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    bool spaces = strcmp(kind, "spaces") == 0, endless = strcmp(kind, "endless") == 0,
         letters = endless || strcmp(kind, "letters") == 0;
    if (letters && !r->lines)
        return false; /* a body ends where it was said to end */
    if (!spaces && !letters)
        wire_put(p, BYTES_LITERAL("{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\""));
    wire_repeat(p, a, spaces ? ' ' : 'x', endless ? ENDLESS : FLOOD);
    if (letters)
        wire_put(p, BYTES_LITERAL("\n"));
    if (spaces || letters)
        wire_put(p, r->frame);
    wire_newline(p, r);
    p->lawful = spaces;
    p->own_id = spaces || letters;
    p->nulls = spaces ? 0 : 1;
    p->inert = !p->own_id;
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_no_newline_flood, false);
}

const struct mutator mutator_no_newline_flood = {
    .name = "no-newline-flood",
    .group = "wire",
    .summary = "megabytes without a newline, then one",
    .details = "12 MiB, or 192 of letters, within budget.bytes: spaces before the request, which any client "
               "may send; letters "
               "before a newline and the "
               "request; a string that never ends.",
    .places = "",
    .kinds = "spaces letters open-string endless",
    .apply = apply,
};

const struct wire_row wire_no_newline_flood = {&mutator_no_newline_flood, variants, plan};
