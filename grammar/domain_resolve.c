/* Walks the nodes of every body in order: names to slots, kinds of handles, steps, and what each node may do
 * where it stands. A name lives until the end of the element it is bound in; what a guarded element binds,
 * nobody sees, since it may not be there. */
#include "grammar/scope_internal.h"

#include <stdio.h>
#include <string.h>

static int resolve_list(struct scope *s, struct plan_node *first);

int resolve_type(struct scope *s, struct plan_place place, const char *name, const struct handle_type **type)
{
    *type = domain_find_type(s->r->domain, name);
    if (*type)
        return 0;
    char list[256] = "";
    for (size_t i = 0; i < s->r->types.count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 ((struct handle_type *)s->r->types.items[i])->name);
    return plan_fail(s->r->err, place, "unknown handle \"%s\", expected one of %s", name,
                     *list ? list : "none declared");
}

static int resolve_state(struct scope *s, struct plan_place place, const struct handle_type *type,
                         const char **state)
{
    const char *known = handle_type_state(type, *state);
    if (!known) {
        char list[256] = "";
        for (size_t i = 0; i < type->state_count; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", type->states[i]);
        return plan_fail(s->r->err, place, "handle \"%s\" has no state \"%s\", expected one of %s",
                         type->name, *state, list);
    }
    *state = known;
    return 0;
}

struct binding resolve_binding(const struct scope *s, const struct plan_node *n, enum binding_kind kind)
{
    return (struct binding){
        .name = n->name, .kind = kind, .slot = n->slot, .place = n->place, .group = s->group};
}

int resolve_bind(struct scope *s, struct plan_node *n, struct binding b)
{
    TRY(scope_bind(s, &b));
    n->slot = b.slot;
    return 0;
}

static int resolve_say(struct scope *s, struct plan_node *n)
{
    return scope_text(s, &n->u.say, TEXT_PLAIN);
}

static int resolve_let(struct scope *s, struct plan_node *n)
{
    TRY(scope_maker(s, n->u.maker));
    struct binding b = resolve_binding(s, n, BIND_VALUE);
    /* What a caller passes for a parameter may be made in another way than its default. */
    b.maker = n->kind == PLAN_LET ? n->u.maker : NULL;
    return resolve_bind(s, n, b);
}

int resolve_kind(struct scope *s, struct plan_place place, struct plan_def *def)
{
    TRY(resolve_type(s, place, def->type_name, &def->type));
    def->state = def->state_name ? def->state_name : def->type->states[0];
    return resolve_state(s, place, def->type, &def->state);
}

/* A definition leaves no property without a value or a way to make one. */
static int check_all_set(struct scope *s, const struct plan_node *n, const struct plan_def *def)
{
    for (size_t i = 0; i < def->type->prop_count; i++) {
        bool set = def->type->props[i].maker;
        for (size_t k = 0; k < def->set_count; k++)
            set |= def->sets[k].prop == (int)i;
        if (!set)
            return plan_fail(s->r->err, n->place,
                             "handle \"%s\" of kind %s is defined without its property \"%s\", which is not "
                             "made up: set it",
                             n->name, def->type->name, def->type->props[i].name);
    }
    return 0;
}

static int resolve_def(struct scope *s, struct plan_node *n)
{
    struct plan_def *def = &n->u.def;
    TRY(resolve_kind(s, n->place, def));
    struct binding b = resolve_binding(s, n, BIND_HANDLE);
    b.type = def->type;
    b.def = def;
    TRY(resolve_bind(s, n, b)); /* a property may be made from those set before it */
    for (size_t i = 0; i < def->set_count; i++) {
        struct plan_set *set = &def->sets[i];
        set->prop = handle_type_prop(def->type, bytes_of_string(set->name));
        if (set->prop < 0)
            return plan_fail(s->r->err, set->maker->place, "handle \"%s\" has no property \"%s\"",
                             def->type->name, set->name);
        for (size_t k = 0; k < i; k++)
            if (def->sets[k].prop == set->prop)
                return plan_fail(s->r->err, set->maker->place, "property \"%s\" is set twice", set->name);
        TRY(scope_maker(s, set->maker));
    }
    return check_all_set(s, n, def);
}

static int resolve_with(struct scope *s, struct plan_node *n)
{
    struct plan_with *with = &n->u.with;
    if (s->group)
        return plan_fail(
            s->r->err, n->place,
            "<with> in <parallel> might have to do a step first, expected it before the <parallel>");
    TRY(resolve_type(s, n->place, with->type_name, &with->type));
    for (size_t i = 0; i < with->state_count; i++)
        TRY(resolve_state(s, n->place, with->type, (const char **)&with->states[i]));
    struct binding b = resolve_binding(s, n, BIND_HANDLE);
    b.type = with->type;
    return resolve_bind(s, n, b);
}

static struct binding *find_named(struct scope *s, const struct plan_node *n, bool handle, int *failure)
{
    struct binding *b = (struct binding *)scope_find(s, bytes_of_string(n->name), false);
    *failure = 0;
    if (!b)
        *failure = plan_fail(s->r->err, n->place, "\"%s\" is not defined here", n->name);
    else if (b->kind != (handle ? BIND_HANDLE : BIND_VALUE))
        *failure = plan_fail(s->r->err, n->place, "\"%s\" is no %s", n->name,
                             handle ? "handle" : "value; name its property with prop");
    return b;
}

static int resolve_set(struct scope *s, struct plan_node *n)
{
    struct plan_set *set = &n->u.set;
    int failure;
    struct binding *b = find_named(s, n, set->name != NULL, &failure);
    TRY(failure);
    n->slot = b->slot;
    TRY(scope_maker(s, set->maker));
    if (!set->name) {
        b->maker = NULL;
        return 0;
    }
    set->prop = handle_type_prop(b->type, bytes_of_string(set->name));
    if (set->prop < 0)
        return plan_fail(s->r->err, n->place, "handle \"%s\" of kind %s has no property \"%s\"", n->name,
                         b->type->name, set->name);
    return 0;
}

static int resolve_become(struct scope *s, struct plan_node *n)
{
    int failure;
    const struct binding *b = find_named(s, n, true, &failure);
    TRY(failure);
    n->slot = b->slot;
    return resolve_state(s, n->place, b->type, &n->u.become);
}

/* --- blocks --- */

/* Names bound in the block end with it, unless `keep`. */
static int resolve_block(struct scope *s, struct plan_node *n, bool keep)
{
    size_t mark = s->count;
    n->low_slot = s->slot_count;
    TRY(resolve_list(s, n->first));
    n->high_slot = s->slot_count;
    if (!keep)
        s->count = mark;
    return 0;
}

static int resolve_repeat(struct scope *s, struct plan_node *n)
{
    size_t mark = s->count;
    if (n->name)
        TRY(resolve_bind(s, n, resolve_binding(s, n, BIND_VALUE)));
    TRY(resolve_block(s, n, false));
    s->count = mark;
    return 0;
}

static int resolve_optional(struct scope *s, struct plan_node *n)
{
    return resolve_block(s, n, false);
}

static int resolve_parallel(struct scope *s, struct plan_node *n)
{
    if (s->group)
        return plan_fail(s->r->err, n->place, "<parallel> in <parallel>, expected one");
    s->group = n;
    TRY(resolve_block(s, n, true));
    s->group = NULL;
    return 0;
}

static bool same_binding(const struct binding *a, const struct binding *b)
{
    return a->kind == b->kind && a->type == b->type && a->op == b->op && strcmp(a->name, b->name) == 0;
}

/* What every alternative binds can be used after them: it gets a slot of its own, which each alternative
 * fills too. */
struct shared {
    struct binding *items;
    size_t count;
    bool started;
};

static void share(struct scope *s, struct shared *shared, size_t mark)
{
    if (!shared->started) {
        shared->count = s->count - mark;
        shared->items = arena_alloc(s->r->arena, (shared->count + 1) * sizeof *shared->items);
        if (shared->count)
            memcpy(shared->items, s->items + mark, shared->count * sizeof *shared->items);
        shared->started = true;
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < shared->count; i++)
        for (size_t k = mark; k < s->count; k++)
            if (same_binding(&shared->items[i], &s->items[k]) && s->items[k].slot == shared->items[i].slot) {
                shared->items[kept] = shared->items[i];
                shared->items[kept].maker = shared->items[i].maker == s->items[k].maker ? s->items[k].maker
                                                                                        : NULL;
                shared->items[kept++].def = NULL;
                break;
            }
    shared->count = kept;
}

/* Names directly in an alternative take the slots that an earlier alternative gave to the same names. */
static void reuse_slots(const struct shared *shared, struct plan_node *first)
{
    for (struct plan_node *n = first; n; n = n->next)
        for (size_t i = 0; n->name && !n->when && i < shared->count; i++)
            if (n->kind != PLAN_REPEAT && n->kind != PLAN_SET && n->kind != PLAN_BECOME &&
                shared->items[i].kind != BIND_STEP && strcmp(shared->items[i].name, n->name) == 0)
                n->slot = shared->items[i].slot;
}

static int resolve_one_of(struct scope *s, struct plan_node *n)
{
    struct shared shared = {NULL, 0, false};
    bool exhaustive = false;
    size_t mark = s->count;
    for (struct plan_node *alt = n->first; alt; alt = alt->next) {
        exhaustive |= !alt->when && alt->weight > 0;
        TRY(scope_condition(s, alt->place, alt->when));
        reuse_slots(&shared, alt->first);
        TRY(resolve_block(s, alt, true));
        share(s, &shared, mark);
        s->count = mark;
    }
    for (size_t i = 0; exhaustive && i < shared.count; i++)
        TRY(scope_bind(s, &shared.items[i]));
    return 0;
}

static int (*const resolvers[PLAN_KIND_COUNT])(struct scope *s, struct plan_node *n) = {
    [PLAN_SAY] = resolve_say,           [PLAN_LET] = resolve_let,           [PLAN_PARAM] = resolve_let,
    [PLAN_DEF] = resolve_def,           [PLAN_WITH] = resolve_with,         [PLAN_SET] = resolve_set,
    [PLAN_BECOME] = resolve_become,     [PLAN_DO] = resolve_do,             [PLAN_ONE_OF] = resolve_one_of,
    [PLAN_REPEAT] = resolve_repeat,     [PLAN_OPTIONAL] = resolve_optional, [PLAN_PARALLEL] = resolve_parallel,
    [PLAN_WALK] = resolve_walk,         [PLAN_OP] = resolve_op,
};

/* What a guarded element binds may not be there. Ids stay: of a step that was not run nothing is expected. */
static void forget_names(struct scope *s, size_t mark)
{
    size_t kept = mark;
    for (size_t i = mark; i < s->count; i++)
        if (s->items[i].kind == BIND_STEP)
            s->items[kept++] = s->items[i];
    s->count = kept;
}

static int resolve_list(struct scope *s, struct plan_node *first)
{
    struct plan_node *last_op = NULL;
    for (struct plan_node *n = first; n; n = n->next) {
        size_t mark = s->count;
        TRY(scope_condition(s, n->place, n->when));
        TRY(n->kind == PLAN_EXPECT ? resolve_expect(s, n, last_op) : resolvers[n->kind](s, n));
        if (n->kind == PLAN_OP)
            last_op = n;
        if (n->when)
            forget_names(s, mark);
    }
    return 0;
}

static int resolve_body(struct reading *r, struct plan_step *step)
{
    struct scope s = {.r = r, .own_prop = -1};
    TRY(scope_condition(&s, step->place, step->when));
    TRY(resolve_list(&s, step->body));
    step->slot_count = s.slot_count;
    return 0;
}

/* Makers of properties see the handle itself, as "self", and of it the properties declared before. */
static int resolve_props(struct reading *r, struct handle_type *type)
{
    struct scope s = {.r = r, .own_prop = -1};
    struct binding self = {
        .name = "self", .kind = BIND_HANDLE, .slot = -1, .place = type->place, .type = type};
    TRY(scope_bind(&s, &self));
    for (size_t i = 0; i < type->prop_count; i++) {
        s.own_prop = (int)i;
        TRY(scope_maker(&s, type->props[i].maker));
    }
    return 0;
}

int domain_resolve(struct reading *r)
{
    for (size_t i = 0; i < r->types.count; i++)
        TRY(resolve_props(r, r->types.items[i]));
    for (size_t i = 0; i < r->steps.count; i++)
        TRY(resolve_body(r, r->steps.items[i]));
    for (size_t i = 0; i < r->workflows.count; i++)
        TRY(resolve_body(r, r->workflows.items[i]));
    return 0;
}
