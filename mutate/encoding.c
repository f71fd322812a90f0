/* encoding: contents in other encodings, with bytes that are none, with other line ends, with a character
 * across the edge of a buffer; names that Unicode makes hard.
 *
 * A content that is ASCII looks the same in most encodings, so it first gets a few characters that the new
 * one has. */
#include <string.h>

#include "base/utf8.h"
#include "gen/recipe.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

/* One way to change a content: gives the new one, or NULL when there is nothing to change. */
struct variant {
    const char *kind;
    struct json *(*make)(struct mutation *m, const struct variant *v, const struct json *content,
                         const char **detail);
    const char *encoding; /* of those that recode */
    const char *sample;   /* characters that the encoding has and ASCII has not */
};

static bool make_text(const struct json *content, struct buf *out)
{
    buf_init(out, BODY_MAKE_MAX);
    return content_make(content, BODY_MAKE_MAX, out, NULL) == 0 && utf8_valid(buf_bytes(out));
}

static bool is_ascii(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] >= 0x80)
            return false;
    return true;
}

/* Between two characters, anywhere. */
static uint64_t any_boundary(struct mutation *m, const struct json *content)
{
    int64_t size = content_size(content);
    return size > 0 ? body_boundary(content, rng_below(m->rng, (uint64_t)size + 1)) : 0;
}

static struct json *insert_bytes(struct mutation *m, const struct json *content, uint64_t at,
                                 struct bytes bytes)
{
    return body_splice(m->task, content, at, 0, json_string(&m->task->arena, bytes));
}

static struct json *recode(struct mutation *m, const struct variant *v, const struct json *content,
                           const char **detail)
{
    struct buf text;
    struct json *base = NULL;
    if (make_text(content, &text)) {
        base = json_copy(&m->task->arena, content);
        if (is_ascii(buf_bytes(&text)))
            base = insert_bytes(m, content, any_boundary(m, content), bytes_of_string(v->sample));
    }
    buf_release(&text);
    *detail = "the text in this encoding";
    return base ? body_recode(m->task, base, v->encoding, "keep") : NULL;
}

static struct json *newline(struct mutation *m, const struct variant *v, const struct json *content,
                            const char **detail)
{
    static const char *const forms[][2] = {{"crlf", "CRLF"}, {"cr", "CR"}};
    size_t form = (size_t)rng_below(m->rng, 2);
    struct buf text;
    bool fits = make_text(content, &text) && bytes_find(buf_bytes(&text), BYTES_LITERAL("\n"), 0) >= 0;
    buf_release(&text);
    *detail = arena_printf(&m->task->arena, "lines end with %s", forms[form][1]);
    return fits ? body_recode(m->task, content, "utf-8", forms[form][0]) : NULL;
}

/* Line ends that some readers know and others do not. */
static struct json *separator(struct mutation *m, const struct variant *v, const struct json *content,
                              const char **detail)
{
    static const struct {
        const char *name;
        struct bytes bytes;
    } forms[] = {{"a lone CR", {(const uint8_t *)"\r", 1}},
                 {"CR CR LF", {(const uint8_t *)"\r\r\n", 3}},
                 {"U+2028", {(const uint8_t *)"\xe2\x80\xa8", 3}},
                 {"U+0085", {(const uint8_t *)"\xc2\x85", 2}},
                 {"a form feed", {(const uint8_t *)"\f", 1}}};
    size_t form = (size_t)rng_below(m->rng, sizeof forms / sizeof *forms);
    uint64_t at = any_boundary(m, content);
    *detail = arena_printf(&m->task->arena, "%s at byte %llu", forms[form].name, (unsigned long long)at);
    return insert_bytes(m, content, at, forms[form].bytes);
}

static struct json *mark(struct mutation *m, const struct variant *v, const struct json *content,
                         const char **detail)
{
    *detail = "a byte order mark at the start";
    return insert_bytes(m, content, 0, BYTES_LITERAL("\xef\xbb\xbf"));
}

