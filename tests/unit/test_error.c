/* base/error: codes, texts, context, and the faults that must abort. */
#include <signal.h>

#include "base/error.h"
#include "unit.h"

static int failing(struct error **err)
{
    return error_set(err, ERR_TARGET, "cannot open '%s': %d", "door", 7);
}

START_TEST(set_and_wrap)
{
    struct error *err = NULL;
    ck_assert_int_eq(failing(&err), ERR_TARGET);
    ck_assert_int_eq(err->code, ERR_TARGET);
    ck_assert_str_eq(err->text, "cannot open 'door': 7");
    ck_assert_int_eq(error_wrap(&err, "room %d", 3), ERR_TARGET);
    ck_assert_int_eq(error_wrap(&err, "house"), ERR_TARGET);
    ck_assert_str_eq(err->text, "house: room 3: cannot open 'door': 7");
    error_free(err);
}
END_TEST

START_TEST(text_is_optional)
{
    ck_assert_int_eq(failing(NULL), ERR_TARGET);
    ck_assert_int_lt(error_wrap(NULL, "context"), 0);
    error_free(NULL);
}
END_TEST

static int forwarding(int status, int *passed)
{
    TRY(status);
    *passed = 1;
    return 0;
}

START_TEST(try_forwards)
{
    int passed = 0;
    ck_assert_int_eq(forwarding(ERR_LIMIT, &passed), ERR_LIMIT);
    ck_assert_int_eq(passed, 0);
    ck_assert_int_eq(forwarding(5, &passed), 0);
    ck_assert_int_eq(passed, 1);
}
END_TEST

START_TEST(second_error_aborts)
{
    struct error *err = NULL;
    failing(&err);
    failing(&err);
}
END_TEST

START_TEST(bug_aborts)
{
    BUG("on purpose");
}
END_TEST

START_TEST(memory_of_no_size)
{
    void *a = xmalloc(0), *b = xcalloc(0, 8), *c = xrealloc(NULL, 0);
    ck_assert(a && b && c);
    free(a);
    free(b);
    free(c);
    char *copy = xstrdup("");
    ck_assert_str_eq(copy, "");
    free(copy);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, set_and_wrap);
    tcase_add_test(tests, text_is_optional);
    tcase_add_test(tests, try_forwards);
    tcase_add_test_raise_signal(tests, second_error_aborts, SIGABRT);
    tcase_add_test_raise_signal(tests, bug_aborts, SIGABRT);
    tcase_add_test(tests, memory_of_no_size);
}

int main(void)
{
    return unit_main("error", fill);
}
