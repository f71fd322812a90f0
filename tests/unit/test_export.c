/* corpus/export: what becomes of a task for an agent, and why there is none. */
#include "corpus/export/export.h"
#include "task_case.h"

#define HEAD "{\"contents\":{\"c1\":{\"$recipe\":\"csv\",\"rows\":3,\"seed\":1}},\"domain\":\"imported\"," \
             "\"format\":\"taskgen/task/1\",\"index\":0,\"instruction\":\"Write pear and plum to a.txt; print plum.\",\"limits\":{},\"seed\":0," \
             "\"workflow\":\"imported\","
#define STEP(id, op, args) "{\"id\":\"" id "\",\"op\":\"" op "\",\"args\":{" args "}}"
#define PEAR STEP("s1", "write", "\"path\":\"a.txt\",\"content\":\"pear\"")
#define HAS_PEAR "{\"file\":\"a.txt\",\"equals\":\"pear\"}"
#define PLUM(id) STEP(id, "run", "\"argv\":[\"echo\",\"plum\"]")
#define SAYS_PLUM(id) "{\"step\":\"" id "\",\"at\":\"/stdout\",\"equals\":\"plum\\n\"}"

static const struct {
    const char *name, *steps, *expect, *mutations;
    const char *dropped;  /* how the reason begins; NULL: kept */
    const char *words;    /* that stand in the instruction */
    const char *solution; /* what stands in it */
    size_t inputs, start, checks;
} rows[] = {
    {"told in words", PEAR, HAS_PEAR, "", NULL, "- `a.txt`: every byte counts\n", "printf %s 'pear' | put a.txt\n", 0, 0, 1},
    {"not told in words", STEP("s1", "write", "\"path\":\"a.txt\",\"content\":\"quince\""), "{\"file\":\"a.txt\",\"equals\":\"quince\"}", "", NULL,
     "- `/inputs/1` (6 bytes): for `a.txt`\n", "cat /inputs/1 | put a.txt\n", 1, 0, 1},
    {"attached once", STEP("s1", "write", "\"path\":\"a.txt\",\"content\":{\"$content\":\"c1\"}") "," STEP("s2", "upload", "\"path\":\"a.txt\",\"content\":{\"$content\":\"c1\"}"),
     "{\"file\":\"a.txt\",\"contains\":\"id,name\"}", "", NULL, "must hold what is asked for", "cat /inputs/1 | put a.txt\ncat /inputs/1 | put a.txt\n", 1, 0, 1},
    {"an output", PLUM("s1"), SAYS_PLUM("s1"), "", NULL, "- `answer.txt`: put here", ">/app/answer.txt || :\n", 0, 0, 1},
    {"two outputs", PEAR "," PLUM("s2") "," PLUM("s3"), HAS_PEAR "," SAYS_PLUM("s2") "," SAYS_PLUM("s3"), "", NULL, "What you print or tell is not looked at.",
     "(exec env echo plum </dev/null) || :\n", 0, 0, 1},
    {"outputs alone", PLUM("s1") "," PLUM("s2"), SAYS_PLUM("s1") "," SAYS_PLUM("s2"), "", "no end state", "", "", 0, 0, 0},
    {"a start", STEP("s1", "stage-file", "\"path\":\"b.txt\",\"content\":\"pear\"") "," STEP("s2", "copy", "\"path\":\"b.txt\",\"to\":\"a.txt\""), HAS_PEAR, "", NULL,
     "`a.txt`", "cp -- b.txt a.txt\n", 0, 1, 1},
    {"what is there from the start", STEP("s1", "stage-file", "\"path\":\"a.txt\",\"content\":\"pear\""), HAS_PEAR, "", "no end state", "", "", 0, 0, 0},
    {"nothing expected", PEAR, "", "", "no end state", "", "", 0, 0, 0},
    {"an empty file", PEAR, "{\"file\":\"a.txt\",\"equals\":\"\"}", "", "no end state", "", "", 0, 0, 0},
    {"gone", PEAR, "{\"file\":\"a.txt\",\"exists\":false}", "", "no end state", "", "", 0, 0, 0},
    {"a member", PEAR, "{\"file\":\"a.txt\",\"json\":\"/rows\",\"equals\":3}", "", NULL, "the value at `/rows`", "", 0, 0, 1},
    {"outside", STEP("s1", "write", "\"path\":\"../a.txt\",\"content\":\"pear\""), HAS_PEAR, "", "a path", "", "", 0, 0, 0},
    {"judged outside", PEAR, "{\"file\":\"x/../../a.txt\",\"equals\":\"pear\"}", "", "a path", "", "", 0, 0, 0},
    {"absolute", PEAR, "{\"file\":\"/etc/passwd\",\"equals\":\"pear\"}", "", "a path", "", "", 0, 0, 0},
    {"a process", PEAR "," STEP("s2", "start", "\"argv\":[\"sleep\",\"9\"]"), HAS_PEAR, "", "the op start", "", "", 0, 0, 0},
    {"a refusal", PEAR "," STEP("s2", "edit", "\"path\":\"a.txt\",\"old\":\"fig\",\"new\":\"nut\""), HAS_PEAR ",{\"step\":\"s2\",\"outcome\":\"error\"}", "", NULL,
     "`a.txt`", "put a.txt\n", 0, 0, 1},
    {"a value of run time", PEAR "," STEP("s2", "write", "\"path\":\"b\",\"content\":{\"$from\":\"s1\",\"at\":\"/bytes\"}"), HAS_PEAR, "", "a content", "", "", 0, 0, 0},
    {"a program that is not there", STEP("s9", "run", "\"argv\":[\"git\"],\"uses\":[\"git\"]") "," PEAR, HAS_PEAR, "", "it needs program:git", "", "", 0, 0, 0},
    {"a place of the session", PEAR "," STEP("s2", "run", "\"argv\":[\"ls\",\"{root}\"]"), HAS_PEAR, "", "an argument", "", "", 0, 0, 0},
    {"changed behind the words", PEAR, HAS_PEAR, "{\"mutator\":\"long-name\",\"step\":\"s1\",\"at\":\"/path\",\"detail\":\"\",\"before\":null}", "a mutation", "", "", 0, 0, 0},
    {"changed frame", PEAR, HAS_PEAR, "{\"mutator\":\"id-type\",\"step\":\"s1\",\"at\":\"/frame\",\"detail\":\"\",\"before\":null}", NULL, "`a.txt`", "", 0, 0, 1},
};

