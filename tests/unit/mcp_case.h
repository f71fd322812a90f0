/* What the tests of the MCP driver's parts share: the ops, recorded tool lists, golden files. */
#ifndef TESTS_UNIT_MCP_CASE_H
#define TESTS_UNIT_MCP_CASE_H

#include <dirent.h>
#include <stdio.h>

#include "base/fs.h"
#include "base/json.h"
#include "exec/target/map.h"
#include "exec/target/mcp_tools.h"
#include "grammar/ops.h"
#include "unit.h"

#define MCP_DATA TASKGEN_SOURCE_DIR "/tests/data/mcp/"

static inline struct ops *load_ops(void)
{
    struct ops *ops = NULL;
    struct error *err = NULL;
    ck_assert_msg(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err) == 0, "%s",
                  err ? err->text : "");
    return ops;
}

/* A whole file; the buffer is the caller's. */
static inline void load_file(const char *path, struct buf *text)
{
    struct error *err = NULL;
    buf_init(text, 64 << 20);
    ck_assert_msg(fs_read(path, 64 << 20, text, &err) == 0, "%s", err ? err->text : "");
}

static inline struct json *load_json(struct arena *a, const char *path)
{
    struct buf text;
    struct json *value = NULL;
    struct error *err = NULL;
    load_file(path, &text);
    ck_assert_msg(json_read(a, buf_bytes(&text), NULL, path, &value, NULL, &err) == 0, "%s",
                  err ? err->text : "");
    buf_release(&text);
    return value;
}

/* A recorded tools/list: {"serverInfo":…,"tools":[…]}. */
static inline void load_tools(struct mcp_tools *tools, const char *path)
{
    struct arena a;
    arena_init(&a);
    mcp_tools_init(tools);
    ck_assert(mcp_tools_add(tools, json_get(load_json(&a, path), "tools")));
    arena_release(&a);
}

/* Compares with a file of expected text. TASKGEN_UPDATE=1 in the environment writes it instead: read the
 * difference. */
static inline void check_golden(const char *path, struct bytes got)
{
    struct error *err = NULL;
    if (getenv("TASKGEN_UPDATE")) {
        ck_assert_msg(fs_write(path, got, &err) == 0, "%s", err ? err->text : "");
        return;
    }
    struct buf expected;
    load_file(path, &expected);
    ck_assert_msg(bytes_equal(got, buf_bytes(&expected)), "%s differs; now it is:\n%.*s", path,
                  BYTES_ARG(got));
    buf_release(&expected);
}

#endif
