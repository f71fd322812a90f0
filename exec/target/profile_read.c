/* Reading a profile's XML. Elements and attributes stand in one table; everything else is refused with
 * file, line, what was found and what was expected. */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "exec/target/map_fill.h"
#include "exec/target/map_table.h"
#include "exec/target/profile_internal.h"

#define NAMESPACE "urn:taskgen:profile:1"

enum { FILE_MAX = 1 << 20 };

struct reading {
    const char *file;
    const struct ops *ops;
    struct profile *profile;
    struct error **err;
};

static const struct element {
    const char *name;
    const char *parent;
    const char *attributes; /* names with a blank between them */
    const char *required;
} elements[] = {
    {"profile", "", "name", "name"},
    {"match", "profile", "tools", "tools"},
    {"op", "profile", "name tool binary none base64 languages", "name"},
    {"arg", "op", "name value as json", "name"},
    {"result", "op", "name at pattern as", "name"},
};

#define FAIL(r, node, ...) fail_at(r, node, error_set((r)->err, ERR_INPUT, __VA_ARGS__))

static int fail_at(struct reading *r, const xmlNode *node, int status)
{
    error_wrap(r->err, "%s:%ld", r->file, node ? xmlGetLineNo((xmlNode *)node) : 1);
    return status;
}

static bool listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; length && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* NULL when absent; in the arena. */
static const char *attribute(struct reading *r, xmlNode *node, const char *name)
{
    xmlChar *value = xmlGetNoNsProp(node, (const xmlChar *)name);
    const char *kept = value ? arena_string(&r->profile->arena, bytes_of_string((const char *)value)) : NULL;
    xmlFree(value);
    return kept;
}

static const struct element *element_of(const xmlNode *node)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp((const char *)node->name, elements[i].name) == 0)
            return &elements[i];
    return NULL;
}

static int check_attributes(struct reading *r, xmlNode *node, const struct element *element)
{
    for (xmlAttr *one = node->properties; one; one = one->next)
        if (!listed(element->attributes, (const char *)one->name))
            return FAIL(r, node, "element %s has the attribute '%s', expected one of: %s", element->name,
                        one->name, element->attributes);
    if (!attribute(r, node, element->required) || !*attribute(r, node, element->required))
        return FAIL(r, node, "element %s has no attribute '%s'", element->name, element->required);
    return 0;
}

/* Is it an element that may stand in `parent`? */
static int check_element(struct reading *r, xmlNode *node, const char *parent)
{
    const struct element *element = element_of(node);
    bool ours = node->ns && strcmp((const char *)node->ns->href, NAMESPACE) == 0;
    if (!ours)
        return FAIL(r, node, "element %s is not in the namespace %s", node->name, NAMESPACE);
    if (!element || strcmp(element->parent, parent) != 0) {
        char expected[64] = "";
        for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
            size_t length = strlen(expected);
            if (strcmp(elements[i].parent, parent) == 0)
                snprintf(expected + length, sizeof expected - length, "%s%s", length ? " or " : "",
                         elements[i].name);
        }
        return FAIL(r, node, "found element %s, expected %s", node->name, *expected ? expected : "none here");
    }
    return check_attributes(r, node, element);
}

/* The next element child; stray text is refused. *child is NULL at the end. */
static int next_child(struct reading *r, xmlNode **child, const char *parent)
{
    while (*child && (*child)->type != XML_ELEMENT_NODE) {
        if ((*child)->type == XML_TEXT_NODE && !xmlIsBlankNode(*child))
            return FAIL(r, *child, "found text in element %s, expected elements only", parent);
        *child = (*child)->next;
    }
    return *child ? check_element(r, *child, parent) : 0;
}

static int read_match(struct reading *r, xmlNode *node)
{
    struct profile *p = r->profile;
    const char *text = attribute(r, node, "tools");
    while (*text) {
        size_t length = strcspn(text, " \n\t");
        if (length && p->tool_count == PROFILE_TOOLS_MAX)
            return FAIL(r, node, "element match names more than %d tools", PROFILE_TOOLS_MAX);
        if (length)
            p->tools[p->tool_count++] = arena_string(&p->arena, bytes_of(text, length));
        text += length + (text[length] != '\0');
    }
    return 0;
}

