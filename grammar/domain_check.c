/* What can be said only when everything is known: parallel steps are single ops, workflows fit the limits, no
 * rule of the main file is out of reach. */
#include <stdlib.h>
#include <string.h>

#include "grammar/domain_internal.h"

static int check_parallel(struct reading *r, const struct plan_node *first, bool parallel)
{
    for (const struct plan_node *n = first; n; n = n->next) {
        for (size_t i = 0; parallel && n->kind == PLAN_DO && i < n->u.call.step_count; i++)
            if (n->u.call.steps[i]->most_ops > 1)
                return plan_fail(
                    r->err, n->place,
                    "step \"%s\" in <parallel> may have more than one op, which would run at the same "
                    "time; expected a step with one",
                    n->u.call.steps[i]->name);
        TRY(check_parallel(r, n->first, parallel || n->kind == PLAN_PARALLEL));
    }
    return 0;
}

static int check_workflows(struct reading *r)
{
    const struct plan_limits *limits = &r->domain->limits;
    double weight = 0;
    for (size_t i = 0; i < r->workflows.count; i++) {
        const struct plan_step *w = r->workflows.items[i];
        weight += w->weight;
        if (w->cost.steps > limits->steps)
            return plan_fail(r->err, w->place,
                             "workflow \"%s\" has at least %u steps, expected at most %u (<limit steps>)",
                             w->name, w->cost.steps, limits->steps);
        if (w->cost.height > limits->depth)
            return plan_fail(
                r->err, w->place,
                "workflow \"%s\" nests steps %u deep at least, expected at most %u (<limit depth>)", w->name,
                w->cost.height, limits->depth);
    }
    if (weight > 0)
        return 0;
    return plan_fail(r->err, (struct plan_place){r->domain->file, 1},
                     "no workflow of a positive weight, expected at least one");
}

/* A rule may not need a budget to keep its texts short. */
static int check_growth(struct reading *r)
{
    enum { LINE_MOST = 8192 };
    const struct grammar *g = r->domain->grammar;
    int *root = xcalloc(r->roots.count + 1, sizeof *root);
    struct buf why;
    for (size_t i = 0; i < r->roots.count; i++)
        root[i] = ((const struct rule_call *)r->roots.items[i])->rule;
    buf_init(&why, LINE_MOST);
    grammar_growth(g, root, r->roots.count, &why);
    int status = why.len ? error_set(r->err, ERR_INPUT, "%s", buf_string(&why)) : 0;
    buf_release(&why);
    free(root);
    return status;
}

/* Vocabulary that is included or imported may lie idle; a rule of the template itself may not. */
static int check_rules(struct reading *r)
{
    const struct grammar *g = r->domain->grammar;
    size_t count = grammar_rule_count(g), roots = 0, len = strlen(r->domain->file);
    int *root = xcalloc(r->roots.count + 1, sizeof *root), *idle = xcalloc(count + 1, sizeof *idle);
    for (size_t i = 0; i < r->roots.count; i++)
        root[roots++] = ((const struct rule_call *)r->roots.items[i])->rule;
    size_t found = grammar_unreachable(g, root, roots, idle);
    int status = 0;
    for (size_t i = 0; i < found && status == 0; i++) {
        const char *place = grammar_rule_place(g, idle[i]);
        if (strncmp(place, r->domain->file, len) == 0 && place[len] == ':')
            status = error_set(
                r->err, ERR_INPUT,
                "%s: rule \"%s\" is used by nothing, expected a use of it, or that it is removed", place,
                grammar_rule_name(g, idle[i]));
    }
    free(root);
    free(idle);
    return status;
}

int domain_check(struct reading *r)
{
    for (size_t i = 0; i < r->steps.count; i++)
        TRY(check_parallel(r, ((const struct plan_step *)r->steps.items[i])->body, false));
    for (size_t i = 0; i < r->workflows.count; i++)
        TRY(check_parallel(r, ((const struct plan_step *)r->workflows.items[i])->body, false));
    TRY(check_workflows(r));
    TRY(check_rules(r));
    return check_growth(r);
}
