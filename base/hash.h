/* Hashes and checksums. Keys and ids are XXH3 (libxxhash); contents are SHA-256 (libcrypto); the
 * checksums are zlib's. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/bytes.h"

uint64_t hash64(struct bytes b); /* XXH3-64, seed 0 */
uint64_t hash64_mix(uint64_t a, uint64_t b); /* XXH3-64 of the two as little-endian bytes */
void hash128_hex(struct bytes b, char out[33]); /* XXH3-128, canonical big-endian hex */

struct sha256; /* opaque */
struct sha256 *sha256_new(void);
void sha256_add(struct sha256 *s, struct bytes b);
void sha256_finish(struct sha256 *s, uint8_t out[32]); /* frees s */
void sha256_hex(struct bytes b, char out[65]);
void sha1_of(struct bytes b, uint8_t out[20]); /* where a protocol asks for it; it keeps nothing safe */
uint32_t crc32_of(struct bytes b);
uint32_t adler32_of(struct bytes b);

#endif
