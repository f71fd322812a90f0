/* Verdicts: signatures, no doubles, a bound. */
#include "oracle_case.h"

#include "base/hash.h"
#include <stdio.h>

static struct verdict sample(void)
{
    return (struct verdict){.check = "nul-in-content",
                            .primitive = "null-byte",
                            .op = "download",
                            .layer = LAYER_INTERFACE,
                            .detail = "reply cut at the first NUL",
                            .title = "t",
                            .evidence = "e"};
}

START_TEST(signature_text_and_key)
{
    struct verdict v = sample();
    struct buf text;
    char key[17], expected[17];
    buf_init(&text, 1000);
    buf_add_string(&text, "left over");
    verdict_signature(&v, &text, key);
    ck_assert_str_eq(buf_string(&text),
                     "interface/null-byte/nul-in-content/download: reply cut at the first NUL");
    snprintf(expected, sizeof expected, "%016llx", (unsigned long long)hash64(buf_bytes(&text)));
    ck_assert_str_eq(key, expected);
    /* Titles, evidence and places are no part of it. */
    struct verdict other = sample();
    char other_key[17];
    other.title = "another";
    other.evidence = "another";
    other.observation = 7;
    verdict_signature(&other, &text, other_key);
    ck_assert_str_eq(key, other_key);
    other.layer = LAYER_SANDBOX;
    verdict_signature(&other, &text, other_key);
    ck_assert_str_ne(key, other_key);
    buf_release(&text);
}
END_TEST

START_TEST(equal_signatures_once)
{
    struct arena a;
    struct verdicts all = {.arena = &a};
    struct verdict v = sample();
    arena_init(&a);
    verdict_add(&all, &v);
    v.evidence = "other numbers";
    verdict_add(&all, &v);
    ck_assert_uint_eq(all.count, 1);
    ck_assert_str_eq(all.items[0].evidence, "e");
    v.op = "read";
    verdict_add(&all, &v);
    v.detail = "another detail";
    verdict_add(&all, &v);
    v.layer = LAYER_UNDECIDED;
    verdict_add(&all, &v);
    ck_assert_uint_eq(all.count, 4);
    arena_release(&a);
}
END_TEST

START_TEST(texts_are_copied_and_bounded)
{
    struct arena a;
    struct verdicts all = {.arena = &a};
    arena_init(&a);
    for (int i = 0; i < 100; i++) {
        char detail[32];
        struct verdict v = sample();
        snprintf(detail, sizeof detail, "detail %d", i);
        v.detail = detail;
        verdict_add(&all, &v);
    }
    ck_assert_uint_eq(all.count, 64);
    ck_assert_uint_eq(all.dropped, 36);
    for (int i = 0; i < 64; i++) {
        char detail[32];
        snprintf(detail, sizeof detail, "detail %d", i);
        ck_assert_str_eq(all.items[i].detail, detail);
    }
    arena_release(&a);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, signature_text_and_key);
    tcase_add_test(tests, equal_signatures_once);
    tcase_add_test(tests, texts_are_copied_and_bounded);
}

int main(void)
{
    return unit_main("verdict", fill);
}
