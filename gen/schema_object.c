/* Objects: what is required, some of what is optional, and names of their own where any are allowed. At a
 * boundary either nothing or everything that is optional is there. */
#include <string.h>

#include "gen/schema_internal.h"

enum { MEMBERS_A_STEP = 16, EXTRA_MAX = 3, EXTRA_TRIES = 64, NAME_BYTES = 64 };

static const char *const extra_names[] = {"alpha", "beta", "gamma", "delta", "key", "name", "x1", "größe"};

struct filling {
    struct drawing *d;
    const struct schema_view *v;
    struct json *object;
};

static void put(struct filling *f, struct bytes name)
{
    struct seeds seeds;
    if (json_get_bytes(f->object, name) || f->d->nodes >= NODES_MAX || f->d->work >= WORK_TOTAL)
        return;
    schema_view_member(f->d->book, f->v, name, &seeds);
    for (size_t i = 0; i < f->v->count; i++) {
        const struct json *properties = json_get(f->v->conjuncts[i], "properties"),
                          *required = json_get(f->v->conjuncts[i], "required");
        f->d->work += ((properties ? properties->count : 0) + (required ? required->count : 0)) /
                      MEMBERS_A_STEP;
    }
    if (!seeds.forbidden)
        json_set_bytes(f->d->a, f->object, name, draw_value(f->d, &seeds, name));
    else if (schema_view_requires(f->v, name))
        f->d->contradicted = true;
}

/* A name that some pattern of names allows, or one of ours. */
static bool make_name(struct filling *f, struct buf *out)
{
    const struct json *patterns = NULL, *schema = f->v->count ? f->v->conjuncts[0] : NULL;
    if (f->v->names) {
        struct seeds seeds = {0};
        seeds_add(&seeds, f->v->names);
        struct json *name = draw_value(f->d, &seeds, BYTES_LITERAL("name"));
        buf_add(out, json_as_text(name));
        return json_is(name, JSON_STRING);
    }
    for (size_t i = 0; i < f->v->count && !patterns; i++)
        if (json_is(json_get(f->v->conjuncts[i], "patternProperties"), JSON_OBJECT))
            patterns = json_get(f->v->conjuncts[i], "patternProperties");
    if (patterns && patterns->count) {
        const struct json *one = patterns->first;
        for (uint64_t skip = draw_below(f->d, patterns, ROLE_EXTRA, patterns->count); skip > 0; skip--)
            one = one->next;
        return schema_pattern_draw(f->d, one->key, NAME_BYTES, out);
    }
    size_t count = sizeof extra_names / sizeof *extra_names;
    buf_add_string(out, extra_names[draw_below(f->d, schema, ROLE_EXTRA, count)]);
    if (f->object->count >= count)
        buf_addf(out, "%u", f->object->count);
    return true;
}

static void put_made_up(struct filling *f)
{
    struct buf name;
    buf_init(&name, 1 << 12);
    struct attempt begin = attempt_begin(f->d);
    bool made = make_name(f, &name);
    f->d->place_count = begin.places; /* a name is no value */
    if (made && !name.overflow)
        put(f, arena_copy(f->d->a, buf_bytes(&name)));
    buf_release(&name);
}

static bool invites_names(const struct schema_view *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (json_is(json_get(v->conjuncts[i], "additionalProperties"), JSON_OBJECT) ||
            json_get(v->conjuncts[i], "patternProperties"))
            return true;
    return false;
}

/* dependentRequired, as often as it takes, which is at most once a name. */
static void put_dependents(struct filling *f)
{
    for (uint32_t before = UINT32_MAX; before != f->object->count && f->object->count < NAMES_MAX;) {
        before = f->object->count;
        for (size_t i = 0; i < f->v->count; i++) {
            const struct json *table = json_get(f->v->conjuncts[i], "dependentRequired");
            for (const struct json *one = json_is(table, JSON_OBJECT) ? table->first : NULL; one;
                 one = one->next)
                for (const struct json *name =
                         json_is(one, JSON_ARRAY) && json_get_bytes(f->object, one->key) ? one->first : NULL;
                     name; name = name->next)
                    if (json_is(name, JSON_STRING))
                        put(f, name->text);
        }
    }
}

static void put_optional(struct filling *f, const struct bytes *names, size_t count)
{
    struct drawing *d = f->d;
    const struct json *schema = f->v->count ? f->v->conjuncts[0] : NULL;
    bool all = d->boundary && draw_below(d, schema, ROLE_OPTIONAL, 2);
    for (size_t i = 0; i < count && f->object->count < f->v->max_members; i++) {
        if (json_get_bytes(f->object, names[i]))
            continue;
        /* How long something takes is always said: what is left out may mean a long time. */
        bool wanted = schema_takes_time(names[i]) ||
                      (d->boundary ? all : draw_below(d, schema, ROLE_OPTIONAL, 2));
        if (wanted || f->object->count < f->v->min_members)
            put(f, names[i]);
    }
}

/* Names of our own, few of them, where the schema speaks of such; as many as it takes where it wants more
 * members. */
static void put_extra(struct filling *f, size_t named)
{
    struct drawing *d = f->d;
    uint64_t extra = 0;
    if (!draw_is_full(d) && (invites_names(f->v) || (!named && f->v->names)))
        extra = draw_below(d, f->v->count ? f->v->conjuncts[0] : NULL, ROLE_COUNT, EXTRA_MAX + 1);
    for (; extra > 0 && f->object->count < f->v->max_members; extra--)
        put_made_up(f);
    for (int tries = 0; tries < EXTRA_TRIES && f->object->count < f->v->min_members; tries++)
        put_made_up(f);
}

struct json *draw_object(struct drawing *d, const struct schema_view *v)
{
    struct filling f = {d, v, json_new(d->a, JSON_OBJECT)};
    struct bytes *names = arena_alloc(d->a, NAMES_MAX * sizeof *names);
    size_t count = schema_view_names(v, names);
    if (draw_is_spent(d)) {
        d->contradicted = d->contradicted || v->min_members || (count && schema_view_requires(v, names[0]));
        return f.object;
    }
    for (size_t i = 0; i < count; i++)
        if (schema_view_requires(v, names[i]))
            put(&f, names[i]);
    if (!draw_is_full(d))
        put_optional(&f, names, count);
    for (size_t i = 0; i < count && f.object->count < v->min_members; i++)
        put(&f, names[i]);
    put_extra(&f, count);
    put_dependents(&f);
    return f.object;
}
