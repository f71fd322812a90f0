/* Results of read and download: the bytes of a file, however the server wraps them; see
 * mcp_result_internal.h. */
#include "exec/target/mcp_result_internal.h"

static const char content_members[] = "content|contents|text|data|body|filecontent";

/* Does a JSON text around a content say which file, or how much of it? A file's own text might be JSON
 * too. */
static bool is_wrapper(const struct mcp_reader *r, const struct json *object, struct bytes content)
{
    struct bytes path = json_as_text(json_get(r->context->args, "path"));
    for (const struct json *one = object->first; one; one = one->next) {
        int64_t size;
        if (name_among(one->key, "path|file|filename|filepath|uri|name") && path.len &&
            bytes_ends(json_as_text(one), path))
            return true;
        if (name_among(one->key, "size|bytes|bytesread|length|filesize|totalsize|sizebytes") &&
            json_as_integer(one, &size) && size >= 0 && (uint64_t)size == content.len)
            return true;
    }
    return false;
}

static bool says_text(const struct json *object)
{
    const struct json *encoding = json_member(object, "encoding|contentencoding|format");
    return json_is(encoding, JSON_STRING) && name_among(encoding->text, "utf8|utf|text|plain|ascii");
}

static void put_base64(struct mcp_reader *r, struct bytes text)
{
    struct bytes decoded;
    if (mcp_base64(text, r->context->arena, &decoded)) {
        mcp_put_bytes(r, "content", decoded);
        return;
    }
    /* What a client of this server would be left with. */
    r->outcome->message = BYTES_LITERAL("the content is not base64 although the tool says so");
    mcp_put_bytes(r, "content", text);
}

static bool put_only_bytes(struct mcp_reader *r)
{
    const struct mcp_material *m = r->material;
    if (m->bytes != 1)
        return false;
    for (size_t i = 0; i < m->count; i++)
        if (m->parts[i].is_bytes)
            mcp_put_bytes(r, "content", m->parts[i].data);
    if (m->bad_base64)
        r->outcome->message = BYTES_LITERAL("the content is not base64 although it must be");
    return true;
}

/* head and tail count lines; a last line without a newline is one. */
static struct bytes cut_lines(struct bytes text, int64_t count, bool from_end)
{
    if (count < 0)
        return text;
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.data[i] == '\n' || i + 1 == text.len;
    size_t skip = from_end && lines > (uint64_t)count ? lines - (size_t)count : 0;
    size_t keep = from_end ? lines : (uint64_t)count < lines ? (size_t)count : lines;
    size_t at = 0, from = 0;
    for (size_t line = 0; line < keep && at < text.len; line++) {
        if (line == skip)
            from = at;
        ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
        at = newline < 0 ? text.len : (size_t)newline + 1;
    }
    return skip >= keep && from_end ? BYTES_NONE : bytes_slice(text, from, at);
}

static struct bytes cut_content(const struct json *args, struct bytes text)
{
    int64_t value;
    if (json_as_integer(json_get(args, "head"), &value))
        text = cut_lines(text, value, false);
    if (json_as_integer(json_get(args, "tail"), &value))
        text = cut_lines(text, value, true);
    if (json_as_integer(json_get(args, "offset"), &value) && value > 0)
        text = bytes_slice(text, (uint64_t)value < text.len ? (size_t)value : text.len, text.len);
    if (json_as_integer(json_get(args, "length"), &value) && value >= 0 && (uint64_t)value < text.len)
        text = bytes_slice(text, 0, (size_t)value);
    return text;
}

static void put_content(struct mcp_reader *r)
{
    const struct mcp_material *m = r->material;
    bool base64 = r->context->map && r->context->map->coding == CODING_BASE64 && !says_text(m->object);
    const struct json *member = json_member(m->object, base64 ? "content|contents|data|base64|blob|body"
                                                              : content_members);
    bool wrapped = json_is(member, JSON_STRING) &&
                   (base64 || m->structured || is_wrapper(r, m->object, member->text));
    struct bytes text = wrapped ? member->text : m->text;
    if (put_only_bytes(r))
        return;
    if (!wrapped && !m->texts)
        return; /* nothing came */
    if (base64)
        put_base64(r, text);
    else
        mcp_put_bytes(r, "content", text);
}

void mcp_read_content(struct mcp_reader *r)
{
    if (!json_get(r->outcome->result, "content"))
        put_content(r);
    struct json *content = json_get(r->outcome->result, "content");
    if (content && r->context->cut_here) {
        content->text = cut_content(r->context->args, content->text);
        r->outcome->lowered = true;
    }
}
