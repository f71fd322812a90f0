/* Names: who binds them, what may be read of them. An expression that passes here can be evaluated without
 * looking a name up, and reads nothing that is not defined by then. */
#include "grammar/scope_internal.h"

#include <stdio.h>
#include <string.h>

static int settle(struct scope *s, struct plan_place place, struct expr *e, enum text_use use);

const struct binding *scope_find(const struct scope *s, struct bytes name, bool step)
{
    for (size_t i = s->count; i-- > 0;)
        if ((s->items[i].kind == BIND_STEP) == step && bytes_equal_string(name, s->items[i].name))
            return &s->items[i];
    return NULL;
}

int scope_bind(struct scope *s, struct binding *b)
{
    bool step = b->kind == BIND_STEP;
    const struct binding *other = scope_find(s, bytes_of_string(b->name), step);
    if (other)
        return plan_fail(s->r->err, b->place, "%s \"%s\" is already defined at %s:%u", step ? "id" : "name",
                         b->name, other->place.file, other->place.line);
    if (b->slot < 0)
        b->slot = s->slot_count++;
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? s->capacity * 2 : 16;
        struct binding *bigger = arena_alloc(s->r->arena, capacity * sizeof *bigger);
        if (s->count)
            memcpy(bigger, s->items, s->count * sizeof *bigger);
        s->items = bigger;
        s->capacity = capacity;
    }
    s->items[s->count++] = *b;
    return 0;
}

static void list_names(const struct scope *s, char *list, size_t size)
{
    *list = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t len = strlen(list);
        if (s->items[i].kind != BIND_STEP)
            snprintf(list + len, size - len, "%s%s", len ? ", " : "", s->items[i].name);
    }
    if (!*list)
        snprintf(list, size, "none");
}

static int undefined(struct scope *s, struct plan_place place, struct bytes name)
{
    char list[512];
    list_names(s, list, sizeof list);
    return plan_fail(s->r->err, place, "\"%.*s\" is not defined here, names that are: %s", BYTES_ARG(name),
                     list);
}

/* --- facts of contents --- */

enum verdict { FACT_NO, FACT_YES, FACT_PERHAPS };

static bool is_common_fact(struct bytes fact)
{
    return bytes_equal_string(fact, "size") || bytes_equal_string(fact, "sha256") ||
           bytes_equal_string(fact, "lines");
}

static enum verdict made_has_fact(struct reading *r, const struct maker *maker, struct bytes fact)
{
    if (!maker || (maker->kind == MAKE_VALUE && text_is_whole(&maker->value)))
        return FACT_PERHAPS;
    if (is_common_fact(fact))
        return FACT_YES;
    if (maker->kind != MAKE_RECIPE)
        return FACT_NO;
    const char *name = arena_string(r->arena, fact);
    return !r->recipes || r->recipes->fact_known(maker->recipe, name) ? FACT_YES : FACT_NO;
}

bool maker_may_have_fact(struct reading *r, const struct maker *maker, struct bytes fact)
{
    return made_has_fact(r, maker, fact) != FACT_NO;
}

/* The maker that surely made a property: the <set> of its own definition, unless <set>s elsewhere may change
 * it. */
static const struct maker *sure_maker(struct scope *s, const struct binding *b,
                                      const struct handle_prop *prop)
{
    for (size_t i = 0; i < s->r->sets.count; i++) {
        const struct known_set *set = s->r->sets.items[i];
        if (set->alone && strcmp(set->prop, prop->name) == 0)
            return NULL;
    }
    for (size_t i = 0; b->def && i < b->def->set_count; i++)
        if (strcmp(b->def->sets[i].name, prop->name) == 0)
            return b->def->sets[i].maker;
    return b->def ? prop->maker : NULL;
}

static bool prop_has_fact(struct scope *s, const struct binding *b, const struct handle_prop *prop,
                          struct bytes fact)
{
    const struct maker *sure = sure_maker(s, b, prop);
    if (sure || is_common_fact(fact))
        return made_has_fact(s->r, sure, fact) != FACT_NO;
    if (prop->maker && made_has_fact(s->r, prop->maker, fact) != FACT_NO)
        return true;
    for (size_t i = 0; i < s->r->sets.count; i++) {
        const struct known_set *set = s->r->sets.items[i];
        if (strcmp(set->prop, prop->name) == 0 && made_has_fact(s->r, set->maker, fact) != FACT_NO)
            return true;
    }
    return false;
}

static int no_fact(struct scope *s, struct plan_place place, const struct expr *e, struct bytes fact)
{
    return plan_fail(s->r->err, place,
                     "\"%.*s.%.*s\": there is no fact \"%.*s\" of it, expected size, sha256, lines or a fact "
                     "of the recipe that makes it",
                     BYTES_ARG(e->text), BYTES_ARG(e->rest), BYTES_ARG(fact));
}

/* --- names in expressions --- */

