/* fill and submit. */
#include "exec/target/cdp/cdp.h"

/* --- fill --- */

/* Text goes into a field as typed text does, in place of what was there; what is chosen rather than typed (a list, a date, a colour)
 * is set. */
static const char prepare[] =
    "(selector, value) => {"
    " const e = document.querySelector(selector);"
    " if (!e) return {error: 'no element matches ' + selector};"
    " const type = e.tagName === 'INPUT' ? e.type : e.tagName.toLowerCase();"
    " const told = () => { for (const n of ['input', 'change']) e.dispatchEvent(new Event(n, {bubbles: true})); return {}; };"
    " if (e.disabled || e.readOnly) return {error: 'the field cannot be changed: ' + selector};"
    " if (['checkbox', 'radio', 'file', 'button', 'submit', 'reset', 'image', 'hidden'].includes(type))"
    "  return {error: 'nothing can be typed into it (' + type + '): ' + selector};"
    " e.scrollIntoView({block: 'center', behavior: 'instant'});"
    " e.focus();"
    " if (type === 'select') {"
    "  const o = [...e.options].find(o => o.value === value) || [...e.options].find(o => o.label === value);"
    "  if (!o) return {error: 'the list has no such entry: ' + selector};"
    "  o.selected = true;"
    "  return told();"
    " }"
    " if (['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'].includes(type)) {"
    "  e.value = value;"
    "  return e.value === value ? told() : {error: 'the field (' + type + ') does not take this value: ' + selector};"
    " }"
    " if (e.isContentEditable) getSelection().selectAllChildren(e);"
    " else if (e.select) e.select();"
    " else return {error: 'nothing can be typed into it (' + type + '): ' + selector};"
    " if (value !== '') return {type: true};"
    " document.execCommand('delete');"
    " return {};"
    "}";

static void typed(struct cdp_op *op, const struct json *result)
{
    cdp_page_settle(op, cdp_ok);
}

static void prepared(struct cdp_op *op, const struct json *value)
{
    struct arena *a = &op->c->scratch;
    struct json *params = cdp_object(op->c);
    struct bytes text = BYTES_NONE;
    if (!json_get(value, "type")) {
        cdp_ok(op);
        return;
    }
    call_bytes(op->call, "value", &text);
    json_set(a, params, "text", json_string(a, text));
    cdp_send(op, "Input.insertText", params, typed);
}

static void fill_in_front(struct cdp_op *op, const struct json *result)
{
    static const char *const arguments[] = {"selector", "value", NULL};
    cdp_page(op, prepare, arguments, prepared);
}

static void fill_begin(struct cdp_op *op)
{
    cdp_send(op, "Page.bringToFront", NULL, fill_in_front);
}

const struct cdp_op_row cdp_fill = {.op = "fill", .begin = fill_begin};

/* --- submit --- */

/* As its button would, so that what the page checks before is checked. */
static const char send_form[] =
    "selector => {"
    " const e = document.querySelector(selector);"
    " if (!e) return {error: 'no element matches ' + selector};"
    " const form = e instanceof HTMLFormElement ? e : e.form || e.closest('form');"
    " if (!form) return {error: 'the element belongs to no form: ' + selector};"
    " const wrong = form.noValidate ? null : [...form.elements].find(f => f.willValidate && !f.validity.valid);"
    " if (wrong) return {error: 'the form is not sent, since a field (' + (wrong.name || wrong.id) + ') is not as it must be: ' +"
    "  wrong.validationMessage};"
    " HTMLFormElement.prototype.requestSubmit.call(form);"
    " return {};"
    "}";

static void sent(struct cdp_op *op, const struct json *value)
{
    cdp_page_settle(op, cdp_ok);
}

static void submit_begin(struct cdp_op *op)
{
    static const char *const arguments[] = {"selector", NULL};
    cdp_page(op, send_form, arguments, sent);
}

const struct cdp_op_row cdp_submit = {.op = "submit", .begin = submit_begin};
