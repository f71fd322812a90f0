/* Reads recordings; see record.h. */
#include "exec/oracle/record.h"

#include "exec/oracle/record_internal.h"

#include <string.h>

#include "base/encode.h"
#include "base/hash.h"

struct reader {
    struct arena *a;
    const char *where;
    struct error **err;
    const struct task *task;
};

/* Every {"$bytes":base64} below `value` becomes a string; the value itself may be replaced. Does not recurse.
 */
static struct json *with_bytes(struct arena *a, struct json *root)
{
    struct json *node = root;
    while (node) {
        if (task_is_wrapper(node, "$bytes") && node->count == 1) {
            struct buf data;
            buf_init(&data, SIZE_MAX);
            if (base64_decode(&data, json_as_text(node->first)) == 0) {
                struct json *string = json_string(a, buf_bytes(&data));
                if (node == root) {
                    buf_release(&data);
                    return string;
                }
                json_replace(node, string);
                node = string;
            }
            buf_release(&data);
        }
        node = json_next(root, node, true);
    }
    return root;
}

struct bytes record_bytes(struct arena *a, const struct json *object, const char *key)
{
    struct json *value = json_get(object, key);
    if (task_is_wrapper(value, "$bytes"))
        value = with_bytes(a, json_copy(a, value));
    return json_is(value, JSON_STRING) ? value->text : BYTES_NONE;
}

static struct bytes get_bytes(struct reader *r, const struct json *object, const char *key)
{
    return record_bytes(r->a, object, key);
}

static const char *get_text(struct reader *r, const struct json *object, const char *key)
{
    return json_get(object, key) ? arena_string(r->a, get_bytes(r, object, key)) : NULL;
}

static int64_t get_integer(const struct json *object, const char *key, int64_t fallback)
{
    int64_t value;
    return json_as_integer(json_get(object, key), &value) ? value : fallback;
}

static bool get_flag(const struct json *object, const char *key)
{
    return json_as_bool(json_get(object, key), false);
}

static size_t count_of(const struct json *root, const char *key)
{
    const struct json *array = json_get(root, key);
    return json_is(array, JSON_ARRAY) ? array->count : 0;
}

static bool get_names(struct reader *r, const struct json *object, const char *key, const struct bytes **out, size_t *count)
{
    const struct json *array = json_get(object, key);
    if (!json_is(array, JSON_ARRAY))
        return false;
    struct bytes *names = arena_alloc(r->a, (array->count + 1) * sizeof *names);
    *count = 0;
    for (const struct json *name = array->first; name; name = name->next)
        names[(*count)++] = json_as_text(with_bytes(r->a, json_copy(r->a, name)));
    *out = names;
    return true;
}

static struct file_view get_view(struct reader *r, const struct json *parent, const char *key)
{
    struct file_view v = {0};
    const struct json *object = json_get(parent, key);
    if (!object)
        return v;
    struct bytes by = json_as_text(json_get(object, "by")), kind = json_as_text(json_get(object, "kind"));
    for (enum witness w = WITNESS_NONE; w <= WITNESS_BESIDE; w++)
        if (bytes_equal_string(by, witness_name(w)))
            v.by = w;
    v.exists = get_flag(object, "exists");
    v.kind = kind.len ? (char)kind.data[0] : 0;
    v.mode = (unsigned)get_integer(object, "mode", 0);
    v.target = get_bytes(r, object, "target");
    v.have_data = json_get(object, "data") != NULL;
    v.data = get_bytes(r, object, "data");
    v.size = (uint64_t)get_integer(object, "size", (int64_t)v.data.len);
    struct bytes hash = json_as_text(json_get(object, "sha256"));
    if (hash.len == 64)
        memcpy(v.sha256, hash.data, 64);
    else if (v.have_data)
        sha256_hex(v.data, v.sha256);
    v.have_entries = get_names(r, object, "entries", &v.entries, &v.entry_count);
    return v;
}

