/* What a server writes: splitting into lines, and messages while two requests are waiting. The first byte
 * is the longest line in units of 16 bytes, the second the size of chunks. */
#include <stdlib.h>

#include "exec/target/mcp_client_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int still_runs(void *context, int *status)
{
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct mcp_peer peer = {.in = -1, .out = -1, .err = -1, .ended = still_runs};
    struct mcp_limits limits = {.max_line = 16 * ((size_t)data[0] + 1), .grace_ms = 1, .quiet_ms = 1};
    struct mcp_client *c = mcp_client_new(&peer, &limits);
    struct arena arena;
    arena_init(&arena);
    struct mcp_exchange waiting[2] = {{.method = "tools/call", .arena = &arena, .id = 1},
                                      {.arena = &arena, .id = 2}};
    c->ids = xcalloc(2, sizeof *c->ids);
    c->id_count = c->id_capacity = 2;
    c->ids[0].exchange = &waiting[0];
    c->ids[1].exchange = &waiting[1];
    c->batches = data[1] & 1;
    size_t chunk_size = (size_t)data[1] + 1;
    for (size_t at = 2; at < size; at += chunk_size) {
        struct bytes chunk = bytes_slice(bytes_of(data, size), at, at + chunk_size);
        struct mcp_line line;
        while (mcp_lines_next(&c->lines, &chunk, &line))
            mcp_message_line(c, &line);
    }
    struct mcp_line line;
    if (mcp_lines_end(&c->lines, &line))
        mcp_message_line(c, &line);
    const struct wire_event *events;
    size_t count = c->events[0].count;
    events = c->events[0].items;
    for (size_t i = 0; i < count; i++)
        if (events[i].text.len > EVENT_TEXT)
            abort();
    for (int i = 0; i < 2; i++)
        if ((waiting[i].state == MCP_ANSWERED) != (waiting[i].reply || waiting[i].too_long))
            abort();
    mcp_client_free(c);
    arena_release(&arena);
    return 0;
}
