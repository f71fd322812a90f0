/* domains --coverage: which fault classes the tasks of each domain arm, and how often. */
#include "cli/domains_measure.h"

#include "mutate/survey.h"

#include <string.h>

enum { PER = 10000 };

static double per_10000(uint64_t count, uint64_t tasks)
{
    return tasks ? (double)count * PER / (double)tasks : 0;
}

static uint64_t armed_anywhere(const struct survey *s, size_t class_index)
{
    uint64_t tasks = 0;
    for (size_t i = 0; i < s->domain_count; i++)
        tasks += s->domains[i].armed[class_index];
    return tasks;
}

static size_t classes_of(const struct survey_domain *d)
{
    size_t count = 0;
    for (size_t i = 0; i < ARM_CLASSES; i++)
        count += d->armed[i] > 0;
    return count;
}

static size_t workflows_seen(const struct survey_domain *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->workflow_count; i++)
        count += d->workflows[i].tasks > 0;
    return count;
}

static void add_domains(struct buf *out, const struct survey *s)
{
    buf_addf(out, "%-12s %7s %9s %6s %6s %6s %7s %8s\n", "domain", "tasks", "workflows", "shapes", "ops",
             "steps", "hostile", "classes");
    for (size_t i = 0; i < s->domain_count; i++) {
        const struct survey_domain *d = &s->domains[i];
        buf_addf(out, "%-12s %7llu %9zu %6zu %6zu %6.1f %6.1f%% %8zu\n", domain_name(d->domain),
                 (unsigned long long)d->tasks, workflows_seen(d), survey_shapes(d), survey_ops(d),
                 d->tasks ? (double)d->steps / (double)d->tasks : 0, per_10000(d->hostile, d->tasks) / 100,
                 classes_of(d));
    }
}

/* "storage 63, data 2.5": domains that arm it, the most often first. */
static void add_armers(struct buf *out, const struct survey *s, size_t class_index)
{
    bool listed[256] = {false};
    for (size_t n = 0; n < s->domain_count && n < 256; n++) {
        size_t best = s->domain_count;
        double most = 0;
        for (size_t i = 0; i < s->domain_count && i < 256; i++) {
            double rate = per_10000(s->domains[i].armed[class_index], s->domains[i].tasks);
            if (!listed[i] && rate > most) {
                most = rate;
                best = i;
            }
        }
        if (best == s->domain_count)
            return;
        listed[best] = true;
        buf_addf(out, most < 10 ? "%s%s %.1f" : "%s%s %.0f", n ? ", " : "",
                 domain_name(s->domains[best].domain), most);
    }
}

static void add_classes(struct buf *out, const struct survey *s)
{
    buf_addf(out, "\nOf 10,000 tasks of a domain, how many arm each class:\n");
    for (size_t i = 0; i < ARM_CLASSES; i++) {
        if (!armed_anywhere(s, i))
            continue;
        buf_addf(out, "%s %-28s ", class_at(i)->id, class_at(i)->slug);
        add_armers(out, s, i);
        buf_add_byte(out, '\n');
    }
}

/* Those without a task: either no step can (by a group of mutators), or none of these did. */
static size_t add_unarmed(struct buf *out, const struct survey *s, bool by_mutators, const char *heading)
{
    size_t count = 0;
    for (size_t i = 0; i < ARM_CLASSES; i++) {
        const char *by = arm_class_by(i);
        if (armed_anywhere(s, i) || (by != NULL) != by_mutators)
            continue;
        if (!count++)
            buf_addf(out, "\n%s\n", heading);
        buf_addf(out, "%s %-28s %s%s\n", class_at(i)->id, class_at(i)->slug, class_at(i)->primitive,
                 by ? strcmp(by, "env") ? ", wire mutators" : ", env mutators" : "");
    }
    return count;
}

static size_t classes_armed(const struct survey *s)
{
    size_t count = 0;
    for (size_t i = 0; i < ARM_CLASSES; i++)
        count += armed_anywhere(s, i) > 0;
    return count;
}

