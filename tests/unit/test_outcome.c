/* exec/outcome: every class has a name, and every name its class. */
#include "exec/outcome.h"
#include "unit.h"

START_TEST(names_and_classes)
{
    for (int i = OUTCOME_OK; i <= OUTCOME_HARNESS; i++) {
        ck_assert_int_eq(outcome_class_find(outcome_class_name((enum outcome_class)i)), i);
        ck_assert_int_gt(strlen(outcome_class_name((enum outcome_class)i)), 1);
    }
    ck_assert_str_eq(outcome_class_name(OUTCOME_TOOL_ERROR), "tool-error");
    ck_assert_int_eq(outcome_class_find("nothing of the kind"), -1);
    ck_assert_int_eq(outcome_class_find(""), -1);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, names_and_classes);
}

int main(void)
{
    return unit_main("outcome", fill);
}