static const struct outcome_fault *get_fault(struct reader *r, const struct json *object)
{
    if (!json_is(object, JSON_OBJECT))
        return NULL;
    const char *mutator = get_text(r, object, "mutator"), *kind = get_text(r, object, "kind");
    struct outcome_fault *f = arena_alloc(r->a, sizeof *f);
    *f = (struct outcome_fault){
        .mutator = mutator ? mutator : "",
        .kind = kind ? kind : "",
        .applied = get_flag(object, "applied"),
        .frame = get_flag(object, "frame"),
        .struck = get_flag(object, "struck"),
        .lawful = get_flag(object, "lawful"),
        .inert = get_flag(object, "inert"),
        .owed = (uint32_t)get_integer(object, "owed", 0),
        .any = (uint32_t)get_integer(object, "any", 0),
        .replies = (uint32_t)get_integer(object, "replies", 0),
        .nulls = (uint32_t)get_integer(object, "nulls", 0),
        .duplicate = get_flag(object, "duplicate"),
        .status = (int)get_integer(object, "status", 0),
        .memory_before = (uint64_t)get_integer(object, "memory_before", 0),
        .memory_after = (uint64_t)get_integer(object, "memory_after", 0),
    };
    return f;
}

static int get_outcome(struct reader *r, const struct json *object, struct outcome *o)
{
    struct bytes class = json_as_text(json_get(object, "class"));
    int found = outcome_class_find(arena_string(r->a, class));
    if (found < 0)
        return error_set(r->err, ERR_INPUT,
                         "%s: outcome class '%.*s', expected one of ok, tool-error, timeout …", r->where,
                         BYTES_ARG(class));
    *o = (struct outcome){.class = (enum outcome_class)found};
    o->code = get_integer(object, "code", 0);
    o->has_exit = json_get(object, "exit") != NULL;
    o->exit = (int)get_integer(object, "exit", 0);
    o->signal = (int)get_integer(object, "signal", 0);
    o->message = get_bytes(r, object, "message");
    if (json_get(object, "result"))
        o->result = with_bytes(r->a, json_copy(r->a, json_get(object, "result")));
    o->raw = get_bytes(r, object, "raw");
    o->bytes_in = (uint64_t)get_integer(object, "bytes_in", 0);
    o->bytes_out = (uint64_t)get_integer(object, "bytes_out", 0);
    o->start_ns = get_integer(object, "start_ns", 0);
    o->ns = get_integer(object, "ns", 0);
    o->told_ms = get_integer(object, "told_ms", 0);
    bool answered = o->class <= OUTCOME_PROTOCOL_ERROR && o->class != OUTCOME_SKIPPED;
    o->replies = (uint32_t)get_integer(object, "replies", answered);
    o->truncated = get_flag(object, "truncated");
    o->lowered = get_flag(object, "lowered");
    o->gone = get_flag(object, "gone");
    o->by_us = get_flag(object, "by_us");
    o->fault = get_fault(r, json_get(object, "fault"));
    o->skip_reason = get_text(r, object, "skip_reason");
    return 0;
}

static void get_deadline(struct reader *r, const struct json *object, struct deadline_view *v)
{
    *v = (struct deadline_view){.looked = object != NULL, .after_ms = get_integer(object, "after_ms", 0)};
    v->before = get_view(r, object, "before");
    v->file = get_view(r, object, "file");
    v->process_count = record_read_processes(r->a, object, "processes", &v->processes);
}

