/* The interpreter of bodies: guards, control flow and budgets.
 *
 * Invariant of steps: a list of nodes is run only when its cheapest completion and `reserve` steps fit, and
 * each node leaves room for its later siblings' cheapest completions; so the budget is never passed and never
 * runs dry. Space (bytes) has no such bound, because texts are as long as their rules: when a quarter of it
 * is left, only the cheapest completions are taken, and past the end the task fails. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "gen/plan_internal.h"

enum {
    LOG_ENTRY = 8,       /* bytes that one logged choice takes in the task, on the safe side */
    LOG_ENTRY_LEAST = 4, /* and at least */
    SCRATCH_MOST = 1 << 28
};

uint32_t plan_room(const struct plan_run *run, uint32_t reserve)
{
    uint64_t used = (uint64_t)run->task->step_count + reserve;
    return used < run->steps_max ? (uint32_t)(run->steps_max - used) : 0;
}

/* A task that is derived again because it got too long gets short of space earlier, at last from the
 * beginning. */
static bool is_short_of_space(const struct plan_run *run)
{
    static const uint64_t eighths[PLAN_SPARING_MOST + 1] = {6, 3, 1, 0};
    return run->bytes + (uint64_t)run->log.count * LOG_ENTRY > run->bytes_max / 8 * eighths[run->sparing];
}

bool plan_affords_more(const struct plan_run *run, struct plan_cost cost, uint32_t reserve)
{
    return cost.steps <= plan_room(run, reserve) && run->depth + cost.height <= run->depth_max &&
           !is_short_of_space(run);
}

bool plan_affords(const struct plan_run *run, struct plan_cost cost, struct plan_cost cheapest,
                  uint32_t reserve)
{
    bool is_cheapest = cost.steps == cheapest.steps && cost.height == cheapest.height &&
                       (cost.bytes == cheapest.bytes || !is_short_of_space(run));
    return is_cheapest || plan_affords_more(run, cost, reserve);
}

double *plan_weights(struct plan_run *run, size_t count)
{
    if (count > run->weight_room) {
        run->weights = arena_alloc(&run->scratch, count * 2 * sizeof *run->weights);
        run->weight_room = count * 2;
    }
    for (size_t i = 0; i < count; i++)
        run->weights[i] = 0;
    return run->weights;
}

int plan_charge(struct plan_run *run, struct plan_place place, uint64_t bytes)
{
    run->bytes += bytes;
    if (run->bytes <= run->bytes_max)
        return 0;
    run->too_long = true;
    return error_set(run->err, ERR_LIMIT,
                     "%s:%u: the task gets longer than %llu bytes (limit bytes, generate.max-bytes)",
                     place.file, place.line, (unsigned long long)run->bytes_max);
}

struct frame plan_frame(struct plan_run *run, int slot_count)
{
    return (struct frame){arena_alloc(&run->scratch, ((size_t)slot_count + 1) * sizeof(struct value)),
                          slot_count};
}

/* --- instruction --- */

/* The instruction is UTF-8 text without NUL: other bytes are shown as \xHH. */
static void say_bytes(struct buf *said, struct bytes text)
{
    for (size_t at = 0; at < text.len;) {
        struct bytes rest = bytes_slice(text, at, text.len);
        size_t good = utf8_valid_prefix(rest), zero = 0;
        while (zero < good && rest.data[zero])
            zero++;
        buf_add(said, bytes_slice(rest, 0, zero));
        at += zero;
        if (at < text.len)
            buf_addf(said, "\\x%02x", text.data[at++]);
    }
}

static int run_say(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    struct bytes sentence;
    TRY(plan_text_bytes(run, frame, &n->u.say, &sentence));
    if (!sentence.len)
        return 0;
    size_t start = run->said.len;
    if (start)
        buf_add_byte(&run->said, ' ');
    say_bytes(&run->said, sentence);
    struct json text = {.kind = JSON_STRING,
                        .text = bytes_slice(buf_bytes(&run->said), start, run->said.len)};
    return plan_charge(run, n->place, run->said.overflow ? run->bytes_max : plan_json_length(&text));
}

