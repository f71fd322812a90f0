/* Differences, by tests/data/oracle/difference.json: each kind by example, and that the kinds have names and
 * words. */
#include "oracle_case.h"

START_TEST(rows_of_the_file)
{
    struct arena a;
    bool seen[DIFFERENCE_OTHER + 1] = {false};
    arena_init(&a);
    const struct json *rows = oracle_load(&a, ORACLE_DATA "/difference.json");
    for (const struct json *row = rows->first; row; row = row->next) {
        struct bytes want = json_as_text(json_get(row, "difference"));
        enum difference got = difference_of(oracle_bytes(&a, json_get(row, "sent")),
                                            oracle_bytes(&a, json_get(row, "got")));
        ck_assert_msg(bytes_equal_string(want, difference_name(got)),
                      "row %zu (byte %zu of the file): got %s, expected %.*s", row->offset, row->offset,
                      difference_name(got), BYTES_ARG(want));
        seen[got] = true;
    }
    for (enum difference d = DIFFERENCE_NONE; d <= DIFFERENCE_OTHER; d++)
        ck_assert_msg(seen[d], "no example of %s", difference_name(d));
    arena_release(&a);
}
END_TEST

START_TEST(names_and_words_differ)
{
    for (enum difference d = DIFFERENCE_NONE; d <= DIFFERENCE_OTHER; d++) {
        ck_assert_uint_gt(strlen(difference_words(d)), 0);
        for (enum difference other = DIFFERENCE_NONE; other < d; other++) {
            ck_assert_str_ne(difference_name(d), difference_name(other));
            ck_assert_str_ne(difference_words(d), difference_words(other));
        }
    }
}
END_TEST

/* Linear in the lengths: a megabyte of everything that makes a predicate look again. */
START_TEST(big_inputs)
{
    size_t len = 1 << 20;
    uint8_t *sent = malloc(len), *got = malloc(len);
    ck_assert_ptr_nonnull(sent);
    ck_assert_ptr_nonnull(got);
    for (size_t i = 0; i < len; i++) {
        sent[i] = (uint8_t)("\xFF\xEF\xBF\xBD?\r\n\0a"[i % 9]);
        got[i] = (uint8_t)("?\xEF\xBF\xBD\xFF\r\n a"[i % 8]);
    }
    ck_assert_int_ne(difference_of(bytes_of(sent, len), bytes_of(got, len)), DIFFERENCE_NONE);
    ck_assert_int_eq(difference_of(bytes_of(sent, len), bytes_of(sent, len)), DIFFERENCE_NONE);
    memset(sent, 'A', len);
    ck_assert_int_eq(difference_of(bytes_of(sent, len), bytes_of(sent, len / 2)), DIFFERENCE_CUT);
    free(sent);
    free(got);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, rows_of_the_file);
    tcase_add_test(tests, names_and_words_differ);
    tcase_add_test(tests, big_inputs);
}

int main(void)
{
    return unit_main("difference", fill);
}
