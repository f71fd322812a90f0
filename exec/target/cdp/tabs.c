/* What tabs a browser has, and what happens to them, from its events; see cdp.h.
 *
 * A tab is known from the moment at which it is attached until its target is destroyed or the session with it ends. It begins paused;
 * once its events are asked for it may go on, so that no dialog of its first script is missed. */
#include <stdlib.h>
#include <string.h>

#include "exec/target/cdp/cdp.h"

enum { URL_MAX = 1 << 20, DIALOG_MAX = 64 << 10 };

static void copy_name(char *out, size_t size, struct bytes text)
{
    size_t length = text.len < size - 1 ? text.len : size - 1;
    if (length)
        memcpy(out, text.data, length);
    out[length] = '\0';
}

struct cdp_tab *cdp_tab_find(struct cdp *c, struct bytes id)
{
    for (struct cdp_tab *t = c->tabs; t; t = t->next)
        if (id.len && bytes_equal_string(id, t->id))
            return t;
    return NULL;
}

static struct cdp_tab *tab_of_session(struct cdp *c, struct bytes session)
{
    for (struct cdp_tab *t = c->tabs; t; t = t->next)
        if (session.len && bytes_equal_string(session, t->session))
            return t;
    return NULL;
}

size_t cdp_tabs_open(const struct cdp *c)
{
    size_t count = 0;
    for (const struct cdp_tab *t = c->tabs; t; t = t->next)
        count++;
    return count;
}

void cdp_tab_use(struct cdp *c, struct cdp_tab *tab)
{
    tab->used = ++c->uses;
    c->current = tab;
}

/* --- coming and going --- */

static void free_tab(struct cdp_tab *t)
{
    buf_release(&t->url);
    buf_release(&t->dialog_store);
    free(t);
}

void cdp_tabs_free(struct cdp *c)
{
    while (c->tabs) {
        struct cdp_tab *t = c->tabs;
        c->tabs = t->next;
        free_tab(t);
    }
    c->current = NULL;
}

static void forget(struct cdp *c, struct cdp_tab *tab)
{
    struct cdp_tab **at = &c->tabs;
    while (*at && *at != tab)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = tab->next;
    cdp_tab_gone(c, tab);
    if (c->current == tab) { /* the one that was current before */
        c->current = NULL;
        for (struct cdp_tab *t = c->tabs; t; t = t->next)
            if (!c->current || t->used > c->current->used)
                c->current = t;
    }
    free_tab(tab);
    cdp_notice(c, NULL, CDP_WATCH_TABS);
}

void cdp_tab_answered(struct cdp *c, uint64_t serial)
{
    for (struct cdp_tab *t = c->tabs; t; t = t->next) {
        if (t->serial != serial)
            continue;
        t->unready -= t->unready > 0;
        if (!t->unready)
            cdp_notice(c, t, CDP_WATCH_TABS);
        return;
    }
}

/* A page that is loaded before all of this is answered may be another process's, which was not asked. */
static void begin_watching(struct cdp *c, struct cdp_tab *tab, bool waits)
{
    struct json *enabled = cdp_object(c);
    json_set(&c->scratch, enabled, "enabled", json_bool(&c->scratch, true));
    tab->unready = 0;
    cdp_prepare(c, tab, "Page.enable", NULL);
    cdp_prepare(c, tab, "Page.setLifecycleEventsEnabled", enabled);
    cdp_prepare(c, tab, "Inspector.enable", NULL);
    if (waits)
        cdp_prepare(c, tab, "Runtime.runIfWaitingForDebugger", NULL);
}

static void let_go(struct cdp *c, struct bytes session)
{
    struct json *params = cdp_object(c);
    json_set(&c->scratch, params, "sessionId", json_string(&c->scratch, session));
    cdp_tell(c, NULL, "Target.detachFromTarget", params);
}