/* --- names --- */

static int run_let(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    return plan_make(run, frame, n->u.maker, &frame->slots[n->slot]);
}

/* What the caller passed stands already in the slot. */
static int run_param(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    return frame->slots[n->slot].kind == VALUE_NONE ? run_let(run, frame, n, reserve) : 0;
}

static int run_def(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    return plan_handle_define(run, frame, &n->u.def, &frame->slots[n->slot]);
}

static int run_set(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    struct value *slot = &frame->slots[n->slot];
    if (n->u.set.prop < 0)
        return plan_make(run, frame, n->u.set.maker, slot);
    if (slot->kind != VALUE_HANDLE)
        return plan_fail(run->err, n->place, "\"%s\" is no handle here", n->name);
    slot->handle->version++;
    return plan_handle_set(run, frame, slot->handle, n->u.set.prop, n->u.set.maker);
}

static int run_become(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    struct value *slot = &frame->slots[n->slot];
    if (slot->kind != VALUE_HANDLE)
        return plan_fail(run->err, n->place, "\"%s\" is no handle here", n->name);
    slot->handle->state = n->u.become;
    slot->handle->version++;
    return 0;
}

/* --- control flow --- */

/* A block starts with none of its own names bound. */
static void fresh_slots(struct frame *frame, const struct plan_node *n)
{
    for (int slot = n->low_slot; slot < n->high_slot; slot++)
        frame->slots[slot] = (struct value){0};
}

static struct plan_cost cost_of_list(const struct plan_node *first)
{
    struct plan_cost sum = {0, 0, 0};
    for (const struct plan_node *n = first; n; n = n->next) {
        sum.steps += n->cost.steps;
        sum.height = n->cost.height > sum.height ? n->cost.height : sum.height;
    }
    return sum;
}

/* Weights of the alternatives that can be taken; false when there is none. */
static int weigh_alternatives(struct plan_run *run, struct frame *frame, const struct plan_node *n,
                              uint32_t reserve, size_t *count, bool *any)
{
    struct plan_cost cheapest = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    bool enabled[PLAN_MAX_ALTERNATIVES] = {false};
    *count = 0;
    for (const struct plan_node *alt = n->first; alt; alt = alt->next, ++*count) {
        bool holds;
        TRY(plan_guard(run, frame, alt->place, alt->when, &holds));
        enabled[*count] = holds && alt->weight > 0;
        if (enabled[*count] && plan_cost_less(alt->cost, cheapest))
            cheapest = alt->cost;
    }
    double *weights = plan_weights(run, *count);
    size_t i = 0;
    *any = false;
    for (const struct plan_node *alt = n->first; alt; alt = alt->next, i++)
        if (enabled[i] && plan_affords(run, alt->cost, cheapest, reserve)) {
            weights[i] = alt->weight;
            *any = true;
        }
    return 0;
}

static int run_one_of(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    size_t count, handle;
    bool any;
    TRY(weigh_alternatives(run, frame, n, reserve, &count, &any));
    if (!any)
        return 0;
    plan_swarm_alternatives(run, n);
    size_t index = chooser_open_weighted(&run->chooser, n->site, run->weights, count, &handle);
    const struct plan_node *alt = n->first;
    while (index--)
        alt = alt->next;
    fresh_slots(frame, alt);
    int status = plan_run_list(run, frame, alt->first, reserve);
    chooser_close(&run->chooser, handle);
    return status;
}

/* Each round is a choice of its own, to go on or to stop, so that rounds can be cut out of a derivation or
 * doubled; how many there are in the end is even over min..max. */
