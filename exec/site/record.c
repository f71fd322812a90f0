/* The record of visits: begun when a request's head is there, ended when its answer is over, never more than its bounds. */
#include <stdlib.h>
#include <string.h>

#include "exec/site/site_internal.h"

struct web_entry *web_record_new(void)
{
    struct web_entry *e = xcalloc(1, sizeof *e);
    arena_init(&e->arena);
    e->v.room = "";
    e->v.length = -1;
    e->v.end_ms = -1;
    e->v.step = -1;
    return e;
}

static void free_entry(struct web_entry *e)
{
    arena_release(&e->arena);
    free(e);
}

/* Headers that are kept: those that say who asks, and how. */
static const char *const kept_headers[] = {
    "host",   "user-agent", "accept-language", "accept-encoding", "content-type",   "content-length", "cookie",
    "origin", "referer",    "range",           "sec-fetch-dest",  "sec-fetch-mode", "sec-fetch-site", "sec-purpose",
    "expect", "authorization",
};

void web_visit_target(struct web_entry *e, const char *method, const struct web_target *t)
{
    e->v.room = arena_string(&e->arena, bytes_of_string(t->room));
    e->v.method = arena_string(&e->arena, bytes_of_string(method));
    e->v.path = arena_copy(&e->arena, t->path);
    e->v.query = arena_copy(&e->arena, t->query);
    e->v.cut = t->cut;
}

void web_visit_headers(struct web_entry *e, struct bytes (*value)(void *user, const char *name), void *user)
{
    enum { COUNT = sizeof kept_headers / sizeof *kept_headers };
    struct web_header *all = arena_alloc(&e->arena, COUNT * sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++) {
        struct bytes found = value(user, kept_headers[i]);
        if (found.len)
            all[count++] = (struct web_header){kept_headers[i], arena_copy(&e->arena, bytes_slice(found, 0, WEB_TARGET_MAX))};
    }
    e->v.headers = all;
    e->v.header_count = count;
}

void web_record_begin(struct web_site *s, struct web_entry *e)
{
    pthread_mutex_lock(&s->lock);
    e->v.number = s->number++;
    e->v.start_ms = web_site_now(s);
    e->v.step = atomic_load(&s->step);
    e->kept = s->entry_count < s->options.visits && s->bytes < WEB_BYTES_MAX;
    if (e->kept)
        s->entries[s->entry_count++] = e;
    else
        s->dropped++;
    e->counted = e->arena.used;
    s->bytes += e->kept ? e->counted : 0;
    pthread_mutex_unlock(&s->lock);
}

void web_record_end(struct web_site *s, struct web_entry *e, enum web_end end)
{
    pthread_mutex_lock(&s->lock);
    e->v.end = end;
    e->v.end_ms = web_site_now(s);
    bool kept = e->kept && e->v.number >= s->forgotten;
    s->bytes += kept ? e->arena.used - e->counted : 0;
    if (s->options.visited && e->v.number >= s->forgotten)
        s->options.visited(s->options.user, &e->v);
    pthread_mutex_unlock(&s->lock);
    if (!kept)
        free_entry(e);
}

/* Those that are still open belong to their exchanges from then on. */
void web_record_clear(struct web_site *s)
{
    for (size_t i = 0; i < s->entry_count; i++)
        if (s->entries[i]->v.end != WEB_OPEN)
            free_entry(s->entries[i]);
    s->entry_count = 0;
    s->bytes = 0;
    s->dropped = 0;
    s->forgotten = s->number;
}

void web_site_clear(struct web_site *s)
{
    pthread_mutex_lock(&s->lock);
    web_record_clear(s);
    memset(&s->logins, 0, sizeof s->logins);
    pthread_mutex_unlock(&s->lock);
}

void web_site_step(struct web_site *s, int64_t step)
{
    atomic_store(&s->step, step);
}

/* --- copies --- */

static struct web_visit copy_visit(struct arena *a, const struct web_visit *from)
{
    struct web_visit v = *from;
    struct web_header *headers = arena_alloc(a, (v.header_count + 1) * sizeof *headers);
    struct web_field *fields = arena_alloc(a, (v.field_count + 1) * sizeof *fields);
    v.room = arena_string(a, bytes_of_string(from->room));
    v.method = arena_string(a, bytes_of_string(from->method));
    v.path = arena_copy(a, from->path);
    v.query = arena_copy(a, from->query);
    for (size_t i = 0; i < v.header_count; i++)
        headers[i] = (struct web_header){from->headers[i].name, arena_copy(a, from->headers[i].value)};
    for (size_t i = 0; i < v.field_count; i++) {
        fields[i] = from->fields[i];
        fields[i].name = arena_copy(a, fields[i].name);
        fields[i].value = arena_copy(a, fields[i].value);
        fields[i].text = arena_copy(a, fields[i].text);
        fields[i].filename = arena_copy(a, fields[i].filename);
        fields[i].type = arena_copy(a, fields[i].type);
    }
    v.headers = headers;
    v.fields = fields;
    return v;
}

void web_site_visits(struct web_site *s, const char *room, uint64_t from, struct arena *a, struct web_visits *out)
{
    pthread_mutex_lock(&s->lock);
    struct web_visit *items = arena_alloc(a, (s->entry_count + 1) * sizeof *items);
    *out = (struct web_visits){.items = items, .dropped = s->dropped};
    for (size_t i = 0; i < s->entry_count; i++) {
        const struct web_visit *v = &s->entries[i]->v;
        if (v->number >= from && (!room || strcmp(room, v->room) == 0))
            items[out->count++] = copy_visit(a, v);
    }
    pthread_mutex_unlock(&s->lock);
}
