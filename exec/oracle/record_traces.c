/* Recordings of what was seen from outside: tables of members, and lists of what was left and touched. Figures of 0 are left
 * out. */
#include <stddef.h>
#include <string.h>

#include "exec/oracle/record_internal.h"

/* --- numbers --- */

struct number {
    const char *name;
    size_t at;
    bool wide; /* uint64_t; else uint32_t */
};

#define NARROW(type, member) {#member, offsetof(struct type, member), false}
#define WIDE(type, member)   {#member, offsetof(struct type, member), true}

static const struct number of_snapshot[] = {
    NARROW(snapshot, processes),     NARROW(snapshot, zombies),   WIDE(snapshot, rss),
    WIDE(snapshot, pss),             WIDE(snapshot, memory),      WIDE(snapshot, memory_peak),
    NARROW(snapshot, group_processes), NARROW(snapshot, oom_kills), NARROW(snapshot, memory_refusals),
    NARROW(snapshot, process_refusals), WIDE(snapshot, cpu_us),   NARROW(snapshot, throttled),
    NARROW(snapshot, processes_peak), WIDE(snapshot, io_bytes),   {NULL, 0, false},
};

static const struct number of_usage[] = {
    WIDE(usage, rss), WIDE(usage, memory), WIDE(usage, memory_peak), NARROW(usage, descriptors),
    WIDE(usage, pss), WIDE(usage, renderers_pss), NARROW(usage, renderers), {NULL, 0, false},
};

static void write_numbers(struct arena *a, struct json *object, const struct number *table, const void *from)
{
    for (const struct number *n = table; n->name; n++) {
        const char *at = (const char *)from + n->at;
        uint64_t value = n->wide ? *(const uint64_t *)(const void *)at : *(const uint32_t *)(const void *)at;
        if (value)
            json_set(a, object, n->name, json_integer(a, (int64_t)value));
    }
}

static void read_numbers(const struct json *object, const struct number *table, void *to)
{
    for (const struct number *n = table; n->name; n++) {
        char *at = (char *)to + n->at;
        int64_t value;
        if (!json_as_integer(json_get(object, n->name), &value) || value < 0)
            continue;
        if (n->wide)
            *(uint64_t *)(void *)at = (uint64_t)value;
        else
            *(uint32_t *)(void *)at = (uint32_t)value;
    }
}

void record_write_usage(struct arena *a, struct json *object, const struct usage *u)
{
    struct json *usage = json_new(a, JSON_OBJECT);
    write_numbers(a, usage, of_usage, u);
    if (usage->first)
        json_set(a, object, "usage", usage);
}

void record_read_usage(const struct json *object, struct usage *u)
{
    read_numbers(json_get(object, "usage"), of_usage, u);
}

static size_t read_size(const struct json *object, const char *key, size_t fallback)
{
    int64_t value;
    return json_as_integer(json_get(object, key), &value) && value >= 0 ? (size_t)value : fallback;
}

static size_t count_of(const struct json *array)
{
    return json_is(array, JSON_ARRAY) ? array->count : 0;
}

/* The index of a member's text among the names of an enumeration; `fallback` when it is none. */
static int read_name(const struct json *object, const char *key, const char *(*name)(int), int count, int fallback)
{
    struct bytes text = json_as_text(json_get(object, key));
    for (int i = 0; i < count; i++)
        if (bytes_equal_string(text, name(i)))
            return i;
    return fallback;
}

static const char *place_at(int i)
{
    return tripwire_place_name((enum tripwire_place)i);
}

static const char *in_at(int i)
{
    return canary_in_name((enum canary_in)i);
}

static const char *left_at(int i)
{
    return leftover_kind_name((enum leftover_kind)i);
}

static void set_text(struct arena *a, struct json *object, const char *key, const char *text)
{
    if (text && *text)
        json_set(a, object, key, record_string(a, bytes_of_string(text)));
}

/* --- snapshots --- */

static void write_snapshot(struct arena *a, struct json *root, const char *key, const struct snapshot *s)
{
    if (!s->made)
        return;
    struct json *object = json_set(a, root, key, json_new(a, JSON_OBJECT));
    write_numbers(a, object, of_snapshot, s);
    if (s->have_descriptors) {
        struct json *kinds = json_set(a, object, "descriptors", json_new(a, JSON_OBJECT));
        for (int i = 0; i < DESCRIPTOR_KINDS; i++)
            json_set(a, kinds, descriptor_kind_name((enum descriptor_kind)i), json_integer(a, s->descriptors[i]));
    }
    if (!s->listener_count)
        return;
    struct json *list = json_set(a, object, "listeners", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < s->listener_count; i++) {
        struct json *item = json_add(list, json_new(a, JSON_OBJECT));
        set_text(a, item, "family", s->listeners[i].family);
        json_set(a, item, "where", record_string(a, s->listeners[i].where));
    }
}

