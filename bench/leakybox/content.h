/* Bytes in and out of files, for the tools that store and those that read. Both answer the call themselves
 * when they fail. */
#ifndef LEAKYBOX_CONTENT_H
#define LEAKYBOX_CONTENT_H

#include "leakybox/tools.h"

enum store_how { STORE_REPLACE, STORE_APPEND };
/* Puts data into the file at `p`, which is made when absent. On a full disk the old content stays. */
bool content_store(struct call *c, const struct place *p, struct bytes data, enum store_how how);

struct content_part {
    bool has_head, has_tail;
    int64_t head, tail;     /* lines */
    int64_t offset, length; /* bytes; length -1: to the end */
};
/* Reads a part of the regular file at `p` into out, of at most CONTENT_MAX_BYTES. */
bool content_load(struct call *c, const struct place *p, const struct content_part *part, struct buf *out);

#endif
