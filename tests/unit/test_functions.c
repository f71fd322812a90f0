/* grammar/functions: known answers, decoders that others wrote (zlib, a shell, Python, our JSON reader), and
 * the bounds on lengths that budgets rely on. */
#include <unistd.h>
#include <zlib.h>

#include "base/encode.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/subprocess.h"
#include "grammar/functions.h"
#include "unit.h"

static struct buf out;

static void set_up(void)
{
    buf_init(&out, 1 << 24);
}

static void tear_down(void)
{
    buf_release(&out);
}

static struct bytes apply(const char *name, struct bytes input)
{
    const struct function_row *row = function_find(bytes_of_string(name));
    ck_assert_ptr_nonnull(row);
    buf_clear(&out);
    row->apply(input, &out);
    ck_assert(!out.overflow);
    return buf_bytes(&out);
}

static const struct {
    const char *name;
    struct bytes input;
    struct bytes output;
} known[] = {
    {"len", BYTES_LITERAL(""), BYTES_LITERAL("0")},
    {"len", BYTES_LITERAL("a\0b4567890"), BYTES_LITERAL("10")},
    {"crc32", BYTES_LITERAL("123456789"), BYTES_LITERAL("3421780262")},
    {"crc32", BYTES_LITERAL(""), BYTES_LITERAL("0")},
    {"sha256", BYTES_LITERAL("abc"),
     BYTES_LITERAL("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")},
    {"b64", BYTES_LITERAL("fooba\xff"), BYTES_LITERAL("Zm9vYmH/")},
    {"hex", BYTES_LITERAL("\0\x7f\xab"), BYTES_LITERAL("007fab")},
    {"upper", BYTES_LITERAL("aZ\xc3\xa4{`\0"), BYTES_LITERAL("AZ\xc3\xa4{`\0")},
    {"lower", BYTES_LITERAL("aZ\xc3\x84[@\0"), BYTES_LITERAL("az\xc3\x84[@\0")},
    {"esc.json", BYTES_LITERAL(""), BYTES_LITERAL("")},
    {"esc.json", BYTES_LITERAL("\"\\/\b\f\n\r\t\x01\x7f\0"),
     BYTES_LITERAL("\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\x7f\\u0000")},
    {"esc.json", BYTES_LITERAL("\xc3\xa4\xff"), BYTES_LITERAL("\xc3\xa4\\u00ff")},
    {"esc.sh", BYTES_LITERAL(""), BYTES_LITERAL("''")},
    {"esc.sh", BYTES_LITERAL("it's $HOME"), BYTES_LITERAL("'it'\\''s $HOME'")},
    {"esc.sh", BYTES_LITERAL("''"), BYTES_LITERAL("''\\'''\\'''")},
    {"esc.py", BYTES_LITERAL(""), BYTES_LITERAL("''")},
    {"esc.py", BYTES_LITERAL("a'b\\\n\r\t\0\x7f\xc3\xa4"),
     BYTES_LITERAL("'a\\'b\\\\\\n\\r\\t\\x00\\x7f\xc3\xa4'")},
    {"esc.py", BYTES_LITERAL("\xc3\xa4\xff'"), BYTES_LITERAL("b'\\xc3\\xa4\\xff\\''")},
    {"esc.url", BYTES_LITERAL("aZ09-._~ /?%\0\xc3\xa4"), BYTES_LITERAL("aZ09-._~%20%2F%3F%25%00%C3%A4")},
    {"esc.xml", BYTES_LITERAL("<&>\"'\t\n\r"), BYTES_LITERAL("&lt;&amp;&gt;&quot;&#39;&#9;&#10;&#13;")},
    {"esc.xml", BYTES_LITERAL("a\0\xc3\xa4\xff\xef\xbf\xbf"),
     BYTES_LITERAL("a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd")},
};

START_TEST(known_answers)
{
    struct bytes got = apply(known[_i].name, known[_i].input);
    ck_assert_msg(bytes_equal(got, known[_i].output), "%s gave \"%.*s\"", known[_i].name, BYTES_ARG(got));
}
END_TEST

START_TEST(table)
{
    size_t count;
    const struct function_row *rows = function_table(&count);
    ck_assert_uint_eq(count, 13);
    for (size_t i = 0; i < count; i++) {
        ck_assert_ptr_eq(function_find(bytes_of_string(rows[i].name)), &rows[i]);
        ck_assert_ptr_nonnull(rows[i].doc);
    }
    ck_assert_ptr_null(function_find(BYTES_LITERAL("esc")));
    ck_assert_ptr_null(function_find(BYTES_LITERAL("")));
    ck_assert_ptr_null(function_find(BYTES_LITERAL("len\0")));
}
END_TEST

