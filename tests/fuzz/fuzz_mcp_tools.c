/* Tool lists: names, descriptions and schemas of any shape, mapped to every op and explained. The input is
 * the array. */
#include <stdlib.h>

#include "exec/target/map.h"
#include "exec/target/map_fill.h"
#include "exec/target/mcp_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct bytes spell(void *context, struct bytes path, const char *as, struct arena *a)
{
    return path;
}

static void fill_all(const struct tool_map *map, const struct json *args, struct arena *a)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct op_map *each[] = {&map->text[i], &map->binary[i]};
        for (int k = 0; k < 2; k++) {
            struct map_fill f = {.args = args, .timeout_ms = 1000, .spell = spell, .arena = a};
            if (each[k]->tool && !map_fill(each[k], &f) == !f.missing)
                abort(); /* arguments, or a reason why not */
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ops *ops;
    if (!ops && ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL) < 0)
        abort();
    struct arena a;
    struct json *array = NULL, *args = NULL;
    struct mcp_tools tools;
    arena_init(&a);
    mcp_tools_init(&tools);
    static const char arguments[] =
        "{\"path\":\"a\",\"to\":\"b\",\"content\":\"c\",\"old\":\"o\",\"new\":\"n\",\"pattern\":\"*.*\","
        "\"mode\":420,\"pid\":7,\"url\":\"u\",\"argv\":[\"x\"]}";
    json_read(&a, bytes_of_string(arguments), NULL, "", &args, NULL, NULL);
    if (mcp_json_read(&a, bytes_of(data, size), &array) == MCP_JSON_OK && mcp_tools_add(&tools, array)) {
        struct tool_map map;
        struct buf text;
        mcp_tools_finish(&tools, NULL, NULL, true);
        tool_map_init(&map, &tools, ops, NULL);
        buf_init(&text, 1 << 22);
        tool_map_explain(&map, &tools, &text);
        fill_all(&map, args, &a);
        buf_release(&text);
        tool_map_release(&map);
    }
    mcp_tools_release(&tools);
    arena_release(&a);
    return 0;
}
