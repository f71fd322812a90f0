/* A task for reading: what `--format text` prints. Nothing reads it back, so long values are cut; control
 * characters and bytes that are not UTF-8 are shown as escapes, so a hostile task cannot play with the
 * reader's terminal. */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "gen/task_internal.h"

enum { COLUMNS = 80, VALUE_MAX = 64 /* bytes of a value that are shown: a hash is whole */ };

static bool is_plain(struct bytes text)
{
    bool plain = text.len > 0;
    for (size_t i = 0; plain && i < text.len; i++)
        plain = text.data[i] > 0x20 && text.data[i] < 0x7f && text.data[i] != '"' && text.data[i] != '\\';
    return plain;
}

static void put_string(struct buf *out, struct bytes text)
{
    if (text.len <= VALUE_MAX && is_plain(text)) {
        buf_add(out, text);
        return;
    }
    size_t cut = task_text_cut(text, VALUE_MAX);
    buf_add_byte(out, '"');
    task_put_escaped(out, bytes_slice(text, 0, cut));
    buf_add_string(out, cut < text.len ? "...\"" : "\"");
    if (cut < text.len)
        buf_addf(out, " (%zu bytes)", text.len);
}

static void put_value(struct buf *out, const struct task *t, const struct json *value);

/* "csv 1000 rows header=false": counts read as words, other parameters as settings; seeds tell a reader
 * nothing. */
static void put_recipe(struct buf *out, const struct task *t, const struct json *recipe)
{
    static const char *const counts[] = {"rows", "lines", "records", "features", "classes", "size"};
    buf_add(out, json_as_text(json_get(recipe, "$recipe")));
    for (const struct json *p = recipe->first; p; p = p->next) {
        bool count = false;
        if (bytes_equal_string(p->key, "$recipe") || bytes_equal_string(p->key, "seed"))
            continue;
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            count = count || bytes_equal_string(p->key, counts[i]);
        if (count && json_is(p, JSON_NUMBER)) {
            buf_addf(out, " %.*s %s", BYTES_ARG(p->text), bytes_equal_string(p->key, "size") ? "bytes" : "");
            if (bytes_equal_string(p->key, "size"))
                continue;
            buf_add(out, p->key);
            continue;
        }
        buf_addf(out, " %.*s=", BYTES_ARG(p->key));
        if (json_get(p, "$recipe")) {
            buf_add_byte(out, '(');
            put_recipe(out, t, p);
            buf_add_byte(out, ')');
        } else {
            put_value(out, t, p);
        }
    }
}

static void put_wrapper(struct buf *out, const struct task *t, const struct json *value,
                        enum task_wrapper wrapper)
{
    const struct json *own = value->first;
    if (wrapper == WRAP_CONTENT) {
        const struct json *content = json_get_bytes(t->contents, own->text);
        if (content)
            put_value(out, t, content);
        else
            buf_addf(out, "$%.*s", BYTES_ARG(own->text));
    } else if (wrapper == WRAP_FROM) {
        buf_addf(out, "%.*s of %.*s", BYTES_ARG(json_as_text(json_get(value, "at"))), BYTES_ARG(own->text));
    } else if (wrapper == WRAP_PATH) {
        put_string(out, own->text);
        buf_addf(out, " (%.*s)", BYTES_ARG(json_as_text(json_get(value, "as"))));
    }
}

static void put_value(struct buf *out, const struct task *t, const struct json *value)
{
    enum task_wrapper wrapper = task_wrapper_of(value);
    if (json_is(value, JSON_STRING)) {
        put_string(out, value->text);
    } else if (json_is(value, JSON_RAW)) {
        buf_add_string(out, "raw ");
        put_string(out, value->text);
    } else if (wrapper == WRAP_RECIPE) {
        put_recipe(out, t, value);
    } else if (wrapper == WRAP_CONTENT || wrapper == WRAP_FROM || wrapper == WRAP_PATH) {
        put_wrapper(out, t, value, wrapper);
    } else {
        struct arena scratch;
        struct buf text;
        arena_init(&scratch);
        buf_init(&text, SIZE_MAX);
        json_write(&text, task_value_outward(&scratch, value), JSON_SORTED);
        struct bytes shown = buf_bytes(&text);
        task_put_escaped(out, bytes_slice(shown, 0, task_text_cut(shown, VALUE_MAX)));
        if (shown.len > VALUE_MAX)
            buf_addf(out, "... (%zu bytes)", shown.len);
        buf_release(&text);
        arena_release(&scratch);
    }
}

