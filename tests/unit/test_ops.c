/* grammar/ops: the shipped vocabulary, and faults in one, each with file and line. */
#include "plan_case.h"

START_TEST(shipped_vocabulary)
{
    ck_assert_uint_ge(ops_count(plan_ops), 50);
    for (size_t i = 0; i < ops_count(plan_ops); i++) {
        const struct op *op = ops_at(plan_ops, i);
        ck_assert_uint_eq(op->index, i);
        ck_assert_ptr_eq(ops_find(plan_ops, op->name), op);
        ck_assert_msg(*op->doc && *op->group, "%s", op->name);
        for (size_t k = 0; k < op->arg_count; k++)
            ck_assert_ptr_eq(op_arg_find(op, op->args[k].name), &op->args[k]);
    }
    ck_assert_ptr_null(ops_at(plan_ops, ops_count(plan_ops)));
    ck_assert_ptr_null(ops_find(plan_ops, "no-such-op"));
    const struct op *write = ops_find(plan_ops, "write");
    ck_assert_str_eq(write->group, "files");
    ck_assert_str_eq(write->needs, "write");
    ck_assert_uint_eq(write->arg_count, 2);
    ck_assert_int_eq(write->args[1].type, OP_BYTES);
    ck_assert(write->args[0].required && !write->args[0].fallback);
    ck_assert_uint_eq(write->result_count, 1);
    ck_assert_ptr_null(op_arg_find(write, "bytes")); /* a result, not an argument */
}
END_TEST

START_TEST(values_and_defaults)
{
    const struct op_arg *signal = op_arg_find(ops_find(plan_ops, "signal"), "signal");
    ck_assert_int_eq(signal->type, OP_ONE_OF);
    ck_assert_str_eq(signal->fallback, "TERM");
    ck_assert_str_eq(signal->values[0], "TERM");
    ck_assert_str_eq(signal->values[6], "USR1");
    ck_assert_ptr_null(signal->values[7]);
    ck_assert_str_eq(ops_find(plan_ops, "idle")->needs, "");
    ck_assert_str_eq(ops_find(plan_ops, "tab-open")->needs, "browser");
    ck_assert_str_eq(op_arg_find(ops_find(plan_ops, "run"), "cwd")->fallback, "");
    ck_assert_str_eq(op_type_name(OP_TEXTS), "texts");
    ck_assert(op_arg_find(ops_find(plan_ops, "run"), "uses")->unsent);
    ck_assert(!op_arg_find(ops_find(plan_ops, "run"), "cwd")->unsent);
}
END_TEST

static void check_fault(const char *file)
{
    struct ops *ops = NULL;
    struct error *err = NULL;
    ck_assert_msg(ops_load(file, &ops, &err) == ERR_INPUT && err, "%s was taken", file);
    ck_assert_ptr_null(ops);
    plan_check_message(file, err->text);
    error_free(err);
}

START_TEST(faults)
{
    ck_assert_uint_ge(plan_each(PLAN_DATA "/ops", ".xml", check_fault), 12);
    struct ops *ops = NULL;
    ck_assert_int_eq(ops_load(PLAN_DATA "/ops/no-such-file", &ops, NULL), ERR_INPUT);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, plan_set_up, plan_tear_down);
    tcase_add_test(tests, shipped_vocabulary);
    tcase_add_test(tests, values_and_defaults);
    tcase_add_test(tests, faults);
}

int main(void)
{
    return unit_main("ops", fill);
}
