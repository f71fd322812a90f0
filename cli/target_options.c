/* --target SPEC or "-- COMMAND", and how to start it. */
#include "cli/target_options.h"

#include "base/bytes.h"
#include "base/encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 64 };

const struct cli_option options_target[] = {
    {"target", 't', "SPEC", "mcp:COMMAND, exec:PREFIX, ssh:HOST, local, plugin:COMMAND or demo; 'taskgen targets' explains them"},
    {"profile", 0, "FILE", "which tool does which op, where names and schemas do not tell"},
    {"env", 'e', "K=V", "a variable for the target; repeats; {root} {home} {port} {db} expand"},
    {"cwd", 0, "DIR", "working directory of the target (default {root})"},
    {"tool", 0, "GLOB", "use only these tools; repeats"},
    {"exclude-tool", 0, "GLOB", "never use these tools; repeats"},
    {"no-box", 0, NULL, "start the target without the box around it"},
    {"allow-remote", 0, NULL, "the target may be on another machine"},
    {"allow-destructive", 0, NULL, "without the box too, call tools that are marked destructive"},
    {0},
};

/* SPEC of what stands after "--": an MCP server's command line. Owned by the caller. */
static char *spec_of_command(const struct cli_args *args)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    buf_add_string(&text, "mcp:");
    for (size_t i = 0; i < args->command_count; i++) {
        if (i)
            buf_add_byte(&text, ' ');
        shell_word(&text, bytes_of_string(args->command[i]));
    }
    char *spec = xstrdup(buf_string(&text));
    buf_release(&text);
    return spec;
}

/* Says what a missing box means. */
static void say_wall(const struct verb *v, const struct target_options *o, const struct target *target)
{
    const char *why = NULL;
    if (target_boxed(target, &why) || target_beyond(target))
        return;
    if (!o->no_box && why)
        fprintf(stderr, "taskgen %s: no box around the target: %s\n", v->name, why);
    if (!o->allow_destructive)
        fprintf(stderr, "taskgen %s: without a box, tools that are marked destructive are left out (--allow-destructive)\n",
                v->name);
}

int cli_target(const struct verb *v, const struct cli_args *args, const struct settings *settings, const struct ops *ops,
               const char *fallback, struct target **target)
{
    const char *env[LIST_MAX + 1] = {0}, *tools[LIST_MAX + 1] = {0}, *excluded[LIST_MAX + 1] = {0};
    cli_values(args, "env", env, LIST_MAX);
    cli_values(args, "tool", tools, LIST_MAX);
    cli_values(args, "exclude-tool", excluded, LIST_MAX);
    const char *given = cli_value(args, "target");
    if (given && args->command)
        return cli_usage_fault(v, "both --target and a command after '--' were given, expected one of them");
    char *spec = args->command && args->command_count ? spec_of_command(args) : NULL;
    const char *chosen = spec ? spec : given ? given : fallback;
    if (!chosen)
        return cli_usage_fault(v, "no target, expected --target SPEC or '-- COMMAND' of an MCP server");

    struct target_options options = {
        .spec = chosen,
        .profile = cli_value(args, "profile"),
        .env = env,
        .cwd = cli_value(args, "cwd"),
        .tools = *tools ? tools : NULL,
        .exclude_tools = *excluded ? excluded : NULL,
        .no_box = cli_flag(args, "no-box"),
        .allow_remote = cli_flag(args, "allow-remote"),
        .allow_destructive = cli_flag(args, "allow-destructive"),
        .settings = settings,
        .ops = ops,
    };
    struct error *err = NULL;
    int status = target_new(&options, target, &err);
    free(spec);
    if (status < 0)
        return cli_fail(v, err);
    say_wall(v, &options, *target);
    return 0;
}

char *cli_command_text(const struct verb *v, const struct cli_args *args)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    buf_addf(&text, "taskgen %s", v->name);
    for (size_t i = 0; i < args->given_count; i++) {
        const struct cli_given *g = &args->given[i];
        buf_addf(&text, " --%s", g->option->name);
        if (!g->value)
            continue;
        buf_add_byte(&text, ' ');
        const char *equals = strchr(g->value, '=');
        if (!strcmp(g->option->name, "env") && equals)
            buf_addf(&text, "%.*s=…", (int)(equals - g->value), g->value);
        else
            shell_word(&text, bytes_of_string(g->value));
    }
    for (size_t i = 0; i < args->word_count; i++) {
        buf_add_byte(&text, ' ');
        shell_word(&text, bytes_of_string(args->words[i]));
    }
    if (args->command)
        buf_add_string(&text, " --");
    for (size_t i = 0; i < args->command_count; i++) {
        buf_add_byte(&text, ' ');
        shell_word(&text, bytes_of_string(args->command[i]));
    }
    char *copy = xstrdup(buf_string(&text));
    buf_release(&text);
    return copy;
}
