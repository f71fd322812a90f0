/* replay: does a finding still show? */
#include "cli/replay.h"
#include "cli/suppress_options.h"
#include "cli/target_options.h"
#include "cli/verbs.h"

#include "base/clock.h"

#include <stdio.h>

static const struct cli_option own[] = {
    {"db", 0, "FILE", "the database (default taskgen.db)"},
    {"all", 0, NULL, "every finding of the database, the worst first"},
    {"runs", 'n', "N", "fresh sessions for each (default: the setting confirm.runs)"},
    {"time", 0, "TIME", "with --all: end after so long; those that have waited longest come first then"},
    {"fail-on", 0, "LIST", "which of those that still fail give exit status 1 (default: all), such as regressed,confirmed+sandbox (docs/ci.md)"},
    SUPPRESS_OPTION,
    {"json", 0, NULL, "an object a line"},
    {0},
};

static int replay_listed(struct replay *r, const char *prefix)
{
    struct arena a;
    arena_init(&a);
    struct finding *findings = NULL;
    size_t count = 0;
    const struct user_checks *checks;
    int status = cli_findings(r->verb, r->store, prefix, &a, &findings, &count);
    suppressions_mark(r->suppress, findings, count, clock_wall_ms());
    if (!status)
        status = cli_checks(r->verb, r->args, &checks);
    if (!status && !prefix) {
        status = replay_all(r, findings, count);
    } else if (!status) {
        struct replayed came = replay_one(r, &findings[0]);
        status = came.outcome == REPLAY_TRIED ? (came.counts ? EXIT_FOUND : EXIT_CLEAN) : came.status;
    }
    arena_release(&a);
    return *cli_stop() ? EXIT_SIGNAL + *cli_stop() : status;
}

static int read_options(const struct verb *v, const struct cli_args *args, const struct settings *settings, struct replay *r,
                        struct fail_on *fail)
{
    uint64_t runs = (uint64_t)settings_int(settings, "confirm.runs");
    int status = cli_unsigned(v, args, "runs", &runs);
    if (!status && (runs < 1 || runs > 1000))
        status = cli_usage_fault(v, "--runs: expected 1 to 1000");
    if (!status)
        status = cli_time(v, args, "time", &r->time_ms);
    if (!status && r->time_ms && !cli_flag(args, "all"))
        status = cli_usage_fault(v, "--time: found no --all that it limits");
    if (!status)
        status = cli_fail_on(v, args, fail);
    r->runs = (int)runs;
    r->fail = cli_value(args, "fail-on") ? fail : NULL;
    return status;
}

static int run_replay(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct ops *ops = NULL;
    bool all = cli_flag(args, "all");
    if (all ? args->word_count != 0 : args->word_count != 1)
        return cli_usage_fault(v, "expected one SIGNATURE, or --all");
    struct replay r = {.verb = v, .args = args, .settings = &settings, .halt = cli_stop()};
    struct fail_on fail;
    int status = cli_settings(v, args, &settings);
    if (!status)
        status = read_options(v, args, &settings, &r, &fail);
    if (!status)
        status = cli_ops(v, &ops);
    if (status)
        return status;
    r.ops = ops;
    struct error *err = NULL;
    struct suppressions *suppress = NULL;
    const char *db = cli_value(args, "db");
    db = db ? db : "taskgen.db";
    FILE *exists = fopen(db, "re");
    if (!exists) {
        status = cli_usage_fault(v, "%s: %m", db);
    } else {
        fclose(exists);
        if (store_open(db, STORE_WRITE, &settings, &r.store, &err) < 0)
            status = cli_fail(v, err);
    }
    if (!status)
        status = cli_suppressions(v, args, r.store, true, &suppress);
    r.suppress = suppress;
    if (!status) {
        cli_catch_signals();
        status = replay_listed(&r, all ? NULL : args->words[0]);
    }
    suppressions_free(suppress);
    store_close(r.store);
    ops_free(ops);
    return status;
}

static const struct cli_option *const options[] = {own, options_target, options_common, NULL};

const struct verb verb_replay = {
    .name = "replay",
    .usage = "[--db FILE] SIGNATURE | --all",
    .summary = "run a finding's task again; exit 1 while it still fails",
    .details = "Runs the shortest task of a finding in fresh sessions of the target it was found on, or of --target. SIGNATURE is\n"
               "the hex number that report prints; a prefix that fits one finding is enough. Exit status 1 while it still\n"
               "fails, 0 when it does not. A confirmed finding that passes every run, confirm.runs of them and more, becomes fixed, a fixed one that fails\n"
               "regressed. A suppressed one is tried too, but its failing is no failure.\n"
               "--all, for every night: findings whose target cannot be started are told and left alone; then the exit status is\n"
               "3 where it would be 0.",
    .options = options,
    .run = run_replay,
};
