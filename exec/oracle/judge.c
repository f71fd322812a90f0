/* Helpers of the checks; see judge.h. */
#include "exec/oracle/judge.h"

#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "exec/oracle/facts.h"
#include "exec/oracle/http_send.h"
#include "exec/oracle/script.h"
#include "mutate/join.h"

bool observation_is(const struct observation *o, const char *op)
{
    return strcmp(o->step->op->name, op) == 0;
}

bool observation_is_any(const struct observation *o, const char *const *ops)
{
    for (; *ops; ops++)
        if (observation_is(o, *ops))
            return true;
    return false;
}

bool observation_claims(const struct observation *o)
{
    return o->outcome.class == OUTCOME_OK && !o->outcome.truncated && !observation_mutated(o);
}

bool observation_mutated(const struct observation *o)
{
    const struct outcome_fault *f = o->outcome.fault;
    return o->outcome.by_us || (f && f->applied && !f->lawful);
}

static bool same_value(const struct json *a, const struct json *b)
{
    return a == b || (a && b && json_equal(a, b));
}

bool observation_same_call(const struct observation *a, const struct observation *b)
{
    return a->step->op == b->step->op && same_value(a->args, b->args) && same_value(a->step->args, b->step->args);
}

bool observation_opens(const struct execution *e, size_t index)
{
    static const char *const ops[] = {"open", "reopen", "resume", "restore", "fork", NULL};
    if (index == 0)
        return true;
    const struct observation *before = &e->observations[index - 1];
    return observation_is_any(before, ops) && before->outcome.class == OUTCOME_OK && !before->outcome.fault &&
           strcmp(before->step->session, e->observations[index].step->session) == 0;
}

bool observation_refused(const struct observation *o)
{
    return o->outcome.class == OUTCOME_TOOL_ERROR || o->outcome.class == OUTCOME_PROTOCOL_ERROR;
}

bool observation_lost(const struct observation *o)
{
    enum outcome_class c = o->outcome.class;
    return (c == OUTCOME_TIMEOUT || c == OUTCOME_TRANSPORT_ERROR || c == OUTCOME_TARGET_DIED) &&
           o->step->cancel_after_ms < 0 && !o->outcome.by_us;
}

struct bytes observation_argument(const struct observation *o, const char *name)
{
    const struct json *value = json_get(o->args, name);
    if (task_is_wrapper(value, "$path"))
        value = json_get(value, "$path");
    return json_is(value, JSON_STRING) ? value->text : BYTES_NONE;
}

struct bytes observation_result(const struct observation *o, const char *name, bool *present)
{
    const struct json *value = json_get(o->outcome.result, name);
    *present = json_is(value, JSON_STRING);
    return *present ? value->text : BYTES_NONE;
}

uint64_t observation_size(const struct observation *o)
{
    uint64_t size = 0;
    for (const struct json *argument = o->args ? o->args->first : NULL; argument; argument = argument->next)
        size += argument->text.len;
    return o->outcome.bytes_in > size ? o->outcome.bytes_in : size;
}

bool view_has_bytes(const struct file_view *v)
{
    return v->by != WITNESS_NONE && v->exists && v->sha256[0];
}

bool view_same_bytes(const struct file_view *a, const struct file_view *b)
{
    return view_has_bytes(a) && view_has_bytes(b) && a->size == b->size && strcmp(a->sha256, b->sha256) == 0;
}

bool view_special(const struct file_view *v)
{
    return v->by != WITNESS_NONE && v->exists && (v->kind == 'o' || (v->kind == 'l' && !v->sha256[0]));
}

/* The next component that means something; false at the end. */
static bool next_component(struct bytes path, size_t *at, struct bytes *part)
{
    for (;;) {
        while (*at < path.len && path.data[*at] == '/')
            (*at)++;
        size_t from = *at;
        while (*at < path.len && path.data[*at] != '/')
            (*at)++;
        *part = bytes_slice(path, from, *at);
        if (part->len == 0)
            return false;
        if (!bytes_equal_string(*part, "."))
            return true;
    }
}

