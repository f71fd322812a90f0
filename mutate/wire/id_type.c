/* id-type: an id of another kind. Strings and whole numbers are ids, however odd, and are owed an answer that
 * bears them; null, an object or a truth value cannot be answered to but by an error with the id null. */
#include <string.h>

#include "mutate/wire/wire_internal.h"

enum { LONG_ID = 8192 };

static const double TWIN_SHARE = 0.4;

static const struct wire_variant variants[] = {
    {"null", "the id null", 0, false},
    {"float", "the id is a fraction", 0, false},
    {"2-to-53-plus-1", "the id 9007199254740993, which a double cannot hold", 0, true},
    {"huge", "an id of 400 digits", 512, false},
    {"negative", "a negative id", 0, true},
    {"string", "an id that is a string", 0, true},
    {"empty-string", "the id is the empty string", 0, true},
    {"long-string", "an id of 8 KiB", LONG_ID + 64, true},
    {"object", "the id is an object", 0, false},
    {"array", "the id is an array", 0, false},
    {"bool", "the id true", 0, false},
    {"twin", "the request twice with one id, both in flight", 1 << 20, false},
    {0}};

static const struct {
    const char *kind, *text; /* %s: our id, so that no two of a session are alike */
    bool readable, lawful;
} ids[] = {
    {"null", "null", false, false},
    {"float", "%s.5", true, false},
    {"2-to-53-plus-1", "9007199254740993", true, true},
    {"huge", NULL, false, false},
    {"negative", "-%s", true, true},
    {"string", "\"taskgen-%s\"", true, true},
    {"empty-string", "\"\"", true, true},
    {"long-string", NULL, true, true},
    {"object", "{\"n\":%s}", false, false},
    {"array", "[%s]", false, false},
    {"bool", "true", false, false},
};

static struct bytes long_text(struct arena *a, bool digits)
{
    size_t length = digits ? 400 : LONG_ID;
    uint8_t *data = arena_alloc(a, length);
    memset(data, digits ? '9' : 'i', length);
    if (!digits)
        data[0] = data[length - 1] = '"';
    return bytes_of(data, length);
}

static struct bytes id_text(struct arena *a, const char *text, struct bytes id)
{
    const char *mark = strchr(text, '%');
    if (!mark)
        return bytes_of_string(text);
    return bytes_of_string(arena_printf(a, "%.*s%.*s%s", (int)(mark - text), text, BYTES_ARG(id), mark + 2));
}

/* Two requests in one write: two answers that bear the id, or a refusal of one of them. */
static void twin(const struct wire_request *r, struct wire_plan *p)
{
    for (int i = 0; i < 2; i++) {
        wire_put(p, r->frame);
        wire_put(p, BYTES_LITERAL("\n"));
    }
    p->own_id = p->duplicate = true;
}

static bool plan(const char *kind, const struct wire_request *r, struct arena *a, struct wire_plan *p)
{
    if (strcmp(kind, "twin") == 0) {
        if (r->lines)
            twin(r, p);
        return r->lines;
    }
    size_t i = 0;
    while (strcmp(ids[i].kind, kind) != 0)
        if (++i == sizeof ids / sizeof *ids)
            return false;
    struct wire_token key, value;
    struct bytes text = ids[i].text ? id_text(a, ids[i].text, r->id) : long_text(a, kind[0] == 'h');
    if (!wire_member(r->frame, "id", &key, &value))
        return false;
    wire_put(p, bytes_slice(r->frame, 0, value.from));
    wire_put(p, text);
    wire_put(p, bytes_slice(r->frame, value.to, r->frame.len));
    wire_newline(p, r);
    p->lawful = ids[i].lawful;
    if (ids[i].readable)
        wire_owe(p, text);
    p->nulls = !ids[i].lawful;
    return true;
}

/* Twins say most where the first call is still at work as the second comes: with a program, in a share of the cases. */
static bool twin_of_program(struct mutation *m)
{
    struct mutation own = *m;
    own.kinds = "twin";
    return mutation_words_have(m->kinds, "twin") && rng_chance(m->rng, TWIN_SHARE) &&
           wire_apply_to(&own, &wire_id_type, false, "run");
}

static bool apply(struct mutation *m)
{
    return twin_of_program(m) || wire_apply(m, &wire_id_type, false);
}

const struct mutator mutator_id_type = {
    .name = "id-type",
    .group = "wire",
    .summary = "a request whose id is of another kind",
    .details = "null, a fraction, an object, an array, true, 400 digits, or one id for two requests in "
               "flight, which no lawful "
               "client sends; 2^53 + 1, a negative number and strings, also empty and long ones, which are "
               "ids like any other.",
    .places = "",
    .kinds = "null float 2-to-53-plus-1 huge negative string empty-string long-string object array bool twin",
    .apply = apply,
};

const struct wire_row wire_id_type = {&mutator_id_type, variants, plan};
