/* replay: does a finding still show? */
#include "cli/suppress_options.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "cli/watch.h"
#include "cli/watch_left.h"
#include "exec/compare.h"
#include "exec/loop.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option own[] = {
    {"db", 0, "FILE", "the database (default taskgen.db)"},
    {"all", 0, NULL, "every finding of the database"},
    {"runs", 'n', "N", "fresh sessions for each (default: the setting confirm.runs)"},
    SUPPRESS_OPTION,
    {"json", 0, NULL, "an object a line"},
    {0},
};

struct replay {
    const struct verb *verb;
    const struct cli_args *args;
    const struct settings *settings;
    const struct ops *ops;
    struct store *store;
    struct suppressions *suppress;
    int runs;
};

/* What is told of the runs of one finding: of the last that showed it, or else of the last. */
struct account {
    struct arena arena;
    const struct json *then; /* how its steps went when it was stored; NULL: not kept */
    const char *expected, *observed; /* as stored */
    const char *now, *difference, *left;
    bool shows;
};

static const char *member_of(struct arena *a, const struct json *record, const char *name)
{
    return arena_string(a, json_as_text(json_get(record, name)));
}

static void account_init(struct account *x, const struct finding *f)
{
    struct json *record = NULL;
    *x = (struct account){.expected = "", .observed = "", .now = "", .left = ""};
    arena_init(&x->arena);
    if (!f->wire || !*f->wire || json_read(&x->arena, bytes_of_string(f->wire), NULL, f->signature, &record, NULL, NULL) < 0)
        return;
    x->then = json_get(record, "steps");
    x->expected = member_of(&x->arena, record, "expected");
    x->observed = member_of(&x->arena, record, "observed");
}

static void take_run(void *user, const struct execution *e, const char *record)
{
    struct account *x = user;
    struct arena *a = &x->arena;
    struct json *now = NULL;
    if (x->shows && !record)
        return;
    x->shows = record != NULL;
    x->now = "nothing wrong";
    if (record && json_read(a, bytes_of_string(record), NULL, "record", &now, NULL, NULL) == 0)
        x->now = member_of(a, now, "observed");
    x->difference = outline_difference(x->then, e, a);
    struct buf left;
    buf_init(&left, 1 << 16);
    watch_left_text(e, &left);
    x->left = arena_string(a, buf_bytes(&left));
    buf_release(&left);
}

static void print_line(const char *name, const char *text)
{
    struct buf line;
    buf_init(&line, 1 << 20);
    watch_harmless(&line, text);
    printf("          %-12s %s\n", name, buf_string(&line));
    buf_release(&line);
}

static void print_account(const struct account *x)
{
    if (*x->expected)
        print_line("expected", x->expected);
    if (*x->observed)
        print_line("then", x->observed);
    print_line("now", x->now);
    print_line("difference", x->difference ? x->difference : "none, every step went as then");
    print_line("left over", *x->left ? x->left : "nothing");
}

static void print_result(const struct replay *r, const struct finding *f, const struct account *x, enum finding_state state, int failed,
                         int run)
{
    if (!cli_flag(r->args, "json")) {
        printf("%.8s  %s  %d of %d runs failed  %-11s  %s%s\n", f->signature, failed ? "STILL FAILS" : "passes     ", failed,
               run, finding_state_name(state), f->text, f->suppressed ? "  (suppressed)" : "");
        if (run)
            print_account(x);
        return;
    }
    struct arena a;
    arena_init(&a);
    struct json *o = json_new(&a, JSON_OBJECT);
    json_set(&a, o, "signature", json_text(&a, f->signature));
    json_set(&a, o, "text", json_text(&a, f->text));
    json_set(&a, o, "state", json_text(&a, finding_state_name(state)));
    json_set(&a, o, "n_failed", json_integer(&a, failed));
    json_set(&a, o, "n_run", json_integer(&a, run));
    json_set(&a, o, "suppressed", json_bool(&a, f->suppressed));
    json_set(&a, o, "expected", json_text(&a, x->expected));
    json_set(&a, o, "observed", json_text(&a, x->observed));
    json_set(&a, o, "now", json_text(&a, x->now));
    json_set(&a, o, "difference", x->difference ? json_text(&a, x->difference) : json_new(&a, JSON_NULL));
    json_set(&a, o, "left", json_text(&a, x->left));
    struct buf line;
    buf_init(&line, 1 << 20);
    json_write(&line, o, JSON_COMPACT);
    buf_add_byte(&line, '\n');
    cli_out(r->verb, buf_bytes(&line));
    buf_release(&line);
    arena_release(&a);
}

