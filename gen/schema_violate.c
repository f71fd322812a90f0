/* Invalid values: a valid one in which one rule is broken on purpose, one row a rule. Whether the whole then
 * breaks the schema is for the check to say, since an alternative may allow it after all; what it allows is
 * taken back. */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "gen/schema_internal.h"

enum { TRIES = 48, POINTER_MAX = 4096, INDEX_MAX = 24, GROW_MAX = 1 << 16, ITEMS_MORE_MAX = 512 };

/* What was done, so that it can be undone. */
struct change {
    struct json *old, *new; /* new stands where old stood; or new was added, or old removed, below `within` */
    struct json *within;
    struct bytes name; /* of what was added or removed */
};

struct breaking {
    struct drawing *d;
    const struct schema_place *place;
    struct change *change;
};

static struct arena *arena_of(struct breaking *b)
{
    return b->d->a;
}

static bool replace(struct breaking *b, struct json *with)
{
    if (!b->place->value->parent)
        return false; /* arguments as a whole stay an object */
    json_replace(b->place->value, with);
    *b->change = (struct change){.old = b->place->value, .new = with};
    return true;
}

static uint64_t below(struct breaking *b, uint64_t n)
{
    return draw_below(b->d, b->place->view->count ? b->place->view->conjuncts[0] : NULL, ROLE_VIOLATION, n);
}

static bool missing_required(struct breaking *b)
{
    struct json *value = b->place->value, *required[NAMES_MAX];
    size_t count = 0;
    for (struct json *one = json_is(value, JSON_OBJECT) ? value->first : NULL; one && count < NAMES_MAX;
         one = one->next)
        if (schema_view_requires(b->place->view, one->key))
            required[count++] = one;
    if (!count)
        return false;
    struct json *gone = required[below(b, count)];
    *b->change = (struct change){.old = gone, .within = value, .name = gone->key};
    json_remove(value, gone);
    return true;
}

static bool wrong_type(struct breaking *b)
{
    static const unsigned types[] = {VALUE_STRING, VALUE_INTEGER, VALUE_BOOL, VALUE_ARRAY, VALUE_OBJECT};
    unsigned type = types[below(b, sizeof types / sizeof *types)], own = schema_type_of(b->place->value);
    if (type & (b->place->view->types | own) ||
        (type == VALUE_INTEGER && b->place->view->types & VALUE_NUMBER))
        return false;
    struct json *other = type == VALUE_STRING    ? json_text(arena_of(b), "not of this type")
                         : type == VALUE_INTEGER ? json_integer(arena_of(b), 7)
                         : type == VALUE_BOOL
                             ? json_bool(arena_of(b), true)
                             : json_new(arena_of(b), type == VALUE_ARRAY ? JSON_ARRAY : JSON_OBJECT);
    return replace(b, other);
}

static bool null_value(struct breaking *b)
{
    return !(b->place->view->types & VALUE_NULL) && replace(b, json_new(arena_of(b), JSON_NULL));
}

static bool not_in_enum(struct breaking *b)
{
    const struct schema_view *v = b->place->view;
    if (!v->values && !v->constant)
        return false;
    if (json_is(b->place->value, JSON_STRING))
        return replace(b, json_text(arena_of(b), "not-one-of-these"));
    return json_is(b->place->value, JSON_NUMBER) && replace(b, json_integer(arena_of(b), 987654321));
}

static bool extra_property(struct breaking *b)
{
    struct json *value = b->place->value;
    if (!json_is(value, JSON_OBJECT) || json_get(value, "taskgen_extra"))
        return false;
    struct json *more = json_set(arena_of(b), value, "taskgen_extra", json_integer(arena_of(b), 1));
    *b->change = (struct change){.new = more, .within = value, .name = BYTES_LITERAL("taskgen_extra")};
    return true;
}

