/* encoding: contents in other encodings, with bytes that are none; names that Unicode makes hard. Line ends are newline's,
 * characters that are cut truncated-multibyte's.
 *
 * A content that is ASCII looks the same in most encodings, so it first gets a few characters that the new
 * one has. */
#include <string.h>

#include "gen/recipe.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

static bool is_ascii(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] >= 0x80)
            return false;
    return true;
}

static struct json *recode(struct mutation *m, const struct payload_variant *v, const struct json *content,
                           const char **detail)
{
    struct buf text;
    struct json *base = NULL;
    if (body_text(content, &text)) {
        base = json_copy(&m->task->arena, content);
        if (is_ascii(buf_bytes(&text)))
            base = body_insert(m, content, body_any_boundary(m, content), bytes_of_string(v->text));
    }
    buf_release(&text);
    *detail = "the text in this encoding";
    return base ? body_recode(m->task, base, v->encoding, "keep") : NULL;
}

static struct json *mark(struct mutation *m, const struct payload_variant *v, const struct json *content,
                         const char **detail)
{
    *detail = "a byte order mark at the start";
    return body_insert(m, content, 0, BYTES_LITERAL("\xef\xbb\xbf"));
}

static struct json *put_foreign(struct mutation *m, const struct json *content, struct bytes bytes,
                                const char *what, const char **detail)
{
    uint64_t at = body_any_boundary(m, content);
    struct buf hex;
    buf_init(&hex, 64);
    for (size_t i = 0; i < bytes.len; i++)
        buf_addf(&hex, "%s%02X", i ? " " : "", bytes.data[i]);
    *detail = arena_printf(&m->task->arena, "%s %s at byte %llu", what, buf_string(&hex),
                           (unsigned long long)at);
    buf_release(&hex);
    return body_insert(m, content, at, bytes);
}

static struct json *lone(struct mutation *m, const struct payload_variant *v, const struct json *content,
                         const char **detail)
{
    uint8_t byte = (uint8_t)rng_range(m->rng, 0x80, 0xff);
    return put_foreign(m, content, bytes_of(&byte, 1), "the lone byte", detail);
}

static struct json *overlong(struct mutation *m, const struct payload_variant *v, const struct json *content,
                             const char **detail)
{
    static const struct bytes forms[] = {{(const uint8_t *)"\xc0\x80", 2},
                                         {(const uint8_t *)"\xe0\x80\xaf", 3},
                                         {(const uint8_t *)"\xf0\x82\x82\xac", 4}};
    return put_foreign(m, content, forms[rng_below(m->rng, 3)], "the overlong form", detail);
}

static struct json *surrogate(struct mutation *m, const struct payload_variant *v, const struct json *content,
                              const char **detail)
{
    static const struct bytes forms[] = {{(const uint8_t *)"\xed\xa0\x80", 3},
                                         {(const uint8_t *)"\xed\xb0\x80", 3},
                                         {(const uint8_t *)"\xed\xa0\xbd\xed\xb8\x80", 6}};
    return put_foreign(m, content, forms[rng_below(m->rng, 3)], "the surrogate", detail);
}

/* Those that recode have a text in characters that the encoding has and ASCII has not. */
static const struct payload_variant variants[] = {
    {.kind = "latin-1", .make = recode, .encoding = "latin-1", .text = "naïve café ñ"},
    {.kind = "windows-1251", .make = recode, .encoding = "windows-1251", .text = "Привет"},
    {.kind = "shift-jis", .make = recode, .encoding = "shift-jis", .text = "表ソ能ァ"},
    {.kind = "utf-16le", .make = recode, .encoding = "utf-16le", .text = "é☃"},
    {.kind = "utf-16be", .make = recode, .encoding = "utf-16be", .text = "é☃"},
    {.kind = "utf-16le-bom", .make = recode, .encoding = "utf-16le-bom", .text = "é☃"},
    {.kind = "utf-16be-bom", .make = recode, .encoding = "utf-16be-bom", .text = "é☃"},
    {.kind = "bom", .make = mark},
    {.kind = "lone", .make = lone},
    {.kind = "overlong", .make = overlong},
    {.kind = "surrogate", .make = surrogate},
    {0},
};

static const char *const body_kinds[] = {"latin-1",      "windows-1251", "shift-jis", "utf-16le", "utf-16be",  "utf-16le-bom",
                                         "utf-16be-bom", "bom",          "lone",      "overlong", "surrogate", NULL};

static bool strike_body(struct mutation *m, const struct mutation_site *site)
{
    return payload_body_variant(m, site, "encoding", body_kinds, variants);
}

/* Names: what is put before the extension. */
static const struct {
    const char *kind, *text, *detail;
} names[] = {
    {"nfd", "-cafe\xcc\x81", "a letter and its accent as two characters"},
    {"nfc", "-caf\xc3\xa9", "a letter with an accent"},
    {"rtl", "-\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\xe2\x80\xae", "right-to-left letters and an override"},
    {"zwj", "-\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", "characters joined by U+200D"},
    {"emoji", "-\xf0\x9f\x98\x80", "a character outside the first plane"},
    {"cjk", "-\xe8\xa1\xa8", "a character of three bytes"},
    {"cyrillic", "-\xd0\xbe\xd1\x82\xd1\x87\xd1\x91\xd1\x82", "Cyrillic letters"},
};

static const char *const name_kinds[] = {"nfd", "nfc", "rtl", "zwj", "emoji", "cjk", "cyrillic", NULL};

static bool strike_name(struct mutation *m, const struct mutation_site *site)
{
    const char *kind = mutation_kind(m, name_kinds);
    struct arena *a = &m->task->arena;
    struct bytes from = arena_copy(a, mutation_path(site->value));
    for (size_t i = 0; kind && i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].kind, kind) != 0)
            continue;
        struct bytes to = payload_decorated(m, from, bytes_of_string(names[i].text));
        return payload_rename(m, site, "encoding", to, false,
                              arena_printf(a, "%s: %s is now %s (%s)", kind, task_show(a, from, 60),
                                           task_show(a, to, 80), names[i].detail));
    }
    return false;
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    return site->place == PLACE_BODY ? strike_body(m, site) : strike_name(m, site);
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_NAME | PLACE_BODY, strike);
}

const struct mutator mutator_encoding = {
    .name = "encoding",
    .group = "payload",
    .summary = "legacy encodings, bytes that are not UTF-8, Unicode names",
    .details = "Of a body (what write, append, upload, edit and stage-file put into a file): the text in an "
               "encoding; bom, a mark at the start; lone, overlong and surrogate, bytes that are no UTF-8. Of a "
               "name: nfd, nfc, rtl, zwj, emoji, cjk, cyrillic; the file is renamed in the whole task where it can "
               "be followed.",
    .places = "name body",
    .kinds = "latin-1 windows-1251 shift-jis utf-16le utf-16be utf-16le-bom utf-16be-bom bom lone overlong "
             "surrogate nfd nfc rtl zwj emoji cjk cyrillic",
    .apply = apply,
};