static int get_observation(struct reader *r, const struct json *object, struct observation *o)
{
    struct bytes id = json_as_text(json_get(object, "step"));
    o->step = task_find_step(r->task, arena_string(r->a, id));
    if (!o->step)
        return error_set(r->err, ERR_INPUT, "%s: observation of step '%.*s', which the task does not have",
                         r->where, BYTES_ARG(id));
    const struct json *args = json_get(object, "args");
    o->args = args ? with_bytes(r->a, json_copy(r->a, args)) : o->step->args;
    o->round = (uint32_t)get_integer(object, "round", 0);
    o->in_group = get_flag(object, "in_group");
    TRY(get_outcome(r, json_get(object, "outcome"), &o->outcome));
    const struct json *work = json_get(object, "work");
    o->work = (struct work_view){.looked = work != NULL,
                                 .first = (uint64_t)get_integer(work, "first", 0),
                                 .second = (uint64_t)get_integer(work, "second", 0),
                                 .after_ms = get_integer(work, "after_ms", 0)};
    const struct json *jobs = json_get(object, "jobs");
    o->jobs = (struct jobs_view){.looked = jobs != NULL,
                                 .before = (uint32_t)get_integer(jobs, "before", 0),
                                 .after = (uint32_t)get_integer(jobs, "after", 0),
                                 .working = (uint32_t)get_integer(jobs, "working", 0),
                                 .spared = (uint32_t)get_integer(jobs, "spared", 0),
                                 .none_ms = get_integer(jobs, "none_ms", 0)};
    get_deadline(r, json_get(object, "deadline"), &o->deadline);
    o->before = get_view(r, object, "before");
    o->after = get_view(r, object, "after");
    o->to_before = get_view(r, object, "to_before");
    o->to_after = get_view(r, object, "to_after");
    o->parent = get_view(r, object, "parent");
    get_names(r, object, "appeared", &o->appeared, &o->appeared_count);
    record_read_usage(object, &o->usage);
    int64_t killed = 0;
    json_as_integer(json_get(object, "killed"), &killed);
    o->killed = killed > 0 ? (uint32_t)killed : 0;
    return 0;
}

static int get_observations(struct reader *r, const struct json *root, struct execution *e)
{
    size_t count = count_of(root, "observations");
    e->observations = arena_alloc(r->a, (count + 1) * sizeof *e->observations);
    for (; e->count < count; e->count++)
        TRY(get_observation(r, json_at(json_get(root, "observations"), e->count),
                            &e->observations[e->count]));
    return 0;
}

static void get_wire(struct reader *r, const struct json *root, struct execution *e)
{
    size_t count = count_of(root, "wire");
    e->wire = arena_alloc(r->a, (count + 1) * sizeof *e->wire);
    for (; e->wire_count < count; e->wire_count++) {
        const struct json *object = json_at(json_get(root, "wire"), e->wire_count);
        const char *kind = get_text(r, object, "kind");
        e->wire[e->wire_count] = (struct wire_record){
            .kind = kind ? kind : "",
            .duty = (int)get_integer(object, "duty", 0),
            .detail = get_text(r, object, "detail"),
            .text = get_bytes(r, object, "text"),
            .after_step = (size_t)get_integer(object, "after_step", (int64_t)e->count)};
    }
}

static int get_crosses(struct reader *r, const struct json *root, struct execution *e)
{
    size_t count = count_of(root, "crosses");
    e->crosses = arena_alloc(r->a, (count + 1) * sizeof *e->crosses);
    for (; e->cross_count < count; e->cross_count++) {
        const struct json *object = json_at(json_get(root, "crosses"), e->cross_count);
        int64_t observation = get_integer(object, "observation", -1);
        if (observation < 0 || (size_t)observation >= e->count)
            return error_set(r->err, ERR_INPUT, "%s: cross view of observation %lld, expected one of the %zu",
                             r->where, (long long)observation, e->count);
        e->crosses[e->cross_count] = (struct cross_view){.observation = (size_t)observation,
                                                         .path = get_bytes(r, object, "path"),
                                                         .outside = get_view(r, object, "outside"),
                                                         .inside = get_view(r, object, "inside"),
                                                         .found_at = get_bytes(r, object, "found_at")};
    }
    return 0;
}

static void get_finals(struct reader *r, const struct json *root, struct execution *e)
{
    size_t count = count_of(root, "finals");
    e->finals = arena_alloc(r->a, (count + 1) * sizeof *e->finals);
    for (; e->final_count < count; e->final_count++) {
        const struct json *object = json_at(json_get(root, "finals"), e->final_count);
        e->finals[e->final_count] = (struct file_final){get_bytes(r, object, "path"),
                                                        get_view(r, object, "view")};
    }
}

static void get_kept(struct reader *r, const struct json *root, struct execution *e)
{
    size_t count = count_of(root, "kept");
    e->kept = arena_alloc(r->a, (count + 1) * sizeof *e->kept);
    for (; e->kept_count < count; e->kept_count++) {
        const struct json *object = json_at(json_get(root, "kept"), e->kept_count);
        e->kept[e->kept_count] =
            (struct file_kept){get_bytes(r, object, "path"), get_view(r, object, "before"), get_view(r, object, "after")};
    }
}

