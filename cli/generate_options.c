/* --domain, --count, --seed, --mutate, and what selects: --workflow, --class, --primitive, --steps,
 * --hostile. */
#include "cli/generate_options.h"

#include "base/bytes.h"
#include "cli/tools_options.h"
#include "mutate/mutate.h"
#include "mutate/survey.h"

#include <stdlib.h>
#include <string.h>

enum { DOMAINS_MAX = 64, CLASSES_MAX = 128, STEPS_MOST = 4096, WISHES_MAX = 1 << 14, HINT_TASKS = 4000 };

const struct cli_option options_generate[] = {
    {"domain", 'd', "NAME|FILE|all", "which domain; repeats; 'taskgen domains' lists what ships"},
    {"workflow", 0, "NAME", "only this workflow, or those that match, such as 'train-*'; repeats"},
    {"class", 0, "C63|SLUG", "only tasks that arm this fault class; repeats: any of them"},
    {"primitive", 0, "NAME", "only tasks that arm a class of this primitive, such as storage; repeats"},
    {"steps", 0, "N|A..B", "only tasks of so many steps"},
    {"hostile", 0, NULL, "only tasks with a hostile change; a hazard is made to strike where none does"},
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

/* --- what selects --- */

static bool has_workflow(const struct domain *d, const struct select_options *o, const char *name)
{
    for (size_t k = 0; k < domain_workflow_count(d); k++)
        if (name ? !strcmp(domain_workflow_name(d, k), name) : select_workflow(o, domain_workflow_name(d, k)))
            return true;
    return false;
}

/* Domains that have no such workflow are let go; one has to stay. */
static int read_workflows(const struct verb *v, const struct cli_args *args, struct cli_generate *g,
                          struct select_options *o)
{
    size_t count = cli_values(args, "workflow", g->workflows, CLI_WORKFLOWS_MAX), kept = 0;
    if (!count)
        return 0;
    if (count == 1 && !strpbrk(g->workflows[0], "*?["))
        g->options.workflow = g->workflows[0];
    else
        o->workflow_count = count;
    o->workflows = g->workflows;
    for (size_t i = 0; i < g->domains.count; i++) {
        if (has_workflow(g->domains.items[i], o, g->options.workflow))
            g->domains.items[kept++] = g->domains.items[i];
        else
            domain_free(g->domains.items[i]);
    }
    g->domains.count = kept;
    if (!kept)
        return cli_usage_fault(
            v, "--workflow: no domain named has a workflow '%s'; 'taskgen domains' lists them",
            g->workflows[0]);
    return 0;
}

static int read_classes(const struct verb *v, const struct cli_args *args, struct select_options *o)
{
    const char *names[CLASSES_MAX];
    size_t count = cli_values(args, "class", names, CLASSES_MAX);
    for (size_t i = 0; i < count; i++) {
        size_t index = arm_class_find(names[i]);
        if (index == ARM_NONE)
            return cli_usage_fault(
                v, "--class: found '%s', expected C01 to C94 or a slug such as full-disk-damage", names[i]);
        if (arm_class_by(index))
            return cli_usage_fault(v,
                                   "--class: %s is armed only by %s mutators, by no task that templates make",
                                   class_at(index)->id, arm_class_by(index));
        arm_add(&o->classes, index);
    }
    o->by_class = count > 0;
    return 0;
}

static int read_primitives(const struct verb *v, const struct cli_args *args, struct select_options *o)
{
    const char *names[CLASSES_MAX];
    size_t count = cli_values(args, "primitive", names, CLASSES_MAX);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; class_at(k); k++)
            if (!strcmp(class_at(k)->primitive, names[i])) {
                known = true;
                arm_add(&o->primitives, k);
            }
        if (!known)
            return cli_usage_fault(
                v, "--primitive: found '%s', expected one such as storage; docs/classes.md lists them",
                names[i]);
    }
    o->by_primitive = count > 0;
    return 0;
}

/* "5" or "3..8". */
static int read_steps(const struct verb *v, const struct cli_args *args, struct select_options *o)
{
    const char *text = cli_value(args, "steps");
    if (!text)
        return 0;
    char *end;
    unsigned long low = strtoul(text, &end, 10), high = low;
    bool good = end != text && text[0] != '-';
    if (good && !strncmp(end, "..", 2)) {
        const char *second = end + 2;
        high = strtoul(second, &end, 10);
        good = end != second && second[0] != '-';
    }
    if (!good || *end || low < 1 || high < low || high > STEPS_MOST)
        return cli_usage_fault(v, "--steps: found '%s', expected a number such as 5 or a range such as 3..8",
                               text);
    o->steps_low = (uint32_t)low;
    o->steps_high = (uint32_t)high;
    return 0;
}

/* "class:C63,hostile": as part of what a run is stored with, and to see whether there are any. */
static char *wishes_text(const struct cli_args *args, const struct cli_generate *g)
{
    static const char *const options[] = {"workflow", "class", "primitive", "steps", NULL};
    struct buf text;
    buf_init(&text, WISHES_MAX);
    for (size_t i = 0; options[i]; i++) {
        const char *values[CLASSES_MAX];
        size_t count = cli_values(args, options[i], values, CLASSES_MAX);
        for (size_t k = 0; k < count && !(i == 0 && g->options.workflow); k++)
            buf_addf(&text, "%s%s:%s", text.len ? "," : "", options[i], values[k]);
    }
    if (cli_flag(args, "hostile"))
        buf_addf(&text, "%shostile", text.len ? "," : "");
    char *copy = xstrdup(buf_string(&text));
    buf_release(&text);
    return copy;
}

