/* A text that a call was given, whose characters beyond ASCII did not all arrive: what was stored has question marks or nothing
 * in their place, or the call's own reply shows it so. And a text that was typed into a form, of which the fixture site received another. */
#include "exec/oracle/checks/checks.h"

#include "base/utf8.h"
#include "exec/oracle/form_sent.h"

static const char slug[] = "argument-text-lost";

enum { TEXT_LEAST = 8, TEXT_MOST = 4096, TEXTS_MOST = 32 };

static bool mine(const struct mismatch *m)
{
    return mismatch_damaged(m, DAMAGE_LETTERS);
}

/* The reply shows the argument with question marks for its letters, each letter one or each byte one. */
static bool shows_lost(struct bytes text, struct bytes reply, bool by_bytes)
{
    struct buf shown;
    size_t letters = 0;
    buf_init(&shown, 4 * TEXT_MOST);
    for (size_t i = 0; i < text.len;) {
        size_t from = i;
        int32_t c = utf8_next(text, &i);
        letters += c >= 0x80;
        if (c < 0x80)
            buf_add(&shown, bytes_slice(text, from, i));
        for (size_t k = 0; c >= 0x80 && k < (by_bytes ? i - from : 1); k++)
            buf_add_byte(&shown, '?');
    }
    bool found = letters >= 2 && bytes_find(reply, buf_bytes(&shown), 0) >= 0;
    buf_release(&shown);
    return found;
}

/* Words beyond ASCII and some within, or else a run of question marks would say nothing. */
static bool telling(struct bytes text)
{
    size_t plain = 0;
    for (size_t i = 0; i < text.len; i++)
        plain += text.data[i] > ' ' && text.data[i] < 0x80 && text.data[i] != '?';
    return text.len >= TEXT_LEAST && text.len <= TEXT_MOST && plain >= 3 && plain < text.len && utf8_valid(text);
}

static void judge_call(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    const struct json *arguments = json_get(o->args, "arguments");
    size_t looked = 0;
    for (const struct json *one = json_is(arguments, JSON_OBJECT) ? arguments->first : NULL; one && looked < TEXTS_MOST; one = one->next) {
        if (!json_is(one, JSON_STRING) || !telling(one->text))
            continue;
        looked++;
        if (bytes_find(o->outcome.raw, one->text, 0) >= 0 ||
            !(shows_lost(one->text, o->outcome.raw, false) || shows_lost(one->text, o->outcome.raw, true)))
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "step %s call: an argument is ", o->step->id);
        judge_quote(&evidence, one->text, 120);
        buf_add_string(&evidence, "; the reply shows it with a question mark for each character beyond ASCII -> interface");
        judge_say(out, e, slug, i, EFFECT_NONE, "reply without characters beyond ASCII",
                  "a call shows its argument without the characters beyond ASCII", buf_string(&evidence));
        buf_release(&evidence);
        return;
    }
}

/* The task says itself what the site must receive there, so that fact is judged. */
static bool expected(const struct execution *e, const struct web_visit *visit, struct bytes name)
{
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        struct bytes at = json_as_text(json_get(x, "at"));
        if (bytes_equal(json_as_text(json_get(x, "site")), visit->path) && bytes_starts(at, BYTES_LITERAL("/fields/")) && bytes_ends(at, name))
            return true;
    }
    return false;
}

static void judge_typed(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    const struct web_visit *visit;
    const struct web_field *field = form_sent(e, i, &visit);
    if (!field || expected(e, visit, field->name))
        return;
    struct bytes typed = observation_argument(o, "value"), got = field->text.len ? field->text : field->value;
    if ((!field->text.len && !utf8_valid(got)) || form_sent_same(typed, got, field->text.len > 0))
        return;
    const struct observation *sent = &e->observations[visit->step];
    struct buf evidence;
    buf_init(&evidence, 4096);
    buf_addf(&evidence, "step %s fill typed ", o->step->id);
    judge_quote(&evidence, typed, 120);
    buf_addf(&evidence, "; with step %s %s the site received as %.*s ", sent->step->id, sent->step->op->name, BYTES_ARG(field->name));
    judge_quote(&evidence, got, 120);
    buf_addf(&evidence, ": %s -> sandbox", difference_words(difference_of(typed, got)));
    judge_say(out, e, slug, i, EFFECT_WRONG, arena_printf(out->arena, "a form sends another text: %s", difference_words(difference_of(typed, got))),
              "what was typed into a form is not what the site receives", buf_string(&evidence));
    buf_release(&evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, slug, mine);
    for (size_t i = 0; i < e->count; i++)
        judge_typed(e, out, i);
    for (size_t i = 0; i < e->count; i++)
        if (observation_is(&e->observations[i], "call") && observation_claims(&e->observations[i]) &&
            !task_mutated_by(e->task, "locale"))
            judge_call(e, out, i);
}

const struct check check_argument_text_lost = {slug, "C08", "encoding", "a text argument arrives with all its characters", judge};
