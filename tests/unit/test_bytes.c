/* base/bytes: borrowed bytes with NULs, and buffers that stop at their maximum. */
#include "base/bytes.h"
#include "unit.h"

START_TEST(comparing)
{
    ck_assert(bytes_equal(BYTES_NONE, BYTES_LITERAL("")));
    ck_assert(bytes_equal(BYTES_LITERAL("a\0b"), BYTES_LITERAL("a\0b")));
    ck_assert(!bytes_equal(BYTES_LITERAL("a\0b"), BYTES_LITERAL("a\0c")));
    ck_assert(!bytes_equal(BYTES_LITERAL("a"), BYTES_LITERAL("a\0")));
    ck_assert(bytes_equal_string(BYTES_NONE, NULL));
    ck_assert(!bytes_equal_string(BYTES_LITERAL("a\0"), "a"));

    ck_assert_int_eq(bytes_compare(BYTES_NONE, BYTES_LITERAL("")), 0);
    ck_assert_int_lt(bytes_compare(BYTES_LITERAL("ab"), BYTES_LITERAL("ab\0")), 0);
    ck_assert_int_gt(bytes_compare(BYTES_LITERAL("\xff"), BYTES_LITERAL("zz")), 0);
    ck_assert_int_gt(bytes_compare(BYTES_LITERAL("b"), BYTES_LITERAL("ab")), 0);
}
END_TEST

START_TEST(parts)
{
    struct bytes b = BYTES_LITERAL("one\0two");
    ck_assert(bytes_starts(b, BYTES_LITERAL("one\0")) && bytes_starts(b, BYTES_NONE));
    ck_assert(bytes_ends(b, BYTES_LITERAL("\0two")) && bytes_ends(b, BYTES_NONE));
    ck_assert(!bytes_starts(b, BYTES_LITERAL("one\0two!")) && !bytes_ends(b, BYTES_LITERAL("!one\0two")));
    ASSERT_BYTES(bytes_slice(b, 2, 5), "e\0t");
    ASSERT_BYTES(bytes_slice(b, 4, 100), "two");
    ASSERT_BYTES(bytes_slice(b, 5, 2), "");
    ASSERT_BYTES(bytes_slice(b, 100, 200), "");
    ck_assert_uint_eq(bytes_slice(BYTES_NONE, 3, 4).len, 0);
}
END_TEST

START_TEST(finding)
{
    struct bytes b = BYTES_LITERAL("a\0ba\0b");
    ck_assert_int_eq(bytes_find(b, BYTES_LITERAL("\0b"), 0), 1);
    ck_assert_int_eq(bytes_find(b, BYTES_LITERAL("\0b"), 2), 4);
    ck_assert_int_eq(bytes_find(b, BYTES_LITERAL("\0b"), 5), -1);
    ck_assert_int_eq(bytes_find(b, BYTES_LITERAL("\0b"), 7), -1);
    ck_assert_int_eq(bytes_find(b, BYTES_NONE, 6), 6);
    ck_assert_int_eq(bytes_find(b, BYTES_NONE, 7), -1);
    ck_assert_int_eq(bytes_find(BYTES_NONE, BYTES_LITERAL("x"), 0), -1);
    ck_assert_int_eq(bytes_find(BYTES_NONE, BYTES_NONE, 0), 0);
}
END_TEST

START_TEST(growing)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    ck_assert_str_eq(buf_string(&b), "");
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(buf_add(&b, BYTES_LITERAL("x\0y")), 0);
    ck_assert_uint_eq(b.len, 3000);
    ck_assert_int_eq(bytes_find(buf_bytes(&b), BYTES_LITERAL("y"), 2997), 2999);
    buf_clear(&b);
    ck_assert_uint_eq(b.len, 0);
    ck_assert_int_eq(buf_addf(&b, "%s-%05d", "id", 42), 0);
    ck_assert_int_eq(buf_add_string(&b, NULL), 0);
    ck_assert_int_eq(buf_add(&b, BYTES_NONE), 0);
    ck_assert_str_eq(buf_string(&b), "id-00042");
    ck_assert_uint_eq(b.len, 8);
    buf_release(&b);
    ck_assert_ptr_null(b.data);
    ck_assert_uint_eq(b.max, 1 << 20);
}
END_TEST

START_TEST(maximum)
{
    struct buf b;
    buf_init(&b, 5);
    ck_assert_int_eq(buf_add_string(&b, "abcde"), 0);
    ck_assert_str_eq(buf_string(&b), "abcde");
    ck_assert(!b.overflow);
    ck_assert_int_eq(buf_add_byte(&b, 'f'), -1);
    ck_assert(b.overflow);
    buf_cut(&b, 2);
    ck_assert_int_eq(buf_add_byte(&b, 'x'), -1); /* still, until it is cleared */
    ASSERT_BYTES(buf_bytes(&b), "ab");
    buf_clear(&b);
    ck_assert_int_eq(buf_addf(&b, "%d", 123456), -1);
    ck_assert_uint_eq(b.len, 0);
    buf_clear(&b);
    ck_assert_int_eq(buf_addf(&b, "%d", 12345), 0);
    ASSERT_BYTES(buf_bytes(&b), "12345");
    buf_release(&b);

    buf_init(&b, 0);
    ck_assert_int_eq(buf_add(&b, BYTES_NONE), 0);
    ck_assert_int_eq(buf_add_byte(&b, 0), -1);
    buf_release(&b);

    buf_init(&b, SIZE_MAX); /* no maximum */
    ck_assert_int_eq(buf_add_string(&b, "abc"), 0);
    ASSERT_BYTES(buf_bytes(&b), "abc");
    buf_release(&b);
}
END_TEST

START_TEST(its_own_bytes)
{
    struct buf b;
    buf_init(&b, 1 << 16);
    buf_add_string(&b, "0123456789");
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(buf_add(&b, buf_bytes(&b)), 0);
    ck_assert_uint_eq(b.len, 10240);
    for (size_t i = 0; i < b.len; i++)
        ck_assert_int_eq(b.data[i], '0' + (int)(i % 10));
    buf_release(&b);
}
END_TEST

START_TEST(cutting)
{
    struct buf b;
    buf_init(&b, 100);
    buf_drop_front(&b, 3);
    buf_cut(&b, 3);
    ck_assert_uint_eq(b.len, 0);
    buf_add_string(&b, "abcdef");
    buf_cut(&b, 9);
    buf_drop_front(&b, 0);
    buf_drop_front(&b, 2);
    ASSERT_BYTES(buf_bytes(&b), "cdef");
    buf_cut(&b, 3);
    ASSERT_BYTES(buf_bytes(&b), "cde");
    buf_drop_front(&b, 7);
    ck_assert_uint_eq(b.len, 0);
    buf_release(&b);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, comparing);
    tcase_add_test(tests, parts);
    tcase_add_test(tests, finding);
    tcase_add_test(tests, growing);
    tcase_add_test(tests, maximum);
    tcase_add_test(tests, its_own_bytes);
    tcase_add_test(tests, cutting);
}

int main(void)
{
    return unit_main("bytes", fill);
}
