/* What a browser says over the DevTools protocol: one op, or all at once, while the input, cut at its NULs, comes as messages. The first
 * byte says which op goes, the second how long a message may be. When nothing more comes the browser is gone. Then the input as the
 * answer to the opening of a WebSocket. */
#include "../unit/cdp_case.h"
#include "exec/target/cdp/handshake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"tab-open", "tab-switch", "tab-close", "tab-list",   "navigate", "click",  "fill",
                                    "submit",   "attach",     "scrape",    "evaluate",   "save",     "dialog", "screenshot"};
enum { OPS = 14 };

struct talker {
    struct fake_browser f; /* first */
    struct bytes rest;
};

static void queue_nothing(struct cdp_link *l, struct bytes message)
{
    struct fake_browser *f = l->own;
    struct json *value = NULL;
    if (json_read(&f->arena, message, NULL, "sent", &value, NULL, NULL) < 0)
        abort();
}

static void next_message(struct cdp_link *l, int64_t until_ns)
{
    struct talker *t = l->own;
    struct mcp_line message;
    if (mcp_lines_next(&l->lines, &t->rest, &message))
        l->take(l->context, &message);
    else
        cdp_link_lose(l, "gone");
}

static void make_calls(struct fake_browser *f, const struct ops *ops, struct call *calls, struct call **pointers)
{
    static const char arguments[] = "{\"url\":\"http://x/\",\"tab\":\"T1\",\"selector\":\"a\",\"value\":\"v\",\"path\":\"p\",\"script\":\"1\"}";
    struct json *args = NULL;
    json_read(&f->arena, bytes_of_string(arguments), NULL, "", &args, NULL, NULL);
    for (size_t i = 0; i < OPS; i++) {
        calls[i] = (struct call){.op = ops_find(ops, names[i]), .args = args, .timeout_ms = 1000, .cancel_after_ms = -1,
                                 .arena = &f->arena};
        call_begin(&calls[i]);
        pointers[i] = &calls[i];
    }
}

static void check(const struct call *call)
{
    const struct outcome *o = &call->outcome;
    bool said = o->class == OUTCOME_OK || (o->class == OUTCOME_SKIPPED ? o->skip_reason != NULL : o->message.len > 0);
    if (!said || o->message.len > 1 << 16)
        abort();
}

static void converse(const struct ops *ops, const uint8_t *data, size_t size)
{
    static const struct cdp_wire wire = {.queue = queue_nothing, .turn = next_message, .release = fake_release};
    struct talker t;
    struct call calls[OPS], *pointers[OPS];
    bool one = data[0] < OPS;
    fake_open(&t.f, ops);
    t.rest = bytes_of(data + 2, size - 2);
    t.f.c->link.wire = &wire;
    t.f.c->link.own = &t;
    t.f.c->link.lines.max = 16 * ((size_t)data[1] + 1);
    t.f.c->link.lines.ending = '\0';
    t.f.c->shares_files = true;
    make_calls(&t.f, ops, calls, pointers);
    cdp_calls(t.f.c, one ? &pointers[data[0]] : pointers, one ? 1 : OPS, NULL, 0);
    for (size_t i = one ? data[0] : 0; i < (one ? (size_t)data[0] + 1 : OPS); i++)
        check(&calls[i]);
    const struct wire_event *events;
    size_t count = cdp_wire_events(&t.f.session, &events);
    for (size_t i = 0; i < count; i++)
        if (events[i].text.len > 4096 || (events[i].kind == WIRE_NOTE) != (events[i].detail != NULL))
            abort();
    fake_close(&t.f);
}

static void open_web_socket(const uint8_t *data, size_t size)
{
    size_t length = 0;
    char why[256] = "";
    enum handshake_status status = handshake_read(bytes_of(data, size), "dGhlIHNhbXBsZSBub25jZQ==", &length, why);
    if (status == HANDSHAKE_REFUSED ? !*why || strchr(why, '\n') : status == HANDSHAKE_DONE && length > size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ops *ops;
    if (!ops && ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL) < 0)
        abort();
    if (size < 2)
        return 0;
    converse(ops, data, size);
    open_web_socket(data, size);
    return 0;
}
