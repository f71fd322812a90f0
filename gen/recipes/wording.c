/* Titles and text that several document recipes share. */
#include <inttypes.h>

#include "base/error.h"
#include "base/utf8.h"
#include "gen/recipes/recipes.h"

enum { TITLE_INDEX = 1 << 30 /* of the title's random stream: past every line and page */ };

void recipe_put_title(const struct json *parameters, const char *name, enum recipe_stream stream,
                      struct buf *out)
{
    struct bytes given = recipe_bytes(parameters, name);
    if (given.len) {
        buf_add(out, given);
        return;
    }
    struct rng rng;
    recipe_rng(&rng, parameters, stream, TITLE_INDEX);
    recipe_words(&rng, recipe_bytes(parameters, "script"), 2, out);
    buf_addf(out, " %" PRId64, rng_range(&rng, 100, 9999));
}

void recipe_title(const struct json *parameters, enum recipe_stream stream, struct buf *out)
{
    recipe_put_title(parameters, "title", stream, out);
}

struct json *recipe_title_fact(const struct json *parameters, enum recipe_stream stream, struct arena *a)
{
    struct buf title;
    buf_init(&title, 1 << 12);
    recipe_title(parameters, stream, &title);
    return recipe_text_fact(a, &title);
}

int recipe_check_line(const struct json *parameters, const char *name, const char *where, struct error **err)
{
    struct bytes text = recipe_bytes(parameters, name);
    bool plain = utf8_valid(text);
    for (size_t i = 0; i < text.len; i++)
        plain = plain && text.data[i] >= ' ' && text.data[i] != 0x7f;
    return plain ? 0
                 : error_set(err, ERR_INPUT,
                             "%s: %s: found bytes that are no plain text, expected a line of UTF-8", where,
                             name);
}

void recipe_escape(struct buf *out, struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c == '&')
            buf_add_string(out, "&amp;");
        else if (c == '<')
            buf_add_string(out, "&lt;");
        else if (c == '>')
            buf_add_string(out, "&gt;");
        else if (c == '"')
            buf_add_string(out, "&quot;");
        else
            buf_add_byte(out, c);
    }
}
