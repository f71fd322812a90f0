/* Thin, typed doors to libxxhash, libcrypto and zlib. */
#include "base/hash.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zlib.h>

#include "base/error.h"

static const char digits[] = "0123456789abcdef";

static void write_hex(const uint8_t *data, size_t len, char *out)
{
    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digits[data[i] >> 4];
        out[2 * i + 1] = digits[data[i] & 15];
    }
    out[2 * len] = '\0';
}

uint64_t hash64(struct bytes b)
{
    return XXH3_64bits(b.data, b.len);
}

uint64_t hash64_mix(uint64_t a, uint64_t b)
{
    uint8_t both[16];
    for (int i = 0; i < 8; i++) {
        both[i] = (uint8_t)(a >> 8 * i);
        both[8 + i] = (uint8_t)(b >> 8 * i);
    }
    return hash64(bytes_of(both, sizeof both));
}

void hash128_hex(struct bytes b, char out[33])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(b.data, b.len));
    write_hex(canonical.digest, sizeof canonical.digest, out);
}

struct sha256 {
    EVP_MD_CTX *context;
};

struct sha256 *sha256_new(void)
{
    struct sha256 *s = xmalloc(sizeof *s);
    s->context = EVP_MD_CTX_new();
    if (!s->context || EVP_DigestInit_ex(s->context, EVP_sha256(), NULL) != 1)
        BUG("libcrypto has no SHA-256");
    return s;
}

void sha256_add(struct sha256 *s, struct bytes b)
{
    if (b.len && EVP_DigestUpdate(s->context, b.data, b.len) != 1)
        BUG("SHA-256 failed");
}

void sha256_finish(struct sha256 *s, uint8_t out[32])
{
    if (EVP_DigestFinal_ex(s->context, out, NULL) != 1)
        BUG("SHA-256 failed");
    EVP_MD_CTX_free(s->context);
    free(s);
}

void sha256_hex(struct bytes b, char out[65])
{
    uint8_t digest[32];
    struct sha256 *s = sha256_new();
    sha256_add(s, b);
    sha256_finish(s, digest);
    write_hex(digest, sizeof digest, out);
}

void sha1_of(struct bytes b, uint8_t out[20])
{
    if (EVP_Digest(b.data, b.len, out, NULL, EVP_sha1(), NULL) != 1)
        BUG("libcrypto has no SHA-1");
}

uint32_t crc32_of(struct bytes b)
{
    return b.len ? (uint32_t)crc32_z(0, b.data, b.len) : 0;
}

uint32_t adler32_of(struct bytes b)
{
    return b.len ? (uint32_t)adler32_z(1, b.data, b.len) : 1;
}
