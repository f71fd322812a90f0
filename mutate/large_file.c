/* large-file: a content replaced by one whose size is where buffers, pipes, frames and argument lists end, or
 * next to it. */
#include <string.h>

#include "gen/recipe.h"
#include "mutate/mutate_internal.h"

static const char *const kinds[] = {"pattern", "random", NULL};

/* What ends there: blocks, pages, a base64 chunk, pipes, one argument (128 KiB, and as base64), frames. */
static const struct threshold {
    int64_t low, high;
} thresholds[] = {
    {1024, 1024},    {4096, 4096},     {16384, 19456},     {65536, 65536},       {98304, 98304},
    {98304, 131072}, {131072, 131072}, {1048576, 1048576}, {10485760, 10485760},
};

enum { SIZE_TRIES = 8 };

/* A size that the budget leaves room for; 0: none was found. */
static int64_t pick_size(struct mutation *m, int64_t room)
{
    for (int i = 0; i < SIZE_TRIES; i++) {
        const struct threshold *t = &thresholds[rng_below(m->rng, sizeof thresholds / sizeof *thresholds)];
        int64_t size = rng_range(m->rng, t->low, t->high);
        size += t->low == t->high ? rng_range(m->rng, -1, 1) : 0;
        if (size <= room)
            return size;
    }
    return 0;
}

/* Random bytes only where bytes are meant: a tool for text may refuse them, and nothing is learnt. */
static const char *pick_kind(struct mutation *m, const struct op *op)
{
    bool for_bytes = strcmp(op->name, "upload") == 0 || strcmp(op->name, "stage-file") == 0;
    if (for_bytes)
        return mutation_kind(m, kinds);
    return mutation_words_have(m->kinds, "pattern") ? "pattern" : NULL;
}

static struct json *large_content(struct mutation *m, const char *kind, int64_t size)
{
    struct arena *a = &m->task->arena;
    struct json *content = body_recipe(m->task, kind);
    json_set(a, content, "size", json_integer(a, size));
    if (strcmp(kind, "random") == 0)
        json_set(a, content, "seed", json_integer(a, (int64_t)rng_below(m->rng, 1000000)));
    return content;
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    struct task *t = m->task;
    const struct op *op = t->steps[site->step].op;
    const char *kind = pick_kind(m, op);
    int64_t size = pick_size(m, body_room(m, site->step)), was = content_size(body_content(t, site->value));
    if (!kind || !size)
        return false;
    struct change c;
    change_begin(&c, m, "large-file", site->step, site->at);
    struct json *value = change_add_content(&c, large_content(m, kind, size));
    change_set(&c, value);
    if (mutation_puts_file(op))
        retarget_content(&c, value);
    else
        retarget_unknown(&c);
    change_end(&c, "%lld bytes of %s instead of %lld", (long long)size, kind, (long long)was);
    return true;
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_BODY, strike);
}

const struct mutator mutator_large_file = {
    .name = "large-file",
    .group = "payload",
    .summary = "contents of 1 KiB to 10 MiB, at sizes where buffers end",
    .details = "Replaces what a step puts into a file by a pattern, or by random bytes where bytes are meant "
               "(upload, "
               "stage-file): 1 KiB, 4 KiB, 16 to 19 KiB, 64 KiB, 96 to 128 KiB, 1 MiB, 10 MiB, one byte less "
               "or more; never "
               "more than budget.bytes and the task's own limit leave.",
    .places = "body",
    .kinds = "pattern random",
    .apply = apply,
};
