/* The list of a server's tools; see mcp_tools.h. */
#include "exec/target/mcp_tools.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { LABEL_MAX = 80, PREFIX_NEEDS = 3, DESCRIPTION_MAX = 4096 };

void mcp_tools_init(struct mcp_tools *t)
{
    *t = (struct mcp_tools){0};
    arena_init(&t->arena);
}

void mcp_tools_release(struct mcp_tools *t)
{
    free(t->items);
    arena_release(&t->arena);
    *t = (struct mcp_tools){0};
}

void add_visible(struct buf *out, struct bytes text, size_t max)
{
    size_t end = text.len < max ? text.len : max;
    for (size_t at = 0; at < end;) {
        size_t start = at;
        int32_t point = utf8_next(text, &at);
        bool control = point < 0x20 || (point >= 0x7f && point < 0xa0) ||
                       (point >= 0x2028 && point <= 0x202e);
        if (control || at > end)
            buf_add_byte(out, '?');
        else
            buf_add(out, bytes_slice(text, start, at));
    }
    if (end < text.len)
        buf_add_string(out, "...");
}

static const char *make_label(struct arena *a, struct bytes name)
{
    struct buf label;
    buf_init(&label, 8 * LABEL_MAX);
    add_visible(&label, name, LABEL_MAX);
    const char *text = arena_string(a, buf_bytes(&label));
    buf_release(&label);
    return text;
}

static struct bytes text_member(const struct json *object, const char *key)
{
    const struct json *value = json_get(object, key);
    return json_is(value, JSON_STRING) ? value->text : BYTES_NONE;
}

static void add_tool(struct mcp_tools *t, const struct json *entry)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 16;
        t->items = xrealloc(t->items, t->capacity * sizeof *t->items);
    }
    const struct json *annotations = json_get(entry, "annotations");
    struct mcp_tool *tool = &t->items[t->count++];
    *tool = (struct mcp_tool){
        .name = text_member(entry, "name"),
        .description = bytes_slice(text_member(entry, "description"), 0, DESCRIPTION_MAX),
        .input = json_get(entry, "inputSchema"),
        .output = json_get(entry, "outputSchema"),
        .says_read_only = json_is(json_get(annotations, "readOnlyHint"), JSON_TRUE),
        .says_destructive = json_is(json_get(annotations, "destructiveHint"), JSON_TRUE),
    };
    tool->label = make_label(&t->arena, tool->name);
    words_split(&tool->words, tool->name);
}

bool mcp_tools_add(struct mcp_tools *t, const struct json *array)
{
    if (!json_is(array, JSON_ARRAY))
        return false;
    for (const struct json *entry = array->first; entry && t->count < MCP_TOOLS_MAX; entry = entry->next)
        if (json_is(entry, JSON_OBJECT))
            add_tool(t, json_copy(&t->arena, entry));
    return true;
}

static bool matches_any(struct bytes name, const char *const *globs)
{
    /* fnmatch wants a string; a name with a NUL is matched by what stands before it, which can only refuse
     * more. */
    char text[512];
    size_t length = name.len < sizeof text - 1 ? name.len : sizeof text - 1;
    if (length)
        memcpy(text, name.data, length);
    text[length] = '\0';
    for (; globs && *globs; globs++)
        if (fnmatch(*globs, text, 0) == 0)
            return true;
    return false;
}

static const char *glob_refusal(struct bytes name, const char *const *only, const char *const *exclude)
{
    if (only && *only && !matches_any(name, only))
        return "tool is not among those asked for";
    return matches_any(name, exclude) ? "tool is excluded" : NULL;
}

void mcp_tools_finish(struct mcp_tools *t, const char *const *only, const char *const *exclude,
                      bool destructive)
{
    bool common = t->count >= PREFIX_NEEDS && t->items[0].words.count;
    for (size_t i = 0; i < t->count; i++) {
        struct mcp_tool *tool = &t->items[i];
        tool->refused = glob_refusal(tool->name, only, exclude);
        if (!tool->refused && tool->says_destructive && !destructive)
            tool->refused = "tool is marked destructive";
        common = common && tool->words.count && strcmp(tool->words.word[0], t->items[0].words.word[0]) == 0;
    }
    if (common)
        memcpy(t->prefix, t->items[0].words.word[0], WORD_SIZE);
}

const struct mcp_tool *mcp_tools_find(const struct mcp_tools *t, struct bytes name)
{
    for (size_t i = 0; i < t->count; i++)
        if (bytes_equal(t->items[i].name, name))
            return &t->items[i];
    return NULL;
}

const char *mcp_tools_refusal(const struct mcp_tools *t, struct bytes name, const char *const *only,
                              const char *const *exclude)
{
    for (size_t i = 0; i < t->count; i++) /* of several with one name, which the server takes is its own affair */
        if (t->items[i].refused && bytes_equal(t->items[i].name, name))
            return t->items[i].refused;
    return glob_refusal(name, only, exclude);
}
