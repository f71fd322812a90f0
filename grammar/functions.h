/* Computed fields and encoders, shared by the compact notation and by {function(x)} in templates' attributes:
 * len crc32 sha256 b64 hex gzip upper lower, esc.json esc.sh esc.py esc.url esc.xml. len and crc32 give decimal text. esc.sh and
 * esc.py give one whole quoted word or literal, the others only escape. gzip writes stored blocks, so its bytes do not
 * depend on zlib's version. */
#ifndef GRAMMAR_FUNCTIONS_H
#define GRAMMAR_FUNCTIONS_H

#include "base/bytes.h"
#include "base/error.h"

struct function_row {
    const char *name;
    void (*apply)(struct bytes input, struct buf *out); /* appends; what does not fit sets out->overflow */
    const char *doc;
    /* The greatest length of the output for an input of n bytes, when that depends on n alone; at most 2n + length(0) + 2.
     * NULL: it depends on the bytes, and is at most length of apply("") plus what each byte alone adds to it. */
    size_t (*length)(size_t n);
    const char *alphabet; /* the only bytes the output is made of, when length is given; NULL: any */
};

const struct function_row *function_find(struct bytes name); /* NULL when there is none */
const struct function_row *function_table(size_t *count);

#endif
