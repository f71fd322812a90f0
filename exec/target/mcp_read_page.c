/* Results of browser ops: the value of a script, tabs, addresses, pictures; see mcp_result_internal.h. */
#include <string.h>

#include "exec/target/mcp_result_internal.h"
#include "exec/target/page_list.h"

static struct bytes line_at(struct bytes text, size_t at)
{
    ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
    return bytes_slice(text, at, newline < 0 ? text.len : (size_t)newline);
}

static struct bytes trimmed(struct bytes line)
{
    while (line.len && (line.data[line.len - 1] == ' ' || line.data[line.len - 1] == '\r'))
        line.len--;
    return line;
}

static bool is_fence(struct bytes line)
{
    return bytes_starts(line, BYTES_LITERAL("```"));
}

/* "### Result", "Script ran on page and returned:", "Execution result:". */
static bool is_heading(struct bytes line)
{
    line = trimmed(line);
    return line.len && (line.data[0] == '#' || line.data[line.len - 1] == ':');
}

static bool heads_value(struct bytes line)
{
    return is_heading(line) && (text_mentions(line, "result") || text_mentions(line, "returned") || text_mentions(line, "value"));
}

/* Where the value begins that a server puts a heading over or a fence around; 0 when it does neither. */
static size_t value_start(struct bytes text, bool *fenced)
{
    *fenced = false;
    for (size_t at = 0, found = 0; at < text.len;) {
        struct bytes line = line_at(text, at);
        size_t next = at + line.len < text.len ? at + line.len + 1 : text.len;
        if (is_fence(line)) {
            *fenced = true;
            return next;
        }
        if (found && trimmed(line).len)
            return at;
        found = found || heads_value(line);
        at = next;
    }
    return 0;
}

/* What is no JSON ends at the fence, at the next heading, or with the text. */
static struct bytes plain_value(struct bytes text, size_t from, bool fenced)
{
    size_t at = from;
    while (at < text.len) {
        struct bytes line = line_at(text, at);
        if (fenced ? is_fence(line) : from && is_heading(line))
            break;
        at += line.len + 1;
    }
    struct bytes value = bytes_slice(text, from, at < text.len ? at : text.len);
    while (value.len && (value.data[value.len - 1] == '\n' || value.data[value.len - 1] == '\r'))
        value.len--;
    return value;
}

/* One JSON value, whatever follows it on the next line. */
static struct json *json_value(struct bytes text, struct arena *a)
{
    static const struct json_options options = {.allow_bad_utf8 = true, .allow_trailing = true};
    struct json *value = NULL;
    size_t used;
    if (json_read(a, text, &options, "value", &value, &used, NULL) < 0)
        return NULL;
    while (used < text.len && (text.data[used] == ' ' || text.data[used] == '\r'))
        used++;
    return used >= text.len || text.data[used] == '\n' ? value : NULL;
}

/* A script that gives nothing ("undefined") has no value. */
void mcp_read_evaluate(struct mcp_reader *r)
{
    const struct mcp_material *m = r->material;
    struct arena *a = r->context->arena;
    const struct json *member = json_member(m->structured, "result|value|returnvalue|output");
    if (member) {
        mcp_put(r, "value", json_copy(a, member));
        return;
    }
    bool fenced;
    size_t from = value_start(m->text, &fenced);
    struct json *value = json_value(bytes_slice(m->text, from, m->text.len), a);
    struct bytes plain = plain_value(m->text, from, fenced);
    if (value)
        mcp_put(r, "value", value);
    else if (m->texts && !bytes_equal_string(plain, "undefined"))
        mcp_put_bytes(r, "value", plain);
}

/* --- tabs --- */

static const char tab_members[] = "tabid|pageid|targetid|tab|page|id|index";

static const struct json *tab_objects(const struct mcp_material *m)
{
    const struct json *list = json_is(m->object, JSON_ARRAY) ? m->object : json_member(m->object, "tabs|pages|targets");
    return json_is(list, JSON_ARRAY) && list->first && json_is(list->first, JSON_OBJECT) ? list : NULL;
}

