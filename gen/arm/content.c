/* What bytes and contents are like. A recipe is made with its sizes cut down to SAMPLE, which keeps its kind
 * of bytes; so the work is bounded whatever the content's size. */
#include <string.h>

#include "base/encode.h"
#include "base/utf8.h"
#include "gen/arm/view.h"
#include "gen/recipe.h"
#include "gen/task_internal.h"

enum { SAMPLE = 24, SAMPLE_MAX = 1 << 16, SCAN_MAX = 1 << 16, DIGITS_MANY = 16 };

static bool is_mark(int32_t c)
{
    return (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202f) ||
           (c >= 0x2060 && c <= 0x2069) || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xa0 || c == 0x1f3fb;
}

/* A byte that is no character's, or half of a surrogate pair. */
static unsigned scan_invalid(struct bytes text, size_t at)
{
    bool surrogate = text.len - at >= 3 && text.data[at] == 0xed && text.data[at + 1] >= 0xa0;
    return TEXT_NOT_UTF8 | TEXT_CHARSET | (surrogate ? TEXT_SURROGATE : 0);
}

static unsigned scan_beyond_ascii(int32_t c, size_t at)
{
    unsigned flags = TEXT_NON_ASCII;
    flags |= c >= 0x800 ? TEXT_WIDE : 0;
    flags |= c >= 0x300 ? TEXT_FOREIGN : 0;
    flags |= is_mark(c) ? TEXT_MARKS : 0;
    flags |= c == 0x85 || c == 0x2028 || c == 0x2029 ? TEXT_SEPARATOR : 0;
    return flags | (c == 0xfeff && at == 0 ? TEXT_BOM : 0);
}

/* Characters that mean something alone, and those that do only before one of `next`. */
static const struct special {
    char c;
    const char *next; /* NULL: alone */
    unsigned flags;
} specials[] = {
    {'\n', NULL, TEXT_LF},         {'\f', NULL, TEXT_SEPARATOR}, {0x1b, NULL, TEXT_ESCAPE},
    {'`', NULL, TEXT_SHELL},       {'%', "sdnxc%", TEXT_SHELL},  {'$', "({", TEXT_SHELL},
    {'\\', "ntr0x\\", TEXT_SHELL},
};

static unsigned scan_ascii(int32_t c, struct bytes text, size_t next)
{
    int after = next < text.len ? text.data[next] : -1;
    if (c == 0)
        return TEXT_NUL;
    if (c == '\r')
        return after == '\n' ? TEXT_CRLF : TEXT_CR;
    if (c == '\\' && after < 0)
        return TEXT_SHELL;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].c == c)
            return !specials[i].next || (after > 0 && strchr(specials[i].next, after)) ? specials[i].flags
                                                                                       : 0;
    return 0;
}

static bool has_big_number(struct bytes text)
{
    size_t run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.data[i] >= '0' && text.data[i] <= '9' ? run + 1 : 0;
        if (run >= DIGITS_MANY)
            return true;
    }
    return arm_holds(text, "1e400|1e999|1e309|-0,|-0}|-0\n|-0.0|0.30000000000000004|0.1+0.2");
}

/* 1: "\\ud83d" stands there, a high half; 2: a low one; 0: neither. */
static int half_at(struct bytes t, size_t at)
{
    if (at + 6 > t.len || t.data[at] != '\\' || t.data[at + 1] != 'u' || (t.data[at + 2] | 0x20) != 'd')
        return 0;
    uint8_t c = t.data[at + 3] | 0x20;
    return c == '8' || c == '9' || c == 'a' || c == 'b' ? 1 : c >= 'c' && c <= 'f' ? 2 : 0;
}

/* An escaped half of a pair without the other. */
static bool has_half_escape(struct bytes t)
{
    for (size_t i = 0; i + 6 <= t.len; i++) {
        int half = half_at(t, i);
        if (half == 2 || (half == 1 && half_at(t, i + 6) != 2))
            return true;
        i += half ? 11 : 0;
    }
    return false;
}

unsigned arm_scan(struct bytes text)
{
    unsigned flags = 0;
    struct bytes part = bytes_slice(text, 0, SCAN_MAX);
    for (size_t at = 0; at < part.len;) {
        size_t start = at;
        int32_t c = utf8_next(part, &at);
        flags |= c < 0       ? scan_invalid(part, start)
                 : c >= 0x80 ? scan_beyond_ascii(c, start)
                             : scan_ascii(c, part, at);
    }
    if (text.len && text.data[text.len - 1] != '\n')
        flags |= TEXT_NO_END;
    if (arm_holds(part, "'\"'\"'|'''|\"\"\"|''\"|\"'\""))
        flags |= TEXT_SHELL;
    if (part.len && part.data[0] == '-')
        flags |= TEXT_SHELL;
    if (has_half_escape(part))
        flags |= TEXT_SURROGATE;
    if (has_big_number(part))
        flags |= TEXT_BIG_NUMBER;
    if (text.len <= SCAN_MAX && base64_looks_like(text))
        flags |= TEXT_BASE64;
    return flags;
}

