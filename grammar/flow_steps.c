/* Sets of states, and what steps that are done somewhere may do to handles that have a name elsewhere: each
 * <with> of a step may take any handle of its kind that is in a state it asks for, make of it what the step
 * makes of it, and set its properties. Steps do further steps, so all that are reached count. */
#include <stdlib.h>
#include <string.h>

#include "grammar/flow_internal.h"

/* --- sets of states --- */

uint64_t flow_state(const struct flow *f, const char *name)
{
    for (size_t i = 0; i < f->name_count; i++)
        if (strcmp(f->names[i], name) == 0)
            return (uint64_t)1 << i;
    return 0;
}

bool flow_collect_names(struct flow *f)
{
    for (size_t i = 0; i < f->r->types.count; i++) {
        const struct handle_type *type = f->r->types.items[i];
        for (size_t k = 0; k < type->state_count; k++) {
            if (flow_state(f, type->states[k]))
                continue;
            if (f->name_count == FLOW_STATES_MOST)
                return false;
            f->names[f->name_count++] = type->states[k];
        }
    }
    return true;
}

uint64_t flow_gone(const struct flow *f)
{
    static const char *const names[] = {"absent", "deleted"};
    uint64_t set = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        set |= flow_state(f, names[i]);
    return set;
}

/* Of a kind, and of those made from it. */
uint64_t flow_all(const struct flow *f, const struct handle_type *base)
{
    uint64_t set = 0;
    for (size_t i = 0; i < f->r->types.count; i++) {
        const struct handle_type *type = f->r->types.items[i];
        for (size_t k = 0; handle_type_is(type, base) && k < type->state_count; k++)
            set |= flow_state(f, type->states[k]);
    }
    return set;
}

uint64_t flow_wanted(const struct flow *f, const struct plan_with *with)
{
    uint64_t set = 0;
    for (size_t i = 0; i < with->state_count; i++)
        set |= flow_state(f, with->states[i]);
    return with->state_count ? set : flow_all(f, with->type);
}

const char *flow_name(const struct flow *f, uint64_t set)
{
    for (size_t i = 0; i < f->name_count; i++)
        if (set >> i & 1)
            return f->names[i];
    return "unknown";
}

/* --- what steps that are done may change --- */

static void change(struct flow *f, const struct plan_node *first, int slot, uint64_t *to)
{
    for (const struct plan_node *n = first; n; n = n->next) {
        if (n->kind == PLAN_BECOME && n->slot == slot)
            *to |= flow_state(f, n->u.become);
        change(f, n->first, slot, to);
    }
}

void flow_forget_set(struct flow *f, const struct plan_node *first, int slot, int here)
{
    for (const struct plan_node *n = first; n; n = n->next) {
        if (n->kind == PLAN_SET && n->slot == slot && n->u.set.prop >= 0)
            facts_set(f, here, n->u.set.prop, NULL);
        flow_forget_set(f, n->first, slot, here);
    }
}

static bool may_be_one(const struct handle_type *a, const struct handle_type *b)
{
    return a && (handle_type_is(a, b) || handle_type_is(b, a));
}

/* What this step's <with>s may do to handles that are named here; true when sets grew. */
static bool disturb(struct flow *f, const struct plan_step *step, const struct plan_node *first)
{
    bool grew = false;
    for (const struct plan_node *n = first; n; n = n->next) {
        grew |= disturb(f, step, n->first);
        if (n->kind != PLAN_WITH)
            continue;
        uint64_t from = flow_wanted(f, &n->u.with), to = 0;
        change(f, step->body, n->slot, &to);
        for (int i = 0; i < f->slot_count; i++) {
            struct slot_states *s = &f->now[i];
            if (!(s->states & from) || !may_be_one(s->type, n->u.with.type))
                continue;
            flow_forget_set(f, step->body, n->slot, i);
            grew |= (to & ~s->states) != 0;
            s->states |= to;
        }
    }
    return grew;
}

static void reach(const struct flow *f, const struct plan_step *const *steps, size_t count, bool *reached)
{
    for (size_t i = 0; i < count; i++) {
        if (reached[steps[i]->index])
            continue;
        reached[steps[i]->index] = true;
        flow_reach(f, steps[i]->body, reached);
    }
}

void flow_reach(const struct flow *f, const struct plan_node *first, bool *reached)
{
    for (const struct plan_node *n = first; n; n = n->next) {
        if (n->kind == PLAN_DO || n->kind == PLAN_WALK)
            reach(f, n->u.call.steps, n->u.call.step_count, reached);
        else if (n->kind == PLAN_WITH)
            reach(f, n->u.with.producers, n->u.with.producer_count, reached);
        flow_reach(f, n->first, reached);
    }
}

void flow_disturb(struct flow *f, const struct plan_step *const *steps, size_t count)
{
    bool *reached = xcalloc(f->r->steps.count + 1, sizeof *reached), grew = true;
    reach(f, steps, count, reached);
    while (grew) {
        grew = false;
        for (size_t i = 0; i < f->r->steps.count; i++) {
            const struct plan_step *step = f->r->steps.items[i];
            grew |= reached[i] && disturb(f, step, step->body);
        }
    }
    free(reached);
}
