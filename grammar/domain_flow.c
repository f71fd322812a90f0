/* Follows the states of handles through every body, as sets of what each may be in, and refuses what can be
 * told to be wrong of every derivation: a guard that never holds, a handle read while it is surely not there,
 * one passed to a step that takes none in such a state.
 *
 * Sets only grow where ways meet, and where steps that are done in between might change a handle; so what is
 * refused is wrong whatever is chosen, and what is not refused may still fail. A round of a repeat is
 * followed quietly until its beginning is known, and then once more. */
#include <stdlib.h>
#include <string.h>

#include "grammar/flow_internal.h"

/* Arguments that name something that has to be there. */
static const struct {
    const char *op, *arg;
} uses[] = {{"read", "path"},   {"list", "path"},     {"stat", "path"},  {"move", "path"},
            {"copy", "path"},   {"remove", "path"},   {"chmod", "path"}, {"edit", "path"},
            {"search", "path"}, {"download", "path"}, {"serve", "path"}, {"attach", "path"},
            {"run", "cwd"},     {"start", "cwd"}};

static int follow(struct flow *f, const struct plan_node *first);

/* --- slots --- */

/* A handle is bound to the slot. */
static void settle(struct flow *f, int slot, uint64_t states, const struct handle_type *type,
                   struct plan_place since, const struct maker **makers)
{
    if (slot >= 0)
        f->now[slot] = (struct slot_states){states, type, since, makers};
}

static void change_state(struct flow *f, int slot, uint64_t states, struct plan_place since)
{
    f->now[slot].states = states;
    f->now[slot].since = since;
}

/* --- ways that part and meet --- */

static struct slot_states *copy_now(const struct flow *f)
{
    struct slot_states *copy = xmalloc(((size_t)f->slot_count + 1) * sizeof *copy);
    memcpy(copy, f->now, ((size_t)f->slot_count + 1) * sizeof *copy);
    return copy;
}

static bool same_makers(const struct slot_states *s, const struct maker **makers)
{
    if (!s->makers || !makers)
        return s->makers == makers;
    for (size_t i = 0; i < s->type->prop_count; i++)
        if (s->makers[i] != makers[i])
            return false;
    return true;
}

/* Adds to `states` what the other way has; true when less is certain then. */
static bool join(const struct flow *f, struct slot_states *states, const struct slot_states *other)
{
    bool more = false;
    for (int i = 0; i < f->slot_count; i++) {
        uint64_t both = states[i].states | other[i].states;
        if (!states[i].states || !other[i].states) {
            more |= both != states[i].states;
            states[i] = states[i].states ? states[i] : other[i];
            continue;
        }
        const struct maker **makers = facts_join(f, &states[i], &other[i]);
        more |= both != states[i].states || !same_makers(&states[i], makers);
        states[i].states = both;
        states[i].makers = makers;
    }
    return more;
}

/* --- nodes --- */

/* The handle whose path the text is, or begins with; NULL: none. */
static const struct slot_states *path_of(const struct flow *f, const struct text *t, const struct expr **e)
{
    if (!t || !t->count || t->parts[0].kind != TEXT_EXPR)
        return NULL;
    *e = t->parts[0].expr;
    bool deeper = t->count > 1 && !(t->parts[1].kind == TEXT_LITERAL &&
                                    bytes_starts(t->parts[1].literal, BYTES_LITERAL("/")));
    if (deeper || (*e)->kind != EXPR_NAME || !bytes_equal_string((*e)->rest, "path") || (*e)->slot < 0 ||
        (*e)->slot >= f->slot_count)
        return NULL;
    const struct slot_states *s = &f->now[(*e)->slot];
    return s->states && s->type ? s : NULL;
}

static int check_there(struct flow *f, struct plan_place place, const struct text *t, const char *what,
                       const char *unless)
{
    const struct expr *e;
    const struct slot_states *s = path_of(f, t, &e);
    if (f->quiet || !s || (s->states & ~flow_gone(f)))
        return 0;
    const char *there = s->type->states[0];
    for (size_t i = 0; i < s->type->state_count && (flow_state(f, there) & flow_gone(f)); i++)
        there = s->type->states[i];
    return plan_fail(f->r->err, place,
                     "%s \"%.*s.path\" while \"%.*s\" is surely %s (%s:%u), expected <become name=\"%.*s\" "
                     "state=\"%s\"/> after what makes it, or %s",
                     what, BYTES_ARG(e->text), BYTES_ARG(e->text), flow_name(f, s->states), s->since.file,
                     s->since.line, BYTES_ARG(e->text), there, unless);
}

