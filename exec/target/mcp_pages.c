/* Cursors of lists; see mcp_pages.h. */
#include "exec/target/mcp_pages.h"

#include "base/hash.h"

enum { CURSOR_MAX = 1 << 20 };

struct bytes mcp_pages_params(const struct mcp_pages *p, struct arena *a)
{
    if (!p->cursor)
        return BYTES_LITERAL("{}");
    struct buf text;
    buf_init(&text, 8 * CURSOR_MAX);
    buf_add_string(&text, "{\"cursor\":");
    json_write(&text, p->cursor, JSON_COMPACT);
    buf_add_string(&text, "}");
    struct bytes params = arena_copy(a, buf_bytes(&text));
    buf_release(&text);
    return params;
}

bool mcp_pages_next(struct mcp_pages *p, const struct json *result)
{
    const struct json *next = json_get(result, "nextCursor");
    p->cursor = NULL;
    if (!json_is(next, JSON_STRING) || next->text.len > CURSOR_MAX || p->count + 1 >= MCP_PAGES_MAX)
        return false;
    uint64_t hash = hash64(next->text);
    for (size_t i = 0; i < p->count; i++)
        if (p->seen[i] == hash)
            return false;
    p->seen[p->count++] = hash;
    p->cursor = next;
    return true;
}
