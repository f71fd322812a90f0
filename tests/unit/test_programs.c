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

/* In how many of five sessions the server is asked for a language. */
static int asked_in(const struct start *start, bool refused)
{
    int asked = 0;
    session_target_new(&f, "demo:none");
    for (int i = 0; i < 5; i++) {
        struct buf sent, words;
        struct error *err = NULL;
        buf_init(&sent, 1 << 20);
        buf_init(&words, 1 << 20);
        ck_assert_msg(session_open_as(f.target, start, &f.session, &err) == 0, "%s", err ? err->text : "");
        f.session->first_refused = refused;
        ck_assert(session_supports(f.session, "run:sh"));
        session_wire_log(f.session, &sent, &words);
        asked += strstr(buf_string(&sent), "taskgen-$((40+2))") != NULL;
        buf_release(&sent);
        buf_release(&words);
        session_close(f.session);
        f.session = NULL;
    }
    target_free(f.target);
    f.target = NULL;
    return asked;
}

/* The first sessions of an MCP server answer for the later ones; but not where first calls are refused, nor for a server that is
 * started in another way. */
START_TEST(languages_are_asked_for_in_a_few_sessions)
{
    const char *why;
    if (!box_possible(&why))
        return;
    ck_assert_int_eq(asked_in(&(struct start){0}, false), 3);
    ck_assert_int_eq(asked_in(&(struct start){0}, true), 5);
    ck_assert_int_eq(asked_in(&(struct start){.variables = {"LANG=C"}}, false), 5);
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
    tcase_add_test(tests, languages_are_asked_for_in_a_few_sessions);
}

int main(void)
{
    return unit_main("programs", fill);
}
