/* Checks, by recorded executions: tests/data/oracle/<slug>/fail-*.json and pass-*.json. Each names the
 * signatures that must come out, and no others may. Every check has at least one recording of each kind. */
#include <dirent.h>
#include <stdio.h>

#include "exec/oracle/feedback.h"
#include "exec/oracle/record.h"
#include "oracle_case.h"

enum { SIGNATURES_MAX = 64 };

static struct ops *ops;
static struct normaliser *rules;

static void setup(void)
{
    ops = oracle_ops();
    ck_assert_int_eq(normaliser_load(TASKGEN_SOURCE_DIR "/domains/normalise.json", &rules, NULL), 0);
}

static void teardown(void)
{
    ops_free(ops);
    normaliser_free(rules);
}

struct recording {
    struct arena arena;
    struct task *task;
    struct execution execution;
    const struct json *verdicts; /* expected */
    const struct json *evidence; /* expected words; or NULL */
};

static void load(struct recording *r, const char *path)
{
    struct error *err = NULL;
    struct buf text;
    *r = (struct recording){0};
    arena_init(&r->arena);
    const struct json *root = oracle_load(&r->arena, path);
    r->verdicts = json_get(root, "verdicts");
    r->evidence = json_get(root, "evidence");
    ck_assert_msg(json_is(r->verdicts, JSON_ARRAY), "%s: no member verdicts", path);
    buf_init(&text, 1 << 20);
    ck_assert_int_eq(fs_read(path, 1 << 20, &text, NULL), 0);
    ck_assert_msg(execution_read(ops, buf_bytes(&text), path, &r->arena, &r->execution, &r->task, &err) == 0,
                  "%s", err ? err->text : "");
    buf_release(&text);
    r->execution.rules = rules; /* which change no detail of ours: what the file says must come out all the same */
}

static void unload(struct recording *r)
{
    task_free(r->task);
    arena_release(&r->arena);
}

/* Signature texts of an execution. */
static size_t signatures(const struct execution *e, struct arena *a, const char *out[SIGNATURES_MAX])
{
    struct verdicts v = {.arena = a};
    oracle_judge(e, &v);
    ck_assert_uint_eq(v.dropped, 0);
    for (size_t i = 0; i < v.count; i++) {
        struct buf text;
        char key[17];
        buf_init(&text, 4096);
        verdict_signature(&v.items[i], &text, key);
        ck_assert(!text.overflow);
        out[i] = arena_string(a, buf_bytes(&text));
        ck_assert_uint_eq(strlen(key), 16);
        ck_assert_uint_gt(strlen(v.items[i].title), 0);
        ck_assert_msg(strstr(v.items[i].evidence, layer_name(v.items[i].layer)) || *v.items[i].evidence, "%s",
                      out[i]);
        buf_release(&text);
    }
    return v.count;
}

static bool among(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

static bool of_slug(const char *signature, const char *slug)
{
    const char *second = strchr(signature, '/');
    const char *third = second ? strchr(second + 1, '/') : NULL;
    return third && strncmp(third + 1, slug, strlen(slug)) == 0 && third[1 + strlen(slug)] == '/';
}

/* Words that a person must find in the evidence of some verdict. */
static void check_evidence(const struct recording *r, struct arena *a, const char *path)
{
    struct verdicts v = {.arena = a};
    oracle_judge(&r->execution, &v);
    for (const struct json *words = r->evidence ? r->evidence->first : NULL; words; words = words->next) {
        bool found = false;
        for (size_t i = 0; i < v.count; i++)
            found = found || bytes_find(bytes_of_string(v.items[i].evidence), words->text, 0) >= 0;
        ck_assert_msg(found, "%s: no evidence has \"%.*s\": %s", path, BYTES_ARG(words->text),
                      v.count ? v.items[0].evidence : "");
    }
}

static void check_recording(const char *path, const char *slug, bool must_fail)
{
    struct recording r;
    const char *got[SIGNATURES_MAX], *want[SIGNATURES_MAX];
    size_t wanted = 0;
    bool seen = false;
    load(&r, path);
    for (const struct json *v = r.verdicts->first; v; v = v->next)
        want[wanted++] = arena_string(&r.arena, v->text);
    size_t count = signatures(&r.execution, &r.arena, got);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(among(got[i], want, wanted), "%s: says \"%s\", which is not expected", path, got[i]);
        seen = seen || of_slug(got[i], slug);
    }
    for (size_t i = 0; i < wanted; i++)
        ck_assert_msg(among(want[i], got, count), "%s: does not say \"%s\"", path, want[i]);
    check_evidence(&r, &r.arena, path);
    ck_assert_msg(seen == must_fail, "%s: %s a verdict of %s", path, seen ? "has" : "lacks", slug);
    unload(&r);
}

START_TEST(recordings)
{
    for (size_t i = 0; check_at(i); i++) {
        char directory[4096], path[8192];
        size_t fails = 0, passes = 0;
        snprintf(directory, sizeof directory, "%s/%s", ORACLE_DATA, check_at(i)->slug);
        DIR *dir = opendir(directory);
        ck_assert_msg(dir != NULL, "%s has no recordings", check_at(i)->slug);
        for (struct dirent *entry; (entry = readdir(dir));) {
            bool fail = strncmp(entry->d_name, "fail-", 5) == 0,
                 pass = strncmp(entry->d_name, "pass-", 5) == 0;
            if (!fail && !pass)
                continue;
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
            check_recording(path, check_at(i)->slug, fail);
            fails += fail;
            passes += pass;
        }
        closedir(dir);
        ck_assert_msg(fails && passes, "%s: %zu recordings that fail, %zu that pass", check_at(i)->slug,
                      fails, passes);
    }
}
END_TEST

