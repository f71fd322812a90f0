/* Downloads, from the browser's events. They go into a directory of the session's own, each under the name that the browser has
 * for it, which says nothing of what a server called it. */
#include <stdlib.h>

#include "exec/target/cdp/cdp.h"
#include "exec/target/cdp/downloads.h"

enum { DOWNLOADS_MAX = 256, URL_MAX = 64 << 10 };

static struct cdp_download *find(struct cdp *c, struct bytes id)
{
    for (struct cdp_download *d = c->downloads; d; d = d->next)
        if (bytes_equal_string(id, d->id))
            return d;
    return NULL;
}

/* The id becomes a file's name. */
static bool is_plain(struct bytes id)
{
    for (size_t i = 0; i < id.len; i++) {
        uint8_t c = id.data[i];
        if (!(c == '-' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')))
            return false;
    }
    return id.len > 0 && id.len < CDP_ID_MAX;
}

static void begins(struct cdp *c, const struct json *params)
{
    struct bytes id = json_as_text(json_get(params, "guid")), url = json_as_text(json_get(params, "url"));
    if (!is_plain(id) || find(c, id) || c->download_count == DOWNLOADS_MAX)
        return;
    struct cdp_download *d = xcalloc(1, sizeof *d);
    buf_init(&d->url, URL_MAX);
    buf_add(&d->url, bytes_slice(url, 0, URL_MAX));
    for (size_t i = 0; i < id.len; i++)
        d->id[i] = (char)id.data[i];
    d->serial = ++c->download_count;
    d->next = c->downloads;
    c->downloads = d;
    cdp_event(c, WIRE_NOTE, "a download began", json_as_text(json_get(params, "suggestedFilename")));
    cdp_notice(c, NULL, CDP_WATCH_DOWNLOADS);
}

static void progresses(struct cdp *c, const struct json *params)
{
    struct cdp_download *d = find(c, json_as_text(json_get(params, "guid")));
    struct bytes state = json_as_text(json_get(params, "state"));
    if (!d || d->state != CDP_DOWNLOAD_RUNS)
        return;
    if (bytes_equal_string(state, "completed"))
        d->state = CDP_DOWNLOAD_DONE;
    else if (bytes_equal_string(state, "canceled"))
        d->state = CDP_DOWNLOAD_FAILED;
    else
        return;
    if (d->state == CDP_DOWNLOAD_FAILED)
        cdp_event(c, WIRE_NOTE, "a download ended early", buf_bytes(&d->url));
    cdp_notice(c, NULL, CDP_WATCH_DOWNLOADS);
}

void cdp_downloads_event(struct cdp *c, struct bytes method, const struct json *params)
{
    if (bytes_equal_string(method, "Browser.downloadWillBegin"))
        begins(c, params);
    else if (bytes_equal_string(method, "Browser.downloadProgress"))
        progresses(c, params);
}

void cdp_downloads_free(struct cdp *c)
{
    while (c->downloads) {
        struct cdp_download *d = c->downloads;
        c->downloads = d->next;
        buf_release(&d->url);
        free(d);
    }
}