bool path_same(struct bytes a, struct bytes b)
{
    size_t i = 0, j = 0;
    bool absolute_a = bytes_starts(a, BYTES_LITERAL("/")), absolute_b = bytes_starts(b, BYTES_LITERAL("/"));
    for (;;) {
        struct bytes x, y;
        bool more_a = next_component(a, &i, &x), more_b = next_component(b, &j, &y);
        if (!more_a || !more_b)
            return more_a == more_b && absolute_a == absolute_b;
        if (!bytes_equal(x, y))
            return false;
    }
}

uint64_t path_hash(struct bytes path)
{
    struct bytes component;
    uint64_t hash = bytes_starts(path, BYTES_LITERAL("/"));
    for (size_t at = 0; next_component(path, &at, &component);)
        hash = hash64_mix(hash, hash64(component));
    return hash;
}

bool path_asks_for_directory(struct bytes path)
{
    size_t n = path.len;
    return n && (path.data[n - 1] == '/' || (path.data[n - 1] == '.' && n > 1 && path.data[n - 2] == '/'));
}

bool path_within(struct bytes path, struct bytes directory)
{
    size_t i = 0, j = 0;
    struct bytes x, y;
    if (bytes_starts(path, BYTES_LITERAL("/")) != bytes_starts(directory, BYTES_LITERAL("/")))
        return false;
    while (next_component(directory, &j, &y))
        if (!next_component(path, &i, &x) || !bytes_equal(x, y))
            return false;
    return true;
}

bool path_has_nul(struct bytes path)
{
    return path.len > 0 && memchr(path.data, 0, path.len) != NULL;
}

struct bytes path_name(struct bytes path)
{
    size_t at = 0;
    struct bytes part, last = BYTES_NONE;
    while (next_component(path, &at, &part))
        last = part;
    return last;
}

bool mutation_changes(const struct json *m, struct bytes step)
{
    return bytes_equal(json_as_text(json_get(m, "step")), step) && !bytes_equal_string(json_as_text(json_get(m, "mutator")), MUTATE_JOIN);
}

bool step_mutated(const struct execution *e, const struct task_step *step)
{
    if (!e->task->mutations)
        return false;
    for (const struct json *m = e->task->mutations->first; m; m = m->next)
        if (mutation_changes(m, bytes_of_string(step->id)))
            return true;
    return false;
}

bool task_mutated_by(const struct task *task, const char *mutator)
{
    for (const struct json *m = task->mutations ? task->mutations->first : NULL; m; m = m->next)
        if (bytes_equal_string(json_as_text(json_get(m, "mutator")), mutator))
            return true;
    return false;
}

bool error_expected(const struct execution *e, const struct task_step *step)
{
    if (!e->task->expect)
        return false;
    for (const struct json *x = e->task->expect->first; x; x = x->next)
        if (bytes_equal_string(json_as_text(json_get(x, "step")), step->id) &&
            bytes_equal_string(json_as_text(json_get(x, "outcome")), "error"))
            return true;
    return false;
}

bool may_be_refused(const struct task_step *step)
{
    return (strcmp(step->op->name, "call") == 0 && json_get(step->args, "kind")) || strcmp(step->op->name, "request") == 0;
}

static bool broke_the_protocol(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    const struct outcome_fault *f = o->outcome.fault;
    bool raw = observation_is(o, "send") && o->outcome.class != OUTCOME_SKIPPED;
    return (raw && !http_lawful(e, index)) || (f && f->applied && !f->lawful);
}

size_t lawful_length(const struct execution *e)
{
    size_t length = 0;
    while (length < e->count && !broke_the_protocol(e, length))
        length++;
    return length;
}

bool client_illegal(const struct execution *e, size_t index)
{
    size_t length = e->facts ? e->facts->lawful : lawful_length(e);
    return length < e->count && length <= index;
}

bool on_small_disk(const struct execution *e, size_t index, struct bytes path)
{
    for (size_t i = 0; i < index && i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (observation_is(o, "stage-small-disk") && observation_claims(o) &&
            path_within(path, observation_argument(o, "path")))
            return true;
    }
    return false;
}

