/* base/arena: alignment, zeroes, copies, reuse. Writes past an allocation are the address sanitizer's to
 * find. */
#include "base/arena.h"
#include "unit.h"

START_TEST(aligned_and_zeroed)
{
    struct arena a;
    arena_init(&a);
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size < 300; size++) {
            unsigned char *memory = arena_alloc(&a, size);
            ck_assert_uint_eq((uintptr_t)memory % _Alignof(max_align_t), 0);
            for (size_t i = 0; i < size; i++)
                ck_assert_int_eq(memory[i], 0);
            memset(memory, 0xAA, size); /* what the next round must not see */
        }
        ck_assert_uint_eq(a.used, 299 * 300 / 2);
        arena_clear(&a);
        ck_assert_uint_eq(a.used, 0);
    }
    arena_release(&a);
    ck_assert_ptr_null(a.block);
}
END_TEST

START_TEST(large_between_small)
{
    struct arena a;
    arena_init(&a);
    enum { LARGE = 5 << 20 };
    unsigned char *first = arena_alloc(&a, LARGE), *small = arena_alloc(&a, 8),
                  *second = arena_alloc(&a, LARGE);
    memset(first, 1, LARGE);
    memset(second, 2, LARGE);
    memset(small, 3, 8);
    ck_assert_int_eq(first[LARGE - 1], 1);
    ck_assert_int_eq(small[7], 3);
    /* The small ones go on in the block they started, in front of nothing large. */
    unsigned char *next = arena_alloc(&a, 8);
    ck_assert_int_lt(next - small, 4096);
    arena_clear(&a);
    memset(arena_alloc(&a, LARGE), 4, LARGE);
    arena_release(&a);
}
END_TEST

START_TEST(copies)
{
    struct arena a;
    arena_init(&a);
    struct bytes copy = arena_copy(&a, BYTES_LITERAL("x\0y"));
    ASSERT_BYTES(copy, "x\0y");
    ck_assert_int_eq(copy.data[3], '\0');
    copy = arena_copy(&a, BYTES_NONE);
    ck_assert_ptr_nonnull(copy.data);
    ck_assert_int_eq(copy.data[0], '\0');
    ck_assert_str_eq(arena_string(&a, BYTES_LITERAL("text")), "text");
    ck_assert_str_eq(arena_printf(&a, "%s=%d", "n", -5), "n=-5");
    ck_assert_str_eq(arena_printf(&a, "%s", ""), "");
    ck_assert_uint_eq(strlen(arena_printf(&a, "%100000d", 1)), 100000);
    arena_release(&a);
}
END_TEST

START_TEST(empty_arena)
{
    struct arena a;
    arena_init(&a);
    arena_clear(&a);
    arena_release(&a);
    arena_release(&a);
    void *one = arena_alloc(&a, 0), *two = arena_alloc(&a, 0);
    ck_assert(one && two && one != two);
    arena_release(&a);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, aligned_and_zeroed);
    tcase_add_test(tests, large_between_small);
    tcase_add_test(tests, copies);
    tcase_add_test(tests, empty_arena);
}

int main(void)
{
    return unit_main("arena", fill);
}
