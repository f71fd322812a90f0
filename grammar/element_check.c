/* Holds a node of a template against its row of the element table: attributes known, required ones there,
 * each value of the right shape, children allowed here, no stray text. What names stand for is looked at
 * later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/domain_internal.h"

struct plan_place place_at(const struct reading *r, const xmlNode *node)
{
    return (struct plan_place){r->file, xml_line(node)};
}

static bool is_names(const char *value)
{
    size_t words = 0;
    for (size_t at = 0; value[at += strspn(value + at, " \t\r\n")]; words++) {
        size_t len = strcspn(value + at, " \t\r\n");
        if (!expr_is_name(bytes_of(value + at, len)))
            return false;
        at += len;
    }
    return words > 0;
}

/* A decimal number without sign; *end is where it ends. */
static bool read_number(const char *value, double *out, const char **end)
{
    size_t digits = strspn(value, "0123456789"), len = digits;
    if (value[len] == '.') {
        size_t more = strspn(value + len + 1, "0123456789");
        digits += more;
        len += 1 + more;
    }
    if (!digits || len > 24)
        return false;
    char copy[32];
    memcpy(copy, value, len);
    copy[len] = 0;
    *out = strtod(copy, NULL);
    *end = value + len;
    return true;
}

static bool is_number(const char *value)
{
    double number;
    const char *end;
    return read_number(value, &number, &end) && !*end && number < 1e12;
}

static bool is_ratio(const char *value)
{
    return is_number(value) && attribute_number(value, 0) <= 1;
}

static bool is_count(const char *value)
{
    size_t len = strlen(value);
    return len > 0 && len <= 9 && strspn(value, "0123456789") == len;
}

static const struct unit {
    const char *name;
    uint64_t bytes;
} units[] = {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30},
             {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

static bool is_size(const char *value)
{
    size_t digits = strspn(value, "0123456789");
    for (size_t i = 0; i < UNIT_COUNT && digits > 0 && digits <= 9; i++)
        if (strcmp(value + digits, units[i].name) == 0)
            return true;
    return false;
}

uint64_t attribute_count(const char *value)
{
    char *end;
    uint64_t number = strtoull(value, &end, 10);
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (strcmp(end, units[i].name) == 0)
            return number * units[i].bytes;
    return number;
}

double attribute_number(const char *value, double fallback)
{
    double number;
    const char *end;
    return value && read_number(value, &number, &end) ? number : fallback;
}

static bool is_name(const char *value)
{
    return strlen(value) <= ELEMENT_MAX_NAME && expr_is_name(bytes_of_string(value));
}

static bool is_names_or_any(const char *value)
{
    return strcmp(value, "*") == 0 || is_names(value);
}

static bool is_flag(const char *value)
{
    return strcmp(value, "yes") == 0 || strcmp(value, "no") == 0;
}

static bool is_switch(const char *value)
{
    return strcmp(value, "on") == 0 || strcmp(value, "off") == 0;
}

static const struct {
    bool (*holds)(const char *value);
    const char *expected;
} shapes[] = {
    [ATTR_NAME] = {is_name, "a name of letters, digits, _ and -, at most 64"},
    [ATTR_NAMES] = {is_names_or_any, "names separated by spaces, or *"},
    [ATTR_STATES] = {is_names, "names separated by spaces"},
    [ATTR_TEXT] = {NULL, NULL},
    [ATTR_TEMPLATE] = {NULL, NULL},
    [ATTR_EXPRESSION] = {NULL, NULL},
    [ATTR_COUNT] = {is_count, "a whole number from 0 to 999999999"},
    [ATTR_SIZE] = {is_size, "a number of bytes such as 4096, 64KiB or 2MiB"},
    [ATTR_NUMBER] = {is_number, "a number from 0"},
    [ATTR_RATIO] = {is_ratio, "a number from 0 to 1"},
    [ATTR_FLAG] = {is_flag, "yes or no"},
    [ATTR_SWITCH] = {is_switch, "on or off"},
};

int attribute_check(struct reading *r, const xmlNode *node, const struct element_attribute *row,
                    const char *value)
{
    if (!shapes[row->type].holds || shapes[row->type].holds(value))
        return 0;
    return plan_fail(r->err, place_at(r, node), "found %s=\"%s\" in <%s>, expected %s", row->name, value,
                     xml_name(node), shapes[row->type].expected);
}

static void add_name(char *list, size_t size, const char *name)
{
    size_t len = strlen(list);
    snprintf(list + len, size - len, "%s%s", len ? ", " : "", name);
}

static int unknown_attribute(struct reading *r, const xmlNode *node, const struct element *row,
                             const char *name)
{
    char list[512] = "";
    for (const struct element_attribute *a = row->attributes; a->name; a++)
        add_name(list, sizeof list, a->name);
    if (row->flags & ELEMENT_MAKER)
        for (const struct element_attribute *a = element_maker_attributes(); a->name; a++)
            add_name(list, sizeof list, a->name);
    if (row->flags & ELEMENT_GUARD)
        add_name(list, sizeof list, "when");
    return plan_fail(r->err, place_at(r, node), "found the attribute \"%s\" in <%s>, expected %s", name,
                     row->name, *list ? list : "none");
}

static const struct element_attribute *find_attribute(const struct element *row, const char *name)
{
    const struct element_attribute *found = element_attribute_find(row->attributes, name);
    if (!found && (row->flags & ELEMENT_MAKER))
        found = element_attribute_find(element_maker_attributes(), name);
    if (!found && (row->flags & ELEMENT_GUARD) && strcmp(name, "when") == 0)
        found = element_guard_attribute();
    return found;
}

static int check_attributes(struct reading *r, const xmlNode *node, const struct element *row)
{
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        if (a->ns)
            continue; /* xml:space, xml:lang and whatever editors add */
        const struct element_attribute *known = find_attribute(row, (const char *)a->name);
        if (known)
            TRY(attribute_check(r, node, known, xml_attribute_text(a)));
        else if (!(row->flags & ELEMENT_OPEN))
            return unknown_attribute(r, node, row, (const char *)a->name);
    }
    for (const struct element_attribute *a = row->attributes; a->name; a++)
        if (a->required && !xml_attribute(node, a->name))
            return plan_fail(r->err, place_at(r, node), "<%s> without the attribute \"%s\" (%s)", row->name,
                             a->name, a->doc);
    return 0;
}

