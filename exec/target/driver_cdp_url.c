/* The driver for a browser elsewhere: `cdp:ws://…`, `cdp:wss://…`, and `cdp:http://…` where /json/version says which.
 *
 * One connection a session, over which everything goes (exec/target/cdp/). A session gets a context of its own in the browser, with
 * cookies and tabs of its own, and takes it away again. One that --start began in the session's box shares its files with it. */
#include <stdlib.h>

#include "exec/target/cdp/cdp.h"
#include "exec/target/cdp/chromium.h"
#include "exec/target/cdp/endpoint.h"

/* For what waits until it can be connected to, which knows http only. */
static char *http_url(struct session *s)
{
    char *address = session_expand(s, s->target->words[0]), *url = endpoint_as_http(address);
    free(address);
    return url;
}

static int connect_to(struct cdp *c, struct session *s, struct error **err)
{
    struct endpoint e;
    char *address = session_expand(s, s->target->words[0]);
    int status = endpoint_find(&e, s, address, err);
    if (status == 0)
        status = cdp_link_connect(&c->link, s, &e, err);
    endpoint_release(&e);
    free(address);
    return status;
}

static int cdp_open(struct session *s, struct error **err)
{
    struct chromium own = {.download_fd = -1};
    struct cdp *c = cdp_new(s);
    bool shares = s->target->options.start != NULL;
    wire_log_spoil(&s->wire);
    int status = shares ? chromium_prepare(s, &own, err) : 0;
    if (status == 0)
        status = connect_to(c, s, err);
    if (status == 0)
        status = cdp_greet(c, own.downloads, true, err);
    if (status == 0) {
        c->shares_files = shares;
        c->download_fd = own.download_fd;
        own.download_fd = -1;
        s->driver_state = c;
    } else {
        cdp_free(c);
    }
    chromium_release(&own);
    return status;
}

static void cdp_close(struct session *s)
{
    struct cdp *c = s->driver_state;
    if (!c)
        return;
    cdp_part(c);
    cdp_free(c);
    s->driver_state = NULL;
}

static void calls(struct session *s, struct call *const *all, size_t count)
{
    cdp_calls(s->driver_state, all, count, NULL, 0);
}

static enum support supports(struct session *s, const char *need)
{
    return cdp_supports(need) ? SUPPORT_NATIVE : SUPPORT_NONE;
}

static void explain(struct session *s, struct buf *out)
{
    struct cdp *c = s->driver_state;
    buf_addf(out, "browser: at %s\n", s->target->words[0]);
    buf_addf(out, "a context of our own: %s\n", *c->context ? "yes" : "no, it gives none");
    buf_addf(out, "files that are attached and saved: %s\n", c->shares_files ? "below {root}" : "none, it is elsewhere");
    session_explain_ops(s, out);
}

const struct driver driver_cdp_url = {
    .name = "cdp",
    .prefix = "cdp:",
    .doc = "a browser elsewhere, over the DevTools protocol",
    .open = cdp_open,
    .close = cdp_close,
    .calls = calls,
    .supports = supports,
    .alive = cdp_alive,
    .wire_events = cdp_wire_events,
    .stderr_tail = cdp_stderr,
    .explain = explain,
    .url = http_url,
    .lives_in_home = true,
};