static void read_snapshot(struct arena *a, const struct json *root, const char *key, struct snapshot *s)
{
    const struct json *object = json_get(root, key), *kinds = json_get(object, "descriptors");
    const struct json *list = json_get(object, "listeners");
    s->made = object != NULL;
    read_numbers(object, of_snapshot, s);
    s->have_descriptors = kinds != NULL;
    for (int i = 0; i < DESCRIPTOR_KINDS; i++)
        s->descriptors[i] = (uint32_t)read_size(kinds, descriptor_kind_name((enum descriptor_kind)i), 0);
    size_t count = count_of(list);
    struct listener *listeners = arena_alloc(a, (count + 1) * sizeof *listeners);
    for (size_t i = 0; i < count; i++) {
        const struct json *item = json_at(list, i);
        listeners[i].family = arena_string(a, json_as_text(json_get(item, "family")));
        listeners[i].where = record_bytes(a, item, "where");
    }
    s->listeners = listeners;
    s->listener_count = count;
}

/* --- tripwires --- */

static void write_tripwires(struct arena *a, struct json *root, const struct execution *e)
{
    struct json *list = e->tripwire_count ? json_set(a, root, "tripwires", json_new(a, JSON_ARRAY)) : NULL;
    for (size_t i = 0; i < e->tripwire_count; i++) {
        const struct tripwire_report *t = &e->tripwires[i];
        struct json *object = json_add(list, json_new(a, JSON_OBJECT));
        set_text(a, object, "place", tripwire_place_name(t->place));
        struct json *how = json_set(a, object, "how", json_new(a, JSON_ARRAY));
        for (unsigned bit = 1; bit < 1u << TRIPWIRE_TOUCHES; bit <<= 1)
            if (t->how & bit)
                json_add(how, json_text(a, tripwire_touch_name(bit)));
        if (t->after_step != SIZE_MAX)
            json_set(a, object, "after_step", json_integer(a, (int64_t)t->after_step));
    }
    list = e->sighting_count ? json_set(a, root, "canaries", json_new(a, JSON_ARRAY)) : NULL;
    for (size_t i = 0; i < e->sighting_count; i++) {
        const struct canary_sighting *s = &e->sightings[i];
        struct json *object = json_add(list, json_new(a, JSON_OBJECT));
        set_text(a, object, "place", tripwire_place_name(s->place));
        set_text(a, object, "in", canary_in_name(s->in));
        if (s->in == CANARY_REPLY)
            json_set(a, object, "observation", json_integer(a, (int64_t)s->observation));
        if (s->path.len)
            json_set(a, object, "path", record_string(a, s->path));
    }
}

static unsigned read_how(const struct json *object)
{
    const struct json *list = json_get(object, "how");
    unsigned how = 0;
    for (size_t i = 0; i < count_of(list); i++)
        for (unsigned bit = 1; bit < 1u << TRIPWIRE_TOUCHES; bit <<= 1)
            if (bytes_equal_string(json_as_text(json_at(list, i)), tripwire_touch_name(bit)))
                how |= bit;
    return how;
}

static void read_tripwires(struct arena *a, const struct json *root, struct execution *e)
{
    const struct json *list = json_get(root, "tripwires");
    size_t count = count_of(list);
    e->tripwires = arena_alloc(a, (count + 1) * sizeof *e->tripwires);
    for (; e->tripwire_count < count; e->tripwire_count++) {
        const struct json *object = json_at(list, e->tripwire_count);
        e->tripwires[e->tripwire_count] = (struct tripwire_report){
            .place = (enum tripwire_place)read_name(object, "place", place_at, TRIPWIRE_PLACES, TRIPWIRE_BESIDE),
            .how = read_how(object),
            .after_step = read_size(object, "after_step", SIZE_MAX),
        };
    }
    list = json_get(root, "canaries");
    count = count_of(list);
    e->sightings = arena_alloc(a, (count + 1) * sizeof *e->sightings);
    for (; e->sighting_count < count; e->sighting_count++) {
        const struct json *object = json_at(list, e->sighting_count);
        e->sightings[e->sighting_count] = (struct canary_sighting){
            .place = (enum tripwire_place)read_name(object, "place", place_at, TRIPWIRE_PLACES, TRIPWIRE_BESIDE),
            .in = (enum canary_in)read_name(object, "in", in_at, CANARY_STDERR + 1, CANARY_REPLY),
            .observation = read_size(object, "observation", 0),
            .path = record_bytes(a, object, "path"),
        };
    }
}

/* --- the fixture site --- */

static void write_site(struct arena *a, struct json *root, const struct site_view *s)
{
    if (!s->address)
        return;
    struct json *object = json_set(a, root, "site", json_new(a, JSON_OBJECT));
    set_text(a, object, "address", s->address);
    struct json *visits = json_set(a, object, "visits", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < s->count; i++)
        json_add(visits, web_visit_write(a, &s->visits[i]));
    if (s->dropped)
        json_set(a, object, "dropped", json_integer(a, (int64_t)s->dropped));
}

