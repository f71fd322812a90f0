/* Results of list and search: names, from JSON arrays or from lines in the usual styles; see
 * mcp_result_internal.h. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "exec/target/mcp_result_internal.h"

struct names {
    struct bytes *items;
    size_t count, capacity;
    struct mcp_reader *reader;
};

enum { NAMES_MAX = 1000000 };

static bool glob_matches(const struct names *n, struct bytes name)
{
    const struct op_map *map = n->reader->context->map;
    const struct json *pattern = json_get(n->reader->context->args, "pattern");
    if (!map || map->glob == GLOB_PLAIN || map->glob == GLOB_DEEP || !json_is(pattern, JSON_STRING))
        return true;
    struct arena *a = n->reader->context->arena;
    const char *text = arena_string(a, name), *slash = strrchr(text, '/');
    return fnmatch(arena_string(a, pattern->text), slash ? slash + 1 : text, 0) == 0;
}

/* The name as seen from the directory that was asked for. */
static struct bytes seen_from(struct bytes path, struct bytes name)
{
    if (path.len && bytes_starts(name, path) && name.len > path.len) {
        bool slash = name.data[path.len] == '/';
        if (slash || path.data[path.len - 1] == '/')
            name = bytes_slice(name, path.len + slash, name.len);
    }
    if (bytes_starts(name, BYTES_LITERAL("./")) && name.len > 2)
        name = bytes_slice(name, 2, name.len);
    if (name.len > 1 && name.data[name.len - 1] == '/')
        name = bytes_slice(name, 0, name.len - 1);
    return name;
}

static bool is_self(struct bytes path, struct bytes name)
{
    return !name.len || bytes_equal_string(name, ".") || bytes_equal_string(name, "..") ||
           bytes_equal(name, path);
}

static void add_name(struct names *n, struct bytes name)
{
    struct bytes path = n->reader->context->path;
    name = seen_from(path, name);
    if (is_self(path, name) || !glob_matches(n, name) || n->count == NAMES_MAX)
        return;
    if (n->count == n->capacity) {
        n->capacity = n->capacity ? 2 * n->capacity : 64;
        n->items = xrealloc(n->items, n->capacity * sizeof *n->items);
    }
    n->items[n->count++] = name;
}

static void add_array(struct names *n, const struct json *array)
{
    for (const struct json *one = array->first; one; one = one->next) {
        const struct json *name = json_is(one, JSON_OBJECT)
                                      ? json_member(one, "name|path|file|filename|filepath")
                                      : one;
        if (json_is(one, JSON_OBJECT) && strcmp(n->reader->context->op->name, "search") == 0) {
            const struct json *path = json_member(one, "path|file|filepath|filename");
            name = path ? path : name;
        }
        /* A name that is not text, as servers give it that care for bytes. */
        const struct json *encoded = json_is(one, JSON_OBJECT) ? json_member(one, "namebase64|pathbase64") : NULL;
        struct bytes raw;
        if (json_is(encoded, JSON_STRING) && mcp_base64(encoded->text, n->reader->context->arena, &raw))
            add_name(n, raw);
        else if (json_is(name, JSON_STRING))
            add_name(n, name->text);
    }
}

static bool add_json(struct names *n, const struct json *object)
{
    static const char lists[] =
        "entries|files|items|children|contents|results|matches|names|paths|list|directories|dirs|"
        "folders|content";
    bool found = json_is(object, JSON_ARRAY);
    if (found)
        add_array(n, object);
    for (const struct json *one = json_is(object, JSON_OBJECT) ? object->first : NULL; one; one = one->next) {
        if (!json_is(one, JSON_ARRAY) || !name_among(one->key, lists))
            continue;
        add_array(n, one);
        found = true;
    }
    return found;
}

enum line_style { STYLE_PLAIN, STYLE_TAGGED /* "[FILE] a" */, STYLE_BULLET, STYLE_LONG /* ls -l */ };

/* Length of "[WORD] " at the front, or 0. */
static size_t tag_length(struct bytes line)
{
    if (line.len < 4 || line.data[0] != '[')
        return 0;
    for (size_t i = 1; i < line.len && i < 16; i++) {
        if (line.data[i] == ']')
            return i > 1 && i + 1 < line.len && line.data[i + 1] == ' ' ? i + 2 : 0;
        if (!isupper(line.data[i]))
            return 0;
    }
    return 0;
}

/* Length of a bullet or a picture of a file or folder at the front, with its blank; or 0. */
static size_t bullet_length(struct bytes line)
{
    static const char *const bullets[] = {"- ", "* ", "• ", "📁 ", "📄 ", "🔗 ", "📂 "};
    for (size_t i = 0; i < sizeof bullets / sizeof *bullets; i++)
        if (bytes_starts(line, bytes_of_string(bullets[i])))
            return strlen(bullets[i]);
    return 0;
}