static int follow_op(struct flow *f, const struct plan_node *n)
{
    const struct plan_op *op = &n->u.op;
    bool may_fail = op->id_slot >= 0 && f->may_fail[op->id_slot];
    for (size_t i = 0; i < op->arg_count && !may_fail; i++)
        for (size_t k = 0; k < sizeof uses / sizeof uses[0]; k++)
            if (strcmp(uses[k].op, op->op->name) == 0 && strcmp(uses[k].arg, op->args[i].arg->name) == 0)
                TRY(check_there(f, n->place, &op->args[i].text, op->op->name,
                                "<expect outcome=\"error\"/> if it is meant to fail"));
    if (op->into && op->into->type)
        settle(f, n->slot, flow_state(f, op->into->state), op->into->type, n->place, NULL);
    return 0;
}

static bool may_be_missing(const struct plan_expect *e)
{
    const struct text *exists = e->values[EXPECT_EXISTS];
    return exists && !(exists->count == 1 && exists->parts[0].kind == TEXT_LITERAL &&
                       bytes_equal_string(exists->parts[0].literal, "yes"));
}

static int follow_expect(struct flow *f, const struct plan_node *n)
{
    const struct plan_expect *e = &n->u.expect;
    return may_be_missing(e)
               ? 0
               : check_there(f, n->place, e->file, "expect of", "exists=\"no\" if it shall not be there");
}

static int follow_def(struct flow *f, const struct plan_node *n)
{
    settle(f, n->slot, flow_state(f, n->u.def.state), n->u.def.type, n->place, facts_of_def(f, &n->u.def));
    return 0;
}

static int follow_with(struct flow *f, const struct plan_node *n)
{
    flow_disturb(f, n->u.with.producers, n->u.with.producer_count);
    settle(f, n->slot, flow_wanted(f, &n->u.with), n->u.with.type, n->place, facts_of_any(f, n->u.with.type));
    return 0;
}

static int follow_become(struct flow *f, const struct plan_node *n)
{
    if (n->slot >= 0)
        change_state(f, n->slot, flow_state(f, n->u.become), n->place);
    return 0;
}

static int follow_set(struct flow *f, const struct plan_node *n)
{
    if (n->u.set.prop >= 0)
        facts_set(f, n->slot, n->u.set.prop, n->u.set.maker);
    return 0;
}

/* A step gets the very handle that is passed, so the state it is in then is known, unless it does further
 * steps. */
static int pass_handle(struct flow *f, const struct plan_step *step, const struct plan_argument *arg)
{
    static const char unchanged[] = "";
    const struct plan_with *with = &arg->input->u.with;
    int slot = arg->value.parts[0].expr->slot;
    struct slot_states *s = slot >= 0 && slot < f->slot_count ? &f->now[slot] : NULL;
    if (!s || !s->states)
        return 0;
    uint64_t taken = s->states & flow_wanted(f, with);
    if (!f->quiet && !taken && s->type)
        return plan_fail(f->r->err, arg->value.place,
                         "step \"%s\" takes \"%s\" in state %s, but what is passed is surely %s (%s:%u), "
                         "expected <become> "
                         "before this",
                         step->name, arg->name, flow_name(f, flow_wanted(f, with)), flow_name(f, s->states),
                         s->since.file, s->since.line);
    const char *state = plan_final_state(arg->input, unchanged);
    s->states = taken ? taken : s->states;
    if (state && state != unchanged)
        change_state(f, slot, flow_state(f, state), step->place);
    return 0;
}

