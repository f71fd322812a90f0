/* Results of stat and write: facts from JSON members or labelled lines; see mcp_result_internal.h. */
#include <ctype.h>

#include "exec/target/mcp_result_internal.h"

static bool truth(const struct json *value)
{
    return json_is(value, JSON_TRUE) || name_among(json_as_text(value), "true|yes");
}

static const char *kind_of(const struct json *facts)
{
    static const struct {
        const char *words, *kind;
    } kinds[] = {
        {"file|regular|regularfile", "file"}, {"directory|dir|folder", "directory"},
        {"symlink|link|symboliclink", "link"}, {"other|fifo|socket|device|pipe", "other"},
    };
    const struct json *type = json_member(facts, "type|kind|filetype");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (json_is(type, JSON_STRING) && name_among(type->text, kinds[i].words))
            return kinds[i].kind;
    if (truth(json_member(facts, "issymlink|issymboliclink|islink")))
        return "link";
    if (truth(json_member(facts, "isdirectory|isdir|isfolder")))
        return "directory";
    return truth(json_member(facts, "isfile|isregularfile")) ? "file" : NULL;
}

/* rwxr-xr-x, with or without a letter for the kind before it. */
static int mode_of_letters(struct bytes text)
{
    if (text.len == 10)
        text = bytes_slice(text, 1, 10);
    if (text.len != 9)
        return -1;
    int mode = 0;
    for (size_t i = 0; i < 9; i++) {
        if (text.data[i] != '-' && text.data[i] != (uint8_t) "rwx"[i % 3])
            return -1;
        mode = mode << 1 | (text.data[i] != '-');
    }
    return mode;
}

/* Octal digits in a string are octal; a number is a mode only when it has the bits of the kind, as stat
 * gives them. */
static int mode_of(const struct json *value)
{
    int64_t number;
    if (json_is(value, JSON_NUMBER))
        return json_as_integer(value, &number) && number > 07777 && number < 1 << 20 ? (int)(number & 07777)
                                                                                     : -1;
    struct bytes text = json_as_text(value);
    int letters = mode_of_letters(text);
    if (letters >= 0)
        return letters;
    if (text.len > 2 && text.data[0] == '0' && tolower(text.data[1]) == 'o')
        text = bytes_slice(text, 2, text.len);
    if (text.len < 3 || text.len > 6)
        return -1;
    int mode = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '7')
            return -1;
        mode = mode * 8 + (text.data[i] - '0');
    }
    return mode & 07777;
}

void mcp_read_stat(struct mcp_reader *r)
{
    struct arena *a = r->context->arena;
    const struct json *facts = r->material->object ? r->material->object : r->material->labels;
    const struct json *text = json_member(r->material->structured, "content|text|output|result");
    if (json_is(text, JSON_STRING) && !json_member(facts, "size|type|kind"))
        facts = mcp_labels_read(text->text, a);
    const struct json *inner = json_member(facts, "stat|stats|info|metadata|file");
    if (json_is(inner, JSON_OBJECT) && json_member(inner, "size|type|kind"))
        facts = inner;
    const char *kind = kind_of(facts);
    if (kind)
        mcp_put(r, "kind", json_text(a, kind));
    int64_t size;
    if (json_lenient_integer(json_member(facts, "size|sizebytes|filesize|bytes|length"), &size))
        mcp_put(r, "size", json_integer(a, size));
    int mode = mode_of(json_member(facts, "mode|permissions|perms|permission"));
    if (mode >= 0)
        mcp_put(r, "mode", json_integer(a, mode));
}

void mcp_read_write(struct mcp_reader *r)
{
    struct arena *a = r->context->arena;
    int64_t bytes;
    if (json_as_integer(json_member(r->material->object, "byteswritten|bytes|written|size"), &bytes)) {
        mcp_put(r, "bytes", json_integer(a, bytes));
        return;
    }
    struct bytes text = bytes_slice(r->material->text, 0, 4096);
    ptrdiff_t at = bytes_find(text, BYTES_LITERAL(" bytes"), 0);
    size_t from = at < 0 ? 0 : (size_t)at;
    while (at > 0 && from > 0 && isdigit(text.data[from - 1]))
        from--;
    struct json *number = json_string(a, bytes_slice(text, from, at < 0 ? 0 : (size_t)at));
    if (json_lenient_integer(number, &bytes))
        mcp_put(r, "bytes", json_integer(a, bytes));
}
