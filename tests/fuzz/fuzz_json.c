/* Any bytes through the JSON reader, and what it accepts through the writer and back. The first byte chooses
 * options.
 *
 * Held true: a text is accepted or refused with a message; what is written in any style is JSON again and
 * stands for the same value; the canonical form of a canonical form is itself; a copy equals its original. */
#include <stdlib.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

static struct json *read_back(struct arena *a, struct buf *text)
{
    struct json *value = NULL;
    require(json_read(a, buf_bytes(text), NULL, "written", &value, NULL, NULL) == 0);
    return value;
}

/* Bytes that are not UTF-8 do not survive: JSON has no way to say them. */
static int has_bad_utf8(const struct json *root)
{
    for (const struct json *value = root; value;) {
        if (value->bad_utf8)
            return 1;
        if (value->first) {
            value = value->first;
            continue;
        }
        while (value != root && !value->next)
            value = value->parent;
        value = value == root ? NULL : value->next;
    }
    return 0;
}

static void check_styles(struct arena *a, const struct json *value)
{
    struct buf text, again;
    buf_init(&text, SIZE_MAX / 4);
    buf_init(&again, SIZE_MAX / 4);
    for (int style = JSON_COMPACT; style <= JSON_PRETTY; style++) {
        buf_clear(&text);
        buf_clear(&again);
        json_write(&text, value, (enum json_style)style);
        struct json *back = read_back(a, &text);
        json_write(&again, back, (enum json_style)style);
        require(bytes_equal(buf_bytes(&text), buf_bytes(&again)) || has_bad_utf8(value));
        require(style == JSON_SORTED || json_equal(value, back) || has_bad_utf8(value));
    }
    buf_release(&text);
    buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const struct json_options options = {.max_depth = data[0] & 4 ? 3 : 0,
                                         .allow_bad_utf8 = data[0] & 1,
                                         .allow_trailing = (data[0] & 2) != 0};
    struct bytes text = bytes_of(data + 1, size - 1);
    struct arena a;
    struct json *value = NULL;
    struct error *err = NULL;
    size_t used = 0;
    arena_init(&a);
    if (json_read(&a, text, &options, "input", &value, &used, &err) < 0) {
        require(err && err->text[0] && !value);
        error_free(err);
    } else {
        require(value && used <= text.len);
        require(json_equal(value, json_copy(&a, value)));
        check_styles(&a, value);
    }
    arena_release(&a);
    return 0;
}
