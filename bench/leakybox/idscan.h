/* A look at a JSON message without building it: how many values it has, and what its "id" is. Used for long
 * messages, so that one can be refused with its own id, without the memory that reading it would take. */
#ifndef LEAKYBOX_IDSCAN_H
#define LEAKYBOX_IDSCAN_H

#include "base/bytes.h"

struct idscan {
    uint64_t values; /* about: commas, colons and brackets outside strings */
    char id[256];    /* JSON text of the id: a string or a number that fits */
    size_t id_len;   /* 0: none */
    /* private */
    char token[256]; /* the string or number that is being read at depth 1 */
    size_t token_len;
    uint64_t depth;
    bool in_string, escaped, overlong;
    bool key_is_id;   /* the last string at depth 1 was "id" */
    bool after_colon; /* and a colon came after it */
};

void idscan_init(struct idscan *s);
void idscan_feed(struct idscan *s, struct bytes part);
struct bytes idscan_id(struct idscan *s); /* "null" when there was none */

#endif
