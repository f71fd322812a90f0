/* The end of what a target has written on its standard error: the last STDERR_TAIL bytes, however much there was. */
#ifndef EXEC_TARGET_STDERR_TAIL_H
#define EXEC_TARGET_STDERR_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { STDERR_TAIL = 4096 };

/* Zeroed: nothing yet. Twice the room, so that not every addition moves what is there. */
struct stderr_tail {
    uint8_t data[2 * STDERR_TAIL];
    size_t length;
};

void stderr_tail_add(struct stderr_tail *t, const uint8_t *data, size_t length);
struct bytes stderr_tail_bytes(const struct stderr_tail *t); /* until the next addition */

#endif