static int run_repeat(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve)
{
    struct plan_cost cost = cost_of_list(n->first);
    uint32_t min = n->u.repeat.min, max = n->u.repeat.max;
    for (uint32_t round = 0; round < max; round++) {
        uint32_t owed = round + 1 < min ? (min - round - 1) * cost.steps : 0;
        double weights[2] = {1, 0}; /* go on, stop */
        if (round >= min && !plan_affords_more(run, cost, reserve))
            break;
        if (round >= min) {
            weights[0] = max - round;
            weights[1] = 1;
        }
        size_t handle;
        size_t stop = chooser_open_weighted(&run->chooser, n->site, weights, 2, &handle);
        int status = 0;
        if (!stop) {
            fresh_slots(frame, n);
            if (n->slot >= 0)
                frame->slots[n->slot] = plan_value_of_integer(round + 1);
            status = plan_run_list(run, frame, n->first, reserve + owed);
        }
        chooser_close(&run->chooser, handle);
        TRY(status);
        if (stop)
            break;
    }
    return 0;
}

static int run_optional(struct plan_run *run, struct frame *frame, const struct plan_node *n,
                        uint32_t reserve)
{
    bool fits = plan_affords_more(run, cost_of_list(n->first), reserve);
    double weights[2] = {1 - n->weight, fits ? n->weight : 0};
    if (!(weights[1] > 0))
        return 0;
    size_t handle;
    size_t taken = chooser_open_weighted(&run->chooser, n->site, weights, 2, &handle);
    int status = 0;
    if (taken) {
        fresh_slots(frame, n);
        status = plan_run_list(run, frame, n->first, reserve);
    }
    chooser_close(&run->chooser, handle);
    return status;
}

static int run_parallel(struct plan_run *run, struct frame *frame, const struct plan_node *n,
                        uint32_t reserve)
{
    fresh_slots(frame, n);
    run->group = arena_printf(&run->task->arena, "g%u", ++run->group_count);
    int status = plan_run_list(run, frame, n->first, reserve);
    run->group = NULL;
    return status;
}

static int (*const runners[PLAN_KIND_COUNT])(struct plan_run *run, struct frame *frame,
                                             const struct plan_node *n, uint32_t reserve) = {
    [PLAN_SAY] = run_say,        [PLAN_LET] = run_let,           [PLAN_PARAM] = run_param,
    [PLAN_DEF] = run_def,        [PLAN_WITH] = plan_run_with,    [PLAN_SET] = run_set,
    [PLAN_BECOME] = run_become,  [PLAN_DO] = plan_run_do,        [PLAN_ONE_OF] = run_one_of,
    [PLAN_REPEAT] = run_repeat,  [PLAN_OPTIONAL] = run_optional, [PLAN_PARALLEL] = run_parallel,
    [PLAN_WALK] = plan_run_walk, [PLAN_OP] = plan_run_op,        [PLAN_EXPECT] = plan_run_expect,
};

/* Nodes that add no step are not bounded by the budget of steps: their choices and their texts are. */
static int check_space(struct plan_run *run, struct plan_place place)
{
    if (run->scratch.used > SCRATCH_MOST)
        return error_set(run->err, ERR_LIMIT, "%s:%u: deriving the task takes more than %d MiB of memory",
                         place.file, place.line, SCRATCH_MOST >> 20);
    if (run->bytes + (uint64_t)run->log.count * LOG_ENTRY_LEAST <= run->bytes_max)
        return 0;
    return plan_charge(run, place, (uint64_t)run->log.count * LOG_ENTRY_LEAST);
}

int plan_run_list(struct plan_run *run, struct frame *frame, const struct plan_node *first, uint32_t reserve)
{
    uint32_t rest = cost_of_list(first).steps;
    for (const struct plan_node *n = first; n; n = n->next) {
        bool holds;
        rest -= n->cost.steps;
        TRY(check_space(run, n->place));
        TRY(plan_guard(run, frame, n->place, n->when, &holds));
        if (holds)
            TRY(runners[n->kind](run, frame, n, reserve + rest));
    }
    return 0;
}
