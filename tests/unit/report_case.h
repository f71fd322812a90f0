/* What the tests of reports share: a fake time, ops, a folder, tasks and golden files in tests/data/report. */
#ifndef TESTS_UNIT_REPORT_CASE_H
#define TESTS_UNIT_REPORT_CASE_H

#include <stdio.h>

#include "base/clock.h"
#include "base/fs.h"
#include "corpus/report/report_internal.h"
#include "unit.h"

static const int64_t NOW_MS = 1772366400000; /* 2026-03-01T12:00:00Z */

static struct ops *ops;
static struct settings settings;
static char *folder;
static int64_t now_ns;
static struct buf out;

static inline void must(int status, struct error *err)
{
    ck_assert_msg(status == 0, "%s", err ? err->text : "no message");
}

static inline struct task *sample_task(const char *path, const char *content)
{
    struct task *t = task_new();
    struct arena *a = &t->arena;
    struct json *args = json_new(a, JSON_OBJECT);

    t->instruction = "Keep it.";
    json_set(a, args, "path", json_text(a, path));
    json_set(a, args, "content", json_text(a, content));
    task_add_step(t, ops_find(ops, "upload"), args);
    args = json_new(a, JSON_OBJECT);
    json_set(a, args, "path", json_text(a, path));
    task_add_step(t, ops_find(ops, "download"), args);
    task_identify(t);
    return t;
}

static inline void report_begin(void)
{
    struct error *err = NULL;

    now_ns = NOW_MS * 1000000;
    clock_fake(&now_ns);
    buf_init(&out, (size_t)1 << 28);
    settings_defaults(&settings);
    must(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err), err);
    folder = fs_fresh_dir("taskgen-report", &err);
    ck_assert(folder);
}

static inline void report_end(void)
{
    fs_remove_tree(folder, NULL);
    free(folder);
    ops_free(ops);
    buf_release(&out);
    clock_fake(NULL);
}

static inline struct store *report_store(const char *name)
{
    struct error *err = NULL;
    struct store *store;
    struct buf path;

    buf_init(&path, 4096);
    buf_addf(&path, "%s/%s", folder, name);
    must(store_open(buf_string(&path), STORE_WRITE, &settings, &store, &err), err);
    buf_release(&path);
    return store;
}

/* Against the golden file of that name; TASKGEN_UPDATE=1 writes it. */
static inline void compare_golden(const char *name, struct bytes got)
{
    struct buf path, want;
    struct error *err = NULL;

    buf_init(&path, 4096);
    buf_init(&want, (size_t)1 << 28);
    buf_addf(&path, "%s/tests/data/report/%s.txt", TASKGEN_SOURCE_DIR, name);
    if (getenv("TASKGEN_UPDATE"))
        must(fs_write(buf_string(&path), got, &err), err);
    must(fs_read(buf_string(&path), (size_t)1 << 28, &want, &err), err);
    ck_assert_msg(bytes_equal(got, buf_bytes(&want)), "%s differs; got\n%.*s", buf_string(&path), BYTES_ARG(got));
    buf_release(&want);
    buf_release(&path);
}

#endif
