/* Writes recordings; see record.h. A value that is as it usually is, is left out. */
#include "exec/oracle/record.h"

#include "exec/oracle/record_internal.h"

#include "base/encode.h"
#include "base/utf8.h"
#include "gen/task_internal.h"

struct writer {
    struct arena *a;
};

struct json *record_string(struct arena *a, struct bytes b)
{
    return task_value_outward(a, json_string(a, b));
}

static struct json *bytes_value(struct writer *w, struct bytes b)
{
    return record_string(w->a, b);
}

static void set_text(struct writer *w, struct json *object, const char *key, const char *text)
{
    if (text && *text)
        json_set(w->a, object, key, bytes_value(w, bytes_of_string(text)));
}

static void set_bytes(struct writer *w, struct json *object, const char *key, struct bytes b)
{
    if (b.len)
        json_set(w->a, object, key, bytes_value(w, b));
}

static void set_integer(struct writer *w, struct json *object, const char *key, int64_t value)
{
    if (value)
        json_set(w->a, object, key, json_integer(w->a, value));
}

static void set_true(struct writer *w, struct json *object, const char *key, bool value)
{
    if (value)
        json_set(w->a, object, key, json_bool(w->a, true));
}

static void set_names(struct writer *w, struct json *object, const char *key, const struct bytes *names, size_t count)
{
    struct json *array = json_set(w->a, object, key, json_new(w->a, JSON_ARRAY));
    for (size_t i = 0; i < count; i++)
        json_add(array, bytes_value(w, names[i]));
}

static struct json *view_value(struct writer *w, const struct file_view *v)
{
    struct json *object = json_new(w->a, JSON_OBJECT);
    char kind[2] = {v->kind, 0};
    set_text(w, object, "by", witness_name(v->by));
    set_true(w, object, "exists", v->exists);
    set_text(w, object, "kind", kind);
    set_integer(w, object, "size", (int64_t)v->size);
    set_integer(w, object, "mode", v->mode);
    set_text(w, object, "sha256", v->sha256);
    if (v->have_data)
        json_set(w->a, object, "data", bytes_value(w, v->data));
    set_bytes(w, object, "target", v->target);
    if (v->have_entries)
        set_names(w, object, "entries", v->entries, v->entry_count);
    return object;
}

static void set_view(struct writer *w, struct json *object, const char *key, const struct file_view *v)
{
    if (v->by != WITNESS_NONE)
        json_set(w->a, object, key, view_value(w, v));
}

static struct json *fault_value(struct writer *w, const struct outcome_fault *f)
{
    struct json *object = json_new(w->a, JSON_OBJECT);
    set_text(w, object, "mutator", f->mutator);
    set_text(w, object, "kind", f->kind);
    set_true(w, object, "applied", f->applied);
    set_true(w, object, "frame", f->frame);
    set_true(w, object, "struck", f->struck);
    set_true(w, object, "lawful", f->lawful);
    set_true(w, object, "inert", f->inert);
    set_integer(w, object, "owed", f->owed);
    set_integer(w, object, "any", f->any);
    set_integer(w, object, "replies", f->replies);
    set_integer(w, object, "nulls", f->nulls);
    set_true(w, object, "duplicate", f->duplicate);
    set_integer(w, object, "status", f->status);
    set_integer(w, object, "memory_before", (int64_t)f->memory_before);
    set_integer(w, object, "memory_after", (int64_t)f->memory_after);
    return object;
}

static struct json *outcome_value(struct writer *w, const struct outcome *o)
{
    struct json *object = json_new(w->a, JSON_OBJECT);
    set_text(w, object, "class", outcome_class_name(o->class));
    set_integer(w, object, "code", o->code);
    if (o->has_exit)
        json_set(w->a, object, "exit", json_integer(w->a, o->exit));
    set_integer(w, object, "signal", o->signal);
    set_bytes(w, object, "message", o->message);
    if (o->result)
        json_set(w->a, object, "result", task_value_outward(w->a, o->result));
    set_bytes(w, object, "raw", o->raw);
    set_integer(w, object, "bytes_in", (int64_t)o->bytes_in);
    set_integer(w, object, "bytes_out", (int64_t)o->bytes_out);
    set_integer(w, object, "start_ns", o->start_ns);
    set_integer(w, object, "ns", o->ns);
    set_integer(w, object, "told_ms", o->told_ms);
    json_set(w->a, object, "replies", json_integer(w->a, o->replies));
    set_true(w, object, "truncated", o->truncated);
    set_true(w, object, "lowered", o->lowered);
    set_true(w, object, "gone", o->gone);
    set_true(w, object, "by_us", o->by_us);
    if (o->fault)
        json_set(w->a, object, "fault", fault_value(w, o->fault));
    set_text(w, object, "skip_reason", o->skip_reason);
    return object;
}

