/* Deaths and silences; see fatal.h. */
#include "exec/oracle/fatal.h"

#include <string.h>

bool control_failed(const struct execution *e)
{
    return e->target_died || (e->control.made && !e->control.answered);
}

/* A script that signals more than its own children may well end the target it runs under: that is its right.
 */
static bool kills_others(const struct observation *o)
{
    static const char *const words[] = {"PPID",  "kill -9 -1", "kill -KILL -1", "kill -1",
                                        "pkill", "killall",    "os.getppid",    "kill 1"};
    struct bytes script = observation_script(o);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(script, bytes_of_string(words[i]), 0) >= 0)
            return true;
    return false;
}

/* The step that the target died in, or the last one before it was found dead. */
static size_t died_at(const struct execution *e)
{
    size_t last = e->count;
    for (size_t i = 0; i < e->count; i++) {
        if (e->observations[i].outcome.class == OUTCOME_TARGET_DIED && !e->observations[i].outcome.by_us)
            return i;
        if (e->observations[i].outcome.class != OUTCOME_SKIPPED)
            last = i;
    }
    return last;
}

/* ", tool NAME" for a call and ", method NAME" for a request, so that two tools' deaths are two findings; "" for any other op. */
static const char *tool_of(const struct observation *o, struct arena *a)
{
    enum { NAME_MAX_SHOWN = 64 };
    bool call = o && observation_is(o, "call"), other = o && (observation_is(o, "request") || observation_is(o, "notify"));
    const struct json *name = call || other ? json_get(o->step->args, call ? "name" : "method") : NULL;
    if (!json_is(name, JSON_STRING))
        return "";
    char *shown = arena_string(a, bytes_slice(name->text, 0, NAME_MAX_SHOWN));
    for (char *at = shown; *at; at++)
        *at = *at < ' ' || *at == 0x7f ? '?' : *at;
    return arena_printf(a, ", %s %s", call ? "tool" : "method", shown);
}

/* A cause of its own, which a fallback is not: what stands out about the step. Then it does not matter which op brought it about. */
static bool is_own_cause(const char *cause, const char *fallback)
{
    return strcmp(cause, fallback) != 0;
}

/* Nothing came back for it: neither an answer nor a refusal. */
static bool unanswered(const struct observation *o)
{
    enum outcome_class c = o->outcome.class;
    return !o->outcome.by_us && (c == OUTCOME_TIMEOUT || c == OUTCOME_TRANSPORT_ERROR);
}

static bool is_frame(const struct observation *o)
{
    return observation_is(o, "send") || observation_reframed(o);
}

/* It may be what a silence began with: it was refused or not answered, or nobody can tell. A NUL in a path has to be refused, so what
 * says that it went well with one did not. */
static bool may_begin(const struct observation *o)
{
    const struct outcome_fault *f = o->outcome.fault;
    if (observation_reframed(o))
        return !(f->lawful && o->outcome.class == OUTCOME_OK && f->replies >= f->owed);
    return observation_is(o, "send") || unanswered(o) || observation_refused(o) || path_has_nul(observation_argument(o, "path"));
}

/* The control call got no answer at all, not even a refusal. */
static bool fell_silent(const struct control *c)
{
    return c->what && (strstr(c->what, outcome_class_name(OUTCOME_TIMEOUT)) || strstr(c->what, outcome_class_name(OUTCOME_TRANSPORT_ERROR)));
}

/* The client whose plain call failed while that of the first one went well; NULL: the first one's. */
static const char *failed_beside(const struct control *c)
{
    const char *at = c->what ? strstr(c->what, CONTROL_BESIDE) : NULL;
    return at ? at + strlen(CONTROL_BESIDE) : NULL;
}

/* The op that is not answered now was answered then, so that the silence did not begin earlier. */
static bool still_answers(const struct control *c, const struct observation *o)
{
    bool refused = fell_silent(c) && observation_refused(o);
    return !is_frame(o) && (observation_claims(o) || refused) && c->op && observation_is(o, c->op);
}

/* The step that a silence began with: of those since a plain call was last seen to go well, by a control call or by an answer to the
 * very op that failed now, the first that went wrong and has a cause of its own, of the client that it failed for if that one has any,
 * else of any client; else the last one. */
static size_t silence_began(const struct execution *e, const char *fallback)
{
    const struct control *c = &e->control;
    const char *beside = failed_beside(c), *of = beside ? beside : c->after_step < e->count ? e->observations[c->after_step].step->session : "";
    size_t found = c->after_step;
    bool certain = false;
    for (size_t i = c->after_step < e->count ? c->after_step + 1 : 0; i-- > c->fine;) {
        const struct observation *o = &e->observations[i];
        bool same = strcmp(o->step->session, of) == 0, began = may_begin(o) && is_own_cause(cause_of(e, i, fallback), fallback);
        if (o->outcome.class == OUTCOME_SKIPPED)
            continue;
        if (began && (!certain || same)) {
            found = i;
            certain = beside && same;
        }
        if (same && still_answers(c, o) && (!began || observation_refused(o)))
            break;
    }
    return found;
}

static bool same_group(const struct observation *a, const struct observation *b)
{
    return a->in_group && b->in_group && a->step->group && b->step->group && strcmp(a->step->group, b->step->group) == 0;
}

/* The step that the death is put down to: where it showed, if that has a cause of its own; else one that has, sent at the same time, or
 * before it without an answer in between. */
