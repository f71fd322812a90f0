/* targets: what a SPEC can be, and what is known of one. */
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "exec/observe/observer.h"
#include "gen/tools.h"

#include <stdio.h>

static const struct cli_option own[] = {
    {"explain", 0, NULL, "start the target and say which op maps to what, how sure, and what is missing"},
    {0},
};

static const char spec_help[] =
    "mcp:COMMAND LINE   an MCP server over stdio; the same: -- COMMAND LINE\n"
    "mcp+roots:COMMAND  the same, offering it roots; also +sampling, +elicitation, as --offer does\n"
    "http://HOST/PATH   an MCP server over streamable HTTP (https:// too); --start CMD starts it first\n"
    "exec:PREFIX        a command that runs a command, one process a call; exec: alone is the plain box\n"
    "ssh:[USER@]HOST    commands on a host that ssh reaches without a password (--allow-remote)\n"
    "local              the plain box, with what this machine allows\n"
    "cdp:chromium       a Chromium of this machine, over the DevTools protocol; commands and files beside it in the box\n"
    "cdp:ws://HOST/PATH a browser elsewhere (wss:// too); cdp:http://HOST where /json/version says at which address\n"
    "plugin:COMMAND     a driver of your own, which speaks JSON lines (docs/plugins.md)\n"
    "demo[:FAULTS]      leakybox, a small sandbox with planted faults; demo:none has all of them off\n"
    "\n"
    "Words are split as a shell does. {root} {home} {port} {db} {site} become fresh values for each session. Examples:\n"
    "  mcp:mcp-server-filesystem {root}\n"
    "  'exec:bwrap --ro-bind / / --dev /dev --proc /proc --bind {root} {root} --unshare-all --die-with-parent'\n";

static void explain_tools(struct session *session, struct buf *out)
{
    struct target_tools facts;
    struct toolset *tools = NULL;
    struct buf list;
    buf_init(&list, 64 << 20);
    if (session_tools(session, &list, &facts) && (facts.callable || facts.things) && toolset_new(buf_bytes(&list), &tools, NULL) == 0)
        toolset_explain(tools, out);
    toolset_free(tools);
    buf_release(&list);
}

static int explain(const struct verb *v, struct target *target)
{
    static const struct start as_always = {.shared_memory = 0};
    struct error *err = NULL;
    struct session *session = NULL;
    struct observers *observers = NULL;
    if (observers_new(NULL, target, &observers, &err) < 0)
        return cli_fail(v, err);
    struct lookout *lookout = lookout_new(observers);
    struct buf out;
    buf_init(&out, 4 << 20);
    if (session_open_watched(target, &as_always, lookout_hooks(lookout), &session, &err) == 0) {
        buf_addf(&out, "%s\n", target_identity(target));
        session_explain(session, &out);
        explain_tools(session, &out);
        observers_explain(observers, &out);
        lookout_explain(lookout, &out);
    }
    int status = session ? cli_out(v, buf_bytes(&out)) : cli_fail(v, err);
    buf_release(&out);
    session_close(session);
    lookout_free(lookout);
    observers_free(observers);
    return status;
}

static int run_targets(const struct verb *v, struct cli_args *args)
{
    if (!cli_flag(args, "explain"))
        return cli_out(v, bytes_of_string(spec_help));
    struct settings settings;
    struct ops *ops = NULL;
    struct target *target = NULL;
    int status = cli_settings(v, args, &settings);
    if (!status)
        status = cli_ops(v, &ops);
    if (!status)
        status = cli_target(v, args, &settings, ops, NULL, &target);
    if (!status)
        status = explain(v, target);
    target_free(target);
    ops_free(ops);
    return status;
}

static const struct cli_option *const options[] = {own, options_target, options_common, NULL};

const struct verb verb_targets = {
    .name = "targets",
    .usage = "[--explain --target SPEC | --explain -- COMMAND]",
    .summary = "say what a target can be, or explain one",
    .details = "Without options: the forms of a target SPEC. With --explain: starts the target and prints which op maps to which\n"
               "tool or command, how sure that is, and which ops are missing.",
    .options = options,
    .run = run_targets,
};