/* Where the name starts in a line of ls -l; 0 when it is none. */
static size_t long_name(struct bytes line)
{
    bool long_line = line.len >= 10 && line.data[0] && strchr("-dlbcps", line.data[0]) &&
                     (line.data[1] == 'r' || line.data[1] == '-') &&
                     (line.data[2] == 'w' || line.data[2] == '-');
    if (!long_line)
        return 0;
    size_t at = 0;
    for (int field = 0; field < 8; field++) {
        while (at < line.len && line.data[at] != ' ')
            at++;
        while (at < line.len && line.data[at] == ' ')
            at++;
    }
    return at < line.len ? at : 0;
}

static bool every_line(struct bytes text, size_t (*front)(struct bytes line))
{
    for (size_t at = 0; at < text.len;) {
        ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
        size_t end = newline < 0 ? text.len : (size_t)newline;
        if (end > at && !front(bytes_slice(text, at, end)))
            return false;
        at = end + 1;
    }
    return true;
}

static enum line_style style_of(struct bytes text)
{
    if (tag_length(text))
        return STYLE_TAGGED;
    if (long_name(text) || bytes_starts(text, BYTES_LITERAL("total ")))
        return STYLE_LONG;
    return every_line(text, bullet_length) ? STYLE_BULLET : STYLE_PLAIN;
}

/* "No files found", "(empty)": one line that says there is nothing. */
static bool says_empty(struct bytes text)
{
    static const char *const words[] = {"no matches",         "no files", "no entries",      "no results",
                                        "directory is empty", "(empty)",  "empty directory", "(no "};
    size_t start = 0;
    while (start < text.len && isspace(text.data[start]))
        start++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text.len - start >= strlen(words[i]) &&
            strncasecmp((const char *)text.data + start, words[i], strlen(words[i])) == 0)
            return true;
    return start == text.len;
}

static void add_line(struct names *n, struct bytes line, enum line_style style)
{
    if (style == STYLE_LONG) {
        size_t at = long_name(line);
        struct bytes name = bytes_slice(line, at, line.len);
        ptrdiff_t arrow = line.data[0] == 'l' ? bytes_find(name, BYTES_LITERAL(" -> "), 0) : -1;
        if (at)
            add_name(n, arrow < 0 ? name : bytes_slice(name, 0, (size_t)arrow));
    } else if (style == STYLE_BULLET) {
        add_name(n, bytes_slice(line, bullet_length(line), line.len));
    } else if (line.len && !(n->count == 0 && line.data[line.len - 1] == ':')) {
        add_name(n, line); /* but for a heading that ends with a colon */
    }
}

/* Lines with tags: one without is the rest of a name that has a newline in it. */
static void add_tagged(struct names *n, struct bytes text)
{
    for (size_t at = 0; at < text.len;) {
        size_t from = at + tag_length(bytes_slice(text, at, text.len)), end = from;
        for (;;) {
            ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), end);
            end = newline < 0 ? text.len : (size_t)newline;
            if (end == text.len || tag_length(bytes_slice(text, end + 1, text.len)))
                break;
            end++;
        }
        add_name(n, bytes_slice(text, from, end));
        at = end + 1;
    }
}

static void add_text(struct names *n, struct bytes text)
{
    enum line_style style = style_of(text);
    if (style == STYLE_TAGGED) {
        add_tagged(n, text);
        return;
    }
    bool one_line = bytes_find(text, BYTES_LITERAL("\n"), 0) < 0;
    if (one_line && says_empty(text))
        return;
    for (size_t at = 0; at < text.len;) {
        ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
        size_t end = newline < 0 ? text.len : (size_t)newline;
        add_line(n, bytes_slice(text, at, end), style);
        at = end + 1;
    }
}

static int compare_names(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

void mcp_read_entries(struct mcp_reader *r)
{
    struct names names = {.reader = r};
    const struct mcp_material *m = r->material;
    if (!add_json(&names, m->object)) {
        const struct json *text = json_member(m->structured, "content|text|output|result");
        if (!json_is(text, JSON_STRING) && !m->texts)
            return;
        add_text(&names, json_is(text, JSON_STRING) ? text->text : m->text);
    }
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    struct json *entries = json_new(r->context->arena, JSON_ARRAY);
    for (size_t i = 0; i < names.count; i++)
        json_add(entries, json_string(r->context->arena, names.items[i]));
    free(names.items);
    mcp_put(r, "entries", entries);
}