static int misplaced(struct reading *r, const xmlNode *child, const struct element *row)
{
    char list[768] = "";
    for (int id = 0; id < ELEMENT_COUNT; id++)
        if (element_at((enum element_id)id)->places & row->children)
            add_name(list, sizeof list, element_at((enum element_id)id)->name);
    return plan_fail(r->err, place_at(r, child), "found <%s> in <%s>, expected %s%s", xml_name(child),
                     row->name, *list ? list : "no element", row->children & IN_BODY ? ", or an op" : "");
}

static int check_child(struct reading *r, const xmlNode *child, const struct element *row)
{
    if (!xml_in_namespace(child, DOMAIN_NAMESPACE))
        return plan_fail(r->err, place_at(r, child), "<%s> is not in the namespace " DOMAIN_NAMESPACE,
                         xml_name(child));
    const struct element *known = element_find(xml_name(child));
    bool is_op = !known && (row->children & IN_BODY) && ops_find(r->ops, xml_name(child));
    return is_op || (known && (known->places & row->children)) ? 0 : misplaced(r, child, row);
}

int element_check(struct reading *r, xmlNode *node, const struct element *row)
{
    TRY(check_attributes(r, node, row));
    const xmlNode *stray = NULL;
    for (xmlNode *child = xml_element(node->children, &stray); child;
         child = xml_element(child->next, &stray))
        TRY(check_child(r, child, row));
    bool takes_text = row->flags & (ELEMENT_TEXT | ELEMENT_PLAIN_TEXT);
    if (stray && (!takes_text || (stray->type != XML_TEXT_NODE && stray->type != XML_CDATA_SECTION_NODE)))
        return plan_fail(r->err, place_at(r, stray), "found text in <%s>, expected only elements%s",
                         row->name, row->children & IN_BODY ? "; sentences belong into <say>" : "");
    return 0;
}
