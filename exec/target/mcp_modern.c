/* Envelopes and header values; see mcp_modern.h. */
#include "exec/target/mcp_modern.h"

#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "exec/target/mcp_json.h"
#include "exec/target/strings.h"

enum { TEXT_MAX = INT32_MAX };

bool mcp_modern_code(int64_t code)
{
    return code == MCP_HEADER_MISMATCH || code == MCP_MISSING_CAPABILITY || code == MCP_UNSUPPORTED_VERSION;
}

void mcp_envelope_set(struct mcp_envelope *e, const char *version, const char *capabilities)
{
    mcp_envelope_release(e);
    if (!version)
        return;
    e->version = xstrdup(version);
    e->members = strings_printf("\"" MCP_META "protocolVersion\":\"%s\",\"" MCP_META "clientCapabilities\":%s,"
                                "\"" MCP_META "clientInfo\":{\"name\":\"taskgen\",\"version\":\"" TASKGEN_VERSION "\"}",
                                version, capabilities);
}

void mcp_envelope_release(struct mcp_envelope *e)
{
    free(e->version);
    free(e->members);
    *e = (struct mcp_envelope){0};
}

/* --- params --- */

/* Ours first, then theirs, which are left out of ours. */
static struct json *merged(const struct mcp_envelope *e, const struct json *theirs, struct arena *a)
{
    struct json *meta = NULL;
    const char *ours = arena_printf(a, "{%s}", e->members);
    if (mcp_json_read(a, bytes_of_string(ours), &meta) != MCP_JSON_OK)
        return json_copy(a, theirs);
    for (const struct json *one = theirs->first; one; one = one->next) {
        struct json *same = json_get_bytes(meta, one->key);
        if (same)
            json_remove(meta, same);
        json_set_bytes(a, meta, one->key, json_copy(a, one));
    }
    return meta;
}

/* Params that may have a _meta of their own. False: they have none, or are no object. */
static bool write_merged(const struct mcp_envelope *e, struct bytes params, struct buf *out)
{
    struct arena a;
    struct json *value = NULL;
    arena_init(&a);
    bool read = mcp_json_read(&a, params, &value) == MCP_JSON_OK && json_is(value, JSON_OBJECT);
    struct json *meta = read ? json_get(value, "_meta") : NULL;
    if (meta) {
        if (json_is(meta, JSON_OBJECT))
            json_replace(meta, merged(e, meta, &a));
        json_write(out, value, JSON_COMPACT);
    }
    arena_release(&a);
    return meta != NULL;
}

void mcp_envelope_params(const struct mcp_envelope *e, struct bytes params, struct buf *out)
{
    bool object = params.len >= 2 && params.data[0] == '{' && params.data[params.len - 1] == '}';
    buf_add_string(out, ",\"params\":");
    if (params.len && !object) {
        buf_add(out, params);
        return;
    }
    if (bytes_find(params, BYTES_LITERAL("\"_meta\""), 0) >= 0 && write_merged(e, params, out))
        return;
    size_t first = 1;
    while (first < params.len && strchr(" \t\r\n", params.data[first]) && params.data[first])
        first++;
    bool empty = !object || params.data[first] == '}';
    buf_add_string(out, "{\"_meta\":{");
    buf_add_string(out, e->members);
    buf_add_string(out, empty ? "}" : "},");
    if (object)
        buf_add(out, bytes_slice(params, 1, params.len));
    else
        buf_add_byte(out, '}');
}

/* --- headers --- */

static bool is_plain(struct bytes text)
{
    static const struct bytes prefix = {(const uint8_t *)"=?base64?", 9}, suffix = {(const uint8_t *)"?=", 2};
    if (bytes_starts(text, prefix) && bytes_ends(text, suffix))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool edge = i == 0 || i + 1 == text.len;
        if (text.data[i] < (edge ? 0x21 : 0x20) || text.data[i] > 0x7e)
            return false;
    }
    return text.len > 0;
}

void mcp_header_value(struct buf *out, struct bytes text)
{
    if (is_plain(text)) {
        buf_add(out, text);
        return;
    }
    buf_add_string(out, "=?base64?");
    base64_encode(out, text);
    buf_add_string(out, "?=");
}

const char *mcp_header_text(struct arena *a, struct bytes text)
{
    struct buf out;
    buf_init(&out, TEXT_MAX);
    mcp_header_value(&out, text);
    const char *copy = arena_string(a, buf_bytes(&out));
    buf_release(&out);
    return copy;
}

static const char *header_of(const struct json *value, struct arena *a)
{
    return json_is(value, JSON_STRING) ? mcp_header_text(a, value->text) : NULL;
}

void mcp_mirror_read(struct bytes body, struct arena *a, struct mcp_mirror *out)
{
    struct json *message = NULL;
    *out = (struct mcp_mirror){0};
    if (mcp_json_read(a, body, &message) != MCP_JSON_OK)
        return;
    const struct json *params = json_get(message, "params"), *method = json_get(message, "method");
    out->version = header_of(json_get(json_get(params, "_meta"), MCP_META "protocolVersion"), a);
    out->method = header_of(method, a);
    const char *named = bytes_equal_string(json_as_text(method), "resources/read") ? "uri"
                        : bytes_equal_string(json_as_text(method), "tools/call") ||
                                bytes_equal_string(json_as_text(method), "prompts/get")
                            ? "name"
                            : NULL;
    out->name = named ? header_of(json_get(params, named), a) : NULL;
}
