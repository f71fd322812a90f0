/* First and last words with a browser; see cdp.h. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/cdp/cdp.h"
#include "exec/target/mcp_ask.h"

enum { NS_PER_MS = 1000000, SHOWN = 80 };

static void set_context(struct cdp *c, struct json *params)
{
    if (*c->context)
        json_set(&c->scratch, params, "browserContextId", json_text(&c->scratch, c->context));
}

static int say_who(struct cdp *c, struct arena *a, bool context, struct error **err)
{
    const struct json *result;
    TRY(cdp_ask(c, "Browser.getVersion", NULL, a, &result, err));
    struct bytes product = json_as_text(json_get(result, "product")), protocol = json_as_text(json_get(result, "protocolVersion"));
    target_set_identity(c->session->target, "cdp %s (protocol %s%s)", product.len ? mcp_visible(a, product, SHOWN) : "?",
                        protocol.len ? mcp_visible(a, protocol, SHOWN) : "?",
                        context || c->sandbox ? "" : ", without its own sandbox");
    return 0;
}

static void ask_for_context(struct cdp *c, struct arena *a)
{
    const struct json *result;
    struct json *params = cdp_object(c);
    struct error *err = NULL;
    json_set(&c->scratch, params, "disposeOnDetach", json_bool(&c->scratch, true));
    if (cdp_ask(c, "Target.createBrowserContext", params, a, &result, &err) == 0) {
        struct bytes id = json_as_text(json_get(result, "browserContextId"));
        if (id.len < sizeof c->context)
            snprintf(c->context, sizeof c->context, "%.*s", BYTES_ARG(id));
    }
    error_free(err);
}

/* One that cannot be told where files go can still be used. */
static int direct_downloads(struct cdp *c, const char *directory, struct arena *a, struct error **err)
{
    const struct json *result;
    struct json *params = cdp_object(c);
    struct error *refused = NULL;
    json_set(&c->scratch, params, "behavior", json_text(&c->scratch, directory ? "allowAndName" : "deny"));
    if (directory)
        json_set(&c->scratch, params, "downloadPath", json_text(&c->scratch, directory));
    json_set(&c->scratch, params, "eventsEnabled", json_bool(&c->scratch, true));
    set_context(c, params);
    int status = cdp_ask(c, "Browser.setDownloadBehavior", params, a, &result, &refused);
    if (status < 0 && (directory || c->link.lost) && err)
        *err = refused;
    else
        error_free(refused);
    return directory || c->link.lost ? status : 0;
}

static int ask_for_tabs(struct cdp *c, struct arena *a, struct error **err)
{
    const struct json *result;
    struct json *params = cdp_object(c);
    json_set(&c->scratch, params, "discover", json_bool(&c->scratch, true));
    TRY(cdp_ask(c, "Target.setDiscoverTargets", params, a, &result, err));
    params = cdp_object(c);
    json_set(&c->scratch, params, "autoAttach", json_bool(&c->scratch, true));
    json_set(&c->scratch, params, "waitForDebuggerOnStart", json_bool(&c->scratch, true));
    json_set(&c->scratch, params, "flatten", json_bool(&c->scratch, true));
    return cdp_ask(c, "Target.setAutoAttach", params, a, &result, err);
}

static bool has_tab(const struct cdp *c)
{
    return c->tabs && !c->tabs->unready;
}

static void wait_for_tab(struct cdp *c)
{
    int64_t until = clock_monotonic_ns() + cdp_setting(c, "exec.start-timeout") * NS_PER_MS;
    while (!has_tab(c) && !c->link.lost && clock_monotonic_ns() < until && !session_stopping(c->session))
        cdp_turn(c, until);
}

/* The one that a browser of ours begins with, or the first in a context of ours. */
static int find_first_tab(struct cdp *c, bool fresh, struct arena *a, struct error **err)
{
    const struct json *result;
    if (fresh) {
        struct json *params = cdp_object(c);
        json_set(&c->scratch, params, "url", json_text(&c->scratch, "about:blank"));
        set_context(c, params);
        TRY(cdp_ask(c, "Target.createTarget", params, a, &result, err));
        struct bytes id = json_as_text(json_get(result, "targetId"));
        wait_for_tab(c);
        struct cdp_tab *tab = cdp_tab_find(c, id);
        if (tab)
            cdp_tab_use(c, tab);
    } else {
        wait_for_tab(c);
    }
    if (c->link.lost)
        return error_set(err, ERR_TARGET, "%s before it showed a tab", c->link.lost);
    if (!has_tab(c))
        return error_set(err, ERR_TARGET, "the browser shows no tab");
    if (!c->current)
        cdp_tab_use(c, c->tabs);
    return 0;
}

int cdp_greet(struct cdp *c, const char *downloads, bool context, struct error **err)
{
    struct arena a;
    arena_init(&a);
    int status = say_who(c, &a, context, err);
    if (status == 0 && context)
        ask_for_context(c, &a);
    if (status == 0)
        status = direct_downloads(c, downloads, &a, err);
    if (status == 0)
        status = ask_for_tabs(c, &a, err);
    if (status == 0)
        status = find_first_tab(c, context, &a, err);
    arena_release(&a);
    return status;
}

void cdp_part(struct cdp *c)
{
    int64_t until = clock_monotonic_ns() + cdp_setting(c, "exec.grace") * NS_PER_MS;
    if (c->link.process.id) {
        if (!c->link.lost)
            cdp_tell(c, NULL, "Browser.close", NULL);
        while (!c->link.lost && clock_monotonic_ns() < until)
            cdp_turn(c, until);
        return;
    }
    struct json *params = cdp_object(c);
    for (const struct cdp_tab *t = c->tabs; t && !*c->context && !c->link.lost; t = t->next) {
        struct json *closed = cdp_object(c);
        json_set(&c->scratch, closed, "targetId", json_text(&c->scratch, t->id));
        cdp_tell(c, NULL, "Target.closeTarget", closed);
    }
    set_context(c, params);
    if (*c->context && !c->link.lost)
        cdp_tell(c, NULL, "Target.disposeBrowserContext", params);
    while (c->tabs && !c->link.lost && clock_monotonic_ns() < until)
        cdp_turn(c, until);
}
