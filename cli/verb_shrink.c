/* shrink: smaller tasks for findings. */
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "exec/loop.h"
#include "exec/reduce.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DOMAINS_MAX = 64 };

static const struct cli_option own[] = {
    {"db", 0, "FILE", "the database (default taskgen.db)"},
    {"all", 0, NULL, "every confirmed, regressed or flaky finding of the database"},
    {"again", 0, NULL, "findings too whose task is as small as it gets already"},
    {"domain", 'd', "NAME|FILE|all", "domains that the tasks are of (default: all that ship); repeats"},
    {"runs", 'n', "N", "sessions for each finding (default: the setting shrink.runs)"},
    {"time", 0, "TIME", "stop each after so long: 20, 10m (default: the setting shrink.time)"},
    {"json", 0, NULL, "an object a line"},
    {0},
};

struct shrinking {
    const struct verb *verb;
    const struct cli_args *args;
    struct settings settings;
    struct ops *ops;
    struct cli_domains domains;
    struct store *store;
    int64_t time_ms;
};

static void print_result(const struct shrinking *s, const struct finding *f, const struct reduce_result *r)
{
    if (!cli_flag(s->args, "json")) {
        printf("%.8s  %lld -> %lld %s, %lld sessions, %s  %s\n", f->signature, (long long)r->steps_before, (long long)r->steps,
               r->steps == 1 ? "step" : "steps", (long long)r->runs, reduce_end_words(r->end), f->text);
        fflush(stdout);
        return;
    }
    struct arena a;
    arena_init(&a);
    struct json *o = json_new(&a, JSON_OBJECT);
    json_set(&a, o, "signature", json_text(&a, f->signature));
    json_set(&a, o, "text", json_text(&a, f->text));
    json_set(&a, o, "steps_before", json_integer(&a, r->steps_before));
    json_set(&a, o, "steps", json_integer(&a, r->steps));
    json_set(&a, o, "sessions", json_integer(&a, r->runs));
    json_set(&a, o, "candidates", json_integer(&a, (int64_t)r->candidates));
    json_set(&a, o, "accepted", json_integer(&a, (int64_t)r->accepted));
    json_set(&a, o, "end", json_text(&a, reduce_end_words(r->end)));
    struct buf line;
    buf_init(&line, 1 << 20);
    json_write(&line, o, JSON_COMPACT);
    buf_add_byte(&line, '\n');
    cli_out(s->verb, buf_bytes(&line));
    cli_out_flush(s->verb);
    buf_release(&line);
    arena_release(&a);
}

static int shrink_one(const struct shrinking *s, const struct finding *f)
{
    struct error *err = NULL;
    struct target *target = NULL;
    struct reduce_result r;
    int status = cli_target_of(s->verb, s->args, &s->settings, s->ops, s->store, f, &target);
    if (status)
        return status;
    store_keep_secret(s->store, cli_secrets());
    struct reduce_options o = {
        .target = target,
        .store = s->store,
        .settings = &s->settings,
        .ops = s->ops,
        .domains = (const struct domain *const *)s->domains.items,
        .domain_count = s->domains.count,
        .stop = cli_stop(),
        .time_ms = s->time_ms,
    };
    if (reduce_finding(&o, f->signature, cli_flag(s->args, "again"), &r, &err) < 0) {
        status = cli_fail(s->verb, err);
    } else {
        print_result(s, f, &r);
        status = r.end == REDUCE_NOT_SHOWN ? EXIT_FOUND : EXIT_CLEAN;
    }
    target_free(target);
    return status;
}

static bool is_settled(const struct finding *f)
{
    return f->state == FINDING_CONFIRMED || f->state == FINDING_REGRESSED || f->state == FINDING_FLAKY;
}

static int shrink_listed(const struct shrinking *s, const char *prefix)
{
    struct arena a;
    arena_init(&a);
    struct finding *findings = NULL;
    size_t count = 0;
    int status = cli_findings(s->verb, s->store, prefix, &a, &findings, &count);
    const struct user_checks *checks;
    if (!status)
        status = cli_checks(s->verb, s->args, &checks);
    for (size_t i = 0; i < count && status <= EXIT_FOUND && !*cli_stop(); i++) {
        if (cli_lacks_check(s->verb, &findings[i])) {
            status = prefix ? EXIT_USAGE : status;
            continue;
        }
        int one = prefix || is_settled(&findings[i]) ? shrink_one(s, &findings[i]) : 0;
        status = one > status ? one : status;
    }
    arena_release(&a);
    return *cli_stop() ? EXIT_SIGNAL + *cli_stop() : status;
}

/* Settings, ops and domains. */
static int load(struct shrinking *s)
{
    const char *names[DOMAINS_MAX] = {"all"}, *runs = cli_value(s->args, "runs");
    struct error *err = NULL;
    int status = cli_settings(s->verb, s->args, &s->settings);
    if (!status && runs && settings_set(&s->settings, "shrink.runs", runs, &err) < 0) {
        error_wrap(&err, "--runs");
        status = cli_fail(s->verb, err);
    }
    if (status)
        return status;
    s->time_ms = settings_int(&s->settings, "shrink.time");
    status = cli_time(s->verb, s->args, "time", &s->time_ms);
    if (!status)
        status = cli_ops(s->verb, &s->ops);
    size_t count = cli_values(s->args, "domain", names, DOMAINS_MAX);
    if (!status)
        status = cli_domains_load(s->verb, names, count ? count : 1, s->ops, &s->domains);
    return status;
}

static int run_shrink(const struct verb *v, struct cli_args *args)
{
    struct shrinking s = {.verb = v, .args = args};
    bool all = cli_flag(args, "all");
    if (all ? args->word_count != 0 : args->word_count != 1)
        return cli_usage_fault(v, "expected one SIGNATURE, or --all");
    const char *db = cli_value(args, "db");
    db = db ? db : "taskgen.db";
    if (access(db, F_OK))
        return cli_usage_fault(v, "%s: %m", db);
    struct error *err = NULL;
    int status = load(&s);
    if (!status && store_open(db, STORE_WRITE, &s.settings, &s.store, &err) < 0)
        status = cli_fail(v, err);
    if (!status) {
        cli_catch_signals();
        status = shrink_listed(&s, all ? NULL : args->words[0]);
        store_close(s.store);
    }
    cli_domains_release(&s.domains);
    ops_free(s.ops);
    return status;
}

static const struct cli_option *const options[] = {own, options_target, options_common, NULL};

const struct verb verb_shrink = {
    .name = "shrink",
    .usage = "[--db FILE] SIGNATURE | --all",
    .summary = "make the tasks of findings smaller",
    .details = "Runs smaller and smaller tasks in fresh sessions of the target a finding was found on, or of --target, and keeps those\n"
               "that show the same signature. The smallest so far is in the database at any moment: stopped or killed, the next shrink goes on\n"
               "from there. fuzz does the same for what it confirms, in a share of its time (shrink.share). Exit status 1 when a\n"
               "finding does not show any more, in its own task; then nothing is changed.",
    .options = options,
    .run = run_shrink,
};
