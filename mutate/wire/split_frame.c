/* split-frame: a request in other pieces than the target may expect; every lawful client may send it so.
 *
 * A stream knows no pieces: one byte a write, a pause in the middle of a character, two messages in one write
 * all mean the same. The pauses are bounded, so a long request is slow for its first bytes only. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

enum { SLOW_BYTES = 256, PAUSE_MS = 40 };

static const struct wire_variant variants[] = {
    {"byte-by-byte", "one byte a write, with pauses", 0, true},
    {"in-character", "a pause in the middle of a character", 64, true},
    {"before-newline", "a pause before the newline", 0, true},
    {"two-in-one", "this request and a ping in one write", 128, true},
    {0}};

/* A member that any request may have goes in, with a character of three bytes; the pause is behind its first.
 */
static bool in_character(const struct wire_request *r, struct wire_plan *p)
{
    struct bytes before, after, euro = BYTES_LITERAL("\xe2\x82\xac");
    size_t at;
    if (!wire_note_place(r->frame, &at, &before, &after))
        return false;
    wire_put(p, bytes_slice(r->frame, 0, at));
    wire_put(p, before);
    wire_put(p, bytes_slice(euro, 0, 1));
    wire_put_slowly(p, bytes_slice(euro, 1, euro.len), 0, PAUSE_MS);
    wire_put(p, after);
    wire_put(p, bytes_slice(r->frame, at, r->frame.len));
    wire_newline(p, r);
    return true;
}

static bool two_in_one(const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    if (!r->lines)
        return false; /* a body holds one message */
    struct bytes id = bytes_of_string(arena_printf(a, "\"ping-%.*s\"", BYTES_ARG(r->id)));
    const char *ping = arena_printf(a, "\n{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"method\":\"ping\"}\n",
                                    BYTES_ARG(id));
    struct bytes second = bytes_of_string(ping);
    wire_put(p, wire_replaced(a, r->frame, r->frame.len, r->frame.len, second));
    wire_owe(p, id);
    return true;
}

static bool before_newline(const struct wire_request *r, struct wire_plan *p)
{
    if (!r->lines)
        return false;
    wire_put(p, r->frame);
    wire_put_slowly(p, BYTES_LITERAL("\n"), 0, PAUSE_MS);
    return true;
}

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    p->lawful = p->own_id = true;
    if (strcmp(kind, "in-character") == 0)
        return in_character(r, p);
    if (strcmp(kind, "before-newline") == 0)
        return before_newline(r, p);
    if (strcmp(kind, "two-in-one") == 0)
        return two_in_one(r, a, p);
    wire_put_slowly(p, bytes_slice(r->frame, 0, SLOW_BYTES), 1, 1);
    wire_put(p, bytes_slice(r->frame, SLOW_BYTES, r->frame.len));
    wire_newline(p, r);
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_split_frame, false);
}

const struct mutator mutator_split_frame = {
    .name = "split-frame",
    .group = "wire",
    .summary = "a request in pieces, or two of them at once",
    .details = "One byte a write, with pauses, for the first 256; a pause in the middle of a character or "
               "before the newline; the "
               "request and a ping in one write. Any client may send it so.",
    .places = "",
    .kinds = "byte-by-byte in-character before-newline two-in-one",
    .apply = apply,
};

const struct wire_row wire_split_frame = {&mutator_split_frame, variants, plan};
