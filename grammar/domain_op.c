/* Ops as elements: attributes and child elements to arguments, and the attributes that every step has. */
#include <stdio.h>
#include <string.h>

#include "grammar/domain_internal.h"

static int unknown_part(struct reading *r, const xmlNode *xml, const struct op *op, const char *what,
                        const char *name, bool (*allowed)(const struct op_arg *arg))
{
    char list[512] = "";
    for (size_t i = 0; i < op->arg_count; i++) {
        size_t len = strlen(list);
        if (allowed(&op->args[i]))
            snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", op->args[i].name);
    }
    return plan_fail(r->err, place_at(r, xml), "op %s has no argument \"%s\" as %s, expected %s", op->name,
                     name, what, *list ? list : "none");
}

static bool literal_of(const struct text *t, struct bytes *literal)
{
    *literal = t->count ? t->parts[0].literal : BYTES_NONE;
    return !t->count || (t->count == 1 && t->parts[0].kind == TEXT_LITERAL);
}

static bool is_one_of(const struct op_arg *arg, struct bytes value)
{
    for (size_t i = 0; arg->values[i]; i++)
        if (bytes_equal_string(value, arg->values[i]))
            return true;
    return false;
}

static bool is_real(struct bytes value)
{
    size_t at = value.len && value.data[0] == '-', digits = 0, dots = 0;
    for (; at < value.len; at++) {
        dots += value.data[at] == '.';
        digits += value.data[at] >= '0' && value.data[at] <= '9';
    }
    return digits && dots <= 1 && digits + dots + (value.data[0] == '-') == value.len;
}

static bool is_bool(struct bytes value)
{
    return bytes_equal_string(value, "true") || bytes_equal_string(value, "false") ||
           bytes_equal_string(value, "yes") || bytes_equal_string(value, "no");
}

/* A literal number may be written as in expressions (0o644); it becomes one, so that it keeps its type. */
static int check_integer(struct reading *r, const struct op_arg *arg, struct bytes literal, struct text *t)
{
    struct expr *number;
    if (expr_parse(r->arena, literal, t->place, &number, NULL) < 0 ||
        (number->kind != EXPR_INTEGER &&
         !(number->kind == EXPR_NEGATE && number->args[0]->kind == EXPR_INTEGER)))
        return plan_fail(r->err, t->place, "found %s=\"%.*s\", expected a whole number", arg->name,
                         BYTES_ARG(literal));
    t->parts[0].kind = TEXT_EXPR;
    t->parts[0].expr = number;
    return 0;
}

static int check_literal(struct reading *r, const struct op_arg *arg, struct text *t)
{
    struct bytes literal;
    if (!literal_of(t, &literal))
        return 0;
    if (arg->type == OP_INT)
        return t->count ? check_integer(r, arg, literal, t)
                        : plan_fail(r->err, t->place, "found %s=\"\", expected a whole number", arg->name);
    if (arg->type == OP_ONE_OF && !is_one_of(arg, literal)) {
        char list[256] = "";
        for (size_t i = 0; arg->values[i]; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", arg->values[i]);
        return plan_fail(r->err, t->place, "found %s=\"%.*s\", expected one of %s", arg->name,
                         BYTES_ARG(literal), list);
    }
    if (arg->type == OP_BOOL && !is_bool(literal))
        return plan_fail(r->err, t->place, "found %s=\"%.*s\", expected true or false", arg->name,
                         BYTES_ARG(literal));
    if (arg->type == OP_REAL && !is_real(literal))
        return plan_fail(r->err, t->place, "found %s=\"%.*s\", expected a number", arg->name,
                         BYTES_ARG(literal));
    if (arg->type == OP_PATH && literal.len)
        list_add(r->arena, &r->fixed_paths, &t->parts[0].literal);
    return 0;
}

static int add_item(struct reading *r, struct plan_op_arg *a, struct plan_place place, struct bytes word)
{
    return text_read_template(r, place, word, &a->items[a->item_count++].value);
}

/* texts as an attribute: words separated by single or more spaces that stand outside braces. */
static int read_words(struct reading *r, const xmlNode *xml, const char *value, struct plan_op_arg *a)
{
    struct bytes source = bytes_of_string(value), word;
    a->kind = OP_VALUE_LIST;
    a->items = arena_alloc(r->arena, (source.len / 2 + 2) * sizeof *a->items);
    for (size_t at = 0; text_split(source, " ", &at, &word);)
        if (word.len)
            TRY(add_item(r, a, place_at(r, xml), word));
    return 0;
}

static struct plan_op_arg *add_arg(struct reading *r, const xmlNode *xml, struct plan_op *op,
                                   const struct op_arg *arg)
{
    for (size_t i = 0; i < op->arg_count; i++)
        if (op->args[i].arg == arg && arg->type != OP_MAP) {
            plan_fail(r->err, place_at(r, xml), "argument \"%s\" stands there twice", arg->name);
            return NULL;
        } else if (op->args[i].arg == arg) {
            return &op->args[i];
        }
    op->args[op->arg_count].arg = arg;
    return &op->args[op->arg_count++];
}

static int read_attribute_arg(struct reading *r, const xmlNode *xml, const char *value,
                              const struct op_arg *arg, struct plan_op *op)
{
    struct plan_op_arg *a = add_arg(r, xml, op, arg);
    if (!a)
        return ERR_INPUT;
    if (arg->type == OP_TEXTS)
        return read_words(r, xml, value, a);
    TRY(text_read_template(r, place_at(r, xml), bytes_of_string(value), &a->text));
    return check_literal(r, arg, &a->text);
}

/* One of the attributes that every step has. */
static int read_step_attribute(struct reading *r, const xmlNode *xml, const struct element_attribute *row,
                               const char *value, struct plan_node *node)
{
    struct plan_op *op = &node->u.op;
    TRY(attribute_check(r, xml, row, value));
    const struct {
        const char *name;
        struct text **text;
    } texts[] = {{"session", &op->session},   {"as", &op->as},
                 {"after-ms", &op->after_ms}, {"cancel-after-ms", &op->cancel_after_ms},
                 {"repeat", &op->repeat},     {"timeout-ms", &op->timeout_ms}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i].name, row->name) == 0)
            return text_read_attribute(r, xml, row->name, texts[i].text);
    const char *kept = arena_string(r->arena, bytes_of_string(value));
    if (strcmp(row->name, "id") == 0)
        op->id = kept;
    else if (strcmp(row->name, "into") == 0)
        node->name = kept;
    return 0; /* handle and state belong to into */
}

