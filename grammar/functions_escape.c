/* Encoders: each turns any bytes into text that a notation reads back as those bytes, as far as it can hold
 * them.
 *
 * All of them are byte by byte or, where they look at UTF-8 sequences, never longer than the sum of what the
 * bytes would give one by one; the budgets of derivations rely on that (see function_row.length). */
#include "grammar/functions_internal.h"

#include <string.h>

#include "base/encode.h"
#include "base/json.h"
#include "base/utf8.h"

void escape_json(struct bytes input, struct buf *out)
{
    struct buf quoted;
    buf_init(&quoted, 6 * input.len + 2);
    json_write_string(&quoted, input);
    buf_add(out, bytes_slice(buf_bytes(&quoted), 1, quoted.len - 1));
    buf_release(&quoted);
}

void escape_sh(struct bytes input, struct buf *out)
{
    shell_quote(out, input);
}

void escape_py(struct bytes input, struct buf *out)
{
    static const char shorts[] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r', ['\''] = '\'', ['\\'] = '\\'};
    bool text = utf8_valid(input);
    buf_add_string(out, text ? "'" : "b'");
    for (size_t i = 0; i < input.len; i++) {
        uint8_t c = input.data[i];
        if (c < sizeof shorts && shorts[c])
            buf_add(out, bytes_of((char[]){'\\', shorts[c]}, 2));
        else if (c < 0x20 || c == 0x7F || (c >= 0x80 && !text))
            buf_addf(out, "\\x%02x", c);
        else
            buf_add_byte(out, c);
    }
    buf_add_byte(out, '\'');
}

static bool is_unreserved(uint8_t c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

void escape_url(struct bytes input, struct buf *out)
{
    for (size_t i = 0; i < input.len; i++) {
        if (is_unreserved(input.data[i]))
            buf_add_byte(out, input.data[i]);
        else
            buf_addf(out, "%%%02X", input.data[i]);
    }
}

/* How a code point is written in XML; NULL: as it stands. Tabs and line ends are references, since an
 * attribute's would become spaces, and a text's \r a \n. */
static const char *xml_reference(int32_t code_point)
{
    static const struct {
        int32_t code_point;
        const char *reference;
    } rows[] = {{'&', "&amp;"},  {'<', "&lt;"},  {'>', "&gt;"},   {'"', "&quot;"},
                {'\'', "&#39;"}, {'\t', "&#9;"}, {'\n', "&#10;"}, {'\r', "&#13;"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code_point == code_point)
            return rows[i].reference;
    bool foreign = code_point < 0x20 || code_point == 0xFFFE || code_point == 0xFFFF;
    return foreign ? "\xEF\xBF\xBD" : NULL;
}

void escape_xml(struct bytes input, struct buf *out)
{
    for (size_t at = 0; at < input.len;) {
        size_t start = at;
        const char *reference = xml_reference(utf8_next(input, &at));
        if (reference)
            buf_add_string(out, reference);
        else
            buf_add(out, bytes_slice(input, start, at));
    }
}
