/* fuzz: the loop, until it is stopped. */
#include "cli/campaign.h"
#include "cli/observe_options.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "cli/watch.h"
#include "exec/oracle/feedback.h"

static const struct cli_option own[] = {
    OBSERVE_OPTIONS,
    {"features", 0, "LIST", "what counts as new: domains of features, -NAME for all but that one (default all; see --help)"},
    {0},
};

/* Into a set; 0: all. */
static int features_of_args(const struct verb *v, const struct cli_args *args, uint64_t *set)
{
    const char *list = cli_value(args, "features");
    struct error *err = NULL;
    if (list && feedback_parse(list, set, &err) < 0) {
        int status = cli_usage_fault(v, "--features: %s", err->text);
        error_free(err);
        return status;
    }
    return list && !*set ? cli_usage_fault(v, "--features: '%s' leaves none", list) : 0;
}

static int run_fuzz(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct ops *ops = NULL;
    struct target *target = NULL;
    struct cli_generate g = {0};
    struct cli_tools tools = {0};
    struct cli_seeds seeds = {0};
    if (args->word_count)
        return cli_usage_fault(v, "'%s' is not expected here", args->words[0]);
    uint64_t features = 0;
    int status = features_of_args(v, args, &features);
    if (!status)
        status = cli_settings(v, args, &settings);
    if (!status)
        status = cli_ops(v, &ops);
    if (!status)
        status = cli_generate(v, args, &settings, ops, "all", &g);
    if (!status)
        status = cli_seeds(v, args, ops, &seeds);
    if (!status)
        status = cli_target(v, args, &settings, ops, NULL, &target);
    if (!status)
        status = cli_tools_open(v, cli_tools_wish(args), target, g.domains.count, &tools);
    if (!status) {
        dictionary_add_schemas(seeds.words, buf_bytes(&tools.list));
        struct campaign c = {
            .verb = v,
            .args = args,
            .settings = &settings,
            .ops = ops,
            .target = target,
            .generate = &g,
            .tools = &tools,
            .seeds = &seeds,
            .resume = true,
            .feed_back = true,
            .features = features,
        };
        status = campaign_run(&c);
    }
    cli_tools_release(&tools);
    target_free(target);
    cli_seeds_release(&seeds);
    cli_generate_release(&g);
    ops_free(ops);
    return status;
}

static const struct cli_option *const options[] = {options_target, options_campaign, own,           options_seeds,
                                                   options_watch,  options_generate, options_common, NULL};

const struct verb verb_fuzz = {
    .name = "fuzz",
    .usage = "--target SPEC [OPTION]… | [OPTION]… -- COMMAND",
    .summary = "make, mutate and run tasks against a target until stopped",
    .details = "Makes tasks, runs each in a fresh session of the target, compares what it says with what witnesses see, keeps the\n"
               "tasks that showed something new and mutates them. A fault is run again in fresh sessions before it is reported\n"
               "(confirmed: at least 3 of 5). Everything is kept in the database; the next fuzz of the same seed and domains goes\n"
               "on where this one ended. Runs for ever unless --time, --runs, --until-stable or --count says otherwise; all domains unless --domain does, and\n"
               "where an MCP server has tools that their ops do not reach, calls of its own tools, made from their JSON Schemas: half\n"
               "of the tasks where that is most of it, else as many as a domain's (--tools: half always).\n"
               "What is new is told by features, of these domains: outcome, code, shape-in, flow, sequence, shape-out, size, time,\n"
               "resources, syscalls, fs-delta, differential, message, log, trace, fault, leftover, tripwire, code-coverage. A feature counts when\n"
               "it shows again in fresh sessions, for which feedback.again-share of the time is spent; 'taskgen explain' says which did.",
    .options = options,
    .run = run_fuzz,
};
