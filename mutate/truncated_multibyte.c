/* truncated-multibyte: characters of two to four bytes where a buffer ends: across its edge, cut by the end of the content, in
 * step with no power of two; and the first bytes of one in the middle of a text. */
#include <string.h>

#include "gen/recipe.h"
#include "mutate/mutate_internal.h"

enum { PAST_THE_EDGE = 60, SHIFT_MAX = 3 };

static const int64_t edges[] = {1024, 4096, 8192, 16384, 65536, 1048576};
/* Where output and listings are cut, by readers that count bytes or characters. */
static const int64_t limits[] = {100, 200, 500, 1024, 4096, 10000, 16384, 25000, 30000, 40000, 65536, 100000, 1048576};

static const struct bytes characters[] = {{(const uint8_t *)"\xc3\xa9", 2},
                                          {(const uint8_t *)"\xe2\x82\xac", 3},
                                          {(const uint8_t *)"\xe6\xbc\xa2", 3},
                                          {(const uint8_t *)"\xf0\x9f\x98\x80", 4}};

static struct bytes some_character(struct mutation *m)
{
    return characters[rng_below(m->rng, sizeof characters / sizeof *characters)];
}

static int64_t some_edge(struct mutation *m)
{
    return edges[rng_below(m->rng, sizeof edges / sizeof *edges)];
}

/* Each gives the new content and says what it is. */

/* From just before the edge, over all ways to lie across it, to just behind it. */
static struct json *across(struct mutation *m, const struct json *content, const char **detail)
{
    int64_t edge = some_edge(m);
    struct bytes character = some_character(m);
    int64_t before = rng_range(m->rng, 0, (int64_t)character.len);
    *detail = arena_printf(&m->task->arena, "a character of %zu bytes, %lld of them before byte %lld", character.len,
                           (long long)before, (long long)edge);
    return body_insert(m, body_pattern(m, edge + PAST_THE_EDGE, BYTES_NONE), (uint64_t)(edge - before), character);
}

/* The content is as long as the buffer, one byte less or more, and its last bytes are the first ones of a character. */
static struct json *ends(struct mutation *m, const struct json *content, const char **detail)
{
    int64_t edge = some_edge(m), size = edge + rng_range(m->rng, -1, 1);
    struct bytes character = some_character(m);
    size_t kept = (size_t)rng_range(m->rng, 1, (int64_t)character.len - 1);
    *detail = arena_printf(&m->task->arena, "%lld bytes, the last %zu of them the begin of a character of %zu", (long long)size,
                           kept, character.len);
    return body_insert(m, body_pattern(m, size - (int64_t)kept, BYTES_NONE), (uint64_t)(size - (int64_t)kept),
                       bytes_slice(character, 0, kept));
}

/* Nothing but the character, past the limit, behind none to three ASCII bytes. */
static struct json *shifted(struct mutation *m, const struct json *content, const char **detail)
{
    int64_t limit = limits[rng_below(m->rng, sizeof limits / sizeof *limits)];
    struct bytes character = some_character(m);
    size_t shift = (size_t)rng_range(m->rng, 0, SHIFT_MAX);
    int64_t count = limit / (int64_t)character.len + 2;
    *detail = arena_printf(&m->task->arena, "%zu ASCII bytes, then %lld times a character of %zu bytes", shift, (long long)count,
                           character.len);
    struct json *all = body_pattern(m, count * (int64_t)character.len, character);
    return shift ? body_insert(m, all, 0, bytes_of("abc", shift)) : all;
}

static struct json *stray(struct mutation *m, const struct json *content, const char **detail)
{
    struct bytes character = some_character(m);
    size_t kept = (size_t)rng_range(m->rng, 1, (int64_t)character.len - 1);
    uint64_t at = body_any_boundary(m, content);
    *detail = arena_printf(&m->task->arena, "the first %zu of a character's %zu bytes at byte %llu", kept, character.len,
                           (unsigned long long)at);
    return body_insert(m, content, at, bytes_slice(character, 0, kept));
}

static const struct variant {
    const char *kind;
    struct json *(*make)(struct mutation *m, const struct json *content, const char **detail);
} variants[] = {{"across", across}, {"ends", ends}, {"shifted", shifted}, {"stray", stray}};

static const char *const kinds[] = {"across", "ends", "shifted", "stray", NULL};

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    const char *kind = mutation_kind(m, kinds), *detail = NULL;
    const struct json *content = body_content(m->task, site->value);
    struct json *made = NULL;
    for (size_t i = 0; kind && i < sizeof variants / sizeof *variants; i++)
        if (strcmp(variants[i].kind, kind) == 0)
            made = variants[i].make(m, content, &detail);
    return made && payload_body(m, site, "truncated-multibyte", made, arena_printf(&m->task->arena, "%s: %s", kind, detail));
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_BODY, strike);
}

const struct mutator mutator_truncated_multibyte = {
    .name = "truncated-multibyte",
    .group = "payload",
    .summary = "characters of two to four bytes across the edges of buffers, and cut short",
    .details = "Of a body: across, a new text with a character that lies across byte 1024, 4096, 8192, 16384, 65536 or 1 MiB, or "
               "touches it; ends, a content of one of those sizes, a byte less or more, whose end cuts a character; shifted, "
               "nothing but a character, past 100 bytes to 1 MiB, behind 0 to 3 ASCII bytes; stray, the first bytes of a "
               "character put in somewhere.",
    .places = "body",
    .kinds = "across ends shifted stray",
    .apply = apply,
};
