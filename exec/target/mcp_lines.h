/* Splits what a server writes into lines, whatever it writes: no newline for gigabytes, NULs, bytes that are
 * no text. Messages that end otherwise than in a newline are split the same way.
 *
 * A line longer than the maximum is never held: only its first and last MCP_LINE_EDGE bytes are kept, so
 * that the call it may have answered can still be told, and its length is counted. Memory is bounded by
 * the maximum. */
#ifndef EXEC_TARGET_MCP_LINES_H
#define EXEC_TARGET_MCP_LINES_H

#include "base/bytes.h"

enum { MCP_LINE_EDGE = 4096 };

struct mcp_line {
    struct bytes text;  /* without its newline; the first bytes of a line that is too long */
    struct bytes tail;  /* of a line that is too long: its last bytes; else none */
    uint64_t length;    /* of the whole line */
    bool too_long;
    int64_t likely_id;  /* of a line that is too long: of the request that it answers if no id is found in it; 0: not known */
};

struct mcp_lines {
    struct buf held;          /* the beginning of a line whose end has not come yet */
    size_t max;
    uint8_t ending;           /* of a line; a newline, unless the owner says otherwise after init */
    uint64_t length;          /* of the line being dropped; 0: none is */
    uint8_t tail[MCP_LINE_EDGE];
    size_t tail_length;
    bool handed_out;          /* `held` was given to the caller and is to be forgotten */
};

void mcp_lines_init(struct mcp_lines *l,
                    size_t max); /* max bytes a line, its newline not counted; at least 1 */
void mcp_lines_release(struct mcp_lines *l);
/* Takes from the front of *chunk up to the end of one line. True: a line is there; its bytes are valid
 * until the next call and as long as the chunk. False: the chunk is used up. */
bool mcp_lines_next(struct mcp_lines *l, struct bytes *chunk, struct mcp_line *line);
/* At the end of the stream: the last line, when it had no newline. False: there is none. */
bool mcp_lines_end(struct mcp_lines *l, struct mcp_line *line);

#endif
