/* Outlines of executions; see compare.h. Two of the same task have the same steps in the same order. */
#include "exec/compare.h"

#include <string.h>

#include "exec/oracle/judge.h"

enum { TEXT_KEPT = 160, MESSAGE_KEPT = 200, QUOTED = 60, WORDS_MAX = 4096 };

struct json *outline_row(const struct observation *o, struct arena *a)
{
    struct json *row = json_new(a, JSON_OBJECT);
    json_set(a, row, "id", json_text(a, o->step->id));
    json_set(a, row, "op", json_text(a, o->step->op->name));
    json_set(a, row, "outcome", json_text(a, outcome_class_name(o->outcome.class)));
    if (o->outcome.has_exit)
        json_set(a, row, "exit", json_integer(a, o->outcome.exit));
    if (o->outcome.code)
        json_set(a, row, "code", json_integer(a, o->outcome.code));
    if (o->outcome.message.len)
        json_set(a, row, "message", json_string(a, bytes_slice(o->outcome.message, 0, MESSAGE_KEPT)));
    return row;
}

struct json *outline_of(const struct execution *e, struct arena *a)
{
    struct json *list = json_new(a, JSON_ARRAY);
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct json *row = json_add(list, outline_row(o, a));
        if (o->outcome.raw.len) {
            json_set(a, row, "text", json_string(a, bytes_slice(o->outcome.raw, 0, TEXT_KEPT)));
            json_set(a, row, "size", json_integer(a, (int64_t)o->outcome.raw.len));
        }
    }
    return list;
}

struct comparison {
    const struct json *then, *now; /* the rows of one step */
    const struct normaliser *rules;
    struct arena *a;
    struct buf *words;
};

static struct bytes plain(const struct comparison *c, enum normalise_list list, struct bytes text)
{
    struct buf out;
    buf_init(&out, WORDS_MAX);
    normalise(c->rules, list, text, &out);
    struct bytes copy = arena_copy(c->a, buf_bytes(&out));
    buf_release(&out);
    return copy;
}

static void quote(struct comparison *c, struct bytes text, size_t from)
{
    judge_quote(c->words, bytes_slice(text, from, text.len), QUOTED);
}

static size_t marks(struct bytes text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.data[i] == '<';
    return count;
}

/* The rules make one blank of white space, which may be just what differs: where they replace nothing else, the text stays as it is. */
static void pair(const struct comparison *c, const char *member, enum normalise_list list, struct bytes *was, struct bytes *is)
{
    struct bytes then = json_as_text(json_get(c->then, member)), now = json_as_text(json_get(c->now, member));
    *was = plain(c, list, then);
    *is = plain(c, list, now);
    if (list == NORMALISE_DETAIL && marks(*was) == marks(then) && marks(*is) == marks(now)) {
        *was = then;
        *is = now;
    }
}

/* From shortly before the first byte that differs. */
static bool texts_differ(struct comparison *c, const char *member, const char *called, enum normalise_list list)
{
    struct bytes was, is;
    size_t at = 0;
    pair(c, member, list, &was, &is);
    if (bytes_equal(was, is))
        return false;
    while (at < was.len && at < is.len && was.data[at] == is.data[at])
        at++;
    size_t from = at > QUOTED / 3 ? at - QUOTED / 3 : 0;
    buf_addf(c->words, "its %s was %s", called, from ? "… " : "");
    quote(c, was, from);
    buf_addf(c->words, ", is %s", from ? "… " : "");
    quote(c, is, from);
    return true;
}

static void add_number(struct buf *out, bool there, int64_t number)
{
    if (there)
        buf_addf(out, "%lld", (long long)number);
    else
        buf_add_string(out, "not there");
}

static bool numbers_differ(struct comparison *c, const char *member, const char *called)
{
    int64_t was = 0, is = 0;
    bool had = json_as_integer(json_get(c->then, member), &was), has = json_as_integer(json_get(c->now, member), &is);
    if (had == has && was == is)
        return false;
    buf_addf(c->words, "its %s was ", called);
    add_number(c->words, had, was);
    buf_add_string(c->words, ", is ");
    add_number(c->words, has, is);
    return true;
}

static bool step_differs(struct comparison *c)
{
    struct bytes was = json_as_text(json_get(c->then, "outcome")), is = json_as_text(json_get(c->now, "outcome"));
    if (!bytes_equal(was, is)) {
        buf_addf(c->words, "it was %.*s, is %.*s", BYTES_ARG(was), BYTES_ARG(is));
        return true;
    }
    if (numbers_differ(c, "exit", "exit status") || numbers_differ(c, "code", "code") ||
        texts_differ(c, "message", "message", NORMALISE_MESSAGE) || texts_differ(c, "text", "reply", NORMALISE_DETAIL))
        return true;
    /* Of paths and the like in it the length differs from run to run. */
    struct bytes text = json_as_text(json_get(c->now, "text"));
    return bytes_equal(text, json_as_text(json_get(c->then, "text"))) && numbers_differ(c, "size", "reply's size in bytes");
}

const char *outline_difference(const struct json *then, const struct execution *e, struct arena *a)
{
    const struct json *was = then ? then->first : NULL, *is = outline_of(e, a)->first;
    const char *found = NULL;
    struct buf words;
    if (!json_is(then, JSON_ARRAY))
        return "not known: an older version kept no steps of then";
    buf_init(&words, WORDS_MAX);
    for (; was && is && !found; was = was->next, is = is->next) {
        struct comparison c = {.then = was, .now = is, .rules = e->rules, .a = a, .words = &words};
        buf_clear(&words);
        buf_addf(&words, "step %.*s %.*s: ", BYTES_ARG(json_as_text(json_get(is, "id"))), BYTES_ARG(json_as_text(json_get(is, "op"))));
        if (step_differs(&c))
            found = arena_string(a, buf_bytes(&words));
    }
    if (!found && (was || is))
        found = is ? "more steps than then" : "fewer steps than then";
    buf_release(&words);
    return found;
}
