/* The gate of tools; see mcp_gate.h.
 *
 * Names in raw bytes are compared after the escapes that JSON allows in a string were undone, so that
 * "\u0064elete" is no way around. Bytes that no server can take for a call pass: what is mutated on the wire is the business of
 * the task, and a refused name that was broken names no tool. */
#include "exec/target/mcp_gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/encode.h"

enum { UNFINISHED_MAX = 1 << 20 };

void mcp_gate_init(struct mcp_gate *g, const struct mcp_tools *tools, const char *const *only, const char *const *exclude)
{
    *g = (struct mcp_gate){.tools = tools, .only = only, .exclude = exclude};
    buf_init(&g->unfinished, UNFINISHED_MAX);
}

void mcp_gate_release(struct mcp_gate *g)
{
    buf_release(&g->unfinished);
}

/* Is there anything that is not called? */
static bool restricts(const struct mcp_gate *g)
{
    bool any = (g->only && *g->only) || (g->exclude && *g->exclude);
    for (size_t i = 0; i < g->tools->count && !any; i++)
        any = g->tools->items[i].refused != NULL;
    return any;
}

/* The character that \uXXXX at the start of `text` stands for, when it is ASCII; else -1. */
static int escaped_ascii(struct bytes text)
{
    struct buf two;
    int value = -1;
    buf_init(&two, 2);
    if (text.len >= 6 && text.data[1] == 'u' && hex_decode(&two, bytes_slice(text, 2, 6)) == 0 && two.len == 2 && two.data[0] == 0 &&
        two.data[1] < 0x80)
        value = two.data[1];
    buf_release(&two);
    return value;
}

/* Undoes \uXXXX of ASCII and \/, the escapes that another writing of the same name may have. A quote that is escaped stays so. */
static void plain_names(struct bytes raw, struct buf *out)
{
    for (size_t at = 0; at < raw.len;) {
        struct bytes rest = bytes_slice(raw, at, raw.len);
        int value = rest.data[0] == '\\' ? escaped_ascii(rest) : -1;
        if (value >= 0 && value != '"' && value != '\\') {
            buf_add_byte(out, (uint8_t)value);
            at += 6;
        } else if (rest.len > 1 && rest.data[0] == '\\' && rest.data[1] == '/') {
            buf_add_byte(out, '/');
            at += 2;
        } else {
            buf_add_byte(out, rest.data[0]);
            at++;
        }
    }
}

/* Does the name stand there as a string? */
static bool quotes(struct bytes text, struct bytes name)
{
    struct buf quoted;
    buf_init(&quoted, name.len + 2);
    buf_add_byte(&quoted, '"');
    buf_add(&quoted, name);
    buf_add_byte(&quoted, '"');
    bool there = name.len && bytes_find(text, buf_bytes(&quoted), 0) >= 0;
    buf_release(&quoted);
    return there;
}

static size_t skip_space(struct bytes text, size_t at)
{
    while (at < text.len && text.data[at] && strchr(" \t\r\n", text.data[at]))
        at++;
    return at;
}

/* The refusal of any name that a call in the text may mean: the value of any member that is called so. */
static const char *refused_member(const struct mcp_gate *g, struct bytes text)
{
    static const struct bytes key = BYTES_LITERAL("\"name\"");
    for (ptrdiff_t found = bytes_find(text, key, 0); found >= 0; found = bytes_find(text, key, (size_t)found + 1)) {
        size_t at = skip_space(text, (size_t)found + key.len);
        if (at == text.len || text.data[at] != ':')
            continue;
        at = skip_space(text, at + 1);
        if (at == text.len || text.data[at] != '"')
            continue;
        ptrdiff_t end = bytes_find(text, BYTES_LITERAL("\""), at + 1);
        struct bytes name = bytes_slice(text, at + 1, end < 0 ? text.len : (size_t)end);
        const char *refused = mcp_tools_refusal(g->tools, name, g->only, g->exclude);
        if (refused)
            return refused;
    }
    return NULL;
}

static const char *refused_in(const struct mcp_gate *g, struct bytes raw)
{
    const char *refused = NULL;
    struct buf plain;
    buf_init(&plain, raw.len);
    plain_names(raw, &plain);
    struct bytes text = buf_bytes(&plain);
    for (size_t i = 0; i < g->tools->count && !refused; i++)
        if (g->tools->items[i].refused && quotes(text, g->tools->items[i].name))
            refused = g->tools->items[i].refused;
    if (!refused && bytes_find(text, BYTES_LITERAL("tools/call"), 0) >= 0)
        refused = refused_member(g, text);
    buf_release(&plain);
    return refused;
}

const char *mcp_gate_raw(struct mcp_gate *g, struct bytes raw)
{
    if (!restricts(g))
        return NULL;
    struct buf line;
    buf_init(&line, UNFINISHED_MAX + raw.len);
    buf_add(&line, buf_bytes(&g->unfinished));
    buf_add(&line, raw);
    struct bytes text = buf_bytes(&line);
    const char *refused = refused_in(g, text);
    if (!refused) {
        size_t from = text.len;
        while (from && text.data[from - 1] != '\n')
            from--;
        if (text.len - from > UNFINISHED_MAX) {
            refused = "raw bytes without an end of the line, too many to look through for tools that are left out";
        } else {
            buf_clear(&g->unfinished);
            buf_add(&g->unfinished, bytes_slice(text, from, text.len));
        }
    }
    buf_release(&line);
    return refused;
}

static bool has_raw(const struct json *value)
{
    for (const struct json *v = value; v;) {
        if (v->kind == JSON_RAW)
            return true;
        v = json_next(value, v, true);
    }
    return false;
}

const char *mcp_gate_call(struct mcp_gate *g, const struct json *name, const struct json *arguments)
{
    const char *refused = mcp_tools_refusal(g->tools, json_as_text(name), g->only, g->exclude);
    if (refused || !(has_raw(name) || has_raw(arguments)) || !restricts(g))
        return refused;
    struct buf text;
    buf_init(&text, INT32_MAX);
    buf_add_string(&text, "tools/call \"name\":");
    json_write(&text, name, JSON_COMPACT);
    if (arguments)
        json_write(&text, arguments, JSON_COMPACT);
    refused = text.overflow ? "message too long for us" : refused_in(g, buf_bytes(&text));
    buf_release(&text);
    return refused;
}

const char *mcp_gate_request(struct mcp_gate *g, struct bytes method, struct bytes params)
{
    if (!restricts(g))
        return NULL;
    struct buf text;
    buf_init(&text, INT32_MAX);
    buf_add(&text, method);
    buf_add(&text, params);
    const char *refused = text.overflow ? "message too long for us" : refused_in(g, buf_bytes(&text));
    buf_release(&text);
    return refused;
}