static void bind_given(struct flow *f, const struct plan_node *n, const struct plan_step *step)
{
    static const char unchanged[] = "";
    const struct plan_node *given = step->given;
    const struct plan_def *def = given->kind == PLAN_DEF  ? &given->u.def
                                 : given->kind == PLAN_OP ? given->u.op.into
                                                          : NULL;
    if (given->kind != PLAN_WITH && (!def || !def->type))
        return;
    const struct handle_type *type = def ? def->type : given->u.with.type;
    const char *state = plan_final_state(given, def ? def->state : unchanged);
    uint64_t states = !state               ? flow_all(f, type)
                      : state == unchanged ? flow_wanted(f, &given->u.with)
                                           : flow_state(f, state);
    settle(f, n->slot, states, type, n->place, given->kind == PLAN_DEF ? facts_of_def(f, def) : NULL);
    flow_forget_set(f, step->body, given->slot, n->slot);
}

static int follow_do(struct flow *f, const struct plan_node *n)
{
    const struct plan_do *call = &n->u.call;
    flow_disturb(f, call->steps, call->step_count);
    for (size_t i = 0; i < call->arg_count; i++)
        if (call->args[i].input->kind == PLAN_WITH)
            TRY(pass_handle(f, call->steps[0], &call->args[i]));
    if (n->kind == PLAN_DO && n->name)
        bind_given(f, n, call->steps[0]);
    return 0;
}

/* --- blocks --- */

static int check_guard(struct flow *f, struct plan_place place, const struct expr *when)
{
    if (!when || f->quiet || known_truth(f, when) != TRUTH_NEVER)
        return 0;
    return plan_fail(f->r->err, place,
                     "the guard when=\"…\" never holds, whatever is chosen, so what it guards is never "
                     "done; expected one that can hold");
}

/* state(f) = 'present' holds inside what it guards. */
static void assume(struct flow *f, const struct expr *e)
{
    if (e->kind == EXPR_AND) {
        assume(f, e->args[0]);
        assume(f, e->args[1]);
    }
    if (e->kind != EXPR_EQUAL)
        return;
    const struct expr *call = e->args[0]->kind == EXPR_CALL ? e->args[0] : e->args[1],
                      *text = call == e->args[0] ? e->args[1] : e->args[0];
    if (call->kind != EXPR_CALL || call->function->id != EXPR_FN_STATE || text->kind != EXPR_TEXT)
        return;
    int slot = call->args[0]->slot;
    for (size_t i = 0; slot >= 0 && slot < f->slot_count && i < f->name_count; i++)
        if (bytes_equal_string(text->text, f->names[i]) && (f->now[slot].states >> i & 1))
            f->now[slot].states = (uint64_t)1 << i;
}

/* Follows what a guard may leave out: it is done or it is not. */
static int follow_perhaps(struct flow *f, const struct expr *when,
                          int (*inside)(struct flow *, const struct plan_node *), const struct plan_node *n)
{
    struct slot_states *without = copy_now(f);
    if (when)
        assume(f, when);
    int status = inside(f, n);
    join(f, f->now, without);
    free(without);
    return status;
}

static int follow_children(struct flow *f, const struct plan_node *n)
{
    return follow(f, n->first);
}

static int follow_one_of(struct flow *f, const struct plan_node *n)
{
    struct slot_states *before = copy_now(f), *after = NULL;
    bool exhaustive = false;
    int status = 0;
    for (const struct plan_node *alt = n->first; alt && status == 0; alt = alt->next) {
        exhaustive |= !alt->when && alt->weight > 0;
        memcpy(f->now, before, ((size_t)f->slot_count + 1) * sizeof *before);
        status = check_guard(f, alt->place, alt->when);
        if (alt->when)
            assume(f, alt->when);
        if (status == 0)
            status = follow(f, alt->first);
        if (!after)
            after = copy_now(f);
        else
            join(f, after, f->now);
    }
    if (after)
        memcpy(f->now, after, ((size_t)f->slot_count + 1) * sizeof *after);
    if (!exhaustive)
        join(f, f->now, before);
    free(before);
    free(after);
    return status;
}

static int follow_repeat(struct flow *f, const struct plan_node *n)
{
    bool quiet = f->quiet, more = n->u.repeat.max > 1;
    struct slot_states *start = copy_now(f);
    f->quiet = true;
    while (more) {
        follow(f, n->first); /* quietly, so it does not fail */
        more = join(f, start, f->now);
        memcpy(f->now, start, ((size_t)f->slot_count + 1) * sizeof *start);
    }
    f->quiet = quiet;
    int status = n->u.repeat.max ? follow(f, n->first) : 0;
    if (n->u.repeat.min == 0)
        join(f, f->now, start);
    free(start);
    return status;
}

