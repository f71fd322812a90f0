/* Long lines are cut by counting UTF-16 units, so half of a surrogate pair may be left. Only that is cut
 * here: the rest of such a line goes, the half stands in the answer as an escape that is no text. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "leakybox/faults.h"

enum { UNITS = 2000 };

/* Stands where the half belongs, from here until the answer is written: no character, and refused by nobody.
 */
static const struct bytes marker = {(const uint8_t *)"\xf4\x8f\xbf\xbf", 4};
static unsigned half; /* of the answer that is being made; 0: none */

/* Offset of the character that lies across the limit of its line, from `at` on; the text's length when none
 * does. */
static size_t find_split(struct bytes text, uint32_t *character)
{
    size_t units = 0;

    for (size_t at = 0; at < text.len;) {
        size_t start = at;
        int32_t c = utf8_next(text, &at);

        if (c > 0xffff && units == UNITS - 1) {
            *character = (uint32_t)c;
            return start;
        }
        units = c == '\n' ? 0 : units + (c > 0xffff ? 2 : 1);
    }
    return text.len;
}

static enum fault_mark on_load(struct fault_load *e)
{
    struct bytes data = buf_bytes(e->data);
    uint32_t character = 0;
    struct buf cut;
    ptrdiff_t rest;
    size_t at;

    if (e->tool->run != tool_read_file || !utf8_valid(data) || bytes_find(data, marker, 0) >= 0)
        return FAULT_MISSED;
    at = find_split(data, &character);
    if (at == data.len)
        return FAULT_REACHED;
    rest = bytes_find(data, BYTES_LITERAL("\n"), at);
    buf_init(&cut, data.len);
    buf_add(&cut, bytes_slice(data, 0, at));
    buf_add(&cut, marker);
    buf_add(&cut, bytes_slice(data, rest < 0 ? data.len : (size_t)rest, data.len));
    buf_clear(e->data);
    buf_add(e->data, buf_bytes(&cut));
    buf_release(&cut);
    half = 0xd800 + ((character - 0x10000) >> 10);
    return FAULT_TRIGGERED;
}

static enum fault_mark on_reply(struct fault_reply *e)
{
    struct bytes line = bytes_slice(buf_bytes(e->out), e->start, e->out->len);
    ptrdiff_t at = half ? bytes_find(line, marker, 0) : -1;
    struct buf written;

    if (at < 0)
        return FAULT_MISSED;
    buf_init(&written, line.len + 8);
    buf_add(&written, bytes_slice(line, 0, (size_t)at));
    buf_addf(&written, "\\u%04x", half);
    buf_add(&written, bytes_slice(line, (size_t)at + marker.len, line.len));
    buf_cut(e->out, e->start);
    buf_add(e->out, buf_bytes(&written));
    buf_release(&written);
    half = 0;
    return FAULT_REACHED;
}

const struct fault fault_line_cuts_pair = {
    .id = "line-cuts-pair",
    .class_id = "C05",
    .layer = "interface",
    .primitive = "encoding",
    .needs = "threshold",
    .summary = "read_file cuts a line after 2,000 UTF-16 units, in the middle of a surrogate pair: half of "
               "it is in the answer",
    .report = "anthropics/claude-code#5934",
    .load = on_load,
    .reply = on_reply,
};
