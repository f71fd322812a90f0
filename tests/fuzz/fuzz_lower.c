/* Answers of lowered commands on a channel for text: whatever a target sends back gives an outcome, and only
 * an answer between the call's own marks is believed. The first byte chooses the op; "@" in the input stands
 * for the mark. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exec/target/lower_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum support supports(struct session *s, const char *need)
{
    return strncmp(need, "run", 3) == 0 ? SUPPORT_NATIVE : SUPPORT_NONE;
}

static const struct driver driver = {.name = "text", .supports = supports};

static const struct {
    const char *op, *args;
} calls[] = {
    {"read", "{\"path\":\"a\"}"},
    {"list", "{\"path\":\"a\"}"},
    {"stat", "{\"path\":\"a\"}"},
    {"edit", "{\"path\":\"a\",\"old\":\"x\",\"new\":\"y\"}"},
    {"start", "{\"argv\":[\"a\"]}"},
    {"poll", "{\"pid\":17}"},
    {"fetch", "{\"url\":\"http://localhost/\"}"},
    {"resolve", "{\"host\":\"localhost\"}"},
};
enum { CALLS = sizeof calls / sizeof *calls };

static const struct ops *load(void)
{
    static struct ops *ops;
    if (!ops && ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL) < 0)
        abort();
    return ops;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct target target = {.options = {.spec = "mcp:x", .ops = load()}, .driver = &driver};
    struct session s = {.target = &target, .driver = &driver, .root = "/r/root", .home = "/r/home"};
    struct arena a;
    arena_init(&a);
    struct call call = {.op = ops_find(target.options.ops, calls[*data % CALLS].op),
                        .timeout_ms = 1000000,
                        .cancel_after_ms = -1,
                        .arena = &a};
    if (json_read(&a, bytes_of_string(calls[*data % CALLS].args), NULL, "", &call.args, NULL, NULL) < 0)
        abort();
    call_begin(&call);
    struct lowered *l = lower_begin(&s, &call);
    struct call sub;
    struct buf text;
    buf_init(&text, 1 << 24);
    bool marked = false;
    for (size_t i = 1; i < size; i++) {
        if (data[i] == '@')
            buf_add_string(&text, l->mark);
        else
            buf_add_byte(&text, data[i]);
        marked |= data[i] == '@';
    }
    for (int step = 0; step < 4 && lower_next(l, &sub); step++) {
        sub.outcome.class = OUTCOME_OK;
        json_set(&a, call_result(&sub), "stdout", json_string(&a, buf_bytes(&text)));
        lower_reply(l, &sub);
    }
    if (!marked && call.outcome.class != OUTCOME_TRANSPORT_ERROR)
        abort();
    buf_release(&text);
    arena_release(&a);
    return 0;
}
