/* Ops and expectations: their texts, the names of their results, the step that an expectation is about. */
#include "grammar/scope_internal.h"

#include <string.h>

enum { MAX_SUBJECT_HANDLES = 8 };

static int resolve_into(struct scope *s, struct plan_node *n)
{
    struct plan_op *op = &n->u.op;
    struct binding b = resolve_binding(s, n, op->into->type_name ? BIND_HANDLE : BIND_RECORD);
    b.op = op->op;
    if (op->into->type_name) {
        b.op = NULL;
        TRY(resolve_kind(s, n->place, op->into));
        b.type = op->into->type;
        for (size_t i = 0; i < b.type->prop_count; i++) {
            bool given = b.type->props[i].maker;
            for (size_t k = 0; k < op->op->result_count; k++)
                given |= strcmp(op->op->results[k].name, b.type->props[i].name) == 0;
            if (!given)
                return plan_fail(
                    s->r->err, n->place,
                    "handle \"%s\" has the property \"%s\", which is neither made up nor a result "
                    "of %s",
                    b.type->name, b.type->props[i].name, op->op->name);
        }
    }
    return resolve_bind(s, n, b);
}

int resolve_op(struct scope *s, struct plan_node *n)
{
    struct plan_op *op = &n->u.op;
    for (size_t i = 0; i < op->arg_count; i++) {
        struct plan_op_arg *a = &op->args[i];
        TRY(scope_text(s, &a->text, TEXT_RUN_TIME));
        for (size_t k = 0; k < a->item_count; k++)
            TRY(scope_text(s, &a->items[k].value, TEXT_RUN_TIME));
    }
    struct text *common[] = {op->session,         op->as,    op->after_ms, op->timeout_ms,
                             op->cancel_after_ms, op->repeat};
    TRY(scope_texts(s, common, sizeof common / sizeof common[0]));
    if (op->id) {
        struct binding b = {
            .name = op->id, .kind = BIND_STEP, .slot = op->id_slot, .place = n->place, .op = op->op};
        TRY(scope_bind(s, &b));
        op->id_slot = b.slot;
    }
    return op->into ? resolve_into(s, n) : 0;
}

/* The result that a pointer starts with; NULL: the op has none such. */
static const struct op_arg *find_result(const struct op *op, const char *pointer)
{
    for (size_t i = 0; i < op->result_count; i++) {
        size_t len = strlen(op->results[i].name);
        if (strncmp(pointer + 1, op->results[i].name, len) == 0 &&
            (!pointer[len + 1] || pointer[len + 1] == '/'))
            return &op->results[i];
    }
    return NULL;
}

static bool is_text(const struct op_arg *result)
{
    return result->type == OP_BYTES || result->type == OP_TEXT || result->type == OP_PATH;
}

static int check_result(struct scope *s, struct plan_node *n, const struct op *op)
{
    const char *at = n->u.expect.at;
    if (n->u.expect.values[EXPECT_EXIT] && !find_result(op, "/exit"))
        return plan_fail(s->r->err, n->place, "op %s has no exit status", op->name);
    if (n->u.expect.site)
        return op_site_pointer(bytes_of_string(at), &n->u.expect.of_text)
                   ? 0
                   : plan_fail(s->r->err, n->place, "found at=\"%s\" of a visit, expected one of " OP_SITE_POINTERS, at);
    if (!at || !*at)
        return 0;
    const struct op_arg *result = find_result(op, at);
    if (!result)
        return plan_fail(s->r->err, n->place, "op %s has no result \"%s\"", op->name, at + 1);
    n->u.expect.of_text = is_text(result) && !strchr(at + 1, '/');
    return 0;
}

int resolve_expect(struct scope *s, struct plan_node *n, struct plan_node *last)
{
    struct plan_expect *e = &n->u.expect;
    TRY(scope_texts(s, e->values, EXPECT_PREDICATE_COUNT));
    TRY(scope_texts(s, &e->json, 1));
    TRY(scope_texts(s, &e->site, 1));
    if (e->file) {
        TRY(scope_text(s, e->file, TEXT_PLAIN));
        e->handles = arena_alloc(s->r->arena, MAX_SUBJECT_HANDLES * sizeof *e->handles);
        e->handle_count = scope_handles(s, e->file, e->handles, MAX_SUBJECT_HANDLES);
        return 0;
    }
    if (e->step) {
        const struct binding *b = scope_find(s, bytes_of_string(e->step), true);
        if (!b)
            return plan_fail(s->r->err, n->place, "no step with the id \"%s\" before this one", e->step);
        e->step_slot = b->slot;
        return check_result(s, n, b->op);
    }
    if (!last)
        return plan_fail(s->r->err, n->place,
                         "no op before this <expect> in the same element, expected one, or step or file");
    if (last->u.op.id_slot == EXPR_SLOT_NONE)
        last->u.op.id_slot = s->slot_count++;
    e->step_slot = last->u.op.id_slot;
    return check_result(s, n, last->u.op.op);
}