/* A copy of the recipe with every size cut down; *scale grows by what was cut off. */
static struct json *cut_down(struct arena *a, const struct json *recipe, double *scale)
{
    struct json *small = json_copy(a, recipe);
    const struct json *root = small;
    for (struct json *v = small; v; v = json_next(root, v, true)) {
        int64_t n;
        bool kept = bytes_equal_string(v->key, "seed") || bytes_equal_string(v->key, "at") ||
                    bytes_equal_string(v->key, "rate") || bytes_equal_string(v->key, "remove");
        if (v == root || kept || !json_is(v, JSON_NUMBER) || !json_as_integer(v, &n) || n <= SAMPLE)
            continue;
        *scale *= (double)n / SAMPLE;
        v->text = BYTES_LITERAL("24");
    }
    return small;
}

_Static_assert(SAMPLE == 24, "the text that stands for it");

static bool is_packed(struct bytes kind)
{
    static const char *const packed[] = {"png",  "gzip", "zip", "tar",    "docx",   "xlsx",
                                         "pptx", "pdf",  "wav", "sqlite", "random", NULL};
    for (size_t i = 0; packed[i]; i++)
        if (bytes_equal_string(kind, packed[i]))
            return true;
    return false;
}

/* Digits that count or fill, and are nobody's number. */
static bool has_own_digits(struct bytes kind)
{
    return bytes_equal_string(kind, "pattern") || bytes_equal_string(kind, "lines") ||
           bytes_equal_string(kind, "text");
}

/* The sample's flags, and its size scaled up. */
static void look_at_sample(struct arena *a, struct arm_content *c)
{
    struct buf made;
    double scale = 1;
    buf_init(&made, SAMPLE_MAX);
    struct error *err = NULL;
    if (content_make(cut_down(a, c->recipe, &scale), SAMPLE_MAX, &made, &err) == 0) {
        c->flags = arm_scan(buf_bytes(&made)) & ~(unsigned)TEXT_BASE64;
        c->size = scale > 1 ? (int64_t)((double)made.len * scale) : (int64_t)made.len;
    } else {
        error_free(err);
    }
    buf_release(&made);
}

static void look_at_recipe(const struct task *t, const struct json *value, struct arm_content *c,
                           struct arena *a);

static void look_inside(const struct task *t, const struct json *value, struct arm_content *c,
                        struct arena *a)
{
    if (json_is(value, JSON_STRING))
        *c = (struct arm_content){.present = true,
                                  .size = (int64_t)value->text.len,
                                  .flags = arm_scan(value->text),
                                  .kind = BYTES_LITERAL("text"),
                                  .text = value->text};
    else
        look_at_recipe(t, value, c, a);
}

/* Made of another content: both parts are looked at by themselves, for their sizes are exact. */
static bool look_at_splice(const struct task *t, struct arm_content *c, struct arena *a)
{
    struct arm_content base = {0}, insert = {0};
    int64_t removed = 0;
    if (!bytes_equal_string(c->kind, "splice"))
        return false;
    look_inside(t, json_get(c->recipe, "base"), &base, a);
    if (json_get(c->recipe, "insert"))
        look_inside(t, json_get(c->recipe, "insert"), &insert, a);
    json_as_integer(json_get(c->recipe, "remove"), &removed);
    c->flags = (base.flags | insert.flags) & ~(unsigned)TEXT_BASE64;
    c->size = base.size + insert.size - (removed < base.size ? removed : base.size);
    return true;
}

static void look_at_recipe(const struct task *t, const struct json *value, struct arm_content *c,
                           struct arena *a)
{
    *c = (struct arm_content){.kind = json_as_text(json_get(value, "$recipe")), .recipe = value};
    const struct recipe *recipe = recipe_find(c->kind);
    if (!recipe)
        return;
    c->present = true;
    if (look_at_splice(t, c, a))
        return;
    look_at_sample(a, c);
    if (recipe->size) {
        int64_t size = content_size(value);
        c->size = size < 0 ? c->size : size;
    }
    if (is_packed(c->kind)) /* what its bytes look like as text means nothing */
        c->flags = TEXT_NOT_UTF8 | TEXT_NUL;
    else if (has_own_digits(c->kind))
        c->flags &= ~(unsigned)TEXT_BIG_NUMBER;
    if (json_get(value, "encoding") && !bytes_equal_string(json_get(value, "encoding")->text, "utf-8"))
        c->flags |= TEXT_CHARSET;
}

void arm_content_look(const struct task *t, const struct json *value, struct arm_content *c, struct arena *a)
{
    *c = (struct arm_content){0};
    if (task_wrapper_of(value) == WRAP_CONTENT)
        value = json_get_bytes(t->contents, json_get(value, "$content")->text);
    if (json_is(value, JSON_STRING) || task_wrapper_of(value) == WRAP_RECIPE)
        look_inside(t, value, c, a);
}
