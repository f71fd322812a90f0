/* evaluate and scrape: what a page says. */
#include "exec/target/cdp/cdp.h"

/* A script that does not end would keep its page busy for good. */
static void terminate(struct cdp_op *op)
{
    if (op->tab)
        cdp_tell(op->c, op->tab, "Runtime.terminateExecution", NULL);
}

/* --- evaluate --- */

/* Numbers that JSON does not have come in words: "NaN", "12n". One that it has, and that is 0, comes so too: "-0". */
static struct json *in_words(struct arena *a, const struct json *words)
{
    if (!words)
        return json_new(a, JSON_NULL);
    return bytes_equal_string(json_as_text(words), "-0") ? json_integer(a, 0) : json_copy(a, words);
}

static void evaluated(struct cdp_op *op, const struct json *result)
{
    struct arena *a = op->call->arena;
    const struct json *value = cdp_page_value(op, result);
    if (op->done)
        return;
    const struct json *words = json_pointer(result, BYTES_LITERAL("/result/unserializableValue"));
    struct json *kept = value ? json_copy(a, value) : in_words(a, words);
    json_set(a, call_result(op->call), "value", kept);
    if (json_is(kept, JSON_STRING))
        op->call->outcome.raw = kept->text;
    cdp_ok(op);
}

static void evaluate_begin(struct cdp_op *op)
{
    struct arena *a = &op->c->scratch;
    struct json *params = cdp_object(op->c);
    struct bytes script = BYTES_NONE;
    call_bytes(op->call, "script", &script);
    json_set(a, params, "expression", json_string(a, script));
    json_set(a, params, "returnByValue", json_bool(a, true));
    json_set(a, params, "awaitPromise", json_bool(a, true));
    json_set(a, params, "userGesture", json_bool(a, true));
    cdp_send(op, "Runtime.evaluate", params, evaluated);
}

const struct cdp_op_row cdp_evaluate = {
    .op = "evaluate", .begin = evaluate_begin, .interrupted = cdp_refuse_dialog, .abandoned = terminate};

/* --- scrape --- */

static const char texts[] = "selector => ({texts: [...document.querySelectorAll(selector)].map(e => e.textContent)})";

static void scraped(struct cdp_op *op, const struct json *value)
{
    struct arena *a = op->call->arena;
    struct json *list = json_copy(a, json_get(value, "texts"));
    struct buf joined;
    if (!json_is(list, JSON_ARRAY)) {
        cdp_fail(op, OUTCOME_TRANSPORT_ERROR, 0, "the browser gives no list of texts");
        return;
    }
    buf_init(&joined, SIZE_MAX);
    for (const struct json *text = list->first; text; text = text->next) {
        buf_add(&joined, json_as_text(text));
        buf_add_string(&joined, text->next ? "\n" : "");
    }
    json_set(a, call_result(op->call), "texts", list);
    op->call->outcome.raw = arena_copy(a, buf_bytes(&joined));
    buf_release(&joined);
    cdp_ok(op);
}

static void scrape_begin(struct cdp_op *op)
{
    static const char *const arguments[] = {"selector", NULL};
    cdp_page(op, texts, arguments, scraped);
}

const struct cdp_op_row cdp_scrape = {
    .op = "scrape", .begin = scrape_begin, .interrupted = cdp_refuse_dialog, .abandoned = terminate};
