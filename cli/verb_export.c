/* export: tasks for LLM agents, fresh ones, those of a database's corpus or of its findings, in one of the formats that harnesses read.
 *
 * What cannot be put as a task for an agent is left out and counted, with its reason, by domain. */
#include "cli/generate_options.h"
#include "cli/verbs.h"
#include "corpus/export/export.h"
#include "corpus/store.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS_MAX = 512, SEEN_FIRST = 1024 };

static const struct cli_option own[] = {
    {"format", 'f', "harbor|jsonl", "what to write (default harbor)"},
    {"out", 'o', "DIR", "where; a directory that is not there, or empty"},
    {"db", 0, "FILE", "tasks of this database's corpus instead of fresh ones"},
    {"findings", 0, NULL, "with --db: the smallest task of each finding"},
    {0},
};

/* What came of the tasks: kept ones (reason ""), and dropped ones by reason, of each domain. */
struct tally {
    char domain[64], reason[128];
    uint64_t count;
};

struct export_run {
    const struct verb *v;
    const struct export_format *format;
    struct export_out *out;
    struct tally rows[REASONS_MAX];
    size_t row_count;
    uint64_t *seen; /* hashes of ids, an open table; 0: free */
    size_t seen_count, seen_size;
};

static void tally(struct export_run *x, const char *domain, const char *reason)
{
    size_t i = 0;
    while (i < x->row_count && (strcmp(x->rows[i].domain, domain) || strcmp(x->rows[i].reason, reason)))
        i++;
    if (i == REASONS_MAX)
        return;
    if (i == x->row_count) {
        x->row_count++;
        snprintf(x->rows[i].domain, sizeof x->rows[i].domain, "%s", domain);
        snprintf(x->rows[i].reason, sizeof x->rows[i].reason, "%s", reason);
    }
    x->rows[i].count++;
}

static bool place(uint64_t *table, size_t size, uint64_t key)
{
    size_t at = key % size;
    while (table[at] && table[at] != key)
        at = (at + 1) % size;
    bool fresh = !table[at];
    table[at] = key;
    return fresh;
}

static bool is_new(struct export_run *x, const char *id)
{
    if (x->seen_count * 2 >= x->seen_size) {
        size_t size = x->seen_size ? x->seen_size * 2 : SEEN_FIRST;
        uint64_t *table = xcalloc(size, sizeof *table);
        for (size_t i = 0; i < x->seen_size; i++)
            if (x->seen[i])
                place(table, size, x->seen[i]);
        free(x->seen);
        x->seen = table;
        x->seen_size = size;
    }
    bool fresh = place(x->seen, x->seen_size, hash64(bytes_of_string(id)) | 1);
    x->seen_count += fresh;
    return fresh;
}

static int add_task(struct export_run *x, const struct task *t, struct error **err)
{
    struct export_record r;
    int status = 0;
    if (!is_new(x, t->id)) {
        tally(x, t->domain, "the same task again");
        return 0;
    }
    export_record_init(&r, t);
    tally(x, t->domain, r.dropped ? r.dropped : "");
    if (!r.dropped)
        status = x->format->add(x->out, &r, err);
    export_record_release(&r);
    return status;
}

static int by_row(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    int order = strcmp(x->domain, y->domain);
    if (order)
        return order;
    if (!*x->reason != !*y->reason)
        return *x->reason ? 1 : -1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->reason, y->reason);
}

/* The yield, on standard error: a line for each domain, one for each reason below it. */
static void print_tally(struct export_run *x)
{
    qsort(x->rows, x->row_count, sizeof *x->rows, by_row);
    for (size_t i = 0, end; i < x->row_count; i = end) {
        uint64_t made = 0, kept = 0;
        for (end = i; end < x->row_count && !strcmp(x->rows[end].domain, x->rows[i].domain); end++) {
            made += x->rows[end].count;
            kept += *x->rows[end].reason ? 0 : x->rows[end].count;
        }
        cli_notice(x->v, "%s: %llu tasks, %llu exported", x->rows[i].domain, (unsigned long long)made, (unsigned long long)kept);
        for (size_t k = i; k < end; k++)
            if (*x->rows[k].reason)
                cli_notice(x->v, "    %llu left out: %s", (unsigned long long)x->rows[k].count, x->rows[k].reason);
    }
}

/* --- where tasks come from --- */

static int add_fresh(struct export_run *x, const struct cli_generate *g)
{
    struct error *err = NULL;
    int status = 0;
    for (uint64_t i = 0; i < g->count && !*cli_stop() && status >= 0; i++) {
        struct task *task = NULL;
        status = selection_task(g->selection, i, &task, &err);
        if (status >= 0)
            status = add_task(x, task, &err);
        task_free(task);
    }
    return status < 0 ? cli_fail(x->v, err) : 0;
}

