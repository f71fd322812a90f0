/* Texts of templates: attribute value templates ("a {name.prop} b"), mixed content with <get> and <use>, and
 * makers, the attributes that say how a value is made. */
#include <string.h>

#include "grammar/domain_internal.h"

enum { MAX_PARTS = 4096 };

struct builder {
    struct reading *r;
    struct text_part *parts;
    size_t count, capacity;
};

static struct text_part *add_part(struct builder *b, enum text_part_kind kind)
{
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? b->capacity * 2 : 4;
        struct text_part *bigger = arena_alloc(b->r->arena, capacity * sizeof *bigger);
        if (b->count)
            memcpy(bigger, b->parts, b->count * sizeof *bigger);
        b->parts = bigger;
        b->capacity = capacity;
    }
    struct text_part *part = &b->parts[b->count++];
    part->kind = kind;
    return part;
}

bool text_is_whole(const struct text *t)
{
    return t->count == 1 && t->parts[0].kind == TEXT_EXPR && t->parts[0].encoder_count == 0;
}

/* Offset of the brace that ends the expression starting at `at`, or the length. Braces in quoted text do not
 * count. */
static size_t expression_end(struct bytes source, size_t at)
{
    uint8_t quote = 0;
    for (; at < source.len; at++) {
        uint8_t c = source.data[at];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '}')
            break;
    }
    return at;
}

static bool stands_twice(struct bytes source, size_t at)
{
    return at + 1 < source.len && source.data[at + 1] == source.data[at];
}

static void flush(struct builder *b, struct buf *literal)
{
    if (literal->len)
        add_part(b, TEXT_LITERAL)->literal = arena_copy(b->r->arena, buf_bytes(literal));
    buf_clear(literal);
}

static int read_template(struct builder *b, struct plan_place place, struct bytes source, struct buf *literal)
{
    for (size_t at = 0; at < source.len; at++) {
        uint8_t c = source.data[at];
        if ((c == '{' || c == '}') && stands_twice(source, at)) {
            buf_add_byte(literal, c);
            at++;
        } else if (c == '}') {
            return plan_fail(b->r->err, place, "found a lone } in \"%.*s\", expected }} for a literal one",
                             BYTES_ARG(source));
        } else if (c == '{') {
            size_t end = expression_end(source, at + 1);
            if (end == source.len)
                return plan_fail(b->r->err, place,
                                 "found { without its } in \"%.*s\", expected {{ for a literal one",
                                 BYTES_ARG(source));
            flush(b, literal);
            TRY(expr_parse(b->r->arena, bytes_slice(source, at + 1, end), place,
                           &add_part(b, TEXT_EXPR)->expr, b->r->err));
            at = end;
        } else {
            buf_add_byte(literal, c);
        }
    }
    flush(b, literal);
    return 0;
}

int text_read_template(struct reading *r, struct plan_place place, struct bytes source, struct text *out)
{
    struct builder b = {r, NULL, 0, 0};
    struct buf literal;
    buf_init(&literal, XML_MAX_FILE);
    int status = read_template(&b, place, source, &literal);
    buf_release(&literal);
    *out = (struct text){place, b.parts, b.count};
    return status;
}

int text_read_attribute(struct reading *r, const xmlNode *node, const char *name, struct text **out)
{
    const char *value = xml_attribute(node, name);
    *out = NULL;
    if (!value)
        return 0;
    *out = arena_alloc(r->arena, sizeof **out);
    return text_read_template(r, place_at(r, node), bytes_of_string(value), *out);
}

bool text_split(struct bytes source, const char *separator, size_t *at, struct bytes *piece)
{
    if (*at > source.len)
        return false;
    size_t len = strlen(separator), i = *at;
    for (; i < source.len; i++) {
        if (source.data[i] == '{' && stands_twice(source, i))
            i++;
        else if (source.data[i] == '{')
            i = expression_end(source, i + 1);
        else if (source.len - i >= len && memcmp(source.data + i, separator, len) == 0)
            break;
    }
    if (i > source.len)
        i = source.len;
    *piece = bytes_slice(source, *at, i);
    *at = i < source.len ? i + len : source.len + 1;
    return true;
}