/* A recording that is written and read again means the same. */
START_TEST(written_and_read_again)
{
    static const char *const some[] = {
        "nul-in-content/fail-append", "deadline-leaves-tree/fail-nested", "deadline-wrong/fail-silent",  "roots-differ/fail-found",   "listing-wrong/fail-missing",
        "orphan-left/fail-left",       "mcp-04/fail-twice",         "silent-success/fail-fact",
        "bad-frame-fatal/fail-silent", "binary-as-text/fail-reply", "last-lines/pass-empty",
        "litter-left/fail-signal", "state-lost/fail-end", "owner-mismatch/fail-write", "request-unanswered/fail-frame", "cancel-ignored/fail-grows", "peer-death-unnoticed/fail-waits"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct recording r;
        struct execution again;
        struct task *task;
        struct error *err = NULL;
        struct buf first, second;
        const char *before[SIGNATURES_MAX], *after[SIGNATURES_MAX];
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.json", ORACLE_DATA, some[i]);
        load(&r, path);
        buf_init(&first, 1 << 20);
        buf_init(&second, 1 << 20);
        execution_write(&r.execution, &first);
        ck_assert_msg(execution_read(ops, buf_bytes(&first), "again", &r.arena, &again, &task, &err) == 0,
                      "%s", err ? err->text : "");
        execution_write(&again, &second);
        ck_assert(bytes_equal(buf_bytes(&first), buf_bytes(&second)));
        size_t count = signatures(&r.execution, &r.arena, before);
        ck_assert_uint_eq(signatures(&again, &r.arena, after), count);
        for (size_t k = 0; k < count; k++)
            ck_assert_str_eq(before[k], after[k]);
        task_free(task);
        buf_release(&first);
        buf_release(&second);
        unload(&r);
    }
}
END_TEST

/* Our own trouble is never a finding, and what was not executed has nothing to say. */
START_TEST(harness_says_nothing)
{
    struct recording r;
    const char *got[SIGNATURES_MAX], *why;
    load(&r, ORACLE_DATA "/silent-success/fail-write.json");
    ck_assert_uint_eq(signatures(&r.execution, &r.arena, got), 1);
    r.execution.harness = true;
    ck_assert_uint_eq(signatures(&r.execution, &r.arena, got), 0);
    ck_assert(!oracle_passed(&r.execution, &why, &r.arena));
    uint64_t features[64];
    ck_assert_uint_eq(features_of(&r.execution, NULL, features, 64), 0);
    unload(&r);
}
END_TEST

/* What follows a raw frame may be our own fault, and says so. */
START_TEST(client_illegal_is_noted)
{
    struct recording r;
    load(&r, ORACLE_DATA "/bad-frame-fatal/fail-dead.json");
    struct verdicts v = {.arena = &r.arena};
    oracle_judge(&r.execution, &v);
    ck_assert_uint_eq(v.count, 1);
    ck_assert(v.items[0].client_illegal);
    unload(&r);
    load(&r, ORACLE_DATA "/bad-frame-fatal/fail-mutated.json");
    v = (struct verdicts){.arena = &r.arena};
    oracle_judge(&r.execution, &v);
    ck_assert(v.count == 1 && v.items[0].client_illegal);
    unload(&r);
    load(&r, ORACLE_DATA "/big-frame-fatal/fail-padded.json"); /* any client may send it */
    v = (struct verdicts){.arena = &r.arena};
    oracle_judge(&r.execution, &v);
    ck_assert(v.count == 1 && !v.items[0].client_illegal);
    unload(&r);
    load(&r, ORACLE_DATA "/target-died/fail-died.json");
    v = (struct verdicts){.arena = &r.arena};
    oracle_judge(&r.execution, &v);
    ck_assert_uint_eq(v.count, 1);
    ck_assert(!v.items[0].client_illegal);
    unload(&r);
}
END_TEST

START_TEST(bad_recordings)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"format\":\"taskgen/execution/2\"}",
        "{\"format\":\"taskgen/execution/1\"}",
        "{\"format\":\"taskgen/execution/1\",\"task\":{\"format\":\"taskgen/task/"
        "1\",\"steps\":[]},\"observations\":[{\"step\":\"s1\"}]}",
        "{\"format\":\"taskgen/execution/1\",\"task\":{\"format\":\"taskgen/task/"
        "1\",\"steps\":[]},\"crosses\":[{\"observation\":0}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena a;
        struct execution e;
        struct task *task = NULL;
        struct error *err = NULL;
        arena_init(&a);
        ck_assert_int_eq(execution_read(ops, bytes_of_string(texts[i]), "bad.json", &a, &e, &task, &err),
                         ERR_INPUT);
        ck_assert_ptr_nonnull(strstr(err->text, "bad.json"));
        ck_assert_ptr_null(task);
        error_free(err);
        arena_release(&a);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, recordings);
    tcase_add_test(tests, written_and_read_again);
    tcase_add_test(tests, harness_says_nothing);
    tcase_add_test(tests, client_illegal_is_noted);
    tcase_add_test(tests, bad_recordings);
}

int main(void)
{
    return unit_main("oracle", fill);
}