static struct json *tab_entry(struct arena *a, const struct json *tab, struct bytes url, bool current)
{
    struct json *entry = json_new(a, JSON_OBJECT);
    json_set(a, entry, "tab", json_copy(a, tab));
    if (url.len)
        json_set(a, entry, "url", json_string(a, url));
    if (current)
        json_set(a, entry, "current", json_bool(a, true));
    return entry;
}

void mcp_read_tabs(struct mcp_reader *r)
{
    struct arena *a = r->context->arena;
    const struct json *objects = tab_objects(r->material);
    struct json *tabs = json_new(a, JSON_ARRAY);
    for (const struct json *one = objects ? objects->first : NULL; one; one = one->next) {
        const struct json *tab = json_member(one, tab_members);
        bool current = json_as_bool(json_member(one, "current|active|selected|iscurrent|isactive"), false);
        if (tab)
            json_add(tabs, tab_entry(a, tab, json_as_text(json_member(one, "url|href")), current));
    }
    struct page_line *list;
    size_t count = objects ? 0 : page_list_read(r->material->text, a, &list);
    for (size_t i = 0; i < count; i++)
        json_add(tabs, tab_entry(a, json_integer(a, list[i].number), list[i].url, list[i].current));
    mcp_put(r, "tabs", tabs);
}

void mcp_read_tab(struct mcp_reader *r)
{
    struct arena *a = r->context->arena;
    const struct json *member = json_is(r->material->object, JSON_OBJECT) ? json_member(r->material->object, tab_members) : NULL;
    struct page_line *list;
    size_t count = page_list_read(r->material->text, a, &list);
    const struct page_line *current = page_list_current(list, count);
    if (json_is(member, JSON_NUMBER) || json_is(member, JSON_STRING))
        mcp_put(r, "tab", json_copy(a, member));
    else if (current)
        mcp_put(r, "tab", json_integer(a, current->number));
}

/* --- addresses --- */

/* "- Page URL: …": a label that ends with the word. */
static struct bytes labelled_url(struct bytes line)
{
    ptrdiff_t colon = bytes_find(line, BYTES_LITERAL(": "), 0);
    struct words words;
    if (colon <= 0 || colon > 24)
        return BYTES_NONE;
    words_split(&words, bytes_slice(line, 0, (size_t)colon));
    bool url = words.count && word_in(words.word[words.count - 1], "url|location");
    return url ? trimmed(bytes_slice(line, (size_t)colon + 2, line.len)) : BYTES_NONE;
}

/* Where the page ended, as the server has looked; what only says the asked address again is left alone. */
void mcp_read_navigate(struct mcp_reader *r)
{
    const struct mcp_material *m = r->material;
    struct arena *a = r->context->arena;
    const struct json *member = json_member(m->object, "url|finalurl|currenturl|pageurl");
    if (json_is(member, JSON_STRING))
        mcp_put_bytes(r, "url", member->text);
    for (size_t at = 0; at < m->text.len;) {
        struct bytes line = line_at(m->text, at), url = labelled_url(line);
        if (url.len)
            mcp_put_bytes(r, "url", url);
        at += line.len + 1;
    }
    struct page_line *list;
    size_t count = page_list_read(m->text, a, &list);
    const struct page_line *current = page_list_current(list, count);
    if (current && current->url.len)
        mcp_put_bytes(r, "url", current->url);
}

/* --- pictures --- */

void mcp_read_picture(struct mcp_reader *r)
{
    const struct mcp_material *m = r->material;
    struct bytes decoded;
    for (size_t i = 0; i < m->count; i++)
        if (m->parts[i].is_bytes)
            mcp_put_bytes(r, "content", m->parts[i].data);
    if (m->bad_base64)
        r->outcome->message = BYTES_LITERAL("the picture is not base64 although it must be");
    for (size_t i = 0; i < m->count; i++) {
        ptrdiff_t comma = bytes_find(m->parts[i].data, BYTES_LITERAL(";base64,"), 0);
        bool is_data = !m->parts[i].is_bytes && bytes_starts(m->parts[i].data, BYTES_LITERAL("data:image/")) && comma > 0;
        if (is_data && mcp_base64(bytes_slice(m->parts[i].data, (size_t)comma + 8, m->parts[i].data.len), r->context->arena, &decoded))
            mcp_put_bytes(r, "content", decoded);
    }
}