/* --- mixed content --- */

static int read_encoders(struct reading *r, const xmlNode *node, struct text_part *part)
{
    const char *value = xml_attribute(node, "esc");
    if (!value)
        return 0;
    size_t count;
    const char *const *words = words_read(r, value, &count);
    const struct function_row **rows = arena_alloc(r->arena, count * sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        const char *full = arena_printf(r->arena, "esc.%s", words[i]);
        rows[i] = function_find(bytes_of_string(full));
        if (!rows[i])
            rows[i] = function_find(bytes_of_string(words[i]));
        if (!rows[i])
            return plan_fail(r->err, place_at(r, node),
                             "unknown encoder \"%s\", expected one such as sh, py, json, url or xml",
                             words[i]);
    }
    part->encoders = rows;
    part->encoder_count = count;
    return 0;
}

static struct rule_call *call_new(struct reading *r, const xmlNode *node, const char *rule)
{
    struct rule_call *call = arena_alloc(r->arena, sizeof *call);
    call->place = place_at(r, node);
    call->name = arena_string(r->arena, bytes_of_string(rule));
    call->rule = -1;
    return call;
}

int text_read_parameters(struct reading *r, const xmlNode *node, const struct element *row,
                         struct named_text **out, size_t *count)
{
    size_t n = 0;
    for (const xmlAttr *a = node->properties; a; a = a->next)
        n++;
    *out = arena_alloc(r->arena, (n + 1) * sizeof **out);
    *count = 0;
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        const char *name = (const char *)a->name;
        bool other = a->ns || element_attribute_find(row->attributes, name) ||
                     ((row->flags & ELEMENT_MAKER) &&
                      element_attribute_find(element_maker_attributes(), name)) ||
                     ((row->flags & ELEMENT_GUARD) && strcmp(name, "when") == 0);
        if (other)
            continue;
        struct named_text *parameter = &(*out)[(*count)++];
        parameter->name = arena_string(r->arena, bytes_of_string(name));
        TRY(text_read_template(r, place_at(r, node), bytes_of_string(xml_attribute_text(a)),
                               &parameter->value));
    }
    return 0;
}

static int read_get(struct builder *b, xmlNode *node)
{
    struct reading *r = b->r;
    TRY(element_check(r, node, element_at(ELEMENT_GET)));
    struct text_part *part = add_part(b, TEXT_EXPR);
    TRY(expr_parse(r->arena, bytes_of_string(xml_attribute(node, "name")), place_at(r, node), &part->expr,
                   r->err));
    return read_encoders(r, node, part);
}

static int read_use(struct builder *b, xmlNode *node)
{
    struct reading *r = b->r;
    const struct element *row = element_at(ELEMENT_USE);
    TRY(element_check(r, node, row));
    struct text_part *part = add_part(b, TEXT_RULE);
    part->call = call_new(r, node, xml_attribute(node, "rule"));
    struct named_text *args;
    TRY(text_read_parameters(r, node, row, &args, &part->call->arg_count));
    part->call->args = args;
    return read_encoders(r, node, part);
}

static int read_mixed(struct builder *b, xmlNode *node, struct buf *literal)
{
    for (xmlNode *child = node->children; child; child = child->next) {
        if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) {
            buf_add(literal, bytes_of_string((const char *)child->content));
            continue;
        }
        if (child->type != XML_ELEMENT_NODE)
            continue;
        flush(b, literal);
        bool get = strcmp(xml_name(child), "get") == 0;
        if ((!get && strcmp(xml_name(child), "use") != 0) || !xml_in_namespace(child, DOMAIN_NAMESPACE))
            return plan_fail(b->r->err, place_at(b->r, child),
                             "found <%s> in <%s>, expected text, <get> and <use>", xml_name(child),
                             xml_name(node));
        if (b->count == MAX_PARTS)
            return plan_fail(b->r->err, place_at(b->r, child), "more than %d parts in one text", MAX_PARTS);
        TRY(get ? read_get(b, child) : read_use(b, child));
    }
    flush(b, literal);
    return 0;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Runs of white space become one space; at both ends of the whole they go. */
