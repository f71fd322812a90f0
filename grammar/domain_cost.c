/* Cheapest completions: how many steps a node adds to the task at least, whatever the guards say, how deep it
 * nests, and about how many bytes it takes. The interpreter keeps that many steps in reserve for what is
 * still to come, so a budget of steps always closes. Bytes are what literal text and the shortest texts of
 * rules take; what expressions give is guessed.
 *
 * Costs are the least fixed point over steps that do each other, compared by steps first, nesting second and
 * bytes third; nesting grows with every call, so the cheapest completion of a finite cost is itself finite.
 */
#include <string.h>

#include "grammar/domain_internal.h"

enum {
    MANY = 2,
    EXPRESSION_BYTES = 16, /* what an expression is taken to give */
    ROW_BYTES = 100        /* of a step or an expectation, beside its texts */
};

static const struct plan_cost nothing = {0, 0, 0},
                              infinite = {PLAN_COST_INFINITE, PLAN_COST_INFINITE, PLAN_COST_INFINITE};

static uint32_t capped(uint64_t n)
{
    return n > PLAN_COST_INFINITE ? PLAN_COST_INFINITE : (uint32_t)n;
}

bool plan_cost_less(struct plan_cost a, struct plan_cost b)
{
    if (a.steps != b.steps)
        return a.steps < b.steps;
    return a.height != b.height ? a.height < b.height : a.bytes < b.bytes;
}

static struct plan_cost in_a_row(struct plan_cost a, struct plan_cost b)
{
    return (struct plan_cost){capped((uint64_t)a.steps + b.steps), a.height > b.height ? a.height : b.height,
                              capped((uint64_t)a.bytes + b.bytes)};
}

static struct plan_cost times(struct plan_cost a, uint32_t count)
{
    if (!count)
        return nothing;
    return (struct plan_cost){capped((uint64_t)a.steps * count), a.height, capped((uint64_t)a.bytes * count)};
}

static struct plan_cost call_of(struct plan_cost a)
{
    return (struct plan_cost){a.steps, capped((uint64_t)a.height + 1), a.bytes};
}

/* The cheapest of several, of which guarded ones may be missing: when all are guarded, any of them may be the
 * only one. */
struct choice_cost {
    struct plan_cost sure, dearest;
    bool has_sure;
};

static void offer(struct choice_cost *c, struct plan_cost cost, bool guarded)
{
    if (!guarded && (!c->has_sure || plan_cost_less(cost, c->sure)))
        c->sure = cost;
    c->has_sure |= !guarded;
    if (plan_cost_less(c->dearest, cost))
        c->dearest = cost;
}

static struct plan_cost chosen(const struct choice_cost *c)
{
    return c->has_sure ? c->sure : c->dearest;
}

/* --- bytes --- */

static uint64_t bytes_of_text(const struct grammar *g, const struct text *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; t && i < t->count; i++) {
        const struct text_part *part = &t->parts[i];
        if (part->kind == TEXT_LITERAL)
            sum += part->literal.len;
        else if (part->kind == TEXT_EXPR)
            sum += EXPRESSION_BYTES;
        else
            sum += grammar_rule_least(g, part->call->rule);
    }
    return sum;
}

static uint64_t bytes_of_op(const struct grammar *g, const struct plan_op *op)
{
    uint64_t sum = ROW_BYTES;
    for (size_t i = 0; i < op->arg_count; i++) {
        sum += bytes_of_text(g, &op->args[i].text);
        for (size_t k = 0; k < op->args[i].item_count; k++)
            sum += bytes_of_text(g, &op->args[i].items[k].value);
    }
    return sum;
}

static uint64_t bytes_of_expect(const struct grammar *g, const struct plan_expect *e)
{
    uint64_t sum = 0;
    for (int i = 0; i < EXPECT_PREDICATE_COUNT; i++)
        sum += e->values[i] ? ROW_BYTES + bytes_of_text(g, e->values[i]) : 0;
    return sum;
}

static struct plan_cost bytes_alone(uint64_t bytes)
{
    return (struct plan_cost){0, 0, capped(bytes)};
}

/* --- nodes --- */

static struct plan_cost cost_of_list(const struct grammar *g, struct plan_node *first);

static struct plan_cost cost_of_calls(const struct plan_step *const *steps, size_t count)
{
    struct choice_cost c = {nothing, nothing, false};
    for (size_t i = 0; i < count; i++)
        offer(&c, call_of(steps[i]->cost), steps[i]->when != NULL);
    return chosen(&c);
}

static struct plan_cost cost_of_one_of(const struct grammar *g, struct plan_node *n)
{
    struct choice_cost c = {nothing, nothing, false};
    for (struct plan_node *alt = n->first; alt; alt = alt->next) {
        alt->cost = cost_of_list(g, alt->first);
        if (alt->weight > 0)
            offer(&c, alt->cost, alt->when != NULL);
    }
    return chosen(&c);
}