static int get_answers(struct reader *r, const struct json *root, struct execution *e)
{
    size_t count = count_of(root, "answers");
    struct user_answer *answers = arena_alloc(r->a, (count + 1) * sizeof *answers);
    for (size_t i = 0; i < count; i++) {
        const struct json *object = json_at(json_get(root, "answers"), i);
        int64_t observation = get_integer(object, "observation", -1);
        answers[i] = (struct user_answer){(size_t)observation, get_text(r, object, "check"), get_text(r, object, "primitive"),
                                          get_text(r, object, "command"), get_text(r, object, "detail")};
        if (observation < 0 || (size_t)observation >= e->count || !answers[i].check || !answers[i].primitive || !answers[i].command ||
            !answers[i].detail)
            return error_set(r->err, ERR_INPUT, "%s: answer %zu, expected observation, check, primitive, command and detail", r->where, i);
    }
    e->answers = answers;
    e->answer_count = count;
    return 0;
}

static void get_control(struct reader *r, const struct json *root, struct execution *e)
{
    const struct json *object = json_get(root, "control");
    if (!object)
        return;
    e->control = (struct control){.made = true,
                                  .answered = get_flag(object, "answered"),
                                  .op = get_text(r, object, "op"),
                                  .what = get_text(r, object, "what"),
                                  .after_step = (size_t)get_integer(object, "after_step", (int64_t)e->count),
                                  .fine = (size_t)get_integer(object, "fine", 0)};
}

/* The task's text is taken from the recording as it stands, so that its reader gives its own messages. */
static int get_task(struct reader *r, const struct ops *ops, const struct json *root, struct task **task)
{
    const struct json *value = json_get(root, "task");
    if (!json_is(value, JSON_OBJECT))
        return error_set(r->err, ERR_INPUT, "%s: member task: found %s, expected an object", r->where,
                         value ? json_kind_name(value->kind) : "nothing");
    struct buf text;
    buf_init(&text, SIZE_MAX);
    json_write(&text, value, JSON_COMPACT);
    int status = task_read(ops, buf_bytes(&text), r->where, task, r->err);
    buf_release(&text);
    return status;
}

static void get_policy(struct reader *r, const struct json *root, struct execution *e)
{
    const struct json *object = json_get(root, "policy");
    if (!object)
        return;
    struct policy *policy = arena_alloc(r->a, sizeof *policy);
    policy_of_json(policy, object);
    e->policy = policy;
}

int execution_read(const struct ops *ops, struct bytes text, const char *where, struct arena *a,
                   struct execution *e, struct task **task, struct error **err)
{
    struct reader r = {.a = a, .where = where, .err = err};
    struct json *root;
    *e = (struct execution){.arena = a};
    TRY(json_read(a, text, NULL, where, &root, NULL, err));
    if (!bytes_equal_string(json_as_text(json_get(root, "format")), "taskgen/execution/1"))
        return error_set(err, ERR_INPUT, "%s: member format: expected \"taskgen/execution/1\"", where);
    TRY(get_task(&r, ops, root, task));
    r.task = e->task = *task;
    get_policy(&r, root, e);
    e->executed = json_as_bool(json_get(root, "executed"), true);
    e->harness = get_flag(root, "harness");
    e->target_died = get_flag(root, "target_died");
    e->first_refused = get_flag(root, "first_refused");
    e->skip_reason = get_text(&r, root, "skip_reason");
    e->stderr_tail = get_bytes(&r, root, "stderr");
    e->ns = get_integer(root, "ns", 0);
    int status = get_observations(&r, root, e);
    if (!status)
        status = get_crosses(&r, root, e);
    if (!status)
        status = get_answers(&r, root, e);
    if (status) {
        task_free(*task);
        *task = NULL;
        return status;
    }
    get_wire(&r, root, e);
    record_read_traces(a, root, e);
    get_finals(&r, root, e);
    get_kept(&r, root, e);
    get_control(&r, root, e);
    return 0;
}