/* UTF-8 of one and two bytes a character. */
static size_t sample_text(struct rng *rng, uint8_t *room, size_t len)
{
    size_t k = 0;
    while (k + 2 <= len) {
        room[k++] = rng_chance(rng, 0.5) ? 0xC3 : 'a';
        if (room[k - 1] == 0xC3)
            room[k++] = (uint8_t)(0x80 + rng_below(rng, 64));
    }
    return k;
}

/* Random bytes; every third time only of those that encoders care about, every third time UTF-8. */
static struct bytes sample(struct rng *rng, uint8_t *room, size_t most, int i)
{
    static const char hard[] = "'\"\\<&>\n\r\t\0\x7f\xed\xa0\x80\xc3";
    size_t len = rng_below(rng, most + 1);
    if (i % 3 == 2)
        return bytes_of(room, sample_text(rng, room, len));
    for (size_t k = 0; k < len; k++)
        room[k] = (uint8_t)(i % 3 ? (uint64_t)hard[rng_below(rng, sizeof hard - 1)] : rng_next(rng));
    return bytes_of(room, len);
}

START_TEST(lengths_are_bounded)
{
    size_t count;
    const struct function_row *row = &function_table(&count)[_i];
    struct rng rng;
    rng_seed(&rng, 5, (uint64_t)_i);
    uint8_t room[400];
    for (int i = 0; i < 150; i++) {
        struct bytes input = sample(&rng, room, i < 30 ? 3 : sizeof room, i);
        size_t most = apply(row->name, BYTES_NONE).len;
        size_t none = most;
        for (size_t k = 0; k < input.len && !row->length; k++)
            most += apply(row->name, bytes_of(input.data + k, 1)).len - none;
        if (row->length)
            most = row->length(input.len);
        size_t got = apply(row->name, input).len;
        ck_assert_msg(got <= most, "%s: %zu bytes gave %zu, bound is %zu", row->name, input.len, got, most);
        if (row->length)
            ck_assert_uint_le(most, 2 * input.len + row->length(0) + 2);
    }
}
END_TEST

START_TEST(lengths_of_anything)
{
    size_t count;
    const struct function_row *row = &function_table(&count)[_i];
    static const size_t sizes[] = {0, 1, 2, 3, 9, 10, 65535, 65536, SIZE_MAX / 4, SIZE_MAX - 1, SIZE_MAX};
    for (size_t i = 1; row->length && i < sizeof sizes / sizeof *sizes; i++)
        ck_assert_uint_ge(row->length(sizes[i]), row->length(sizes[i - 1]));
}
END_TEST

START_TEST(declared_alphabets)
{
    size_t count;
    const struct function_row *row = &function_table(&count)[_i];
    struct rng rng;
    rng_seed(&rng, 6, (uint64_t)_i);
    uint8_t room[100];
    for (int i = 0; i < 200 && row->alphabet; i++) {
        struct bytes got = apply(row->name, sample(&rng, room, sizeof room, i));
        for (size_t k = 0; k < got.len; k++)
            ck_assert(got.data[k] && strchr(row->alphabet, got.data[k]));
    }
}
END_TEST

