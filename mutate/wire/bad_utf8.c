/* bad-utf8: bytes in the request that are no UTF-8.
 *
 * JSON between systems is UTF-8, so no lawful client sends this. The id stands whole before and after it: a
 * target may answer it, or say that it could not read the frame (an error with the id null); both are right,
 * dying is not. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

static const struct wire_variant variants[] = {
    {"ff-in-string", "the byte ff in a string of the request", 0, false},
    {"ff-in-key", "the byte ff in a key of the request", 0, false},
    {"overlong-in-string", "an overlong slash, c0 af, in a string", 0, false},
    {"continuation-in-string", "a lone continuation byte, 80, in a string", 0, false},
    {"surrogate-in-string", "half of a surrogate pair, ed a0 80, in a string", 0, false},
    {"truncated-at-end", "a character of three bytes cut after two at a string's end", 0, false},
    {0}};

static struct bytes bytes_for(const char *kind)
{
    static const struct {
        const char *start;
        struct bytes bytes;
    } table[] = {{"ff", {(const uint8_t *)"\xff", 1}},
                 {"overlong", {(const uint8_t *)"\xc0\xaf", 2}},
                 {"continuation", {(const uint8_t *)"\x80", 1}},
                 {"surrogate", {(const uint8_t *)"\xed\xa0\x80", 3}},
                 {"truncated", {(const uint8_t *)"\xe2\x82", 2}}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncmp(kind, table[i].start, strlen(table[i].start)) == 0)
            return table[i].bytes;
    return BYTES_NONE;
}

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    struct wire_token where;
    if (!wire_last_string(r->frame, strstr(kind, "key") != NULL, &where))
        return false;
    size_t at = strstr(kind, "end") ? where.to - 1 : where.from + 1;
    wire_put(p, bytes_slice(r->frame, 0, at));
    wire_put(p, bytes_for(kind));
    wire_put(p, bytes_slice(r->frame, at, r->frame.len));
    wire_newline(p, r);
    p->nulls = 1;
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_bad_utf8, false);
}

const struct mutator mutator_bad_utf8 = {
    .name = "bad-utf8",
    .group = "wire",
    .summary = "bytes in a request that are no UTF-8",
    .details =
        "Put into the last string or key of the request's params: ff, an overlong form, a lone continuation "
        "byte, half a "
        "surrogate pair, or a character that is cut off at the string's end. No lawful client sends it.",
    .places = "",
    .kinds = "ff-in-string ff-in-key overlong-in-string continuation-in-string surrogate-in-string "
             "truncated-at-end",
    .apply = apply,
};

const struct wire_row wire_bad_utf8 = {&mutator_bad_utf8, variants, plan};