static bool too_long(struct breaking *b)
{
    const struct schema_view *v = b->place->view;
    if (!json_is(b->place->value, JSON_STRING) || v->max_length >= GROW_MAX)
        return false;
    struct buf text;
    buf_init(&text, 8 * GROW_MAX);
    buf_add(&text, b->place->value->text);
    for (uint64_t length = utf8_count(b->place->value->text); length <= v->max_length; length++)
        buf_add_byte(&text, 'x');
    bool done = replace(b, json_string(arena_of(b), buf_bytes(&text)));
    buf_release(&text);
    return done;
}

static bool too_short(struct breaking *b)
{
    const struct schema_view *v = b->place->view;
    struct bytes text = b->place->value->text;
    if (!json_is(b->place->value, JSON_STRING) || !v->min_length)
        return false;
    size_t at = 0;
    for (uint64_t i = 0; i + 1 < v->min_length && at < text.len; i++)
        utf8_next(text, &at);
    return replace(b, json_string(arena_of(b), bytes_slice(text, 0, at)));
}

static bool beside(struct breaking *b, double bound, bool open, double step)
{
    if (!json_is(b->place->value, JSON_NUMBER) || isinf(bound) || fabs(bound) > 1e15)
        return false;
    double to = open ? bound : bound + step;
    if (floor(bound) == bound)
        return replace(b, json_integer(arena_of(b), (int64_t)to));
    return replace(b, json_real(arena_of(b), to));
}

static bool below_minimum(struct breaking *b)
{
    return beside(b, b->place->view->low, b->place->view->low_open, -1);
}

static bool above_maximum(struct breaking *b)
{
    return !schema_takes_time(b->place->name) &&
           beside(b, b->place->view->high, b->place->view->high_open, 1);
}

static bool not_multiple(struct breaking *b)
{
    double step, value;
    if (!json_is(b->place->value, JSON_NUMBER) || !json_as_real(b->place->view->multiple, &step) ||
        !json_as_real(b->place->value, &value) || fabs(value) > 1e15 || !(step > 0))
        return false;
    double to = value + step / 2;
    return floor(to) == to ? replace(b, json_integer(arena_of(b), (int64_t)to))
                           : replace(b, json_real(arena_of(b), to));
}

static bool not_integer(struct breaking *b)
{
    const struct schema_view *v = b->place->view;
    return json_is(b->place->value, JSON_NUMBER) && v->types & VALUE_INTEGER && !(v->types & VALUE_NUMBER) &&
           replace(b, json_real(arena_of(b), 1.5));
}

static bool not_pattern(struct breaking *b)
{
    static const char *const texts[] = {"\x01", "no match \xe2\x98\x83", "", "-"};
    return b->place->view->pattern && json_is(b->place->value, JSON_STRING) &&
           replace(b, json_text(arena_of(b), texts[below(b, 4)]));
}

static bool too_few_items(struct breaking *b)
{
    struct json *value = b->place->value;
    if (!json_is(value, JSON_ARRAY) || !b->place->view->min_items ||
        value->count != b->place->view->min_items)
        return false;
    *b->change = (struct change){.old = value->last, .within = value};
    json_remove(value, value->last);
    return true;
}

/* A copy with more items than are allowed: the last one again and again. */
static bool too_many_items(struct breaking *b)
{
    struct json *value = b->place->value;
    uint64_t most = b->place->view->max_items;
    if (!json_is(value, JSON_ARRAY) || !value->count || most > ITEMS_MORE_MAX)
        return false;
    struct json *more = json_copy(arena_of(b), value);
    while (more->count <= most)
        json_add(more, json_copy(arena_of(b), value->last));
    return replace(b, more);
}

static bool repeated_item(struct breaking *b)
{
    struct json *value = b->place->value;
    if (!json_is(value, JSON_ARRAY) || !value->count || !b->place->view->unique)
        return false;
    struct json *more = json_add(value, json_copy(arena_of(b), value->first));
    *b->change = (struct change){.new = more, .within = value};
    return true;
}

