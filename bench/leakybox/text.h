/* Words for messages: names quoted so that no byte of a hostile name does harm, and errno in words. */
#ifndef LEAKYBOX_TEXT_H
#define LEAKYBOX_TEXT_H

#include "base/bytes.h"

/* Appends the name in double quotes: printable UTF-8 as it is, quotes and backslashes escaped, any other byte
 * as \xHH; what is longer than 200 bytes ends in "…". */
void text_quote(struct buf *out, struct bytes name);
/* Appends "no space left on device (ENOSPC)". */
void text_errno(struct buf *out, int number);

#endif
