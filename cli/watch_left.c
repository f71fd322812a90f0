/* What sessions leave behind, in words and as members of an event; see watch_left.h. */
#include "cli/watch_left.h"

enum { SHOWN = 8, COMMAND_SHOWN = 60 };

static bool worth_a_line(const struct leftover *l)
{
    return !l->calm && l->kind != LEFTOVER_TEMPORARY;
}

bool watch_left_any(const struct execution *e)
{
    bool any = e->tripwire_count || e->sighting_count;
    for (size_t i = 0; i < e->leftover_count && !any; i++)
        any = worth_a_line(&e->leftovers[i]);
    return any;
}

static bool is_process(const struct leftover *l)
{
    return l->kind == LEFTOVER_PROCESS || l->kind == LEFTOVER_ESCAPED;
}

static void add_leftover(struct buf *out, const struct leftover *l)
{
    if (is_process(l))
        buf_addf(out, "%s %d %c %.*s", leftover_kind_name(l->kind), l->pid, l->state, COMMAND_SHOWN,
                 *l->command ? l->command : l->name);
    else
        buf_addf(out, "%s %.*s", leftover_kind_name(l->kind), BYTES_ARG(l->where));
}

void watch_left_text(const struct execution *e, struct buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < e->leftover_count; i++) {
        if (!worth_a_line(&e->leftovers[i]) || count++ >= SHOWN)
            continue;
        buf_add_string(out, count > 1 ? ", " : "");
        add_leftover(out, &e->leftovers[i]);
    }
    if (count > SHOWN)
        buf_addf(out, " and %zu more", count - SHOWN);
    for (int place = 0; place < TRIPWIRE_PLACES; place++) {
        unsigned how = 0;
        for (size_t i = 0; i < e->tripwire_count; i++)
            how |= e->tripwires[i].place == (enum tripwire_place)place ? e->tripwires[i].how : 0;
        if (how)
            buf_addf(out, "%stripwire %s", out->len ? "; " : "", tripwire_place_name((enum tripwire_place)place));
        for (unsigned bit = 1; bit < 1u << TRIPWIRE_TOUCHES; bit <<= 1)
            if (how & bit)
                buf_addf(out, " %s", tripwire_touch_name(bit));
    }
    for (size_t i = 0; i < e->sighting_count && i < SHOWN; i++)
        buf_addf(out, "%scanary %s in a %s", out->len ? "; " : "", tripwire_place_name(e->sightings[i].place),
                 canary_in_name(e->sightings[i].in));
}

static struct json *leftover_value(const struct leftover *l, struct arena *a)
{
    struct json *o = json_new(a, JSON_OBJECT);
    json_set(a, o, "kind", json_text(a, leftover_kind_name(l->kind)));
    if (is_process(l)) {
        json_set(a, o, "pid", json_integer(a, l->pid));
        json_set(a, o, "command", json_text(a, *l->command ? l->command : l->name));
    } else {
        json_set(a, o, "where", json_string(a, l->where));
    }
    json_set(a, o, "calm", json_bool(a, l->calm));
    return o;
}

void watch_left_event(const struct execution *e, struct arena *a, struct json *event)
{
    struct json *list = json_set(a, event, "leftovers", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < e->leftover_count; i++)
        json_add(list, leftover_value(&e->leftovers[i], a));
    list = json_set(a, event, "tripwires", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < e->tripwire_count; i++) {
        struct json *o = json_add(list, json_new(a, JSON_OBJECT));
        json_set(a, o, "place", json_text(a, tripwire_place_name(e->tripwires[i].place)));
        struct json *how = json_set(a, o, "how", json_new(a, JSON_ARRAY));
        for (unsigned bit = 1; bit < 1u << TRIPWIRE_TOUCHES; bit <<= 1)
            if (e->tripwires[i].how & bit)
                json_add(how, json_text(a, tripwire_touch_name(bit)));
    }
    list = json_set(a, event, "canaries", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < e->sighting_count; i++) {
        struct json *o = json_add(list, json_new(a, JSON_OBJECT));
        json_set(a, o, "place", json_text(a, tripwire_place_name(e->sightings[i].place)));
        json_set(a, o, "in", json_text(a, canary_in_name(e->sightings[i].in)));
    }
}
