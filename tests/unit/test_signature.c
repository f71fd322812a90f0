/* Signatures are the same whatever differs from run to run: other directories, names, ids, sizes, contents, order. The same planted
 * faults are met by two very different tasks each, below two roots, and must have one signature. */
#include <stdio.h>

#include "exec/oracle/check.h"
#include "exec/runner.h"
#include "oracle_case.h"
#include "session_fixture.h"

static struct session_fixture f;
static struct normaliser *rules;

#define STEP(id, op, args) "{\"id\":\"" id "\",\"op\":\"" op "\",\"args\":{" args "}}"

static const struct {
    const char *spec, *steps[2];
} rows[] = {
    {"demo:download-reencodes",
     {STEP("s1", "upload", "\"path\":\"a\",\"content\":{\"$bytes\":\"/wCA\"}") "," STEP("s2", "download", "\"path\":\"a\""),
      STEP("x", "mkdir", "\"path\":\"some/where\"") "," STEP("up1234567", "upload", "\"path\":\"some/where/2026-01-01.bin\",\"content\":{\"$bytes\":\"AAECA/////+AgYKDhIWGh4iJ\"}") ","
      STEP("z", "list", "\"path\":\".\"") "," STEP("down", "download", "\"path\":\"some/where/2026-01-01.bin\"")}},
    {"demo:mode-lost",
     {STEP("s1", "write", "\"path\":\"a\",\"content\":\"x\"") "," STEP("s2", "chmod", "\"path\":\"a\",\"mode\":493") ","
      STEP("s3", "write", "\"path\":\"a\",\"content\":\"y\""),
      STEP("k9", "write", "\"path\":\"bin/deadbeef01.sh\",\"content\":\"echo 12345678\"") ","
      STEP("k8", "chmod", "\"path\":\"bin/deadbeef01.sh\",\"mode\":448") "," STEP("k7", "read", "\"path\":\"bin/deadbeef01.sh\"") ","
      STEP("k6", "write", "\"path\":\"bin/deadbeef01.sh\",\"content\":\"\"")}},
    {"demo:download-cut-at-nul",
     {STEP("s1", "upload", "\"path\":\"a\",\"content\":\"a\\u0000b\"") "," STEP("s2", "download", "\"path\":\"a\""),
      STEP("s20", "upload", "\"path\":\"n/123e4567-e89b-12d3-a456-426614174000\",\"content\":\"2026-11-30T05:00:00Z 0x7ffe \\u0000\\u0000 and more\"") ","
      STEP("s30", "stat", "\"path\":\"n\"") "," STEP("s40", "download", "\"path\":\"n/123e4567-e89b-12d3-a456-426614174000\"")}},
    {"demo:two-roots",
     {STEP("s1", "write", "\"path\":\"d/a\",\"content\":\"x\""),
      STEP("a", "write", "\"path\":\"u\",\"content\":\"1\"") "," STEP("b", "write", "\"path\":\"p/q/r/7654321\",\"content\":\"much longer\"")}},
    /* Ops that store are one where it does not matter which of them it was. */
    {"demo:two-roots",
     {STEP("s1", "upload", "\"path\":\"d/a\",\"content\":\"x\""),
      STEP("a", "append", "\"path\":\"log/of/2026\",\"content\":\"one\"") "," STEP("b", "append", "\"path\":\"log/of/2026\",\"content\":\"two\"")}},
    {"demo:nul-path-truncates",
     {STEP("s1", "write", "\"path\":\"a\\u0000b\",\"content\":\"x\""),
      STEP("s1", "write", "\"path\":\"k\",\"content\":\"1\"") "," STEP("s2", "append", "\"path\":\"k\\u0000.txt\",\"content\":\"2\"")}},
    {"demo:mode-lost",
     {STEP("s1", "stage-file", "\"path\":\"a\",\"content\":\"x\",\"mode\":493") "," STEP("s2", "upload", "\"path\":\"a\",\"content\":\"y\""),
      STEP("s1", "stage-file", "\"path\":\"b\",\"content\":\"one\",\"mode\":384") ","
      STEP("s2", "edit", "\"path\":\"b\",\"old\":\"one\",\"new\":\"two\"")}},
};

static void set_up(void)
{
    struct error *err = NULL;
    session_set_up(&f);
    ck_assert_msg(normaliser_load(TASKGEN_SOURCE_DIR "/domains/normalise.json", &rules, &err) == 0, "%s", err ? err->text : "");
}

static void tear_down(void)
{
    session_tear_down(&f);
    normaliser_free(rules);
}

/* All signatures of a task, in the order they were said, as one text. */
static char *signatures(const char *spec, const char *steps)
{
    struct task *task;
    struct execution e;
    struct error *err = NULL;
    struct arena a;
    struct buf all, text;
    arena_init(&a);
    buf_init(&all, 1 << 16);
    buf_init(&text, 1 << 16);
    struct target_options o = {.spec = spec, .settings = &f.settings, .ops = f.ops, .rules = rules};
    ck_assert_msg(target_new(&o, &f.target, &err) == 0, "%s", err ? err->text : "");
    const char *line = arena_printf(&a, "{\"format\":\"taskgen/task/1\",\"instruction\":\"t\",\"steps\":[%s]}", steps);
    ck_assert_msg(task_read(f.ops, bytes_of_string(line), "test", &task, &err) == 0, "%s", err ? err->text : "");
    ck_assert_msg(runner_execute(f.target, task, &a, NULL, &e, &err) == 0, "%s", err ? err->text : "");
    struct verdicts verdicts = {.arena = &a};
    oracle_judge(&e, &verdicts);
    for (size_t i = 0; i < verdicts.count; i++) {
        char key[17];
        verdict_signature(&verdicts.items[i], &text, key);
        buf_addf(&all, "%s %s\n", key, buf_string(&text));
    }
    char *copy = xstrdup(buf_string(&all));
    buf_release(&all);
    buf_release(&text);
    target_free(f.target);
    f.target = NULL;
    task_free(task);
    arena_release(&a);
    return copy;
}

START_TEST(same_fault_same_signature)
{
    const char *why = NULL;
    if (!box_possible(&why)) {
        printf("not tested: no box here: %s\n", why);
        return;
    }
    char *elsewhere = fs_fresh_dir("another-place-4711", NULL);
    ck_assert_ptr_nonnull(elsewhere);
    const char *before = getenv("TMPDIR");
    char *kept = before ? xstrdup(before) : NULL;
    char *first = signatures(rows[_i].spec, rows[_i].steps[0]);
    setenv("TMPDIR", elsewhere, 1);
    char *second = signatures(rows[_i].spec, rows[_i].steps[1]);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    ck_assert_str_ne(first, "");
    ck_assert_str_eq(first, second);
    ck_assert_int_eq(fs_remove_tree(elsewhere, NULL), 0);
    free(elsewhere);
    free(kept);
    free(first);
    free(second);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, same_fault_same_signature, 0, (int)(sizeof rows / sizeof *rows));
}

int main(void)
{
    return unit_main("signature", fill);
}
