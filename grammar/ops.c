/* Reads domains/ops.xml into tables. Everything lives in one arena; the tables never change after loading. */
#include "grammar/ops.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fs.h"
#include "grammar/xml_internal.h"

#define OPS_NAMESPACE "urn:taskgen:ops:1"
enum { MAX_OPS = 512, MAX_ARGS = 32 };

struct ops {
    struct arena arena;
    const char *file;
    struct op *items;
    size_t count;
};

static const char *const type_names[] = {
    [OP_PATH] = "path", [OP_BYTES] = "bytes", [OP_TEXT] = "text",   [OP_INT] = "int", [OP_BOOL] = "bool",
    [OP_REAL] = "real", [OP_ONE_OF] = "one-of", [OP_TEXTS] = "texts", [OP_MAP] = "map", [OP_JSON] = "json"};
enum { TYPE_COUNT = sizeof type_names / sizeof type_names[0] };

struct loading {
    struct ops *ops;
    const char *file;
    struct error **err;
};

static struct plan_place place_of(const struct loading *l, const xmlNode *node)
{
    return (struct plan_place){l->file, xml_line(node)};
}

static const char *keep(struct loading *l, const char *text)
{
    return arena_string(&l->ops->arena, bytes_of_string(text));
}

/* Attributes are those of the row, the required ones all there. */
static int check_attributes(struct loading *l, const xmlNode *node, const char *const *required,
                            const char *const *optional)
{
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        bool known = false;
        for (size_t i = 0; required[i]; i++)
            known |= strcmp((const char *)a->name, required[i]) == 0;
        for (size_t i = 0; optional[i]; i++)
            known |= strcmp((const char *)a->name, optional[i]) == 0;
        if (!known)
            return plan_fail(l->err, place_of(l, node), "unknown attribute \"%s\" of <%s>",
                             (const char *)a->name, xml_name(node));
    }
    for (size_t i = 0; required[i]; i++)
        if (!xml_attribute(node, required[i]))
            return plan_fail(l->err, place_of(l, node), "<%s> without the attribute \"%s\"", xml_name(node),
                             required[i]);
    return 0;
}

static int read_type(struct loading *l, const xmlNode *node, enum op_type *type)
{
    const char *name = xml_attribute(node, "type");
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(type_names[i], name) == 0) {
            *type = (enum op_type)i;
            return 0;
        }
    return plan_fail(
        l->err, place_of(l, node),
        "unknown type \"%s\", expected path, bytes, text, int, bool, real, one-of, texts, map or json", name);
}

static const char *const *read_values(struct loading *l, const char *text)
{
    size_t count = 0;
    const char **values = arena_alloc(&l->ops->arena, (strlen(text) / 2 + 2) * sizeof *values);
    for (size_t at = 0; text[at += strspn(text + at, " \t\r\n")];) {
        size_t len = strcspn(text + at, " \t\r\n");
        values[count++] = arena_string(&l->ops->arena, bytes_of(text + at, len));
        at += len;
    }
    return values;
}

/* The allowed values stand there exactly when the type is one-of, and the default is one of them. */
static int check_values(struct loading *l, const xmlNode *node, const struct op_arg *arg)
{
    if ((arg->type == OP_ONE_OF) != (arg->values && arg->values[0]))
        return plan_fail(l->err, place_of(l, node),
                         "<%s name=\"%s\">: \"values\" belong to the type one-of, and to it alone",
                         xml_name(node), arg->name);
    if (!arg->fallback || arg->type != OP_ONE_OF)
        return 0;
    for (size_t i = 0; arg->values[i]; i++)
        if (strcmp(arg->values[i], arg->fallback) == 0)
            return 0;
    return plan_fail(l->err, place_of(l, node), "<%s name=\"%s\">: the default \"%s\" is none of its values",
                     xml_name(node), arg->name, arg->fallback);
}

