/* Numbers that come back with other digits, and are the same as a double: something held them as one on the way. In stored bytes,
 * in replies that are held against them, and in what tools of the target's own give back of what they were given. There only whole numbers of 64
 * bits count, which no store has to round, and only when no task's text holds the other digits too. */
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "number-precision";

enum { DIGITS_LEAST = 16, NUMBERS_MOST = 256 };

static bool mine(const struct mismatch *m)
{
    return mismatch_damaged(m, DAMAGE_DIGITS);
}

/* A whole number of more digits than a double is sure of, and of no more than 64 bits. */
static bool long_integer(struct bytes number)
{
    struct bytes digits = bytes_slice(number, number.len && number.data[0] == '-', number.len);
    struct bytes most = BYTES_LITERAL("9223372036854775807");
    for (size_t i = 0; i < digits.len; i++)
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return false;
    return digits.len >= DIGITS_LEAST && digits.data[0] != '0' &&
           (digits.len < most.len || (digits.len == most.len && memcmp(digits.data, most.data, most.len) <= 0));
}

/* Calls `use` with each text among the arguments of the calls until `until`, until it says true. */
static bool any_text(const struct execution *e, size_t until, bool (*use)(struct bytes text, void *context), void *context)
{
    for (size_t i = 0; i <= until && i < e->count; i++) {
        const struct json *root = json_get(e->observations[i].args, "arguments"), *node = root;
        while (node && observation_is(&e->observations[i], "call")) {
            bool text = json_is(node, JSON_STRING) || json_is(node, JSON_NUMBER) || json_is(node, JSON_RAW);
            if (text && use(node->text, context))
                return true;
            node = json_next(root, node, true);
        }
    }
    return false;
}

struct search {
    struct bytes reply, number; /* the number that a reply shows */
    struct bytes sent;          /* one that was sent and is the same as a double */
};

static bool holds_number(struct bytes text, void *context)
{
    struct bytes one, number = *(struct bytes *)context;
    for (size_t at = 0; damage_next_number(text, &at, &one);)
        if (bytes_equal(one, number))
            return true;
    return false;
}

static bool sent_as_other(struct bytes text, void *context)
{
    struct search *s = context;
    struct bytes one;
    for (size_t at = 0; damage_next_number(text, &at, &one);) {
        if (!long_integer(one) || !damage_rounded(one, s->number) || holds_number(s->reply, &one))
            continue;
        s->sent = one;
        return true;
    }
    return false;
}

static void judge_call(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    struct search s = {.reply = o->outcome.raw};
    size_t at = 0;
    for (size_t seen = 0; seen < NUMBERS_MOST && damage_next_number(s.reply, &at, &s.number); seen++) {
        if (any_text(e, i, holds_number, &s.number) || !any_text(e, i, sent_as_other, &s))
            continue;
        judge_say(out, e, slug, i, EFFECT_NONE, "reply different in the digits of a number",
                  "a number that was given to a tool comes back with other digits",
                  arena_printf(out->arena, "step %s call: %.*s was sent, the reply has %.*s, which is the same only as a double -> interface",
                               o->step->id, BYTES_ARG(s.sent), BYTES_ARG(s.number)));
        return;
    }
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, slug, mine);
    for (size_t i = 0; i < e->count; i++)
        if (observation_is(&e->observations[i], "call") && observation_claims(&e->observations[i]))
            judge_call(e, out, i);
}

const struct check check_number_precision = {slug, "C13", "encoding", "digits of a number stay", judge};
