/* What the target said on standard error, line by line, without what differs from run to run: a server that tells of its state there tells of
 * states that no answer shows. Folded into a fixed number of slots, since a program may log whatever it is given. */
#include "exec/oracle/features/features.h"

#include <string.h>

enum { SLOTS = 512, LINE_MAX = 1024, CUT_LENGTH = 4096 };

static void find_line(struct features *f, const struct execution *e, struct bytes line)
{
    struct buf text;
    buf_init(&text, LINE_MAX);
    normalise(e->rules, NORMALISE_MESSAGE, bytes_slice(line, 0, line.len < LINE_MAX ? line.len : LINE_MAX), &text);
    if (text.len && feature_add(f, hash64(buf_bytes(&text)) % SLOTS))
        feature_say(f, "%s", buf_string(&text));
    buf_release(&text);
}

void feature_find_log(struct features *f, const struct execution *e)
{
    struct bytes rest = e->stderr_tail;
    const uint8_t *whole = rest.len >= CUT_LENGTH ? memchr(rest.data, '\n', rest.len) : NULL;
    if (whole) /* of a longer text the end: it begins in the middle of a line */
        rest = bytes_slice(rest, (size_t)(whole - rest.data) + 1, rest.len);
    while (rest.len) {
        const uint8_t *end = memchr(rest.data, '\n', rest.len);
        size_t length = end ? (size_t)(end - rest.data) : rest.len;
        find_line(f, e, bytes_slice(rest, 0, length));
        rest = bytes_slice(rest, length + (end != NULL), rest.len);
    }
}
