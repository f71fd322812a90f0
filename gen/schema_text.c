/* Strings: of a format, of a pattern, calm ones by name, words; and at boundaries the shortest, the longest,
 * and texts that programs are seldom tried with. Lengths count code points. */
#include <string.h>

#include "base/utf8.h"
#include "gen/schema_internal.h"

enum { USUAL_MORE = 24, WORDS_MOST = 4, LONG_TEXT = 4096, PATTERN_BYTES = 4096 };

static const char *const words[] = {"alpha",  "beta",  "data", "item", "note", "one",
                                    "report", "seven", "task", "test", "über", "值"};

/* Legal everywhere, and handled badly here and there. None does harm where a shell reads it. */
static const char *const odd_texts[] = {
    " ",
    "0",
    "-1",
    "null",
    "true",
    "NaN",
    "__proto__",
    "constructor",
    "%s%n%d",
    "{{7*7}}",
    "\"'`",
    "\\",
    "a\nb\r\nc",
    "\t",
    "\xef\xbb\xbf"
    "bom",
    "e\xcc\x81\xcc\xa7",
    "\xf0\x9f\x98\x80\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",
    "\xe2\x80\xae"
    "abc",
    "\xe2\x80\xa8",
    "\xef\xbf\xbf",
    "<b>&amp;</b>",
    "1e999",
    "\x7f\x01",
};

static const struct json *place_of(const struct schema_view *v)
{
    return v->count ? v->conjuncts[0] : NULL;
}

static size_t cut_at(struct bytes text, uint64_t length)
{
    size_t at = 0;
    for (uint64_t i = 0; i < length && at < text.len; i++)
        utf8_next(text, &at);
    return at;
}

/* Makes it at least `least` and at most `most` long. */
static void fit(struct buf *out, uint64_t least, uint64_t most)
{
    uint64_t length = utf8_count(buf_bytes(out));
    if (length > most)
        buf_cut(out, cut_at(buf_bytes(out), most));
    for (; length < least && !out->overflow; length++)
        buf_add_byte(out, (uint8_t)('a' + length % 26));
}

static void draw_words(struct drawing *d, const struct schema_view *v, struct buf *out)
{
    uint64_t count = 1 + draw_below(d, place_of(v), ROLE_COUNT, WORDS_MOST);
    for (uint64_t i = 0; i < count; i++)
        buf_addf(out, "%s%s", i ? " " : "",
                 words[draw_below(d, place_of(v), ROLE_TEXT, sizeof words / sizeof *words)]);
}

static uint64_t longest(const struct drawing *d, const struct schema_view *v)
{
    uint64_t most = v->max_length < TEXT_MAX      ? v->max_length
                    : v->max_length == UINT64_MAX ? LONG_TEXT
                                                  : TEXT_MAX;
    return draw_is_full(d) && most > USUAL_MORE ? USUAL_MORE : most;
}

/* The ends of what the length may be, or a text that is odd. A path or a command stays calm. */
static void draw_extreme(struct drawing *d, const struct schema_view *v, struct bytes name, struct buf *out)
{
    uint64_t most = longest(d, v), way = draw_below(d, place_of(v), ROLE_END, 3);
    if (most < v->min_length)
        most = v->min_length;
    if (schema_is_path(name)) {
        draw_named(d, place_of(v), name, v->description, out);
        if (v->max_length <= TEXT_MAX && way == 0)
            fit(out, most, most);
    } else if (way == 0) {
        fit(out, most, most);
    } else if (way == 1) {
        buf_add_string(
            out, odd_texts[draw_below(d, place_of(v), ROLE_TEXT, sizeof odd_texts / sizeof *odd_texts)]);
    }
}

struct json *draw_string(struct drawing *d, const struct schema_view *v, struct bytes name)
{
    struct buf out;
    buf_init(&out, 8 * TEXT_MAX);
    /* Nothing longer is ever made: such a schema is met as far as that goes. */
    uint64_t least = v->min_length < TEXT_MAX ? v->min_length : TEXT_MAX;
    if (draw_is_spent(d) || d->bytes > DRAWN_MAX)
        fit(&out, least, least);
    else if (v->pattern && schema_pattern_draw(d, v->pattern->text, PATTERN_BYTES, &out))
        ;
    else if (v->format.len && draw_format(d, v, &out))
        ;
    else if (d->boundary)
        draw_extreme(d, v, name, &out);
    else if (!draw_named(d, place_of(v), name, v->description, &out))
        draw_words(d, v, &out);
    /* What a pattern or format has made is not touched: it would be neither afterwards. */
    if (!(v->pattern && out.len) && !(v->format.len && schema_format_known(v->format)))
        fit(&out, least, v->max_length);
    d->bytes += out.len;
    struct json *text = json_string(d->a, buf_bytes(&out));
    buf_release(&out);
    return text;
}