/* Target.attachedToTarget */
static void attached(struct cdp *c, struct cdp_tab *none, const struct json *params)
{
    const struct json *info = json_get(params, "targetInfo");
    struct bytes id = json_as_text(json_get(info, "targetId")), session = json_as_text(json_get(params, "sessionId"));
    bool waits = json_as_bool(json_get(params, "waitingForDebugger"), false);
    struct cdp_tab *tab = cdp_tab_find(c, id);
    bool page = bytes_equal_string(json_as_text(json_get(info, "type")), "page");
    struct bytes context = json_as_text(json_get(info, "browserContextId"));
    page = page && (!*c->context || bytes_equal_string(context, c->context));
    if (!page || !id.len || id.len >= CDP_ID_MAX || !session.len || session.len >= CDP_ID_MAX) {
        struct cdp_tab other = {.id = ""};
        copy_name(other.session, sizeof other.session, session);
        if (waits)
            cdp_tell(c, &other, "Runtime.runIfWaitingForDebugger", NULL);
        if (*c->context) /* somebody else's */
            let_go(c, session);
        return;
    }
    if (!tab) {
        tab = xcalloc(1, sizeof *tab);
        tab->serial = ++c->serials;
        copy_name(tab->id, sizeof tab->id, id);
        buf_init(&tab->url, URL_MAX);
        buf_init(&tab->dialog_store, DIALOG_MAX);
        tab->there = tab->loaded = true; /* until it says otherwise */
        tab->next = c->tabs;
        c->tabs = tab;
    }
    buf_clear(&tab->url);
    buf_add(&tab->url, json_as_text(json_get(info, "url")));
    copy_name(tab->session, sizeof tab->session, session);
    if (json_get(info, "openerId"))
        cdp_event(c, WIRE_NOTE, "a page opened a tab", buf_bytes(&tab->url));
    begin_watching(c, tab, waits);
    cdp_notice(c, tab, CDP_WATCH_TABS);
}

static void detached(struct cdp *c, struct cdp_tab *none, const struct json *params)
{
    struct cdp_tab *tab = tab_of_session(c, json_as_text(json_get(params, "sessionId")));
    if (tab)
        forget(c, tab);
}

static void destroyed(struct cdp *c, struct cdp_tab *none, const struct json *params)
{
    struct cdp_tab *tab = cdp_tab_find(c, json_as_text(json_get(params, "targetId")));
    if (tab)
        forget(c, tab);
}

/* --- crashes --- */

static void crash(struct cdp *c, struct cdp_tab *tab)
{
    if (!tab || tab->crashed)
        return;
    tab->crashed = true;
    tab->loading = false;
    tab->dialog[0] = '\0';
    cdp_event(c, WIRE_NOTE, "a page crashed", buf_bytes(&tab->url));
    cdp_tab_crashed(c, tab);
}

static void target_crashed(struct cdp *c, struct cdp_tab *none, const struct json *params)
{
    crash(c, cdp_tab_find(c, json_as_text(json_get(params, "targetId"))));
}

static void page_crashed(struct cdp *c, struct cdp_tab *tab, const struct json *params)
{
    crash(c, tab);
}

static void reloaded(struct cdp *c, struct cdp_tab *tab, const struct json *params)
{
    if (tab)
        tab->crashed = false;
}

/* --- documents --- */

static bool is_main_frame(const struct cdp_tab *tab, const struct json *params)
{
    return tab && bytes_equal_string(json_as_text(json_get(params, "frameId")), tab->id);
}

static void lifecycle(struct cdp *c, struct cdp_tab *tab, const struct json *params)
{
    struct bytes name = json_as_text(json_get(params, "name")), loader = json_as_text(json_get(params, "loaderId"));
    bool loaded = bytes_equal_string(name, "load"), there = loaded || bytes_equal_string(name, "DOMContentLoaded");
    if (!is_main_frame(tab, params) || !there)
        return;
    if (bytes_equal_string(loader, tab->loader)) {
        tab->there = true;
        tab->loaded |= loaded;
        cdp_notice(c, tab, CDP_WATCH_TAB);
        return;
    }
    tab->early_loaded = loaded || (tab->early_loaded && bytes_equal_string(loader, tab->early));
    tab->early_there = true;
    copy_name(tab->early, sizeof tab->early, loader);
}