static struct json *put_foreign(struct mutation *m, const struct json *content, struct bytes bytes,
                                const char *what, const char **detail)
{
    uint64_t at = any_boundary(m, content);
    struct buf hex;
    buf_init(&hex, 64);
    for (size_t i = 0; i < bytes.len; i++)
        buf_addf(&hex, "%s%02X", i ? " " : "", bytes.data[i]);
    *detail = arena_printf(&m->task->arena, "%s %s at byte %llu", what, buf_string(&hex),
                           (unsigned long long)at);
    buf_release(&hex);
    return insert_bytes(m, content, at, bytes);
}

static struct json *lone(struct mutation *m, const struct variant *v, const struct json *content,
                         const char **detail)
{
    uint8_t byte = (uint8_t)rng_range(m->rng, 0x80, 0xff);
    return put_foreign(m, content, bytes_of(&byte, 1), "the lone byte", detail);
}

/* The first bytes of a character, then something else. */
static struct json *truncated(struct mutation *m, const struct variant *v, const struct json *content,
                              const char **detail)
{
    static const struct bytes forms[] = {
        {(const uint8_t *)"\xc3", 1},         {(const uint8_t *)"\xe2\x82", 2}, {(const uint8_t *)"\xe2", 1},
        {(const uint8_t *)"\xf0\x9f\x98", 3}, {(const uint8_t *)"\xf0\x9f", 2}, {(const uint8_t *)"\xf0", 1}};
    return put_foreign(m, content, forms[rng_below(m->rng, 6)], "the cut character", detail);
}

static struct json *overlong(struct mutation *m, const struct variant *v, const struct json *content,
                             const char **detail)
{
    static const struct bytes forms[] = {{(const uint8_t *)"\xc0\x80", 2},
                                         {(const uint8_t *)"\xe0\x80\xaf", 3},
                                         {(const uint8_t *)"\xf0\x82\x82\xac", 4}};
    return put_foreign(m, content, forms[rng_below(m->rng, 3)], "the overlong form", detail);
}

static struct json *surrogate(struct mutation *m, const struct variant *v, const struct json *content,
                              const char **detail)
{
    static const struct bytes forms[] = {{(const uint8_t *)"\xed\xa0\x80", 3},
                                         {(const uint8_t *)"\xed\xb0\x80", 3},
                                         {(const uint8_t *)"\xed\xa0\xbd\xed\xb8\x80", 6}};
    return put_foreign(m, content, forms[rng_below(m->rng, 3)], "the surrogate", detail);
}

/* A character of three or four bytes, one to three of them before the edge. */
static struct json *edge(struct mutation *m, const struct variant *v, const struct json *content,
                         const char **detail)
{
    static const int64_t edges[] = {1024, 4096, 8192, 16384, 65536, 1048576};
    int64_t end = edges[rng_below(m->rng, 6)], before = rng_range(m->rng, 1, 3);
    struct bytes character = before == 3 || rng_below(m->rng, 2) ? BYTES_LITERAL("\xf0\x9f\x98\x80")
                                                                 : BYTES_LITERAL("\xe2\x82\xac");
    struct json *pattern = body_recipe(m->task, "pattern");
    json_set(&m->task->arena, pattern, "size", json_integer(&m->task->arena, end + 60));
    *detail = arena_printf(&m->task->arena, "a character of %zu bytes, %d of them before byte %d",
                           character.len, (int)before, (int)end);
    return insert_bytes(m, pattern, (uint64_t)(end - before), character);
}

static const struct variant variants[] = {
    {"latin-1", recode, "latin-1", "naïve café ñ"},
    {"windows-1251", recode, "windows-1251", "Привет"},
    {"shift-jis", recode, "shift-jis", "表ソ能ァ"},
    {"utf-16le", recode, "utf-16le", "é☃"},
    {"utf-16be", recode, "utf-16be", "é☃"},
    {"utf-16le-bom", recode, "utf-16le-bom", "é☃"},
    {"utf-16be-bom", recode, "utf-16be-bom", "é☃"},
    {"bom", mark, NULL, NULL},
    {"newline", newline, NULL, NULL},
    {"separator", separator, NULL, NULL},
    {"lone", lone, NULL, NULL},
    {"truncated", truncated, NULL, NULL},
    {"overlong", overlong, NULL, NULL},
    {"surrogate", surrogate, NULL, NULL},
    {"edge", edge, NULL, NULL},
};

