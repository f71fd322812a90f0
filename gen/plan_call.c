/* Steps that are done: by name, any of several, as a walk, and to have a handle that is asked for; and how an
 * existing handle is chosen. */
#include <string.h>

#include "gen/plan_internal.h"

/* Runs a step's body in a frame of its own, in which parameters stand already. */
static int run_step(struct plan_run *run, struct frame *inner, const struct plan_step *step, uint32_t reserve)
{
    run->depth++;
    int status = plan_run_list(run, inner, step->body, reserve);
    run->depth--;
    return status;
}

static bool in_state(const struct handle *handle, const struct plan_with *with)
{
    if (!handle_type_is(handle->type, with->type))
        return false;
    for (size_t i = 0; i < with->state_count; i++)
        if (strcmp(handle->state, with->states[i]) == 0)
            return true;
    return with->state_count == 0;
}

static bool in_frame(const struct frame *frame, const struct handle *handle)
{
    for (int slot = 0; slot < frame->count; slot++)
        if (frame->slots[slot].kind == VALUE_HANDLE && frame->slots[slot].handle == handle)
            return true;
    return false;
}

/* --- which steps can be done --- */

static size_t count_fitting(const struct plan_run *run, const struct plan_with *with)
{
    size_t count = 0;
    for (size_t i = 0; i < run->handle_count; i++)
        count += in_state(run->handles[i], with);
    return count;
}

/* Every <with> of the step finds a handle of its own. On the safe side: handles that an earlier one might
 * take are not counted for a later one. */
static bool needs_met(const struct plan_run *run, const struct plan_step *step)
{
    size_t taken = 0;
    for (size_t i = 0; i < step->input_count; i++) {
        const struct plan_node *input = step->inputs[i];
        if (input->kind == PLAN_WITH && !input->when && count_fitting(run, &input->u.with) <= taken++)
            return false;
    }
    return true;
}

static int can_be_done(struct plan_run *run, const struct plan_step *step, bool *holds)
{
    struct frame none = {NULL, 0};
    return plan_guard(run, &none, step->place, step->when, holds);
}

static struct plan_cost call_cost(const struct plan_step *step)
{
    return (struct plan_cost){step->cost.steps, step->cost.height + 1, step->cost.bytes};
}

enum wish { NEEDS_MET, ANY_STEP };

/* Weights of the candidates that fit; when one `must` be done, the cheapest fits in any case. */
static int weigh(struct plan_run *run, const struct plan_do *call, enum wish wish, bool must,
                 uint32_t reserve, bool *any)
{
    double *weights = plan_weights(run, call->step_count);
    struct plan_cost cheapest = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    *any = false;
    for (size_t i = 0; i < call->step_count; i++) {
        bool holds;
        TRY(can_be_done(run, call->steps[i], &holds));
        weights[i] = holds ? plan_step_weight(call, i) : 0;
        if (weights[i] > 0 && plan_cost_less(call_cost(call->steps[i]), cheapest))
            cheapest = call_cost(call->steps[i]);
    }
    for (size_t i = 0; i < call->step_count; i++) {
        const struct plan_step *step = call->steps[i];
        bool fits = must ? plan_affords(run, call_cost(step), cheapest, reserve)
                         : plan_affords_more(run, call_cost(step), reserve);
        if (!fits || (wish == NEEDS_MET && !needs_met(run, step)))
            weights[i] = 0;
        *any |= weights[i] > 0;
    }
    return 0;
}

static int pass_arguments(struct plan_run *run, struct frame *frame, const struct plan_do *call,
                          struct frame *inner)
{
    for (size_t i = 0; i < call->arg_count; i++) {
        const struct plan_argument *arg = &call->args[i];
        struct value *slot = &inner->slots[arg->input->slot];
        if (arg->input->kind == PLAN_PARAM) {
            TRY(plan_text(run, frame, &arg->value, slot));
            continue;
        }
        *slot = frame->slots[arg->value.parts[0].expr->slot];
        if (slot->kind != VALUE_HANDLE || !in_state(slot->handle, &arg->input->u.with))
            return plan_fail(run->err, arg->value.place,
                             "the handle passed as \"%s\" is in state %s, which the step does not take",
                             arg->name, slot->kind == VALUE_HANDLE ? slot->handle->state : "none");
    }
    return 0;
}

static int do_step(struct plan_run *run, struct frame *frame, const struct plan_node *n,
                   const struct plan_step *step, uint32_t reserve)
{
    struct frame inner = plan_frame(run, step->slot_count);
    TRY(pass_arguments(run, frame, &n->u.call, &inner));
    TRY(run_step(run, &inner, step, reserve));
    if (n->kind == PLAN_DO && n->name)
        frame->slots[n->slot] = inner.slots[step->given->slot];
    return 0;
}

