/* The grammars of tests/data/grammar, each with somebody who recognises its texts and does not know the grammar. */
#ifndef TESTS_UNIT_GRAMMAR_LANGUAGES_H
#define TESTS_UNIT_GRAMMAR_LANGUAGES_H

#include <zlib.h>

#include "base/hash.h"
#include "base/json.h"
#include "grammar_case.h"

static inline struct grammar *load_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/grammar/%s", TASKGEN_SOURCE_DIR, name);
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    int status = grammar_add_file(g, path, &err);
    if (status == 0)
        status = grammar_compile(g, TEST_FIRST_SITE, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    return g;
}

/* Recognisers. ------------------------------------------------------------------------------------------- */

struct text {
    const uint8_t *at, *end;
};

static inline int here(const struct text *t)
{
    return t->at < t->end ? *t->at : -1;
}

static inline bool digits(struct text *t)
{
    const uint8_t *start = t->at;
    while (here(t) >= '0' && here(t) <= '9')
        t->at++;
    return t->at > start;
}

/* Arithmetic with a stack of open parentheses: operands and operators take turns. */
static inline bool is_arithmetic(struct bytes b)
{
    struct text t = {b.data, b.data + b.len};
    size_t open = 0;
    for (;;) {
        while (here(&t) == '+' || here(&t) == '-' || here(&t) == '(')
            open += *t.at++ == '(';
        if (!digits(&t) || (here(&t) == '.' && (t.at++, !digits(&t))))
            return false;
        for (; here(&t) == ')'; t.at++)
            if (open-- == 0)
                return false;
        if (here(&t) < 0)
            return open == 0;
        if (!strchr("+-*/", *t.at++))
            return false;
    }
}

static inline bool is_json(struct bytes b)
{
    struct arena arena;
    struct json *value = NULL;
    arena_init(&arena);
    bool good = json_read(&arena, b, NULL, "test", &value, NULL, NULL) == 0;
    arena_release(&arena);
    return good;
}

static inline uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline bool is_number_chunk(const uint8_t *p, uint32_t len)
{
    uint32_t number = len == 16 ? big_endian(p + 2) : 0;
    unsigned part = len == 16 ? p[14] >> 4 & 7 : 0;
    return number >= 7 && number <= 9 && part >= 2 && part <= 5;
}

static inline bool is_gzip(const uint8_t *p, uint32_t len)
{
    static uint8_t plain[1 << 16];
    z_stream z = {.next_in = (Bytef *)p, .avail_in = len, .next_out = plain, .avail_out = sizeof plain};
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
        return false;
    bool good = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0;
    inflateEnd(&z);
    return good;
}

/* Chunks inside a LIST lie where its data does, so one pass checks them all. */
static inline bool are_chunks(struct bytes b)
{
    size_t at = 0;
    while (at < b.len) {
        const uint8_t *p = b.data + at;
        if (b.len - at < 12 || big_endian(p) > b.len - at - 12)
            return false;
        uint32_t len = big_endian(p);
        if (crc32_of(bytes_of(p + 4, 4 + (size_t)len)) != big_endian(p + 8 + len))
            return false;
        bool good = memcmp(p + 4, "DATA", 4) == 0 || (memcmp(p + 4, "LIST", 4) == 0 && are_chunks(bytes_of(p + 8, len))) ||
                    (memcmp(p + 4, "NUMB", 4) == 0 && is_number_chunk(p + 8, len)) ||
                    (memcmp(p + 4, "TEXT", 4) == 0 && is_gzip(p + 8, len));
        if (!good)
            return false;
        at += 12 + (size_t)len;
    }
    return true;
}

static inline bool is_chunk_file(struct bytes b)
{
    return bytes_starts(b, BYTES_LITERAL("TGC\x1a")) && b.len > 4 && are_chunks(bytes_slice(b, 4, b.len));
}

static inline bool is_empty(struct bytes b)
{
    return b.len == 0;
}

/* The shortest text of each is known by hand. least: what the engine is sure to fit in. */
static const struct language {
    const char *file;
    bool (*recognise)(struct bytes);
    size_t least;
} languages[] = {
    {"expr.tg", is_arithmetic, 1}, {"left.tg", is_arithmetic, 1},  {"json.tg", is_json, 1},
    {"quoted.tg", is_json, 1},     {"chunks.tg", is_chunk_file, 16}, {"zero.tg", is_empty, 0},
};
enum { LANGUAGES = sizeof languages / sizeof *languages };

/* A language that writes nothing takes all the work it is given each time, so a tenth of the rounds has to do. */
static inline uint64_t rounds_of(const struct language *l, uint64_t rounds)
{
    return l->recognise == is_empty ? rounds / 10 : rounds;
}

static inline void assert_in(const struct language *l, const struct derived *d, size_t most)
{
    ck_assert_msg(d->status == 0, "%s: %s", l->file, d->err ? d->err->text : "");
    ck_assert_uint_le(d->out.len, most);
    ck_assert_msg(l->recognise(buf_bytes(&d->out)), "%s gave %.*s", l->file, BYTES_ARG(buf_bytes(&d->out)));
}

#endif