static int follow_optional(struct flow *f, const struct plan_node *n)
{
    return follow_perhaps(f, NULL, follow_children, n);
}

static int (*const followers[PLAN_KIND_COUNT])(struct flow *f, const struct plan_node *n) = {
    [PLAN_DEF] = follow_def,           [PLAN_WITH] = follow_with,
    [PLAN_BECOME] = follow_become,     [PLAN_DO] = follow_do,
    [PLAN_WALK] = follow_do,           [PLAN_OP] = follow_op,
    [PLAN_EXPECT] = follow_expect,     [PLAN_ONE_OF] = follow_one_of,
    [PLAN_REPEAT] = follow_repeat,     [PLAN_OPTIONAL] = follow_optional,
    [PLAN_PARALLEL] = follow_children, [PLAN_SET] = follow_set,
};

static int follow(struct flow *f, const struct plan_node *first)
{
    for (const struct plan_node *n = first; n; n = n->next) {
        TRY(check_guard(f, n->place, n->when));
        TRY(facts_check(f, n));
        if (!followers[n->kind])
            continue;
        if (n->when)
            TRY(follow_perhaps(f, n->when, followers[n->kind], n));
        else
            TRY(followers[n->kind](f, n));
    }
    return 0;
}

/* --- bodies --- */

/* Steps of which an expectation says something else than that they go well. */
static void collect_failures(struct flow *f, const struct plan_node *first)
{
    for (const struct plan_node *n = first; n; n = n->next) {
        const struct text *outcome = n->kind == PLAN_EXPECT ? n->u.expect.values[EXPECT_OUTCOME] : NULL;
        bool well = outcome && outcome->count == 1 && outcome->parts[0].kind == TEXT_LITERAL &&
                    bytes_equal_string(outcome->parts[0].literal, "ok");
        if (outcome && !well && n->u.expect.step_slot >= 0)
            f->may_fail[n->u.expect.step_slot] = true;
        collect_failures(f, n->first);
    }
}

static int follow_body(struct flow *f, const struct plan_step *step)
{
    size_t room = (size_t)step->slot_count + 1;
    f->body = step;
    f->slot_count = step->slot_count;
    f->makers = xcalloc(room, sizeof *f->makers);
    f->now = xcalloc(room, sizeof *f->now);
    f->may_fail = xcalloc(room, sizeof *f->may_fail);
    known_collect(f, step->body);
    collect_failures(f, step->body);
    int status = check_guard(f, step->place, step->when);
    if (status == 0)
        status = follow(f, step->body);
    free(f->makers);
    free(f->now);
    free(f->may_fail);
    return status;
}

/* Vocabulary that is included may lie idle; a step of the template itself may not. */
static int check_reached(struct flow *f)
{
    const struct list *steps = &f->r->steps, *workflows = &f->r->workflows;
    bool *reached = xcalloc(steps->count + 1, sizeof *reached);
    int status = 0;
    for (size_t i = 0; i < workflows->count; i++)
        flow_reach(f, ((const struct plan_step *)workflows->items[i])->body, reached);
    for (size_t i = 0; i < steps->count && status == 0; i++) {
        const struct plan_step *step = steps->items[i];
        if (!reached[i] && strcmp(step->place.file, f->r->domain->file) == 0)
            status = plan_fail(
                f->r->err, step->place,
                "step \"%s\" is done by nothing that a workflow leads to, expected a <do>, <walk> or <with> "
                "that does it, or that it is removed",
                step->name);
    }
    free(reached);
    return status;
}

int domain_flow(struct reading *r)
{
    struct flow f = {.r = r};
    if (!flow_collect_names(&f) || r->steps.count + r->workflows.count > FLOW_BODIES_MOST)
        return 0; /* too many to follow */
    for (size_t i = 0; i < r->steps.count; i++)
        TRY(follow_body(&f, r->steps.items[i]));
    for (size_t i = 0; i < r->workflows.count; i++)
        TRY(follow_body(&f, r->workflows.items[i]));
    return check_reached(&f);
}
