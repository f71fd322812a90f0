/* screenshot: the current tab in a window of the size asked for, which it has for the picture only. */
#include "base/encode.h"
#include "exec/target/cdp/cdp.h"

enum { WIDTH = 1280, HEIGHT = 720 };

static int64_t number(const struct cdp_op *op, const char *name, int64_t otherwise)
{
    int64_t value;
    return call_integer(op->call, name, &value, NULL) ? value : otherwise;
}

static void restore(struct cdp_op *op)
{
    if (op->tab)
        cdp_tell(op->c, op->tab, "Emulation.clearDeviceMetricsOverride", NULL);
}

static void taken(struct cdp_op *op, const struct json *result)
{
    const struct json *data = json_get(result, "data");
    struct buf picture;
    buf_init(&picture, SIZE_MAX);
    restore(op);
    if (json_is(data, JSON_STRING) && base64_decode(&picture, data->text) == 0) {
        call_put_bytes(op->call, "content", buf_bytes(&picture));
        cdp_ok(op);
    } else {
        cdp_fail(op, OUTCOME_TRANSPORT_ERROR, 0, "the browser gives no picture in base64");
    }
    buf_release(&picture);
}

static void sized(struct cdp_op *op, const struct json *result)
{
    struct arena *a = &op->c->scratch;
    struct json *params = cdp_object(op->c);
    json_set(a, params, "format", json_text(a, "png"));
    cdp_send(op, "Page.captureScreenshot", params, taken);
}

static void in_front(struct cdp_op *op, const struct json *result)
{
    struct arena *a = &op->c->scratch;
    struct json *params = cdp_object(op->c);
    json_set(a, params, "width", json_integer(a, number(op, "width", WIDTH)));
    json_set(a, params, "height", json_integer(a, number(op, "height", HEIGHT)));
    json_set(a, params, "deviceScaleFactor", json_integer(a, 1));
    json_set(a, params, "mobile", json_bool(a, false));
    cdp_send(op, "Emulation.setDeviceMetricsOverride", params, sized);
}

/* Tabs behind another one are not drawn. */
static void begin(struct cdp_op *op)
{
    cdp_send(op, "Page.bringToFront", NULL, in_front);
}

const struct cdp_op_row cdp_screenshot = {
    .op = "screenshot", .begin = begin, .interrupted = cdp_refuse_dialog, .abandoned = restore};
