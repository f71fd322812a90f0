/* doctor's rows: what reports become, what is said of what is not there, and that this very machine can be looked at. */
#include "base/json.h"
#include "cli/doctor.h"
#include "unit.h"

static struct settings settings;
static struct doctor d;
static struct buf out;

static void set_up(void)
{
    settings_defaults(&settings);
    doctor_init(&d, &settings);
    buf_init(&out, 1 << 20);
}

static void tear_down(void)
{
    doctor_release(&d);
    buf_release(&out);
}

START_TEST(reports)
{
    doctor_add_report(&d, BYTES_LITERAL("network namespace: no (not permitted)\nlimits: 3 files: many\nnoise: nothing much\nno line\n"
                                        "pids cgroup: yes (version 2)"));
    ck_assert_uint_eq(d.count, 4);
    ck_assert(d.rows[0].state == DOCTOR_ABSENT && !strcmp(d.rows[0].found, "no (not permitted)") && *d.rows[0].how);
    ck_assert(d.rows[1].state == DOCTOR_OK && !strcmp(d.rows[1].name, "limits") && !strcmp(d.rows[1].found, "3 files: many"));
    ck_assert(d.rows[2].state == DOCTOR_OK); /* "nothing" is not "no" */
    ck_assert(d.rows[3].state == DOCTOR_OK && !*d.rows[3].how);
    ck_assert(doctor_usable(&d));
    doctor_add_report(&d, BYTES_LITERAL("box made by bubblewrap: no (bwrap: No permissions)\n"));
    ck_assert(!doctor_usable(&d));
}
END_TEST

START_TEST(printed)
{
    doctor_add(&d, &(struct doctor_row){.name = "a", .found = "/bin/a", .purpose = "x", .how = "y", .package = "pa"});
    doctor_print(&d, &out);
    ASSERT_BYTES(buf_bytes(&out), "ok       a                    /bin/a\n");
    buf_clear(&out);
    doctor_add(&d, &(struct doctor_row){.name = "b", .state = DOCTOR_ABSENT, .found = "not found", .purpose = "p", .how = "h", .package = "pb"});
    doctor_add(&d, &(struct doctor_row){.name = "c", .state = DOCTOR_MISSING, .purpose = "q", .package = "pb"});
    doctor_add(&d, &(struct doctor_row){.name = "e", .state = DOCTOR_ABSENT, .found = "no", .package = "pe"});
    doctor_print(&d, &out);
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "absent   b                    not found; for p; h\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "MISSING  c                    for q\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "\nto have more of it: apt-get install pb pe\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "what is MISSING is needed"));
    struct arena a;
    struct json *o;
    arena_init(&a);
    buf_clear(&out);
    doctor_print_json(&d, &out);
    ck_assert_int_eq(json_read(&a, buf_bytes(&out), &(struct json_options){.allow_trailing = true}, "doctor", &o, NULL, NULL), 0);
    ck_assert(!json_as_bool(json_get(o, "usable"), true));
    ASSERT_BYTES(json_as_text(json_get(json_at(json_get(o, "rows"), 2), "state")), "missing");
    ASSERT_BYTES(json_as_text(json_get(o, "apt")), "apt-get install pb pe");
    arena_release(&a);
}
END_TEST

/* Whatever it is, each row has a name, and what is not there has words. */
START_TEST(this_machine)
{
    doctor_programs(&d);
    doctor_kernel(&d);
    doctor_room(&d);
    ck_assert_uint_gt(d.count, 20);
    for (size_t i = 0; i < d.count; i++) {
        ck_assert(*d.rows[i].name && *d.rows[i].found);
        ck_assert_msg(d.rows[i].state == DOCTOR_OK || *d.rows[i].how, "%s", d.rows[i].name);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, reports);
    tcase_add_test(tests, printed);
    tcase_add_test(tests, this_machine);
}

int main(void)
{
    return unit_main("doctor", fill);
}