/* zlib has to give back the bytes; sizes around the limits of stored blocks. */
START_TEST(gzip_is_read_by_zlib)
{
    static const size_t sizes[] = {0, 1, 65534, 65535, 65536, 131070, 131071, 200000};
    size_t size = sizes[_i];
    uint8_t *plain = malloc(size + 1), *back = malloc(size + 1);
    struct rng rng;
    rng_seed(&rng, 3, size);
    rng_fill(&rng, plain, size);
    struct bytes packed = apply("gzip", bytes_of(plain, size));
    ck_assert_uint_eq(packed.len, function_find(BYTES_LITERAL("gzip"))->length(size));
    z_stream z = {.next_in = (Bytef *)packed.data,
                  .avail_in = (uInt)packed.len,
                  .next_out = back,
                  .avail_out = (uInt)size + 1};
    ck_assert_int_eq(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
    ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
    ck_assert_uint_eq(z.avail_in, 0);
    ck_assert_uint_eq(z.total_out, size);
    ck_assert(size == 0 || memcmp(plain, back, size) == 0);
    inflateEnd(&z);
    free(plain);
    free(back);
}
END_TEST

START_TEST(json_reads_it_back)
{
    struct rng rng;
    rng_seed(&rng, 8, 0);
    uint8_t room[60];
    for (int i = 0; i < 300; i++) {
        struct bytes input = sample(&rng, room, sizeof room, 3 * i + 2);
        struct buf text;
        struct arena arena;
        struct json *value = NULL;
        buf_init(&text, 1000);
        arena_init(&arena);
        buf_add_byte(&text, '"');
        buf_add(&text, apply("esc.json", input));
        buf_add_byte(&text, '"');
        ck_assert_int_eq(json_read(&arena, buf_bytes(&text), NULL, "test", &value, NULL, NULL), 0);
        ck_assert(bytes_equal(value->text, input));
        arena_release(&arena);
        buf_release(&text);
    }
}
END_TEST

static void run(const char *const *argv, struct bytes input, struct buf *got)
{
    struct buf errors;
    struct error *err = NULL;
    int status = -1;
    buf_init(got, 1 << 20);
    buf_init(&errors, 1 << 16);
    ck_assert_msg(subprocess_run(argv, input, 30000, 1 << 20, got, &errors, &status, &err) == 0, "%s",
                  err ? err->text : "");
    ck_assert_msg(status == 0, "%s", buf_string(&errors));
    buf_release(&errors);
}

/* Every byte but NUL, which a shell word cannot hold, and some words that are all quotes. */
START_TEST(sh_reads_it_back)
{
    uint8_t all[255];
    for (unsigned i = 0; i < sizeof all; i++)
        all[i] = (uint8_t)(i + 1);
    struct bytes inputs[] = {bytes_of(all, sizeof all),
                             BYTES_LITERAL("'"),
                             BYTES_LITERAL("'''"),
                             BYTES_LITERAL("a'\n'"),
                             BYTES_LITERAL("-n $(id) `id` \\ * ~ !"),
                             BYTES_LITERAL("")};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        struct buf script, got;
        buf_init(&script, 10000);
        buf_add_string(&script, "printf %s ");
        buf_add(&script, apply("esc.sh", inputs[i]));
        const char *argv[] = {"sh", "-c", buf_string(&script), NULL};
        run(argv, BYTES_NONE, &got);
        ck_assert(bytes_equal(buf_bytes(&got), inputs[i]));
        buf_release(&script);
        buf_release(&got);
    }
}
END_TEST

/* One literal a line; Python evaluates each and writes the hex of what it is. */
START_TEST(python_reads_it_back)
{
    static const char program[] = "import ast, sys\n"
                                  "for line in sys.stdin.buffer.read().split(b'\\n')[:-1]:\n"
                                  "    v = ast.literal_eval(line.decode('utf-8'))\n"
                                  "    print((v if isinstance(v, bytes) else v.encode('utf-8')).hex())\n";
    if (access("/usr/bin/python3", X_OK) != 0)
        return;
    struct rng rng;
    rng_seed(&rng, 9, 0);
    uint8_t room[60];
    struct buf literals, want, got;
    buf_init(&literals, 1 << 20);
    buf_init(&want, 1 << 20);
    for (int i = 0; i < 500; i++) {
        struct bytes input = sample(&rng, room, sizeof room, i);
        buf_add(&literals, apply("esc.py", input));
        buf_add_byte(&literals, '\n');
        hex_encode(&want, input);
        buf_add_byte(&want, '\n');
    }
    const char *argv[] = {"/usr/bin/python3", "-c", program, NULL};
    run(argv, buf_bytes(&literals), &got);
    ck_assert_str_eq(buf_string(&got), buf_string(&want));
    buf_release(&literals);
    buf_release(&want);
    buf_release(&got);
}
END_TEST

START_TEST(full_buffer)
{
    size_t count;
    const struct function_row *row = &function_table(&count)[_i];
    struct buf small;
    buf_init(&small, 0);
    row->apply(BYTES_LITERAL("a'\"\\<\n"), &small);
    ck_assert(small.overflow);
    buf_release(&small);
}
END_TEST

static void fill(TCase *t)
{
    size_t count;
    function_table(&count);
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_loop_test(t, known_answers, 0, sizeof known / sizeof *known);
    tcase_add_test(t, table);
    tcase_add_loop_test(t, lengths_are_bounded, 0, (int)count);
    tcase_add_loop_test(t, lengths_of_anything, 0, (int)count);
    tcase_add_loop_test(t, declared_alphabets, 0, (int)count);
    tcase_add_loop_test(t, gzip_is_read_by_zlib, 0, 8);
    tcase_add_test(t, json_reads_it_back);
    tcase_add_test(t, sh_reads_it_back);
    tcase_add_test(t, python_reads_it_back);
    tcase_add_loop_test(t, full_buffer, 0, (int)count);
}

int main(void)
{
    return unit_main("functions", fill);
}
