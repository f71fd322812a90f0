/* Contents: making, measuring, hashing and streaming what a content value stands for.
 *
 * Every content is first a rope: pieces in memory and pieces that a recipe fills from any offset. Nothing
 * that can be filled is ever held whole, so hashing 1 GiB takes a chunk's memory. A value that is none of the
 * forms is ERR_INPUT. */
#include "gen/recipe.h"

#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "gen/recipes/recipes.h"

enum { CHUNK = 1 << 16 };

void rope_init(struct rope *rope, struct arena *a, size_t make_max)
{
    *rope = (struct rope){.arena = a, .make_max = make_max < RECIPE_MAKE_MAX ? make_max : RECIPE_MAKE_MAX};
}

static void add_piece(struct rope *rope, struct rope_piece piece)
{
    if (!piece.len)
        return;
    if (rope->count == rope->capacity) {
        size_t capacity = rope->capacity ? rope->capacity * 2 : 8;
        struct rope_piece *pieces = arena_alloc(rope->arena, capacity * sizeof *pieces);
        if (rope->count)
            memcpy(pieces, rope->pieces, rope->count * sizeof *pieces);
        rope->pieces = pieces;
        rope->capacity = capacity;
    }
    rope->pieces[rope->count++] = piece;
    rope->len += piece.len;
}

static void add_memory(struct rope *rope, struct bytes data)
{
    add_piece(rope, (struct rope_piece){.memory = data, .len = data.len});
}

static int add_made(struct rope *rope, const struct recipe *recipe, const struct json *parameters,
                    struct error **err)
{
    struct buf made;
    buf_init(&made, rope->make_max);
    int status = recipe->make(parameters, &made, err);
    if (status == 0)
        add_memory(rope, arena_copy(rope->arena, buf_bytes(&made)));
    buf_release(&made);
    return status;
}

int rope_add(struct rope *rope, const struct json *content, struct error **err)
{
    if (json_is(content, JSON_STRING)) {
        add_memory(rope, content->text);
        return 0;
    }
    const struct recipe *recipe = recipe_find(json_as_text(json_get(content, "$recipe")));
    if (!recipe)
        BUG("a content is not complete");
    if (recipe->compose)
        return recipe->compose(content, rope, err);
    if (!recipe->fill)
        return add_made(rope, recipe, content, err);
    add_piece(rope, (struct rope_piece){
                        .recipe = recipe, .parameters = content, .len = (uint64_t)recipe->size(content)});
    return 0;
}

void rope_add_slice(struct rope *rope, const struct rope *from, uint64_t start, uint64_t end)
{
    uint64_t at = 0;
    for (size_t i = 0; i < from->count; i++) {
        struct rope_piece piece = from->pieces[i];
        uint64_t low = start > at ? start - at : 0, high = end > at ? end - at : 0;
        at += piece.len;
        high = high > piece.len ? piece.len : high;
        if (low >= high)
            continue;
        if (piece.recipe)
            piece.offset += low;
        else
            piece.memory = bytes_slice(piece.memory, low, high);
        piece.len = high - low;
        add_piece(rope, piece);
    }
}

static void piece_read(const struct rope_piece *piece, uint64_t offset, uint8_t *data, size_t len)
{
    if (piece->recipe)
        piece->recipe->fill(piece->parameters, piece->offset + offset, data, len);
    else
        memcpy(data, piece->memory.data + offset, len);
}

void rope_read(const struct rope *rope, uint64_t offset, void *data, size_t len)
{
    uint8_t *out = data;
    for (size_t i = 0; i < rope->count && len; i++) {
        const struct rope_piece *piece = &rope->pieces[i];
        if (offset >= piece->len) {
            offset -= piece->len;
            continue;
        }
        size_t part = piece->len - offset < len ? (size_t)(piece->len - offset) : len;
        piece_read(piece, offset, out, part);
        out += part;
        len -= part;
        offset = 0;
    }
    if (len)
        BUG("a content is read past its end");
}

/* A rope of any content value, all in the arena but for the bytes of a string, which are borrowed. */
static int rope_open(struct rope *rope, struct arena *a, size_t max, const struct json *content,
                     struct error **err)
{
    rope_init(rope, a, max);
    struct json *complete;
    struct buf decoded;
    if (json_is(content, JSON_STRING))
        return rope_add(rope, content, err);
    if (json_get(content, "$recipe")) {
        TRY(recipe_complete(content, "content", rope->arena, &complete, err));
        return rope_add(rope, complete, err);
    }
    const struct json *text = json_get(content, "$bytes");
    buf_init(&decoded, SIZE_MAX);
    bool ok = json_is(text, JSON_STRING) && base64_decode(&decoded, text->text) == 0;
    if (ok)
        add_memory(rope, arena_copy(rope->arena, buf_bytes(&decoded)));
    buf_release(&decoded);
    return ok ? 0
              : error_set(err, ERR_INPUT, "content: found %s, expected a string, $bytes or $recipe",
                          content ? json_kind_name(content->kind) : "nothing");
}

/* Streams. */

struct content_stream {
    struct arena arena;
    struct rope rope;
    uint64_t at;
};

