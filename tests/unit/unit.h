/* What every Check test here needs: one suite with one case, run with ck_assert failing the process. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* How many of n alike tasks or edits a test tries: a fourth of them under a sanitizer, where each takes many times as long and shows as
 * much; all of them in the other builds. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define UNIT_ROUNDS(n) ((n) / 4)
#else
#define UNIT_ROUNDS(n) (n)
#endif

/* Runs the tests that `fill` adds; the value of main(). */
static inline int unit_main(const char *name, void (*fill)(TCase *))
{
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 180); /* a minute on its own, with a sanitizer, on a machine that does other things too */
    fill(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Compares bytes with a string literal that may hold NULs. */
#define ASSERT_BYTES(b, literal)                                                                         \
    do {                                                                                                 \
        struct bytes got_ = (b), want_ = BYTES_LITERAL(literal);                                         \
        ck_assert_msg(bytes_equal(got_, want_), "got \"%.*s\" (%zu), expected \"%s\" (%zu)",             \
                      BYTES_ARG(got_), got_.len, literal, want_.len);                                    \
    } while (0)

#endif