static int read_flag(struct reading *r, xmlNode *node, const char *name, bool *flag)
{
    const char *text = attribute(r, node, name);
    if (text && strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
        return FAIL(r, node, "attribute %s is '%s', expected yes or no", name, text);
    *flag = text && strcmp(text, "yes") == 0;
    return 0;
}

/* Every placeholder in a stated template must be one that can be filled. */
static int check_template(struct reading *r, xmlNode *node, const struct op *op, const struct json *value,
                          int depth)
{
    if (depth > TEMPLATE_DEPTH)
        return FAIL(r, node, "attribute json is nested more than %d deep", TEMPLATE_DEPTH);
    if (!json_is(value, JSON_OBJECT) && !json_is(value, JSON_ARRAY))
        return 0;
    const struct json *name = json_get(value, "$arg"), *form = json_get(value, "as");
    if (name) {
        const char *text = arena_string(&r->profile->arena, json_as_text(name));
        if (!op_arg_find(op, text) && !map_special_known(text))
            return FAIL(r, node, "op %s has no argument '%s'", op->name, text);
        text = form ? arena_string(&r->profile->arena, json_as_text(form)) : "value";
        return map_form_known(text) ? 0 : FAIL(r, node, "there is no form '%s' of a value", text);
    }
    for (const struct json *one = value->first; one; one = one->next)
        TRY(check_template(r, node, op, one, depth + 1));
    return 0;
}

static int read_arg(struct reading *r, xmlNode *node, struct profile_op *stated)
{
    struct arena *a = &r->profile->arena;
    const char *value = attribute(r, node, "value"), *json = attribute(r, node, "json"),
               *as = attribute(r, node, "as");
    if (!value == !json)
        return FAIL(r, node, "element arg has %s, expected either 'value' or 'json'",
                    value ? "both" : "neither");
    struct json *template = NULL;
    if (json) {
        struct error *why = NULL;
        if (json_read(a, bytes_of_string(json), NULL, "attribute json", &template, NULL, &why) < 0) {
            int status = FAIL(r, node, "%s", why->text);
            error_free(why);
            return status;
        }
    } else {
        const struct op_arg *arg = op_arg_find(stated->op, value);
        bool path = arg && arg->type == OP_PATH,
             text = arg && (arg->type == OP_BYTES || arg->type == OP_TEXT);
        template = json_new(a, JSON_OBJECT);
        json_set(a, template, "$arg", json_text(a, value));
        json_set(a, template, "as", json_text(a, as ? as : path ? "path" : text ? "text" : "value"));
    }
    TRY(check_template(r, node, stated->op, template, 0));
    json_set(a, stated->arguments, attribute(r, node, "name"), template);
    return 0;
}

static int read_pattern(struct reading *r, xmlNode *node, struct profile_result *result, const char *text)
{
    int code;
    size_t offset;
    result->pattern = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                                    PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY, &code, &offset, NULL);
    if (!result->pattern) {
        char message[128];
        pcre2_get_error_message(code, (PCRE2_UCHAR *)message, sizeof message);
        return FAIL(r, node, "pattern '%s': %s at offset %zu", text, message, offset);
    }
    uint32_t groups = 0;
    pcre2_pattern_info(result->pattern, PCRE2_INFO_CAPTURECOUNT, &groups);
    if (!groups)
        return FAIL(r, node, "pattern '%s' has no group, expected one with the result", text);
    int number = pcre2_substring_number_from_name(result->pattern, (PCRE2_SPTR)result->name);
    result->group = number > 0 ? result->name : NULL;
    return 0;
}

static const struct {
    const char *name;
    enum result_form form;
} result_forms[] = {
    {"text", RESULT_TEXT},   {"base64", RESULT_BASE64}, {"number", RESULT_NUMBER},
    {"octal", RESULT_OCTAL}, {"lines", RESULT_LINES},   {"true", RESULT_TRUE},     {"false", RESULT_FALSE},
};

static bool has_result(const struct op *op, const char *name)
{
    for (size_t i = 0; i < op->result_count; i++)
        if (strcmp(op->results[i].name, name) == 0)
            return true;
    return false;
}

static int read_result(struct reading *r, xmlNode *node, struct profile_op *stated)
{
    if (stated->result_count == PROFILE_RESULTS_MAX)
        return FAIL(r, node, "op %s has more than %d elements result", stated->op->name, PROFILE_RESULTS_MAX);
    struct profile_result *result = &stated->results[stated->result_count++];
    const char *pattern = attribute(r, node, "pattern"), *as = attribute(r, node, "as");
    *result = (struct profile_result){.name = attribute(r, node, "name"), .at = attribute(r, node, "at")};
    if (!has_result(stated->op, result->name))
        return FAIL(r, node, "op %s has no result '%s'", stated->op->name, result->name);
    if (!pattern == !result->at)
        return FAIL(r, node, "element result has %s, expected either 'at' or 'pattern'",
                    pattern ? "both" : "neither");
    if (result->at && *result->at && *result->at != '/')
        return FAIL(r, node, "attribute at is '%s', expected a JSON pointer like /structuredContent/text",
                    result->at);
    bool known = !as;
    for (size_t i = 0; as && i < sizeof result_forms / sizeof *result_forms; i++) {
        if (strcmp(as, result_forms[i].name) == 0) {
            result->form = result_forms[i].form;
            known = true;
        }
    }
    if (!known)
        return FAIL(r, node,
                    "attribute as is '%s', expected text, base64, number, octal, lines, true or false", as);
    return pattern ? read_pattern(r, node, result, pattern) : 0;
}

