/* save: what a link leads to, as a file, whatever the server would have the browser do with it.
 *
 * The link is marked as one to a download while it is clicked. The browser puts the file into the session's download directory; when
 * it says that all of it is there, it is moved to where the task wants it. All of that is beneath directories that the browser can
 * write too, so names are used with descriptors of their directories only. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/target/cdp/cdp.h"
#include "exec/target/cdp/downloads.h"
#include "exec/target/root.h"

enum { CHUNK = 64 << 10, MODE = 0644 };

static const char click_link[] =
    "selector => {"
    " const e = document.querySelector(selector);"
    " if (!e) return {error: 'no element matches ' + selector};"
    " const link = e.closest('a[href], area[href]');"
    " if (!link || link.hasAttribute('download')) { e.click(); return {}; }"
    " link.setAttribute('download', '');"
    " link.click();"
    " link.removeAttribute('download');"
    " return {};"
    "}";

/* --- the file --- */

static int copy(int from, int to)
{
    static const size_t most = CHUNK;
    uint8_t chunk[CHUNK];
    for (;;) {
        ssize_t n = read(from, chunk, most), written = 0;
        if (n <= 0)
            return n < 0 ? errno : 0;
        while (written < n) {
            ssize_t w = write(to, chunk + written, (size_t)(n - written));
            if (w < 0)
                return errno;
            written += w;
        }
    }
}

/* Where the task's place is on another disk. 0, or an errno. */
static int carry(struct cdp *c, const char *id, int parent, const char *name)
{
    struct stat st;
    int failed = 0, from = openat(c->download_fd, id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0)
        return errno;
    if (fstat(from, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(from);
        return EINVAL;
    }
    unlinkat(parent, name, 0);
    int to = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
    if (to < 0)
        failed = errno;
    else
        failed = copy(from, to);
    if (to >= 0 && close(to) < 0 && !failed)
        failed = errno;
    close(from);
    if (!failed)
        root_give(c->session, parent, name);
    return failed;
}

static int move(struct cdp *c, const char *id, struct bytes path)
{
    char name[256];
    if (!path.len || memchr(path.data, '\0', path.len))
        return EINVAL;
    int parent = root_open_parent(c->session, path, name);
    if (parent < 0)
        return -parent;
    int failed = renameat(c->download_fd, id, parent, name) < 0 ? errno : 0;
    if (failed == EXDEV)
        failed = carry(c, id, parent, name);
    close(parent);
    return failed;
}

/* --- the download --- */

static struct cdp_download *claim(struct cdp_op *op)
{
    struct cdp_download *oldest = NULL;
    for (struct cdp_download *d = op->c->downloads; d; d = d->next) {
        if (*op->name ? strcmp(d->id, op->name) == 0 : !d->claimed && d->serial > op->downloads_before)
            oldest = d;
    }
    if (oldest && !*op->name) {
        oldest->claimed = true;
        snprintf(op->name, sizeof op->name, "%s", oldest->id);
    }
    return oldest;
}

static void look(struct cdp_op *op)
{
    struct bytes path = BYTES_NONE;
    const struct cdp_download *d = claim(op);
    if (!d && op->tab->commits != op->commits && op->tab->there)
        cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "the link opened a page, and gave no file");
    if (!d || op->done || d->state == CDP_DOWNLOAD_RUNS)
        return;
    if (d->state == CDP_DOWNLOAD_FAILED) {
        cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "the download ended before all of the file was there");
        return;
    }
    call_bytes(op->call, "path", &path);
    int failed = move(op->c, d->id, path);
    if (failed)
        cdp_fail(op, OUTCOME_TOOL_ERROR, failed, "the file cannot be put there: %s", strerror(failed));
    else
        cdp_ok(op);
}

static void clicked(struct cdp_op *op, const struct json *value)
{
    look(op);
}

static void abandon(struct cdp_op *op)
{
    struct arena *a = &op->c->scratch;
    if (!*op->name)
        return;
    struct json *params = cdp_object(op->c);
    json_set(a, params, "guid", json_text(a, op->name));
    cdp_tell(op->c, NULL, "Browser.cancelDownload", params);
}

static void begin(struct cdp_op *op)
{
    static const char *const arguments[] = {"selector", NULL};
    if (op->c->download_fd < 0) {
        call_skip(op->call, "save: the browser is elsewhere, and its files with it");
        cdp_skip(op);
        return;
    }
    op->downloads_before = op->c->download_count;
    op->watches = CDP_WATCH_DOWNLOADS | CDP_WATCH_TAB;
    op->seen = look;
    cdp_page(op, click_link, arguments, clicked);
}

const struct cdp_op_row cdp_save = {.op = "save", .begin = begin, .abandoned = abandon};