static struct task *make(size_t row, char *text, size_t size)
{
    struct task *t = NULL;
    struct error *err = NULL;
    snprintf(text, size, HEAD "\"steps\":[%s],\"expect\":[%s],\"mutations\":[%s]}", rows[row].steps, rows[row].expect, rows[row].mutations);
    int status = task_read(ops, bytes_of_string(text), rows[row].name, &t, &err);
    ck_assert_msg(status == 0, "%s: %s", rows[row].name, err ? err->text : "");
    return t;
}

START_TEST(records)
{
    char text[4096];
    struct task *t = make((size_t)_i, text, sizeof text);
    struct export_record r;
    const char *name = rows[_i].name;
    export_record_init(&r, t);
    if (rows[_i].dropped) {
        ck_assert_msg(r.dropped && !strncmp(r.dropped, rows[_i].dropped, strlen(rows[_i].dropped)), "%s: %s", name, r.dropped ? r.dropped : "kept");
    } else {
        ck_assert_msg(!r.dropped, "%s: %s", name, r.dropped);
        ck_assert_msg(strstr(buf_string(&r.instruction), rows[_i].words) != NULL, "%s: %s", name, buf_string(&r.instruction));
        ck_assert_msg(strstr(buf_string(&r.solution), rows[_i].solution) != NULL, "%s: %s", name, buf_string(&r.solution));
        ck_assert_msg(r.input_count == rows[_i].inputs && r.start_count == rows[_i].start && r.check_count == rows[_i].checks, "%s: %zu %zu %zu",
                      name, r.input_count, r.start_count, r.check_count);
        ck_assert_msg(strstr(buf_string(&r.solution), "nut") == NULL, "%s: a step that must be refused", name);
    }
    export_record_release(&r);
    task_free(t);
}
END_TEST

START_TEST(formats)
{
    struct export_out *out = NULL;
    struct error *err = NULL;
    for (size_t i = 0; export_at(i); i++)
        ck_assert_ptr_eq(export_find(export_at(i)->name), export_at(i));
    ck_assert_ptr_null(export_find("odd"));
    ck_assert_int_eq(export_open(TASKGEN_SOURCE_DIR, &out, &err), ERR_INPUT); /* not empty */
    ck_assert_ptr_null(out);
    error_free(err);
}
END_TEST

static void fill(TCase *c)
{
    tcase_add_unchecked_fixture(c, task_set_up, task_tear_down);
    tcase_add_loop_test(c, records, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_test(c, formats);
}

int main(void)
{
    return unit_main("export", fill);
}
