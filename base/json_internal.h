/* Shared by the files of the JSON module only. */
#ifndef BASE_JSON_INTERNAL_H
#define BASE_JSON_INTERNAL_H

#include "base/bytes.h"

struct json;

/* Appends the canonical text of a JSON number lexeme: one text for each decimal value. See json_number.c. */
void json_number_canonical(struct buf *out, struct bytes lexeme);
/* Appends the fewest digits that strtod reads back as the same finite value, in the canonical notation but
 * for -0. */
void json_number_shortest(struct buf *out, double value);

/* How many bytes from `at` on are ASCII and stand for themselves in a JSON string; 0 at or behind the end. */
size_t json_plain_run(struct bytes text, size_t at);

/* Children of an object ordered by key, bytewise; equal keys stay in the order they were in. */
struct json_member {
    const struct json *value;
    uint64_t rank; /* position among its siblings */
};
void json_sort_members(struct json_member *members, size_t count);

/* Puts value last among the children of parent (an array or object), without checks. */
void json_link(struct json *parent, struct json *value);

#endif
