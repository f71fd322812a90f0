/* Events of --json: one object a line on standard output; docs/events.md has every member. */
#include "base/json.h"
#include "cli/watch.h"
#include "cli/watch_left.h"

static void print_event(const struct watch *w, const struct json *event)
{
    struct buf line;
    buf_init(&line, 1 << 24);
    json_write(&line, event, JSON_COMPACT);
    buf_add_byte(&line, '\n');
    cli_out(w->verb, buf_bytes(&line));
    cli_out_flush(w->verb);
    buf_release(&line);
}

static struct json *event_new(struct arena *a, const char *name)
{
    struct json *event = json_new(a, JSON_OBJECT);
    json_set(a, event, "event", json_text(a, name));
    return event;
}

void watch_event_progress(const struct watch *w, bool end)
{
    struct arena a;
    arena_init(&a);
    struct json *event = event_new(&a, end ? "end" : "progress");
    figures_event(&w->figures, end, &a, event);
    if (end)
        json_set(&a, event, "end", json_text(&a, loop_end_name(w->figures.end)));
    print_event(w, event);
    arena_release(&a);
}

void watch_event_finding(const struct watch *w, const struct finding *f, const struct fail_case *known)
{
    struct arena a;
    arena_init(&a);
    struct json *event = event_new(&a, "finding");
    const struct {
        const char *name, *value;
    } rows[] = {
        {"signature", f->signature}, {"state", finding_state_name(f->state)},
        {"layer", f->layer},         {"primitive", f->primitive},
        {"check", f->check},         {"op", f->op},
        {"title", f->title},         {"evidence", f->evidence},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_set(&a, event, rows[i].name, json_text(&a, rows[i].value));
    json_set(&a, event, "n_failed", json_integer(&a, f->n_failed));
    json_set(&a, event, "n_run", json_integer(&a, f->n_run));
    json_set(&a, event, "client_illegal", json_bool(&a, f->client_illegal));
    json_set(&a, event, "suppressed", json_bool(&a, known->suppressed));
    json_set(&a, event, "note", json_bool(&a, known->note));
    json_set(&a, event, "fresh", json_bool(&a, known->fresh));
    json_set(&a, event, "elapsed_ms", json_integer(&a, w->figures.elapsed_ms));
    print_event(w, event);
    arena_release(&a);
}

void watch_event_outcome(const struct watch *w, const char *name, const struct task *t, const char *why, const struct execution *left)
{
    struct arena a;
    arena_init(&a);
    struct json *event = event_new(&a, name);
    json_set(&a, event, "task", json_text(&a, t->id));
    json_set(&a, event, "workflow", json_text(&a, arena_printf(&a, "%s/%s", t->domain, t->workflow)));
    if (left)
        watch_left_event(left, &a, event);
    else
        json_set(&a, event, "why", json_text(&a, why));
    print_event(w, event);
    arena_release(&a);
}
