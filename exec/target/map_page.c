/* What a parameter of a browser's tool is given: which tab, which element, a script in the form that the tool takes; see
 * map_internal.h. */
#include <string.h>

#include "exec/target/map_internal.h"

static const double tab_least = .85; /* "id" alone may be anything's */

/* {"$arg":arg,"as":form}, or a list with that one value where the parameter takes a list. */
static struct json *one_or_list(struct map_attempt *t, const struct map_parameter *p, const char *arg, const char *as)
{
    struct json *value = map_placeholder(t->arena, arg, as);
    if (p->types & TYPE_STRING)
        return value;
    struct json *list = json_new(t->arena, JSON_ARRAY);
    json_add(list, value);
    return list;
}

/* An expression, or a function whose value is asked for. */
static bool takes_function(const struct map_parameter *p)
{
    return words_have(&p->words, "function|fn") || text_mentions(p->description, "=>");
}

/* {"true":…,"false":…} where the tool has words for yes and no; NULL: the parameter is neither that nor a flag. */
static struct json *accept_value(struct map_attempt *t, const struct map_parameter *p, const char *arg)
{
    struct json *value = map_placeholder(t->arena, arg, "value");
    if (!p->values)
        return p->types & TYPE_BOOL ? value : NULL;
    struct json *yes = map_choose_value(t->arena, p->values, "accept|ok|confirm|yes");
    struct json *no = map_choose_value(t->arena, p->values, "dismiss|cancel|reject|no");
    if (!yes || !no)
        return NULL;
    struct json *map = json_set(t->arena, value, "map", json_new(t->arena, JSON_OBJECT));
    json_set(t->arena, map, "true", yes);
    json_set(t->arena, map, "false", no);
    return value;
}

struct json *map_place_page_value(struct map_attempt *t, const struct map_parameter *p, const struct op_place *place)
{
    switch (place->role) {
    case ROLE_TAB:
        return map_placeholder(t->arena, place->arg, "tab");
    case ROLE_PATHS:
        return one_or_list(t, p, place->arg, "path");
    case ROLE_PAGE_SCRIPT:
        return map_placeholder(t->arena, place->arg, takes_function(p) ? "function" : "text");
    case ROLE_ACCEPT:
        return accept_value(t, p, place->arg);
    case ROLE_WIDTH:
    case ROLE_HEIGHT:
        return map_placeholder(t->arena, place->arg, "value");
    default:
        return map_placeholder(t->arena, place->arg, "text");
    }
}

bool map_place_tab(struct map_attempt *t)
{
    double quality;
    bool opens = strcmp(t->row->op, "tab-open") == 0;
    if (t->row->way != WAY_PAGE || opens)
        return true;
    struct map_parameter *p = map_best_parameter(t, ROLE_TAB, &quality);
    if (p && quality >= tab_least)
        map_set(t, p, map_placeholder(t->arena, "@tab", "tab"), NULL);
    return true;
}