/* {handle.property.fact}: the word before the second dot, and what follows it. */
static struct bytes split_fact(struct expr *e)
{
    ptrdiff_t dot = bytes_find(e->rest, BYTES_LITERAL("."), 0);
    e->fact = dot < 0 ? BYTES_NONE : bytes_slice(e->rest, (size_t)dot + 1, e->rest.len);
    return bytes_slice(e->rest, 0, dot < 0 ? e->rest.len : (size_t)dot);
}

static int no_property(struct scope *s, struct plan_place place, const struct binding *b, struct bytes word)
{
    char list[256] = "";
    for (size_t i = 0; i < b->type->prop_count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 b->type->props[i].name);
    if (!word.len)
        return plan_fail(s->r->err, place,
                         "\"%s\" is a handle of kind %s, expected one of its properties: %s", b->name,
                         b->type->name, *list ? list : "it has none");
    return plan_fail(s->r->err, place,
                     "handle \"%s\" of kind %s has no property \"%.*s\", expected one of %s", b->name,
                     b->type->name, BYTES_ARG(word), *list ? list : "none");
}

static int at_the_same_time(struct scope *s, struct plan_place place, const struct binding *b)
{
    return plan_fail(
        s->r->err, place,
        "\"%s\" comes from a step that runs at the same time, expected one before the <parallel>", b->name);
}

static int settle_handle(struct scope *s, struct plan_place place, struct expr *e, const struct binding *b)
{
    struct bytes word = split_fact(e);
    e->prop = handle_type_prop(b->type, word);
    if (e->prop < 0)
        return no_property(s, place, b, word);
    const struct handle_prop *prop = &b->type->props[e->prop];
    if (s->own_prop >= 0 && e->prop >= s->own_prop)
        return plan_fail(s->r->err, place,
                         "property \"%.*s\" is not made yet here, expected one declared before this one",
                         BYTES_ARG(word));
    if (b->group && b->group == s->group && !prop->maker)
        return at_the_same_time(s, place, b);
    if (e->fact.len && !prop_has_fact(s, b, prop, e->fact))
        return no_fact(s, place, e, e->fact);
    return 0;
}

static int settle_record(struct scope *s, struct plan_place place, struct expr *e, const struct binding *b,
                         enum text_use use)
{
    struct bytes word = split_fact(e);
    for (size_t i = 0; i < b->op->result_count && e->prop < 0; i++)
        if (bytes_equal_string(word, b->op->results[i].name))
            e->prop = (int)i;
    if (e->prop < 0)
        return plan_fail(s->r->err, place, "\"%s\" holds the results of %s, which has none called \"%.*s\"",
                         b->name, b->op->name, BYTES_ARG(word));
    if (e->fact.len && b->op->results[e->prop].type != OP_JSON)
        return plan_fail(s->r->err, place, "result \"%.*s\" of %s has no parts", BYTES_ARG(word),
                         b->op->name);
    if (use != TEXT_RUN_TIME)
        return plan_fail(
            s->r->err, place,
            "\"%s.%.*s\" is known only at run time, so it has to stand alone in an op's argument", b->name,
            BYTES_ARG(e->rest));
    return b->group && b->group == s->group ? at_the_same_time(s, place, b) : 0;
}

/* {site}, unless the template has a name of its own like that: the text "{site}", which becomes an address when the task runs. */
static bool is_fixture_site(const struct expr *e)
{
    return bytes_equal_string(e->text, "site") && !e->rest.len;
}

static int settle_name(struct scope *s, struct plan_place place, struct expr *e, enum text_use use)
{
    const struct binding *b = scope_find(s, e->text, false);
    if (!b && is_fixture_site(e)) {
        e->kind = EXPR_TEXT;
        e->text = BYTES_LITERAL("{site}");
        return 0;
    }
    if (!b)
        return undefined(s, place, e->text);
    e->slot = b->slot;
    if (b->kind == BIND_HANDLE)
        return settle_handle(s, place, e, b);
    if (b->kind == BIND_RECORD)
        return settle_record(s, place, e, b, use);
    e->fact = e->rest;
    if (e->fact.len && !is_common_fact(e->fact) && made_has_fact(s->r, b->maker, e->fact) == FACT_NO)
        return no_fact(s, place, e, e->fact);
    return 0;
}

/* state(handle): the handle itself, not a property. */
static int settle_state(struct scope *s, struct plan_place place, struct expr *e)
{
    struct expr *arg = e->args[0];
    const struct binding *b = arg->kind == EXPR_NAME && !arg->rest.len ? scope_find(s, arg->text, false)
                                                                       : NULL;
    if (!b || b->kind != BIND_HANDLE)
        return plan_fail(s->r->err, place, "state() takes the name of a handle that is defined here");
    arg->slot = b->slot;
    return 0;
}

