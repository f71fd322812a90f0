/* Bodies of workflows and steps: plan elements to plan nodes. One reader per element, in a table. */
#include <string.h>

#include "grammar/domain_internal.h"

/* Sites of nodes that make choices; see gen/plan_*.c for what each stands for. */
enum { NO_SITE = 0, ONE_SITE = 1, TWO_SITES = 2 };

struct plan_node *plan_node_new(struct reading *r, const xmlNode *xml, enum plan_kind kind, uint32_t sites)
{
    struct plan_node *node = arena_alloc(r->arena, sizeof *node);
    node->kind = kind;
    node->place = place_at(r, xml);
    node->slot = node->low_slot = node->high_slot = EXPR_SLOT_NONE;
    node->site = r->next_site;
    r->next_site += sites;
    const char *name = xml_attribute(xml, "name");
    node->name = name ? arena_string(r->arena, bytes_of_string(name)) : NULL;
    return node;
}

int guard_read(struct reading *r, const xmlNode *xml, struct expr **when)
{
    const char *value = xml_attribute(xml, "when");
    return value ? expr_parse(r->arena, bytes_of_string(value), place_at(r, xml), when, r->err) : 0;
}

const char *const *words_read(struct reading *r, const char *text, size_t *count)
{
    const char **words = arena_alloc(r->arena, (strlen(text) / 2 + 2) * sizeof *words);
    *count = 0;
    for (size_t at = 0; text[at += strspn(text + at, " \t\r\n")];) {
        size_t len = strcspn(text + at, " \t\r\n");
        words[(*count)++] = arena_string(r->arena, bytes_of(text + at, len));
        at += len;
    }
    return words;
}

static const char *keep(struct reading *r, const xmlNode *xml, const char *attribute)
{
    const char *value = xml_attribute(xml, attribute);
    return value ? arena_string(r->arena, bytes_of_string(value)) : NULL;
}

static int needs_maker(struct reading *r, const xmlNode *xml)
{
    return plan_fail(r->err, place_at(r, xml),
                     "<%s> without rule, value, int, recipe or pick, expected one of them", xml_name(xml));
}

static int read_say(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_SAY, NO_SITE);
    return text_read_mixed(r, xml, LAYOUT_SENTENCE, &(*node)->u.say);
}

static int read_let(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_LET, NO_SITE);
    TRY(maker_read(r, xml, element_at(ELEMENT_LET), &(*node)->u.maker));
    return (*node)->u.maker ? 0 : needs_maker(r, xml);
}

static int read_param(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_PARAM, NO_SITE);
    return maker_read(r, xml, element_at(ELEMENT_PARAM), &(*node)->u.maker);
}

/* Constant paths are remembered, so that made-up ones keep clear of them. */
static void note_fixed_path(struct reading *r, const char *prop, const struct maker *maker)
{
    if (strcmp(prop, "path") == 0 && maker->kind == MAKE_VALUE && maker->value.count == 1 &&
        maker->value.parts[0].kind == TEXT_LITERAL)
        list_add(r->arena, &r->fixed_paths, &maker->value.parts[0].literal);
}

static int read_set_into(struct reading *r, xmlNode *xml, struct plan_set *set, bool alone)
{
    set->name = keep(r, xml, "prop");
    set->prop = -1;
    TRY(maker_read(r, xml, element_at(ELEMENT_SET), &set->maker));
    if (!set->maker)
        return needs_maker(r, xml);
    if (!set->name)
        return 0;
    note_fixed_path(r, set->name, set->maker);
    struct known_set *known = arena_alloc(r->arena, sizeof *known);
    *known = (struct known_set){set->name, set->maker, alone};
    list_add(r->arena, &r->sets, known);
    return 0;
}

static int read_set(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_SET, NO_SITE);
    if (!(*node)->name)
        return plan_fail(r->err, place_at(r, xml),
                         "<set> without the attribute \"name\" (whose property it is)");
    return read_set_into(r, xml, &(*node)->u.set, true);
}

static int read_def(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_DEF, NO_SITE);
    struct plan_def *def = &(*node)->u.def;
    def->type_name = keep(r, xml, "handle");
    def->state_name = keep(r, xml, "state");
    size_t room = 0;
    for (xmlNode *n = xml_element(xml->children, NULL); n; n = xml_element(n->next, NULL))
        room++;
    def->sets = arena_alloc(r->arena, (room + 1) * sizeof *def->sets);
    for (xmlNode *n = xml_element(xml->children, NULL); n; n = xml_element(n->next, NULL)) {
        if (strcmp(xml_name(n), "doc") == 0)
            continue;
        TRY(element_check(r, n, element_at(ELEMENT_SET)));
        if (xml_attribute(n, "name") || !xml_attribute(n, "prop"))
            return plan_fail(r->err, place_at(r, n), "<set> in <def> takes \"prop\" and no \"name\"");
        if (xml_attribute(n, "when"))
            return plan_fail(r->err, place_at(r, n), "<set> in <def> takes no guard, expected when on <def>");
        TRY(read_set_into(r, n, &def->sets[def->set_count++], false));
    }
    return 0;
}

static int read_with(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_WITH, TWO_SITES);
    struct plan_with *with = &(*node)->u.with;
    with->type_name = keep(r, xml, "handle");
    const char *states = xml_attribute(xml, "state");
    if (states)
        with->states = words_read(r, states, &with->state_count);
    return 0;
}

