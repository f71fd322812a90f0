/* The map as a table for people: `taskgen targets --explain`. */
#include <stdio.h>
#include <string.h>

#include "exec/target/map.h"

/* "path=path content=content": each parameter and what it is given. */
static void add_value(struct buf *out, const struct json *value)
{
    const struct json *name = json_get(value, "$arg"), *as = json_get(value, "as");
    if (name) {
        add_visible(out, name->text, 40);
        bool plain = !as || bytes_equal_string(as->text, "value") || bytes_equal_string(as->text, "text") ||
                     bytes_equal_string(as->text, "path");
        if (!plain) {
            buf_add_byte(out, ':');
            add_visible(out, as->text, 20);
        }
        return;
    }
    if (json_is(value, JSON_ARRAY) && value->first && json_is(value->first, JSON_OBJECT)) {
        buf_add_byte(out, '[');
        bool single = json_get(value->first, "$arg");
        if (single)
            add_value(out, value->first);
        for (const struct json *one = single ? NULL : value->first->first; one; one = one->next) {
            add_visible(out, one->key, 40);
            buf_add_byte(out, '=');
            add_value(out, one);
            if (one->next)
                buf_add_byte(out, ' ');
        }
        buf_add_byte(out, ']');
        return;
    }
    struct buf text;
    buf_init(&text, 4096);
    json_write(&text, value, JSON_COMPACT);
    add_visible(out, buf_bytes(&text), 40);
    buf_release(&text);
}

static void add_arguments(struct buf *out, const struct op_map *map)
{
    for (const struct json *one = map->arguments->first; one; one = one->next) {
        buf_add_byte(out, ' ');
        add_visible(out, one->key, 40);
        buf_add_byte(out, '=');
        add_value(out, one);
    }
}

static void add_row(struct buf *out, const struct op_map *map)
{
    char name[48];
    snprintf(name, sizeof name, "%s%s", map->op->name, map->binary ? ":bytes" : "");
    buf_addf(out, "%-14s %.2f  %s", name, map->sure, map->tool->label);
    add_arguments(out, map);
    if (map->coding == CODING_BASE64)
        buf_add_string(out, " -> base64");
    buf_addf(out, "  (%s)\n", map->why);
}

static bool is_binary_only(const struct op *op)
{
    return strcmp(op->name, "upload") == 0 || strcmp(op->name, "download") == 0;
}

void tool_map_explain(const struct tool_map *m, const struct mcp_tools *tools, struct buf *out)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->text[i].tool)
            add_row(out, &m->text[i]);
        if (m->binary[i].tool)
            add_row(out, &m->binary[i]);
    }
    if (!m->mapped)
        buf_add_string(out, "no op maps to a tool; tools can be called by the op call\n");
    for (size_t i = 0; i < m->count; i++) {
        const struct op_map *map = is_binary_only(m->text[i].op) ? &m->binary[i] : &m->text[i];
        if (!map->tool && map->why)
            buf_addf(out, "%-14s no    %s\n", map->op->name, map->why);
    }
    for (size_t i = 0; i < tools->count; i++)
        if (tools->items[i].refused)
            buf_addf(out, "%s is not called: %s\n", tools->items[i].label, tools->items[i].refused);
}