static struct json *observation_value(struct writer *w, const struct observation *o)
{
    struct json *object = json_new(w->a, JSON_OBJECT);
    set_text(w, object, "step", o->step->id);
    set_integer(w, object, "round", o->round);
    set_true(w, object, "in_group", o->in_group);
    if (o->args)
        json_set(w->a, object, "args", task_value_outward(w->a, o->args));
    json_set(w->a, object, "outcome", outcome_value(w, &o->outcome));
    if (o->work.looked) {
        struct json *work = json_set(w->a, object, "work", json_new(w->a, JSON_OBJECT));
        set_integer(w, work, "first", (int64_t)o->work.first);
        set_integer(w, work, "second", (int64_t)o->work.second);
        set_integer(w, work, "after_ms", o->work.after_ms);
    }
    if (o->jobs.looked) {
        struct json *jobs = json_set(w->a, object, "jobs", json_new(w->a, JSON_OBJECT));
        set_integer(w, jobs, "before", o->jobs.before);
        set_integer(w, jobs, "after", o->jobs.after);
        set_integer(w, jobs, "working", o->jobs.working);
        set_integer(w, jobs, "spared", o->jobs.spared);
        set_integer(w, jobs, "none_ms", o->jobs.none_ms);
    }
    if (o->deadline.looked) {
        struct json *deadline = json_set(w->a, object, "deadline", json_new(w->a, JSON_OBJECT));
        set_view(w, deadline, "before", &o->deadline.before);
        set_view(w, deadline, "file", &o->deadline.file);
        record_write_processes(w->a, deadline, "processes", o->deadline.processes, o->deadline.process_count);
        set_integer(w, deadline, "after_ms", o->deadline.after_ms);
    }
    set_view(w, object, "before", &o->before);
    set_view(w, object, "after", &o->after);
    set_view(w, object, "to_before", &o->to_before);
    set_view(w, object, "to_after", &o->to_after);
    set_view(w, object, "parent", &o->parent);
    if (o->appeared_count)
        set_names(w, object, "appeared", o->appeared, o->appeared_count);
    record_write_usage(w->a, object, &o->usage);
    if (o->killed)
        json_set(w->a, object, "killed", json_integer(w->a, o->killed));
    return object;
}

static void set_wire(struct writer *w, struct json *root, const struct execution *e)
{
    struct json *array = json_set(w->a, root, "wire", json_new(w->a, JSON_ARRAY));
    for (size_t i = 0; i < e->wire_count; i++) {
        struct json *object = json_add(array, json_new(w->a, JSON_OBJECT));
        set_text(w, object, "kind", e->wire[i].kind);
        set_integer(w, object, "duty", e->wire[i].duty);
        set_text(w, object, "detail", e->wire[i].detail);
        set_bytes(w, object, "text", e->wire[i].text);
        json_set(w->a, object, "after_step", json_integer(w->a, (int64_t)e->wire[i].after_step));
    }
}

static void set_control(struct writer *w, struct json *root, const struct control *c)
{
    if (!c->made)
        return;
    struct json *object = json_set(w->a, root, "control", json_new(w->a, JSON_OBJECT));
    json_set(w->a, object, "answered", json_bool(w->a, c->answered));
    set_text(w, object, "op", c->op);
    set_text(w, object, "what", c->what);
    json_set(w->a, object, "after_step", json_integer(w->a, (int64_t)c->after_step));
    if (c->fine)
        json_set(w->a, object, "fine", json_integer(w->a, (int64_t)c->fine));
}

