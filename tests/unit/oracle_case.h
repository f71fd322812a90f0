/* Reading the data files of the oracles' tests. */
#ifndef TESTS_UNIT_ORACLE_CASE_H
#define TESTS_UNIT_ORACLE_CASE_H

#include "base/encode.h"
#include "base/fs.h"
#include "exec/oracle/check.h"
#include "unit.h"

#define ORACLE_DATA TASKGEN_SOURCE_DIR "/tests/data/oracle"

static inline struct json *oracle_load(struct arena *a, const char *path)
{
    struct buf text;
    struct json *value;
    struct error *err = NULL;
    buf_init(&text, 64 << 20);
    ck_assert_msg(fs_read(path, 64 << 20, &text, &err) == 0, "%s", err ? err->text : "");
    struct bytes kept = arena_copy(a, buf_bytes(&text));
    ck_assert_msg(json_read(a, kept, NULL, path, &value, NULL, &err) == 0, "%s", err ? err->text : "");
    buf_release(&text);
    return value;
}

/* A string, or {"hex":…}. */
static inline struct bytes oracle_bytes(struct arena *a, const struct json *value)
{
    if (!json_is(value, JSON_OBJECT))
        return json_as_text(value);
    struct buf data;
    buf_init(&data, 1 << 20);
    ck_assert_int_eq(hex_decode(&data, json_as_text(json_get(value, "hex"))), 0);
    struct bytes kept = arena_copy(a, buf_bytes(&data));
    buf_release(&data);
    return kept;
}

static inline struct ops *oracle_ops(void)
{
    struct ops *ops;
    struct error *err = NULL;
    ck_assert_msg(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err) == 0, "%s",
                  err ? err->text : "");
    return ops;
}

#endif
