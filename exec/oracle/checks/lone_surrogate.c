/* Half of a surrogate pair. A reply must not make one of a whole pair; one that was sent is refused or comes back as it went,
 * and is not replaced without a word. */
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "lone-surrogate";

static bool mine(const struct mismatch *m)
{
    return mismatch_damaged(m, DAMAGE_HALF_PAIR);
}

/* Is there half a pair in a JSON text that was sent as it stands? Only escapes can hold it. */
static bool raw_has_half(struct bytes text)
{
    for (ptrdiff_t at = 0; (at = bytes_find(text, BYTES_LITERAL("\\u"), (size_t)at)) >= 0; at += 2) {
        struct bytes hex = bytes_slice(text, (size_t)at + 2, text.len);
        bool half = hex.len >= 4 && (hex.data[0] | 0x20) == 'd' && strchr("89abcdefABCDEF", hex.data[1]);
        bool high = half && strchr("89abAB", hex.data[1]);
        if (half && !(high && bytes_starts(bytes_slice(hex, 4, hex.len), BYTES_LITERAL("\\u"))))
            return true;
        if (high)
            at += 6; /* its other half */
    }
    return false;
}

static bool any_half(const struct json *root)
{
    const struct json *node = root;
    while (node) {
        if (node->lone_surrogate || (json_is(node, JSON_STRING) && damage_has_half_pair(node->text)) ||
            (json_is(node, JSON_RAW) && raw_has_half(node->text)))
            return true;
        node = json_next(root, node, true);
    }
    return false;
}

static bool sent_half(const struct execution *e, size_t until)
{
    for (size_t i = 0; i <= until && i < e->count; i++)
        if (any_half(e->observations[i].args))
            return true;
    return false;
}

/* A reply of a tool of the target's own, when nobody has sent any. */
static void judge_call(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    if (!observation_is(o, "call") || !observation_claims(o) || sent_half(e, i) ||
        !(damage_has_half_pair(o->outcome.raw) || any_half(o->outcome.result)))
        return;
    judge_say(out, e, slug, i, EFFECT_NONE, "reply with half of a surrogate pair", "a reply holds half of a surrogate pair",
              arena_printf(out->arena, "step %s call: no step until then has sent half of a surrogate pair; the reply holds one -> interface",
                           o->step->id));
}

/* What was sent as an escape, and stands there as U+FFFD. */
static void judge_stored(const struct execution *e, struct verdicts *out, size_t i)
{
    static const char *const writes[] = {"write", "append", "edit", NULL};
    const struct observation *o = &e->observations[i];
    struct bytes mark = BYTES_LITERAL("\xEF\xBF\xBD"), path = observation_argument(o, "path");
    const struct json *content = json_get(o->args, observation_is(o, "edit") ? "new" : "content");
    if (!observation_is_any(o, writes) || !observation_claims(o) || o->outcome.lowered || !json_is(content, JSON_RAW) ||
        !raw_has_half(content->text) || !o->after.have_data || group_touches(e, i, path) || background_touches(e, i, path))
        return;
    bool replaced = bytes_find(o->after.data, mark, 0) >= 0 && bytes_find(o->before.data, mark, 0) < 0;
    if (!replaced || bytes_find(content->text, BYTES_LITERAL("\\ufffd"), 0) >= 0 || bytes_find(content->text, mark, 0) >= 0)
        return;
    judge_say(out, e, slug, i, EFFECT_WRONG, "half of a surrogate pair is replaced without a word",
              arena_printf(out->arena, "%s replaces half of a surrogate pair and claims success", o->step->op->name),
              arena_printf(out->arena,
                           "step %s %s: half of a surrogate pair was sent; the reply claims success, and the file, seen from %s the "
                           "sandbox, holds U+FFFD -> sandbox",
                           o->step->id, o->step->op->name, witness_name(o->after.by)));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, slug, mine);
    for (size_t i = 0; i < e->count; i++) {
        judge_call(e, out, i);
        judge_stored(e, out, i);
    }
}

const struct check check_lone_surrogate = {slug, "C05", "encoding", "half of a surrogate pair is refused or kept, and never made", judge};
