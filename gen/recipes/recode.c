/* recode: another text in a named encoding and with other line ends. What mutators make, and templates that
 * need a csv or json in a legacy encoding. Characters that the encoding does not have become "?", so all of
 * it is always decodable. */
#include "base/error.h"
#include "base/utf8.h"
#include "gen/charset.h"
#include "gen/recipes/recipes.h"

static const char *const newline_values[] = {"keep", "lf", "crlf", "cr", NULL};

/* Every line end there is, CR LF as one, becomes the newline asked for. */
static void change_newlines(struct bytes text, struct bytes newline, struct buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c == '\r' && i + 1 < text.len && text.data[i + 1] == '\n')
            i++;
        if (c == '\r' || c == '\n')
            buf_add(out, newline);
        else
            buf_add_byte(out, c);
    }
}

static int recode_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct buf base, lines;
    buf_init(&base, recipe_stage_max(out));
    buf_init(&lines, recipe_stage_max(out));
    int status = content_make(recipe_content(parameters, "base"), base.max, &base, err);
    if (status == 0 && !utf8_valid(buf_bytes(&base)))
        status = error_set(err, ERR_INPUT,
                           "content of recipe recode: found a base that is not UTF-8, expected text");
    if (status == 0) {
        bool keep = bytes_equal_string(recipe_bytes(parameters, "newline"), "keep");
        if (!keep)
            change_newlines(buf_bytes(&base), recipe_newline(parameters), &lines);
        charset_encode(charset_find(recipe_bytes(parameters, "encoding")), buf_bytes(keep ? &base : &lines),
                       out);
        status = lines.overflow ? recipe_made(&lines, "recode", err) : recipe_made(out, "recode", err);
    }
    buf_release(&lines);
    buf_release(&base);
    return status;
}

static int recode_utf8(const struct json *parameters)
{
    const struct charset *charset = charset_find(recipe_bytes(parameters, "encoding"));
    return charset->unicode && charset->ascii ? 1 : -1;
}

static const struct recipe_parameter parameters_table[] = {
    {"base", NULL, "the text, in UTF-8", RECIPE_CONTENT, 0, 0, NULL},
    {"encoding", "\"utf-8\"", "the encoding it shall have", RECIPE_ONE_OF, 0, 0, charset_names},
    {"newline", "\"keep\"", "line ends it shall have", RECIPE_ONE_OF, 0, 0, newline_values},
};

const struct recipe recipe_recode = {
    .name = "recode",
    .doc = "another text in an encoding and with line ends of one kind",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .make = recode_make,
    .utf8 = recode_utf8,
};