static int read_become(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_BECOME, NO_SITE);
    (*node)->u.become = keep(r, xml, "state");
    return 0;
}

static int read_do(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_DO, ONE_SITE);
    struct plan_do *call = &(*node)->u.call;
    call->names = keep(r, xml, "step");
    (*node)->name = keep(r, xml, "into");
    call->min = call->max = 1;
    struct named_text *args;
    TRY(text_read_parameters(r, xml, element_at(ELEMENT_DO), &args, &call->arg_count));
    call->args = arena_alloc(r->arena, (call->arg_count + 1) * sizeof *call->args);
    for (size_t i = 0; i < call->arg_count; i++)
        call->args[i] = (struct plan_argument){args[i].name, args[i].value, NULL};
    return 0;
}

static int check_range(struct reading *r, const xmlNode *xml, uint32_t *min, uint32_t *max)
{
    *min = (uint32_t)attribute_count(xml_attribute(xml, "min"));
    *max = (uint32_t)attribute_count(xml_attribute(xml, "max"));
    if (*min <= *max && *max <= 10000)
        return 0;
    return plan_fail(r->err, place_at(r, xml), "found min=\"%u\" max=\"%u\", expected min <= max <= 10000",
                     *min, *max);
}

static int read_walk(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_WALK, ONE_SITE);
    struct plan_do *call = &(*node)->u.call;
    call->names = keep(r, xml, "steps");
    if (!call->names)
        call->names = "*";
    return check_range(r, xml, &call->min, &call->max);
}

static int read_repeat(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_REPEAT, ONE_SITE);
    (*node)->name = keep(r, xml, "index");
    TRY(check_range(r, xml, &(*node)->u.repeat.min, &(*node)->u.repeat.max));
    return body_read(r, xml, &(*node)->first);
}

static int read_optional(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_OPTIONAL, ONE_SITE);
    (*node)->weight = attribute_number(xml_attribute(xml, "p"), 0.5);
    return body_read(r, xml, &(*node)->first);
}

static int read_parallel(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_PARALLEL, NO_SITE);
    return body_read(r, xml, &(*node)->first);
}

static int read_one_of(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    *node = plan_node_new(r, xml, PLAN_ONE_OF, ONE_SITE);
    struct plan_node **last = &(*node)->first;
    double weight = 0;
    size_t count = 0;
    for (xmlNode *n = xml_element(xml->children, NULL); n; n = xml_element(n->next, NULL)) {
        if (strcmp(xml_name(n), "doc") == 0)
            continue;
        TRY(element_check(r, n, element_at(ELEMENT_ALT)));
        struct plan_node *alt = plan_node_new(r, n, PLAN_ALT, NO_SITE);
        alt->weight = attribute_number(xml_attribute(n, "weight"), 1);
        TRY(guard_read(r, n, &alt->when));
        TRY(body_read(r, n, &alt->first));
        weight += alt->weight;
        *last = alt;
        last = &alt->next;
        if (++count > PLAN_MAX_ALTERNATIVES)
            return plan_fail(r->err, alt->place, "more than %d alternatives in one <one-of>",
                             PLAN_MAX_ALTERNATIVES);
    }
    if (weight > 0)
        return 0;
    return plan_fail(r->err, place_at(r, xml),
                     "<one-of> without an <alt> of positive weight, expected at least one");
}

static const struct {
    enum element_id element;
    int (*read)(struct reading *r, xmlNode *xml, struct plan_node **node);
} readers[] = {
    {ELEMENT_SAY, read_say},           {ELEMENT_LET, read_let},           {ELEMENT_PARAM, read_param},
    {ELEMENT_DEF, read_def},           {ELEMENT_WITH, read_with},         {ELEMENT_SET, read_set},
    {ELEMENT_BECOME, read_become},     {ELEMENT_DO, read_do},             {ELEMENT_ONE_OF, read_one_of},
    {ELEMENT_REPEAT, read_repeat},     {ELEMENT_OPTIONAL, read_optional}, {ELEMENT_PARALLEL, read_parallel},
    {ELEMENT_WALK, read_walk},         {ELEMENT_EXPECT, expect_read},
};
enum { READER_COUNT = sizeof readers / sizeof readers[0] };

static int read_element(struct reading *r, xmlNode *xml, struct plan_node **node)
{
    const struct element *row = element_find(xml_name(xml));
    if (!row)
        return op_read(r, xml, ops_find(r->ops, xml_name(xml)), node);
    TRY(element_check(r, xml, row));
    for (size_t i = 0; i < READER_COUNT; i++)
        if (readers[i].element == element_id_of(row))
            return readers[i].read(r, xml, node);
    return 0; /* <doc> */
}

int body_read(struct reading *r, xmlNode *parent, struct plan_node **first)
{
    struct plan_node **last = first;
    for (xmlNode *n = xml_element(parent->children, NULL); n; n = xml_element(n->next, NULL)) {
        struct plan_node *node = NULL;
        TRY(read_element(r, n, &node));
        if (!node)
            continue;
        TRY(guard_read(r, n, &node->when));
        *last = node;
        last = &node->next;
    }
    return 0;
}
