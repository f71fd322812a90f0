/* --target SPEC or "-- COMMAND", and how to start it. */
#include "cli/target_options.h"

#include "base/bytes.h"
#include "base/encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 64 };

const struct cli_option options_target[] = {
    {"target", 't', "SPEC", "mcp:COMMAND, http://…, exec:PREFIX, ssh:HOST, local, plugin:COMMAND or demo; 'taskgen targets' explains them"},
    {"profile", 0, "FILE", "which tool does which op, where names and schemas do not tell"},
    {"env", 'e', "K=V", "a variable for the target; repeats; {root} {home} {port} {db} expand"},
    {"start", 0, "CMD", "start this in the box first, once per session; {port} is free there"},
    {"ready", 0, "URL|TEXT", "wait until the URL takes connections or the text stands in its output (default: the target's URL)"},
    {"stop", 0, "CMD", "ends what --start began (default: SIGTERM)"},
    {"header", 0, "NAME: VALUE", "a header of HTTP requests; repeats; ${VAR} is taken from the environment"},
    {"cacert", 0, "FILE", "certificates to trust, for https"},
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

/* ${NAME} in a text becomes the variable's value, so that a secret need not stand on the command line. NULL, with a fault
 * told, when a variable is not set or a brace is not closed. Owned by the caller. */
static char *expand_variables(const struct verb *v, const char *option, const char *text, int *status)
{
    struct buf out;
    buf_init(&out, 1 << 20);
    for (const char *at = text; *at && !*status;) {
        const char *end = at[0] == '$' && at[1] == '{' ? strchr(at, '}') : NULL;
        if (!end) {
            buf_add_byte(&out, (uint8_t)*at++);
            continue;
        }
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)(end - at - 2), at + 2);
        const char *value = getenv(name);
        if (value)
            buf_add_string(&out, value);
        else
            *status = cli_usage_fault(v, "--%s: the variable %s is not set", option, name);
        at = end + 1;
    }
    char *copy = *status ? NULL : xstrdup(buf_string(&out));
    buf_release(&out);
    return copy;
}

static int read_headers(const struct verb *v, const struct cli_args *args, char *headers[LIST_MAX + 1])
{
    const char *given[LIST_MAX] = {0};
    size_t count = cli_values(args, "header", given, LIST_MAX);
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        const char *colon = strchr(given[i], ':');
        if (!colon || colon == given[i] || strpbrk(given[i], "\r\n"))
            status = cli_usage_fault(v, "--header: found '%s', expected NAME: VALUE", given[i]);
        else
            headers[i] = expand_variables(v, "header", given[i], &status);
        if (headers[i] && strpbrk(headers[i], "\r\n"))
            status = cli_usage_fault(v, "--header: a variable's value has more than one line");
    }
    return status;
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

    char *headers[LIST_MAX + 1] = {0};
    int faulty = read_headers(v, args, headers);
    struct target_options options = {
        .spec = chosen,
        .start = cli_value(args, "start"),
        .ready = cli_value(args, "ready"),
        .stop = cli_value(args, "stop"),
        .headers = *headers ? (const char *const *)headers : NULL,
        .ca_file = cli_value(args, "cacert"),
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
    int status = faulty ? faulty : target_new(&options, target, &err);
    free(spec);
    for (char **header = headers; *header; header++)
        free(*header);
    if (status)
        return err ? cli_fail(v, err) : status;
    target_isolate();
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
        const char *equals = strchr(g->value, '='), *colon = strchr(g->value, ':');
        if (!strcmp(g->option->name, "env") && equals)
            buf_addf(&text, "%.*s=…", (int)(equals - g->value), g->value);
        else if (!strcmp(g->option->name, "header") && colon)
            buf_addf(&text, "'%.*s: …'", (int)(colon - g->value), g->value);
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
