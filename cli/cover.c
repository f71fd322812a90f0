/* k-paths on the command line. The suite of a domain is printed as it is made, one domain after the other;
 * what was not reached goes to standard error by name: what it has in common and a few lines of that, or,
 * with --missed, every single path. */
#include "cli/cover.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "gen/cover.h"
#include "mutate/mutate.h"

enum { FEW_LINES = 8, LINE_MOST = 1 << 16 };

const struct cli_option options_cover[] = {
    {"cover", 0, "k=1|2|3", "instead of a number of tasks, few tasks that have every path of k choices"},
    {"missed", 0, NULL, "with --cover: name every path that was not reached, not only some"},
    {0},
};

int cli_cover_check(const struct verb *v, const struct cli_args *args, unsigned *k)
{
    static const char *const others[] = {"count", "index", "class", "primitive", "steps", "hostile"};
    const char *value = cli_value(args, "cover");
    *k = 0;
    if (!value)
        return cli_flag(args, "missed") ? cli_usage_fault(v, "--missed is only for --cover") : 0;
    if (strncmp(value, "k=", 2) || value[2] < '1' || value[2] > '0' + KPATH_LONGEST || value[3])
        return cli_usage_fault(v, "--cover: found '%s', expected k=1, k=2 or k=3", value);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (size_t j = 0; j < args->given_count; j++)
            if (!strcmp(args->given[j].option->name, others[i]))
                return cli_usage_fault(
                    v, "--cover and --%s do not go together: the paths say which tasks to make", others[i]);
    *k = (unsigned)(value[2] - '0');
    return 0;
}

/* --- generate --cover --- */

static int print_tasks(const struct verb *v, const struct cover_suite *suite, const struct cli_generate *g,
                       const struct settings *settings, const struct ops *ops, bool hazards, bool text)
{
    int status = 0;
    for (size_t i = 0; i < suite->task_count && !status && !cli_out_closed(); i++) {
        struct error *err = NULL;
        struct task *task = NULL;
        struct buf out;
        buf_init(&out, (size_t)1 << 30);
        int made = cover_task(suite, i, &task, &err);
        if (made == 0 && hazards)
            made = mutate_hazards(task, suite->options.domain, ops, settings, g->mutate, &err);
        if (made < 0) {
            status = cli_fail(v, err);
        } else {
            if (text)
                task_write_text(task, &out);
            else
                task_write(task, &out);
            buf_add_byte(&out, '\n');
            status = cli_out(v, buf_bytes(&out));
        }
        if (task)
            task_free(task);
        buf_release(&out);
    }
    return status;
}

/* A path by name, or what paths have in common. */
static void print_line(const struct cover_suite *suite, const struct cover_gap *gap,
                       const struct cover_miss *miss)
{
    struct buf line;
    buf_init(&line, LINE_MOST);
    if (gap) {
        buf_addf(&line, "%zu path%s, ", gap->missed, gap->missed > 1 ? "s" : "");
        cover_gap_name(suite, gap, &line);
    } else {
        kpath_name(suite->graph, suite->options.k, miss->path, &line);
    }
    buf_add_string(&line, ": ");
    cover_why(suite, miss, &line);
    fprintf(stderr, "  not reached: %s\n", buf_string(&line));
    buf_release(&line);
}

static void print_missed(const struct cover_suite *suite, bool all)
{
    size_t count = all ? suite->missed_count : suite->gap_count,
           shown = all || count <= FEW_LINES ? count : FEW_LINES;
    for (size_t i = 0; i < shown; i++)
        print_line(suite, all ? NULL : &suite->gaps[i], &suite->missed[all ? i : suite->gaps[i].miss]);
    if (shown < count)
        fprintf(stderr, "  not reached: %zu more of the kind, --missed names every path\n", count - shown);
}

static void print_never(const struct cover_suite *suite, bool all)
{
    size_t count = kpath_never_count(suite->graph), shown = all || count <= FEW_LINES ? count : FEW_LINES;
    for (size_t i = 0; i < shown; i++) {
        struct buf line;
        buf_init(&line, LINE_MOST);
        kpath_never(suite->graph, i, &line);
        fprintf(stderr, "  never taken, not counted: %s\n", buf_string(&line));
        buf_release(&line);
    }
    if (shown < count)
        fprintf(stderr, "  never taken, not counted: %zu more, --missed names them\n", count - shown);
}

static void print_summary(const struct cover_suite *suite, bool all)
{
    unsigned k = suite->options.k;
    uint64_t count = kpath_count(suite->graph, k);
    fprintf(stderr, "%s: %llu of %llu %u-paths covered by %zu tasks (%zu not reached)\n",
            domain_name(suite->options.domain), (unsigned long long)(count - suite->missed_count),
            (unsigned long long)count, k, suite->task_count, suite->missed_count);
    print_missed(suite, all);
    print_never(suite, all);
}