static struct plan_cost cost_of_with(const struct plan_node *n)
{
    return n->u.with.can_define ? nothing : cost_of_calls(n->u.with.producers, n->u.with.producer_count);
}

static struct plan_cost cost_of(const struct grammar *g, struct plan_node *n)
{
    switch (n->kind) {
    case PLAN_OP:
        return (struct plan_cost){1, 0, capped(bytes_of_op(g, &n->u.op))};
    case PLAN_SAY:
        return bytes_alone(bytes_of_text(g, &n->u.say));
    case PLAN_EXPECT:
        return bytes_alone(bytes_of_expect(g, &n->u.expect));
    case PLAN_WITH:
        return cost_of_with(n);
    case PLAN_DO:
    case PLAN_WALK:
        return times(cost_of_calls(n->u.call.steps, n->u.call.step_count), n->u.call.min);
    case PLAN_ONE_OF:
        return cost_of_one_of(g, n);
    case PLAN_REPEAT:
        return times(cost_of_list(g, n->first), n->u.repeat.min);
    case PLAN_OPTIONAL:
        cost_of_list(g, n->first);
        return nothing;
    case PLAN_PARALLEL:
        return cost_of_list(g, n->first);
    default:
        return nothing;
    }
}

static struct plan_cost cost_of_list(const struct grammar *g, struct plan_node *first)
{
    struct plan_cost sum = nothing;
    for (struct plan_node *n = first; n; n = n->next) {
        n->cost = cost_of(g, n);
        sum = in_a_row(sum, n->cost);
    }
    return sum;
}

static bool settle(const struct grammar *g, struct plan_step *step)
{
    struct plan_cost cost = cost_of_list(g, step->body);
    bool changed = memcmp(&cost, &step->cost, sizeof cost) != 0;
    step->cost = cost;
    return changed;
}

/* --- who leaves a handle behind --- */

static bool changes(const struct plan_node *first, int slot)
{
    for (const struct plan_node *n = first; n; n = n->next)
        if ((n->kind == PLAN_BECOME && n->slot == slot) || changes(n->first, slot))
            return true;
    return false;
}

static bool holds_call(const struct plan_node *n)
{
    if (n->kind == PLAN_DO || n->kind == PLAN_WALK || n->kind == PLAN_WITH)
        return true;
    for (const struct plan_node *child = n->first; child; child = child->next)
        if (holds_call(child))
            return true;
    return false;
}

const char *plan_final_state(const struct plan_node *def, const char *state)
{
    for (const struct plan_node *n = def->next; n && state; n = n->next) {
        if (n->kind == PLAN_BECOME && n->slot == def->slot && !n->when)
            state = n->u.become;
        else if ((n->kind == PLAN_BECOME && n->slot == def->slot) || changes(n->first, def->slot) ||
                 holds_call(n))
            state = NULL;
    }
    return state;
}

static bool wants(const struct plan_with *with, const char *state)
{
    for (size_t i = 0; i < with->state_count; i++)
        if (strcmp(with->states[i], state) == 0)
            return true;
    return with->state_count == 0;
}

/* `exactly`: of that very kind, not of one made from it. */
static bool leaves(const struct plan_step *step, const struct plan_with *with, bool exactly)
{
    for (const struct plan_node *n = step->body; n; n = n->next) {
        const struct plan_def *def = n->kind == PLAN_DEF  ? &n->u.def
                                     : n->kind == PLAN_OP ? n->u.op.into
                                                          : NULL;
        if (!def || !def->type || n->when || !handle_type_is(def->type, with->type) ||
            (exactly && def->type != with->type))
            continue;
        const char *state = plan_final_state(n, def->state);
        if (state && wants(with, state))
            return true;
    }
    return false;
}

static bool all_made_up(const struct handle_type *type)
{
    for (size_t i = 0; i < type->prop_count; i++)
        if (!type->props[i].maker)
            return false;
    return true;
}

static int find_producers(struct reading *r, struct plan_node *first)
{
    for (struct plan_node *n = first; n; n = n->next) {
        TRY(find_producers(r, n->first));
        if (n->kind != PLAN_WITH)
            continue;
        struct plan_with *with = &n->u.with;
        with->producers = arena_alloc(r->arena, (r->steps.count + 1) * sizeof *with->producers);
        for (size_t i = 0; i < r->steps.count; i++) {
            const struct plan_step *step = r->steps.items[i];
            if (!step->when && !step->needs_arguments && leaves(step, with, false))
                with->producers[with->producer_count++] = step;
        }
        with->can_define = wants(with, with->type->states[0]) && all_made_up(with->type);
        if (!with->producer_count && !with->can_define)
            return plan_fail(
                r->err, n->place,
                "nothing can make a %s%s%s for this <with>, expected a <step> that leaves one behind",
                with->type->name, with->state_count ? " in state " : "",
                with->state_count ? with->states[0] : "");
    }
    return 0;
}

