/* Reading JSON that a server sent, within bounds: a line of commas must not become gigabytes of values. */
#ifndef EXEC_TARGET_MCP_JSON_H
#define EXEC_TARGET_MCP_JSON_H

#include "base/json.h"

enum mcp_json_status { MCP_JSON_OK, MCP_JSON_BAD, MCP_JSON_TOO_MANY };
enum { MCP_JSON_VALUES_MAX = 2000000 }; /* values in one text; some 300 MB in memory */

/* Keeps invalid UTF-8 inside strings and marks it. The value lives in the arena. */
enum mcp_json_status mcp_json_read(struct arena *a, struct bytes text, struct json **value);

/* The last member of the object whose name, without regard to case, "_", "-" and blanks, is one of
 * "exitcode|status"; NULL. */
const struct json *json_member(const struct json *object, const char *names);
/* Is this name one of them, in the same way? */
bool name_among(struct bytes name, const char *names);
/* An integer, or a string that is one (blanks around it and one unit word behind it allowed). */
bool json_lenient_integer(const struct json *value, int64_t *out);

/* Does the text have the word in it (lower case ASCII), in any case? */
bool text_mentions(struct bytes text, const char *word);

#endif
