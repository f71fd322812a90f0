/* navigate: loads a page in the current tab. */
#include "exec/target/cdp/cdp.h"

static void say_where(struct cdp_op *op)
{
    call_put_bytes(op->call, "url", buf_bytes(&op->tab->url));
}

static void loaded(struct cdp_op *op)
{
    say_where(op);
    cdp_ok(op);
}

static void begin(struct cdp_op *op)
{
    struct bytes url = BYTES_NONE;
    call_bytes(op->call, "url", &url);
    cdp_page_navigate(op, url, loaded);
}

/* It is the old page that asks whether it may be left; any other dialog is the new page's. The address tells which is there. */
static void interrupted(struct cdp_op *op)
{
    say_where(op);
    cdp_say_dialog(op, false);
}

const struct cdp_op_row cdp_navigate = {.op = "navigate", .begin = begin, .crashed = true, .interrupted = interrupted};
