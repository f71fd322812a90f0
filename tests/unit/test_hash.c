/* base/hash: published values, and the same hash whichever way the bytes come. */
#include "base/hash.h"
#include "unit.h"

START_TEST(xxh3)
{
    ck_assert_uint_eq(hash64(BYTES_NONE), 0x2D06800538D394C2u);
    ck_assert_uint_eq(hash64(BYTES_LITERAL("")), 0x2D06800538D394C2u);
    char hex[33];
    hash128_hex(BYTES_NONE, hex);
    ck_assert_str_eq(hex, "99aa06d3014798d86001c324468d497f");
    ck_assert_uint_ne(hash64(BYTES_LITERAL("a\0")), hash64(BYTES_LITERAL("a")));
}
END_TEST

START_TEST(mixing)
{
    ck_assert_uint_eq(
        hash64_mix(0x0706050403020100u, 0x0F0E0D0C0B0A0908u),
        hash64(BYTES_LITERAL("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F")));
    ck_assert_uint_ne(hash64_mix(1, 2), hash64_mix(2, 1));
}
END_TEST

START_TEST(sha256)
{
    char hex[65];
    sha256_hex(BYTES_NONE, hex);
    ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_hex(BYTES_LITERAL("abc"), hex);
    ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");

    uint8_t digest[32];
    struct sha256 *s = sha256_new();
    sha256_add(s, BYTES_LITERAL("a"));
    sha256_add(s, BYTES_NONE);
    sha256_add(s, BYTES_LITERAL("bc"));
    sha256_finish(s, digest);
    ck_assert_int_eq(digest[0], 0xba);
    ck_assert_int_eq(digest[31], 0xad);
}
END_TEST

START_TEST(checksums)
{
    ck_assert_uint_eq(crc32_of(BYTES_NONE), 0);
    ck_assert_uint_eq(crc32_of(BYTES_LITERAL("123456789")), 0xCBF43926u);
    ck_assert_uint_eq(adler32_of(BYTES_NONE), 1);
    ck_assert_uint_eq(adler32_of(BYTES_LITERAL("Wikipedia")), 0x11E60398u);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, xxh3);
    tcase_add_test(tests, mixing);
    tcase_add_test(tests, sha256);
    tcase_add_test(tests, checksums);
}

int main(void)
{
    return unit_main("hash", fill);
}
