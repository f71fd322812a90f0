/* Normalised messages, by tests/data/oracle/normalise.json. */
#include "exec/oracle/normalise.h"
#include "oracle_case.h"

START_TEST(rows_of_the_file)
{
    struct arena a;
    arena_init(&a);
    const struct json *rows = oracle_load(&a, ORACLE_DATA "/normalise.json");
    for (const struct json *row = rows->first; row; row = row->next) {
        struct buf out;
        buf_init(&out, 4096);
        message_normalise(json_as_text(json_get(row, "message")), &out);
        struct bytes want = json_as_text(json_get(row, "normal"));
        ck_assert_msg(bytes_equal(buf_bytes(&out), want), "byte %zu: got \"%s\", expected \"%.*s\"",
                      row->offset, buf_string(&out), BYTES_ARG(want));
        buf_release(&out);
    }
    arena_release(&a);
}
END_TEST

/* What was normalised stays as it is, and nothing is longer than it may be, for bytes of every kind. */
START_TEST(any_bytes)
{
    uint8_t data[600];
    for (unsigned seed = 0; seed < 500; seed++) {
        for (size_t i = 0; i < sizeof data; i++)
            data[i] =
                (uint8_t)("/.~-'\"0x7aZ :\n\xE2\x80\x98\xFF"[(seed * 31 + i * i * 7 + i / (seed % 7 + 1)) %
                                                             18]);
        struct buf out;
        buf_init(&out, 4096);
        message_normalise(bytes_of(data, seed + 1), &out);
        ck_assert_uint_le(out.len, 200);
        ck_assert(!out.overflow);
        for (size_t i = 0; i < out.len; i++)
            ck_assert(out.data[i] >= ' ' && out.data[i] < 0x7F);
        buf_release(&out);
    }
}
END_TEST

START_TEST(appends)
{
    struct buf out;
    buf_init(&out, 100);
    buf_add_string(&out, "x: ");
    message_normalise(BYTES_LITERAL("job 5 "), &out);
    ck_assert_str_eq(buf_string(&out), "x: job <n>");
    buf_release(&out);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, rows_of_the_file);
    tcase_add_test(tests, any_bytes);
    tcase_add_test(tests, appends);
}

int main(void)
{
    return unit_main("normalise", fill);
}
