/* Duties of tools: the list, and what calls bring. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

enum { NAME_MAX_LENGTH = 128, SCHEMA_MAX = 1 << 20, PARAMS_SMALL = 512 };

/* --- the list --- */

static void look_at_name(struct duty_watch *w, const struct json *name, struct bytes line)
{
    if (!json_is(name, JSON_STRING)) {
        duty_say(w, 68, "a tool without a name", line);
        return;
    }
    if (!duty_since(w, "2025-11-25"))
        return;
    bool fine = name->text.len > 0 && name->text.len <= NAME_MAX_LENGTH;
    for (size_t i = 0; fine && i < name->text.len; i++) {
        uint8_t c = name->text.data[i];
        fine = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-' || c == '.';
    }
    if (!fine)
        duty_say_should(w, 74, "a tool's name of other characters or length", line);
}

static void look_at_schemas(struct duty_watch *w, const struct json *tool, struct bytes line)
{
    const struct json *input = json_get(tool, "inputSchema"), *output = json_get(tool, "outputSchema");
    if (!json_is(input, JSON_OBJECT))
        duty_say(w, 68, input ? "inputSchema is no object" : "no inputSchema", line);
    else if (!bytes_equal_string(json_as_text(json_get(input, "type")), "object"))
        duty_say(w, 68, "inputSchema is not of type object", line);
    else
        duty_schema_look(w, input, line);
    if (!output || !duty_since(w, "2025-06-18"))
        return;
    if (!json_is(output, JSON_OBJECT))
        duty_say(w, 68, "outputSchema is no object", line);
    else
        duty_schema_look(w, output, line);
}

/* 0.3 is three times 0.1, but not by doubles. */
static bool steps_by_fractions(struct bytes schema)
{
    static const struct bytes key = {(const uint8_t *)"\"multipleOf\":", 13};
    for (ptrdiff_t at = bytes_find(schema, key, 0); at >= 0; at = bytes_find(schema, key, (size_t)at + 1))
        for (size_t i = (size_t)at + key.len; i < schema.len && schema.data[i] != ',' && schema.data[i] != '}'; i++)
            if (strchr(".eE", schema.data[i]) && schema.data[i])
                return true;
    return false;
}

/* The output schema as a book of its own; NULL when calls cannot be held against it. */
static struct schema_book *output_book(const struct json *tool)
{
    const struct json *output = json_get(tool, "outputSchema");
    struct schema_book *book = NULL;
    struct buf text;
    if (!json_is(output, JSON_OBJECT) || !duty_schema_dialect_known(output))
        return NULL;
    buf_init(&text, SCHEMA_MAX);
    json_write(&text, output, JSON_COMPACT);
    if (text.overflow || steps_by_fractions(buf_bytes(&text)) || schema_book_new(buf_bytes(&text), &book, NULL) < 0)
        book = NULL;
    buf_release(&text);
    return book;
}

/* `page` counts the pages read; a name that stood in an earlier one has been listed anew. */
static void remember(struct duty_watch *w, const struct json *tool, struct bytes line)
{
    const struct json *name = json_get(tool, "name");
    struct duty_name *known = json_is(name, JSON_STRING) ? duty_names_add(&w->tools.names, name->text) : NULL;
    if (!known)
        return;
    if (known->page == w->tools.pages && duty_since(w, "2025-11-25"))
        duty_say_should(w, 74, "two tools of one name", line);
    known->page = w->tools.pages;
    known->value = duty_task_support_of(tool);
    schema_book_free(known->book);
    known->book = duty_since(w, "2025-06-18") ? output_book(tool) : NULL;
    w->demanding = w->demanding || known->book || known->value == DUTY_TASK_REQUIRED;
}

void duty_look_tools(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *tools = json_get(reply->result, "tools"),
                      *cursor = json_get(duty_params(w, r), "cursor");
    bool declared = !w->capabilities || duty_declared(w, "/tools");
    if (reply->error) {
        if (w->capabilities && declared && reply->code == -32601)
            duty_say(w, 67, "declares tools and does not list them", reply->line);
        return;
    }
    if (!json_is(tools, JSON_ARRAY)) {
        duty_say(w, 67, "a list of tools without tools", reply->line);
        return;
    }
    if (!declared && tools->first)
        duty_say(w, 67, "tools without the capability", reply->line);
    if (!cursor) {
        duty_names_clear(&w->tools.names);
        w->demanding = false;
    }
    w->tools.pages++;
    for (const struct json *tool = tools->first; tool; tool = tool->next) {
        look_at_name(w, json_get(tool, "name"), reply->line);
        look_at_schemas(w, tool, reply->line);
        remember(w, tool, reply->line);
    }
    duty_list_ends(&w->tools, reply);
}

