/* A domain as its users see it: loading, giving back, looking things up. */
#include "grammar/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/domain_internal.h"

/* An attribute of an op element is an argument of the op or one that every step has: it cannot be both. */
static int check_vocabulary(const struct ops *ops, struct error **err)
{
    for (size_t i = 0; i < ops_count(ops); i++) {
        const struct op *op = ops_at(ops, i);
        if (element_find(op->name))
            return error_set(err, ERR_INPUT, "op \"%s\" has the name of an element of templates", op->name);
        for (size_t k = 0; k < op->arg_count; k++)
            if (element_attribute_find(element_step_attributes(), op->args[k].name) ||
                strcmp(op->args[k].name, "when") == 0)
                return error_set(err, ERR_INPUT,
                                 "op \"%s\" has an argument \"%s\", which is an attribute of every step",
                                 op->name, op->args[k].name);
    }
    return 0;
}

static void hand_over(struct reading *r)
{
    struct domain *d = r->domain;
    d->types = (struct handle_type **)r->types.items;
    d->type_count = r->types.count;
    d->steps = (struct plan_step **)r->steps.items;
    d->step_count = r->steps.count;
    d->workflows = (struct plan_step **)r->workflows.items;
    d->workflow_count = r->workflows.count;
    d->hazards = arena_alloc(r->arena, (r->hazards.count + 1) * sizeof *d->hazards);
    d->hazard_count = r->hazards.count;
    for (size_t i = 0; i < r->hazards.count; i++)
        d->hazards[i] = *(struct domain_hazard *)r->hazards.items[i];
    d->fixed_paths = arena_alloc(r->arena, (r->fixed_paths.count + 1) * sizeof *d->fixed_paths);
    d->fixed_path_count = r->fixed_paths.count;
    for (size_t i = 0; i < r->fixed_paths.count; i++)
        d->fixed_paths[i] = *(struct bytes *)r->fixed_paths.items[i];
    d->site_end = r->next_site;
}

static int load(struct reading *r, const char *file)
{
    struct domain *d = r->domain;
    TRY(check_vocabulary(r->ops, r->err));
    TRY(domain_read_file(r, file, NULL));
    TRY(domain_hash_imports(r));
    snprintf(d->hash, sizeof d->hash, "%016llx", (unsigned long long)r->hash);
    hand_over(r);
    TRY(grammar_compile(d->grammar, d->site_end, r->err));
    TRY(domain_resolve(r));
    TRY(domain_cost(r));
    TRY(domain_check(r));
    TRY(domain_flow(r));
    domain_list_sites(r);
    return 0;
}

int domain_load(const char *file, const struct ops *ops, const struct domain_recipes *recipes,
                struct domain **domain, struct error **err)
{
    struct settings defaults;
    struct domain *d = xcalloc(1, sizeof *d);
    arena_init(&d->arena);
    d->ops = ops;
    d->grammar = grammar_new();
    d->file = arena_string(&d->arena, bytes_of_string(file));
    settings_defaults(&defaults);
    d->limits = (struct plan_limits){(uint64_t)settings_int(&defaults, "generate.max-bytes"),
                                     (uint32_t)settings_int(&defaults, "generate.depth"),
                                     (uint32_t)settings_int(&defaults, "generate.max-steps"),
                                     true, -1, -1, -1, -1};
    struct reading r = {.domain = d,
                        .arena = &d->arena,
                        .ops = ops,
                        .recipes = recipes,
                        .next_site = PLAN_FIRST_SITE,
                        .file = d->file,
                        .err = err};
    int status = load(&r, d->file);
    if (status < 0) {
        domain_free(d);
        return status;
    }
    *domain = d;
    return 0;
}

void domain_free(struct domain *d)
{
    if (!d)
        return;
    grammar_free(d->grammar);
    arena_release(&d->arena);
    free(d);
}

const char *domain_name(const struct domain *d)
{
    return d->name;
}

const char *domain_title(const struct domain *d)
{
    return d->title;
}

const char *domain_file(const struct domain *d)
{
    return d->file;
}

const char *domain_hash(const struct domain *d)
{
    return d->hash;
}

size_t domain_workflow_count(const struct domain *d)
{
    return d->workflow_count;
}

const char *domain_workflow_name(const struct domain *d, size_t index)
{
    return d->workflows[index]->name;
}

double domain_workflow_weight(const struct domain *d, size_t index)
{
    return d->workflows[index]->weight;
}

size_t domain_hazard_count(const struct domain *d)
{
    return d->hazard_count;
}

const struct domain_hazard *domain_hazard(const struct domain *d, size_t index)
{
    return &d->hazards[index];
}

const struct grammar *domain_grammar(const struct domain *d)
{
    return d->grammar;
}

const struct plan_step *domain_find_step(const struct domain *d, const char *name)
{
    for (size_t i = 0; i < d->step_count; i++)
        if (strcmp(d->steps[i]->name, name) == 0)
            return d->steps[i];
    return NULL;
}

const struct handle_type *domain_find_type(const struct domain *d, const char *name)
{
    for (size_t i = 0; i < d->type_count; i++)
        if (strcmp(d->types[i]->name, name) == 0)
            return d->types[i];
    return NULL;
}

bool handle_type_is(const struct handle_type *type, const struct handle_type *base)
{
    while (type && type != base)
        type = type->base;
    return type != NULL;
}

int handle_type_prop(const struct handle_type *type, struct bytes name)
{
    for (size_t i = 0; i < type->prop_count; i++)
        if (bytes_equal_string(name, type->props[i].name))
            return (int)i;
    return -1;
}

const char *handle_type_state(const struct handle_type *type, const char *name)
{
    for (size_t i = 0; i < type->state_count; i++)
        if (strcmp(type->states[i], name) == 0)
            return type->states[i];
    return NULL;
}
