/* click: the mouse, moved to the middle of an element, pressed and let go. */
#include "exec/target/cdp/cdp.h"

static void mouse(struct cdp_op *op, const char *type, bool button, cdp_then *then)
{
    struct arena *a = &op->c->scratch;
    struct json *params = cdp_object(op->c);
    json_set(a, params, "type", json_text(a, type));
    json_set(a, params, "x", json_real(a, op->x));
    json_set(a, params, "y", json_real(a, op->y));
    json_set(a, params, "button", json_text(a, button ? "left" : "none"));
    json_set(a, params, "clickCount", json_integer(a, button));
    cdp_send(op, "Input.dispatchMouseEvent", params, then);
}

static void released(struct cdp_op *op, const struct json *result)
{
    cdp_page_settle(op, cdp_ok);
}

static void pressed(struct cdp_op *op, const struct json *result)
{
    mouse(op, "mouseReleased", true, released);
}

static void moved(struct cdp_op *op, const struct json *result)
{
    mouse(op, "mousePressed", true, pressed);
}

static void aimed(struct cdp_op *op)
{
    mouse(op, "mouseMoved", false, moved);
}

/* Only the tab in front takes the mouse. */
static void in_front(struct cdp_op *op, const struct json *result)
{
    cdp_page_aim(op, aimed);
}

static void begin(struct cdp_op *op)
{
    cdp_send(op, "Page.bringToFront", NULL, in_front);
}

const struct cdp_op_row cdp_click = {.op = "click", .begin = begin};
