/* embedded-newline: line ends where a message has none, or another one at its end.
 *
 * Over lines a newline ends a message, so a raw one cuts the request in two halves that are no messages; in a
 * body, between tokens, it is mere white space. A carriage return is white space to both. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

static const struct wire_variant variants[] = {
    {"lf-in-string", "a raw newline in a string of the request", 0, false},
    {"lf-between-tokens", "a raw newline between two tokens", 0, false},
    {"cr-between-tokens", "a carriage return between two tokens", 0, true},
    {"crlf-at-end", "the request ends with carriage return and newline", 0, true},
    {0}};

static bool in_string(const struct wire_request *r, struct wire_plan *p)
{
    struct wire_token where;
    if (!wire_last_string(r->frame, false, &where))
        return false;
    wire_put(p, bytes_slice(r->frame, 0, where.from + 1));
    wire_put(p, BYTES_LITERAL("\n"));
    wire_put(p, bytes_slice(r->frame, where.from + 1, r->frame.len));
    wire_newline(p, r);
    p->nulls = r->lines ? 2 : 1;
    p->inert = true;
    return true;
}

static bool between(const struct wire_request *r, struct wire_plan *p, const char *what)
{
    struct wire_token key, value;
    if (!wire_member(r->frame, "method", &key, &value))
        return false;
    wire_put(p, bytes_slice(r->frame, 0, key.from));
    wire_put(p, bytes_of_string(what));
    wire_put(p, bytes_slice(r->frame, key.from, r->frame.len));
    wire_newline(p, r);
    bool cut = r->lines && *what == '\n';
    p->own_id = p->lawful = !cut;
    p->nulls = cut ? 2 : 0;
    p->inert = cut;
    return true;
}

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    if (strcmp(kind, "lf-in-string") == 0)
        return in_string(r, p);
    if (strcmp(kind, "crlf-at-end") != 0)
        return between(r, p, kind[0] == 'l' ? "\n" : "\r");
    wire_put(p, r->frame);
    wire_put(p, BYTES_LITERAL("\r\n"));
    p->own_id = p->lawful = true;
    return true;
}

static bool apply(struct mutation *m)
{
    return wire_apply(m, &wire_embedded_newline, false);
}

const struct mutator mutator_embedded_newline = {
    .name = "embedded-newline",
    .group = "wire",
    .summary = "line ends inside a request, or another one at its end",
    .details = "A raw newline in a string or between tokens, which over lines makes two broken messages; a "
               "carriage return "
               "between tokens or before the newline, which any client may send.",
    .places = "",
    .kinds = "lf-in-string lf-between-tokens cr-between-tokens crlf-at-end",
    .apply = apply,
};

const struct wire_row wire_embedded_newline = {&mutator_embedded_newline, variants, plan};
