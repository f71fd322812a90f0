/* --domain, --workflow, --count, --seed, --mutate. */
#include "cli/generate_options.h"

#include "base/bytes.h"
#include "mutate/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { DOMAINS_MAX = 64 };

const struct cli_option options_generate[] = {
    {"domain", 'd', "NAME|FILE|all", "which domain; repeats; 'taskgen domains' lists what ships"},
    {"workflow", 0, "NAME", "only this workflow of the domain"},
    {"count", 'n', "N", "how many tasks"},
    {"seed", 's', "N", "same seed, same tasks (default 1)"},
    {"mutate", 0, "0..1", "strength of the templates' hazards (default 1: as written; 0: none)"},
    {0},
};

static int check_hazards(const struct verb *v, const struct cli_domains *domains)
{
    for (size_t i = 0; i < domains->count; i++) {
        struct error *err = NULL;
        if (mutate_check_hazards(domains->items[i], &err) < 0)
            return cli_fail(v, err);
    }
    return 0;
}

static int check_workflow(const struct verb *v, const struct cli_domains *domains, const char *workflow)
{
    if (!workflow)
        return 0;
    for (size_t i = 0; i < domains->count; i++) {
        bool found = false;
        for (size_t k = 0; k < domain_workflow_count(domains->items[i]); k++)
            found |= !strcmp(domain_workflow_name(domains->items[i], k), workflow);
        if (!found)
            return cli_usage_fault(v, "--workflow: domain %s has no workflow '%s'; 'taskgen domains' lists them",
                                   domain_name(domains->items[i]), workflow);
    }
    return 0;
}

int cli_generate(const struct verb *v, const struct cli_args *args, const struct settings *settings, const struct ops *ops,
                 const char *fallback, struct cli_generate *g)
{
    const char *names[DOMAINS_MAX];
    *g = (struct cli_generate){.seed = 1, .mutate = settings_real(settings, "mutate.strength")};
    size_t count = cli_values(args, "domain", names, DOMAINS_MAX);
    if (!count && fallback)
        names[count++] = fallback;
    if (!count)
        return cli_usage_fault(v, "no --domain, expected a name such as ml, a template file, or all");
    int status = cli_unsigned(v, args, "count", &g->count);
    if (!status)
        status = cli_unsigned(v, args, "seed", &g->seed);
    if (!status)
        status = cli_real(v, args, "mutate", 0, 1, &g->mutate);
    if (!status)
        status = cli_domains_load(v, names, count, ops, &g->domains);
    if (!status)
        status = check_hazards(v, &g->domains);
    if (!status)
        status = check_workflow(v, &g->domains, cli_value(args, "workflow"));
    if (status) {
        cli_domains_release(&g->domains);
        return status;
    }
    g->options = (struct generate_options){
        .domains = (const struct domain *const *)g->domains.items,
        .domain_count = g->domains.count,
        .workflow = cli_value(args, "workflow"),
        .settings = settings,
    };
    return 0;
}

void cli_generate_release(struct cli_generate *g)
{
    cli_domains_release(&g->domains);
}

char *cli_grammar_hashes(const struct cli_generate *g)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    for (size_t i = 0; i < g->domains.count; i++)
        buf_addf(&text, "%s%s:%s", i ? "," : "", domain_name(g->domains.items[i]), domain_hash(g->domains.items[i]));
    if (g->options.workflow)
        buf_addf(&text, ",workflow:%s", g->options.workflow);
    char *copy = xstrdup(buf_string(&text));
    buf_release(&text);
    return copy;
}
