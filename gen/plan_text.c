/* Texts: literal parts, expressions and what rules derive, put together and encoded. */
#include "gen/plan_internal.h"

enum {
    MAX_RULE_ARGS = 16,
    SHARE = 24, /* a rule gets this part of the space left: a byte may take six in JSON, and more comes */
    LEAST_SHARE = 1024
};

static int derive(struct plan_run *run, const struct rule_call *call, const struct bytes *args, size_t count,
                  size_t max_bytes, struct buf *out)
{
    struct grammar_limits limits = {
        .max_bytes = max_bytes, .max_depth = run->depth_max, .shortest = run->sparing == PLAN_SPARING_MOST};
    return grammar_derive(run->domain->grammar, call->rule, args, count, &run->chooser, &limits, out,
                          run->err);
}

/* A first try with a share of the space left; when not even the cheapest derivation fits, a second with all
 * of it. */
int plan_derive(struct plan_run *run, struct frame *frame, const struct rule_call *call, struct buf *out)
{
    struct bytes args[MAX_RULE_ARGS];
    size_t count = grammar_rule_arity(run->domain->grammar, call->rule);
    if (count > MAX_RULE_ARGS)
        return plan_fail(run->err, call->place, "rule \"%s\" has more than %d parameters", call->name,
                         MAX_RULE_ARGS);
    for (size_t i = 0; i < count; i++)
        TRY(plan_text_bytes(run, frame, &call->order[i]->value, &args[i]));
    uint64_t left = run->bytes < run->bytes_max ? run->bytes_max - run->bytes : 0;
    uint64_t part = left / SHARE > LEAST_SHARE ? left / SHARE : LEAST_SHARE;
    size_t share = (size_t)(part >> 2 * run->sparing), start = out->len;
    struct chooser chooser = run->chooser;
    struct rng rng = run->rng;
    size_t logged = run->log.count;
    int status = derive(run, call, args, count, share, out);
    if (status == ERR_LIMIT && left > share) {
        if (run->err) {
            error_free(*run->err);
            *run->err = NULL;
        }
        run->chooser = chooser;
        run->rng = rng;
        run->log.count = logged;
        buf_cut(out, start);
        status = derive(run, call, args, count, (size_t)left, out);
    }
    run->too_long |= status == ERR_LIMIT;
    if (status < 0)
        error_wrap(run->err, "%s:%u: rule \"%s\"", call->place.file, call->place.line, call->name);
    return status;
}

static void encode(const struct text_part *part, struct buf *text)
{
    for (size_t i = 0; i < part->encoder_count; i++) {
        struct buf encoded;
        buf_init(&encoded, text->max);
        part->encoders[i]->apply(buf_bytes(text), &encoded);
        encoded.overflow |= text->overflow;
        buf_release(text);
        *text = encoded;
    }
}

static int add_part(struct plan_run *run, struct frame *frame, const struct text *text,
                    const struct text_part *part, struct buf *out)
{
    struct buf made;
    int status = 0;
    if (part->kind == TEXT_LITERAL) {
        buf_add(out, part->literal);
        return 0;
    }
    buf_init(&made, run->bytes_max);
    if (part->kind == TEXT_RULE) {
        status = plan_derive(run, frame, part->call, &made);
    } else {
        struct value value;
        struct bytes bytes = BYTES_NONE;
        status = plan_evaluate(run, frame, text->place, part->expr, &value);
        if (status == 0)
            status = plan_value_bytes(run, text->place, &value, &bytes);
        buf_add(&made, bytes);
    }
    if (status == 0) {
        encode(part, &made);
        out->overflow |= made.overflow;
        buf_add(out, buf_bytes(&made));
    }
    buf_release(&made);
    return status;
}

int plan_text_bytes(struct plan_run *run, struct frame *frame, const struct text *text, struct bytes *out)
{
    if (text->count == 1 && text->parts[0].kind == TEXT_LITERAL) {
        *out = text->parts[0].literal;
        return 0;
    }
    struct buf made;
    buf_init(&made, run->bytes_max);
    int status = 0;
    for (size_t i = 0; i < text->count && status == 0; i++)
        status = add_part(run, frame, text, &text->parts[i], &made);
    run->too_long |= made.overflow;
    if (status == 0 && made.overflow)
        status = error_set(run->err, ERR_LIMIT, "%s:%u: a text is longer than a task may be (%llu bytes)",
                           text->place.file, text->place.line, (unsigned long long)run->bytes_max);
    if (status < 0) {
        buf_release(&made);
        return status;
    }
    *out = plan_text_once(run, &made);
    return 0;
}

int plan_text(struct plan_run *run, struct frame *frame, const struct text *text, struct value *out)
{
    if (text_is_whole(text))
        return plan_evaluate(run, frame, text->place, text->parts[0].expr, out);
    struct bytes made; /* out may be the very slot that the text reads: <set name="a" value="{a}b"/> */
    TRY(plan_text_bytes(run, frame, text, &made));
    *out = plan_value_of_text(made);
    return 0;
}

int plan_text_integer(struct plan_run *run, struct frame *frame, const struct text *text, const char *what,
                      int64_t *out)
{
    struct value value;
    TRY(plan_text(run, frame, text, &value));
    if (plan_value_integer(&value, out))
        return 0;
    struct bytes bytes;
    TRY(plan_value_bytes(run, text->place, &value, &bytes));
    return plan_fail(run->err, text->place, "%s is \"%.*s\", expected a whole number", what,
                     BYTES_ARG(bytes_slice(bytes, 0, 40)));
}
