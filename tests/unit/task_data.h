/* Files of tests/data/task, read whole and line by line. */
#ifndef TESTS_UNIT_TASK_DATA_H
#define TESTS_UNIT_TASK_DATA_H

#include "task_case.h"

#define DATA TASKGEN_SOURCE_DIR "/tests/data/task/"

static struct buf file_text;

/* A data file's text; kept until the process ends. */
static inline struct bytes data_file(const char *name)
{
    struct error *err = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s%s", DATA, name);
    buf_init(&file_text, 1 << 24);
    ck_assert_msg(fs_read(path, 1 << 24, &file_text, &err) == 0, "%s", err ? err->text : "?");
    return buf_bytes(&file_text);
}

static inline bool next_line(struct bytes *rest, struct bytes *line)
{
    ptrdiff_t end = bytes_find(*rest, BYTES_LITERAL("\n"), 0);
    if (end < 0)
        return false;
    *line = bytes_slice(*rest, 0, (size_t)end);
    *rest = bytes_slice(*rest, (size_t)end + 1, rest->len);
    return true;
}

#endif
