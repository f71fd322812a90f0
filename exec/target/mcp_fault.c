/* Exchanges with a fault; see mcp_fault.h. What is sent comes from a plan, what may come back is more than one answer, so the end is
 * another one: all that is owed is there, or a moment has passed in which the rest could have come. */
#include "exec/target/mcp_fault.h"

#include "base/clock.h"
#include "exec/target/mcp_client_internal.h"

#define NS_PER_MS INT64_C(1000000)

enum { INERT_MS = 3000 /* for an answer to what no right server carries out */ };

/* --- writing a plan --- */

bool mcp_plan_all_went(const struct mcp_plan_cursor *k)
{
    return k->piece == k->plan->count;
}

struct bytes mcp_plan_next(struct mcp_plan_cursor *k, int64_t now_ns)
{
    if (mcp_plan_all_went(k))
        return BYTES_NONE;
    const struct wire_piece *p = &k->plan->pieces[k->piece];
    if (!k->due_ns)
        k->due_ns = now_ns + p->pause_ms * NS_PER_MS;
    if (now_ns < k->due_ns)
        return BYTES_NONE;
    size_t from = (size_t)(k->at % p->block.len), length = p->block.len - from;
    if (length > p->total - k->at)
        length = (size_t)(p->total - k->at);
    if (p->at_once && length > p->at_once)
        length = p->at_once;
    return bytes_slice(p->block, from, from + length);
}

void mcp_plan_took(struct mcp_plan_cursor *k, size_t length, int64_t now_ns)
{
    const struct wire_piece *p = &k->plan->pieces[k->piece];
    k->at += length;
    if (p->at_once && length)
        k->due_ns = now_ns + p->pause_ms * NS_PER_MS;
    if (k->at < p->total)
        return;
    k->piece++;
    k->at = 0;
    k->due_ns = 0;
}

/* --- sending --- */

uint32_t mcp_fault_owed(const struct mcp_fault *f)
{
    return (uint32_t)(f->plan.own_id + f->plan.id_count);
}

bool mcp_fault_plain(const struct wire_plan *p)
{
    return p->lawful && p->own_id && !p->id_count;
}

static void remember(struct mcp_client *c, struct mcp_exchange *x, const struct wire_plan *p)
{
    for (size_t i = 0; i < p->id_count && c->raw_id_count < RAW_IDS_MAX; i++) {
        c->raw_ids[c->raw_id_count].text = arena_copy(&c->raw_arena, p->ids[i]);
        c->raw_ids[c->raw_id_count++].exchange = x;
    }
    c->raw_unreadable += p->nulls;
    c->raw = x;
    buf_clear(&c->raw_lines);
    if (!mcp_fault_plain(p))
        duty_raw(c->duties);
}

bool mcp_fault_send(struct mcp_client *c, struct mcp_exchange *x, struct bytes text)
{
    struct mcp_fault *f = x->fault;
    x->deadline_ns += (f->deaf_ms + f->longer_ms) * NS_PER_MS;
    if (f->deaf_ms)
        c->deaf_until_ns = x->start_ns + f->deaf_ms * NS_PER_MS;
    struct wire_request request = {
        .frame = arena_copy(&c->plans, bytes_slice(text, 0, text.len - 1)),
        .id = bytes_of_string(arena_printf(&c->plans, "%lld", (long long)x->id)),
        .lines = c->http == NULL,
        .batches = c->batches,
        .room = f->room,
    };
    struct wire_plan *plan = arena_alloc(&c->plans, sizeof *plan);
    f->planned = f->mutation.mutator && wire_plan_make(&f->mutation, &request, &c->plans, plan);
    if (!f->planned)
        return false;
    f->plan = *plan;
    f->sent = plan;
    int64_t soon = x->start_ns + INERT_MS * NS_PER_MS;
    if (f->plan.inert && soon < x->deadline_ns)
        x->deadline_ns = soon;
    x->length = f->plan.total;
    remember(c, x, &f->plan);
    c->wire->queue_plan(c, plan, x);
    return true;
}

/* --- answers --- */

void mcp_fault_reply(struct mcp_exchange *x, const struct json *message, uint64_t length, bool null)
{
    struct mcp_fault *f = x->fault;
    *(null ? &f->nulls : &f->replies) += 1;
    x->received += length + 1;
    if (!f->first_ns)
        f->first_ns = clock_monotonic_ns();
    /* One with an id says more than one with none, and the call's own id most: other requests may have gone along with it, and
     * be answered sooner. */
    int64_t id;
    bool own = !f->own && json_as_integer(json_get(message, "id"), &id) && id == x->id;
    if (!x->reply || own || (!null && f->replies == 1))
        x->reply = json_copy(x->arena, message);
    f->own = f->own || own;
}

static void act(struct mcp_exchange *x, int64_t now)
{
    struct mcp_fault *f = x->fault;
    for (int i = 0; f->act && i < MCP_FAULT_ACTS; i++) {
        if (f->act_ms[i] < 0 || f->acted & 1u << i || now < x->start_ns + f->act_ms[i] * NS_PER_MS)
            continue;
        f->acted |= 1u << i;
        f->act(f->context, i);
    }
}

static bool quiet(const struct mcp_client *c, int64_t since_ns, int64_t now)
{
    return since_ns && now >= since_ns + c->limits.quiet_ms * NS_PER_MS;
}

/* The connection is ours to end, and then there is nothing to wait for but the server's own end. */
static bool look_at_end(struct mcp_client *c, struct mcp_exchange *x, int64_t now)
{
    struct mcp_fault *f = x->fault;
    if (!f->closed && f->sent_ns && now >= f->sent_ns + f->plan.end_after_ms * NS_PER_MS) {
        f->closed = true;
        f->closed_ns = now;
        c->wire->hang_up(c, x, f->plan.end == WIRE_BREAKS);
    }
    if (!f->closed)
        return f->over || c->ended;
    return c->http || c->ended || now >= f->closed_ns + c->limits.grace_ms * NS_PER_MS;
}

bool mcp_fault_look(struct mcp_client *c, struct mcp_exchange *x, int64_t now)
{
    struct mcp_fault *f = x->fault;
    act(x, now);
    if (!f->planned)
        return false;
    if (!f->sent_ns && x->sent >= f->plan.total)
        f->sent_ns = now;
    if (f->plan.end != WIRE_GOES_ON)
        return look_at_end(c, x, now);
    if (f->over)
        return true;
    uint32_t owed = mcp_fault_owed(f), answers = f->replies + f->nulls;
    if (f->plan.duplicate)
        return f->replies > 1 || (f->first_ns && now >= f->first_ns + INERT_MS * NS_PER_MS);
    if (f->replies >= owed && answers >= f->plan.any && answers)
        return true;
    if (f->nulls && quiet(c, f->first_ns, now))
        return true; /* it was refused; an answer that bears the id does not come any more */
    return !owed && !f->plan.any && quiet(c, f->sent_ns, now);
}
