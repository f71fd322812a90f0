/* domains: the templates that ship, or those named, with their workflows. */
#include "base/json.h"
#include "cli/cover.h"
#include "cli/domains_measure.h"
#include "cli/verbs.h"
#include "gen/recipe.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cli_option own[] = {
    {"domain", 'd', "NAME|FILE|all", "which ones (default all); repeats; a file is checked"},
    {"recipes", 0, NULL, "list the content recipes that templates can use"},
    {"coverage", 0, NULL, "make tasks and tell which fault classes they arm"},
    {"diversity", 0, NULL, "make tasks and tell how much they differ"},
    {"by-workflow", 0, NULL, "with --diversity: each workflow too"},
    {"paths", 0, NULL, "make tasks of each and tell which paths of 1, 2 and 3 choices they have"},
    {"count", 'n', "N", "how many tasks (default 20000 over all domains; 10000 of each domain; 2000 with --paths)"},
    {"seed", 's', "N", "same seed, same tasks (default 1)"},
    {"mutate", 0, "0..1", "strength of the templates' hazards (default 1: as written; 0: none)"},
    {"threads", 'j', "N", "threads (default 2); the output does not depend on it"},
    {"json", 0, NULL, "as JSON"},
    {0},
};

enum { PATHS_COUNT = 2000, COVERAGE_COUNT = 20000, DIVERSITY_COUNT = 10000, THREADS_MAX = 64 };

/* Name, meaning, what it may be, default. */
static void add_parameter(struct buf *out, const struct recipe_parameter *p)
{
    buf_addf(out, "    %-12s %s", p->name, p->doc);
    for (size_t i = 0; p->type == RECIPE_ONE_OF && p->values[i]; i++)
        buf_addf(out, "%s%s", i ? " " : " [", p->values[i]);
    if (p->type == RECIPE_ONE_OF)
        buf_add_byte(out, ']');
    if (p->type == RECIPE_INT && p->high < INT64_MAX)
        buf_addf(out, " [%lld..%lld]", (long long)p->low, (long long)p->high);
    if (p->fallback)
        buf_addf(out, " (default %s)\n", p->fallback);
    else
        buf_add_string(out, " (required)\n");
}

static void add_recipes(struct buf *out)
{
    const struct recipe *r;
    for (size_t i = 0; (r = recipe_at(i)); i++) {
        buf_addf(out, "%-14s %s\n", r->name, r->doc);
        for (size_t k = 0; k < r->parameter_count; k++)
            add_parameter(out, &r->parameters[k]);
        buf_add_string(out, "    facts        size sha256");
        for (size_t k = 0; r->facts && r->facts[k]; k++)
            buf_addf(out, " %s", r->facts[k]);
        buf_add_byte(out, '\n');
    }
}

static void add_text(struct buf *out, const struct domain *d)
{
    buf_addf(out, "%-11s %s\n", domain_name(d), domain_title(d));
    for (size_t i = 0; i < domain_workflow_count(d); i++)
        buf_addf(out, "    %-24s weight %g\n", domain_workflow_name(d, i), domain_workflow_weight(d, i));
}

static void add_json(struct arena *a, struct json *list, const struct domain *d)
{
    struct json *row = json_add(list, json_new(a, JSON_OBJECT));
    json_set(a, row, "name", json_text(a, domain_name(d)));
    json_set(a, row, "title", json_text(a, domain_title(d)));
    json_set(a, row, "file", json_text(a, domain_file(d)));
    json_set(a, row, "hash", json_text(a, domain_hash(d)));
    struct json *workflows = json_set(a, row, "workflows", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < domain_workflow_count(d); i++) {
        struct json *w = json_add(workflows, json_new(a, JSON_OBJECT));
        json_set(a, w, "name", json_text(a, domain_workflow_name(d, i)));
        json_set(a, w, "weight", json_real(a, domain_workflow_weight(d, i)));
    }
}

static int list_domains(const struct verb *v, const struct cli_args *args, struct buf *out)
{
    const char *names[64] = {"all"};
    size_t count = cli_values(args, "domain", names, 64);
    struct ops *ops = NULL;
    struct cli_domains domains;
    int status = cli_ops(v, &ops);
    if (status)
        return status;
    status = cli_domains_load(v, names, count ? count : 1, ops, &domains);
    if (!status) {
        struct arena a;
        arena_init(&a);
        struct json *list = json_new(&a, JSON_ARRAY);
        for (size_t i = 0; i < domains.count; i++) {
            if (cli_flag(args, "json"))
                add_json(&a, list, domains.items[i]);
            else
                add_text(out, domains.items[i]);
        }
        if (cli_flag(args, "json")) {
            json_write(out, list, JSON_PRETTY);
            buf_add_byte(out, '\n');
        }
        arena_release(&a);
        cli_domains_release(&domains);
    }
    ops_free(ops);
    return status;
}

static int measure_domains(const struct verb *v, const struct cli_args *args, struct buf *out)
{
    struct settings settings;
    struct ops *ops = NULL;
    struct cli_generate g = {0};
    uint64_t threads = 2;
    int status = cli_unsigned(v, args, "threads", &threads);
    if (!status && (threads < 1 || threads > THREADS_MAX))
        status = cli_usage_fault(v, "--threads: expected 1 to %d", THREADS_MAX);
    if (!status)
        status = cli_settings(v, args, &settings);
    if (!status)
        status = cli_ops(v, &ops);
    if (!status)
        status = cli_generate(v, args, &settings, ops, "all", &g);
    if (!status) {
        bool coverage = cli_flag(args, "coverage"), paths = cli_flag(args, "paths");
        if (!g.count)
            g.count = paths ? PATHS_COUNT : coverage ? COVERAGE_COUNT : DIVERSITY_COUNT;
        if (paths)
            status = cli_paths(v, args, &g, out);
        else
            status = (coverage ? domains_coverage : domains_diversity)(v, args, &g, ops, (unsigned)threads, out);
    }
    cli_generate_release(&g);
    ops_free(ops);
    return status;
}

static int run_domains(const struct verb *v, struct cli_args *args)
{
    struct buf out;
    buf_init(&out, 4 << 20);
    int status = 0;
    if (cli_flag(args, "recipes"))
        add_recipes(&out);
    else if (cli_flag(args, "coverage") || cli_flag(args, "diversity") || cli_flag(args, "paths"))
        status = measure_domains(v, args, &out);
    else
        status = list_domains(v, args, &out);
    if (!status)
        status = cli_out(v, buf_bytes(&out));
    buf_release(&out);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_domains = {
    .name = "domains",
    .usage = "[--domain NAME|FILE]… [--recipes | --coverage | --diversity | --paths] [--json]",
    .summary = "list domains and their workflows, check a template, measure what they make",
    .details = "Lists the domain templates that ship with their workflows. A template file named by --domain is loaded and\n"
               "checked: one line says where it is wrong and what was expected. --coverage makes tasks and tells for each domain how\n"
               "many workflows and kinds of steps it has, and for each fault class which domains arm it, how often of 10,000 tasks;\n"
               "then the classes that only mutators provoke, and those that no task armed. --diversity tells for each domain how many\n"
               "tasks are equal or nearly so and how varied their texts are. --paths tells how many of the paths of 1, 2 and 3 choices\n"
               "that the template has the tasks of each domain have.",
    .options = options,
    .run = run_domains,
};