static void read_site(struct arena *a, const struct json *root, struct site_view *s)
{
    const struct json *object = json_get(root, "site"), *list = json_get(object, "visits");
    size_t count = count_of(list);
    if (!json_is(object, JSON_OBJECT))
        return;
    struct bytes address = json_as_text(json_get(object, "address"));
    s->address = address.len ? arena_string(a, address) : "http://127.0.0.1";
    struct web_visit *visits = arena_alloc(a, (count + 1) * sizeof *visits);
    const struct json *item = count ? list->first : NULL;
    for (; item; item = item->next)
        s->count += web_visit_read(a, item, &visits[s->count]);
    s->visits = visits;
    s->dropped = read_size(object, "dropped", 0);
}

/* --- tabs --- */

static void write_tabs(struct arena *a, struct json *root, const struct tabs_view *t)
{
    if (!t->budget)
        return;
    struct json *object = json_set(a, root, "tabs", json_new(a, JSON_OBJECT));
    json_set(a, object, "budget", json_integer(a, (int64_t)t->budget));
    if (t->listed)
        json_set(a, object, "open", json_integer(a, t->open));
    if (t->settled)
        json_set(a, object, "settled", json_integer(a, (int64_t)t->settled));
}

static void read_tabs(const struct json *root, struct tabs_view *t)
{
    const struct json *object = json_get(root, "tabs");
    t->budget = read_size(object, "budget", 0);
    t->listed = json_get(object, "open") != NULL;
    t->open = (uint32_t)read_size(object, "open", 0);
    t->settled = read_size(object, "settled", 0);
}

/* --- leftovers --- */

static void add_leftover(struct arena *a, struct json *list, const struct leftover *l)
{
    char state[2] = {l->state, 0};
    struct json *object = json_add(list, json_new(a, JSON_OBJECT));
    if (l->kind != LEFTOVER_PROCESS)
        set_text(a, object, "kind", leftover_kind_name(l->kind));
    if (l->pid)
        json_set(a, object, "pid", json_integer(a, l->pid));
    set_text(a, object, "state", state);
    set_text(a, object, "name", l->name);
    set_text(a, object, "command", l->command);
    if (l->where.len)
        json_set(a, object, "where", record_string(a, l->where));
    if (l->calm)
        json_set(a, object, "calm", json_bool(a, true));
}

static void write_leftovers(struct arena *a, struct json *root, const struct execution *e)
{
    struct json *list = json_set(a, root, "leftovers", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < e->leftover_count; i++)
        add_leftover(a, list, &e->leftovers[i]);
}

void record_write_processes(struct arena *a, struct json *object, const char *key, const struct leftover *from, size_t count)
{
    struct json *list = count ? json_set(a, object, key, json_new(a, JSON_ARRAY)) : NULL;
    for (size_t i = 0; i < count; i++)
        add_leftover(a, list, &from[i]);
}

static size_t read_list(struct arena *a, const struct json *list, struct leftover **out)
{
    size_t count = count_of(list);
    *out = arena_alloc(a, (count + 1) * sizeof **out);
    for (size_t i = 0; i < count; i++) {
        const struct json *object = json_at(list, i);
        struct bytes state = json_as_text(json_get(object, "state"));
        struct leftover *l = &(*out)[i];
        l->kind = (enum leftover_kind)read_name(object, "kind", left_at, LEFTOVER_GROUP + 1, LEFTOVER_PROCESS);
        bool process = l->kind == LEFTOVER_PROCESS || l->kind == LEFTOVER_ESCAPED;
        l->pid = (int)read_size(object, "pid", 0);
        l->state = state.len ? (char)state.data[0] : process ? 'S' : 0;
        l->name = arena_string(a, record_bytes(a, object, "name"));
        l->command = arena_string(a, record_bytes(a, object, "command"));
        l->where = record_bytes(a, object, "where");
        l->calm = json_as_bool(json_get(object, "calm"), false);
    }
    return count;
}

size_t record_read_processes(struct arena *a, const struct json *object, const char *key, const struct leftover **list)
{
    struct leftover *own;
    size_t count = read_list(a, json_get(object, key), &own);
    *list = own;
    return count;
}

void record_write_traces(struct arena *a, struct json *root, const struct execution *e)
{
    write_leftovers(a, root, e);
    write_snapshot(a, root, "at_start", &e->at_start);
    write_snapshot(a, root, "at_end", &e->at_end);
    write_tripwires(a, root, e);
    write_site(a, root, &e->site);
    write_tabs(a, root, &e->tabs);
}

void record_read_traces(struct arena *a, const struct json *root, struct execution *e)
{
    e->leftover_count = read_list(a, json_get(root, "leftovers"), &e->leftovers);
    read_snapshot(a, root, "at_start", &e->at_start);
    read_snapshot(a, root, "at_end", &e->at_end);
    read_tripwires(a, root, e);
    read_site(a, root, &e->site);
    read_tabs(root, &e->tabs);
}