int content_open(const struct json *content, struct content_stream **stream, struct error **err)
{
    struct content_stream *s = xcalloc(1, sizeof *s);
    arena_init(&s->arena);
    /* A copy, so that a stream does not depend on the task that named it. */
    int status = rope_open(&s->rope, &s->arena, SIZE_MAX, content ? json_copy(&s->arena, content) : NULL,
                           err);
    if (status < 0) {
        content_close(s);
        s = NULL;
    }
    *stream = s;
    return status;
}

size_t content_read(struct content_stream *s, void *data, size_t len)
{
    uint64_t left = s->rope.len - s->at;
    size_t part = left < len ? (size_t)left : len;
    rope_read(&s->rope, s->at, data, part);
    s->at += part;
    return part;
}

uint64_t content_length(const struct content_stream *s)
{
    return s->rope.len;
}

void content_seek(struct content_stream *s, uint64_t at)
{
    s->at = at < s->rope.len ? at : s->rope.len;
}

void content_close(struct content_stream *s)
{
    if (!s)
        return;
    arena_release(&s->arena);
    free(s);
}

/* Calls visit for each chunk in order until it says false. */
static void each_chunk(const struct rope *rope, bool (*visit)(void *context, struct bytes chunk),
                       void *context)
{
    uint8_t *chunk = xmalloc(CHUNK);
    bool more = true;
    for (uint64_t at = 0; more && at < rope->len;) {
        size_t part = rope->len - at < CHUNK ? (size_t)(rope->len - at) : CHUNK;
        rope_read(rope, at, chunk, part);
        more = visit(context, bytes_of(chunk, part));
        at += part;
    }
    free(chunk);
}

static bool visit_make(void *context, struct bytes chunk)
{
    return buf_add(context, chunk) == 0;
}

int content_make(const struct json *content, size_t max, struct buf *out, struct error **err)
{
    struct arena scratch;
    struct rope rope;
    arena_init(&scratch);
    int status = rope_open(&rope, &scratch, max, content, err);
    if (status == 0 && rope.len > max)
        status = error_set(err, ERR_LIMIT, "content has %llu bytes, more than the %zu that are allowed",
                           (unsigned long long)rope.len, max);
    if (status == 0)
        each_chunk(&rope, visit_make, out);
    if (status == 0 && out->overflow)
        status = error_set(err, ERR_LIMIT, "content does not fit into a buffer of %zu bytes", out->max);
    arena_release(&scratch);
    return status;
}

int64_t content_size(const struct json *content)
{
    struct arena scratch;
    struct rope rope;
    arena_init(&scratch);
    int64_t size = rope_open(&rope, &scratch, SIZE_MAX, content, NULL) < 0 ? -1 : (int64_t)rope.len;
    arena_release(&scratch);
    return size;
}

static bool visit_hash(void *context, struct bytes chunk)
{
    sha256_add(context, chunk);
    return true;
}

static struct json *hash_fact(const struct json *content, struct arena *a)
{
    struct arena scratch;
    struct rope rope;
    struct json *fact = NULL;
    arena_init(&scratch);
    if (rope_open(&rope, &scratch, SIZE_MAX, content, NULL) == 0) {
        struct sha256 *hash = sha256_new();
        uint8_t digest[32];
        each_chunk(&rope, visit_hash, hash);
        sha256_finish(hash, digest);
        struct buf hex;
        buf_init(&hex, 64);
        hex_encode(&hex, bytes_of(digest, sizeof digest));
        fact = json_string(a, buf_bytes(&hex));
        buf_release(&hex);
    }
    arena_release(&scratch);
    return fact;
}

struct json *content_fact(const struct json *content, struct bytes name, struct arena *a)
{
    if (bytes_equal_string(name, "sha256"))
        return hash_fact(content, a);
    if (bytes_equal_string(name, "size")) {
        int64_t size = content_size(content);
        return size < 0 ? NULL : json_integer(a, size);
    }
    struct json *complete = NULL, *fact = NULL;
    struct arena scratch;
    arena_init(&scratch);
    const struct recipe *recipe = recipe_find(json_as_text(json_get(content, "$recipe")));
    if (recipe && recipe->fact && recipe_complete(content, "content", &scratch, &complete, NULL) == 0)
        fact = recipe->fact(complete, name, a);
    arena_release(&scratch);
    return fact;
}

/* UTF-8. */

/* Looks at the bytes; a character may lie across two chunks, so all is made. */
static bool made_is_utf8(const struct json *content)
{
    struct buf made;
    buf_init(&made, RECIPE_LOOK_MAX);
    bool valid = content_make(content, RECIPE_LOOK_MAX, &made, NULL) == 0 && utf8_valid(buf_bytes(&made));
    buf_release(&made);
    return valid;
}

bool content_is_utf8(const struct json *content)
{
    if (json_is(content, JSON_STRING))
        return utf8_valid(content->text);
    struct json *complete = NULL;
    struct arena scratch;
    arena_init(&scratch);
    const struct recipe *recipe = recipe_find(json_as_text(json_get(content, "$recipe")));
    int known = -1;
    if (recipe && recipe->utf8 && recipe_complete(content, "content", &scratch, &complete, NULL) == 0)
        known = recipe->utf8(complete);
    arena_release(&scratch);
    return known < 0 ? made_is_utf8(content) : known > 0;
}
