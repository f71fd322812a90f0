/* Regular expressions: what stands for one character.
 *
 * A class is read as two sets: all that is in it, and what was named outright. What comes in only as
 * "anything but" is drawn from printable ASCII where that leaves a choice; complements are taken of the exact
 * set before it is narrowed, so nothing is ever generated that the class would not match. */
#include "grammar/regex_internal.h"

#include <string.h>

#include "base/utf8.h"

enum { LAST_BYTE = 0xFF, LAST_CODE_POINT = 0x10FFFF };

/* Escapes. ----------------------------------------------------------------------------------------------- */

/* \xH, \xHH (up to two digits), \x{H…}. */
static int read_hex(struct regex *x, size_t start, uint32_t *c)
{
    bool braces = regex_skip(x, "{");
    uint32_t value = 0;
    size_t digits = 0;
    for (; hex_digit(peek(x)) >= 0 && digits < (braces ? 6 : 2); digits++)
        value = value << 4 | (uint32_t)hex_digit(x->pattern.data[x->at++]);
    if (digits == 0 || (braces && !regex_skip(x, "}")))
        return regex_fail(x, start, "\\x, expected hex digits after it, as in \\x7f or \\x{263a}");
    if (value > (x->code_points ? (uint32_t)LAST_CODE_POINT : LAST_BYTE) ||
        (value >= 0xD800 && value < 0xE000))
        return regex_fail(x, start, "\\x{…} names no character");
    *c = value;
    return 0;
}

/* \0 and up to two more octal digits. */
static uint32_t read_octal(struct regex *x)
{
    uint32_t value = 0;
    for (int digits = 0; digits < 2 && peek(x) >= '0' && peek(x) <= '7'; digits++)
        value = value << 3 | (uint32_t)(x->pattern.data[x->at++] - '0');
    return value;
}

static int read_character(struct regex *x, uint32_t *c)
{
    if (x->code_points) {
        int32_t decoded = utf8_next(x->pattern, &x->at);
        if (decoded < 0)
            return regex_fail(x, x->at - 1, "a byte that is not UTF-8");
        *c = (uint32_t)decoded;
    } else {
        *c = x->pattern.data[x->at++];
    }
    return 0;
}

/* Escapes that stand for something else than a character, or for one that is not in the subset. */
static int refuse_escape(struct regex *x, int letter, size_t start)
{
    if (letter >= '1' && letter <= '9')
        return regex_fail(x, start, "back-references cannot be generated");
    if (strchr("bBAzZG", letter))
        return regex_fail(x, start, "assertions cannot be generated");
    return regex_fail(x, start,
                      "an escape outside the regular subset: \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\e \\a "
                      "\\0 \\xHH \\x{H} and escaped punctuation are known");
}

/* An escape for one character; x->at is behind the backslash. */
static int read_escape(struct regex *x, bool in_class, uint32_t *c)
{
    static const char letters[] = "nrtfeab"; /* the last one in classes only */
    static const char values[] = "\n\r\t\f\x1B\a\b";
    size_t start = x->at - 1;
    int letter = peek(x);
    if (letter < 0)
        return regex_fail(x, start, "a backslash at the end");
    if (!regex_is_word(letter))
        return read_character(x, c);
    x->at++;
    const char *found = strchr(letters, letter);
    if (letter == 'x')
        return read_hex(x, start, c);
    if (letter == '0')
        *c = read_octal(x);
    else if (found && (letter != 'b' || in_class))
        *c = (uint8_t)values[found - letters];
    else
        return refuse_escape(x, letter, start);
    return 0;
}

/* Sets. -------------------------------------------------------------------------------------------------- */

/* What a class is while it is read: all that is in it, and what was named outright rather than as "not …". */
struct char_class {
    struct char_set all, named;
};

/* \d \w \s \D \W \S: true when there was one. */
static bool read_set_escape(struct regex *x, struct char_class *c)
{
    int letter = peek(x) == '\\' ? peek_at(x, 1) : -1;
    if (letter <= 0 || !strchr("dwsDWS", letter))
        return false;
    x->at += 2;
    struct char_set set = {0};
    char_set_add_escape(&set, letter | 0x20);
    if (letter & 0x20)
        char_set_add_all(&c->named, &set);
    else
        char_set_invert(&set, x->code_points);
    char_set_add_all(&c->all, &set);
    char_set_release(&set);
    return true;
}

