/* corpus/store_index: more features than the table begins with. */
#include "base/hash.h"
#include "corpus/store_internal.h"
#include "store_case.h"

enum { FEATURES = 100000 };

static uint64_t hash_of(uint64_t i)
{
    return (1 + i % 14) << 56 | (hash64_mix(i, 3) & 0xffffffffffffff);
}

START_TEST(it_grows)
{
    struct store_index index = {0};
    store_index_next(&index);
    for (uint64_t i = 0; i < FEATURES; i++) {
        ck_assert_ptr_nonnull(store_index_see(&index, hash_of(i)));
        ck_assert_uint_eq(index.count, i + 1);
    }
    size_t capacity = index.capacity;
    ck_assert_uint_ge(capacity, 2 * (size_t)FEATURES);
    for (int round = 0; round < 2; round++) {
        store_index_next(&index);
        for (uint64_t i = 0; i < FEATURES; i++) {
            store_index_see(&index, hash_of(i));
            ck_assert_uint_eq(store_index_find(&index, hash_of(i))->shown, 2 + (unsigned)round);
        }
    }
    ck_assert(index.count == FEATURES && index.capacity == capacity && index.dirty_count == FEATURES);
    ck_assert_ptr_null(store_index_find(&index, hash_of(FEATURES)));
    store_index_release(&index);
}
END_TEST

/* What was counted while it grew is written. */
START_TEST(counts_survive_growth)
{
    struct store *s = opened(STORE_WRITE);
    struct task *t = a_task(1, 1, 1);
    uint64_t *many = xcalloc(FEATURES, sizeof *many), first = hash_of(0);
    for (uint64_t i = 0; i < FEATURES; i++)
        many[i] = hash_of(i);
    int64_t run = a_run(s, 1, "g");
    put(s, run, t, EXECUTION_PASSED, "[]", &first, 1);
    put(s, run, t, EXECUTION_PASSED, "[]", &first, 1);
    ck_assert_uint_eq(put(s, run, t, EXECUTION_PASSED, "[]", many, FEATURES), FEATURES - 1);
    store_close(s);
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT count FROM feature WHERE hash = %lld", (long long)first);
    ck_assert_int_eq(outside(sql), 3);
    ck_assert_int_eq(outside("SELECT count(*) FROM feature"), FEATURES);
    free(many);
    task_free(t);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, it_grows);
    tcase_add_test(tests, counts_survive_growth);
}

int main(void)
{
    return unit_main("store index", fill);
}