static int read_into(struct reading *r, const xmlNode *xml, struct plan_node *node)
{
    const char *handle = xml_attribute(xml, "handle"), *state = xml_attribute(xml, "state");
    if (!node->name) {
        if (handle || state)
            return plan_fail(r->err, place_at(r, xml),
                             "found handle or state without into, expected all of them or none");
        return 0;
    }
    if (state && !handle)
        return plan_fail(r->err, place_at(r, xml), "found state without handle, expected both");
    if (!node->u.op.op->result_count)
        return plan_fail(r->err, place_at(r, xml), "op %s has no results to put into \"%s\"",
                         node->u.op.op->name, node->name);
    struct plan_def *def = arena_alloc(r->arena, sizeof *def);
    def->type_name = handle ? arena_string(r->arena, bytes_of_string(handle)) : NULL;
    def->state_name = state ? arena_string(r->arena, bytes_of_string(state)) : NULL;
    node->u.op.into = def;
    return 0;
}

static int read_attributes(struct reading *r, const xmlNode *xml, struct plan_node *node)
{
    for (const xmlAttr *a = xml->properties; a; a = a->next) {
        const char *name = (const char *)a->name, *value = xml_attribute_text(a);
        const struct op_arg *arg = op_arg_find(node->u.op.op, name);
        const struct element_attribute *row = element_attribute_find(element_step_attributes(), name);
        if (a->ns || strcmp(name, "when") == 0)
            continue;
        if (arg && op_arg_as_attribute(arg))
            TRY(read_attribute_arg(r, xml, value, arg, &node->u.op));
        else if (row)
            TRY(read_step_attribute(r, xml, row, value, node));
        else
            return unknown_part(r, xml, node->u.op.op, "attribute", name, op_arg_as_attribute);
    }
    return read_into(r, xml, node);
}

static size_t count_children(xmlNode *xml)
{
    size_t count = 0;
    for (xmlNode *n = xml_element(xml->children, NULL); n; n = xml_element(n->next, NULL))
        count++;
    return count;
}

static int read_list(struct reading *r, xmlNode *xml, struct plan_op_arg *a)
{
    const xmlNode *stray = NULL;
    a->kind = OP_VALUE_LIST;
    a->items = arena_alloc(r->arena, (count_children(xml) + 1) * sizeof *a->items);
    for (xmlNode *n = xml_element(xml->children, &stray); n; n = xml_element(n->next, &stray)) {
        if (strcmp(xml_name(n), "arg") != 0)
            return plan_fail(r->err, place_at(r, n), "found <%s> in <%s>, expected <arg>", xml_name(n),
                             xml_name(xml));
        TRY(text_read_mixed(r, n, LAYOUT_BLOCK, &a->items[a->item_count++].value));
    }
    return stray ? plan_fail(r->err, place_at(r, stray), "found text in <%s>, expected <arg>", xml_name(xml))
                 : 0;
}