/* [:name:] or [:^name:]; 0: there is none here, 1: read. */
static int read_posix(struct regex *x, struct char_class *c)
{
    if (!regex_at(x, "[:"))
        return regex_at(x, "[.") || regex_at(x, "[=")
                   ? regex_fail(x, x->at, "collating elements are not supported")
                   : 0;
    size_t start = x->at;
    ptrdiff_t end = bytes_find(x->pattern, BYTES_LITERAL(":]"), start);
    if (end < 0)
        return 0;
    x->at += 2;
    bool negated = regex_skip(x, "^");
    struct char_set set = {0};
    if (!char_set_add_posix(&set, bytes_slice(x->pattern, x->at, (size_t)end)))
        return regex_fail(x, start, "an unknown POSIX class");
    if (negated)
        char_set_invert(&set, x->code_points);
    else
        char_set_add_all(&c->named, &set);
    char_set_add_all(&c->all, &set);
    char_set_release(&set);
    x->at = (size_t)end + 2;
    return 1;
}

static int read_class_character(struct regex *x, uint32_t *c)
{
    if (!regex_skip(x, "\\"))
        return read_character(x, c);
    return read_escape(x, true, c);
}

/* One member of a class: a set, a character or a range. */
static int read_member(struct regex *x, struct char_class *c)
{
    size_t start = x->at;
    int set = read_set_escape(x, c) ? 1 : read_posix(x, c);
    if (set > 0 && peek(x) == '-' && peek_at(x, 1) != ']')
        return regex_fail(x, start, "a range that begins with a set");
    if (set != 0)
        return set < 0 ? set : 0;
    uint32_t low, high;
    TRY(read_class_character(x, &low));
    high = low;
    if (peek(x) == '-' && peek_at(x, 1) >= 0 && peek_at(x, 1) != ']') {
        x->at++;
        struct char_class end = {0};
        bool ends_in_set = read_set_escape(x, &end) || regex_at(x, "[:");
        char_set_release(&end.all);
        char_set_release(&end.named);
        if (ends_in_set)
            return regex_fail(x, start, "a range that ends in a set");
        TRY(read_class_character(x, &high));
        if (high < low)
            return regex_fail(x, start, "found an empty range: its end is below its begin");
    }
    char_set_add(&c->named, low, high);
    char_set_add(&c->all, low, high);
    return 0;
}

static int read_members(struct regex *x, size_t start, struct char_class *c)
{
    for (bool first = true; first || peek(x) != ']'; first = false) {
        if (peek(x) < 0)
            return regex_fail(x, start, "a class without its closing ]");
        TRY(read_member(x, c));
    }
    x->at++;
    return 0;
}

/* Turns what was read into a node and releases it. */
static int finish_class(struct regex *x, struct char_class *c, bool negated, size_t start, uint32_t *node)
{
    if (negated)
        char_set_invert(&c->all, x->code_points);
    char_set_prefer_printable(&c->all);
    if (!negated)
        char_set_add_all(&c->all, &c->named);
    if (!negated && c->named.ranges.count == 0 && c->all.ranges.count == 0)
        BUG("a class that names nothing");
    if (c->all.ranges.count == 0)
        return regex_fail(x, start, "a class that matches nothing");
    *node = char_set_node(x->g, &c->all, x->code_points, x->place);
    return 0;
}

static int read_class(struct regex *x, uint32_t *node)
{
    size_t start = x->at;
    if (regex_at(x, "[:") && bytes_find(x->pattern, BYTES_LITERAL(":]"), start) >= 0)
        return regex_fail(x, start, "a POSIX class outside a class, expected [[:name:]]");
    x->at++;
    bool negated = regex_skip(x, "^");
    struct char_class c = {0};
    int status = read_members(x, start, &c);
    if (status == 0)
        status = finish_class(x, &c, negated, start, node);
    char_set_release(&c.all);
    char_set_release(&c.named);
    return status;
}

/* Anything but a line feed. */
static uint32_t dot_node(struct regex *x)
{
    struct char_set set = {0};
    char_set_add(&set, '\n', '\n');
    char_set_invert(&set, x->code_points);
    char_set_prefer_printable(&set);
    uint32_t node = char_set_node(x->g, &set, x->code_points, x->place);
    char_set_release(&set);
    return node;
}

static int read_literal(struct regex *x, uint32_t *node)
{
    uint32_t c;
    if (regex_skip(x, "\\"))
        TRY(read_escape(x, false, &c));
    else
        TRY(read_character(x, &c));
    struct char_set set = {0};
    char_set_add(&set, c, c);
    *node = char_set_node(x->g, &set, x->code_points, x->place);
    char_set_release(&set);
    return 0;
}

int regex_character(struct regex *x, uint32_t *node)
{
    size_t start = x->at;
    if (peek(x) == '[')
        return read_class(x, node);
    if (regex_skip(x, ".")) {
        *node = dot_node(x);
        return 0;
    }
    struct char_class c = {0};
    int status = 0;
    if (read_set_escape(x, &c))
        status = finish_class(x, &c, false, start, node);
    else
        status = read_literal(x, node);
    char_set_release(&c.all);
    char_set_release(&c.named);
    return status;
}
