/* run: tasks once against a target, every result stored. */
#include "cli/campaign.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "cli/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct task_list {
    struct task **items;
    size_t count;
};

static void list_release(struct task_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        task_free(list->items[i]);
    free(list->items);
}

/* All of them before the first is run, so that a bad line costs nothing. */
static int read_tasks(const struct verb *v, FILE *file, const char *name, const struct ops *ops, struct task_list *list)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int status = 0;
    for (unsigned number = 1; !status && (length = getline(&line, &size, file)) >= 0; number++) {
        while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            length--;
        if (!length)
            continue;
        char where[512];
        snprintf(where, sizeof where, "%s:%u", name, number);
        struct task *task = NULL;
        struct error *err = NULL;
        if (task_read(ops, bytes_of(line, (size_t)length), where, &task, &err) < 0) {
            status = cli_fail(v, err);
            break;
        }
        list->items = xrealloc(list->items, (list->count + 1) * sizeof *list->items);
        list->items[list->count++] = task;
    }
    free(line);
    return status;
}

static int read_sources(const struct verb *v, const struct cli_args *args, const struct ops *ops, struct task_list *list)
{
    if (!args->word_count) {
        if (isatty(STDIN_FILENO))
            return cli_usage_fault(v, "no tasks, expected --domain, task files, or JSON Lines on standard input");
        return read_tasks(v, stdin, "standard input", ops, list);
    }
    int status = 0;
    for (size_t i = 0; i < args->word_count && !status; i++) {
        if (!strcmp(args->words[i], "-")) {
            status = read_tasks(v, stdin, "standard input", ops, list);
            continue;
        }
        FILE *file = fopen(args->words[i], "re");
        if (!file)
            return cli_usage_fault(v, "%s: %m", args->words[i]);
        status = read_tasks(v, file, args->words[i], ops, list);
        fclose(file);
    }
    return status;
}

static int run_run(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct ops *ops = NULL;
    struct target *target = NULL;
    struct cli_generate g = {0};
    struct cli_tools tools = {0};
    struct task_list tasks = {0};
    bool tools_alone = cli_flag(args, "tools") && !cli_value(args, "domain");
    bool generated = cli_value(args, "domain") != NULL || tools_alone;
    int status = cli_settings(v, args, &settings);
    if (!status)
        status = cli_ops(v, &ops);
    if (!status && generated)
        status = cli_generate(v, args, &settings, ops, tools_alone ? "tools" : NULL, &g);
    if (!status && (!generated || args->word_count))
        status = read_sources(v, args, ops, &tasks);
    if (!status && generated && !g.count)
        g.count = 10;
    if (!status)
        status = cli_target(v, args, &settings, ops, NULL, &target);
    if (!status && generated)
        status = cli_tools_open(v, tools_alone ? TOOLS_ONLY : cli_tools_wish(args), target, g.domains.count, &tools);
    if (!status) {
        struct campaign c = {
            .verb = v,
            .args = args,
            .settings = &settings,
            .ops = ops,
            .target = target,
            .generate = generated ? &g : NULL,
            .tools = &tools,
            .tasks = tasks.items,
            .task_count = tasks.count,
        };
        status = campaign_run(&c);
    }
    cli_tools_release(&tools);
    target_free(target);
    list_release(&tasks);
    cli_generate_release(&g);
    ops_free(ops);
    return status;
}

static const struct cli_option *const options[] = {options_target, options_campaign, options_watch, options_generate, options_common, NULL};

const struct verb verb_run = {
    .name = "run",
    .usage = "--target SPEC [--domain NAME --count N | FILE…] [OPTION]…",
    .summary = "run tasks once against a target",
    .details = "Runs tasks once, in order: those of --domain and --count, those of the files (JSON Lines; - is standard input),\n"
               "or those on standard input; with --tools or --domain tools calls of the target's own tools. Every result is stored. Faults are run again in fresh sessions before they count.",
    .options = options,
    .run = run_run,
};
