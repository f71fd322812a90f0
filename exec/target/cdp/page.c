/* What several ops do with a page: call a function in it, wait until it is loaded, aim at an element; see cdp.h. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/cdp/cdp.h"

enum { NS_PER_MS = 1000000, EXPRESSION_MAX = INT32_MAX, SHOWN = 2000 };

/* --- calling functions --- */

/* {error: text} is what functions of ours say when they cannot. */
static void take_value(struct cdp_op *op, const struct json *result)
{
    const struct json *value = cdp_page_value(op, result);
    if (op->done)
        return;
    const struct json *error = json_get(value, "error");
    if (json_is(error, JSON_STRING))
        cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "%s", arena_string(op->call->arena, bytes_slice(error->text, 0, SHOWN)));
    else
        op->value_then(op, value);
}

void cdp_page(struct cdp_op *op, const char *function, const char *const *arguments, cdp_then *then)
{
    struct arena *a = &op->c->scratch;
    struct json *params = cdp_object(op->c);
    struct buf expression;
    buf_init(&expression, EXPRESSION_MAX);
    buf_addf(&expression, "(%s)(", function);
    for (size_t i = 0; arguments && arguments[i]; i++) {
        struct bytes text;
        buf_add_string(&expression, i ? "," : "");
        if (call_bytes(op->call, arguments[i], &text))
            json_write_string(&expression, text);
        else
            buf_add_string(&expression, "null");
    }
    buf_add_byte(&expression, ')');
    json_set(a, params, "expression", json_string(a, buf_bytes(&expression)));
    json_set(a, params, "returnByValue", json_bool(a, true));
    json_set(a, params, "awaitPromise", json_bool(a, true));
    json_set(a, params, "userGesture", json_bool(a, true));
    buf_release(&expression);
    op->value_then = then;
    cdp_send(op, "Runtime.evaluate", params, take_value);
}

const struct json *cdp_page_value(struct cdp_op *op, const struct json *result)
{
    const struct json *thrown = json_get(result, "exceptionDetails");
    const struct json *value = json_get(result, "result");
    if (!thrown)
        return value ? json_get(value, "value") : NULL;
    struct bytes text = json_as_text(json_pointer(thrown, BYTES_LITERAL("/exception/description")));
    if (!text.len)
        text = json_as_text(json_pointer(thrown, BYTES_LITERAL("/exception/value")));
    if (!text.len)
        text = json_as_text(json_get(thrown, "text"));
    cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "%s", arena_string(op->call->arena, bytes_slice(text, 0, SHOWN)));
    return NULL;
}

/* --- loading --- */

static void go_on(struct cdp_op *op)
{
    void (*after)(struct cdp_op *op) = op->after;
    op->watches = 0;
    op->wake_ns = INT64_MAX;
    after(op);
}

static void patience_over(struct cdp_op *op)
{
    op->call->outcome.message = BYTES_LITERAL("the page is still loading");
    go_on(op);
}

/* A document that was read may never have all that it needs, so that is waited for a limited time; the document itself is
 * waited for as long as the op may take. */
static void look_at_load(struct cdp_op *op)
{
    const struct cdp_tab *tab = op->tab;
    bool fresh = tab->commits != op->commits;
    if (*op->loader && strcmp(op->loader, tab->loader) != 0 && strcmp(op->loader, tab->before) != 0)
        return;
    *op->loader = '\0'; /* what takes its place counts as well */
    if (fresh && tab->loaded)
        go_on(op);
    else if (fresh && tab->there && op->wake_ns == INT64_MAX)
        op->wake_ns = clock_monotonic_ns() + cdp_setting(op->c, "browser.settle") * NS_PER_MS;
}

void cdp_page_loaded(struct cdp_op *op, void (*after)(struct cdp_op *op))
{
    op->after = after;
    op->woken = patience_over;
    op->seen = look_at_load;
    op->watches = CDP_WATCH_TAB;
    look_at_load(op);
}

static void aborted(struct cdp_op *op)
{
    cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "net::ERR_ABORTED");
}