/* live('kind', 'state'): both written out, so that they can be checked. */
static int settle_live(struct scope *s, struct plan_place place, struct expr *e)
{
    for (size_t i = 0; i < e->arg_count; i++)
        if (e->args[i]->kind != EXPR_TEXT)
            return plan_fail(s->r->err, place, "live() takes a kind of handle and a state, each in quotes");
    struct bytes kind = e->args[0]->text;
    const struct handle_type *type = domain_find_type(s->r->domain, arena_string(s->r->arena, kind));
    if (!type)
        return plan_fail(s->r->err, place, "unknown handle \"%.*s\"", BYTES_ARG(kind));
    if (e->arg_count == 2 && !handle_type_state(type, arena_string(s->r->arena, e->args[1]->text)))
        return plan_fail(s->r->err, place, "handle \"%s\" has no state \"%.*s\"", type->name,
                         BYTES_ARG(e->args[1]->text));
    return 0;
}

static int settle(struct scope *s, struct plan_place place, struct expr *e, enum text_use use)
{
    if (e->kind == EXPR_NAME)
        return settle_name(s, place, e, use);
    if (e->kind == EXPR_CALL && e->function->id == EXPR_FN_STATE)
        return settle_state(s, place, e);
    if (e->kind == EXPR_CALL && e->function->id == EXPR_FN_LIVE)
        return settle_live(s, place, e);
    for (size_t i = 0; i < e->arg_count; i++)
        TRY(settle(s, place, e->args[i], TEXT_PLAIN));
    return 0;
}

int scope_condition(struct scope *s, struct plan_place place, struct expr *e)
{
    return e ? settle(s, place, e, TEXT_PLAIN) : 0;
}

/* --- rules --- */

static int bad_arguments(struct scope *s, const struct rule_call *call, const char *format, const char *name)
{
    char list[256] = "", message[256];
    const struct grammar *g = s->r->domain->grammar;
    for (size_t i = 0; i < grammar_rule_arity(g, call->rule); i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 grammar_rule_parameter(g, call->rule, i));
    snprintf(message, sizeof message, "%s \"%s\"", format, name);
    return plan_fail(s->r->err, call->place, "rule \"%s\" %s, its parameters are: %s", call->name, message,
                     *list ? list : "none");
}

static int settle_call(struct scope *s, struct rule_call *call)
{
    const struct grammar *g = s->r->domain->grammar;
    call->rule = grammar_rule(g, bytes_of_string(call->name));
    if (call->rule < 0)
        return plan_fail(s->r->err, call->place, "unknown rule \"%s\", expected one of a <grammar>",
                         call->name);
    size_t arity = grammar_rule_arity(g, call->rule);
    call->order = arena_alloc(s->r->arena, (arity + 1) * sizeof *call->order);
    for (size_t i = 0; i < call->arg_count; i++) {
        size_t at = 0;
        while (at < arity && strcmp(grammar_rule_parameter(g, call->rule, at), call->args[i].name) != 0)
            at++;
        if (at == arity)
            return bad_arguments(s, call, "has no parameter", call->args[i].name);
        call->order[at] = &call->args[i];
        struct text value = call->args[i].value;
        TRY(scope_text(s, &value, TEXT_PLAIN));
    }
    for (size_t i = 0; i < arity; i++)
        if (!call->order[i])
            return bad_arguments(s, call, "is used without its parameter",
                                 grammar_rule_parameter(g, call->rule, i));
    list_add(s->r->arena, &s->r->roots, call);
    return 0;
}

int scope_text(struct scope *s, struct text *t, enum text_use use)
{
    bool alone = text_is_whole(t);
    for (size_t i = 0; i < t->count; i++) {
        struct text_part *part = &t->parts[i];
        if (part->kind == TEXT_EXPR)
            TRY(settle(s, t->place, part->expr, alone ? use : TEXT_PLAIN));
        else if (part->kind == TEXT_RULE)
            TRY(settle_call(s, part->call));
    }
    return 0;
}

int scope_texts(struct scope *s, struct text **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (texts[i])
            TRY(scope_text(s, texts[i], TEXT_PLAIN));
    return 0;
}

int scope_maker(struct scope *s, struct maker *m)
{
    if (!m)
        return 0;
    if (m->call)
        return settle_call(s, m->call);
    TRY(scope_text(s, &m->value, TEXT_PLAIN));
    TRY(scope_text(s, &m->low, TEXT_PLAIN));
    TRY(scope_text(s, &m->high, TEXT_PLAIN));
    for (size_t i = 0; i < m->choice_count; i++)
        TRY(scope_text(s, &m->choices[i], TEXT_PLAIN));
    for (size_t i = 0; i < m->parameter_count; i++)
        TRY(scope_text(s, &m->parameters[i].value, TEXT_PLAIN));
    return 0;
}

static size_t handles_in(const struct scope *s, const struct expr *e, int *out, size_t count, size_t max)
{
    const struct binding *b = e->kind == EXPR_NAME ? scope_find(s, e->text, false) : NULL;
    if (b && b->kind == BIND_HANDLE && count < max)
        out[count++] = b->slot;
    for (size_t i = 0; i < e->arg_count; i++)
        count = handles_in(s, e->args[i], out, count, max);
    return count;
}

size_t scope_handles(const struct scope *s, const struct text *t, int *out, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->parts[i].kind == TEXT_EXPR)
            count = handles_in(s, t->parts[i].expr, out, count, max);
    return count;
}
