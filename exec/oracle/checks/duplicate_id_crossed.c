/* Requests in flight with one id: each gets its own answer, or is refused. Over pipes, where the answers cannot be told apart, one
 * answer for two leaves somebody waiting for ever. Over HTTP each has an answer of its own, and its payload is known by a text in
 * the arguments that no other request of the group has. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"
#include "exec/oracle/http_send.h"
#include "exec/oracle/script.h"

#include <string.h>

enum { WORD_LEAST = 8 };

struct group {
    const struct execution *e;
    size_t from, end; /* observations */
};

static struct bytes content_of(const struct observation *o)
{
    return observation_argument(o, "content");
}

/* A text in the arguments that stands in the content of no other member. */
static struct bytes own_word(const struct group *g, size_t index, struct arena *a)
{
    const struct json *arguments = json_pointer(http_message(&g->e->observations[index], a), BYTES_LITERAL("/params/arguments"));
    for (const struct json *one = arguments ? arguments->first : NULL; one; one = one->next) {
        bool own = json_is(one, JSON_STRING) && one->text.len >= WORD_LEAST;
        for (size_t i = g->from; i < g->end && own; i++)
            own = i == index || bytes_find(content_of(&g->e->observations[i]), one->text, 0) < 0;
        if (own)
            return one->text;
    }
    return BYTES_NONE;
}

static bool answered(const struct observation *o)
{
    return http_status(o) == 200 && bytes_find(o->outcome.raw, BYTES_LITERAL("\"result\""), 0) >= 0;
}

static bool refused(const struct observation *o)
{
    return http_status(o) >= 400 || bytes_find(o->outcome.raw, BYTES_LITERAL("\"error\""), 0) >= 0;
}

/* Whose word is in the answer, other than its own: an index, or the end. */
static size_t other_payload(const struct group *g, size_t index, struct arena *a)
{
    struct bytes raw = g->e->observations[index].outcome.raw, own = own_word(g, index, a);
    if (!own.len || bytes_find(raw, own, 0) >= 0)
        return g->end;
    for (size_t i = g->from; i < g->end; i++) {
        struct bytes word = i == index ? BYTES_NONE : own_word(g, i, a);
        if (word.len && bytes_find(raw, word, 0) >= 0)
            return i;
    }
    return g->end;
}

static void judge_member(const struct group *g, size_t index, bool any_answer, struct verdicts *out, struct arena *a)
{
    const struct observation *o = &g->e->observations[index];
    size_t other = other_payload(g, index, a);
    if (other != g->end)
        judge_say(out, g->e, "duplicate-id-crossed", index, EFFECT_NONE, "another request's answer",
                  "the target answers one request with what another one asked for",
                  arena_printf(out->arena, "of %zu requests at once with one id, that of step %s got the answer to that of step %s -> interface",
                               g->end - g->from, o->step->id, g->e->observations[other].step->id));
    else if (any_answer && !answered(o) && !refused(o))
        judge_say(out, g->e, "duplicate-id-crossed", index, EFFECT_NONE, "no answer",
                  "the target answers only some of the requests with one id, and refuses none",
                  arena_printf(out->arena, "of %zu requests at once with one id, that of step %s got %s (HTTP %d, %zu bytes), while others were answered -> interface",
                               g->end - g->from, o->step->id, outcome_class_name(o->outcome.class), http_status(o), o->outcome.raw.len));
}

static bool same_call(const struct observation *x, const struct observation *y, struct arena *a)
{
    const struct json *one = http_id(x, a), *other = http_id(y, a);
    return one && other && one->kind == other->kind && bytes_equal(one->text, other->text) && x->step->group && y->step->group &&
           strcmp(x->step->group, y->step->group) == 0 && strcmp(x->step->session, y->step->session) == 0 &&
           json_get(y->args, "verb");
}

static void judge_groups(const struct execution *e, struct verdicts *out)
{
    struct arena a;
    arena_init(&a);
    for (size_t from = 0; from < e->count;) {
        struct group g = {.e = e, .from = from, .end = from + 1};
        bool any = answered(&e->observations[from]);
        while (g.end < e->count && same_call(&e->observations[from], &e->observations[g.end], &a))
            any |= answered(&e->observations[g.end++]);
        for (size_t i = from; i < g.end && g.end - from > 1; i++)
            if (e->observations[i].outcome.class != OUTCOME_SKIPPED && e->observations[i].step->cancel_after_ms < 0)
                judge_member(&g, i, any, out, &a);
        from = g.end;
    }
    arena_release(&a);
}

/* Its answer takes no time: a call on files, or a script in which nothing does. The driver waits seconds for the second one. */
static bool quick(const struct observation *o)
{
    struct script_traits t;
    bool script = observation_is(o, "run") && script_traits_of(o, &t) && !t.foreground_slow && !t.reads_input && !t.background;
    return script || (strcmp(o->step->op->group, "files") == 0 && !observation_is(o, "search"));
}

/* A frame of ours that a mutator sent twice. */
static void judge_frames(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count && !control_failed(e); i++) {
        const struct observation *o = &e->observations[i];
        const struct outcome_fault *f = o->outcome.fault;
        if (!observation_reframed(o) || !f->duplicate || !quick(o) || f->replies != 1 || f->nulls)
            continue;
        judge_say_op(out, e, "duplicate-id-crossed", i, "send", EFFECT_NONE, "one answer to two requests",
                     "of two requests in flight with one id only one is answered",
                     arena_printf(out->arena, "step %s %s, sent twice with one id: one answer; a plain call is answered -> interface",
                                  o->step->id, o->step->op->name));
    }
}

static void judge(const struct execution *e, struct verdicts *out)
{
    judge_frames(e, out);
    judge_groups(e, out);
}

const struct check check_duplicate_id_crossed = {"duplicate-id-crossed", "C22", "concurrency",
                                                 "requests in flight with one id get each its own answer or a refusal", judge};
