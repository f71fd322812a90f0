/* --target SPEC or "-- COMMAND", and how to start it. */
#include "cli/target_options.h"

#include "base/bytes.h"
#include "base/encode.h"
#include "base/ini_file.h"
#include "exec/target/given.h"
#include "exec/target/mcp_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 64 };

const struct cli_option options_target[] = {
    {"target", 't', "SPEC", "mcp:COMMAND, http://…, exec:PREFIX, ssh:HOST, local, cdp:chromium, plugin:COMMAND or demo; 'taskgen targets' explains them"},
    {"profile", 0, "FILE", "which tool does which op, where names and schemas do not tell"},
    {"mcp-config", 0, "FILE", "the target is a server of this file (JSON with mcpServers or servers)"},
    {"server", 0, "NAME", "which of them, where there are several"},
    {"env", 'e', "NAME[=VALUE]", "a variable for the target; NAME alone: with our value; repeats; ${VAR} {root} {home} {port} {db} {site} expand"},
    {"env-file", 0, "FILE", "such variables, NAME=VALUE or NAME a line, taken as they stand; repeats"},
    {"start", 0, "CMD", "start this in the box first, once per session; {port} is free there"},
    {"ready", 0, "URL|TEXT", "wait until the URL takes connections or the text stands in its output (default: the target's URL)"},
    {"stop", 0, "CMD", "ends what --start began (default: SIGTERM)"},
    {"header", 0, "NAME: VALUE|@FILE", "a header of HTTP requests, or a file of them; repeats; ${VAR} is taken from the environment"},
    {"bearer", 0, "TOKEN", "the header Authorization: Bearer TOKEN, as in --bearer '${TOKEN}'"},
    {"bearer-file", 0, "FILE", "likewise; the token is what the file holds"},
    {"cacert", 0, "FILE", "certificates to trust, for https"},
    {"insecure", 'k', NULL, "take any certificate, for https"},
    {"era", 0, "ERA", "of MCP: auto (ask server/discover first, once), old (initialize) or modern (2026-07-28, stateless)"},
    {"cwd", 0, "DIR", "working directory of the target (default {root})"},
    {"checks", 0, "FILE", "checks of your own: patterns that what steps give must match, or must not, and commands (INI, docs/findings.md)"},
    {"check", 0, "NAME=COMMAND", "one by command: each step's record on its standard input, status 1 when it finds fault; repeats"},
    {"rules", 0, "FILE", "how texts are made the same from run to run (docs/normalise.md; default: the rules that ship)"},
    {"policy", 0, "FILE", "what the sandbox promises (INI, docs/policy.md): what depends on it is a finding then, or right, and no note"},
    {"offer", 0, "LIST", "what an MCP server may ask of us: roots, sampling, elicitation, with commas; all; none (default)"},
    {"tool", 0, "GLOB", "use only these tools; repeats"},
    {"exclude-tool", 0, "GLOB", "never use these tools; repeats"},
    {"site", 0, "URL", "the fixture web site is served there (taskgen site), for browsers elsewhere; without it each session has its own"},
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
    if (!o->allow_destructive && target_lists_tools(target)) /* others have no tools that could be marked */
        fprintf(stderr, "taskgen %s: without a box, tools that are marked destructive are left out (--allow-destructive)\n",
                v->name);
}

/* The values of an option that repeats, each handed to `take`. */
static int each_given(const struct cli_args *args, const char *option, struct given *g,
                      int (*take)(struct given *, const char *, struct error **), struct error **err)
{
    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option->name, option) == 0)
            TRY(take(g, args->given[i].value, err));
    return 0;
}

/* Files before single variables, so that these win. */
static int read_given(const struct cli_args *args, struct given *g, struct error **err)
{
    TRY(each_given(args, "env-file", g, given_env_file, err));
    TRY(each_given(args, "env", g, given_env, err));
    TRY(each_given(args, "header", g, given_header, err));
    TRY(each_given(args, "bearer", g, given_bearer, err));
    return each_given(args, "bearer-file", g, given_bearer_file, err);
}

/* Which target, told apart by where it stands. */
struct chosen {
    char *spec; /* owned */
    struct mcp_config config;
};

static int choose(const struct verb *v, const struct cli_args *args, const char *fallback, struct given *g, struct chosen *c)
{
    const char *given = cli_value(args, "target"), *file = cli_value(args, "mcp-config"), *server = cli_value(args, "server");
    struct error *err = NULL;
    if ((given != NULL) + (args->command != NULL) + (file != NULL) > 1)
        return cli_usage_fault(v, "more than one target was given, expected one of --target, --mcp-config and a command after '--'");
    if (server && !file)
        return cli_usage_fault(v, "--server: found no --mcp-config FILE that it stands in");
    if (file) {
        if (mcp_config_read(file, server, g, &c->config, &err) < 0)
            return cli_fail(v, err);
        c->spec = xstrdup(c->config.spec);
        return 0;
    }
    if (args->command && args->command_count)
        c->spec = spec_of_command(args);
    else if (given || fallback)
        c->spec = xstrdup(given ? given : fallback);
    if (!c->spec)
        return cli_usage_fault(v, "no target, expected --target SPEC, --mcp-config FILE or '-- COMMAND' of an MCP server");
    given_url(g, c->spec);
    return 0;
}

static void say_warnings(const struct verb *v, const struct given *g)
{
    for (size_t i = 0; i < g->warnings.count; i++)
        fprintf(stderr, "taskgen %s: warning: %s\n", v->name, g->warnings.items[i]);
}

