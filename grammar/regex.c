/* Regular expressions, in the syntax of PCRE2, as nodes that generate what they match.
 *
 *   expression = branch {"|" branch}           branch = {piece}      piece = atom [quantifier]
 *   atom       = character | "." | class | escape | "(" ["?:" | "?<name>"] expression ")"
 *   quantifier = ("?" | "*" | "+" | "{m}" | "{m,}" | "{m,n}") ["?"]
 *
 * Every generated text matches as a whole (tests hold this against libpcre2, anchored at both ends); not all
 * that matches is generated: anything-but sets prefer printable ASCII. Lazy quantifiers match the same texts
 * when anchored. What would need a matcher (look-around, back-references, \b, atomic groups, possessive
 * quantifiers, options) is refused with its place. A pattern is read as bytes, unless it has a character
 * outside ASCII, \x{100} or more, or begins with (*UTF): then its characters are code points, as with
 * PCRE2_UTF. */
#include "grammar/regex_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { COUNT_MOST = 65535 };

static int read_expression(struct regex *x, uint32_t *node);

bool regex_at(const struct regex *x, const char *text)
{
    return bytes_starts(bytes_slice(x->pattern, x->at, x->pattern.len), bytes_of_string(text));
}

bool regex_skip(struct regex *x, const char *text)
{
    bool there = regex_at(x, text);
    x->at += there ? strlen(text) : 0;
    return there;
}

int regex_fail(struct regex *x, size_t at, const char *text)
{
    struct place place = x->place;
    place.column += (uint32_t)utf8_count(bytes_slice(x->pattern, 0, at));
    return grammar_fail(x->g, place, x->err, "in a regular expression: %s", text);
}