/* A new document is there. */
static void navigated(struct cdp *c, struct cdp_tab *tab, const struct json *params)
{
    const struct json *frame = json_get(params, "frame");
    struct bytes loader = json_as_text(json_get(frame, "loaderId"));
    if (!tab || !bytes_equal_string(json_as_text(json_get(frame, "id")), tab->id))
        return;
    buf_clear(&tab->url);
    buf_add(&tab->url, json_as_text(json_get(frame, "url")));
    buf_add(&tab->url, json_as_text(json_get(frame, "urlFragment")));
    memcpy(tab->before, tab->loader, sizeof tab->before);
    copy_name(tab->loader, sizeof tab->loader, loader);
    bool early = strcmp(tab->early, tab->loader) == 0;
    tab->there = early && tab->early_there;
    tab->loaded = early && tab->early_loaded;
    tab->crashed = false;
    tab->commits++;
    cdp_notice(c, tab, CDP_WATCH_TAB);
}

static void navigated_within(struct cdp *c, struct cdp_tab *tab, const struct json *params)
{
    if (!is_main_frame(tab, params))
        return;
    buf_clear(&tab->url);
    buf_add(&tab->url, json_as_text(json_get(params, "url")));
    cdp_notice(c, tab, CDP_WATCH_TAB);
}

static void started_loading(struct cdp *c, struct cdp_tab *tab, const struct json *params)
{
    if (is_main_frame(tab, params))
        tab->loading = true;
}

static void stopped_loading(struct cdp *c, struct cdp_tab *tab, const struct json *params)
{
    if (!is_main_frame(tab, params))
        return;
    tab->loading = false;
    cdp_notice(c, tab, CDP_WATCH_TAB);
}

/* --- dialogs --- */

static void dialog_opening(struct cdp *c, struct cdp_tab *tab, const struct json *params)
{
    static const char *const kinds[] = {"alert", "confirm", "prompt", "beforeunload"};
    static const char *const notes[] = {"a dialog opened: alert", "a dialog opened: confirm", "a dialog opened: prompt",
                                        "a dialog opened: beforeunload"};
    struct bytes kind = json_as_text(json_get(params, "type"));
    size_t i = 0, count = sizeof kinds / sizeof *kinds;
    if (!tab)
        return;
    while (i < count && !bytes_equal_string(kind, kinds[i]))
        i++;
    copy_name(tab->dialog, sizeof tab->dialog, kind.len ? kind : BYTES_LITERAL("dialog"));
    buf_clear(&tab->dialog_store);
    buf_add(&tab->dialog_store, bytes_slice(json_as_text(json_get(params, "message")), 0, DIALOG_MAX));
    tab->dialog_text = buf_bytes(&tab->dialog_store);
    cdp_event(c, WIRE_NOTE, i < count ? notes[i] : "a dialog opened", tab->dialog_text);
    cdp_dialog_opened(c, tab);
}

static void dialog_closed(struct cdp *c, struct cdp_tab *tab, const struct json *params)
{
    if (!tab)
        return;
    tab->dialog[0] = '\0';
    cdp_notice(c, tab, CDP_WATCH_TAB);
}

static const struct {
    const char *method;
    void (*take)(struct cdp *c, struct cdp_tab *tab, const struct json *params);
} rows[] = {
    {"Target.attachedToTarget", attached},
    {"Target.detachedFromTarget", detached},
    {"Target.targetDestroyed", destroyed},
    {"Target.targetCrashed", target_crashed},
    {"Inspector.targetCrashed", page_crashed},
    {"Inspector.targetReloadedAfterCrash", reloaded},
    {"Page.lifecycleEvent", lifecycle},
    {"Page.frameNavigated", navigated},
    {"Page.navigatedWithinDocument", navigated_within},
    {"Page.frameStartedLoading", started_loading},
    {"Page.frameStoppedLoading", stopped_loading},
    {"Page.javascriptDialogOpening", dialog_opening},
    {"Page.javascriptDialogClosed", dialog_closed},
};

void cdp_tabs_event(struct cdp *c, struct bytes method, struct bytes session, const struct json *params)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (bytes_equal_string(method, rows[i].method)) {
            rows[i].take(c, tab_of_session(c, session), params);
            return;
        }
    }
}
