/* Database, loop, watch: put together for run and fuzz. */
#include "cli/campaign.h"

#include "cli/observe_options.h"
#include "cli/suppress_options.h"
#include "cli/target_options.h"
#include "cli/watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS_MAX = 64, WORKERS_DEFAULT_MAX = 8 };

const struct cli_option options_campaign[] = {
    {"db", 0, "FILE", "the database (default taskgen.db)"},
    {"time", 0, "TIME", "stop after so long: 20, 10m, 2h"},
    {"runs", 0, "N", "stop after so many executions, those that confirm findings or make them smaller not counted"},
    {"until-stable", 0, "TIME", "stop when for so long nothing was new, neither a feature nor a finding"},
    {"fail-on", 0, "LIST", "which findings give exit status 1: any (default), never, or words such as confirmed+sandbox,regressed (docs/ci.md)"},
    {"workers", 'w', "N", "sessions at a time (default: one a core; most of them wait, so four a core find more where the target is light)"},
    {"reset", 0, "HOW", "between tasks: session (a fresh one, default), task (its files are removed), never (nothing is done)"},
    {"tools", 0, NULL, "calls of the target's own tools too, made from their JSON Schemas (also: --domain tools)"},
    SUPPRESS_OPTION,
    {0},
};

/* How much of a session one task leaves to the next. */
static int reset_of(const struct verb *v, const struct cli_args *args, enum runner_reset *reset)
{
    static const char *const names[] = {"session", "task", "never"};
    const char *given = cli_value(args, "reset");
    *reset = RUNNER_RESET_SESSION;
    if (!given)
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(given, names[i]) == 0) {
            *reset = (enum runner_reset)i;
            return 0;
        }
    return cli_usage_fault(v, "--reset: found '%s', expected session, task or never", given);
}

static unsigned default_workers(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > WORKERS_DEFAULT_MAX ? WORKERS_DEFAULT_MAX : (unsigned)cores;
}

/* The settings, and beside them the policy and --features, as JSON. */
static void settings_text(const struct campaign *c, struct buf *out)
{
    struct arena a;
    struct json *object = NULL;
    struct buf plain;
    arena_init(&a);
    buf_init(&plain, 1 << 16);
    settings_json(c->settings, &plain);
    const struct policy *policy = target_policy(c->target);
    const char *features = c->features ? cli_value(c->args, "features") : NULL;
    if ((policy || features) && json_read(&a, buf_bytes(&plain), NULL, "settings", &object, NULL, NULL) == 0) {
        if (policy)
            json_set(&a, object, "policy", policy_json(policy, &a));
        if (features)
            json_set(&a, object, "features", json_text(&a, features));
        json_write(out, object, JSON_COMPACT);
    } else {
        buf_add(out, buf_bytes(&plain));
    }
    buf_release(&plain);
    arena_release(&a);
}

static int begin(const struct campaign *c, struct store *store, struct loop_options *o, const char *command, struct error **err)
{
    struct buf settings;
    buf_init(&settings, 1 << 16);
    settings_text(c, &settings);
    char *grammar = cli_tools_hash(c->tools, c->generate ? cli_grammar_hashes(c->generate) : xstrdup(""));
    struct store_run run = {
        .verb = c->verb->name,
        .command = command,
        .target = target_spec(c->target),
        .grammar = grammar,
        .seed = o->seed,
        .settings = buf_string(&settings),
    };
    int status = 0;
    if (c->resume)
        status = store_next_index(store, o->seed, grammar, target_spec(c->target), &o->first_index, err);
    if (!status && c->resume && o->select)
        o->first_index = selection_from(o->select, o->first_index);
    if (!status)
        status = store_run_begin(store, &run, &o->run, err);
    if (!status && c->seeds) {
        status = cli_seeds_admit(c->seeds, store, o->run, target_spec(c->target), err);
        o->tasks = c->seeds->tasks;
        o->task_count = c->seeds->task_count;
    }
    buf_release(&settings);
    free(grammar);
    return status;
}

/* The worst of them, and a signal before all. */
static int end_status(const struct campaign *c, const struct watch *w, const struct fail_on *fail, int watch_status, int status, struct error *err)
{
    if (status < 0 && err && err->code != ERR_STOP)
        return cli_fail(c->verb, err);
    error_free(err);
    if (*cli_stop())
        return EXIT_SIGNAL + *cli_stop();
    return watch_found(w, fail) ? EXIT_FOUND : watch_status;
}

