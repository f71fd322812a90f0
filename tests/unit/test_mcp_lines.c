/* exec/target/mcp_lines: the same lines whatever the chunks, and bounded memory whatever the lines. */
#include "base/rng.h"
#include "exec/target/mcp_lines.h"
#include "unit.h"

/* Feeds text in chunks and writes each line as "text|" or "<head...tail:length>|". */
static void split(struct mcp_lines *l, struct bytes text, size_t chunk_size, struct buf *out)
{
    for (size_t at = 0; at < text.len; at += chunk_size) {
        struct bytes chunk = bytes_slice(text, at, at + chunk_size);
        struct mcp_line line;
        while (mcp_lines_next(l, &chunk, &line)) {
            ck_assert_uint_le(line.text.len, l->max);
            if (line.too_long)
                buf_addf(out, "<%.*s..%.*s:%llu>", BYTES_ARG(line.text), BYTES_ARG(line.tail),
                         (unsigned long long)line.length);
            else
                buf_add(out, line.text);
            buf_add_byte(out, '|');
        }
        ck_assert_uint_eq(chunk.len, 0);
    }
    struct mcp_line line;
    if (mcp_lines_end(l, &line)) {
        buf_addf(out, "end %llu:", (unsigned long long)line.length);
        buf_add(out, line.text);
    }
    ck_assert(!mcp_lines_end(l, &line));
}

static const struct {
    struct bytes text;
    size_t max;
    struct bytes expected;
} cases[] = {
    {BYTES_LITERAL(""), 8, BYTES_LITERAL("")},
    {BYTES_LITERAL("\n"), 8, BYTES_LITERAL("|")},
    {BYTES_LITERAL("\n\n"), 8, BYTES_LITERAL("||")},
    {BYTES_LITERAL("a\nb\n"), 8, BYTES_LITERAL("a|b|")},
    {BYTES_LITERAL("a\r\nb"), 8, BYTES_LITERAL("a\r|end 1:b")},
    {BYTES_LITERAL("a\0b\n\xff\n"), 8, BYTES_LITERAL("a\0b|\xff|")},
    {BYTES_LITERAL("12345678\n"), 8, BYTES_LITERAL("12345678|")},
    {BYTES_LITERAL("123456789\nx\n"), 8, BYTES_LITERAL("<12345678..123456789:9>|x|")},
    {BYTES_LITERAL("123456789"), 8, BYTES_LITERAL("end 9:12345678")},
    {BYTES_LITERAL("abc\nx"), 1, BYTES_LITERAL("<a..abc:3>|end 1:x")},
};

START_TEST(any_chunks)
{
    for (size_t chunk = 1; chunk <= 13; chunk++) {
        struct mcp_lines l;
        struct buf out;
        mcp_lines_init(&l, cases[_i].max);
        buf_init(&out, 1 << 16);
        split(&l, cases[_i].text, chunk, &out);
        ck_assert_msg(bytes_equal(buf_bytes(&out), cases[_i].expected), "chunks of %zu: '%.*s'", chunk,
                      BYTES_ARG(buf_bytes(&out)));
        buf_release(&out);
        mcp_lines_release(&l);
    }
}
END_TEST

/* A line of 64 MiB with a maximum of 64 KiB: its edges and its length are known, and little is held. */
START_TEST(endless_line)
{
    static uint8_t chunk_data[65536];
    memset(chunk_data, 'x', sizeof chunk_data);
    struct mcp_lines l;
    struct mcp_line line;
    mcp_lines_init(&l, 65536);
    struct bytes head = BYTES_LITERAL("{\"id\":7,"), tail = BYTES_LITERAL("\"id\":7}\nnext\n");
    ck_assert(!mcp_lines_next(&l, &head, &line));
    for (int i = 0; i < 1024; i++) {
        struct bytes chunk = bytes_of(chunk_data, sizeof chunk_data);
        ck_assert(!mcp_lines_next(&l, &chunk, &line));
    }
    ck_assert_uint_le(l.held.cap, 65536 + 1);
    ck_assert(mcp_lines_next(&l, &tail, &line));
    ck_assert(line.too_long);
    ck_assert_uint_eq(line.length, 8 + 1024 * 65536 + 7);
    ck_assert(bytes_starts(line.text, BYTES_LITERAL("{\"id\":7,xxx")));
    ck_assert(bytes_ends(line.tail, BYTES_LITERAL("xx\"id\":7}")));
    ck_assert_uint_eq(line.tail.len, MCP_LINE_EDGE);
    ck_assert(mcp_lines_next(&l, &tail, &line));
    ASSERT_BYTES(line.text, "next");
    ck_assert(!mcp_lines_next(&l, &tail, &line));
    mcp_lines_release(&l);
}
END_TEST

/* Storage of one huge line is not kept for the ones after it. */
START_TEST(memory_is_given_back)
{
    struct mcp_lines l;
    struct mcp_line line;
    size_t size = 8 << 20;
    uint8_t *data = calloc(1, size);
    mcp_lines_init(&l, 64 << 20);
    struct bytes chunk = bytes_of(data, size), end = BYTES_LITERAL("\n"), more = BYTES_LITERAL("a\n");
    ck_assert(!mcp_lines_next(&l, &chunk, &line));
    ck_assert(mcp_lines_next(&l, &end, &line));
    ck_assert_uint_eq(line.text.len, size);
    ck_assert(mcp_lines_next(&l, &more, &line));
    ck_assert_uint_lt(l.held.cap, 1 << 20);
    free(data);
    mcp_lines_release(&l);
}
END_TEST

/* Random lines in random chunks against the plain way to do it. */
START_TEST(random_lines)
{
    struct rng r;
    rng_seed(&r, 1, (uint64_t)_i);
    struct mcp_lines l;
    struct buf text, expected, got;
    size_t max = 1 + rng_below(&r, 40);
    mcp_lines_init(&l, max);
    buf_init(&text, 1 << 20);
    buf_init(&expected, 1 << 20);
    buf_init(&got, 1 << 20);
    for (int i = 0; i < 200; i++) {
        size_t length = rng_below(&r, 60);
        size_t from = text.len;
        for (size_t k = 0; k < length; k++)
            buf_add_byte(&text, (uint8_t)('a' + rng_below(&r, 26)));
        struct bytes line = bytes_of(text.data + from, length);
        if (length > max)
            buf_addf(&expected, "<%.*s..%.*s:%zu>|", BYTES_ARG(bytes_slice(line, 0, max)), BYTES_ARG(line),
                     length);
        else
            buf_addf(&expected, "%.*s|", BYTES_ARG(line));
        buf_add_byte(&text, '\n');
    }
    split(&l, buf_bytes(&text), 1 + rng_below(&r, 100), &got);
    ck_assert(bytes_equal(buf_bytes(&got), buf_bytes(&expected)));
    buf_release(&text);
    buf_release(&expected);
    buf_release(&got);
    mcp_lines_release(&l);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, any_chunks, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, endless_line);
    tcase_add_test(tests, memory_is_given_back);
    tcase_add_loop_test(tests, random_lines, 0, 50);
}

int main(void)
{
    return unit_main("mcp_lines", fill);
}