int cli_cover(const struct verb *v, const struct cli_args *args, const struct cli_generate *g,
              const struct settings *settings, const struct ops *ops, unsigned k, bool text)
{
    int status = 0;
    if (cli_value(args, "workflow") && !g->options.workflow)
        return cli_usage_fault(v, "--cover takes one --workflow, by its whole name");
    for (size_t i = 0; i < g->domains.count && !status && !cli_out_closed(); i++) {
        struct cover_options o = {
            .generate = &g->options, .domain = g->domains.items[i], .k = k, .seed = g->seed};
        struct cover_suite suite;
        struct error *err = NULL;
        if (cover_make(&o, &suite, &err) < 0)
            status = cli_fail(v, err);
        if (!status)
            status = print_tasks(v, &suite, g, settings, ops, cli_value(args, "mutate") != NULL, text);
        if (!status)
            status = cli_out_flush(v); /* before its summary, when both go to one terminal */
        if (!status)
            print_summary(&suite, cli_flag(args, "missed"));
        cover_release(&suite);
    }
    return status;
}

/* --- domains --paths --- */

/* Paths of three choices may be too many to count; then the shorter ones are. */
static int make_graph(const struct domain *d, const char *workflow, unsigned *k, struct kpath_graph **graph,
                      struct error **err)
{
    for (*k = KPATH_LONGEST;; --*k) {
        int status = kpath_graph_new(d, workflow, *k, graph, err);
        if (status != ERR_LIMIT || *k == 1)
            return status;
        error_free(*err);
        *err = NULL;
    }
}

static int account(const struct cli_generate *g, const struct domain *d, struct kpath_seen *seen,
                   struct error **err)
{
    struct generate_options o = g->options;
    struct derivation derivation;
    int status = 0;
    o.domains = &d;
    o.domain_count = 1;
    derivation_init(&derivation);
    for (uint64_t i = 0; i < g->count && status == 0; i++) {
        struct task *task = NULL;
        status = generate_task(&o, g->seed, i, &task, err);
        if (status == 0)
            status = derivation_decode(&derivation, bytes_of_string(task->derivation), err);
        if (status == 0)
            kpath_seen_add(seen, &derivation);
        if (task)
            task_free(task);
    }
    derivation_release(&derivation);
    return status;
}

static void add_row(struct buf *out, const struct domain *d, const struct kpath_seen *seen, unsigned longest)
{
    buf_addf(out, "%-12s", domain_name(d));
    for (unsigned k = 1; k <= longest; k++) {
        char figure[64];
        snprintf(figure, sizeof figure, "%llu of %llu", (unsigned long long)seen->count[k],
                 (unsigned long long)kpath_count(seen->graph, k));
        buf_addf(out, " %18s", figure);
    }
    for (unsigned k = longest + 1; k <= KPATH_LONGEST; k++)
        buf_addf(out, " %18s", "too many");
    buf_add_byte(out, '\n');
}

static void add_object(struct arena *a, struct json *list, const struct domain *d,
                       const struct kpath_seen *seen, unsigned longest, uint64_t tasks)
{
    struct json *row = json_add(list, json_new(a, JSON_OBJECT));
    json_set(a, row, "domain", json_text(a, domain_name(d)));
    json_set(a, row, "tasks", json_integer(a, (int64_t)tasks));
    struct json *paths = json_set(a, row, "paths", json_new(a, JSON_ARRAY));
    for (unsigned k = 1; k <= longest; k++) {
        struct json *figures = json_add(paths, json_new(a, JSON_OBJECT));
        json_set(a, figures, "k", json_integer(a, k));
        json_set(a, figures, "seen", json_integer(a, (int64_t)seen->count[k]));
        json_set(a, figures, "all", json_integer(a, (int64_t)kpath_count(seen->graph, k)));
    }
}

static int add_domain(const struct verb *v, const struct cli_generate *g, const struct domain *d,
                      struct arena *a, struct json *list, struct buf *out)
{
    struct error *err = NULL;
    struct kpath_graph *graph = NULL;
    struct kpath_seen seen;
    unsigned longest;
    if (make_graph(d, g->options.workflow, &longest, &graph, &err) < 0)
        return cli_fail(v, err);
    kpath_seen_init(&seen, graph);
    int status = account(g, d, &seen, &err) < 0 ? cli_fail(v, err) : 0;
    if (!status && list)
        add_object(a, list, d, &seen, longest, g->count);
    else if (!status)
        add_row(out, d, &seen, longest);
    kpath_seen_release(&seen);
    kpath_graph_free(graph);
    return status;
}

int cli_paths(const struct verb *v, const struct cli_args *args, const struct cli_generate *g,
              struct buf *out)
{
    struct arena a;
    arena_init(&a);
    struct json *list = cli_flag(args, "json") ? json_new(&a, JSON_ARRAY) : NULL;
    int status = 0;
    if (!list)
        buf_addf(out, "%-12s %18s %18s %18s   seen in %llu tasks each\n", "domain", "1-paths", "2-paths",
                 "3-paths", (unsigned long long)g->count);
    for (size_t i = 0; i < g->domains.count && !status; i++)
        status = add_domain(v, g, g->domains.items[i], &a, list, out);
    if (list && !status) {
        json_write(out, list, JSON_PRETTY);
        buf_add_byte(out, '\n');
    }
    arena_release(&a);
    return status;
}