/* What is called off may have taken the page down, which is heard of a moment later. */
static void not_loaded(struct cdp_op *op, struct bytes error, bool file)
{
    if (bytes_equal_string(error, "net::ERR_ABORTED") && !file)
        cdp_page_settle(op, aborted);
    else
        cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "%s%s", arena_string(op->call->arena, bytes_slice(error, 0, SHOWN)),
                 file ? ": it is a file to be downloaded, not a page" : "");
}

static void navigation_answered(struct cdp_op *op, const struct json *result)
{
    const struct json *error = json_get(result, "errorText");
    struct bytes loader = json_as_text(json_get(result, "loaderId"));
    if (json_is(error, JSON_STRING) && error->text.len) {
        not_loaded(op, error->text, json_is(json_get(result, "isDownload"), JSON_TRUE));
    } else if (!loader.len) { /* within the document that is there */
        go_on(op);
    } else {
        snprintf(op->loader, sizeof op->loader, "%.*s", BYTES_ARG(loader));
        cdp_page_loaded(op, op->after);
    }
}

void cdp_page_navigate(struct cdp_op *op, struct bytes url, void (*after)(struct cdp_op *op))
{
    struct arena *a = &op->c->scratch;
    struct json *params = cdp_object(op->c);
    json_set(a, params, "url", json_string(a, url));
    op->after = after;
    op->commits = op->tab->commits;
    cdp_send(op, "Page.navigate", params, navigation_answered);
}

/* --- what something led to --- */

/* Ops that live with a dialog are over when the next one opens. */
static void look_for_dialog(struct cdp_op *op)
{
    if (op->tab->dialog[0])
        go_on(op);
}

static void look_at_settling(struct cdp_op *op)
{
    if (!op->tab->loading || op->tab->dialog[0])
        go_on(op);
}

static void begin_settling(struct cdp_op *op)
{
    op->seen = look_at_settling;
    op->woken = patience_over;
    op->watches = CDP_WATCH_TAB;
    op->wake_ns = clock_monotonic_ns() + cdp_setting(op->c, "browser.settle") * NS_PER_MS;
    look_at_settling(op);
}

/* Where a new document took the place of the one that was asked, there is no value, and it is the new one that is waited for. */
static void asked(struct cdp_op *op, const struct json *result)
{
    begin_settling(op);
}

/* A page that is asked for something a moment later has begun by then what the event made it begin. */
void cdp_page_settle(struct cdp_op *op, void (*after)(struct cdp_op *op))
{
    static const char moment[] = "new Promise(done => setTimeout(done, 20))";
    struct arena *a = &op->c->scratch;
    struct json *params = cdp_object(op->c);
    op->after = after;
    op->seen = look_for_dialog;
    op->watches = CDP_WATCH_TAB;
    json_set(a, params, "expression", json_text(a, moment));
    json_set(a, params, "awaitPromise", json_bool(a, true));
    json_set(a, params, "returnByValue", json_bool(a, true));
    cdp_send_lenient(op, "Runtime.evaluate", params, asked);
}

/* --- elements --- */

static const char aim[] =
    "selector => {"
    " const e = document.querySelector(selector);"
    " if (!e) return {error: 'no element matches ' + selector};"
    " e.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});"
    " const box = [...e.getClientRects()].find(r => r.width > 0 && r.height > 0);"
    " if (!box) return {error: 'the element has no size on the page: ' + selector};"
    " const x = box.left + box.width / 2, y = box.top + box.height / 2;"
    " const hit = e.getRootNode().elementFromPoint(x, y);"
    " if (!hit) return {error: 'the element cannot be scrolled into view: ' + selector};"
    " const label = hit.closest('label');"
    " if (hit !== e && !e.contains(hit) && (!label || label.control !== e))"
    "  return {error: 'another element (' + hit.tagName.toLowerCase() + ') covers ' + selector};"
    " return {x, y};"
    "}";

static void aimed(struct cdp_op *op, const struct json *value)
{
    if (!json_as_real(json_get(value, "x"), &op->x) || !json_as_real(json_get(value, "y"), &op->y))
        cdp_fail(op, OUTCOME_TRANSPORT_ERROR, 0, "the browser says no place for the element");
    else
        op->after(op);
}

void cdp_page_aim(struct cdp_op *op, void (*after)(struct cdp_op *op))
{
    static const char *const arguments[] = {"selector", NULL};
    op->after = after;
    cdp_page(op, aim, arguments, aimed);
}
