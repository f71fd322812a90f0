/* exec/target/programs: what a step uses beside the ops is asked for in the target, once. */
#include <sys/stat.h>

#include "base/fs.h"
#include "session_fixture.h"
#include "unit.h"

static struct session_fixture f;

static void set_up(void)
{
    session_set_up(&f);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

START_TEST(there_and_not_there)
{
    session_new(&f, BWRAP);
    ck_assert(session_supports(f.session, "program:sh"));
    ck_assert(session_supports(f.session, "program:sha256sum"));
    ck_assert(!session_supports(f.session, "program:no-such-program"));
    ck_assert(session_supports(f.session, "python:json"));
    ck_assert(session_supports(f.session, "python:xml.dom"));
    ck_assert(!session_supports(f.session, "python:no_such_module"));
}
END_TEST

START_TEST(only_names_are_asked_for)
{
    session_new(&f, BWRAP);
    static const char *const bad[] = {"program:",        "program:a b",  "program:sh;touch x", "program:-x",
                                      "program:$(true)", "program:../x", "python:json'",       "python:a\nb"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!session_supports(f.session, bad[i]), "%s", bad[i]);
    ck_assert_uint_eq(f.target->programs.count, 0);
}
END_TEST

START_TEST(asked_once_for_all_sessions)
{
    session_new(&f, BWRAP);
    ck_assert(session_supports(f.session, "program:sh"));
    ck_assert_uint_eq(f.target->programs.count, 1);
    session_close(f.session);
    session_begin(&f);
    ck_assert(session_supports(f.session, "program:sh"));
    ck_assert_uint_eq(f.target->programs.count, 1);
}
END_TEST

START_TEST(asking_is_not_counted)
{
    session_new(&f, BWRAP);
    uint64_t calls = f.session->calls_made;
    ck_assert(session_supports(f.session, "program:sh"));
    ck_assert_uint_eq(f.session->calls_made, calls);
}
END_TEST

/* Where no shell script can be run there is nobody to ask. */
START_TEST(no_shell)
{
    char *dir = fs_fresh_dir("taskgen-test", NULL), *prefix = strings_printf("%s/prefix", dir);
    char *spec = strings_printf("exec:%s", prefix);
    ck_assert_int_eq(
        fs_write(prefix, BYTES_LITERAL("#!/bin/sh\n[ \"$1\" = sh ] && exit 9\nexec \"$@\"\n"), NULL), 0);
    ck_assert_int_eq(chmod(prefix, 0755), 0);
    ck_assert_int_eq(chmod(dir, 0755), 0);
    session_new(&f, spec);
    ck_assert(!session_supports(f.session, "program:true"));
    fs_remove_tree(dir, NULL);
    free(prefix);
    free(spec);
    free(dir);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, there_and_not_there);
    tcase_add_test(tests, only_names_are_asked_for);
    tcase_add_test(tests, asked_once_for_all_sessions);
    tcase_add_test(tests, asking_is_not_counted);
    tcase_add_test(tests, no_shell);
}

int main(void)
{
    return unit_main("programs", fill);
}
