/* base64-lookalike: contents and arguments that are base64 text by themselves, so that one decoding or encoding too many, or
 * a guess at what is meant, gives other bytes. */
#include <string.h>

#include "base/encode.h"
#include "gen/recipe.h"
#include "mutate/mutate_internal.h"

enum { ENCODE_MAX = 48 << 10, COLUMNS = 76, TINY_MAX = 4 };

/* base64 text of sizes where it, or what it stands for, passes an edge. */
static const int64_t sizes[] = {1024, 4096, 65536, 131072, 1048576};

static void add_base64(struct buf *out, struct bytes bytes)
{
    base64_encode(out, bytes);
}

/* The other alphabet, which differs in two characters: three bytes in front make both of them appear. */
static void add_url(struct buf *out, struct bytes bytes)
{
    base64_encode(out, BYTES_LITERAL("\xfb\xff\xbf"));
    base64_encode(out, bytes);
    for (size_t i = 0; i < out->len; i++)
        out->data[i] = out->data[i] == '+' ? '-' : out->data[i] == '/' ? '_' : out->data[i];
}

static void add_unpadded(struct buf *out, struct bytes bytes)
{
    base64_encode(out, bytes);
    while (out->len && out->data[out->len - 1] == '=')
        buf_cut(out, out->len - 1);
}

static void add_nested(struct buf *out, struct bytes bytes)
{
    struct buf once;
    buf_init(&once, SIZE_MAX);
    base64_encode(&once, bytes);
    base64_encode(out, buf_bytes(&once));
    buf_release(&once);
}

static void add_lines(struct buf *out, struct bytes bytes)
{
    struct buf all;
    buf_init(&all, SIZE_MAX);
    base64_encode(&all, bytes);
    for (size_t at = 0; at < all.len; at += COLUMNS) {
        buf_add(out, bytes_slice(buf_bytes(&all), at, at + COLUMNS));
        buf_add_byte(out, '\n');
    }
    buf_release(&all);
}

static void add_data_uri(struct buf *out, struct bytes bytes)
{
    buf_add_string(out, "data:application/octet-stream;base64,");
    base64_encode(out, bytes);
}

static const struct variant {
    const char *kind, *words;
    void (*add)(struct buf *out, struct bytes bytes);
} variants[] = {
    {"whole", "as base64", add_base64},
    {"url", "as base64 in the alphabet for URLs", add_url},
    {"unpadded", "as base64 without its padding", add_unpadded},
    {"nested", "as base64 of base64", add_nested},
    {"lines", "as base64 in lines of 76", add_lines},
    {"data-uri", "as a data: URI", add_data_uri},
    {"tiny", "as base64", add_base64},
};

static const char *const body_kinds[] = {"whole",    "url",  "unpadded", "nested", "lines",
                                         "data-uri", "tiny", "large",    NULL};
static const char *const argument_kinds[] = {"whole", "url", "unpadded", "nested", "lines", "data-uri", "tiny", NULL};

/* What was there, or for "tiny" none to four random bytes, encoded; NULL for a kind that is not one of the table. */
static struct json *encoded(struct mutation *m, const char *kind, struct bytes was, const char **detail)
{
    uint8_t few[TINY_MAX];
    struct json *string = NULL;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (strcmp(variants[i].kind, kind) != 0)
            continue;
        if (strcmp(kind, "tiny") == 0) {
            for (size_t n = 0; n < TINY_MAX; n++)
                few[n] = (uint8_t)rng_below(m->rng, 256);
            was = bytes_of(few, (size_t)rng_range(m->rng, 0, TINY_MAX));
        }
        struct buf out;
        buf_init(&out, SIZE_MAX);
        variants[i].add(&out, was);
        string = json_string(&m->task->arena, buf_bytes(&out));
        buf_release(&out);
        *detail = arena_printf(&m->task->arena, "%s: %zu bytes %s", kind, was.len, variants[i].words);
    }
    return string;
}

/* Text of that size; four characters are three bytes, so its neighbours are four away. */
static struct json *large(struct mutation *m, const char **detail)
{
    int64_t size = sizes[rng_below(m->rng, sizeof sizes / sizeof *sizes)] + 4 * rng_range(m->rng, -1, 1);
    *detail = arena_printf(&m->task->arena, "large: %lld bytes of base64 text", (long long)size);
    return body_pattern(m, size, BYTES_LITERAL("iVBORw0KGgoAAAANSUhEUgAA+/9z"));
}

static bool strike_body(struct mutation *m, const struct mutation_site *site)
{
    const char *kind = mutation_kind(m, body_kinds), *detail = NULL;
    struct json *made = NULL;
    struct buf was;
    buf_init(&was, ENCODE_MAX);
    bool fits = content_make(body_content(m->task, site->value), ENCODE_MAX, &was, NULL) == 0;
    if (kind && strcmp(kind, "large") == 0)
        made = large(m, &detail);
    else if (kind && fits)
        made = encoded(m, kind, buf_bytes(&was), &detail);
    buf_release(&was);
    return made && payload_body(m, site, "base64-lookalike", made, detail);
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    if (site->place == PLACE_BODY)
        return strike_body(m, site);
    const char *kind = mutation_kind(m, argument_kinds), *detail = NULL;
    if (!kind || !json_is(site->value, JSON_STRING) || site->value->text.len > ENCODE_MAX)
        return false;
    struct json *made = encoded(m, kind, site->value->text, &detail);
    payload_value(m, site, "base64-lookalike", made, detail);
    return true;
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_BODY | PLACE_ARGUMENT, strike);
}

const struct mutator mutator_base64_lookalike = {
    .name = "base64-lookalike",
    .group = "payload",
    .summary = "contents and arguments that are base64 text by themselves",
    .details = "What was there (up to 48 KiB): whole, as base64; url, in the other alphabet; unpadded; nested, encoded twice; lines, "
               "in lines of 76; data-uri, behind what such an address begins with. tiny, 0 to 4 bytes as base64; large, a text "
               "of 1 KiB to 1 MiB, 4 bytes less or more. Places: body, argument (a text among a called tool's arguments; there "
               "not large).",
    .places = "body argument",
    .kinds = "whole url unpadded nested lines data-uri tiny large",
    .apply = apply,
};