/* "; domains that do: browser", when a look at all that ship finds any: somebody asked the wrong one. */
static void add_hint(const struct verb *v, const struct select_options *o, const struct settings *settings,
                     struct buf *out)
{
    static const char *const all[] = {"all"};
    struct cli_domains domains;
    if (!(o->by_class || o->by_primitive) || cli_domains_load(v, all, 1, o->ops, &domains))
        return;
    struct generate_options g = {.domains = (const struct domain *const *)domains.items,
                                 .domain_count = domains.count,
                                 .settings = settings};
    struct survey_options so = {
        .generate = &g, .ops = o->ops, .seed = 1, .count = HINT_TASKS, .strength = o->strength, .threads = 2};
    struct survey s;
    size_t found = 0;
    if (survey_run(&so, &s, NULL) == 0)
        for (size_t i = 0; i < s.domain_count; i++) {
            bool does = false;
            for (size_t k = 0; k < ARM_CLASSES; k++)
                does |= s.domains[i].armed[k] && (arm_has(&o->classes, k) || arm_has(&o->primitives, k));
            if (does)
                buf_addf(out, "%s%s",
                         found++ ? ", " : "; domains that arm it: ", domain_name(s.domains[i].domain));
        }
    survey_release(&s);
    cli_domains_release(&domains);
}

static int open_selection(const struct verb *v, const struct select_options *o,
                          const struct settings *settings, struct cli_generate *g)
{
    struct error *err = NULL;
    int code = selection_new(o, g->seed, &g->selection, &err);
    if (code == 0)
        return 0;
    if (code == ERR_INPUT) {
        struct buf hint;
        buf_init(&hint, WISHES_MAX);
        add_hint(v, o, settings, &hint);
        struct error *whole = NULL;
        error_set(&whole, ERR_INPUT, "%s%s", err && err->text ? err->text : "nothing fits",
                  buf_string(&hint));
        buf_release(&hint);
        error_free(err);
        err = whole;
    }
    return cli_fail(v, err);
}

/* The selection of the options, over the domains that are loaded. */
static int read_selection(const struct verb *v, const struct cli_args *args, const struct settings *settings,
                          const struct ops *ops, struct cli_generate *g)
{
    struct select_options o = {.ops = ops, .strength = g->mutate, .hostile = cli_flag(args, "hostile")};
    int status = read_workflows(v, args, g, &o);
    if (!status)
        status = read_classes(v, args, &o);
    if (!status)
        status = read_primitives(v, args, &o);
    if (!status)
        status = read_steps(v, args, &o);
    if (!status && o.hostile && g->mutate <= 0)
        status = cli_usage_fault(v, "--hostile wants hazards, and --mutate 0 turns them off");
    if (status)
        return status;
    g->options.domains = (const struct domain *const *)g->domains.items;
    g->options.domain_count = g->domains.count;
    g->options.settings = settings;
    g->wishes = wishes_text(args, g);
    o.generate = &g->options;
    return open_selection(v, &o, settings, g);
}

/* Nothing but tasks of tools: there is no domain to load. */
static int without_domains(const struct verb *v, const struct cli_args *args, const struct settings *settings,
                           struct cli_generate *g)
{
    static const char *const of_domains[] = {"workflow", "class", "primitive", "steps", "hostile", NULL};
    for (size_t i = 0; of_domains[i]; i++)
        if (cli_flag(args, of_domains[i]))
            return cli_usage_fault(v, "--%s: expected a domain beside tools, whose tasks it chooses from", of_domains[i]);
    int status = cli_unsigned(v, args, "count", &g->count);
    if (!status)
        status = cli_unsigned(v, args, "seed", &g->seed);
    g->options.settings = settings;
    g->wishes = xstrdup("");
    return status;
}

int cli_generate(const struct verb *v, const struct cli_args *args, const struct settings *settings,
                 const struct ops *ops, const char *fallback, struct cli_generate *g)
{
    const char *names[DOMAINS_MAX];
    *g = (struct cli_generate){.seed = 1, .mutate = settings_real(settings, "mutate.strength")};
    size_t given = cli_values(args, "domain", names, DOMAINS_MAX);
    if (!given && fallback)
        names[given++] = fallback;
    size_t count = cli_tools_strip(v, names, given);
    if (given && !count)
        return without_domains(v, args, settings, g);
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
        status = read_selection(v, args, settings, ops, g);
    if (status)
        cli_generate_release(g);
    return status;
}

void cli_generate_release(struct cli_generate *g)
{
    selection_free(g->selection);
    free(g->wishes);
    g->selection = NULL;
    g->wishes = NULL;
    cli_domains_release(&g->domains);
}

char *cli_grammar_hashes(const struct cli_generate *g)
{
    struct buf text;
    buf_init(&text, 1 << 17);
    for (size_t i = 0; i < g->domains.count; i++)
        buf_addf(&text, "%s%s:%s", i ? "," : "", domain_name(g->domains.items[i]),
                 domain_hash(g->domains.items[i]));
    if (g->options.workflow)
        buf_addf(&text, ",workflow:%s", g->options.workflow);
    if (*g->wishes)
        buf_addf(&text, ",%s", g->wishes);
    char *copy = xstrdup(buf_string(&text));
    buf_release(&text);
    return copy;
}
