/* A request whose id can be read is refused by an error that does not bear it, or as JSON that cannot be parsed. Big frames are left
 * out: whoever refuses them has not read them. Answers to lawful requests are watched by duty 6, and said here. */
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "wrong-error-id";

enum { PARSE_ERROR = -32700, DUTY_ID = 6 };

static void judge_breaches(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->wire_count; i++) {
        const struct wire_record *r = &e->wire[i];
        if (strcmp(r->kind, "breach") != 0 || r->duty != DUTY_ID)
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "%s: ", r->detail);
        judge_quote(&evidence, r->text, 300);
        buf_add_string(&evidence, " -> interface");
        judge_say(out, e, slug, e->count, EFFECT_NONE, r->detail, "the target answers without an id", buf_string(&evidence));
        buf_release(&evidence);
    }
}

static void judge_frames(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        const struct outcome_fault *f = o->outcome.fault;
        if (!observation_reframed(o) || !f->owed || observation_size(o) >= BIG_FRAME)
            continue;
        bool null = f->nulls && f->replies < f->owed;
        bool unparsed = o->outcome.class == OUTCOME_PROTOCOL_ERROR && o->outcome.code == PARSE_ERROR;
        if (!null && !unparsed)
            continue;
        judge_say_op(out, e, slug, i, "session", EFFECT_NONE, null ? "an error without an id" : "a parse error for what can be parsed",
                     arena_printf(out->arena, "a request with %s is refused by %s, though its id can be read", f->mutator,
                                  null ? "an error with the id null" : "a parse error"),
                     arena_printf(out->arena, "step %s %s, sent with %s (%s): error %lld, %u answers with its id, %u with null "
                                              "-> interface",
                                  o->step->id, o->step->op->name, f->mutator, f->kind, (long long)o->outcome.code, f->replies,
                                  f->nulls));
    }
}

static void judge(const struct execution *e, struct verdicts *out)
{
    judge_breaches(e, out);
    judge_frames(e, out);
}

const struct check check_wrong_error_id = {slug, "C21", "protocol", "an error bears the id of its request and the code of its kind",
                                           judge};
