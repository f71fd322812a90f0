/* UTF-8 as RFC 3629 has it: no surrogates, nothing above U+10FFFF, no overlong forms. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/bytes.h"

bool utf8_valid(struct bytes b);
size_t utf8_valid_prefix(struct bytes b); /* length of the longest valid prefix */
/* Decodes one code point at *at and advances; an invalid byte gives -1 and advances by one. */
int32_t utf8_next(struct bytes b, size_t *at);
/* Writes the generalised encoding of any value up to 0x10FFFF (surrogates included); returns 1..4. */
size_t utf8_put(uint8_t out[4], uint32_t code_point);
size_t utf8_count(struct bytes b); /* code points; an invalid byte counts as one */

#endif
