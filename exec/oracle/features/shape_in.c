/* What arguments looked like that were taken: a few bits of each at the top level, and only where the call succeeded. Deeper ones, and those
 * of calls that failed, say more of our generator than of the target. Of a tool's call the members of `arguments` are the top level. */
#include <string.h>

#include "base/utf8.h"
#include "exec/oracle/features/features.h"

enum {
    NAMES = 256,        /* slots for the names of an op's arguments: mutators make some up */
    LOOKED_AT = 4096,  /* so much of a text is looked at */
    TEXT_LONG = 1024,
    COUNT_LONG = 16
};

enum bit {
    EMPTY = 1, NUL = 2, NOT_UTF8 = 4, NOT_ASCII = 8, LINES = 16, CONTROL = 32, LONG = 64, BLANK_END = 128, UP = 256, ROOTED = 512,
    NEGATIVE = 1024, ZERO = 2048, BEYOND_32 = 4096, BEYOND_53 = 8192, FRACTION = 16384
};
static const char *const bit_words[] = {
    "empty", "NUL", "not UTF-8", "not ASCII", "lines", "control characters", "long", "blank end", "..", "begins with /",
    "negative", "zero", "beyond 32 bits", "beyond 53 bits", "fraction",
};

static unsigned bits_of_text(struct bytes text)
{
    unsigned bits = text.len ? 0 : EMPTY;
    struct bytes head = bytes_slice(text, 0, LOOKED_AT);
    bits |= text.len > TEXT_LONG ? LONG : 0;
    if (!text.len)
        return bits;
    for (size_t i = 0; i < head.len; i++) {
        uint8_t c = head.data[i];
        bits |= c == 0 ? NUL : c == '\n' ? LINES : c < ' ' || c == 0x7f ? CONTROL : c >= 0x80 ? NOT_ASCII : 0;
    }
    if (bits & NOT_ASCII && utf8_valid_prefix(head) + 3 < head.len)
        bits |= NOT_UTF8;
    else if (bits & NOT_ASCII && head.len == text.len && !utf8_valid(head))
        bits |= NOT_UTF8;
    bits |= head.data[0] == '/' ? ROOTED : 0;
    bits |= head.data[0] == ' ' || text.data[text.len - 1] == ' ' ? BLANK_END : 0;
    bits |= bytes_find(head, BYTES_LITERAL(".."), 0) >= 0 ? UP : 0;
    return bits;
}

static unsigned bits_of_number(const struct json *value)
{
    double real;
    if (!json_as_real(value, &real))
        return BEYOND_53;
    double size = real < 0 ? -real : real;
    return (unsigned)((real < 0 ? NEGATIVE : 0) | (size == 0 ? ZERO : 0) | (size > 4294967295.0 ? BEYOND_32 : 0) |
                      (size > 9007199254740992.0 ? BEYOND_53 : 0) | (memchr(value->text.data, '.', value->text.len) ? FRACTION : 0));
}

static unsigned bits_of(const struct json *value)
{
    switch (value->kind) {
    case JSON_STRING:
        return bits_of_text(value->text);
    case JSON_NUMBER:
        return bits_of_number(value);
    case JSON_ARRAY:
    case JSON_OBJECT:
        return (unsigned)((value->count ? 0 : EMPTY) | (value->count > COUNT_LONG ? LONG : 0));
    default:
        return 0;
    }
}

static void tell(struct features *f, const struct observation *o, const struct json *value, unsigned bits)
{
    struct buf words;
    buf_init(&words, 256);
    for (size_t i = 0; i < sizeof bit_words / sizeof *bit_words; i++)
        if (bits >> i & 1)
            buf_addf(&words, ", %s", bit_words[i]);
    feature_say(f, "%s takes %.*s: %s%s", feature_op_words(f, o), BYTES_ARG(value->key), json_kind_name(value->kind), buf_string(&words));
    buf_release(&words);
}

static void add_members(struct features *f, size_t i, const struct observation *o, const struct json *object)
{
    for (const struct json *value = object->first; value; value = value->next) {
        unsigned bits = bits_of(value);
        uint64_t name = hash64(value->key) % NAMES;
        if (feature_add(f, hash64_mix(hash64_mix(f->ops[i], name), (uint64_t)value->kind << 32 | bits)))
            tell(f, o, value, bits);
    }
}

void feature_find_shape_in(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!f->ops[i] || o->outcome.class != OUTCOME_OK || !json_is(o->args, JSON_OBJECT))
            continue;
        const struct json *inner = json_get(o->args, "arguments");
        add_members(f, i, o, strcmp(o->step->op->name, "call") == 0 && json_is(inner, JSON_OBJECT) ? inner : o->args);
    }
}