bool regex_is_word(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Pieces. ------------------------------------------------------------------------------------------------ */

static int read_group_name(struct regex *x, size_t start, char close)
{
    size_t first = x->at;
    while (regex_is_word(peek(x)) || peek(x) == '_')
        x->at++;
    if (x->at == first || is_digit(x->pattern.data[first]) || peek(x) != close)
        return regex_fail(x, start, "a group name without its end");
    x->at++;
    return 0;
}

/* What follows the "(" of a group, up to its expression. */
static int read_group_kind(struct regex *x, size_t start)
{
    if (regex_at(x, "*"))
        return regex_fail(x, start, "verbs are not supported, but for (*UTF) at the begin");
    if (!regex_skip(x, "?") || regex_skip(x, ":"))
        return 0;
    if (regex_at(x, "=") || regex_at(x, "!") || regex_at(x, "<=") || regex_at(x, "<!"))
        return regex_fail(x, start, "look-around cannot be generated");
    if (regex_skip(x, "P<") || regex_skip(x, "<"))
        return read_group_name(x, start, '>');
    if (regex_skip(x, "'"))
        return read_group_name(x, start, '\'');
    return regex_fail(x, start, "a group outside the regular subset: (…), (?:…) and (?<name>…) are known");
}

static int read_group(struct regex *x, uint32_t *node)
{
    size_t start = x->at++;
    if (x->depth >= NESTING_MOST)
        return regex_fail(x, start, "groups nested too deeply");
    TRY(read_group_kind(x, start));
    x->depth++;
    x->groups++;
    TRY(read_expression(x, node));
    if (!regex_skip(x, ")"))
        return regex_fail(x, start, "a group without its closing )");
    x->depth--;
    x->groups--;
    return 0;
}

static int read_atom(struct regex *x, uint32_t *node)
{
    size_t start = x->at;
    int c = peek(x);
    if (c == '(')
        return read_group(x, node);
    if (c == '*' || c == '+' || c == '?')
        return regex_fail(x, start, "a quantifier with nothing to repeat");
    if (c == '^' || c == '$')
        return regex_fail(x, start, "an anchor that is not at an end of the expression");
    return regex_character(x, node);
}

static bool read_count(struct regex *x, uint32_t *count)
{
    size_t start = x->at;
    for (*count = 0; peek(x) >= '0' && peek(x) <= '9' && *count <= COUNT_MOST; x->at++)
        *count = 10 * *count + (uint32_t)(peek(x) - '0');
    return x->at > start;
}

/* {m} {m,} {m,n}. Other braces are literal in PCRE2, but not in each of its versions alike, so those that
 * look like counts are refused. */
static int read_braces(struct regex *x, uint32_t *min, uint32_t *max)
{
    size_t start = x->at++;
    bool good = read_count(x, min);
    *max = *min;
    if (good && regex_skip(x, ",") && !read_count(x, max))
        *max = NONE;
    if (!good || !regex_skip(x, "}"))
        return regex_fail(x, start,
                          "braces that are no count {m}, {m,} or {m,n}; a literal brace is written \\{");
    if (*min > COUNT_MOST || (*max != NONE && *max > COUNT_MOST))
        return regex_fail(x, start, "a count above 65535");
    if (*max < *min)
        return regex_fail(x, start, "found an empty range: its end is below its begin");
    return 0;
}

/* True for a brace that would be a count, or nearly one. */
static bool at_braces(const struct regex *x)
{
    int c = peek_at(x, 1);
    return peek(x) == '{' && ((c >= '0' && c <= '9') || c == ',' || c == ' ');
}

static int read_quantifier(struct regex *x, uint32_t *node)
{
    uint32_t min = 0, max = NONE;
    size_t start = x->at;
    if (at_braces(x))
        TRY(read_braces(x, &min, &max));
    else if (regex_skip(x, "?"))
        max = 1;
    else if (regex_skip(x, "+"))
        min = 1;
    else if (!regex_skip(x, "*"))
        return 0;
    if (regex_at(x, "+"))
        return regex_fail(x, start, "possessive quantifiers cannot be generated");
    regex_skip(x, "?"); /* lazy */
    if (at_braces(x) || (peek(x) > 0 && strchr("?*+", peek(x))))
        return regex_fail(x, x->at, "a quantifier after a quantifier");
    *node = node_repeat(x->g, *node, NONE, min, max, x->place);
    return 0;
}

/* Branches. ---------------------------------------------------------------------------------------------- */

static bool at_branch_end(const struct regex *x)
{
    int c = peek(x);
    return c < 0 || c == '|' || c == ')';
}

/* Whether the $ here stands at an end of the whole expression, where it adds nothing. */
static bool at_last_anchor(const struct regex *x)
{
    int c = peek_at(x, 1);
    return x->groups == 0 && peek(x) == '$' && (c < 0 || c == '|');
}

static int read_branch(struct regex *x, uint32_t *node)
{
    size_t mark = x->pending.count;
    if (x->groups == 0)
        regex_skip(x, "^");
    while (!at_branch_end(x) && !at_last_anchor(x)) {
        uint32_t piece = NONE;
        if (at_braces(x))
            return regex_fail(x, x->at,
                              "a quantifier with nothing to repeat; a literal brace is written \\{");
        TRY(read_atom(x, &piece));
        TRY(read_quantifier(x, &piece));
        POOL_ADD(x->pending, piece);
    }
    if (at_last_anchor(x))
        x->at++;
    size_t count = x->pending.count - mark;
    *node = count ? node_list(x->g, NODE_SEQUENCE, x->pending.items + mark, count, x->place)
                  : node_text(x->g, BYTES_NONE, x->place);
    x->pending.count = mark;
    return 0;
}

static int read_expression(struct regex *x, uint32_t *node)
{
    size_t mark = x->pending.count;
    do {
        uint32_t branch = NONE;
        TRY(read_branch(x, &branch));
        POOL_ADD(x->pending, branch);
    } while (regex_skip(x, "|"));
    *node = node_choice(x->g, x->pending.items + mark, NULL, x->pending.count - mark, x->place);
    x->pending.count = mark;
    return 0;
}

/* Whether the pattern has anything that only makes sense for code points. */
static bool needs_code_points(struct bytes pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (pattern.data[i] >= 0x80)
            return true;
    ptrdiff_t at = -1;
    while ((at = bytes_find(pattern, BYTES_LITERAL("\\x{"), (size_t)(at + 1))) >= 0) {
        size_t digit = (size_t)at + 3;
        while (digit < pattern.len && pattern.data[digit] == '0')
            digit++;
        size_t first = digit;
        while (digit < pattern.len && hex_digit(pattern.data[digit]) >= 0)
            digit++;
        if (digit - first > 2)
            return true;
    }
    return false;
}

int regex_read(struct grammar *g, struct bytes pattern, struct place place, unsigned depth, uint32_t *node,
               struct error **err)
{
    struct regex x = {.g = g, .pattern = pattern, .place = place, .depth = depth, .err = err};
    POOL_ROOM(x.pending, 1);
    x.code_points = regex_skip(&x, "(*UTF)") || needs_code_points(pattern);
    int status = read_expression(&x, node);
    if (status == 0 && x.at < pattern.len)
        status = regex_fail(&x, x.at, "a ) without its group");
    free(x.pending.items);
    return status;
}
