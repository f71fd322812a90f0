/* The driver for a browser of this machine: `cdp:chromium`, spoken to in the DevTools protocol over pipes.
 *
 * The browser runs in the session's box, and commands run beside it there as those of `local` do, so what they serve is what it
 * browses, and files are the same for both. Its ops are in exec/target/cdp/; `run` and the like are the exec driver's, files are
 * lowered to them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/target/cdp/cdp.h"
#include "exec/target/cdp/chromium.h"
#include "exec/target/exec_internal.h"
#include "exec/target/mcp_ask.h"

enum { SAID = 200 };

/* What it said last, behind the error. */
static void add_last_words(const struct cdp *c, struct arena *a, struct error **err)
{
    struct bytes said = cdp_link_stderr(&c->link);
    while (said.len && (said.data[said.len - 1] == '\n' || said.data[said.len - 1] == '\r'))
        said.len--;
    size_t from = said.len;
    while (from && said.data[from - 1] != '\n')
        from--;
    said = bytes_slice(said, from, said.len);
    if (!said.len || !err || !*err)
        return;
    char *text = strings_printf("%s; its last words: %s", (*err)->text, mcp_visible(a, said, SAID));
    free((*err)->text);
    (*err)->text = text;
}

static int start(struct session *s, struct cdp **out, bool sandbox, struct error **err)
{
    struct chromium b;
    struct arena a;
    struct cdp *c = cdp_new(s);
    arena_init(&a);
    c->sandbox = sandbox;
    int status = chromium_prepare(s, &b, err);
    if (status == 0) {
        char **words = chromium_words(s, &b, sandbox);
        status = cdp_link_start(&c->link, s, (const char *const *)words, err);
        strings_free(words);
    }
    if (status == 0) {
        c->shares_files = true;
        c->download_fd = b.download_fd;
        b.download_fd = -1;
        status = cdp_greet(c, b.downloads, false, err);
        if (status < 0) {
            error_wrap(err, "%s", s->target->words[0]);
            add_last_words(c, &a, err);
        }
    }
    chromium_release(&b);
    arena_release(&a);
    if (status < 0)
        cdp_free(c);
    *out = status == 0 ? c : NULL;
    return status;
}

/* Whether the browser can make a sandbox of its own here is found out by the first session: where it cannot, it does not start. To a
 * browser that is root it is forbidden. */
static int start_somehow(struct session *s, struct cdp **c, struct error **err)
{
    struct error *first = NULL;
    target_lock(s->target);
    bool without = s->target->browser_bare || (!s->boxed && geteuid() == 0);
    target_unlock(s->target);
    if (without)
        return start(s, c, false, err);
    int status = start(s, c, true, &first);
    if (status == 0)
        return 0;
    if (status == ERR_TARGET && start(s, c, false, NULL) == 0) {
        error_free(first);
        target_lock(s->target);
        s->target->browser_bare = true;
        target_unlock(s->target);
        return 0;
    }
    if (err)
        *err = first;
    else
        error_free(first);
    return status;
}

static int cdp_open(struct session *s, struct error **err)
{
    struct cdp *c;
    struct strings none = {0};
    TRY(exec_begin(s, strings_take(&none), err));
    int status = start_somehow(s, &c, err);
    if (status < 0)
        exec_end(s);
    else
        s->driver_state = c;
    return status;
}

static void cdp_close(struct session *s)
{
    struct cdp *c = s->driver_state;
    if (!c)
        return;
    cdp_part(c);
    exec_end(s);
    cdp_free(c);
    s->driver_state = NULL;
}

static void calls(struct session *s, struct call *const *all, size_t count)
{
    struct call **pages = xcalloc(count ? count : 1, sizeof *pages), **commands = xcalloc(count ? count : 1, sizeof *commands);
    size_t page_count = 0, command_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (cdp_op_find(all[i]->op->name))
            pages[page_count++] = all[i];
        else
            commands[command_count++] = all[i];
    }
    cdp_calls(s->driver_state, pages, page_count, commands, command_count);
    free(pages);
    free(commands);
}

static enum support supports(struct session *s, const char *need)
{
    return cdp_supports(need) ? SUPPORT_NATIVE : exec_supports(s, need);
}

static void explain(struct session *s, struct buf *out)
{
    struct cdp *c = s->driver_state;
    buf_addf(out, "browser: %s, spoken to over pipes\n", s->target->words[0]);
    buf_addf(out, "its own sandbox: %s\n", c->sandbox ? "yes" : "no, our box alone");
    buf_addf(out, "threads: %u for each of budget.processes, since the kernel counts them alike\n", s->driver->threads);
    buf_addf(out, "tabs open: %zu\n", cdp_tabs_open(c));
    exec_explain_commands(s, out);
}

static char **wire_words(const struct session *s)
{
    char *profile = strings_printf("%s/.browser-1", s->home);
    char **words = chromium_words(s, &(struct chromium){.profile = profile}, true);
    free(profile);
    return words;
}

const struct driver driver_cdp = {
    .name = "cdp",
    .prefix = "cdp:",
    .doc = "a browser of this machine, over the DevTools protocol",
    .open = cdp_open,
    .close = cdp_close,
    .calls = calls,
    .supports = supports,
    .alive = cdp_alive,
    .wire_events = cdp_wire_events,
    .stderr_tail = cdp_stderr,
    .explain = explain,
    .wire_words = wire_words,
    .run_channel = exec_channel,
    .spelling = "relative",
    .lives_in_home = true,
    .bare = true,
    .threads = BROWSER_THREADS,
};