/* --- calls --- */

static void look_at_structured(struct duty_watch *w, const struct duty_name *tool, const struct json *result,
                               struct bytes line)
{
    const struct json *structured = json_get(result, "structuredContent");
    bool failed = json_is(json_get(result, "isError"), JSON_TRUE);
    if (!duty_since(w, "2025-06-18"))
        return;
    if (structured && !json_is(structured, JSON_OBJECT) && !duty_since(w, "2026-07-28"))
        duty_say(w, 70, "structuredContent is no object", line);
    if (!tool || !tool->book || failed)
        return;
    const struct json *schema = schema_book_document(tool->book);
    if (!structured)
        duty_say(w, 70, "no structuredContent where there is an outputSchema", line);
    else if (schema_check(tool->book, schema, schema, structured) == SCHEMA_REJECTS)
        duty_say(w, 70, "structuredContent that its outputSchema rejects", line);
}

void duty_call_result(struct duty_watch *w, struct bytes name, const struct json *result, struct bytes line)
{
    const struct json *failed = json_get(result, "isError");
    duty_content_blocks(w, 73, json_get(result, "content"), line);
    if (failed && !json_is(failed, JSON_TRUE) && !json_is(failed, JSON_FALSE))
        duty_say(w, 73, "isError is no boolean", line);
    look_at_structured(w, name.len ? duty_names_find(&w->tools.names, name) : NULL, result, line);
}

/* A name that no tool has. */
static void look_at_unknown(struct duty_watch *w, const struct duty_reply *reply)
{
    if (reply->error && reply->code != -32602)
        duty_say_should(w, 72, "an unknown tool: another code than -32602", reply->line);
    else if (json_is(json_get(reply->result, "isError"), JSON_TRUE))
        duty_say_should(w, 72, "an unknown tool: an error of the tool, not of the protocol", reply->line);
    else if (reply->result)
        duty_say_should(w, 72, "a call of a tool that is not listed succeeds", reply->line);
}

/* A call that names no tool is malformed. */
static void look_at_nameless(struct duty_watch *w, const struct duty_reply *reply)
{
    if (reply->error && reply->code != -32602)
        duty_say_should(w, 72, "a call that names no tool: another code than -32602", reply->line);
    else if (json_is(json_get(reply->result, "isError"), JSON_TRUE))
        duty_say_should(w, 72, "a call that names no tool: an error of the tool, not of the protocol", reply->line);
    else if (reply->result)
        duty_say(w, 72, "a call that names no tool succeeds", reply->line);
}

/* Where a tool exists, wrong arguments are the tool's to refuse. */
static void look_at_refusal(struct duty_watch *w, const struct json *params, const struct duty_reply *reply)
{
    const struct json *name = json_get(params, "name");
    bool sound = json_is(json_get(params, "arguments"), JSON_OBJECT) && !json_get(params, "task");
    if (!params)
        return;
    if (!json_is(name, JSON_STRING))
        look_at_nameless(w, reply);
    else if (!duty_names_find(&w->tools.names, name->text) && w->tools.complete)
        look_at_unknown(w, reply);
    else if (sound && w->tools.complete && reply->code == -32602 && duty_since(w, "2025-11-25"))
        duty_say_should(w, 72, "wrong arguments: an error of the protocol, not of the tool", reply->line);
}

/* Params that are long are read only where something depends on them: most servers' tools have no output schemas, and most
 * calls succeed. */
static bool needs_params(const struct duty_watch *w, const struct duty_request *r,
                         const struct duty_reply *reply)
{
    return w->demanding || r->length <= PARAMS_SMALL || !reply->result || json_get(reply->result, "task") ||
           json_is(json_get(reply->result, "isError"), JSON_TRUE) ||
           bytes_find(bytes_of(r->params, r->length), BYTES_LITERAL("\"task\""), 0) >= 0;
}

void duty_look_call(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *params = needs_params(w, r, reply) ? duty_params(w, r) : NULL;
    look_at_refusal(w, params, reply);
    if (duty_task_call(w, params, reply) || !reply->result)
        return;
    duty_call_result(w, json_as_text(json_get(params, "name")), reply->result, reply->line);
}