static void set_crosses(struct writer *w, struct json *root, const struct execution *e)
{
    struct json *array = json_set(w->a, root, "crosses", json_new(w->a, JSON_ARRAY));
    for (size_t i = 0; i < e->cross_count; i++) {
        const struct cross_view *c = &e->crosses[i];
        struct json *object = json_add(array, json_new(w->a, JSON_OBJECT));
        json_set(w->a, object, "observation", json_integer(w->a, (int64_t)c->observation));
        set_bytes(w, object, "path", c->path);
        set_view(w, object, "outside", &c->outside);
        set_view(w, object, "inside", &c->inside);
        set_bytes(w, object, "found_at", c->found_at);
    }
}

static void set_finals(struct writer *w, struct json *root, const struct execution *e)
{
    struct json *array = json_set(w->a, root, "finals", json_new(w->a, JSON_ARRAY));
    for (size_t i = 0; i < e->final_count; i++) {
        struct json *object = json_add(array, json_new(w->a, JSON_OBJECT));
        json_set(w->a, object, "path", bytes_value(w, e->finals[i].path));
        set_view(w, object, "view", &e->finals[i].view);
    }
}

static void set_kept(struct writer *w, struct json *root, const struct execution *e)
{
    struct json *array = e->kept_count ? json_set(w->a, root, "kept", json_new(w->a, JSON_ARRAY)) : NULL;
    for (size_t i = 0; i < e->kept_count; i++) {
        struct json *object = json_add(array, json_new(w->a, JSON_OBJECT));
        json_set(w->a, object, "path", bytes_value(w, e->kept[i].path));
        set_view(w, object, "before", &e->kept[i].before);
        set_view(w, object, "after", &e->kept[i].after);
    }
}

static void set_answers(struct writer *w, struct json *root, const struct execution *e)
{
    struct json *array = e->answer_count ? json_set(w->a, root, "answers", json_new(w->a, JSON_ARRAY)) : NULL;
    for (size_t i = 0; i < e->answer_count; i++) {
        struct json *object = json_add(array, json_new(w->a, JSON_OBJECT));
        json_set(w->a, object, "observation", json_integer(w->a, (int64_t)e->answers[i].observation));
        set_text(w, object, "check", e->answers[i].check);
        set_text(w, object, "primitive", e->answers[i].primitive);
        set_text(w, object, "command", e->answers[i].command);
        set_text(w, object, "detail", e->answers[i].detail);
    }
}

void observation_write(const struct observation *o, struct buf *out)
{
    struct arena arena;
    arena_init(&arena);
    struct writer w = {.a = &arena};
    struct json *object = observation_value(&w, o);
    json_set(&arena, object, "op", json_text(&arena, o->step->op->name));
    json_write(out, object, JSON_COMPACT);
    arena_release(&arena);
}

void execution_write(const struct execution *e, struct buf *out)
{
    struct arena arena;
    arena_init(&arena);
    struct writer w = {.a = &arena};
    struct json *root = json_new(&arena, JSON_OBJECT);
    set_text(&w, root, "format", "taskgen/execution/1");
    struct buf task;
    buf_init(&task, SIZE_MAX);
    task_write(e->task, &task);
    json_set(&arena, root, "task", json_raw(&arena, buf_bytes(&task)));
    buf_release(&task);
    if (e->policy)
        json_set(&arena, root, "policy", policy_json(e->policy, &arena));
    json_set(&arena, root, "executed", json_bool(&arena, e->executed));
    set_true(&w, root, "harness", e->harness);
    set_true(&w, root, "target_died", e->target_died);
    set_true(&w, root, "first_refused", e->first_refused);
    set_text(&w, root, "skip_reason", e->skip_reason);
    struct json *observations = json_set(&arena, root, "observations", json_new(&arena, JSON_ARRAY));
    for (size_t i = 0; i < e->count; i++)
        json_add(observations, observation_value(&w, &e->observations[i]));
    set_wire(&w, root, e);
    record_write_traces(w.a, root, e);
    set_control(&w, root, &e->control);
    set_crosses(&w, root, e);
    set_finals(&w, root, e);
    set_kept(&w, root, e);
    set_answers(&w, root, e);
    set_bytes(&w, root, "stderr", e->stderr_tail);
    set_integer(&w, root, "ns", e->ns);
    json_write(out, root, JSON_COMPACT); /* as it came: the canonical form would rewrite numbers */
    arena_release(&arena);
}
