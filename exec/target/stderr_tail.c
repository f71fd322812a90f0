/* See stderr_tail.h. */
#include "exec/target/stderr_tail.h"

#include <string.h>

void stderr_tail_add(struct stderr_tail *t, const uint8_t *data, size_t length)
{
    if (length > STDERR_TAIL) {
        data += length - STDERR_TAIL;
        length = STDERR_TAIL;
    }
    if (t->length + length > sizeof t->data) {
        memmove(t->data, t->data + t->length - STDERR_TAIL, STDERR_TAIL);
        t->length = STDERR_TAIL;
    }
    memcpy(t->data + t->length, data, length);
    t->length += length;
}

struct bytes stderr_tail_bytes(const struct stderr_tail *t)
{
    size_t from = t->length > STDERR_TAIL ? t->length - STDERR_TAIL : 0;
    return bytes_of(t->data + from, t->length - from);
}
