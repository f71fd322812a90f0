/* What a tool's result is made of: parts, structured content, labelled text; see mcp_result_internal.h. */
#include <ctype.h>
#include <string.h>

#include "base/encode.h"
#include "exec/target/mcp_result_internal.h"

enum { JSON_TEXT_MAX = 64 << 20, LABEL_LENGTH = 32, LABELS_MAX = 256 };

bool mcp_base64(struct bytes text, struct arena *a, struct bytes *out)
{
    struct buf clean, decoded;
    buf_init(&clean, text.len);
    buf_init(&decoded, text.len);
    bool broken = false;
    for (size_t i = 0; i < text.len && !broken; i++)
        broken = isspace(text.data[i]);
    for (size_t i = 0; i < text.len && broken; i++)
        if (!isspace(text.data[i]))
            buf_add_byte(&clean, text.data[i]);
    bool fine = base64_decode(&decoded, broken ? buf_bytes(&clean) : text) == 0;
    if (fine)
        *out = arena_copy(a, buf_bytes(&decoded));
    buf_release(&clean);
    buf_release(&decoded);
    return fine;
}

/* What a part is called: servers put it in different places. */
static struct bytes part_label(const struct json *part)
{
    static const char *const places[] = {"/name", "/title", "/annotations/title", "/_meta/name"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct json *value = json_pointer(part, bytes_of_string(places[i]));
        if (json_is(value, JSON_STRING))
            return value->text;
    }
    return BYTES_NONE;
}

static struct mcp_part *add_part(struct mcp_material *m, const struct json *from, struct bytes data)
{
    struct mcp_part *part = &m->parts[m->count++];
    *part = (struct mcp_part){.data = data, .label = part_label(from)};
    return part;
}

static void add_text(struct mcp_material *m, const struct json *from, const struct json *text)
{
    if (!json_is(text, JSON_STRING))
        return;
    add_part(m, from, text->text);
    m->texts++;
}

static void add_bytes(struct mcp_material *m, const struct json *from, const struct json *data,
                      struct arena *a)
{
    struct bytes decoded;
    if (!json_is(data, JSON_STRING))
        return;
    if (!mcp_base64(data->text, a, &decoded)) {
        m->bad_base64 = true;
        decoded = data->text;
    }
    add_part(m, from, decoded)->is_bytes = true;
    m->bytes++;
}

static void read_part(struct mcp_material *m, const struct json *part, struct arena *a)
{
    struct bytes type = json_as_text(json_get(part, "type"));
    const struct json *resource = json_get(part, "resource");
    if (bytes_equal_string(type, "text")) {
        add_text(m, part, json_get(part, "text"));
    } else if (bytes_equal_string(type, "image") || bytes_equal_string(type, "audio")) {
        add_bytes(m, part, json_get(part, "data"), a);
    } else if (bytes_equal_string(type, "resource")) {
        if (json_get(resource, "blob"))
            add_bytes(m, part, json_get(resource, "blob"), a);
        else
            add_text(m, part, json_get(resource, "text"));
    } else if (bytes_equal_string(type, "resource_link") && json_is(json_get(part, "uri"), JSON_STRING)) {
        add_part(m, part, json_get(part, "uri")->text)->is_link = true;
    }
}

static struct bytes join_texts(const struct mcp_material *m, struct arena *a)
{
    size_t length = 0;
    const struct mcp_part *only = NULL;
    for (size_t i = 0; i < m->count; i++) {
        if (m->parts[i].is_bytes || m->parts[i].is_link)
            continue;
        only = &m->parts[i];
        length += only->data.len;
    }
    if (m->texts <= 1)
        return only ? only->data : BYTES_NONE;
    uint8_t *joined = arena_alloc(a, length + 1), *to = joined;
    for (size_t i = 0; i < m->count; i++) {
        if (m->parts[i].is_bytes || m->parts[i].is_link || !m->parts[i].data.len)
            continue;
        memcpy(to, m->parts[i].data.data, m->parts[i].data.len);
        to += m->parts[i].data.len;
    }
    return bytes_of(joined, length);
}

