/* The table of observers, and what becomes of its rows in a campaign, a session and a task; see observer.h. */
#include "exec/observe/observer.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static const struct observer *const table[] = {&observer_syscalls, &observer_node};
enum { ROWS = sizeof table / sizeof *table };
_Static_assert((int)ROWS <= (int)OBSERVERS_MAX, "an observer too many");

const struct observer *observer_at(size_t index)
{
    return index < ROWS ? table[index] : NULL;
}

/* --- what is seen --- */

void seen_add(struct seen_list *list, enum seen_domain domain, const char *key, const char *text)
{
    enum { FIRST = 256 };
    if (list->count == SEEN_MAX)
        return;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : FIRST;
        struct seen *more = arena_alloc(list->arena, capacity * sizeof *more);
        if (list->count)
            memcpy(more, list->items, list->count * sizeof *more);
        list->items = more;
        list->capacity = capacity;
    }
    list->items[list->count++] = (struct seen){
        .domain = domain, .hash = hash64(bytes_of_string(key)), .text = arena_string(list->arena, bytes_of_string(text))};
}

static int compare_seen(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static size_t keep_one_of_each(struct seen *items, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(items, count, sizeof *items, compare_seen);
    for (size_t i = 0; i < count; i++)
        if (!kept || compare_seen(&items[kept - 1], &items[i]) != 0)
            items[kept++] = items[i];
    return kept;
}

/* --- a campaign's --- */

struct row {
    bool wanted;
    const char *lacks; /* why it does not watch; NULL: it does, if it is wanted */
    void *shared;
};

struct observers {
    struct target *target;
    struct row rows[ROWS];
};

static bool watches(const struct observers *o, size_t i)
{
    return o && o->rows[i].wanted && !o->rows[i].lacks;
}

static int want(struct observers *o, struct bytes name, struct error **err)
{
    if (bytes_equal_string(name, "none"))
        return 0;
    bool all = bytes_equal_string(name, "all"), any = all;
    for (size_t i = 0; i < ROWS; i++)
        if (all || bytes_equal_string(name, table[i]->name))
            o->rows[i].wanted = any = true;
    if (any)
        return 0;
    struct buf names;
    buf_init(&names, 1024);
    for (size_t i = 0; i < ROWS; i++)
        buf_addf(&names, "%s, ", table[i]->name);
    int status = error_set(err, ERR_INPUT, "found '%.*s', expected %sall or none", BYTES_ARG(name), buf_string(&names));
    buf_release(&names);
    return status;
}

int observers_new(const char *list, struct target *t, struct observers **out, struct error **err)
{
    struct observers *o = xcalloc(1, sizeof *o);
    struct bytes rest = bytes_of_string(list ? list : "all");
    o->target = t;
    int status = 0;
    while (rest.len && status == 0) {
        ptrdiff_t comma = bytes_find(rest, BYTES_LITERAL(","), 0);
        size_t length = comma < 0 ? rest.len : (size_t)comma;
        status = want(o, bytes_slice(rest, 0, length), err);
        rest = bytes_slice(rest, comma < 0 ? length : length + 1, rest.len);
    }
    if (status < 0) {
        free(o);
        return status;
    }
    for (size_t i = 0; i < ROWS; i++) {
        o->rows[i].lacks = table[i]->lacks(t);
        if (watches(o, i))
            o->rows[i].shared = table[i]->open(t);
    }
    *out = o;
    return 0;
}

void observers_free(struct observers *o)
{
    for (size_t i = 0; i < ROWS && o; i++)
        if (watches(o, i))
            table[i]->close(o->rows[i].shared);
    free(o);
}

bool observers_none(const struct observers *o)
{
    for (size_t i = 0; i < ROWS; i++)
        if (watches(o, i))
            return false;
    return true;
}

static double share_of(const struct observer *row, const struct settings *settings)
{
    return row->share ? settings_real(settings, row->share) : 1;
}

/* "yes", "yes, in a share of 0.1 of the tasks", "no (why)". */
static void add_state(const struct observer *row, const char *lacks, const struct settings *settings, struct buf *out)
{
    double share = share_of(row, settings);
    if (lacks)
        buf_addf(out, "no (%s)", lacks);
    else if (share < 1)
        buf_addf(out, "yes, in a share of %g of the tasks", share);
    else
        buf_add_string(out, "yes");
}

void observers_explain(const struct observers *o, struct buf *out)
{
    for (size_t i = 0; i < ROWS; i++) {
        buf_addf(out, "%s: ", table[i]->doc);
        add_state(table[i], o->rows[i].wanted ? o->rows[i].lacks : "turned off", target_settings(o->target), out);
        buf_add_string(out, "\n");
    }
}

void observers_summary(const struct observers *o, struct buf *out)
{
    bool any = false;
    buf_add_string(out, "observed: ");
    for (size_t i = 0; i < ROWS; i++) {
        if (!o->rows[i].wanted)
            continue;
        buf_addf(out, "%s%s: ", any ? "; " : "", table[i]->doc);
        add_state(table[i], o->rows[i].lacks, target_settings(o->target), out);
        any = true;
    }
    if (!any)
        buf_add_string(out, "answers only");
}

void observers_report(const struct settings *settings, struct buf *out)
{
    for (size_t i = 0; i < ROWS; i++) {
        buf_addf(out, "observer of %s: ", table[i]->doc);
        add_state(table[i], table[i]->lacks(NULL), settings, out);
        buf_add_string(out, "\n");
    }
}

/* --- a session's --- */

struct lookout {
    struct observers *observers;
    struct session_watch hooks;
    void *states[ROWS];
    bool at_work[ROWS]; /* since the last task_begin */
};

static void on_starting(void *context, struct session *s, struct session_extra *extra)
{
    struct lookout *w = context;
    for (size_t i = 0; i < ROWS; i++)
        if (watches(w->observers, i))
            table[i]->starting(w->states[i], s, extra);
}

static void on_started(void *context, struct session *s)
{
    struct lookout *w = context;
    for (size_t i = 0; i < ROWS; i++)
        if (watches(w->observers, i))
            table[i]->started(w->states[i], s);
}

struct lookout *lookout_new(struct observers *o)
{
    if (observers_none(o))
        return NULL;
    struct lookout *w = xcalloc(1, sizeof *w);
    w->observers = o;
    w->hooks = (struct session_watch){.context = w, .starting = on_starting, .started = on_started};
    for (size_t i = 0; i < ROWS; i++)
        if (watches(o, i))
            w->states[i] = table[i]->begin(o->rows[i].shared);
    return w;
}

const struct session_watch *lookout_hooks(struct lookout *w)
{
    return w ? &w->hooks : NULL;
}

/* By the task's id, so that a task that is run again to see whether what it showed is stable is watched again. */
static bool in_share(const struct observer *row, const struct task *t, const struct settings *settings)
{
    enum { STEPS = 1 << 20 };
    uint64_t h = hash64_mix(hash64(bytes_of_string(t->id)), hash64(bytes_of_string(row->name)));
    return (double)(h % STEPS) < share_of(row, settings) * STEPS;
}

void lookout_task_begin(struct lookout *w, const struct task *t)
{
    for (size_t i = 0; i < ROWS && w; i++) {
        w->at_work[i] = watches(w->observers, i) && in_share(table[i], t, target_settings(w->observers->target));
        if (w->at_work[i])
            table[i]->task_begin(w->states[i]);
    }
}

void lookout_task_end(struct lookout *w, struct execution *e)
{
    if (!w)
        return;
    struct seen_list list = {.arena = e->arena};
    for (size_t i = 0; i < ROWS; i++)
        if (w->at_work[i])
            table[i]->task_end(w->states[i], &list);
    e->seen = list.items;
    e->seen_count = keep_one_of_each(list.items, list.count);
}

bool lookout_took_part(const struct lookout *w, const char *name)
{
    for (size_t i = 0; i < ROWS && w; i++)
        if (strcmp(table[i]->name, name) == 0)
            return w->at_work[i];
    return false;
}

void lookout_explain(struct lookout *w, struct buf *out)
{
    for (size_t i = 0; i < ROWS && w; i++)
        if (watches(w->observers, i) && table[i]->says)
            buf_addf(out, "%s\n", table[i]->says(w->states[i]));
}

void lookout_free(struct lookout *w)
{
    for (size_t i = 0; i < ROWS && w; i++)
        if (watches(w->observers, i))
            table[i]->end(w->states[i]);
    free(w);
}