static void add_text(struct buf *out, const struct survey *s, const struct cli_generate *g)
{
    buf_addf(out, "%llu tasks, seed %llu, ", (unsigned long long)s->tasks, (unsigned long long)g->seed);
    if (g->mutate > 0)
        buf_addf(out, "templates' hazards at strength %g\n\n", g->mutate);
    else
        buf_addf(out, "without hazards\n\n");
    add_domains(out, s);
    add_classes(out, s);
    size_t other = add_unarmed(out, s, true, "Only mutators provoke, no step of a template can:");
    size_t never = add_unarmed(out, s, false, "Never armed by these tasks:");
    buf_addf(out, "\n%zu of %d classes armed, %zu only by mutators, %zu never\n", classes_armed(s),
             ARM_CLASSES, other, never);
}

static void add_json_classes(struct arena *a, struct json *to, const struct survey *s)
{
    for (size_t i = 0; i < ARM_CLASSES; i++) {
        struct json *row = json_add(to, json_new(a, JSON_OBJECT));
        json_set(a, row, "id", json_text(a, class_at(i)->id));
        json_set(a, row, "slug", json_text(a, class_at(i)->slug));
        json_set(a, row, "primitive", json_text(a, class_at(i)->primitive));
        if (arm_class_by(i))
            json_set(a, row, "by", json_text(a, arm_class_by(i)));
        json_set(a, row, "tasks", json_integer(a, (int64_t)armed_anywhere(s, i)));
        struct json *armers = json_set(a, row, "domains", json_new(a, JSON_OBJECT));
        for (size_t k = 0; k < s->domain_count; k++)
            if (s->domains[k].armed[i])
                json_set(a, armers, domain_name(s->domains[k].domain),
                         json_integer(a, (int64_t)s->domains[k].armed[i]));
    }
}

static void add_json(struct buf *out, const struct survey *s, const struct cli_generate *g)
{
    struct arena a;
    arena_init(&a);
    struct json *root = json_new(&a, JSON_OBJECT);
    json_set(&a, root, "tasks", json_integer(&a, (int64_t)s->tasks));
    json_set(&a, root, "seed", json_integer(&a, (int64_t)g->seed));
    json_set(&a, root, "mutate", json_real(&a, g->mutate));
    struct json *domains = json_set(&a, root, "domains", json_new(&a, JSON_ARRAY));
    for (size_t i = 0; i < s->domain_count; i++) {
        const struct survey_domain *d = &s->domains[i];
        struct json *row = json_add(domains, json_new(&a, JSON_OBJECT));
        json_set(&a, row, "name", json_text(&a, domain_name(d->domain)));
        json_set(&a, row, "tasks", json_integer(&a, (int64_t)d->tasks));
        json_set(&a, row, "hostile", json_integer(&a, (int64_t)d->hostile));
        json_set(&a, row, "steps", json_integer(&a, (int64_t)d->steps));
        json_set(&a, row, "shapes", json_integer(&a, (int64_t)survey_shapes(d)));
        json_set(&a, row, "ops", json_integer(&a, (int64_t)survey_ops(d)));
        json_set(&a, row, "classes", json_integer(&a, (int64_t)classes_of(d)));
        struct json *workflows = json_set(&a, row, "workflows", json_new(&a, JSON_OBJECT));
        for (size_t k = 0; k < d->workflow_count; k++)
            json_set(&a, workflows, d->workflows[k].name, json_integer(&a, (int64_t)d->workflows[k].tasks));
    }
    add_json_classes(&a, json_set(&a, root, "classes", json_new(&a, JSON_ARRAY)), s);
    json_write(out, root, JSON_PRETTY);
    buf_add_byte(out, '\n');
    arena_release(&a);
}

int domains_coverage(const struct verb *v, const struct cli_args *args, const struct cli_generate *g,
                     const struct ops *ops, unsigned threads, struct buf *out)
{
    struct survey_options o = {.generate = &g->options,
                               .ops = ops,
                               .seed = g->seed,
                               .count = g->count,
                               .strength = g->mutate,
                               .threads = threads,
                               .stop = cli_stop()};
    struct survey s;
    struct error *err = NULL;
    cli_catch_signals();
    int status = survey_run(&o, &s, &err);
    if (status < 0)
        status = cli_fail(v, err);
    else if (*cli_stop())
        status = EXIT_SIGNAL + *cli_stop();
    else if (cli_flag(args, "json"))
        add_json(out, &s, g);
    else
        add_text(out, &s, g);
    survey_release(&s);
    return status;
}
