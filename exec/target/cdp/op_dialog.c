/* dialog: answers the one that is open in the current tab. */
#include "exec/target/cdp/cdp.h"

static void settled(struct cdp_op *op)
{
    if (op->tab->dialog[0]) /* the next one */
        cdp_say_dialog(op, false);
    else
        cdp_ok(op);
}

static void closed(struct cdp_op *op)
{
    op->watches = 0;
    cdp_page_settle(op, settled);
}

static void answered(struct cdp_op *op, const struct json *result)
{
    closed(op);
}

static void begin(struct cdp_op *op)
{
    struct arena *a = &op->c->scratch;
    struct json *params = cdp_object(op->c);
    struct bytes text;
    if (!op->tab->dialog[0]) {
        cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "no dialog is open");
        return;
    }
    json_set(a, params, "accept", json_bool(a, json_as_bool(json_get(op->call->args, "accept"), true)));
    if (call_bytes(op->call, "text", &text))
        json_set(a, params, "promptText", json_string(a, text));
    op->tab->dialog[0] = '\0'; /* whatever opens from now on is another one */
    cdp_send(op, "Page.handleJavaScriptDialog", params, answered);
}

const struct cdp_op_row cdp_dialog = {.op = "dialog", .begin = begin, .dialog = true};
