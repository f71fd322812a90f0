/* Lowered browser ops: by a script in the page, or by several tools where none does the whole of it.
 *
 * What names elements by references of its own (press, enter, choose) is told one in three calls: a script gives the
 * element a name that nothing else has, the outline of the page shows the reference beside that name, and the tool acts on
 * it. The script takes the name back by itself. An element that the outline does not show is acted on by a script. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "exec/target/lower_internal.h"

enum { SCRIPT_SPACE = 1 << 20, SELECTOR_SHOWN = 200 };

/* --- scripts --- */

/* One expression: what is done with the element `e` that the selector finds first; {"missing":true} when there is none. */
static bool add_script(struct lowered *l, struct buf *script, const char *before, const char *deed)
{
    struct bytes selector;
    if (!call_bytes(l->call, "selector", &selector)) {
        call_skip(l->call, "selector: a script needs it as text");
        return false;
    }
    buf_init(script, SCRIPT_SPACE);
    buf_addf(script, "(() => { %sconst e = document.querySelector(", before);
    json_write_string(script, selector);
    buf_addf(script, "); if (!e) return {missing: true}; %s return {done: true}; })()", deed);
    return true;
}

static void evaluate(struct lowered *l, struct buf *script)
{
    struct json *args = json_new(l->a, JSON_OBJECT);
    json_set(l->a, args, "script", json_string(l->a, buf_bytes(script)));
    bool fits = !script->overflow;
    buf_release(script);
    if (fits)
        lower_op(l, "evaluate", args);
    else
        call_skip(l->call, "its arguments are longer than a script may be");
}

static void run_deed(struct lowered *l, const char *before, const char *deed)
{
    struct buf script;
    if (add_script(l, &script, before, deed))
        evaluate(l, &script);
}

static void click_by_script(struct lowered *l)
{
    run_deed(l, "", "e.click();");
}

static void submit_by_script(struct lowered *l)
{
    run_deed(l, "", "const f = e.closest('form') || e; f.requestSubmit ? f.requestSubmit() : f.submit();");
}

/* Set as a user's typing would: through the setter of the element's kind, so that what watches the field notices. */
static void fill_by_script(struct lowered *l)
{
    struct bytes value;
    struct buf before;
    if (!call_bytes(l->call, "value", &value)) {
        call_skip(l->call, "value: a script needs it as text");
        return;
    }
    buf_init(&before, SCRIPT_SPACE);
    buf_add_string(&before, "const v = ");
    json_write_string(&before, value);
    buf_add_string(&before, "; ");
    if (before.overflow)
        call_skip(l->call, "its arguments are longer than a script may be");
    else
        run_deed(l, buf_string(&before),
                 "e.focus(); const kind = Object.getPrototypeOf(e), set = Object.getOwnPropertyDescriptor(kind, 'value'); "
                 "if (set) set.set.call(e, v); else e.textContent = v; "
                 "for (const n of ['input', 'change']) e.dispatchEvent(new Event(n, {bubbles: true}));");
    buf_release(&before);
}

/* Sets the outcome by what a script says of its deed. */
static void deed_reply(struct lowered *l, const struct lower_answer *answer)
{
    const struct json *value = json_get(answer->result, "value");
    struct bytes selector = json_as_text(json_get(l->call->args, "selector"));
    if (json_is(json_get(value, "missing"), JSON_TRUE))
        call_fail(l->call, OUTCOME_TOOL_ERROR, ENOENT, "no element matches %.*s",
                  BYTES_ARG(bytes_slice(selector, 0, SELECTOR_SHOWN)));
    else if (json_is(json_get(value, "done"), JSON_TRUE))
        lower_done(l);
    else
        call_fail(l->call, OUTCOME_TRANSPORT_ERROR, 0, "the answer of the script cannot be read");
}

static void scrape_begin(struct lowered *l)
{
    struct bytes selector;
    struct buf script;
    if (!call_bytes(l->call, "selector", &selector)) {
        call_skip(l->call, "selector: a script needs it as text");
        return;
    }
    buf_init(&script, SCRIPT_SPACE);
    buf_add_string(&script, "[...document.querySelectorAll(");
    json_write_string(&script, selector);
    buf_add_string(&script, ")].map(e => e.textContent)");
    evaluate(l, &script);
}

static void scrape_reply(struct lowered *l, const struct lower_answer *answer)
{
    const struct json *value = json_get(answer->result, "value");
    bool texts = json_is(value, JSON_ARRAY);
    for (const struct json *one = texts ? value->first : NULL; one; one = one->next)
        texts = texts && json_is(one, JSON_STRING);
    if (!texts) {
        call_fail(l->call, OUTCOME_TRANSPORT_ERROR, 0, "the answer of the script cannot be read");
        return;
    }
    lower_done(l);
    json_set(l->a, call_result(l->call), "texts", json_copy(l->a, value));
}

/* --- by references --- */

/* The name is the label that outlines show; what is no control is made one, as outlines leave others out. */
static void mark_begin(struct lowered *l)
{
    struct buf before;
    buf_init(&before, SCRIPT_SPACE);
    buf_addf(&before, "const m = '%s', old = {}; ", l->mark);
    run_deed(l, buf_string(&before),
             "const put = (n, v) => { old[n] = e.getAttribute(n); e.setAttribute(n, v); }; put('aria-label', m); "
             "if (!e.matches('a,button,input,select,textarea,summary,option,[role],[contenteditable]')) put('role', 'button'); "
             "setTimeout(() => { for (const n in old) if (old[n] === null) e.removeAttribute(n); "
             "else e.setAttribute(n, old[n]); }, 2000);");
    buf_release(&before);
}