/* A text of the store; one that this version cannot read is counted. */
static int add_text(struct export_run *x, const struct ops *ops, const char *text, struct error **err)
{
    struct task *task = NULL;
    if (task_read(ops, bytes_of_string(text), "database", &task, NULL) < 0) {
        tally(x, "unknown", "a task of another version");
        return 0;
    }
    int status = add_task(x, task, err);
    task_free(task);
    return status;
}

static int add_members(struct export_run *x, const struct ops *ops, struct store *store, struct error **err)
{
    struct arena a;
    struct store_member_view m = {0};
    int more, status = 0;
    arena_init(&a);
    while (status >= 0 && !*cli_stop() && (more = store_member_after(store, m.number, &a, &m, err)) != 0) {
        status = more < 0 ? more : add_text(x, ops, m.json, err);
        arena_clear(&a);
    }
    arena_release(&a);
    return status;
}

static int add_findings(struct export_run *x, const struct ops *ops, struct store *store, struct error **err)
{
    struct arena a;
    struct finding *found = NULL;
    size_t count = 0;
    arena_init(&a);
    int status = store_findings(store, NULL, &a, &found, &count, err);
    for (size_t i = 0; i < count && status >= 0; i++)
        if (found[i].task && *found[i].task)
            status = add_text(x, ops, found[i].task, err);
    arena_release(&a);
    return status;
}

static int add_stored(struct export_run *x, const struct ops *ops, const struct settings *settings, const char *db, bool findings)
{
    struct error *err = NULL;
    struct store *store = NULL;
    int status = store_open(db, STORE_READ, settings, &store, &err);
    if (status >= 0)
        status = findings ? add_findings(x, ops, store, &err) : add_members(x, ops, store, &err);
    store_close(store);
    return status < 0 ? cli_fail(x->v, err) : 0;
}

/* --- the verb --- */

static int read_own(const struct verb *v, const struct cli_args *args, struct export_run *x)
{
    const char *format = cli_value(args, "format"), *db = cli_value(args, "db");
    x->format = export_find(format ? format : "harbor");
    if (!x->format)
        return cli_usage_fault(v, "--format: found '%s', expected harbor or jsonl", format);
    if (args->word_count)
        return cli_usage_fault(v, "'%s' is not expected here", args->words[0]);
    if (!cli_value(args, "out"))
        return cli_usage_fault(v, "--out DIR is missing");
    if (cli_flag(args, "findings") && !db)
        return cli_usage_fault(v, "--findings wants --db FILE");
    if (!!db == !!cli_value(args, "domain"))
        return cli_usage_fault(v, db ? "--db and --domain exclude each other" : "--domain NAME or --db FILE is missing");
    return 0;
}

static int export_all(struct export_run *x, const struct cli_args *args, const struct ops *ops, const struct settings *settings,
                      const struct cli_generate *g)
{
    const char *db = cli_value(args, "db");
    struct error *err = NULL;
    if (export_open(cli_value(args, "out"), &x->out, &err) < 0)
        return cli_fail(x->v, err);
    cli_catch_signals();
    int status = db ? add_stored(x, ops, settings, db, cli_flag(args, "findings")) : add_fresh(x, g);
    if (!status && x->format->end(x->out, &err) < 0)
        status = cli_fail(x->v, err);
    if (!status)
        print_tally(x);
    if (!status && *cli_stop())
        status = EXIT_SIGNAL + *cli_stop();
    export_close(x->out);
    return status;
}

static int run_export(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct ops *ops = NULL;
    struct cli_generate g = {0};
    struct export_run *x = xcalloc(1, sizeof *x);
    x->v = v;
    int status = read_own(v, args, x);
    if (!status)
        status = cli_settings(v, args, &settings);
    if (!status)
        status = cli_ops(v, &ops);
    if (!status && !cli_value(args, "db"))
        status = cli_generate(v, args, &settings, ops, NULL, &g);
    if (!status) {
        if (!cli_value(args, "count"))
            g.count = 10;
        status = export_all(x, args, ops, &settings, &g);
    }
    cli_generate_release(&g);
    ops_free(ops);
    free(x->seen);
    free(x);
    return status;
}

static const struct cli_option *const options[] = {options_generate, own, options_common, NULL};

const struct verb verb_export = {
    .name = "export",
    .usage = "--out DIR [--format FORMAT] (--domain NAME [--count N] | --db FILE [--findings]) [OPTION]…",
    .summary = "tasks for LLM agents, in a format that harnesses read",
    .details = "Puts tasks so that an agent can be set to them: an instruction that says which files are wanted in the end, attached\n"
               "files, the start of its working directory, a solution, and a verifier that looks at the end state and not at the way\n"
               "there. What is expected was computed when the task was made. Tasks without an end state that can be seen are left\n"
               "out; standard error tells how many of each domain, and why. The same tasks give the same bytes. Nothing is\n"
               "executed.",
    .options = options,
    .run = run_export,
};