static int read_entry(struct reading *r, xmlNode *xml, struct plan_op_arg *a, size_t room)
{
    const char *name = xml_attribute(xml, "name");
    if (!name)
        return plan_fail(r->err, place_at(r, xml), "<%s> without the attribute \"name\"", xml_name(xml));
    a->kind = OP_VALUE_MAP;
    if (!a->items)
        a->items = arena_alloc(r->arena, room * sizeof *a->items);
    for (size_t i = 0; i < a->item_count; i++)
        if (strcmp(a->items[i].name, name) == 0)
            return plan_fail(r->err, place_at(r, xml), "found a second <%s name=\"%s\">, expected one",
                             xml_name(xml), name);
    struct named_text *item = &a->items[a->item_count++];
    item->name = arena_string(r->arena, bytes_of_string(name));
    return text_read_mixed(r, xml, LAYOUT_BLOCK, &item->value);
}

static int check_child_attributes(struct reading *r, const xmlNode *xml, const struct op_arg *arg)
{
    for (const xmlAttr *a = xml->properties; a; a = a->next)
        if (!a->ns && !(arg->type == OP_MAP && strcmp((const char *)a->name, "name") == 0))
            return plan_fail(r->err, place_at(r, xml), "found the attribute \"%s\" in <%s>, expected %s",
                             (const char *)a->name, xml_name(xml), arg->type == OP_MAP ? "name" : "none");
    return 0;
}

static int read_children(struct reading *r, xmlNode *xml, struct plan_op *op)
{
    const xmlNode *stray = NULL;
    size_t room = count_children(xml) + 1;
    for (xmlNode *n = xml_element(xml->children, &stray); n; n = xml_element(n->next, &stray)) {
        const struct op_arg *arg = op_arg_find(op->op, xml_name(n));
        if (!arg || !op_arg_as_element(arg) || !xml_in_namespace(n, DOMAIN_NAMESPACE))
            return unknown_part(r, n, op->op, "element", xml_name(n), op_arg_as_element);
        TRY(check_child_attributes(r, n, arg));
        struct plan_op_arg *a = add_arg(r, n, op, arg);
        if (!a)
            return ERR_INPUT;
        if (arg->type == OP_TEXTS)
            TRY(read_list(r, n, a));
        else if (arg->type == OP_MAP)
            TRY(read_entry(r, n, a, room));
        else
            TRY(text_read_mixed(r, n, LAYOUT_BLOCK, &a->text));
    }
    if (stray)
        return plan_fail(r->err, place_at(r, stray),
                         "found text in <%s>, expected an element for an argument", op->op->name);
    return 0;
}

static bool has_arg(const struct plan_op *op, const char *name)
{
    for (size_t i = 0; i < op->arg_count; i++)
        if (strcmp(op->args[i].arg->name, name) == 0)
            return true;
    return false;
}

static int check_complete(struct reading *r, const struct plan_node *node)
{
    const struct plan_op *op = &node->u.op;
    for (size_t i = 0; i < op->op->arg_count; i++)
        if (op->op->args[i].required && !has_arg(op, op->op->args[i].name))
            return plan_fail(r->err, node->place, "op %s without its argument \"%s\" (%s)", op->op->name,
                             op->op->args[i].name, op->op->args[i].doc);
    if (op->as && !has_arg(op, "path"))
        return plan_fail(r->err, node->place, "found as in an op without the argument \"path\"");
    /* What runs is either argv or a script in a language: ops.xml says so in words only. */
    if (!op_arg_find(op->op, "argv"))
        return 0;
    bool argv = has_arg(op, "argv"), script = has_arg(op, "script"), language = has_arg(op, "language");
    if (argv == (script || language) || script != language)
        return plan_fail(r->err, node->place, "op %s takes either argv, or language and script",
                         op->op->name);
    return 0;
}

int op_read(struct reading *r, xmlNode *xml, const struct op *op, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_OP, 0);
    (*node)->name = NULL; /* an attribute "name" is the op's argument */
    struct plan_op *p = &(*node)->u.op;
    p->op = op;
    p->id_slot = EXPR_SLOT_NONE;
    p->args = arena_alloc(r->arena, (op->arg_count + 1) * sizeof *p->args);
    TRY(read_attributes(r, xml, *node));
    if (p->as)
        (*node)->site = r->next_site++; /* of the spelling */
    TRY(read_children(r, xml, p));
    return check_complete(r, *node);
}
