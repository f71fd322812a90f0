/* The tools that tasks may call, told on as text: what tools/list said, without the tools that may not be
 * called. */
#include "exec/target/mcp_catalog.h"

static bool carries_op(const struct tool_map *map, const struct mcp_tool *tool)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->text[i].tool == tool || map->binary[i].tool == tool)
            return true;
    return false;
}

static struct json *entry_of(struct arena *a, const struct mcp_tool *tool)
{
    struct json *entry = json_new(a, JSON_OBJECT);
    json_set(a, entry, "name", json_string(a, tool->name));
    if (tool->description.len)
        json_set(a, entry, "description", json_string(a, tool->description));
    if (tool->input)
        json_set(a, entry, "inputSchema", json_copy(a, tool->input));
    if (tool->output)
        json_set(a, entry, "outputSchema", json_copy(a, tool->output));
    if (tool->says_read_only) {
        struct json *notes = json_set(a, entry, "annotations", json_new(a, JSON_OBJECT));
        json_set(a, notes, "readOnlyHint", json_bool(a, true));
    }
    return entry;
}

bool mcp_tool_list(struct session *s, struct buf *out, struct target_tools *facts)
{
    struct mcp_driver *state = s->driver_state;
    const struct mcp_catalog *catalog = mcp_catalog_of(state);
    const struct mcp_tools *tools = &state->server.tools;
    struct arena a;
    arena_init(&a);
    struct json *whole = json_new(&a, JSON_OBJECT);
    struct json *list = json_set(&a, whole, "tools", json_new(&a, JSON_ARRAY));
    facts->listed = tools->count;
    facts->stateless = state->server.modern;
    facts->over_http = state->over_http;
    for (size_t i = 0; i < tools->count; i++) {
        if (tools->items[i].refused || !tools->items[i].name.len)
            continue;
        facts->callable++;
        facts->without_op += !carries_op(&state->map, &tools->items[i]);
        json_add(list, entry_of(&a, &tools->items[i]));
    }
    for (size_t i = 0; i < state->map.count; i++)
        facts->mapped_ops += state->map.text[i].tool || state->map.binary[i].tool;
    mcp_catalog_add(catalog, &state->server, &a, whole);
    for (size_t i = 0; i < CATALOG_LISTS; i++)
        facts->things += catalog->lists[i].items->count;
    json_write(out, whole, JSON_COMPACT);
    arena_release(&a);
    return true;
}