/* 0: passes; EXIT_FOUND: still fails; else an exit status of trouble. */
static int replay_one(const struct replay *r, const struct finding *f)
{
    struct error *err = NULL;
    struct task *task = NULL;
    struct target *target = NULL;
    int failed = 0, run = 0;
    if (task_read(r->ops, bytes_of_string(f->task), f->signature, &task, &err) < 0)
        return cli_fail(r->verb, err);
    int status = cli_target_of(r->verb, r->args, r->settings, r->ops, r->store, f, &target);
    enum finding_state state = f->state;
    store_keep_secret(r->store, cli_secrets());
    struct account account;
    account_init(&account, f);
    const struct loop_view view = {take_run, &account};
    if (!status &&
        (loop_replay_seen(target, task, f->signature, r->runs, r->settings, cli_stop(), &view, &failed, &run, &err) < 0 ||
         (run && store_retested(r->store, f->signature, failed, run, &state, &err) < 0)))
        status = cli_fail(r->verb, err);
    if (!status) {
        print_result(r, f, &account, state, failed, run);
        status = failed && !f->suppressed ? EXIT_FOUND : EXIT_CLEAN;
    }
    arena_release(&account.arena);
    target_free(target);
    task_free(task);
    return status;
}

static int replay_listed(const struct replay *r, const char *prefix)
{
    struct arena a;
    arena_init(&a);
    struct finding *findings = NULL;
    size_t count = 0;
    int status = cli_findings(r->verb, r->store, prefix, &a, &findings, &count);
    suppressions_mark(r->suppress, findings, count, clock_wall_ms());
    const struct user_checks *checks;
    if (!status)
        status = cli_checks(r->verb, r->args, &checks);
    for (size_t i = 0; i < count && status <= EXIT_FOUND && !*cli_stop(); i++) {
        if (cli_lacks_check(r->verb, &findings[i])) {
            status = prefix ? EXIT_USAGE : status;
            continue;
        }
        int one = replay_one(r, &findings[i]);
        status = one > status ? one : status;
    }
    arena_release(&a);
    return *cli_stop() ? EXIT_SIGNAL + *cli_stop() : status;
}

static int run_replay(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct ops *ops = NULL;
    bool all = cli_flag(args, "all");
    if (all ? args->word_count != 0 : args->word_count != 1)
        return cli_usage_fault(v, "expected one SIGNATURE, or --all");
    int status = cli_settings(v, args, &settings);
    uint64_t runs = status ? 0 : (uint64_t)settings_int(&settings, "confirm.runs");
    if (!status)
        status = cli_unsigned(v, args, "runs", &runs);
    if (!status && (runs < 1 || runs > 1000))
        status = cli_usage_fault(v, "--runs: expected 1 to 1000");
    if (!status)
        status = cli_ops(v, &ops);
    if (status)
        return status;
    struct replay r = {.verb = v, .args = args, .settings = &settings, .ops = ops, .runs = (int)runs};
    struct error *err = NULL;
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
        status = cli_suppressions(v, args, r.store, true, &r.suppress);
    if (!status) {
        cli_catch_signals();
        status = replay_listed(&r, all ? NULL : args->words[0]);
    }
    suppressions_free(r.suppress);
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
               "regressed. A suppressed one is tried too, but its failing is no failure.",
    .options = options,
    .run = run_replay,
};