/* In more than bytes. */
static bool dearer(const struct plan_step *producer, struct plan_cost best)
{
    struct plan_cost cost = call_of(producer->cost);
    return cost.steps > best.steps || (cost.steps == best.steps && cost.height > best.height);
}

static void keep_exact(struct plan_with *with)
{
    size_t kept = 0;
    for (size_t i = 0; i < with->producer_count; i++)
        if (leaves(with->producers[i], with, true))
            with->producers[kept++] = with->producers[i];
    with->producer_count = kept ? kept : with->producer_count;
}

/* Of the producers only the cheapest are done, and of those the ones that make the very kind that is asked
 * for, where there are any. */
static void keep_cheapest(struct plan_node *first)
{
    for (struct plan_node *n = first; n; n = n->next) {
        keep_cheapest(n->first);
        if (n->kind != PLAN_WITH || !n->u.with.producer_count)
            continue;
        struct plan_with *with = &n->u.with;
        struct plan_cost best = cost_of_calls(with->producers, with->producer_count);
        size_t kept = 0;
        for (size_t i = 0; i < with->producer_count; i++)
            if (!dearer(with->producers[i], best))
                with->producers[kept++] = with->producers[i];
        with->producer_count = kept;
        keep_exact(with);
    }
}

/* --- how many ops a step has at most: one, or many --- */

static uint32_t most_of_list(const struct plan_node *first);

static uint32_t most_of_calls(const struct plan_do *call)
{
    uint32_t most = 0;
    for (size_t i = 0; i < call->step_count; i++)
        if (call->steps[i]->most_ops > most)
            most = call->steps[i]->most_ops;
    return most;
}

static uint32_t most_of(const struct plan_node *n)
{
    uint32_t most = 0;
    switch (n->kind) {
    case PLAN_OP:
        return 1;
    case PLAN_WITH:
        return n->u.with.producer_count ? MANY : 0;
    case PLAN_WALK:
        return MANY;
    case PLAN_DO:
        return most_of_calls(&n->u.call);
    case PLAN_ONE_OF:
        for (const struct plan_node *alt = n->first; alt; alt = alt->next)
            if (most_of_list(alt->first) > most)
                most = most_of_list(alt->first);
        return most;
    case PLAN_REPEAT:
        return n->u.repeat.max > 1 ? MANY * most_of_list(n->first) : most_of_list(n->first);
    default:
        return most_of_list(n->first);
    }
}

static uint32_t most_of_list(const struct plan_node *first)
{
    uint32_t sum = 0;
    for (const struct plan_node *n = first; n && sum < MANY; n = n->next)
        sum += most_of(n);
    return sum < MANY ? sum : MANY;
}

static int check_end(struct reading *r, const struct plan_step *step, const char *what)
{
    if (step->cost.steps < PLAN_COST_INFINITE && step->cost.height < PLAN_COST_INFINITE)
        return 0;
    return plan_fail(r->err, step->place,
                     "%s \"%s\" never ends: every way through it leads to a step that does it again", what,
                     step->name);
}

int domain_cost(struct reading *r)
{
    const struct list *steps = &r->steps, *workflows = &r->workflows;
    for (size_t i = 0; i < steps->count; i++)
        TRY(find_producers(r, ((struct plan_step *)steps->items[i])->body));
    for (size_t i = 0; i < workflows->count; i++)
        TRY(find_producers(r, ((struct plan_step *)workflows->items[i])->body));
    for (size_t i = 0; i < steps->count; i++)
        ((struct plan_step *)steps->items[i])->cost = infinite;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < steps->count; i++) {
            struct plan_step *step = steps->items[i];
            uint32_t most = most_of_list(step->body);
            changed |= settle(r->domain->grammar, step) || most != step->most_ops;
            step->most_ops = most;
        }
    }
    for (size_t i = 0; i < steps->count; i++)
        keep_cheapest(((struct plan_step *)steps->items[i])->body);
    for (size_t i = 0; i < workflows->count; i++) {
        settle(r->domain->grammar, workflows->items[i]);
        keep_cheapest(((struct plan_step *)workflows->items[i])->body);
    }
    for (size_t i = 0; i < steps->count; i++)
        TRY(check_end(r, steps->items[i], "step"));
    for (size_t i = 0; i < workflows->count; i++)
        TRY(check_end(r, workflows->items[i], "workflow"));
    return 0;
}