static size_t death_began(const struct execution *e, const char *fallback)
{
    size_t at = died_at(e), last = at;
    if (at >= e->count || is_own_cause(cause_of(e, at, fallback), fallback))
        return at;
    while (last + 1 < e->count && same_group(&e->observations[last + 1], &e->observations[at]))
        last++;
    for (size_t i = last + 1; i-- > 0;) {
        const struct observation *o = &e->observations[i];
        if (o->outcome.class == OUTCOME_SKIPPED)
            continue;
        if (may_begin(o) && is_own_cause(cause_of(e, i, fallback), fallback))
            return i;
        if (observation_claims(o) && !same_group(o, &e->observations[at]))
            break;
    }
    return at;
}

/* Is there a line in what a step sent that is no JSON object? */
static bool sends_no_message(const struct observation *o)
{
    struct bytes text = observation_argument(o, "content");
    struct arena a;
    bool none = false;
    arena_init(&a);
    for (size_t at = 0; at < text.len && !none;) {
        ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
        size_t end = newline < 0 ? text.len : (size_t)newline;
        struct json *message = NULL;
        none = end > at && (json_read(&a, bytes_slice(text, at, end), NULL, "line", &message, NULL, NULL) < 0 || !json_is(message, JSON_OBJECT));
        at = end + 1;
    }
    arena_release(&a);
    return none;
}

const char *frame_kind(const struct observation *o)
{
    const struct outcome_fault *f = observation_reframed(o) ? o->outcome.fault : NULL;
    if (f && f->lawful)
        return "a request in a lawful form";
    bool request = f ? f->owed > 0 : !sends_no_message(o);
    return request ? "a request of another form" : "a line that is no message";
}

/* What a death or a silence is put down to, for the signature: the kind of a frame, the tool of a call. */
struct blame {
    const char *op, *suffix, *words; /* words: for the title */
};

static struct blame blame_of(const struct execution *e, size_t at, const char *slug, const char *fallback, struct arena *a)
{
    if (at >= e->count)
        return (struct blame){"session", "", "the start"};
    const struct observation *o = &e->observations[at];
    const struct outcome_fault *f = o->outcome.fault;
    const char *tool = tool_of(o, a), *words = arena_printf(a, "%s%s", o->step->op->name, tool);
    if (observation_reframed(o))
        words = arena_printf(a, "a frame with %s (%s)", f->mutator, f->kind);
    if (strcmp(slug, "bad-frame-fatal") == 0)
        return (struct blame){"send", arena_printf(a, " after %s", frame_kind(o)), words};
    bool own = is_own_cause(slug, fallback), well = !e->target_died && observation_claims(o) && !is_frame(o);
    return own || well ? (struct blame){"session", "", words} : (struct blame){o->step->op->name, tool, words};
}

bool fatal_asked_for(const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->observations[i].outcome.class != OUTCOME_SKIPPED && kills_others(&e->observations[i]))
            return true;
    return false;
}

size_t fatal_step(const struct execution *e)
{
    size_t at = e->target_died ? death_began(e, "target-died") : silence_began(e, "one-call-breaks-rest");
    return at < e->count ? at : e->count;
}

static void report_death(const struct execution *e, struct verdicts *out, const char *slug)
{
    size_t at = death_began(e, "target-died");
    if (strcmp(cause_of(e, at, "target-died"), slug) != 0)
        return;
    if (fatal_asked_for(e))
        return;
    const char *outcome = at < e->count ? outcome_class_name(e->observations[at].outcome.class) : "none";
    struct buf evidence;
    buf_init(&evidence, 8192);
    buf_addf(&evidence,
             "the target's process ended without being asked to; last step %s, outcome %s, %llu bytes sent",
             at < e->count ? e->observations[at].step->id : "none", outcome,
             at < e->count ? (unsigned long long)observation_size(&e->observations[at]) : 0);
    if (e->stderr_tail.len) {
        buf_add_string(&evidence, "; its standard error ends with ");
        judge_quote(&evidence,
                    bytes_slice(e->stderr_tail, e->stderr_tail.len > 400 ? e->stderr_tail.len - 400 : 0,
                                e->stderr_tail.len),
                    400);
    }
    struct blame b = blame_of(e, at, slug, "target-died", out->arena);
    judge_say_op(out, e, slug, at, b.op, EFFECT_NONE, arena_printf(out->arena, "the target ends%s", b.suffix),
                 arena_printf(out->arena, "the target dies of %s", b.words), buf_string(&evidence));
    buf_release(&evidence);
}

static void report_silence(const struct execution *e, struct verdicts *out, const char *slug)
{
    static const char fallback[] = "one-call-breaks-rest";
    const struct control *c = &e->control;
    if (!c->made || c->answered)
        return;
    size_t at = silence_began(e, fallback);
    if (strcmp(cause_of(e, at, fallback), slug) != 0)
        return;
    bool known = at < e->count;
    const struct observation *o = known ? &e->observations[at] : NULL;
    struct blame b = blame_of(e, at, slug, fallback, out->arena);
    const char *evidence = arena_printf(
        out->arena, "after step %s %s (%s), %llu bytes sent, a plain %s on an object of our own: %s",
        known ? o->step->id : "none", b.words, known ? outcome_class_name(o->outcome.class) : "none",
        known ? (unsigned long long)observation_size(o) : 0, c->op ? c->op : "call", c->what ? c->what : "no answer");
    const char *after = !known                        ? " after the start"
                        : is_own_cause(slug, fallback) ? ""
                                                       : arena_printf(out->arena, " after %s", outcome_class_name(o->outcome.class));
    judge_say_op(out, e, slug, at, b.op, EFFECT_NONE, arena_printf(out->arena, "plain calls fail%s%s", after, b.suffix),
                 arena_printf(out->arena, "after %s the target no longer answers a plain call", b.words), evidence);
}

void fatal_report(const struct execution *e, struct verdicts *out, const char *slug)
{
    if (e->target_died)
        report_death(e, out, slug);
    else
        report_silence(e, out, slug);
}
