/* The list that clients see, with the schemas made from the table of tools. */
#include "leakybox/tools.h"

static struct json *describe_arg(struct arena *a, const struct tool_arg *arg)
{
    static const char *const types[] = {
        [ARG_TEXT] = "string",  [ARG_PATH] = "string", [ARG_LINE] = "string",   [ARG_COUNT] = "integer",
        [ARG_FLAG] = "boolean", [ARG_MAP] = "object",  [ARG_CHOICE] = "string",
    };
    struct json *schema = json_new(a, JSON_OBJECT), *values;

    json_set(a, schema, "type", json_text(a, types[arg->type]));
    json_set(a, schema, "description", json_text(a, arg->doc));
    if (arg->type == ARG_COUNT) {
        json_set(a, schema, "minimum", json_integer(a, arg->low));
        if (arg->high != ARG_NO_HIGH)
            json_set(a, schema, "maximum", json_integer(a, arg->high));
    }
    if (arg->type == ARG_MAP) {
        values = json_set(a, schema, "additionalProperties", json_new(a, JSON_OBJECT));
        json_set(a, values, "type", json_text(a, "string"));
    }
    if (arg->type == ARG_CHOICE) {
        values = json_set(a, schema, "enum", json_new(a, JSON_ARRAY));
        for (const char *const *choice = arg->choices; *choice; choice++)
            json_add(values, json_text(a, *choice));
    }
    return schema;
}

static struct json *describe_results(struct arena *a, const struct tool_result *results, size_t count);

static struct json *describe_result(struct arena *a, const struct tool_result *result)
{
    static const char *const types[] = {
        [RESULT_TEXT] = "string", [RESULT_COUNT] = "integer", [RESULT_FLAG] = "boolean",
        [RESULT_KIND] = "string", [RESULT_ENTRIES] = "array",
    };
    static const char *const kinds[] = {"file", "directory", "link", "other"};
    static const struct tool_result entry[] = {
        {"name", RESULT_TEXT, false, NULL},
        {"name_base64", RESULT_TEXT, false, "instead of name, when it is not UTF-8"},
        {"kind", RESULT_KIND, true, NULL},
    };
    struct json *schema = json_new(a, JSON_OBJECT), *values;

    json_set(a, schema, "type", json_text(a, types[result->type]));
    if (result->doc)
        json_set(a, schema, "description", json_text(a, result->doc));
    if (result->type == RESULT_KIND) {
        values = json_set(a, schema, "enum", json_new(a, JSON_ARRAY));
        for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
            json_add(values, json_text(a, kinds[i]));
    }
    if (result->type == RESULT_ENTRIES)
        json_set(a, schema, "items", describe_results(a, entry, sizeof(entry) / sizeof(*entry)));
    return schema;
}

static struct json *describe_results(struct arena *a, const struct tool_result *results, size_t count)
{
    struct json *schema = json_new(a, JSON_OBJECT), *properties, *required;

    json_set(a, schema, "type", json_text(a, "object"));
    properties = json_set(a, schema, "properties", json_new(a, JSON_OBJECT));
    required = json_set(a, schema, "required", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < count; i++) {
        json_set(a, properties, results[i].name, describe_result(a, &results[i]));
        if (results[i].required)
            json_add(required, json_text(a, results[i].name));
    }
    return schema;
}

static struct json *describe_tool(struct arena *a, const struct tool *tool)
{
    struct json *t = json_new(a, JSON_OBJECT), *schema, *properties, *required, *hints;

    json_set(a, t, "name", json_text(a, tool->name));
    json_set(a, t, "title", json_text(a, tool->title));
    json_set(a, t, "description", json_text(a, tool->doc));
    schema = json_set(a, t, "inputSchema", json_new(a, JSON_OBJECT));
    json_set(a, schema, "type", json_text(a, "object"));
    properties = json_set(a, schema, "properties", json_new(a, JSON_OBJECT));
    required = json_set(a, schema, "required", json_new(a, JSON_ARRAY));
    json_set(a, schema, "additionalProperties", json_bool(a, false));
    for (size_t i = 0; i < tool->arg_count; i++) {
        json_set(a, properties, tool->args[i].name, describe_arg(a, &tool->args[i]));
        if (tool->args[i].required)
            json_add(required, json_text(a, tool->args[i].name));
    }
    if (tool->result_count)
        json_set(a, t, "outputSchema", describe_results(a, tool->results, tool->result_count));
    hints = json_set(a, t, "annotations", json_new(a, JSON_OBJECT));
    json_set(a, hints, "readOnlyHint", json_bool(a, tool->hints & TOOL_READS));
    json_set(a, hints, "destructiveHint", json_bool(a, tool->hints & TOOL_DESTROYS));
    json_set(a, hints, "idempotentHint", json_bool(a, tool->hints & (TOOL_IDEMPOTENT | TOOL_READS)));
    json_set(a, hints, "openWorldHint", json_bool(a, tool->hints & TOOL_OPEN_WORLD));
    return t;
}

struct json *tools_describe(struct arena *a)
{
    struct json *list = json_new(a, JSON_ARRAY);
    const struct tool *tool;

    for (size_t i = 0; (tool = tool_at(i)); i++)
        json_add(list, describe_tool(a, tool));
    return list;
}