static int read_arg(struct loading *l, const xmlNode *node, bool result, struct op_arg *arg)
{
    static const char *const required[] = {"name", "type", NULL};
    static const char *const of_arg[] = {"required", "default", "values", "doc", "sent", "site", NULL};
    static const char *const of_result[] = {"values", "doc", NULL};
    TRY(check_attributes(l, node, required, result ? of_result : of_arg));
    arg->name = keep(l, xml_attribute(node, "name"));
    if (!expr_is_name(bytes_of_string(arg->name)))
        return plan_fail(l->err, place_of(l, node), "\"%s\" is no name, expected letters, digits, _ and -",
                         arg->name);
    TRY(read_type(l, node, &arg->type));
    const char *needed = xml_attribute(node, "required"), *fallback = xml_attribute(node, "default");
    if (needed && strcmp(needed, "yes") != 0 && strcmp(needed, "no") != 0)
        return plan_fail(l->err, place_of(l, node), "required=\"%s\", expected yes or no", needed);
    arg->required = needed && strcmp(needed, "yes") == 0;
    const char *sent = xml_attribute(node, "sent"), *site = xml_attribute(node, "site");
    if (sent && strcmp(sent, "yes") != 0 && strcmp(sent, "no") != 0)
        return plan_fail(l->err, place_of(l, node), "sent=\"%s\", expected yes or no", sent);
    arg->unsent = sent && strcmp(sent, "no") == 0;
    if (site && strcmp(site, "yes") != 0)
        return plan_fail(l->err, place_of(l, node), "site=\"%s\", expected yes or nothing", site);
    arg->site = site != NULL;
    arg->fallback = fallback ? keep(l, fallback) : NULL;
    const char *values = xml_attribute(node, "values"), *doc = xml_attribute(node, "doc");
    arg->values = values ? read_values(l, values) : NULL;
    arg->doc = keep(l, doc ? doc : "");
    return check_values(l, node, arg);
}

static int read_args(struct loading *l, xmlNode *first, struct op *op)
{
    struct op_arg args[MAX_ARGS] = {0}, results[MAX_ARGS] = {0};
    const xmlNode *stray = NULL;
    for (xmlNode *n = xml_element(first, &stray); n; n = xml_element(n->next, &stray)) {
        bool result = strcmp(xml_name(n), "result") == 0;
        if (!result && strcmp(xml_name(n), "arg") != 0)
            return plan_fail(l->err, place_of(l, n), "found <%s> in <op>, expected <arg> or <result>",
                             xml_name(n));
        struct op_arg *list = result ? results : args;
        size_t *count = result ? &op->result_count : &op->arg_count;
        if (*count == MAX_ARGS)
            return plan_fail(l->err, place_of(l, n), "op \"%s\" has more than %d of them", op->name,
                             MAX_ARGS);
        TRY(read_arg(l, n, result, &list[*count]));
        for (size_t i = 0; i < *count; i++)
            if (strcmp(list[i].name, list[*count].name) == 0)
                return plan_fail(l->err, place_of(l, n), "op \"%s\" has two of the name \"%s\"", op->name,
                                 list[i].name);
        ++*count;
    }
    if (stray)
        return plan_fail(l->err, place_of(l, stray), "text in <op>, expected <arg> and <result>");
    struct op_arg *kept = arena_alloc(&l->ops->arena, sizeof args);
    memcpy(kept, args, sizeof args);
    op->args = kept;
    kept = arena_alloc(&l->ops->arena, sizeof results);
    memcpy(kept, results, sizeof results);
    op->results = kept;
    return 0;
}

static int read_op(struct loading *l, xmlNode *node, const char *group)
{
    static const char *const required[] = {"name", NULL};
    static const char *const optional[] = {"needs", "doc", NULL};
    TRY(check_attributes(l, node, required, optional));
    if (l->ops->count == MAX_OPS)
        return plan_fail(l->err, place_of(l, node), "more than %d ops", MAX_OPS);
    struct op *op = &l->ops->items[l->ops->count];
    const char *needs = xml_attribute(node, "needs"), *doc = xml_attribute(node, "doc");
    op->name = keep(l, xml_attribute(node, "name"));
    op->group = group;
    op->needs = needs ? keep(l, needs) : op->name;
    op->doc = keep(l, doc ? doc : "");
    op->all = l->ops;
    op->index = (uint32_t)l->ops->count;
    if (!expr_is_name(bytes_of_string(op->name)))
        return plan_fail(l->err, place_of(l, node), "\"%s\" is no name, expected letters, digits, _ and -",
                         op->name);
    if (ops_find(l->ops, op->name))
        return plan_fail(l->err, place_of(l, node), "op \"%s\" stands there twice", op->name);
    TRY(read_args(l, node->children, op));
    l->ops->count++;
    return 0;
}