/* Some string in the arguments, at most one level down, satisfies the test; `content` chooses between what is
 * to be stored and all the rest. */
static bool any_argument(const struct observation *o, bool content, bool (*test)(struct bytes))
{
    static const char *const contents[] = {"content", "old", "new", "stdin", "body"};
    for (const struct json *argument = o->args ? o->args->first : NULL; argument; argument = argument->next) {
        bool is_content = false;
        for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
            is_content = is_content || bytes_equal_string(argument->key, contents[i]);
        if (is_content != content)
            continue;
        if (json_is(argument, JSON_STRING) && test(argument->text))
            return true;
        for (const struct json *below = argument->first; below; below = below->next)
            if (json_is(below, JSON_STRING) && test(below->text))
                return true;
    }
    return false;
}

static bool is_no_text(struct bytes b)
{
    return !utf8_valid(b);
}

const char *cause_of(const struct execution *e, size_t index, const char *fallback)
{
    if (index >= e->count)
        return fallback;
    const struct observation *o = &e->observations[index];
    if (observation_is(o, "send"))
        return "bad-frame-fatal";
    if (observation_size(o) >= BIG_FRAME)
        return "big-frame-fatal";
    if (observation_reframed(o) && !(o->outcome.fault->lawful && any_argument(o, false, path_has_nul)))
        return "bad-frame-fatal";
    if (view_special(&o->before))
        return "special-file-starves";
    if (script_reads_nothing(o) && strcmp(fallback, "one-call-breaks-rest") == 0)
        return "stdin-inherited";
    if (any_argument(o, false, path_has_nul))
        return "nul-in-argument";
    if (any_argument(o, true, path_has_nul))
        return "nul-in-content";
    return any_argument(o, true, is_no_text) ? "binary-as-text" : fallback;
}

bool observation_reframed(const struct observation *o)
{
    return o->outcome.fault && o->outcome.fault->applied && o->outcome.fault->frame;
}

const char *stored_op(const struct observation *o)
{
    static const char *const stores[] = {"write", "append", "upload", "edit", NULL};
    return observation_is_any(o, stores) ? stores[0] : o->step->op->name;
}

const char *fetched_op(const struct observation *o)
{
    return observation_is(o, "download") ? "read" : o->step->op->name;
}

void judge_say(struct verdicts *out, const struct execution *e, const char *slug, size_t index,
               enum effect effect, const char *detail, const char *title, const char *evidence)
{
    judge_say_op(out, e, slug, index, index < e->count ? e->observations[index].step->op->name : "session", effect, detail,
                 title, evidence);
}

void judge_say_op(struct verdicts *out, const struct execution *e, const char *slug, size_t index, const char *op,
                  enum effect effect, const char *detail, const char *title, const char *evidence)
{
    const struct check *check = check_find(slug);
    if (!check)
        BUG(slug);
    struct verdict v = {
        .check = slug,
        .primitive = check->primitive,
        .op = op,
        .layer = layer_of(effect),
        .detail = detail,
        .title = title,
        .evidence = evidence,
        .observation = index,
        .client_illegal = client_illegal(e, index),
    };
    verdict_add(out, &v);
}

void judge_say_contract(struct verdicts *out, const struct execution *e, enum policy_answer allowed, const char *slug, size_t index,
                        enum effect effect, const char *detail, const char *title, const char *evidence)
{
    if (allowed == POLICY_YES)
        return;
    if (allowed == POLICY_UNSTATED)
        detail = arena_printf(out->arena, POLICY_NOTE "%s", detail);
    judge_say(out, e, slug, index, effect, detail, title, evidence);
}

void judge_quote(struct buf *out, struct bytes b, size_t max)
{
    buf_add_byte(out, '"');
    for (size_t i = 0; i < b.len && i < max; i++) {
        uint8_t c = b.data[i];
        if (c == '"' || c == '\\')
            buf_addf(out, "\\%c", c);
        else if (c >= 0x20 && c < 0x7F)
            buf_add_byte(out, c);
        else
            buf_addf(out, "\\x%02x", c);
    }
    buf_add_string(out, b.len > max ? "…\"" : "\"");
}