static const char *const body_kinds[] = {
    "latin-1", "windows-1251", "shift-jis", "utf-16le",  "utf-16be", "utf-16le-bom", "utf-16be-bom", "bom",
    "newline", "separator",    "lone",      "truncated", "overlong", "surrogate",    "edge",         NULL};

static bool strike_body(struct mutation *m, const struct mutation_site *site)
{
    const char *kind = mutation_kind(m, body_kinds), *detail = NULL;
    const struct json *content = body_content(m->task, site->value);
    struct json *made = NULL;
    for (size_t i = 0; kind && i < sizeof variants / sizeof *variants; i++)
        if (strcmp(variants[i].kind, kind) == 0)
            made = variants[i].make(m, &variants[i], content, &detail);
    if (!made || content_size(made) < 0 || content_size(made) > body_room(m, site->step))
        return false;
    struct change c;
    change_begin(&c, m, "encoding", site->step, site->at);
    struct json *value = body_value(&c, made);
    change_set(&c, value);
    if (mutation_puts_file(m->task->steps[site->step].op))
        retarget_content(&c, value);
    else
        retarget_unknown(&c);
    change_end(&c, "%s: %s", kind, detail);
    return true;
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

/* "data/table.csv" with "-x" is "data/table-x.csv". */
static struct bytes decorated(struct arena *a, struct bytes path, const char *text)
{
    size_t dot = path.len;
    while (dot && path.data[dot - 1] != '.' && path.data[dot - 1] != '/')
        dot--;
    bool extension = dot > 1 && path.data[dot - 1] == '.' && path.data[dot - 2] != '/';
    size_t at = extension ? dot - 1 : path.len;
    struct buf out;
    buf_init(&out, SIZE_MAX);
    buf_add(&out, bytes_slice(path, 0, at));
    buf_add_string(&out, text);
    buf_add(&out, bytes_slice(path, at, path.len));
    struct bytes copy = arena_copy(a, buf_bytes(&out));
    buf_release(&out);
    return copy;
}

static bool strike_name(struct mutation *m, const struct mutation_site *site)
{
    const char *kind = mutation_kind(m, name_kinds);
    struct arena *a = &m->task->arena;
    struct bytes from = arena_copy(a, mutation_path(site->value));
    for (size_t i = 0; kind && i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].kind, kind) != 0)
            continue;
        struct bytes to = decorated(a, from, names[i].text);
        struct change c;
        change_begin(&c, m, "encoding", site->step, site->at);
        if (!rename_everywhere(&c, from, to))
            return false;
        change_end(&c, "%s: %s is now %s (%s)", kind, task_show(a, from, 60), task_show(a, to, 80),
                   names[i].detail);
        return true;
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
    .summary = "legacy encodings, bytes that are not UTF-8, line ends, characters across buffers' edges, "
               "Unicode names",
    .details = "Of a body (what write, append, upload, edit and stage-file put into a file): the text in an "
               "encoding; bom, a "
               "mark at the start; newline, CRLF or CR; separator, odd line ends; lone, truncated, overlong "
               "and surrogate, "
               "bytes that are no UTF-8; edge, a character across byte 1024 to 1 MiB. Of a name: nfd, nfc, "
               "rtl, zwj, emoji, "
               "cjk, cyrillic; the file is renamed in the whole task where it can be followed.",
    .places = "name body",
    .kinds = "latin-1 windows-1251 shift-jis utf-16le utf-16be utf-16le-bom utf-16be-bom bom newline "
             "separator lone "
             "truncated overlong surrogate edge nfd nfc rtl zwj emoji cjk cyrillic",
    .apply = apply,
};
