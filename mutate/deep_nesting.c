/* deep-nesting: values within values within values, and directories likewise, at the depths where readers that recurse stop, or
 * do not stop and fall. */
#include <string.h>

#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

enum { SHOWN = 60, PATH_MOST = 4095 };

static const int64_t depths[] = {32, 64, 100, 128, 256, 512, 1000, 1024, 10000, 100000};
/* An argument stands in the step, each time; so the deepest are left to contents. */
static const int64_t argument_depths[] = {32, 64, 100, 128, 256, 512, 1000, 1024, 10000};
static const int64_t directory_depths[] = {16, 32, 64, 100, 128, 200, 256, 512, 1000, 2000};

static int64_t around(struct mutation *m, const int64_t *edges, size_t count)
{
    return edges[rng_below(m->rng, count)] + rng_range(m->rng, -1, 1);
}
#define AROUND(m, edges) around(m, edges, sizeof edges / sizeof *edges)

static const struct form {
    const char *kind, *open, *core, *close;
} forms[] = {
    {"arrays", "[", "", "]"},
    {"objects", "{\"a\":", "1", "}"},
    {"tags", "<a>", "", "</a>"},
};

static const struct form *form_of(const char *kind)
{
    const struct form *f = NULL;
    for (size_t i = 0; kind && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].kind, kind) == 0)
            f = &forms[i];
    return f;
}

static const char *const body_kinds[] = {"arrays", "objects", "tags", NULL};
static const char *const argument_kinds[] = {"arrays", "objects", NULL};

static bool strike_body(struct mutation *m, const struct mutation_site *site)
{
    const struct form *f = form_of(mutation_kind(m, body_kinds));
    int64_t depth = AROUND(m, depths);
    if (!f)
        return false;
    int64_t half = depth * (int64_t)strlen(f->open);
    struct json *open = body_pattern(m, half, bytes_of_string(f->open));
    struct json *close = body_pattern(m, depth * (int64_t)strlen(f->close), bytes_of_string(f->close));
    struct json *begin = *f->core ? body_insert(m, open, (uint64_t)half, bytes_of_string(f->core)) : open;
    struct json *whole = body_splice(m->task, begin, (uint64_t)half + strlen(f->core), 0, close);
    return payload_body(m, site, "deep-nesting", whole,
                        arena_printf(&m->task->arena, "%s: %lld of them within each other", f->kind, (long long)depth));
}

static bool strike_argument(struct mutation *m, const struct mutation_site *site)
{
    const struct form *f = form_of(mutation_kind(m, argument_kinds));
    int64_t depth = AROUND(m, argument_depths);
    if (!f || strncmp(site->at, "/args/arguments/", strlen("/args/arguments/")) != 0)
        return false;
    struct buf text;
    buf_init(&text, SIZE_MAX);
    for (int64_t i = 0; i < depth; i++)
        buf_add_string(&text, f->open);
    buf_add_string(&text, f->core);
    for (int64_t i = 0; i < depth; i++)
        buf_add_string(&text, f->close);
    bool fits = (int64_t)text.len <= body_room(m, site->step);
    struct json *value = json_raw(&m->task->arena, buf_bytes(&text));
    buf_release(&text);
    if (fits)
        payload_value(m, site, "deep-nesting", value,
                      arena_printf(&m->task->arena, "%s: %lld of them within each other", f->kind, (long long)depth));
    return fits;
}

static bool strike_path(struct mutation *m, const struct mutation_site *site)
{
    struct arena *a = &m->task->arena;
    struct bytes path = mutation_path(site->value);
    int64_t depth = AROUND(m, directory_depths);
    if (!mutation_words_have(m->kinds, "directories") || path.data[0] == '/' || 2 * depth + (int64_t)path.len > PATH_MOST)
        return false;
    struct buf text;
    buf_init(&text, SIZE_MAX);
    for (int64_t i = 0; i < depth; i++)
        buf_add_string(&text, "d/");
    buf_add(&text, path);
    struct json *value = payload_path(m, site->value, buf_bytes(&text));
    buf_release(&text);
    payload_value(m, site, "deep-nesting", value,
                  arena_printf(a, "directories: %s below %lld of them", task_show(a, path, SHOWN), (long long)depth));
    return true;
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    return site->place == PLACE_BODY   ? strike_body(m, site)
           : site->place == PLACE_PATH ? strike_path(m, site)
                                       : strike_argument(m, site);
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_PATH | PLACE_BODY | PLACE_ARGUMENT, strike);
}

const struct mutator mutator_deep_nesting = {
    .name = "deep-nesting",
    .group = "payload",
    .summary = "JSON, tags and directories nested 15 to 100,001 deep",
    .details = "arrays, objects (JSON) and tags replace a body, arrays and objects a text or number among a called tool's "
               "arguments, at 32 to 100000 levels (arguments: 10000), one less or more; directories puts 15 to 2001 directories "
               "in front of a path. Places: body, argument, path.",
    .places = "path body argument",
    .kinds = "arrays objects tags directories",
    .apply = apply,
};
