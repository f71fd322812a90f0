/* domains --diversity: how much the tasks of each domain differ, domain by domain, each by itself. */
#include "cli/domains_measure.h"

#include "gen/diversity.h"
#include "mutate/batch.h"

#include <stdio.h>

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static int add_task(void *user, const struct task *t)
{
    diversity_add(user, t);
    return 0;
}

static void add_row(struct buf *out, const char *name, const struct diversity_measure *m)
{
    buf_addf(out, "%-30s %7llu %8.2f%% %8.2f%% %11.3f %8.2f\n", name, (unsigned long long)m->tasks,
             percent(m->equal, m->tasks), percent(m->near, m->tasks), ratio(m->distinct_bigrams, m->bigrams),
             ratio(m->text, m->packed));
}

static void add_text(struct buf *out, const char *domain, const struct diversity *d, bool by_workflow)
{
    struct diversity_measure m = diversity_of(d, NULL);
    add_row(out, domain, &m);
    for (size_t i = 0; by_workflow && diversity_workflow(d, i); i++) {
        char name[80];
        snprintf(name, sizeof name, "  %s", diversity_workflow(d, i));
        m = diversity_of(d, diversity_workflow(d, i));
        add_row(out, name, &m);
    }
}

static void add_members(struct arena *a, struct json *row, const struct diversity_measure *m)
{
    json_set(a, row, "tasks", json_integer(a, (int64_t)m->tasks));
    json_set(a, row, "equal", json_integer(a, (int64_t)m->equal));
    json_set(a, row, "near", json_integer(a, (int64_t)m->near));
    json_set(a, row, "distinct_2", json_real(a, ratio(m->distinct_bigrams, m->bigrams)));
    json_set(a, row, "compression", json_real(a, ratio(m->text, m->packed)));
}

static void add_json(struct arena *a, struct json *list, const char *domain, const struct diversity *d,
                     bool by_workflow)
{
    struct json *row = json_add(list, json_new(a, JSON_OBJECT));
    struct diversity_measure m = diversity_of(d, NULL);
    json_set(a, row, "name", json_text(a, domain));
    add_members(a, row, &m);
    if (!by_workflow)
        return;
    struct json *workflows = json_set(a, row, "workflows", json_new(a, JSON_OBJECT));
    for (size_t i = 0; diversity_workflow(d, i); i++) {
        m = diversity_of(d, diversity_workflow(d, i));
        add_members(a, json_set(a, workflows, diversity_workflow(d, i), json_new(a, JSON_OBJECT)), &m);
    }
}

/* The domain alone: what others make is another domain's business. */
static int measure(const struct verb *v, const struct cli_generate *g, const struct ops *ops, size_t domain,
                   unsigned threads, struct diversity *d)
{
    struct generate_options options = g->options;
    options.domains = &g->options.domains[domain];
    options.domain_count = 1;
    struct select_options so = {.generate = &options, .ops = ops, .strength = g->mutate};
    struct selection *selection = NULL;
    struct error *err = NULL;
    int status = selection_new(&so, g->seed, &selection, &err);
    if (status == 0)
        status = batch_each(selection, threads, 0, g->count, cli_stop(), add_task, d, &err);
    selection_free(selection);
    if (status < 0) {
        error_wrap(&err, "domain %s", domain_name(options.domains[0]));
        return cli_fail(v, err);
    }
    return *cli_stop() ? EXIT_SIGNAL + *cli_stop() : 0;
}

int domains_diversity(const struct verb *v, const struct cli_args *args, const struct cli_generate *g,
                      const struct ops *ops, unsigned threads, struct buf *out)
{
    bool as_json = cli_flag(args, "json"), by_workflow = cli_flag(args, "by-workflow");
    struct arena a;
    arena_init(&a);
    struct json *list = json_new(&a, JSON_ARRAY);
    int status = 0;
    cli_catch_signals();
    if (!as_json)
        buf_addf(out, "%-30s %7s %9s %9s %11s %8s\n", "domain", "tasks", "equal", "near", "distinct-2",
                 "packing");
    for (size_t i = 0; i < g->options.domain_count && !status; i++) {
        struct diversity *d = diversity_new();
        status = measure(v, g, ops, i, threads, d);
        if (!status && as_json)
            add_json(&a, list, domain_name(g->options.domains[i]), d, by_workflow);
        else if (!status)
            add_text(out, domain_name(g->options.domains[i]), d, by_workflow);
        diversity_free(d);
    }
    if (!status && as_json) {
        json_write(out, list, JSON_PRETTY);
        buf_add_byte(out, '\n');
    }
    arena_release(&a);
    return status;
}