/* Paragraphs stay; words longer than a line stand alone on one. */
static void put_wrapped(struct buf *out, struct bytes text)
{
    size_t column = 0;
    for (size_t at = 0; at < text.len;) {
        if (text.data[at] == '\n') {
            buf_add_byte(out, '\n');
            column = 0;
            at++;
            continue;
        }
        size_t end = at;
        while (end < text.len && text.data[end] != ' ' && text.data[end] != '\n')
            end++;
        struct bytes word = bytes_slice(text, at, end);
        size_t width = utf8_count(word);
        if (width && column && column + 1 + width > COLUMNS) {
            buf_add_byte(out, '\n');
            column = 0;
        } else if (width && column) {
            buf_add_byte(out, ' ');
            column++;
        }
        task_put_escaped(out, word);
        column += width;
        at = end + (end < text.len && text.data[end] == ' ');
    }
    buf_add_byte(out, '\n');
}

static void put_step(struct buf *out, const struct task *t, const struct task_step *step)
{
    buf_addf(out, "  %s %s", step->id, step->op->name);
    for (size_t i = 0; i < step->op->arg_count; i++) { /* in the vocabulary's order */
        const struct json *value = json_get(step->args, step->op->args[i].name);
        if (!value)
            continue;
        buf_addf(out, " %s=", step->op->args[i].name);
        put_value(out, t, value);
    }
    if (strcmp(step->session, "main") != 0)
        buf_addf(out, ", in session %s", step->session);
    if (step->group)
        buf_addf(out, ", together as %s", step->group);
    if (step->after_ms)
        buf_addf(out, ", after %" PRId64 " ms", step->after_ms);
    if (step->cancel_after_ms >= 0)
        buf_addf(out, ", cancelled after %" PRId64 " ms", step->cancel_after_ms);
    if (step->repeat != 1)
        buf_addf(out, ", %" PRIu32 " times", step->repeat);
    if (step->timeout_ms)
        buf_addf(out, ", within %" PRId64 " ms", step->timeout_ms);
    buf_add_byte(out, '\n');
}

/* A claim's words stand before its value; "exists" and "outcome" are their own words. */
static void put_claim(struct buf *out, const struct task *t, const struct json *expectation)
{
    static const char *const words[][2] = {{"equals", "is"},          {"contains", "contains"},
                                           {"sha256", "has SHA-256"}, {"size", "has size"},
                                           {"lines", "has lines:"},   {"exit", "exits with"}};
    const struct json *exists = json_get(expectation, "exists"), *outcome = json_get(expectation, "outcome");
    if (exists)
        buf_add_string(out, json_as_bool(exists, true) ? " exists" : " does not exist");
    if (outcome)
        buf_add_string(out, bytes_equal_string(json_as_text(outcome), "ok")
                                ? " succeeds"
                                : " fails with an explicit error");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const struct json *value = json_get(expectation, words[i][0]);
        if (!value)
            continue;
        buf_addf(out, " %s ", words[i][1]);
        put_value(out, t, value);
    }
    buf_add_byte(out, '\n');
}

static void put_expectation(struct buf *out, const struct task *t, const struct json *expectation)
{
    const struct json *step = json_get(expectation, "step"), *at = json_get(expectation, "at"),
                      *file = json_get(expectation, "file"), *pointer = json_get(expectation, "json"),
                      *site = json_get(expectation, "site");
    buf_add_string(out, "  ");
    if (at)
        buf_addf(out, "%.*s of ", BYTES_ARG(json_as_text(at)));
    if (pointer)
        buf_addf(out, "the JSON at \"%.*s\" in ", BYTES_ARG(json_as_text(pointer)));
    if (site) {
        buf_add_string(out, "what the site saw of ");
        put_value(out, t, site);
        buf_add_string(out, " from ");
    }
    if (step)
        buf_addf(out, "%.*s", BYTES_ARG(json_as_text(step)));
    if (file)
        put_value(out, t, file);
    put_claim(out, t, expectation);
}

void task_write_text(const struct task *t, struct buf *out)
{
    buf_addf(out, "task %s %s/%s seed %" PRIu64 " index %" PRIu64 "\n", t->id, t->domain, t->workflow,
             t->seed, t->index);
    if (t->need_count)
        buf_add_string(out, "needs");
    for (size_t i = 0; i < t->need_count; i++)
        buf_addf(out, " %s", t->needs[i]);
    buf_add_string(out, t->need_count ? "\n\n" : "\n");
    put_wrapped(out, bytes_of_string(t->instruction));
    buf_add_string(out, t->step_count ? "\nsteps\n" : "");
    for (size_t i = 0; i < t->step_count; i++)
        put_step(out, t, &t->steps[i]);
    buf_add_string(out, t->expect->count ? "expected\n" : "");
    for (const struct json *e = t->expect->first; e; e = e->next)
        put_expectation(out, t, e);
    buf_add_string(out, t->mutations->count ? "mutations\n" : "");
    for (const struct json *m = t->mutations->first; m; m = m->next) {
        buf_addf(out, "  %.*s at %.*s %.*s: ", BYTES_ARG(json_as_text(json_get(m, "mutator"))),
                 BYTES_ARG(json_as_text(json_get(m, "step"))), BYTES_ARG(json_as_text(json_get(m, "at"))));
        task_put_escaped(out, json_as_text(json_get(m, "detail")));
        buf_add_byte(out, '\n');
    }
}
