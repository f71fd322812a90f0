/* <do> and <walk>: the steps that may be done there, what is passed to them, and what they give. */
#include "grammar/scope_internal.h"

#include <stdio.h>
#include <string.h>

static int find_steps(struct scope *s, struct plan_node *n)
{
    struct plan_do *call = &n->u.call;
    const struct list *all = &s->r->steps;
    bool any = strcmp(call->names, "*") == 0;
    size_t count = 0;
    const char *const *words = words_read(s->r, call->names, &count);
    call->steps = arena_alloc(s->r->arena, (all->count + count) * sizeof *call->steps);
    for (size_t i = 0; any && i < all->count; i++) {
        const struct plan_step *step = all->items[i];
        if (step->weight > 0 && !step->needs_arguments)
            call->steps[call->step_count++] = step;
    }
    for (size_t i = 0; !any && i < count; i++) {
        const struct plan_step *step = domain_find_step(s->r->domain, words[i]);
        if (!step)
            return plan_fail(s->r->err, n->place, "unknown step \"%s\", expected one of a <step>", words[i]);
        if (step->needs_arguments && (count > 1 || n->kind == PLAN_WALK))
            return plan_fail(s->r->err, n->place,
                             "step \"%s\" has a parameter without a default, expected <do> with it alone",
                             words[i]);
        call->steps[call->step_count++] = step;
    }
    if (call->step_count)
        return 0;
    return plan_fail(s->r->err, n->place,
                     "there is no step that could be done here, expected one with a weight above 0");
}

static int find_input(struct scope *s, const struct plan_node *n, const struct plan_step *step,
                      struct plan_argument *arg)
{
    char list[256] = "";
    for (size_t i = 0; i < step->input_count; i++) {
        if (strcmp(step->inputs[i]->name, arg->name) == 0) {
            arg->input = step->inputs[i];
            return 0;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 step->inputs[i]->name);
    }
    return plan_fail(s->r->err, n->place,
                     "step \"%s\" has no parameter \"%s\", expected one of its params and withs: %s",
                     step->name, arg->name, *list ? list : "it has none");
}

/* {name} alone, of a handle of the kind that the step's <with> asks for. */
static int resolve_handle(struct scope *s, const struct plan_node *n, const struct plan_step *step,
                          struct plan_argument *arg)
{
    const char *kind = arg->input->u.with.type_name;
    const struct handle_type *wanted = domain_find_type(s->r->domain, kind);
    struct expr *e = text_is_whole(&arg->value) ? arg->value.parts[0].expr : NULL;
    const struct binding *b = e && e->kind == EXPR_NAME && !e->rest.len ? scope_find(s, e->text, false)
                                                                        : NULL;
    if (!b || b->kind != BIND_HANDLE || (wanted && !handle_type_is(b->type, wanted)))
        return plan_fail(s->r->err, n->place,
                         "step \"%s\" wants a handle of kind %s as \"%s\", expected %s=\"{its name}\"",
                         step->name, kind, arg->name, arg->name);
    e->slot = b->slot;
    return 0;
}

static int resolve_argument(struct scope *s, const struct plan_node *n, const struct plan_step *step,
                            struct plan_argument *arg)
{
    TRY(find_input(s, n, step, arg));
    return arg->input->kind == PLAN_PARAM ? scope_text(s, &arg->value, TEXT_PLAIN)
                                          : resolve_handle(s, n, step, arg);
}

static int bind_given(struct scope *s, struct plan_node *n, const struct plan_step *step)
{
    if (!step->given)
        return plan_fail(s->r->err, n->place,
                         "step \"%s\" gives nothing to put into \"%s\", expected gives=\"…\" there",
                         step->name, n->name);
    const struct plan_node *given = step->given;
    const struct plan_def *def = given->kind == PLAN_DEF  ? &given->u.def
                                 : given->kind == PLAN_OP ? given->u.op.into
                                                          : NULL;
    const char *type = given->kind == PLAN_WITH ? given->u.with.type_name : def ? def->type_name : NULL;
    struct binding b = resolve_binding(s, n,
                                       type                     ? BIND_HANDLE
                                       : given->kind == PLAN_OP ? BIND_RECORD
                                                                : BIND_VALUE);
    if (type)
        TRY(resolve_type(s, given->place, type, &b.type));
    else if (given->kind == PLAN_OP)
        b.op = given->u.op.op;
    return resolve_bind(s, n, b);
}

static bool is_given(const struct plan_do *call, const struct plan_node *input)
{
    for (size_t i = 0; i < call->arg_count; i++)
        if (call->args[i].input == input)
            return true;
    return false;
}

int resolve_do(struct scope *s, struct plan_node *n)
{
    struct plan_do *call = &n->u.call;
    TRY(find_steps(s, n));
    if ((call->arg_count || n->name) && call->step_count != 1)
        return plan_fail(s->r->err, n->place, "<do> of several steps takes neither parameters nor into");
    const struct plan_step *step = call->steps[0];
    for (size_t i = 0; i < call->arg_count; i++)
        TRY(resolve_argument(s, n, step, &call->args[i]));
    for (size_t i = 0; i < step->input_count && call->step_count == 1; i++)
        if (step->inputs[i]->kind == PLAN_PARAM && !step->inputs[i]->u.maker &&
            !is_given(call, step->inputs[i]))
            return plan_fail(s->r->err, n->place,
                             "step \"%s\" is done without its parameter \"%s\", which has no default",
                             step->name, step->inputs[i]->name);
    return n->name ? bind_given(s, n, step) : 0;
}

int resolve_walk(struct scope *s, struct plan_node *n)
{
    if (s->group)
        return plan_fail(s->r->err, n->place,
                         "<walk> in <parallel>, whose steps run at the same time; expected it outside");
    return find_steps(s, n);
}