static const struct json *text_as_json(struct bytes text, struct arena *a)
{
    size_t at = 0;
    while (at < text.len && isspace(text.data[at]))
        at++;
    if (at == text.len || text.len > JSON_TEXT_MAX || !strchr("{[", text.data[at] ? text.data[at] : ' '))
        return NULL;
    struct json *value = NULL;
    return mcp_json_read(a, text, &value) == MCP_JSON_OK ? value : NULL;
}

/* The end of the label that a line begins with (where its colon is), or 0. */
static size_t label_end(struct bytes line)
{
    if (!line.len || !isalpha(line.data[0]))
        return 0;
    for (size_t i = 1; i < line.len && i < LABEL_LENGTH; i++) {
        uint8_t byte = line.data[i];
        if (byte == ':')
            return i + 1 == line.len || line.data[i + 1] == ' ' ? i : 0;
        if (!isalnum(byte) && byte != '_' && byte != '-' && byte != ' ')
            return 0;
    }
    return 0;
}

static bool is_section(struct bytes label)
{
    return name_among(label, "stdout|stderr|output|standardoutput|standarderror|erroroutput");
}

static bool ends_section(struct bytes label)
{
    return is_section(label) ||
           name_among(label, "exitcode|exitstatus|returncode|signal|timedout|duration|command");
}

static struct bytes line_at(struct bytes text, size_t at)
{
    ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
    return bytes_slice(text, at, newline < 0 ? text.len : (size_t)newline);
}

/* A section goes on until the next label that ends one; the newline before that is the label's. *at is
 * moved there. */
static struct bytes section_text(struct bytes text, size_t *at)
{
    size_t from = *at;
    while (*at < text.len) {
        struct bytes line = line_at(text, *at);
        size_t colon = label_end(line);
        if (colon && ends_section(bytes_slice(line, 0, colon)))
            return bytes_slice(text, from, *at > from ? *at - 1 : from);
        *at += line.len + 1;
    }
    return bytes_slice(text, from, text.len);
}

struct json *mcp_labels_read(struct bytes text, struct arena *a)
{
    struct json *labels = NULL;
    for (size_t at = 0; at < text.len;) {
        struct bytes line = line_at(text, at);
        size_t colon = label_end(line);
        at += line.len + 1;
        if (!colon && !labels)
            return NULL; /* the first line decides */
        if (!colon)
            continue;
        labels = labels ? labels : json_new(a, JSON_OBJECT);
        struct bytes label = bytes_slice(line, 0, colon), value = bytes_slice(line, colon + 2, line.len);
        if (!value.len && is_section(label))
            value = section_text(text, &at);
        json_set_bytes(a, labels, label, json_string(a, value));
        if (labels->count == LABELS_MAX)
            break;
    }
    return labels;
}

void mcp_material_read(struct mcp_material *m, const struct json *result, struct arena *a)
{
    *m = (struct mcp_material){.result = result};
    const struct json *structured = json_get(result, "structuredContent");
    m->structured = json_is(structured, JSON_OBJECT) ? structured : NULL;
    const struct json *content = json_get(result, "content");
    size_t expected = json_is(content, JSON_ARRAY) ? content->count : 0;
    if (expected > MCP_PARTS_MAX)
        expected = MCP_PARTS_MAX;
    m->parts = arena_alloc(a, (expected + 1) * sizeof *m->parts);
    for (const struct json *part = expected ? content->first : NULL; part && m->count < expected;
         part = part->next)
        read_part(m, part, a);
    m->text = join_texts(m, a);
    m->object = m->structured;
    if (!m->object && m->texts == 1)
        m->object = text_as_json(m->text, a);
    m->labels = m->object ? NULL : mcp_labels_read(m->text, a);
}
