/* domains: the templates that ship, or those named, with their workflows. */
#include "base/json.h"
#include "cli/verbs.h"
#include "gen/recipe.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cli_option own[] = {
    {"domain", 'd', "NAME|FILE|all", "which ones (default all); repeats; a file is checked"},
    {"recipes", 0, NULL, "list the content recipes that templates can use"},
    {"json", 0, NULL, "an array of objects"},
    {0},
};

static void add_recipes(struct buf *out)
{
    const struct recipe *r;
    for (size_t i = 0; (r = recipe_at(i)); i++) {
        buf_addf(out, "%-14s %s\n", r->name, r->doc);
        for (size_t k = 0; k < r->parameter_count; k++)
            buf_addf(out, "    %-12s %s%s%s%s\n", r->parameters[k].name, r->parameters[k].doc,
                     r->parameters[k].fallback ? " (default " : " (required)",
                     r->parameters[k].fallback ? r->parameters[k].fallback : "", r->parameters[k].fallback ? ")" : "");
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

static int run_domains(const struct verb *v, struct cli_args *args)
{
    struct buf out;
    buf_init(&out, 4 << 20);
    int status = 0;
    if (cli_flag(args, "recipes"))
        add_recipes(&out);
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
    .usage = "[--domain NAME|FILE]… [--recipes] [--json]",
    .summary = "list domains and their workflows, or check a template",
    .details = "Lists the domain templates that ship with their workflows. A template file named by --domain is loaded and\n"
               "checked: one line says where it is wrong and what was expected.",
    .options = options,
    .run = run_domains,
};