static int read_languages(struct reading *r, xmlNode *node, struct profile_op *stated)
{
    const char *text = attribute(r, node, "languages");
    while (text && *text) {
        size_t length = strcspn(text, " "), count;
        const struct language_row *rows = language_rows(&count);
        bool known = !length;
        for (size_t i = 0; i < count; i++) {
            if (strlen(rows[i].name) == length && strncmp(rows[i].name, text, length) == 0) {
                stated->languages |= 1u << i;
                known = true;
            }
        }
        if (!known)
            return FAIL(r, node, "there is no language '%.*s'", (int)length, text);
        text += length + (text[length] != '\0');
    }
    return 0;
}

static int read_op(struct reading *r, xmlNode *node)
{
    struct profile *p = r->profile;
    const char *name = attribute(r, node, "name");
    const struct op *op = ops_find(r->ops, name);
    if (!op)
        return FAIL(r, node, "there is no op '%s'", name);
    if (p->op_count == PROFILE_OPS_MAX)
        return FAIL(r, node, "more than %d elements op", PROFILE_OPS_MAX);
    struct profile_op *stated = &p->ops[p->op_count++];
    *stated = (struct profile_op){.op = op, .tool = attribute(r, node, "tool")};
    stated->arguments = json_new(&p->arena, JSON_OBJECT);
    TRY(read_flag(r, node, "binary", &stated->binary));
    TRY(read_flag(r, node, "none", &stated->none));
    TRY(read_flag(r, node, "base64", &stated->base64));
    TRY(read_languages(r, node, stated));
    for (size_t i = 0; i + 1 < p->op_count; i++)
        if (p->ops[i].op == op && p->ops[i].binary == stated->binary)
            return FAIL(r, node, "op %s is stated twice", name);
    xmlNode *child = node->children;
    for (;; child = child->next) {
        TRY(next_child(r, &child, "op"));
        if (!child)
            return 0;
        TRY(strcmp((const char *)child->name, "arg") == 0 ? read_arg(r, child, stated)
                                                          : read_result(r, child, stated));
    }
}

static int read_profile(struct reading *r, xmlNode *root)
{
    TRY(check_element(r, root, ""));
    r->profile->name = attribute(r, root, "name");
    xmlNode *child = root->children;
    for (;; child = child->next) {
        TRY(next_child(r, &child, "profile"));
        if (!child)
            return 0;
        TRY(strcmp((const char *)child->name, "match") == 0 ? read_match(r, child) : read_op(r, child));
    }
}

static int parse(struct reading *r, struct bytes text)
{
    xmlInitParser();
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (!parser)
        BUG("out of memory");
    xmlDoc *document = xmlCtxtReadMemory(parser, (const char *)text.data, (int)text.len, r->file, NULL,
                                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                             XML_PARSE_BIG_LINES);
    int status = 0;
    if (!document) {
        const xmlError *why = xmlCtxtGetLastError(parser);
        const char *message = why && why->message ? why->message : "nothing in it";
        status = error_set(r->err, ERR_INPUT, "%s:%d: not well-formed XML: %.*s", r->file,
                           why ? why->line : 1, (int)strcspn(message, "\n"), message);
    } else if (document->intSubset) {
        status = FAIL(r, NULL, "found a document type, expected none");
    } else {
        status = read_profile(r, xmlDocGetRootElement(document));
    }
    xmlFreeDoc(document);
    xmlFreeParserCtxt(parser);
    return status;
}

int profile_load(const char *file, const struct ops *ops, struct profile **profile, struct error **err)
{
    struct buf text;
    struct error *own = NULL;
    buf_init(&text, FILE_MAX);
    *profile = NULL;
    int status = fs_read(file, FILE_MAX, &text, &own);
    struct profile *p = xcalloc(1, sizeof *p);
    arena_init(&p->arena);
    struct reading reading = {file, ops, p, &own};
    if (status == 0)
        status = parse(&reading, buf_bytes(&text));
    buf_release(&text);
    if (status == 0) {
        *profile = p;
        return 0;
    }
    profile_free(p);
    if (err)
        *err = own;
    else
        error_free(own);
    return ERR_INPUT;
}
