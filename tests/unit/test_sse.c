/* exec/target/sse: events out of streams, however they are written and cut. */
#include <stdio.h>

#include "exec/target/sse.h"
#include "unit.h"

/* The events as "[data]" each, cut into chunks of this size. */
static const char *events_of(const char *stream, size_t chunk_size, struct sse *s)
{
    static char out[1000];
    struct sse_event event;
    size_t length = strlen(stream), used = 0;
    for (size_t at = 0; at < length; at += chunk_size) {
        struct bytes chunk = bytes_of(stream + at, length - at < chunk_size ? length - at : chunk_size);
        while (sse_next(s, &chunk, &event)) {
            int n = snprintf(out + used, sizeof out - used, "[%.*s%s]", BYTES_ARG(event.data), event.too_long ? "…" : "");
            used += (size_t)n;
        }
    }
    out[used] = '\0';
    return out;
}

static const struct {
    const char *stream, *events, *id;
    int64_t retry;
} rows[] = {
    {"data: a\n\n", "[a]", "", -1},
    {"data:a\r\n\r\ndata:b\r\rdata: c\n\n", "[a][b][c]", "", -1},
    {"data: a\ndata:  b\ndata\n\n", "[a\n b\n]", "", -1},
    {": comment\nevent: x\nid: 7\n\n", "", "7", -1}, /* no data: no event, but the id counts */
    {"id: 7\ndata: a\n\nid\ndata: b\n\n", "[a][b]", "", -1},
    {"id: 7\ndata: a\n\nid: 8\ndata: b\n", "[a]", "7", -1}, /* the half event is to be asked for again */
    {"retry: 250\ndata:\n\n", "[]", "", 250},
    {"retry: soon\nretry: 12x\ndata: a\n\n", "[a]", "", -1},
    {"data: unfinished\n", "", "", -1},
    {"\n\n\ndata: a\n\n\n", "[a]", "", -1},
    {"DATA: a\nnonsense\ndata : b\n\n", "", "", -1},
    {"data: 0123456789abcdefXYZ\n\ndata: ok\n\n", "[0123456789abcdef…][ok]", "", -1},
};

START_TEST(streams)
{
    for (size_t chunk_size = 1; chunk_size < 60; chunk_size++) {
        struct sse s;
        sse_init(&s, 16);
        ck_assert_str_eq(events_of(rows[_i].stream, chunk_size, &s), rows[_i].events);
        ck_assert_str_eq(s.last_id, rows[_i].id);
        ck_assert_int_eq(s.retry_ms, rows[_i].retry);
        sse_release(&s);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, streams, 0, sizeof rows / sizeof *rows);
}

int main(void)
{
    return unit_main("sse", fill);
}
