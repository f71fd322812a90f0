/* Bytes as file formats want them: numbers of either order, deflate streams of stored blocks, padding. All
 * append to a buf and leave trouble to its `overflow`. Only gen/recipes/ includes this. */
#ifndef GEN_RECIPES_OCTETS_H
#define GEN_RECIPES_OCTETS_H

#include "base/bytes.h"

void octets_u16le(struct buf *out, uint16_t value);
void octets_u32le(struct buf *out, uint32_t value);
void octets_u64le(struct buf *out, uint64_t value);
void octets_u16be(struct buf *out, uint16_t value);
void octets_u32be(struct buf *out, uint32_t value);
void octets_u64be(struct buf *out, uint64_t value);
void octets_fill(struct buf *out, uint8_t byte, size_t count);

/* RFC 1951: stored blocks only, so that no compressor's version shows. */
void octets_deflate(struct buf *out, struct bytes data);
void octets_zlib(struct buf *out, struct bytes data); /* RFC 1950 */
/* RFC 1952, without a time; `name` (may be empty) is what gunzip -N restores. */
void octets_gzip(struct buf *out, struct bytes name, struct bytes data);

#endif
