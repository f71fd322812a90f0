/* duplicate-key: a member twice in one object. Readers differ in which one counts, so no lawful client sends
 * it.
 *
 * Where the id stands twice, either may be answered; everywhere else the id can be read and is owed an
 * answer. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

static const struct wire_variant variants[] = {
    {"id", "the id twice, first another one", 64, false},
    {"jsonrpc", "jsonrpc twice, first 1.0", 64, false},
    {"method", "the method twice, first ping", 64, false},
    {"name", "the tool's name twice, first one that does not exist", 64, false},
    {"arguments", "the arguments twice, first empty ones", 64, false},
    {0}};

static const struct {
    const char *kind;
    bool below; /* a member of params */
    const char *text;
} twins[] = {
    {"id", false, NULL},
    {"jsonrpc", false, "\"jsonrpc\":\"1.0\","},
    {"method", false, "\"method\":\"ping\","},
    {"name", true, "\"name\":\"no-such-tool\","},
    {"arguments", true, "\"arguments\":{},"},
};

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    size_t i = 0, at = 1;
    while (strcmp(twins[i].kind, kind) != 0)
        if (++i == sizeof twins / sizeof *twins)
            return false;
    struct wire_token key, value;
    if (twins[i].below) {
        if (!wire_member(r->frame, "params", &key, &value) || r->frame.data[value.from] != '{')
            return false;
        at = value.from + 1;
    }
    struct bytes other = bytes_of_string(arena_printf(a, "\"first-%.*s\"", BYTES_ARG(r->id)));
    const char *text = twins[i].text ? twins[i].text : arena_printf(a, "\"id\":%.*s,", BYTES_ARG(other));
    wire_put(p, bytes_slice(r->frame, 0, at));
    wire_put(p, bytes_of_string(text));
    wire_put(p, bytes_slice(r->frame, at, r->frame.len));
    wire_newline(p, r);
    p->own_id = twins[i].text != NULL;
    p->any = !p->own_id;
    p->nulls = 1;
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_duplicate_key, false);
}

const struct mutator mutator_duplicate_key = {
    .name = "duplicate-key",
    .group = "wire",
    .summary = "a member of a request twice",
    .details = "The id, jsonrpc, the method, the tool's name or its arguments, first with another value. No "
               "lawful client sends it.",
    .places = "",
    .kinds = "id jsonrpc method name arguments",
    .apply = apply,
};

const struct wire_row wire_duplicate_key = {&mutator_duplicate_key, variants, plan};
