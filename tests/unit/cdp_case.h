/* A browser that is none, for tests of the DevTools driver: it answers each command as a case says, at once, and time passes when it
 * has nothing more to say.
 *
 * `replies` is an object: for a method, the messages that follow when it is sent. One without "method" is the reply, and gets the
 * command's id; one with is an event of the tab "S1", or, with "browser": true, of the browser itself; a string is sent as it stands. A
 * method that is not there is answered by an empty result. */
#ifndef TESTS_UNIT_CDP_CASE_H
#define TESTS_UNIT_CDP_CASE_H

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/cdp/cdp.h"
#include "grammar/ops.h"

enum { CDP_QUEUE_MAX = 4096 };

struct fake_browser {
    struct settings settings;
    struct target target;
    struct session session;
    struct cdp *c;
    struct arena arena;
    const struct json *replies;
    struct bytes queue[CDP_QUEUE_MAX];
    size_t first, count;
    bool reverse;        /* what is queued last is said first */
    const char *dies;    /* when it has nothing more to say; NULL: time passes instead */
    int64_t now_ns;
    struct buf sent;     /* methods that came, with spaces */
};

static inline void fake_say(struct fake_browser *f, struct bytes text)
{
    if (f->count < CDP_QUEUE_MAX)
        f->queue[f->count++] = arena_copy(&f->arena, text);
}

static inline void fake_answer(struct fake_browser *f, const struct json *message, struct json *id)
{
    struct json *copy = json_copy(&f->arena, message);
    struct buf text;
    if (json_is(message, JSON_STRING)) {
        fake_say(f, message->text);
        return;
    }
    if (!json_get(copy, "method") && !json_get(copy, "id"))
        json_set(&f->arena, copy, "id", json_copy(&f->arena, id));
    else if (json_get(copy, "method") && !json_get(copy, "browser") && !json_get(copy, "sessionId"))
        json_set(&f->arena, copy, "sessionId", json_text(&f->arena, "S1"));
    buf_init(&text, 64 << 20);
    json_write(&text, copy, JSON_COMPACT);
    fake_say(f, buf_bytes(&text));
    buf_release(&text);
}

static inline void fake_queue(struct cdp_link *l, struct bytes message)
{
    struct fake_browser *f = l->own;
    struct json *value = NULL;
    if (json_read(&f->arena, message, NULL, "sent", &value, NULL, NULL) < 0)
        abort(); /* what we send is always JSON */
    struct bytes method = json_as_text(json_get(value, "method"));
    buf_addf(&f->sent, "%s%.*s", f->sent.len ? " " : "", BYTES_ARG(method));
    const struct json *list = json_get_bytes(f->replies, method);
    if (!list)
        fake_say(f, bytes_of_string(arena_printf(&f->arena, "{\"id\":%.*s,\"result\":{}}", BYTES_ARG(json_get(value, "id")->text))));
    for (const struct json *one = list ? list->first : NULL; one; one = one->next)
        fake_answer(f, one, json_get(value, "id"));
}

static inline void fake_turn(struct cdp_link *l, int64_t until_ns)
{
    struct fake_browser *f = l->own;
    if (f->first < f->count) {
        struct bytes text = f->reverse ? f->queue[--f->count] : f->queue[f->first++];
        struct mcp_line message = {.text = text, .length = text.len};
        l->take(l->context, &message);
    } else if (f->dies) {
        cdp_link_lose(l, "%s", f->dies);
    } else if (until_ns > f->now_ns) {
        f->now_ns = until_ns;
    }
}

static inline void fake_release(struct cdp_link *l)
{
}

static const struct cdp_wire fake_wire = {.queue = fake_queue, .turn = fake_turn, .release = fake_release};

/* With one tab, "T1". */
static inline void fake_open(struct fake_browser *f, const struct ops *ops)
{
    static const char tab[] = "{\"method\":\"Target.attachedToTarget\",\"params\":{\"sessionId\":\"S1\",\"waitingForDebugger\":false,"
                              "\"targetInfo\":{\"targetId\":\"T1\",\"type\":\"page\",\"url\":\"about:blank\"}}}";
    memset(f, 0, sizeof *f);
    arena_init(&f->arena);
    buf_init(&f->sent, 1 << 20);
    settings_defaults(&f->settings);
    f->now_ns = 1000000000;
    f->target.options.settings = &f->settings;
    f->target.options.ops = ops;
    f->session.target = &f->target;
    f->session.root = "/nowhere";
    f->c = cdp_new(&f->session);
    f->c->link.wire = &fake_wire;
    f->c->link.own = f;
    f->c->link.session = &f->session;
    mcp_lines_init(&f->c->link.lines, 1 << 20);
    buf_init(&f->c->link.out, 0);
    f->session.driver_state = f->c;
    fake_say(f, bytes_of_string(tab));
    clock_fake(&f->now_ns);
    for (int i = 0; i < 8; i++)
        cdp_turn(f->c, 0);
    if (f->c->tabs)
        cdp_tab_use(f->c, f->c->tabs);
    buf_clear(&f->sent);
}

static inline void fake_close(struct fake_browser *f)
{
    cdp_free(f->c);
    clock_fake(NULL);
    buf_release(&f->sent);
    arena_release(&f->arena);
}

#endif
