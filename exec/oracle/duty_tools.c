/* Duties of tools: the list, and what calls bring. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

static void look_at_list(struct duty_watch *w, const struct json *result, struct bytes line)
{
    const struct json *tools = json_get(result, "tools");
    if (w->capabilities && !json_get(w->capabilities, "tools") && tools && tools->first)
        duty_say(w, 67, "tools without the capability", line);
    for (const struct json *tool = tools ? tools->first : NULL; tool; tool = tool->next) {
        const struct json *schema = json_get(tool, "inputSchema");
        if (!json_is(schema, JSON_OBJECT))
            duty_say(w, 68, schema ? "inputSchema is no object" : "no inputSchema", line);
    }
}

void duty_tools_result(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line)
{
    if (strcmp(r->method, "tools/list") == 0)
        look_at_list(w, result, line);
}