/* Rows that fit nearly everywhere are drawn less often than those that seldom do. */
static const struct {
    const char *name;
    bool (*make)(struct breaking *b);
    double weight;
} rows[] = {
    {"missing-required", missing_required, 1},
    {"wrong-type", wrong_type, 1},
    {"null", null_value, 0.5},
    {"not-in-enum", not_in_enum, 3},
    {"extra-property", extra_property, 2},
    {"too-long", too_long, 4},
    {"too-short", too_short, 4},
    {"below-minimum", below_minimum, 3},
    {"above-maximum", above_maximum, 3},
    {"not-a-multiple", not_multiple, 4},
    {"not-an-integer", not_integer, 1},
    {"not-the-pattern", not_pattern, 4},
    {"too-few-items", too_few_items, 4},
    {"too-many-items", too_many_items, 4},
    {"repeated-item", repeated_item, 4},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void undo(const struct change *c)
{
    if (c->old && c->new)
        json_replace(c->new, c->old);
    else if (c->new)
        json_remove(c->within, c->new);
}

/* The pointer to what was broken. */
static const char *pointer_to(const struct json *value, struct bytes more, struct arena *a)
{
    struct bytes parts[2 * DEPTH_MAX];
    size_t count = 0;
    struct buf out;
    buf_init(&out, POINTER_MAX);
    if (more.len)
        parts[count++] = more;
    for (; value->parent && count < sizeof parts / sizeof *parts; value = value->parent) {
        parts[count] = value->key;
        if (json_is(value->parent, JSON_ARRAY)) {
            size_t at = 0;
            for (const struct json *one = value->parent->first; one != value; one = one->next)
                at++;
            struct buf number;
            buf_init(&number, INDEX_MAX);
            buf_addf(&number, "%zu", at);
            parts[count] = arena_copy(a, buf_bytes(&number));
            buf_release(&number);
        }
        count++;
    }
    while (count-- > 0) {
        buf_add_byte(&out, '/');
        for (size_t i = 0; i < parts[count].len; i++) {
            uint8_t byte = parts[count].data[i];
            if (byte == '~' || byte == '/')
                buf_add_string(&out, byte == '~' ? "~0" : "~1");
            else
                buf_add_byte(&out, byte);
        }
    }
    const char *text = arena_string(a, buf_bytes(&out));
    buf_release(&out);
    return text;
}

/* One row, at the first place from a drawn one on that it fits; true when the whole then breaks the schema.
 */
static bool attempt(struct drawing *d, struct schema_value *out, struct change *change)
{
    double weights[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = rows[i].weight;
    size_t row = chooser_weighted(d->c, schema_site(d->root, ROLE_VIOLATION), weights, ROWS);
    size_t first = draw_below(d, d->root, ROLE_PLACE, out->place_count);
    bool made = false;
    for (size_t i = 0; i < out->place_count && !made; i++) {
        struct breaking b = {d, &out->places[(first + i) % out->place_count], change};
        made = rows[row].make(&b);
    }
    if (!made)
        return false;
    if (schema_check(d->book, d->root, d->root, out->value) != SCHEMA_REJECTS) {
        /* What was taken away goes back to the end; the order of members means nothing, that of items is
         * lost. */
        if (!change->new && change->within)
            json_is(change->within, JSON_OBJECT)
                ? json_set_bytes(d->a, change->within, change->name, change->old)
                : json_add(change->within, change->old);
        undo(change);
        return false;
    }
    out->violation = rows[row].name;
    out->at = pointer_to(change->within ? change->within : change->new,
                         change->within ? change->name : BYTES_NONE, d->a);
    return true;
}

bool schema_violate(struct drawing *d, struct schema_value *out)
{
    static const double one = 1;
    size_t handle;
    if (!out->judged || !out->place_count)
        return false;
    size_t at = d->c->at;
    chooser_open_weighted(d->c, schema_site(d->root, ROLE_VIOLATION), &one, 1, &handle);
    /* Nothing was found when this was drawn: so it stays when it is replayed. */
    bool given_up = d->c->at != at && d->c->at == d->c->limit, done = false;
    for (int tries = 0; tries < TRIES && !done && !given_up; tries++) {
        struct attempt begin = attempt_begin(d);
        struct change change = {0};
        done = attempt(d, out, &change);
        if (!done)
            attempt_undo(d, &begin);
    }
    chooser_close(d->c, handle);
    return done;
}