/* Everything between an open database and the exit status. */
static int run_loop(const struct campaign *c, struct loop_options *o, const struct fail_on *fail, struct watch *w, const char *db)
{
    struct error *err = NULL, *end_err = NULL;
    struct loop_progress total = {0};
    char *command = cli_command_text(c->verb, c->args);
    if (begin(c, o->store, o, command, &err) < 0) {
        free(command);
        return cli_fail(c->verb, err);
    }
    cli_catch_signals();
    const struct watched watched = {c->target, o->store, db, command, o->run, o->workers};
    watch_begin(w, &watched);
    int status = loop_run(o, &total, &err);
    if (store_run_end(o->store, o->run, target_identity(c->target), &end_err) < 0 && status >= 0) {
        status = -1;
        err = end_err;
    } else {
        error_free(end_err);
    }
    int watch_status = watch_end(w, &total);
    status = end_status(c, w, fail, watch_status, status, err);
    free(command);
    return status;
}

/* What ends the campaign, and with which status. */
static int read_ends(const struct campaign *c, struct loop_options *o, struct fail_on *fail)
{
    uint64_t runs = 0;
    int status = cli_time(c->verb, c->args, "time", &o->time_ms);
    if (!status)
        status = cli_time(c->verb, c->args, "until-stable", &o->stable_ms);
    if (!status)
        status = cli_unsigned(c->verb, c->args, "runs", &runs);
    if (!status && (runs > INT64_MAX || (!runs && cli_value(c->args, "runs"))))
        status = cli_usage_fault(c->verb, "--runs: expected 1 or more");
    o->runs = (int64_t)runs;
    return status ? status : cli_fail_on(c->verb, c->args, fail);
}

/* What the command line and the campaign say of the loop; EXIT_… on a fault, which was said. */
static int read_loop(const struct campaign *c, struct loop_options *o, struct fail_on *fail)
{
    const struct cli_generate *g = c->generate;
    uint64_t workers = default_workers();
    *o = (struct loop_options){
        .target = c->target,
        .words = c->seeds ? c->seeds->words : NULL,
        .tools_period = 1,
        .tasks = c->tasks,
        .task_count = c->task_count,
        .settings = c->settings,
        .ops = c->ops,
        .feed_back = c->feed_back,
        .features = c->features,
        .confirm = true,
        .shrink = c->feed_back,
        .stop = cli_stop(),
        .answered = watch_answered,
        .progress = watch_progress,
        .finding = watch_finding,
        .executed = watch_executed,
    };
    if (g) {
        o->generate = &g->options;
        o->select = g->selection;
        o->seed = g->seed;
        o->count = (int64_t)g->count;
        o->mutate = g->mutate;
    }
    if (c->tools) {
        o->tools = c->tools->set;
        o->tools_share = c->tools->share;
        o->tools_period = c->tools->period;
    }
    int status = read_ends(c, o, fail);
    if (!status)
        status = reset_of(c->verb, c->args, &o->reset);
    if (!status)
        status = cli_unsigned(c->verb, c->args, "workers", &workers);
    if (!status && (workers < 1 || workers > WORKERS_MAX))
        status = cli_usage_fault(c->verb, "--workers: expected 1 to %d", WORKERS_MAX);
    o->workers = (unsigned)workers;
    return status;
}

/* The database, the suppressions, the observers: what has to be there before the loop, and is given back by the caller. */
static int open_all(const struct campaign *c, const char *db, struct loop_options *o, struct watch *w, struct suppressions **suppress)
{
    struct error *err = NULL;
    int status = watch_open(w, c->verb, c->args, c->settings);
    if (!status && store_open(db, STORE_WRITE, c->settings, &o->store, &err) < 0)
        status = cli_fail(c->verb, err);
    if (status)
        return status;
    store_keep_secret(o->store, cli_secrets());
    status = cli_suppressions(c->verb, c->args, o->store, true, suppress);
    if (!status && c->feed_back)
        status = cli_observers(c->verb, c->args, c->target, &o->observers);
    return status;
}

int campaign_run(const struct campaign *c)
{
    const char *db = cli_value(c->args, "db");
    db = db ? db : "taskgen.db";
    struct loop_options o;
    struct fail_on fail;
    struct suppressions *suppress = NULL;
    struct watch w;
    int status = read_loop(c, &o, &fail);
    if (status)
        return status;
    status = open_all(c, db, &o, &w, &suppress);
    w.suppress = suppress;
    w.observers = o.observers;
    o.user = &w;
    o.hurry = &w.hurry;
    if (!status)
        status = run_loop(c, &o, &fail, &w, db);
    observers_free(o.observers);
    watch_release(&w);
    suppressions_free(suppress);
    store_close(o.store);
    return status;
}
