/* odd-address: an address that a browser reads as the same one, written so that those in between may stumble: odd characters behind a '#', which no server is
 * sent, blanks around it, its scheme in capitals. The page is the same, so what is expected of it stays. */
#include <ctype.h>
#include <string.h>

#include "gen/task_internal.h"
#include "mutate/page/page.h"

#define TEXT(text) {(const uint8_t *)(text), sizeof(text) - 1}

enum { LONG = 20000, SHOWN = 60 };

static const struct oddity {
    const char *kind, *words;
    struct bytes before, behind;
} oddities[] = {
    {"nul", "a NUL behind '#'", {0}, TEXT("#a\0b")},
    {"escapes", "escapes of a NUL and of no UTF-8 behind '#'", {0}, TEXT("#%00%ff%ed%a0%80")},
    {"percent", "a '%' that escapes nothing behind '#'", {0}, TEXT("#100%")},
    {"lines", "line ends and a tab behind '#'", {0}, TEXT("#a\r\nb\tc")},
    {"blanks", "blanks around it", TEXT(" \t"), TEXT(" \n")},
    {"quotes", "quotes and a backslash behind '#'", {0}, TEXT("#\"'`\\${x}</script>")},
    {"bidi", "an override of the direction behind '#'", {0}, TEXT("#\xe2\x80\xaegnp.\xd7\xa9")},
    {"astral", "characters outside the first plane behind '#'", {0}, TEXT("#\xf0\x9f\x98\x80\xf3\xa0\x84\x80")},
    {"long", "20,000 letters behind '#'", {0}, {0}},
    {"capitals", "its scheme in capitals", {0}, {0}},
};

static const char *const kinds[] = {"nul", "escapes", "percent", "lines", "blanks", "quotes", "bidi", "astral", "long", "capitals", NULL};

static struct json *odd(struct arena *a, const struct oddity *o, struct bytes url)
{
    struct buf out;
    size_t at = 0;
    buf_init(&out, SIZE_MAX);
    buf_add(&out, o->before);
    for (; strcmp(o->kind, "capitals") == 0 && at < url.len && isalpha(url.data[at]); at++)
        buf_add_byte(&out, (uint8_t)toupper(url.data[at]));
    buf_add(&out, bytes_slice(url, at, url.len));
    buf_add(&out, o->behind);
    if (strcmp(o->kind, "long") == 0) {
        buf_add_byte(&out, '#');
        for (int i = 0; i < LONG; i++)
            buf_add_byte(&out, 'x');
    }
    struct json *string = json_string(a, buf_bytes(&out));
    buf_release(&out);
    return string;
}

/* One that begins with {site} must go on doing so, and one that has a '#' has its own meaning for it. */
static bool can_be(const struct oddity *o, struct bytes url)
{
    bool site = url.len && url.data[0] == '{', moved = o->before.len || strcmp(o->kind, "capitals") == 0;
    return url.len && bytes_find(url, BYTES_LITERAL("#"), 0) < 0 && !(site && moved);
}

static bool apply(struct mutation *m)
{
    struct task *t = m->task;
    const char *kind = mutation_kind(m, kinds);
    size_t index = page_pick(m, true);
    const struct oddity *o = NULL;
    for (size_t i = 0; kind && i < sizeof oddities / sizeof *oddities; i++)
        o = strcmp(oddities[i].kind, kind) == 0 ? &oddities[i] : o;
    const struct json *url = index < t->step_count ? json_get(t->steps[index].args, "url") : NULL;
    if (!o || !json_is(url, JSON_STRING) || !can_be(o, url->text))
        return false;
    const char *shown = task_show(&t->arena, url->text, SHOWN);
    struct change c;
    change_begin(&c, m, "odd-address", index, "/args/url");
    change_set(&c, odd(&t->arena, o, url->text));
    change_end(&c, "%s: %s has %s", o->kind, shown, o->words);
    return true;
}

const struct mutator mutator_odd_address = {
    .name = "odd-address",
    .group = "payload",
    .summary = "the same page by an address that is written oddly",
    .details = "Of a navigate or tab-open: nul, escapes, percent, lines, quotes, bidi, astral and long put characters behind a '#'; blanks puts some around it; "
               "capitals writes its scheme in them. The page is the same.",
    .places = "",
    .kinds = "nul escapes percent lines blanks quotes bidi astral long capitals",
    .apply = apply,
};
