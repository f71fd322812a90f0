/* Makers: the attributes rule, value, int, recipe and pick, one of which says how a value is made. */
#include <string.h>

#include "grammar/domain_internal.h"

static int read_rule(struct reading *r, const xmlNode *node, const char *value, struct maker *m)
{
    m->call = arena_alloc(r->arena, sizeof *m->call);
    *m->call = (struct rule_call){place_at(r, node),
                                  arena_string(r->arena, bytes_of_string(value)),
                                  -1,
                                  m->parameters,
                                  m->parameter_count,
                                  NULL};
    return 0;
}

static int read_value(struct reading *r, const xmlNode *node, const char *value, struct maker *m)
{
    return text_read_template(r, m->place, bytes_of_string(value), &m->value);
}

/* A bound without braces is a number, one with braces an expression. */
static int check_bound(struct reading *r, const char *value, const struct text *bound)
{
    if (text_is_whole(bound))
        return 0;
    struct expr *number;
    if (bound->count != 1 || bound->parts[0].kind != TEXT_LITERAL ||
        expr_parse(r->arena, bound->parts[0].literal, bound->place, &number, NULL) < 0 ||
        (number->kind != EXPR_INTEGER &&
         !(number->kind == EXPR_NEGATE && number->args[0]->kind == EXPR_INTEGER)))
        return plan_fail(r->err, bound->place,
                         "found int=\"%s\", expected low..high, each a whole number or {an expression}",
                         value);
    bound->parts[0].kind = TEXT_EXPR;
    bound->parts[0].expr = number;
    return 0;
}

static int read_int(struct reading *r, const xmlNode *node, const char *value, struct maker *m)
{
    struct bytes source = bytes_of_string(value), low, high, more;
    size_t at = 0;
    if (!text_split(source, "..", &at, &low) || !text_split(source, "..", &at, &high) ||
        text_split(source, "..", &at, &more))
        return plan_fail(r->err, m->place, "found int=\"%s\", expected low..high", value);
    TRY(text_read_template(r, m->place, low, &m->low));
    TRY(text_read_template(r, m->place, high, &m->high));
    TRY(check_bound(r, value, &m->low));
    TRY(check_bound(r, value, &m->high));
    const struct expr *a = m->low.parts[0].expr, *b = m->high.parts[0].expr;
    if (a->kind == EXPR_INTEGER && b->kind == EXPR_INTEGER && a->integer > b->integer)
        return plan_fail(r->err, m->place, "found int=\"%s\", an empty range", value);
    return 0;
}

static int read_recipe(struct reading *r, const xmlNode *node, const char *value, struct maker *m)
{
    m->recipe = arena_string(r->arena, bytes_of_string(value));
    if (!r->recipes)
        return 0;
    if (!r->recipes->known(m->recipe))
        return plan_fail(r->err, m->place,
                         "unknown recipe \"%s\", see taskgen domains --recipes for those there are",
                         m->recipe);
    for (size_t i = 0; i < m->parameter_count; i++)
        if (!r->recipes->parameter_known(m->recipe, m->parameters[i].name))
            return plan_fail(r->err, m->place, "recipe \"%s\" has no parameter \"%s\"", m->recipe,
                             m->parameters[i].name);
    return 0;
}

static int read_pick(struct reading *r, const xmlNode *node, const char *value, struct maker *m)
{
    struct bytes source = bytes_of_string(value), piece;
    size_t count = 0, at = 0;
    while (text_split(source, "|", &at, &piece))
        count++;
    m->choices = arena_alloc(r->arena, count * sizeof *m->choices);
    at = 0;
    while (text_split(source, "|", &at, &piece))
        TRY(text_read_template(r, m->place, piece, &m->choices[m->choice_count++]));
    return 0;
}

static const struct {
    const char *attribute;
    int (*read)(struct reading *r, const xmlNode *node, const char *value, struct maker *m);
    bool takes_parameters, chooses; /* has a site of its own */
} kinds[] = {
    [MAKE_RULE] = {"rule", read_rule, true, false},   [MAKE_VALUE] = {"value", read_value, false, false},
    [MAKE_INT] = {"int", read_int, false, true},      [MAKE_RECIPE] = {"recipe", read_recipe, true, true},
    [MAKE_PICK] = {"pick", read_pick, false, true},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

int maker_read(struct reading *r, const xmlNode *node, const struct element *row, struct maker **maker)
{
    struct maker *m = NULL;
    *maker = NULL;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (!xml_attribute(node, kinds[i].attribute))
            continue;
        if (m)
            return plan_fail(r->err, place_at(r, node), "found both %s and %s in <%s>, expected one of them",
                             kinds[m->kind].attribute, kinds[i].attribute, xml_name(node));
        m = arena_alloc(r->arena, sizeof *m);
        m->kind = (enum maker_kind)i;
    }
    struct named_text *parameters;
    size_t parameter_count;
    TRY(text_read_parameters(r, node, row, &parameters, &parameter_count));
    if (parameter_count && (!m || !kinds[m->kind].takes_parameters))
        return plan_fail(r->err, place_at(r, node),
                         "found the attribute \"%s\" in <%s>, which only rule and recipe take",
                         parameters[0].name, xml_name(node));
    if (!m)
        return 0;
    m->place = place_at(r, node);
    if (kinds[m->kind].chooses)
        m->site = r->next_site++;
    m->parameters = parameters;
    m->parameter_count = parameter_count;
    TRY(kinds[m->kind].read(r, node, xml_attribute(node, kinds[m->kind].attribute), m));
    *maker = m;
    return 0;
}
