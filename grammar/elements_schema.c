/* Writes domains/domain.rng, the RELAX NG schema of templates, from the element table and the ops. It says
 * what stands where; what names mean is the loader's to check. */
#include <string.h>

#include "grammar/elements.h"

struct writer {
    struct buf *out;
    unsigned depth;
};

static void indent(struct writer *w)
{
    for (unsigned i = 0; i < w->depth; i++)
        buf_add_string(w->out, "  ");
}

static void line(struct writer *w, const char *text)
{
    indent(w);
    buf_add_string(w->out, text);
    buf_add_byte(w->out, '\n');
}

/* <tag name="value"> or, without a name, <tag>. */
static void open_tag(struct writer *w, const char *tag, const char *attribute, const char *value)
{
    indent(w);
    if (attribute)
        buf_addf(w->out, "<%s %s=\"%s\">\n", tag, attribute, value);
    else
        buf_addf(w->out, "<%s>\n", tag);
    w->depth++;
}

static void close_tag(struct writer *w, const char *tag)
{
    w->depth--;
    indent(w);
    buf_addf(w->out, "</%s>\n", tag);
}

static void reference(struct writer *w, const char *prefix, const char *name)
{
    indent(w);
    buf_addf(w->out, "<ref name=\"%s%s\"/>\n", prefix, name);
}

#define NAME_PATTERN "[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*"
#define NAMES_PATTERN " *" NAME_PATTERN "( +" NAME_PATTERN ")* *"

static const char *const patterns[] = {
    [ATTR_NAME] = NAME_PATTERN,
    [ATTR_NAMES] = "\\*|" NAMES_PATTERN,
    [ATTR_STATES] = NAMES_PATTERN,
    [ATTR_COUNT] = "[0-9]{1,9}",
    [ATTR_SIZE] = "[0-9]{1,9}([KMG](iB)?)?",
    [ATTR_NUMBER] = "[0-9]+(\\.[0-9]*)?|\\.[0-9]+",
    [ATTR_RATIO] = "[0-9]+(\\.[0-9]*)?|\\.[0-9]+",
    [ATTR_FLAG] = "yes|no",
    [ATTR_SWITCH] = "on|off",
};

static void name_data(struct writer *w)
{
    indent(w);
    buf_addf(w->out,
             "<data type=\"string\"><param name=\"pattern\">%s</param><param "
             "name=\"maxLength\">%d</param></data>\n",
             patterns[ATTR_NAME], ELEMENT_MAX_NAME);
}

static void pattern_data(struct writer *w, const char *pattern)
{
    indent(w);
    buf_addf(w->out, "<data type=\"string\"><param name=\"pattern\">%s</param></data>\n", pattern);
}

static void write_attribute(struct writer *w, const struct element_attribute *a)
{
    bool shaped = a->type != ATTR_TEXT && a->type != ATTR_TEMPLATE && a->type != ATTR_EXPRESSION;
    open_tag(w, "attribute", "name", a->name);
    if (a->type == ATTR_NAME)
        name_data(w);
    else if (shaped)
        pattern_data(w, patterns[a->type]);
    else
        line(w, "<text/>");
    close_tag(w, "attribute");
}

static void write_attributes(struct writer *w, const struct element_attribute *table)
{
    for (; table->name; table++) {
        if (!table->required)
            open_tag(w, "optional", NULL, NULL);
        write_attribute(w, table);
        if (!table->required)
            close_tag(w, "optional");
    }
}

static void except(struct writer *w, const char *name)
{
    indent(w);
    buf_addf(w->out, "<name ns=\"\">%s</name>\n", name);
}

/* Attributes without a namespace and of other names than those of the row. */
static void write_open(struct writer *w, const struct element *row)
{
    open_tag(w, "zeroOrMore", NULL, NULL);
    open_tag(w, "attribute", NULL, NULL);
    open_tag(w, "nsName", "ns", "");
    open_tag(w, "except", NULL, NULL);
    for (const struct element_attribute *a = row->attributes; a->name; a++)
        except(w, a->name);
    if (row->flags & ELEMENT_MAKER)
        for (const struct element_attribute *a = element_maker_attributes(); a->name; a++)
            except(w, a->name);
    if (row->flags & ELEMENT_GUARD)
        except(w, element_guard_attribute()->name);
    close_tag(w, "except");
    close_tag(w, "nsName");
    line(w, "<text/>");
    close_tag(w, "attribute");
    close_tag(w, "zeroOrMore");
}

static void write_children(struct writer *w, const struct element *row)
{
    if (!row->children && !(row->flags & (ELEMENT_TEXT | ELEMENT_PLAIN_TEXT))) {
        line(w, "<empty/>");
        return;
    }
    open_tag(w, "zeroOrMore", NULL, NULL);
    open_tag(w, "choice", NULL, NULL);
    if (row->flags & (ELEMENT_TEXT | ELEMENT_PLAIN_TEXT))
        line(w, "<text/>");
    for (int id = 0; id < ELEMENT_COUNT; id++)
        if (element_at((enum element_id)id)->places & row->children)
            reference(w, "", element_at((enum element_id)id)->name);
    if (row->children & IN_BODY)
        reference(w, "", "op");
    close_tag(w, "choice");
    close_tag(w, "zeroOrMore");
}

static void write_maker(struct writer *w, const struct element *row)
{
    if (row->flags & ELEMENT_UNMADE)
        open_tag(w, "optional", NULL, NULL);
    reference(w, "", "maker");
    if (row->flags & ELEMENT_UNMADE)
        close_tag(w, "optional");
}

