/* The line splitter of the MCP driver; see mcp_lines.h.
 *
 * A line that lies wholly in one chunk is handed out where it stands, without a copy. Invariant: either
 * `length` is 0 and `held` is the whole beginning of the current line, or `length` counts the bytes of a
 * line that is being dropped, `held` has its first MCP_LINE_EDGE bytes (or max, when that is less) and
 * `tail` its last ones. */
#include "exec/target/mcp_lines.h"

#include <string.h>

void mcp_lines_init(struct mcp_lines *l, size_t max)
{
    *l = (struct mcp_lines){.max = max ? max : 1, .ending = '\n'};
    buf_init(&l->held, l->max);
}

void mcp_lines_release(struct mcp_lines *l)
{
    buf_release(&l->held);
}

static void forget_handed_out(struct mcp_lines *l)
{
    if (!l->handed_out)
        return;
    l->handed_out = false;
    /* One huge line must not keep its memory for the rest of the session. */
    if (l->held.cap > (1u << 20)) {
        buf_release(&l->held);
        buf_init(&l->held, l->max);
    } else {
        buf_clear(&l->held);
    }
    l->length = 0;
    l->tail_length = 0;
}

static void keep_tail(struct mcp_lines *l, struct bytes piece)
{
    if (piece.len >= MCP_LINE_EDGE) {
        memcpy(l->tail, piece.data + piece.len - MCP_LINE_EDGE, MCP_LINE_EDGE);
        l->tail_length = MCP_LINE_EDGE;
        return;
    }
    size_t room = MCP_LINE_EDGE - piece.len;
    if (l->tail_length > room) {
        memmove(l->tail, l->tail + l->tail_length - room, room);
        l->tail_length = room;
    }
    if (piece.len)
        memcpy(l->tail + l->tail_length, piece.data, piece.len);
    l->tail_length += piece.len;
}

/* From now on the line is only counted. */
static void start_dropping(struct mcp_lines *l, struct bytes piece)
{
    struct bytes held = buf_bytes(&l->held);
    keep_tail(l, held);
    keep_tail(l, piece);
    l->length = (uint64_t)held.len + piece.len;
    size_t head = l->max < MCP_LINE_EDGE ? l->max : MCP_LINE_EDGE;
    if (held.len < head)
        buf_add(&l->held, bytes_slice(piece, 0, head - held.len));
    buf_cut(&l->held, head);
}

static void add_piece(struct mcp_lines *l, struct bytes piece)
{
    if (l->length) {
        keep_tail(l, piece);
        l->length += piece.len;
    } else if (piece.len > l->max - l->held.len) {
        start_dropping(l, piece);
    } else {
        buf_add(&l->held, piece);
    }
}

static void hand_out(struct mcp_lines *l, struct mcp_line *line)
{
    *line = (struct mcp_line){.text = buf_bytes(&l->held), .length = l->held.len};
    if (l->length) {
        line->too_long = true;
        line->length = l->length;
        line->tail = bytes_of(l->tail, l->tail_length);
    }
    l->handed_out = true;
}

bool mcp_lines_next(struct mcp_lines *l, struct bytes *chunk, struct mcp_line *line)
{
    forget_handed_out(l);
    if (!chunk->len)
        return false;
    const uint8_t *newline = memchr(chunk->data, l->ending, chunk->len);
    size_t length = newline ? (size_t)(newline - chunk->data) : chunk->len;
    struct bytes piece = bytes_of(chunk->data, length);
    *chunk = bytes_slice(*chunk, newline ? length + 1 : length, chunk->len);
    if (newline && !l->length && !l->held.len && piece.len <= l->max) {
        *line = (struct mcp_line){.text = piece, .length = piece.len};
        return true;
    }
    add_piece(l, piece);
    if (!newline)
        return false;
    hand_out(l, line);
    return true;
}

bool mcp_lines_end(struct mcp_lines *l, struct mcp_line *line)
{
    forget_handed_out(l);
    if (!l->held.len && !l->length)
        return false;
    hand_out(l, line);
    return true;
}