static void lay_out_sentence(struct builder *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->parts[i].kind != TEXT_LITERAL)
            continue;
        struct bytes from = b->parts[i].literal;
        uint8_t *to = arena_alloc(b->r->arena, from.len + 1);
        size_t len = 0;
        for (size_t at = 0; at < from.len; at++)
            if (!is_space(from.data[at]))
                to[len++] = from.data[at];
            else if (len ? to[len - 1] != ' ' : i > 0)
                to[len++] = ' ';
        if (i + 1 == b->count)
            while (len && to[len - 1] == ' ')
                len--;
        b->parts[i].literal = bytes_of(to, len);
    }
}

/* Number of blanks at the start of the line at `at`, or -1 for a line that is blank or the end of the whole.
 */
static ptrdiff_t indentation(struct bytes text, size_t at, bool last)
{
    size_t end = at;
    while (end < text.len && (text.data[end] == ' ' || text.data[end] == '\t'))
        end++;
    bool blank = end < text.len ? text.data[end] == '\n' : last;
    return blank ? -1 : (ptrdiff_t)(end - at);
}

static size_t common_indentation(const struct builder *b)
{
    size_t common = SIZE_MAX;
    for (size_t i = 0; i < b->count; i++) {
        struct bytes text = b->parts[i].literal;
        for (size_t at = 0; b->parts[i].kind == TEXT_LITERAL && at <= text.len; at++) {
            bool starts = at ? text.data[at - 1] == '\n' : i == 0;
            ptrdiff_t blanks = starts ? indentation(text, at, i + 1 == b->count) : -1;
            if (blanks >= 0 && (size_t)blanks < common)
                common = (size_t)blanks;
        }
    }
    return common == SIZE_MAX ? 0 : common;
}

static struct bytes without_indentation(struct builder *b, struct bytes from, bool starts, bool last,
                                        size_t common)
{
    uint8_t *to = arena_alloc(b->r->arena, from.len + 1);
    size_t len = 0;
    for (size_t at = 0; at < from.len; at++) {
        if (starts) {
            size_t blanks = 0;
            while (blanks < common && at + blanks < from.len &&
                   (from.data[at + blanks] == ' ' || from.data[at + blanks] == '\t'))
                blanks++;
            at += blanks;
            if (at == from.len)
                break;
        }
        to[len++] = from.data[at];
        starts = from.data[at] == '\n';
    }
    while (last && len && (to[len - 1] == ' ' || to[len - 1] == '\t'))
        len--;
    return bytes_of(to, len);
}

/* A block that starts on a line of its own loses that line break, the indentation its lines share, and the
 * blanks before its end tag; any other text stays as it is. */
static void lay_out_block(struct builder *b)
{
    if (!b->count || b->parts[0].kind != TEXT_LITERAL)
        return;
    struct bytes first = b->parts[0].literal;
    size_t blanks = 0;
    while (blanks < first.len && (first.data[blanks] == ' ' || first.data[blanks] == '\t'))
        blanks++;
    if (blanks == first.len || first.data[blanks] != '\n')
        return;
    b->parts[0].literal = bytes_slice(first, blanks + 1, first.len);
    size_t common = common_indentation(b);
    for (size_t i = 0; i < b->count; i++)
        if (b->parts[i].kind == TEXT_LITERAL)
            b->parts[i].literal = without_indentation(b, b->parts[i].literal, i == 0, i + 1 == b->count,
                                                      common);
}

int text_read_mixed(struct reading *r, xmlNode *node, enum text_layout layout, struct text *out)
{
    struct builder b = {r, NULL, 0, 0};
    struct buf literal;
    buf_init(&literal, XML_MAX_FILE);
    int status = read_mixed(&b, node, &literal);
    buf_release(&literal);
    if (status == 0 && layout == LAYOUT_SENTENCE)
        lay_out_sentence(&b);
    else if (status == 0)
        lay_out_block(&b);
    *out = (struct text){place_at(r, node), b.parts, b.count};
    return status;
}
