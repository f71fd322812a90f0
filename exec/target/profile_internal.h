/* A profile in memory; for profile*.c and the reader of stated results. */
#ifndef EXEC_TARGET_PROFILE_INTERNAL_H
#define EXEC_TARGET_PROFILE_INTERNAL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "exec/target/profile.h"

enum { PROFILE_OPS_MAX = 128, PROFILE_RESULTS_MAX = 8, PROFILE_TOOLS_MAX = 32 };

enum result_form {
    RESULT_TEXT,
    RESULT_BASE64,
    RESULT_NUMBER,
    RESULT_OCTAL,
    RESULT_LINES,
    RESULT_TRUE,
    RESULT_FALSE
};

struct profile_result {
    const char *name;         /* member of the op's result */
    const char *at;           /* JSON pointer into the tool's result; NULL: a pattern over its text */
    pcre2_code *pattern;
    const char *group;        /* of the pattern: the result's name, or NULL: the first */
    enum result_form form;
};

struct profile_op {
    const struct op *op;
    bool binary, none;        /* none: not to be had from this server, whatever the automatic map says */
    const char *tool;         /* NULL: the one that was found automatically, with `arguments` added */
    struct json *arguments;   /* template */
    unsigned languages;       /* of a run told as a script */
    bool base64;              /* text results are base64 */
    struct profile_result results[PROFILE_RESULTS_MAX];
    size_t result_count;
};

struct profile {
    struct arena arena;
    const char *name;
    const char *tools[PROFILE_TOOLS_MAX]; /* a server that has all of them is meant */
    size_t tool_count;
    struct profile_op ops[PROFILE_OPS_MAX];
    size_t op_count;
};

#endif
