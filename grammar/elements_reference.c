/* Writes docs/templates-reference.md, the element reference, from the element table, the ops and the
 * functions. */
#include <string.h>

#include "grammar/elements.h"
#include "grammar/expr.h"

static const char *const type_words[] = {
    [ATTR_NAME] = "name",         [ATTR_NAMES] = "names or *",    [ATTR_STATES] = "names",
    [ATTR_TEXT] = "text",         [ATTR_TEMPLATE] = "template",   [ATTR_EXPRESSION] = "expression",
    [ATTR_COUNT] = "whole number", [ATTR_SIZE] = "bytes (K, M, G)", [ATTR_NUMBER] = "number",
    [ATTR_RATIO] = "0 to 1",      [ATTR_FLAG] = "yes or no",
    [ATTR_SWITCH] = "on or off",
};

/* A bar would end a table's cell. */
static void add_cell(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            buf_add_byte(out, '\\');
        buf_add_byte(out, (uint8_t)*text);
    }
}

static void attribute_rows(struct buf *out, const struct element_attribute *table)
{
    for (; table->name; table++) {
        buf_addf(out, "| `%s`%s | %s | ", table->name, table->required ? " (required)" : "",
                 type_words[table->type]);
        add_cell(out, table->doc);
        buf_add_string(out, " |\n");
    }
}

static void list_children(struct buf *out, const struct element *row)
{
    const char *separator = "Holds: ";
    if (row->flags & (ELEMENT_TEXT | ELEMENT_PLAIN_TEXT)) {
        buf_addf(out, "%stext", separator);
        separator = ", ";
    }
    for (int id = 0; id < ELEMENT_COUNT; id++)
        if (element_at((enum element_id)id)->places & row->children) {
            buf_addf(out, "%s`%s`", separator, element_at((enum element_id)id)->name);
            separator = ", ";
        }
    if (row->children & IN_BODY)
        buf_add_string(out, ", ops");
    buf_add_string(out, *separator == 'H' ? "Holds nothing.\n\n" : ".\n\n");
}

static void list_parents(struct buf *out, const struct element *row)
{
    const char *separator = "Stands in: ";
    for (int id = 0; id < ELEMENT_COUNT; id++)
        if (element_at((enum element_id)id)->children & row->places) {
            buf_addf(out, "%s`%s`", separator, element_at((enum element_id)id)->name);
            separator = ", ";
        }
    if (row->places & IN_TEXT)
        buf_addf(out, "%sarguments of ops written as elements", separator);
    buf_add_string(out, *separator == 'S' ? "The root element.\n\n" : ".\n\n");
}

static void write_element(struct buf *out, const struct element *row)
{
    buf_addf(out, "### `<%s>`\n\n%s.\n\n", row->name, row->doc);
    list_parents(out, row);
    list_children(out, row);
    if (!row->attributes->name && !(row->flags & (ELEMENT_MAKER | ELEMENT_GUARD)))
        return;
    buf_add_string(out, "| attribute | is | meaning |\n|---|---|---|\n");
    attribute_rows(out, row->attributes);
    if (row->flags & ELEMENT_MAKER)
        buf_addf(out, "| a [maker](#makers)%s | | how the value is made |\n",
                 row->flags & ELEMENT_UNMADE ? "" : " (required)");
    if (row->flags & ELEMENT_GUARD)
        buf_addf(out, "| `when` | expression | %s |\n", element_guard_attribute()->doc);
    if ((row->flags & ELEMENT_OPEN) && !(row->flags & ELEMENT_MAKER))
        buf_add_string(out, "| any other | template | a parameter of what is named |\n");
    buf_add_byte(out, '\n');
}

static void write_makers(struct buf *out)
{
    buf_add_string(out, "## Makers\n\nHow a value is made: exactly one of these attributes, in `prop`, "
                        "`param`, `let` and `set`.\n\n"
                        "| attribute | is | meaning |\n|---|---|---|\n");
    attribute_rows(out, element_maker_attributes());
    buf_add_byte(out, '\n');
}

static void write_arg(struct buf *out, const struct op_arg *arg)
{
    const char *form = !op_arg_as_attribute(arg) ? "elements with a `name`"
                       : op_arg_as_element(arg)  ? "attribute or element"
                                                 : "attribute";
    buf_addf(out, "| `%s`%s | %s", arg->name, arg->required ? " (required)" : "", op_type_name(arg->type));
    for (size_t i = 0; arg->values && arg->values[i]; i++)
        buf_addf(out, "%s%s", i ? " " : ": ", arg->values[i]);
    buf_addf(out, " | %s | %s%s%s |\n", form, arg->doc, arg->fallback && *arg->fallback ? "; default " : "",
             arg->fallback ? arg->fallback : "");
}

static void write_op(struct buf *out, const struct op *op)
{
    buf_addf(out, "### `<%s>`\n\n%s. Needs: %s.\n\n", op->name, op->doc, *op->needs ? op->needs : "nothing");
    if (op->arg_count) {
        buf_add_string(out, "| argument | type | written as | meaning |\n|---|---|---|---|\n");
        for (size_t i = 0; i < op->arg_count; i++)
            write_arg(out, &op->args[i]);
        buf_add_byte(out, '\n');
    }
    if (!op->result_count)
        return;
    buf_add_string(out, "| result | type | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < op->result_count; i++)
        buf_addf(out, "| `%s` | %s | %s |\n", op->results[i].name, op_type_name(op->results[i].type),
                 op->results[i].doc);
    buf_add_byte(out, '\n');
}

static void write_functions(struct buf *out)
{
    size_t count;
    buf_add_string(out, "## Functions of expressions\n\n| function | gives |\n|---|---|\n");
    const struct expr_function *functions = expr_function_table(&count);
    for (size_t i = 0; i < count; i++)
        buf_addf(out, "| `%s` | %s |\n", functions[i].usage, functions[i].doc);
    const struct function_row *rows = function_table(&count);
    for (size_t i = 0; i < count; i++) {
        bool shadowed = strcmp(rows[i].name, "len") == 0 || strcmp(rows[i].name, "crc32") == 0;
        if (!shadowed)
            buf_addf(out, "| `%s(x)` | %s |\n", rows[i].name, rows[i].doc);
    }
    buf_add_string(out, "\n`esc` of `get` and `use` takes the same names, `sh` being short for `esc.sh`.\n");
}

void elements_write_reference(const struct ops *ops, struct buf *out)
{
    buf_add_string(out, "# Reference of templates\n\nMade from the element table and `domains/ops.xml`; "
                        "`docs/templates.md` is the guide.\n\n"
                        "## Elements\n\n");
    for (int id = 0; id < ELEMENT_COUNT; id++)
        write_element(out, element_at((enum element_id)id));
    write_makers(out);
    buf_add_string(
        out, "## Ops\n\nAn op is an element of its name. Every op also has these attributes, and `when`:\n\n"
             "| attribute | is | meaning |\n|---|---|---|\n");
    attribute_rows(out, element_step_attributes());
    buf_add_byte(out, '\n');
    for (size_t i = 0; i < ops_count(ops); i++)
        write_op(out, ops_at(ops, i));
    write_functions(out);
}
