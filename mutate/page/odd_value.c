/* odd-value: what is typed into a field, or answered to a dialog, with characters that get lost on the way. What a page makes of them is the page's affair,
 * so the expectations go; the site that receives them is the witness. */
#include <string.h>

#include "gen/task_internal.h"
#include "mutate/page/page.h"

#define TEXT(text) {(const uint8_t *)(text), sizeof(text) - 1}

enum { LONG = 50000, SHOWN = 40 };

static const struct oddity {
    const char *kind, *words;
    struct bytes put;
} oddities[] = {
    {"nul", "a NUL", TEXT("a\0b")},
    {"controls", "control characters", TEXT("\x01\x08\x0b\x1b[31m\x7f")},
    {"lines", "line ends of three kinds", TEXT("a\nb\r\nc\rd")},
    {"combining", "a letter and its accent as two characters", TEXT("cafe\xcc\x81")},
    {"astral", "characters outside the first plane", TEXT("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb \xf0\xa0\x9c\x8e")},
    {"bidi", "right-to-left letters and an override", TEXT("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe2\x80\xaegnp.exe")},
    {"blanks", "blanks that are none of ASCII", TEXT("\xe2\x80\xa8\xc2\xa0\xe2\x80\x8b\xef\xbb\xbf")},
    {"cjk", "Chinese, Japanese and Korean", TEXT("\xe4\xb8\xad\xe6\x96\x87\xe3\x81\x8b\xe3\x82\x99\xed\x95\x9c\xea\xb8\x80\xef\xbd\xb6\xef\xbe\x9e")},
    {"half", "one half of a surrogate pair", TEXT("a\xed\xa0\xbd" "b")},
    {"markup", "quotes and markup", TEXT("'\"`<b>&amp;</textarea>${x}\\u0041%41+")},
    {"long", "50,000 letters", {0}},
};

static const char *const kinds[] = {"nul", "controls", "lines", "combining", "astral", "bidi", "blanks", "markup", "long", "cjk", "half", NULL};

/* The argument that is typed; NULL: the step types nothing. */
static const char *typed(const struct task_step *s)
{
    bool fill = strcmp(s->op->name, "fill") == 0, dialog = strcmp(s->op->name, "dialog") == 0;
    return fill && json_is(json_get(s->args, "value"), JSON_STRING)    ? "value"
           : dialog && json_is(json_get(s->args, "text"), JSON_STRING) ? "text"
                                                                       : NULL;
}

static struct json *odd(struct arena *a, const struct oddity *o, struct bytes text)
{
    struct buf out;
    buf_init(&out, SIZE_MAX);
    buf_add(&out, text);
    buf_add(&out, o->put);
    for (int i = 0; !o->put.len && i < LONG; i++)
        buf_add_byte(&out, (uint8_t)('a' + i % 26));
    buf_add(&out, BYTES_LITERAL("."));
    struct json *string = json_string(a, buf_bytes(&out));
    buf_release(&out);
    return string;
}

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const char *kind = mutation_kind(m, kinds);
    size_t index = t->step_count, count = 0;
    for (size_t i = 0; i < t->step_count; i++)
        if (typed(&t->steps[i]) && rng_below(m->rng, ++count) == 0)
            index = i;
    const struct oddity *o = NULL;
    for (size_t i = 0; kind && i < sizeof oddities / sizeof *oddities; i++)
        o = strcmp(oddities[i].kind, kind) == 0 ? &oddities[i] : o;
    if (!o || index == t->step_count)
        return false;
    const char *argument = typed(&t->steps[index]);
    const struct json *value = json_get(t->steps[index].args, argument);
    const char *shown = task_show(&t->arena, value->text, SHOWN);
    struct change c;
    change_begin(&c, m, "odd-value", index, arena_printf(&t->arena, "/args/%s", argument));
    change_set(&c, odd(&t->arena, o, value->text));
    retarget_unknown(&c);
    change_end(&c, "%s: behind %s stand %s", o->kind, shown, o->words);
    return true;
}

const struct mutator mutator_odd_value = {
    .name = "odd-value",
    .group = "payload",
    .summary = "odd characters typed into a field, or answered to a dialog",
    .details = "Of a fill, or of a dialog with a text: nul, controls, lines, combining, astral, bidi, blanks (a byte order mark among them), markup, long "
               "(50,000 letters), cjk and half (of a surrogate pair) are put behind what is typed.",
    .places = "",
    .kinds = "nul controls lines combining astral bidi blanks markup long cjk half",
    .apply = apply,
};