static int read_era(const struct verb *v, const struct cli_args *args, enum target_era *era)
{
    static const char *const names[] = {
        [TARGET_ERA_AUTO] = "auto", [TARGET_ERA_OLD] = "old", [TARGET_ERA_MODERN] = "modern"};
    const char *given = cli_value(args, "era");
    for (size_t i = 0; given && i < sizeof names / sizeof *names; i++) {
        if (strcmp(given, names[i]) != 0)
            continue;
        *era = (enum target_era)i;
        return 0;
    }
    return given ? cli_usage_fault(v, "--era: found '%s', expected auto, old or modern", given) : 0;
}

static int take_policy(void *user, const char *section, const char *key, const char *value, struct error **err)
{
    return policy_set(user, section, key, value, err);
}

/* *policy stays as it is when no file is given. */
static int read_policy(const struct verb *v, const struct cli_args *args, struct policy *store, const struct policy **policy)
{
    struct error *err = NULL;
    const char *file = cli_value(args, "policy");
    if (!file)
        return 0;
    if (ini_file_read(file, take_policy, store, &err) < 0)
        return cli_fail(v, err);
    *policy = store;
    return 0;
}

static int make_target(const struct verb *v, const struct cli_args *args, const struct settings *settings, const struct ops *ops,
                       const struct chosen *c, const struct given *g, const struct policy *policy, struct target **target)
{
    struct policy given_policy = {0};
    const char *tools[LIST_MAX + 1] = {0}, *excluded[LIST_MAX + 1] = {0}, *cwd = cli_value(args, "cwd");
    cli_values(args, "tool", tools, LIST_MAX);
    cli_values(args, "exclude-tool", excluded, LIST_MAX);
    enum target_era era = TARGET_ERA_AUTO;
    const struct normaliser *rules = NULL;
    if (read_era(v, args, &era) || read_policy(v, args, &given_policy, &policy))
        return EXIT_USAGE;
    const struct user_checks *checks = NULL;
    int status = cli_rules(v, args, &rules);
    if (!status)
        status = cli_checks(v, args, &checks);
    if (status)
        return status;
    struct target_options options = {
        .spec = c->spec,
        .era = era,
        .words = c->config.words,
        .secrets = cli_secrets(),
        .start = cli_value(args, "start"),
        .ready = cli_value(args, "ready"),
        .stop = cli_value(args, "stop"),
        .headers = (const char *const *)g->headers.items,
        .ca_file = cli_value(args, "cacert"),
        .insecure = cli_flag(args, "insecure"),
        .profile = cli_value(args, "profile"),
        .offer = cli_value(args, "offer"),
        .env = (const char *const *)g->env.items,
        .cwd = cwd ? cwd : c->config.cwd,
        .tools = *tools ? tools : NULL,
        .exclude_tools = *excluded ? excluded : NULL,
        .policy = policy,
        .rules = rules,
        .checks = checks,
        .site = cli_value(args, "site"),
        .no_box = cli_flag(args, "no-box"),
        .allow_remote = cli_flag(args, "allow-remote"),
        .allow_destructive = cli_flag(args, "allow-destructive"),
        .settings = settings,
        .ops = ops,
    };
    struct error *err = NULL;
    if (target_new(&options, target, &err) < 0)
        return cli_fail(v, err);
    target_isolate();
    say_wall(v, &options, *target);
    return 0;
}

/* `policy`: what holds when no file is given; NULL: nothing. */
static int choose_and_make(const struct verb *v, const struct cli_args *args, const struct settings *settings, const struct ops *ops,
                           const char *fallback, const struct policy *policy, struct target **target)
{
    struct given g;
    struct chosen c = {0};
    struct error *err = NULL;
    given_init(&g);
    int status = choose(v, args, fallback, &g, &c);
    if (!status && read_given(args, &g, &err) < 0)
        status = cli_fail(v, err);
    cli_keep_secret(g.secrets);
    g.secrets = NULL;
    if (!status) {
        say_warnings(v, &g);
        status = make_target(v, args, settings, ops, &c, &g, policy, target);
    }
    free(c.spec);
    mcp_config_release(&c.config);
    given_release(&g);
    return status;
}

int cli_target(const struct verb *v, const struct cli_args *args, const struct settings *settings, const struct ops *ops,
               const char *fallback, struct target **target)
{
    return choose_and_make(v, args, settings, ops, fallback, NULL, target);
}

int cli_target_of(const struct verb *v, const struct cli_args *args, const struct settings *settings, const struct ops *ops,
                  struct store *store, const struct finding *f, struct target **target)
{
    struct arena a;
    struct error *err = NULL;
    const char *text = NULL;
    struct json *stored = NULL;
    struct policy policy;
    arena_init(&a);
    int status = 0;
    if (store_finding_settings(store, f->signature, &a, &text, &err) < 0 ||
        json_read(&a, bytes_of_string(text), NULL, "settings", &stored, NULL, &err) < 0)
        status = cli_fail(v, err);
    const struct json *stated = json_get(stored, "policy");
    policy_of_json(&policy, stated);
    if (!status)
        status = choose_and_make(v, args, settings, ops, f->target, stated ? &policy : NULL, target);
    arena_release(&a);
    return status;
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
        else if (!strcmp(g->option->name, "header") && *g->value != '@')
            buf_addf(&text, "'%.*s: …'", colon ? (int)(colon - g->value) : 0, g->value);
        else if (!strcmp(g->option->name, "bearer"))
            buf_add_string(&text, "…");
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
