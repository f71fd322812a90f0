/* tab-open, tab-switch, tab-close, tab-list. */
#include <stdio.h>
#include <string.h>

#include "exec/target/cdp/cdp.h"

/* --- tab-open --- */

static void opened(struct cdp_op *op)
{
    cdp_ok(op);
}

static void name_tab(struct cdp_op *op)
{
    struct arena *a = op->call->arena;
    json_set(a, call_result(op->call), "tab", json_text(a, op->tab->id));
}

/* Attached and prepared, or not yet. */
static void look_for_tab(struct cdp_op *op)
{
    struct bytes url = BYTES_LITERAL("about:blank");
    struct cdp_tab *tab = cdp_tab_find(op->c, bytes_of_string(op->name));
    if (!tab || tab->unready)
        return;
    op->watches = 0;
    op->tab = tab;
    cdp_tab_use(op->c, tab);
    name_tab(op);
    call_bytes(op->call, "url", &url);
    if (bytes_equal_string(url, "about:blank"))
        cdp_ok(op);
    else
        cdp_page_navigate(op, url, opened);
}

static void created(struct cdp_op *op, const struct json *result)
{
    struct bytes id = json_as_text(json_get(result, "targetId"));
    if (!id.len || id.len >= sizeof op->name) {
        cdp_fail(op, OUTCOME_TRANSPORT_ERROR, 0, "the browser gives the new tab no name");
        return;
    }
    snprintf(op->name, sizeof op->name, "%.*s", BYTES_ARG(id));
    op->watches = CDP_WATCH_TABS;
    op->seen = look_for_tab;
    look_for_tab(op);
}

static void open_begin(struct cdp_op *op)
{
    struct json *params = cdp_object(op->c);
    json_set(&op->c->scratch, params, "url", json_text(&op->c->scratch, "about:blank"));
    if (*op->c->context)
        json_set(&op->c->scratch, params, "browserContextId", json_text(&op->c->scratch, op->c->context));
    cdp_send_browser(op, "Target.createTarget", params, created);
}

const struct cdp_op_row cdp_tab_open = {.op = "tab-open", .begin = open_begin, .tabless = true, .crashed = true};

/* --- the tab that is named --- */

static struct cdp_tab *named(struct cdp_op *op)
{
    struct cdp_tab *tab = cdp_tab_find(op->c, json_as_text(json_get(op->call->args, "tab")));
    if (!tab)
        cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "no tab of that name is open");
    return tab;
}

/* --- tab-switch --- */

static void switched(struct cdp_op *op, const struct json *result)
{
    cdp_ok(op);
}

static void switch_begin(struct cdp_op *op)
{
    struct cdp_tab *tab = named(op);
    if (!tab)
        return;
    struct json *params = cdp_object(op->c);
    json_set(&op->c->scratch, params, "targetId", json_text(&op->c->scratch, tab->id));
    op->tab = tab;
    cdp_tab_use(op->c, tab);
    cdp_send_browser(op, "Target.activateTarget", params, switched);
}

const struct cdp_op_row cdp_tab_switch = {
    .op = "tab-switch", .begin = switch_begin, .tabless = true, .crashed = true, .dialog = true};

/* --- tab-close --- */

static void look_for_end(struct cdp_op *op)
{
    if (!cdp_tab_find(op->c, bytes_of_string(op->name)))
        cdp_ok(op);
}

static void closing(struct cdp_op *op, const struct json *result)
{
    op->watches = CDP_WATCH_TABS;
    op->seen = look_for_end;
    look_for_end(op);
}

static void close_begin(struct cdp_op *op)
{
    struct cdp_tab *tab = named(op);
    if (!tab)
        return;
    struct json *params = cdp_object(op->c);
    json_set(&op->c->scratch, params, "targetId", json_text(&op->c->scratch, tab->id));
    snprintf(op->name, sizeof op->name, "%s", tab->id);
    cdp_send_browser(op, "Target.closeTarget", params, closing);
}

const struct cdp_op_row cdp_tab_close = {
    .op = "tab-close", .begin = close_begin, .tabless = true, .crashed = true, .dialog = true};

/* --- tab-list --- */

/* What the browser says is open, not what we believe. */
static void listed(struct cdp_op *op, const struct json *result)
{
    struct arena *a = op->call->arena;
    struct json *tabs = json_new(a, JSON_ARRAY);
    const struct json *infos = json_get(result, "targetInfos");
    for (const struct json *info = infos ? infos->first : NULL; info; info = info->next) {
        struct bytes id = json_as_text(json_get(info, "targetId"));
        struct bytes context = json_as_text(json_get(info, "browserContextId"));
        if (!bytes_equal_string(json_as_text(json_get(info, "type")), "page") ||
            (*op->c->context && !bytes_equal_string(context, op->c->context)))
            continue;
        struct json *tab = json_add(tabs, json_new(a, JSON_OBJECT));
        json_set(a, tab, "tab", json_string(a, id));
        json_set(a, tab, "url", json_string(a, json_as_text(json_get(info, "url"))));
        json_set(a, tab, "current", json_bool(a, op->c->current && bytes_equal_string(id, op->c->current->id)));
    }
    json_set(a, call_result(op->call), "tabs", tabs);
    cdp_ok(op);
}

static void list_begin(struct cdp_op *op)
{
    cdp_send_browser(op, "Target.getTargets", NULL, listed);
}

const struct cdp_op_row cdp_tab_list = {.op = "tab-list", .begin = list_begin, .tabless = true, .crashed = true, .dialog = true};