static int read_group(struct loading *l, xmlNode *node)
{
    static const char *const required[] = {"name", "title", NULL};
    static const char *const optional[] = {NULL};
    if (strcmp(xml_name(node), "group") != 0)
        return plan_fail(l->err, place_of(l, node), "found <%s> in <ops>, expected <group>", xml_name(node));
    TRY(check_attributes(l, node, required, optional));
    const char *group = keep(l, xml_attribute(node, "name"));
    const xmlNode *stray = NULL;
    for (xmlNode *n = xml_element(node->children, &stray); n; n = xml_element(n->next, &stray)) {
        if (strcmp(xml_name(n), "op") != 0)
            return plan_fail(l->err, place_of(l, n), "found <%s> in <group>, expected <op>", xml_name(n));
        TRY(read_op(l, n, group));
    }
    return stray ? plan_fail(l->err, place_of(l, stray), "text in <group>, expected <op>") : 0;
}

static int read_document(struct loading *l, xmlDoc *doc)
{
    xmlNode *root = xmlDocGetRootElement(doc);
    if (!root || strcmp(xml_name(root), "ops") != 0 || !xml_in_namespace(root, OPS_NAMESPACE))
        return plan_fail(l->err, (struct plan_place){l->file, root ? xml_line(root) : 1},
                         "found another root element, expected <ops xmlns=\"" OPS_NAMESPACE "\">");
    const xmlNode *stray = NULL;
    for (xmlNode *n = xml_element(root->children, &stray); n; n = xml_element(n->next, &stray))
        TRY(read_group(l, n));
    if (stray)
        return plan_fail(l->err, place_of(l, stray), "text in <ops>, expected <group>");
    return l->ops->count ? 0 : plan_fail(l->err, place_of(l, root), "no op in it, expected at least one");
}

int ops_load(const char *file, struct ops **ops, struct error **err)
{
    struct buf text;
    buf_init(&text, XML_MAX_FILE);
    xmlDoc *doc = NULL;
    int status = fs_read(file, XML_MAX_FILE, &text, err);
    if (status == 0)
        status = xml_parse(file, buf_bytes(&text), &doc, err);
    buf_release(&text);
    if (status < 0)
        return status;
    struct ops *o = xcalloc(1, sizeof *o);
    arena_init(&o->arena);
    o->file = arena_string(&o->arena, bytes_of_string(file));
    o->items = arena_alloc(&o->arena, MAX_OPS * sizeof *o->items);
    struct loading l = {o, file, err};
    status = read_document(&l, doc);
    xmlFreeDoc(doc);
    if (status < 0) {
        ops_free(o);
        return status;
    }
    *ops = o;
    return 0;
}

void ops_free(struct ops *ops)
{
    if (!ops)
        return;
    arena_release(&ops->arena);
    free(ops);
}

const char *ops_file(const struct ops *ops)
{
    return ops->file;
}

size_t ops_count(const struct ops *ops)
{
    return ops->count;
}

const struct op *ops_at(const struct ops *ops, size_t index)
{
    return index < ops->count ? &ops->items[index] : NULL;
}

const struct op *ops_find(const struct ops *ops, const char *name)
{
    for (size_t i = 0; i < ops->count; i++)
        if (strcmp(ops->items[i].name, name) == 0)
            return &ops->items[i];
    return NULL;
}

const struct op_arg *op_arg_find(const struct op *op, const char *name)
{
    for (size_t i = 0; i < op->arg_count; i++)
        if (strcmp(op->args[i].name, name) == 0)
            return &op->args[i];
    return NULL;
}

const char *op_type_name(enum op_type type)
{
    return type_names[type];
}
