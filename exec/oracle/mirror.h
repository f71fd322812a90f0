/* x-mcp-header: which arguments of a tool a client repeats in HTTP headers, as the tool's schema says (2026-07-28). */
#ifndef EXEC_ORACLE_MIRROR_H
#define EXEC_ORACLE_MIRROR_H

#include "base/json.h"

enum { MIRROR_DEPTH = 32 };

/* One argument: Mcp-Param-NAME repeats what stands at `path`, names of members from the outside in. */
struct mirror_param {
    struct mirror_param *next;
    const char *name;
    struct bytes path[MIRROR_DEPTH];
    size_t depth;
};

/* The annotations of a tool's inputSchema. False: one of them breaks a rule, which *why says; such a tool is not for use over HTTP. */
bool mirror_read(const struct json *schema, struct arena *a, struct mirror_param **list, const char **why);
/* What stands at an argument's place, as the text that is repeated. False: nothing that could be. */
bool mirror_value(const struct mirror_param *p, const struct json *arguments, struct bytes *text);

#endif