/* "uid=1_5 button "MARK"", "- button "MARK" [ref=e5]": what stands behind the word on the mark's line. */
static struct bytes find_reference(const struct lowered *l, struct bytes outline)
{
    static const char *const words[] = {"uid=", "ref=", "ref: ", "uid: "};
    ptrdiff_t mark = bytes_find(outline, bytes_of_string(l->mark), 0);
    if (mark < 0)
        return BYTES_NONE;
    size_t from = (size_t)mark, to = (size_t)mark;
    while (from > 0 && outline.data[from - 1] != '\n')
        from--;
    while (to < outline.len && outline.data[to] != '\n')
        to++;
    struct bytes line = bytes_slice(outline, from, to);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ptrdiff_t at = bytes_find(line, bytes_of_string(words[i]), 0);
        size_t start = at < 0 ? line.len : (size_t)at + strlen(words[i]), end = start;
        while (end < line.len && line.data[end] && !strchr(" ]),\"\r", line.data[end]))
            end++;
        if (end > start)
            return bytes_slice(line, start, end);
    }
    return BYTES_NONE;
}

struct referring {
    const char *helper;                /* press, enter, choose */
    const char *argument;              /* of the op, that it takes too; NULL */
    void (*otherwise)(struct lowered *l); /* NULL: there is no way by a script */
};

static void act(struct lowered *l, const struct referring *how, struct bytes reference)
{
    struct json *args = json_new(l->a, JSON_OBJECT);
    json_set(l->a, args, "reference", json_string(l->a, reference));
    if (how->argument)
        json_set(l->a, args, how->argument, json_copy(l->a, json_get(l->call->args, how->argument)));
    lower_op(l, how->helper, args);
}

/* The mark's answer, the outline, the deed's answer, or a script's instead of the deed. */
static void refer(struct lowered *l, const struct lower_answer *answer, const struct referring *how)
{
    enum { MARKED = 1, OUTLINED, ACTED };
    struct bytes reference;
    switch (l->step) {
    case MARKED:
        deed_reply(l, answer);
        if (l->call->outcome.class == OUTCOME_OK)
            lower_op(l, "outline", json_new(l->a, JSON_OBJECT));
        break;
    case OUTLINED:
        reference = find_reference(l, answer->raw);
        if (reference.len)
            act(l, how, reference);
        else if (how->otherwise)
            how->otherwise(l);
        else
            call_fail(l->call, OUTCOME_TOOL_ERROR, 0, "the page's outline does not show the element");
        break;
    default:
        if (json_get(answer->result, "value"))
            deed_reply(l, answer);
        else
            lower_done(l);
    }
}

static void press_reply(struct lowered *l, const struct lower_answer *answer)
{
    refer(l, answer, &(struct referring){"press", NULL, click_by_script});
}

static void enter_reply(struct lowered *l, const struct lower_answer *answer)
{
    refer(l, answer, &(struct referring){"enter", "value", fill_by_script});
}

static void choose_reply(struct lowered *l, const struct lower_answer *answer)
{
    refer(l, answer, &(struct referring){"choose", "path", NULL});
}

/* --- by two tools --- */

static void with(struct lowered *l, const char *op, const char *first, const char *second)
{
    struct json *args = json_new(l->a, JSON_OBJECT);
    const char *names[] = {first, second};
    for (size_t i = 0; i < 2; i++)
        if (names[i] && json_get(l->call->args, names[i]))
            json_set(l->a, args, names[i], json_copy(l->a, json_get(l->call->args, names[i])));
    lower_op(l, op, args);
}

static void click_first(struct lowered *l)
{
    with(l, "click", "selector", NULL);
}

static void chosen_reply(struct lowered *l, const struct lower_answer *answer)
{
    (void)answer;
    if (l->step == 1)
        with(l, "chosen", "path", NULL);
    else
        lower_done(l);
}

static void resize_first(struct lowered *l)
{
    with(l, "resize", "width", "height");
}

static void pictured_reply(struct lowered *l, const struct lower_answer *answer)
{
    const struct json *content = json_get(answer->result, "content");
    if (l->step == 1) {
        with(l, "pictured", NULL, NULL);
        return;
    }
    lower_done(l);
    if (content)
        json_set(l->a, call_result(l->call), "content", json_copy(l->a, content));
}

const struct lower_row lower_page_rows[] = {
    {"click", "press outline evaluate", 0, mark_begin, press_reply, NULL},
    {"click", "evaluate", 0, click_by_script, deed_reply, NULL},
    {"fill", "enter outline evaluate", 0, mark_begin, enter_reply, NULL},
    {"fill", "evaluate", 0, fill_by_script, deed_reply, NULL},
    {"submit", "evaluate", 0, submit_by_script, deed_reply, NULL},
    {"scrape", "evaluate", 0, scrape_begin, scrape_reply, NULL},
    {"attach", "choose outline evaluate", 0, mark_begin, choose_reply, NULL},
    {"attach", "click chosen", 0, click_first, chosen_reply, NULL},
    {"screenshot", "resize pictured", 0, resize_first, pictured_reply, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL},
};
