/* null-byte: a NUL where C code takes it for the end: in what a file holds, in a path, in a program's words.
 */
#include <string.h>

#include "gen/recipe.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

static const char *const kinds[] = {"start", "middle", "end", "run", "tail", NULL};

enum { RUN_MAX = 65536, SHOWN = 40 };

static uint64_t place_of(const struct mutation *m, const char *kind, uint64_t from, uint64_t size)
{
    if (strcmp(kind, "start") == 0)
        return from;
    if (strcmp(kind, "end") == 0 || strcmp(kind, "tail") == 0 || size < from + 2)
        return size;
    return from + 1 + rng_below(m->rng, size - from - 1);
}

/* One NUL; for "run" 2 to 65536 of them, short ones as often as long ones; for "tail" one and something after
 * it. */
static struct json *nulls(const struct mutation *m, const char *kind, uint64_t *count)
{
    struct arena *a = &m->task->arena;
    *count = 1;
    if (strcmp(kind, "tail") == 0)
        return json_string(a, BYTES_LITERAL("\0tail"));
    if (strcmp(kind, "run") == 0)
        *count = UINT64_C(2) << rng_below(m->rng, 16);
    if (*count <= 16)
        return json_string(a, bytes_of((const uint8_t[16]){0}, *count));
    struct json *zeros = body_recipe(m->task, "zeros");
    json_set(a, zeros, "size", json_integer(a, (int64_t)*count));
    return zeros;
}

static const char *after_it(const char *kind)
{
    return strcmp(kind, "tail") == 0 ? ", and \"tail\" after it" : "";
}

static bool strike_body(struct mutation *m, const struct mutation_site *site, const char *kind)
{
    const struct json *content = body_content(m->task, site->value);
    int64_t size = content_size(content);
    uint64_t count;
    struct json *insert = nulls(m, kind, &count);
    if (size < 0 || size + (int64_t)count + 5 > body_room(m, site->step))
        return false;
    uint64_t at = place_of(m, kind, 0, (uint64_t)size);
    if (at != (uint64_t)size)
        at = body_boundary(content, at);
    return payload_body(m, site, "null-byte", body_splice(m->task, content, at, 0, insert),
                        arena_printf(&m->task->arena, "%llu NUL%s at byte %llu of a content of %lld bytes%s",
                                     (unsigned long long)count, count == 1 ? "" : "s", (unsigned long long)at,
                                     (long long)size, after_it(kind)));
}

/* The string with NULs in it, not within a character. */
static struct json *struck(struct mutation *m, struct bytes text, uint64_t from, const char *kind,
                           uint64_t *at, uint64_t *nuls)
{
    *nuls = strcmp(kind, "run") == 0 ? 2 + rng_below(m->rng, 7) : 1;
    *at = place_of(m, kind, from, text.len);
    while (*at > from && *at < text.len && (text.data[*at] & 0xc0) == 0x80)
        --*at;
    struct buf out;
    buf_init(&out, SIZE_MAX);
    buf_add(&out, bytes_slice(text, 0, (size_t)*at));
    for (uint64_t i = 0; i < *nuls; i++)
        buf_add_byte(&out, 0);
    if (strcmp(kind, "tail") == 0)
        buf_add_string(&out, "tail");
    buf_add(&out, bytes_slice(text, (size_t)*at, text.len));
    struct json *string = json_string(&m->task->arena, buf_bytes(&out));
    buf_release(&out);
    return string;
}

static bool strike_string(struct mutation *m, const struct mutation_site *site, const char *kind)
{
    bool is_path = site->place == PLACE_PATH || site->place == PLACE_NAME;
    struct bytes text = is_path ? mutation_path(site->value) : site->value->text;
    struct change c;
    uint64_t at, count, from = site->place == PLACE_NAME ? text.len : 0;
    while (from && text.data[from - 1] != '/')
        from--;
    change_begin(&c, m, "null-byte", site->step, site->at);
    const char *shown = task_show(&m->task->arena, text, SHOWN);
    struct json *string = struck(m, text, from, kind, &at, &count);
    change_set(&c, is_path ? payload_path(m, site->value, string->text) : string);
    retarget_unknown(&c);
    change_end(&c, "%llu NUL%s at byte %llu of %s%s", (unsigned long long)count, count == 1 ? "" : "s",
               (unsigned long long)at, shown, after_it(kind));
    return true;
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    const char *kind = mutation_kind(m, kinds);
    if (!kind)
        return false;
    return site->place == PLACE_BODY ? strike_body(m, site, kind) : strike_string(m, site, kind);
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_NAME | PLACE_PATH | PLACE_BODY | PLACE_SCRIPT, strike);
}

const struct mutator mutator_null_byte = {
    .name = "null-byte",
    .group = "payload",
    .summary = "NULs in contents, paths, scripts, arguments, environment and standard input",
    .details = "start, middle and end put one NUL there; run puts 2 to 65536 into a content, 2 to 8 into a "
               "string; tail puts "
               "one at the end and more text after it. Places: body (what write, append, upload, edit and "
               "stage-file put "
               "into a file), name (the last part of one path of one step), path (any part of it), script (a "
               "program's text, arguments, environment and "
               "input).",
    .places = "name path body script",
    .kinds = "start middle end run tail",
    .apply = apply,
};
