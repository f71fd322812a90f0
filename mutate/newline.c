/* newline: contents with other line ends, with some of each, with what only some readers take for one, with one cut in two by
 * a buffer's edge; names with a line end in them. */
#include <string.h>

#include "gen/recipe.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

enum { PAST_THE_EDGE = 60 };

static const int64_t edges[] = {1024, 4096, 8192, 16384, 65536, 1048576};

/* Offset of a random line feed; -1: there is none, or the content is no text. */
static int64_t some_line_end(struct mutation *m, const struct json *content)
{
    struct buf text;
    int64_t chosen = -1;
    uint64_t seen = 0;
    if (body_text(content, &text))
        for (size_t i = 0; i < text.len; i++)
            if (text.data[i] == '\n' && rng_below(m->rng, ++seen) == 0)
                chosen = (int64_t)i;
    buf_release(&text);
    return chosen;
}

static struct json *all_lines(struct mutation *m, const struct payload_variant *v, const struct json *content, const char **detail)
{
    *detail = strcmp(v->kind, "crlf") == 0 ? "lines end with CRLF" : "lines end with CR";
    return some_line_end(m, content) < 0 ? NULL : body_recode(m->task, content, "utf-8", v->kind);
}

static struct json *one_line(struct mutation *m, const struct payload_variant *v, const struct json *content, const char **detail)
{
    int64_t at = some_line_end(m, content);
    *detail = arena_printf(&m->task->arena, "one line, at byte %lld, ends with CRLF", (long long)at);
    return at < 0 ? NULL : body_insert(m, content, (uint64_t)at, BYTES_LITERAL("\r"));
}

/* The last line: with an end where it had none, without where it had one. */
static struct json *last_line(struct mutation *m, const struct payload_variant *v, const struct json *content, const char **detail)
{
    struct buf text;
    bool is_text = body_text(content, &text), ended = text.len && text.data[text.len - 1] == '\n';
    uint64_t size = text.len;
    buf_release(&text);
    *detail = ended ? "the last line has no end" : "the last line has an end";
    if (!is_text || !size)
        return NULL;
    return ended ? body_splice(m->task, content, size - 1, 1, json_text(&m->task->arena, ""))
                 : body_insert(m, content, size, BYTES_LITERAL("\n"));
}

static struct json *insert_separator(struct mutation *m, const struct payload_variant *v, const struct json *content, const char **detail)
{
    uint64_t at = body_any_boundary(m, content);
    *detail = arena_printf(&m->task->arena, "%s at byte %llu", v->words, (unsigned long long)at);
    return body_insert(m, content, at, bytes_of_string(v->text));
}

/* The CR is the last byte before the edge, or one sooner or later. */
static struct json *across_edge(struct mutation *m, const struct payload_variant *v, const struct json *content, const char **detail)
{
    int64_t edge = edges[rng_below(m->rng, sizeof edges / sizeof *edges)], cr = edge - 1 + rng_range(m->rng, -1, 1);
    *detail = arena_printf(&m->task->arena, "CRLF whose CR is byte %lld, next to %lld", (long long)cr, (long long)edge);
    return body_insert(m, body_pattern(m, edge + PAST_THE_EDGE, BYTES_NONE), (uint64_t)cr, BYTES_LITERAL("\r\n"));
}

static const struct payload_variant variants[] = {
    {.kind = "crlf", .make = all_lines},
    {.kind = "cr", .make = all_lines},
    {.kind = "mixed", .make = one_line},
    {.kind = "last", .make = last_line},
    {.kind = "lone-cr", .make = insert_separator, .words = "a lone CR", .text = "\r"},
    {.kind = "cr-cr-lf", .make = insert_separator, .words = "CR CR LF", .text = "\r\r\n"},
    {.kind = "u-2028", .make = insert_separator, .words = "U+2028", .text = "\xe2\x80\xa8"},
    {.kind = "u-0085", .make = insert_separator, .words = "U+0085", .text = "\xc2\x85"},
    {.kind = "form-feed", .make = insert_separator, .words = "a form feed", .text = "\f"},
    {.kind = "edge", .make = across_edge},
    {0},
};

static const char *const body_kinds[] = {"crlf",   "cr",     "mixed",     "last", "lone-cr", "cr-cr-lf",
                                         "u-2028", "u-0085", "form-feed", "edge", NULL};

static bool strike_body(struct mutation *m, const struct mutation_site *site)
{
    return payload_body_variant(m, site, "newline", body_kinds, variants);
}

static const char *const name_kinds[] = {"name-lf", "name-crlf", NULL};

static bool strike_name(struct mutation *m, const struct mutation_site *site)
{
    const char *kind = mutation_kind(m, name_kinds);
    struct bytes from = mutation_path(site->value);
    if (!kind)
        return false;
    struct bytes to = payload_decorated(m, from, bytes_of_string(strcmp(kind, "name-lf") == 0 ? "-x\ny" : "-x\r\ny"));
    struct arena *a = &m->task->arena;
    return payload_rename(m, site, "newline", to, true,
                          arena_printf(a, "%s: %s is now %s", kind, task_show(a, from, 60), task_show(a, to, 80)));
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    return site->place == PLACE_BODY ? strike_body(m, site) : strike_name(m, site);
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_NAME | PLACE_BODY, strike);
}

const struct mutator mutator_newline = {
    .name = "newline",
    .group = "payload",
    .summary = "line ends of all kinds in contents, and in names",
    .details = "Of a body: crlf and cr, all lines; mixed, one line of a text with LF ends with CRLF; last, the last line "
               "gets an end or loses it; lone-cr, cr-cr-lf, u-2028, u-0085 and form-feed, put in somewhere; edge, a new "
               "text with a CRLF that byte 1024 to 1 MiB cuts in two, or just not. Of a name: name-lf and name-crlf; the "
               "file is renamed in the whole task where it can be followed.",
    .places = "name body",
    .kinds = "crlf cr mixed last lone-cr cr-cr-lf u-2028 u-0085 form-feed edge name-lf name-crlf",
    .apply = apply,
};