/* A step whose needs are met, else any that first makes what it needs. */
int plan_run_do(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    const struct plan_do *call = &n->u.call;
    bool any;
    TRY(weigh(run, call, call->step_count > 1 ? NEEDS_MET : ANY_STEP, false, reserve, &any));
    if (!any)
        TRY(weigh(run, call, ANY_STEP, true, reserve, &any));
    if (!any)
        return 0; /* guarded, all of them */
    plan_swarm_steps(run, n);
    size_t handle;
    size_t index = chooser_open_weighted(&run->chooser, n->site, run->weights, call->step_count, &handle);
    int status = do_step(run, frame, n, call->steps[index], reserve);
    chooser_close(&run->chooser, handle);
    return status;
}

/* One step of a walk; the extra possibility behind the last step is to stop. */
static int walk_once(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t taken,
                     uint32_t reserve, bool *stop)
{
    const struct plan_do *call = &n->u.call;
    bool any, must = taken < call->min;
    TRY(weigh(run, call, NEEDS_MET, false, reserve, &any));
    if (!any && must)
        TRY(weigh(run, call, ANY_STEP, true, reserve, &any));
    *stop = !any;
    if (!any)
        return 0;
    plan_swarm_steps(run, n);
    size_t count = call->step_count, handle;
    double total = 0, *kept = arena_alloc(&run->scratch, (count + 1) * sizeof *kept);
    for (size_t i = 0; i < count; i++)
        total += kept[i] = run->weights[i];
    kept[count] = must ? 0 : total / (call->max - taken);
    size_t index = chooser_open_weighted(&run->chooser, n->site, kept, count + 1, &handle);
    *stop = index == count;
    int status = *stop ? 0 : do_step(run, frame, n, call->steps[index], reserve);
    chooser_close(&run->chooser, handle);
    return status;
}

static uint32_t cheapest_steps(const struct plan_node *n)
{
    return n->u.call.min ? n->cost.steps / n->u.call.min : 0;
}

int plan_run_walk(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    const struct plan_do *call = &n->u.call;
    bool stop = false;
    for (uint32_t taken = 0; taken < call->max && !stop; taken++) {
        uint32_t owed = taken + 1 < call->min ? (call->min - taken - 1) * cheapest_steps(n) : 0;
        TRY(walk_once(run, frame, n, taken, reserve + owed, &stop));
    }
    return 0;
}

/* --- with --- */

/* Handles are chosen by how recent they are, half as likely with each step back, a tenth of the time evenly.
 * Counting from the newest keeps a choice meaningful when something before it is taken out of the derivation.
 */
static struct handle *choose_handle(struct plan_run *run, const struct frame *frame,
                                    const struct plan_node *n)
{
    size_t count = 0;
    struct handle **fitting = arena_alloc(&run->scratch, (run->handle_count + 1) * sizeof *fitting);
    for (size_t i = run->handle_count; i-- > 0;)
        if (in_state(run->handles[i], &n->u.with) && !in_frame(frame, run->handles[i]))
            fitting[count++] = run->handles[i];
    if (!count)
        return NULL;
    double *weights = plan_weights(run, count), recent = 0.9;
    for (size_t i = 0; i < count; i++, recent /= 2)
        weights[i] = recent / 2 + 0.1 / (double)count;
    return fitting[chooser_weighted(&run->chooser, n->site, weights, count)];
}

/* Does the cheapest step that leaves such a handle behind. */
static int produce(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    const struct plan_with *with = &n->u.with;
    double *weights = plan_weights(run, with->producer_count);
    struct plan_cost cheapest = with->producers[0]->cost;
    for (size_t i = 1; i < with->producer_count; i++)
        if (plan_cost_less(with->producers[i]->cost, cheapest))
            cheapest = with->producers[i]->cost;
    for (size_t i = 0; i < with->producer_count; i++)
        weights[i] = plan_affords(run, with->producers[i]->cost, cheapest, reserve);
    size_t handle;
    size_t index = chooser_open_weighted(&run->chooser, n->site + 1, weights, with->producer_count, &handle);
    const struct plan_step *step = with->producers[index];
    struct frame inner = plan_frame(run, step->slot_count);
    int status = run_step(run, &inner, step, reserve);
    chooser_close(&run->chooser, handle);
    return status;
}

static bool can_produce(const struct plan_run *run, const struct plan_with *with, uint32_t reserve)
{
    struct plan_cost cheapest = {0, 0, 0};
    if (!with->producer_count)
        return false;
    if (!with->can_define)
        cheapest = call_cost(with->producers[0]);
    return plan_affords(run, call_cost(with->producers[0]), cheapest, reserve);
}

int plan_run_with(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    const struct plan_with *with = &n->u.with;
    struct value *slot = &frame->slots[n->slot];
    if (slot->kind == VALUE_HANDLE)
        return 0; /* passed by the caller */
    struct handle *handle = choose_handle(run, frame, n);
    if (!handle && can_produce(run, with, reserve)) {
        TRY(produce(run, frame, n, reserve));
        handle = choose_handle(run, frame, n);
    }
    if (!handle && with->can_define)
        handle = plan_handle_new(run, with->type, with->type->states[0]);
    if (!handle)
        return plan_fail(run->err, n->place,
                         "there is no %s in the state asked for, and no step that makes one fits",
                         with->type->name);
    *slot = (struct value){.kind = VALUE_HANDLE, .handle = handle};
    return 0;
}
