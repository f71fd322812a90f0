/* Words for messages; see text.h. */
#include "leakybox/text.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"

enum { QUOTE_MAX = 200 };

void text_quote(struct buf *out, struct bytes name)
{
    size_t at = 0;

    buf_add_byte(out, '"');
    while (at < name.len && at < QUOTE_MAX) {
        size_t start = at;
        int32_t c = utf8_next(name, &at);

        if (c == '"' || c == '\\')
            buf_addf(out, "\\%c", (char)c);
        else if (c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0))
            buf_add(out, bytes_slice(name, start, at));
        else
            for (; start < at; start++)
                buf_addf(out, "\\x%02x", name.data[start]);
    }
    buf_add_string(out, at < name.len ? "…\"" : "\"");
}

void text_errno(struct buf *out, int number)
{
    const char *words = strerrordesc_np(number);
    const char *name = strerrorname_np(number);

    if (!words) {
        buf_addf(out, "error %d", number);
        return;
    }
    /* "No such file" becomes "no such file", but an abbreviation stays as it is. */
    if (isupper((unsigned char)words[0]) && !isupper((unsigned char)words[1])) {
        buf_add_byte(out, (uint8_t)tolower((unsigned char)words[0]));
        words++;
    }
    buf_add_string(out, words);
    if (name)
        buf_addf(out, " (%s)", name);
}