static void write_element(struct writer *w, const struct element *row)
{
    open_tag(w, "define", "name", row->name);
    open_tag(w, "element", "name", row->name);
    write_attributes(w, row->attributes);
    if (row->flags & ELEMENT_MAKER)
        write_maker(w, row);
    if (row->flags & ELEMENT_GUARD)
        reference(w, "", "guard");
    if (row->flags & ELEMENT_OPEN)
        write_open(w, row);
    reference(w, "", "foreign");
    write_children(w, row);
    close_tag(w, "element");
    close_tag(w, "define");
}

/* --- ops --- */

static void write_values(struct writer *w, const struct op_arg *arg)
{
    open_tag(w, "choice", NULL, NULL);
    for (size_t i = 0; arg->values[i]; i++) {
        indent(w);
        buf_addf(w->out, "<value>%s</value>\n", arg->values[i]);
    }
    pattern_data(w, ".*\\{.*\\}.*");
    close_tag(w, "choice");
}

static void write_arg_attribute(struct writer *w, const struct op_arg *arg)
{
    open_tag(w, "attribute", "name", arg->name);
    if (arg->type == OP_ONE_OF)
        write_values(w, arg);
    else if (arg->type == OP_INT)
        pattern_data(w, "-?[0-9]+|0o[0-7]+|\\{.*\\}");
    else if (arg->type == OP_BOOL)
        pattern_data(w, "true|false|yes|no|.*\\{.*\\}.*");
    else
        line(w, "<text/>");
    close_tag(w, "attribute");
}

static void write_arg_element(struct writer *w, const struct op_arg *arg)
{
    if (arg->type == OP_MAP)
        open_tag(w, "oneOrMore", NULL, NULL);
    open_tag(w, "element", "name", arg->name);
    if (arg->type == OP_MAP)
        line(w, "<attribute name=\"name\"/>");
    if (arg->type == OP_TEXTS) {
        open_tag(w, "zeroOrMore", NULL, NULL);
        line(w, "<element name=\"arg\"><ref name=\"mixed\"/></element>");
        close_tag(w, "zeroOrMore");
    } else {
        reference(w, "", "mixed");
    }
    reference(w, "", "foreign");
    close_tag(w, "element");
    if (arg->type == OP_MAP)
        close_tag(w, "oneOrMore");
}

static void write_arg(struct writer *w, const struct op_arg *arg)
{
    bool both = op_arg_as_attribute(arg) && op_arg_as_element(arg);
    if (!arg->required)
        open_tag(w, "optional", NULL, NULL);
    if (both)
        open_tag(w, "choice", NULL, NULL);
    if (op_arg_as_attribute(arg))
        write_arg_attribute(w, arg);
    if (op_arg_as_element(arg))
        write_arg_element(w, arg);
    if (both)
        close_tag(w, "choice");
    if (!arg->required)
        close_tag(w, "optional");
}

static void write_op(struct writer *w, const struct op *op)
{
    open_tag(w, "element", "name", op->name);
    reference(w, "", "step-attributes");
    size_t elements = 0;
    for (size_t i = 0; i < op->arg_count; i++)
        if (op_arg_as_element(&op->args[i]))
            elements++;
        else
            write_arg(w, &op->args[i]);
    /* libxml2 loses its way in an <interleave> of attributes alone, or of one thing. */
    if (!elements)
        line(w, "<empty/>");
    if (elements > 1)
        open_tag(w, "interleave", NULL, NULL);
    for (size_t i = 0; i < op->arg_count; i++)
        if (op_arg_as_element(&op->args[i]))
            write_arg(w, &op->args[i]);
    if (elements > 1)
        close_tag(w, "interleave");
    close_tag(w, "element");
}

static void write_shared(struct writer *w)
{
    open_tag(w, "define", "name", "guard");
    open_tag(w, "optional", NULL, NULL);
    write_attribute(w, element_guard_attribute());
    close_tag(w, "optional");
    close_tag(w, "define");
    open_tag(w, "define", "name", "maker");
    open_tag(w, "choice", NULL, NULL);
    for (const struct element_attribute *a = element_maker_attributes(); a->name; a++)
        write_attribute(w, a);
    close_tag(w, "choice");
    close_tag(w, "define");
    open_tag(w, "define", "name", "step-attributes");
    write_attributes(w, element_step_attributes());
    reference(w, "", "guard");
    reference(w, "", "foreign");
    close_tag(w, "define");
    open_tag(w, "define", "name", "foreign");
    line(w, "<zeroOrMore><attribute><anyName><except><nsName "
            "ns=\"\"/></except></anyName></attribute></zeroOrMore>");
    close_tag(w, "define");
    open_tag(w, "define", "name", "mixed");
    line(w, "<zeroOrMore><choice><text/><ref name=\"get\"/><ref name=\"use\"/></choice></zeroOrMore>");
    close_tag(w, "define");
}

void elements_write_schema(const struct ops *ops, struct buf *out)
{
    struct writer w = {out, 0};
    line(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    line(&w, "<!-- Schema of domain templates, for editors. Made from the element table and ops.xml; a test "
             "holds that. -->");
    line(&w, "<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\" ns=\"" DOMAIN_NAMESPACE "\"");
    line(&w, "         datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">");
    w.depth++;
    line(&w, "<start><ref name=\"domain\"/></start>");
    for (int id = 0; id < ELEMENT_COUNT; id++)
        write_element(&w, element_at((enum element_id)id));
    open_tag(&w, "define", "name", "op");
    open_tag(&w, "choice", NULL, NULL);
    for (size_t i = 0; i < ops_count(ops); i++)
        write_op(&w, ops_at(ops, i));
    close_tag(&w, "choice");
    close_tag(&w, "define");
    write_shared(&w);
    close_tag(&w, "grammar");
}
