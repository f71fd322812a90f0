/* The one loop that every byte of every string passes. It takes eight bytes at a time as long as none is
 * special. */
#include "base/json_internal.h"

#include <string.h>

/* Not 0 exactly when one of the eight bytes is a control character, '"', '\\' or not ASCII. Each term has a
 * byte's top bit set for one of these; a borrow out of a lower byte can only add to what is special already.
 */
static uint64_t special_bytes(uint64_t w)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    uint64_t control = w - ones * 0x20;
    uint64_t quote = (w ^ ones * '"') - ones, backslash = (w ^ ones * '\\') - ones;
    return (w | control | quote | backslash) & tops;
}

size_t json_plain_run(struct bytes text, size_t at)
{
    size_t start = at;
    if (at >= text.len)
        return 0;
    for (uint64_t word; text.len - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text.data + at, sizeof word);
        if (special_bytes(word))
            break;
    }
    while (at < text.len) {
        uint8_t c = text.data[at];
        if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\')
            break;
        at++;
    }
    return at - start;
}
