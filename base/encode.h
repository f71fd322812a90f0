/* Text encodings of bytes: shell words, base64 (RFC 4648, with padding), hex (lower case), varint (LEB128, for stored
 * logs).
 *
 * Encoders append and leave trouble to out->overflow. Decoders return 0, or -1 and then change nothing (but
 * out->overflow, when out was too small). */
#ifndef BASE_ENCODE_H
#define BASE_ENCODE_H

#include "base/bytes.h"

void base64_encode(struct buf *out, struct bytes b);
/* Strict: no white space, padding as it must be, unused bits 0. */
int base64_decode(struct buf *out, struct bytes text);
bool base64_looks_like(struct bytes text); /* at least 8 characters and strictly valid */
void hex_encode(struct buf *out, struct bytes b);
int hex_decode(struct buf *out, struct bytes text); /* either case; no odd length, no foreign character */
void varint_put(struct buf *out, uint64_t value);
int varint_get(struct bytes b, size_t *at, uint64_t *value); /* -1 when cut, overlong or past 64 bits */

/* One word of a POSIX shell: always in single quotes; or as it stands where a shell changes nothing in it. A NUL, which no
 * word can hold, is kept. */
void shell_quote(struct buf *out, struct bytes word);
void shell_word(struct buf *out, struct bytes word);

#endif
