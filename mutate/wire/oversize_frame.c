/* oversize-frame: a request made as long as limits are, by a string in params._meta, where any client may put
 * one.
 *
 * Its length, newline not counted, is exactly what the kind says, so a limit is found to the byte. The
 * padding is one block that is written again and again. A lawful client may send it; a target may refuse it,
 * by an error with its id. */
#include <stdlib.h>
#include <string.h>

#include "mutate/wire/wire_internal.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

static const struct {
    const char *kind;
    uint64_t length;
} lengths[] = {
    {"64k", 64 * KIB},
    {"64k-plus-1", 64 * KIB + 1},
    {"1m", MIB},
    {"1m-plus-1", MIB + 1},
    {"10m-minus-1", 10 * MIB - 1},
    {"10m", 10 * MIB},
    {"10m-plus-1", 10 * MIB + 1},
    {"11m", 11 * MIB},
    {"30m", 30 * MIB},
};

static const struct wire_variant variants[] = {{"64k", "65536 bytes", 64 * KIB, false},
                                               {"64k-plus-1", "65537 bytes", 65 * KIB, false},
                                               {"1m", "1048576 bytes", MIB, false},
                                               {"1m-plus-1", "1048577 bytes", MIB + 1, false},
                                               {"10m-minus-1", "10485759 bytes", 10 * MIB, false},
                                               {"10m", "10485760 bytes", 10 * MIB, false},
                                               {"10m-plus-1", "10485761 bytes", 10 * MIB + 1, false},
                                               {"11m", "11534336 bytes", 11 * MIB, false},
                                               {"30m", "31457280 bytes", 30 * MIB, false},
                                               {0}};

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    struct bytes before, after;
    size_t at;
    uint64_t length = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (strcmp(lengths[i].kind, kind) == 0)
            length = lengths[i].length;
    if (!wire_note_place(r->frame, &at, &before, &after))
        return false;
    uint64_t rest = r->frame.len + before.len + after.len;
    if (length < rest)
        return false;
    wire_put(p, bytes_slice(r->frame, 0, at));
    wire_put(p, before);
    wire_repeat(p, a, 'x', length - rest);
    wire_put(p, after);
    wire_put(p, bytes_slice(r->frame, at, r->frame.len));
    wire_newline(p, r);
    p->lawful = p->own_id = true;
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_oversize_frame, false);
}

const struct mutator mutator_oversize_frame = {
    .name = "oversize-frame",
    .group = "wire",
    .summary = "a request as long as limits of frames are",
    .details = "Padded by a string in params._meta to exactly 64 KiB, 1 MiB, 10 MiB, one byte more or less, "
               "11 or 30 MiB, within "
               "budget.bytes. Any client may send it; an error with its id is a right answer.",
    .places = "",
    .kinds = "64k 64k-plus-1 1m 1m-plus-1 10m-minus-1 10m 10m-plus-1 11m 30m",
    .apply = apply,
};

const struct wire_row wire_oversize_frame = {&mutator_oversize_frame, variants, plan};
