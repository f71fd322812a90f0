/* bom: marks of an encoding before the request, or all of it in UTF-16. No lawful client sends it. A reader
 * may pass over a mark in UTF-8, so the request may be carried out and answered; or the frame is refused by
 * an error with the id null. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

enum { RECODED_MAX = 1 << 20 };

static const struct wire_variant variants[] = {
    {"utf-8", "the mark ef bb bf before the request", 0, false},
    {"nul", "a NUL before the request", 0, false},
    {"utf-16", "the request in UTF-16, with its mark", RECODED_MAX, false},
    {0}};

static struct bytes wide(struct arena *a, struct bytes frame)
{
    uint8_t *data = arena_alloc(a, 2 * frame.len + 2);
    data[0] = 0xff;
    data[1] = 0xfe;
    for (size_t i = 0; i < frame.len; i++)
        data[2 * i + 2] = frame.data[i];
    return bytes_of(data, 2 * frame.len + 2);
}

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    bool recoded = strcmp(kind, "utf-16") == 0;
    if (recoded && r->frame.len > RECODED_MAX / 2)
        return false;
    if (!recoded)
        wire_put(p, kind[0] == 'u' ? BYTES_LITERAL("\xef\xbb\xbf") : BYTES_LITERAL("\0"));
    wire_put(p, recoded ? wide(a, r->frame) : r->frame);
    wire_newline(p, r);
    p->nulls = 1;
    p->inert = recoded;
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_bom, false);
}

const struct mutator mutator_bom = {
    .name = "bom",
    .group = "wire",
    .summary = "a byte order mark or a NUL before a request",
    .details = "The mark of UTF-8, a NUL, or the whole request in UTF-16. No lawful client sends it.",
    .places = "",
    .kinds = "utf-8 nul utf-16",
    .apply = apply,
};

const struct wire_row wire_bom = {&mutator_bom, variants, plan};
