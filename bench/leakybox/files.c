/* The tools that store and read whole files or parts of them. */
#include <stdlib.h>

#include "base/encode.h"
#include "base/utf8.h"
#include "leakybox/content.h"
#include "leakybox/text.h"

static void quote_place(struct buf *text, const struct place *p)
{
    text_quote(text, p->relative.len ? buf_bytes(&p->relative) : BYTES_LITERAL("."));
}

static void store(struct call *c, struct bytes data, enum store_how how, const char *done)
{
    struct place p;
    struct buf name;

    if (!call_place(c, "path", PLACE_FOLLOW | PLACE_MAKE_PARENTS, &p))
        return;
    if (content_store(c, &p, data, how)) {
        buf_init(&name, 1024);
        quote_place(&name, &p);
        call_textf(c, "%s %zu bytes to %s", done, data.len, buf_string(&name));
        buf_release(&name);
    }
    place_release(&p);
}

void tool_write_file(struct call *c)
{
    store(c, call_bytes(c, "content"), STORE_REPLACE, "wrote");
}

void tool_append_file(struct call *c)
{
    store(c, call_bytes(c, "content"), STORE_APPEND, "appended");
}

void tool_upload_file(struct call *c)
{
    struct bytes text = call_bytes(c, "content_base64");
    struct buf data;

    buf_init(&data, text.len);
    if (base64_decode(&data, text) < 0)
        call_failed(c, "argument \"content_base64\" is not base64 with padding and without white space");
    else
        store(c, buf_bytes(&data), STORE_REPLACE, "wrote");
    buf_release(&data);
}

/* Finds the place of "path" and loads the part; false when the call was answered. */
static bool load(struct call *c, const struct content_part *part, struct buf *data)
{
    struct place p;
    bool loaded;

    if (!call_place(c, "path", PLACE_FOLLOW, &p))
        return false;
    loaded = content_load(c, &p, part, data);
    place_release(&p);
    return loaded;
}

void tool_read_file(struct call *c)
{
    struct content_part part = {
        .has_head = call_has(c, "head"),
        .head = call_integer(c, "head", 0),
        .has_tail = call_has(c, "tail"),
        .tail = call_integer(c, "tail", 0),
        .offset = call_integer(c, "offset", 0),
        .length = call_integer(c, "length", -1),
    };
    bool bytes = call_has(c, "offset") || call_has(c, "length");
    struct buf data;

    if (part.has_head + part.has_tail + bytes > 1) {
        call_failed(c, "head, tail and offset with length exclude each other");
        return;
    }
    buf_init(&data, 4 * (size_t)CONTENT_MAX_BYTES);
    if (load(c, &part, &data)) {
        size_t valid = utf8_valid_prefix(buf_bytes(&data));

        if (valid < data.len)
            call_failed(c, "the %s not UTF-8 text: byte 0x%02x at byte %zu; download_file gives any bytes",
                        bytes ? "part asked for is" : "file is", data.data[valid], valid);
        else
            call_text(c, buf_bytes(&data));
    }
    buf_release(&data);
}

void tool_download_file(struct call *c)
{
    const struct content_part whole = {.length = -1};
    struct buf data, text;

    buf_init(&data, 4 * (size_t)CONTENT_MAX_BYTES);
    buf_init(&text, 8 * (size_t)CONTENT_MAX_BYTES);
    if (load(c, &whole, &data)) {
        base64_encode(&text, buf_bytes(&data));
        call_text(c, buf_bytes(&text));
    }
    buf_release(&data);
    buf_release(&text);
}

void tool_edit_file(struct call *c)
{
    const struct content_part whole = {.length = -1};
    struct bytes old = call_bytes(c, "old_text"), new = call_bytes(c, "new_text");
    ptrdiff_t at, again;
    struct place p;
    struct buf data, edited;

    if (!old.len) {
        call_failed(c, "old_text is empty");
        return;
    }
    if (!call_place(c, "path", PLACE_FOLLOW, &p))
        return;
    buf_init(&data, 4 * (size_t)CONTENT_MAX_BYTES);
    if (content_load(c, &p, &whole, &data)) {
        at = bytes_find(buf_bytes(&data), old, 0);
        again = at < 0 ? -1 : bytes_find(buf_bytes(&data), old, (size_t)at + 1);
        buf_init(&edited, data.len + new.len);
        if (at < 0) {
            call_failed(c, "old_text does not stand in the file");
        } else if (again >= 0) {
            call_failed(c, "old_text stands in the file more than once, at bytes %td and %td", at, again);
        } else {
            buf_add(&edited, bytes_slice(buf_bytes(&data), 0, (size_t)at));
            buf_add(&edited, new);
            buf_add(&edited, bytes_slice(buf_bytes(&data), (size_t)at + old.len, data.len));
            if (content_store(c, &p, buf_bytes(&edited), STORE_REPLACE))
                call_textf(c, "replaced %zu bytes at byte %td by %zu", old.len, at, new.len);
        }
        buf_release(&edited);
    }
    buf_release(&data);
    place_release(&p);
}
