/* Mcp-Param headers; see mcp_param.h. What the annotations mean is oracle/mirror.h's. */
#include "exec/target/mcp_param.h"

#include "exec/oracle/mirror.h"
#include "exec/target/mcp_modern.h"

void mcp_param_finish(struct mcp_tools *tools)
{
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < tools->count; i++) {
        struct mirror_param *list = NULL;
        const char *why;
        if (!tools->items[i].refused && !mirror_read(tools->items[i].input, &a, &list, &why))
            tools->items[i].refused = "tool has an x-mcp-header that there cannot be";
        tools->items[i].repeats = list != NULL;
    }
    arena_release(&a);
}

const char *const *mcp_param_headers(const struct mcp_tool *tool, const struct json *arguments, struct arena *a)
{
    struct mirror_param *list = NULL;
    const char *why;
    size_t count = 0;
    if (!tool || !tool->repeats || !mirror_read(tool->input, a, &list, &why))
        return NULL;
    for (const struct mirror_param *p = list; p; p = p->next)
        count++;
    const char **headers = arena_alloc(a, (count + 1) * sizeof *headers);
    size_t at = 0;
    for (const struct mirror_param *p = list; p; p = p->next) {
        struct bytes text;
        if (mirror_value(p, arguments, &text))
            headers[at++] = arena_printf(a, "Mcp-Param-%s: %s", p->name, mcp_header_text(a, text));
    }
    headers[at] = NULL;
    return headers;
}
