/* Tasks of the target's own tools, as far as options and the mix are concerned; see tools_options.h. */
#include "cli/tools_options.h"

#include <stdlib.h>
#include <string.h>

enum {
    DOMAINS_MAX = 64,
    OPS_ENOUGH = 4, /* with fewer ops mapped, the domains say little about the target */
    OTHERS_MANY =
        2, /* tools that no op uses, for each op that is mapped, beyond which tools get half of the tasks */
    LIST_MAX = 64 << 20
};

enum tools_wish cli_tools_wish(const struct cli_args *args)
{
    const char *names[DOMAINS_MAX];
    size_t count = cli_values(args, "domain", names, DOMAINS_MAX), tools = 0;
    for (size_t i = 0; i < count; i++)
        tools += strcmp(names[i], "tools") == 0;
    if (tools)
        return tools == count ? TOOLS_ONLY : TOOLS_ALSO;
    if (cli_flag(args, "tools"))
        return TOOLS_ALSO;
    return count ? TOOLS_NEVER : TOOLS_MAYBE;
}

static bool has_option(const struct verb *v, const char *name)
{
    for (const struct cli_option *const *group = v->options; *group; group++)
        for (const struct cli_option *one = *group; one->name; one++)
            if (strcmp(one->name, name) == 0)
                return true;
    return false;
}

size_t cli_tools_strip(const struct verb *v, const char **names, size_t count)
{
    size_t kept = 0;
    if (!has_option(v, "tools"))
        return count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "tools") != 0)
            names[kept++] = names[i];
    return kept;
}

/* What a first session says. */
struct first_look {
    struct buf list;
    struct target_tools facts;
    bool runs; /* commands, which every op of the files can be lowered to */
    bool damages; /* what it stores in the root can be damaged from this machine */
};

/* Of `period` tasks `share` are of tools. Where no op has a tool, tasks of domains would all be skipped; where some tools have no op,
 * nothing but tasks of tools ever calls those, so they get as many as a domain. */
static void choose_share(enum tools_wish wish, const struct first_look *look, size_t domains,
                         struct cli_tools *tools)
{
    const struct target_tools *facts = &look->facts;
    bool few = (facts->mapped_ops < OPS_ENOUGH && !look->runs) ||
               facts->without_op > OTHERS_MANY * facts->mapped_ops;
    tools->share = 0;
    tools->period = (unsigned)domains + 1;
    if (wish == TOOLS_ONLY || !domains || (!facts->mapped_ops && !look->runs)) {
        tools->share = tools->period = 1;
    } else if (wish == TOOLS_ALSO || few) {
        tools->share = (unsigned)domains;
        tools->period = 2 * (unsigned)domains;
    } else if (facts->without_op) {
        tools->share = 1;
    }
}

static int look_at_tools(const struct verb *v, struct target *target, struct first_look *look)
{
    struct error *err = NULL;
    struct session *session = NULL;
    if (!target_lists_tools(target))
        return 0;
    if (session_open(target, &session, &err) < 0)
        return cli_fail(v, err);
    session_tools(session, &look->list, &look->facts);
    look->runs = session_supports(session, "run:sh");
    look->damages = session_supports(session, "stage:stored");
    session_close(session);
    return 0;
}

static void tell_toolset(struct toolset *set, const struct first_look *look)
{
    if (look->facts.stateless)
        toolset_stateless(set, look->facts.over_http ? TOOLS_OVER_HTTP : TOOLS_OVER_PIPES);
    else if (look->facts.over_http)
        toolset_over_http(set);
    if (look->damages)
        toolset_can_damage(set);
}

int cli_tools_open(const struct verb *v, enum tools_wish wish, struct target *target, size_t domains,
                   struct cli_tools *tools)
{
    struct first_look look = {.runs = false};
    struct error *err = NULL;
    *tools = (struct cli_tools){0};
    if (wish == TOOLS_NEVER)
        return 0;
    buf_init(&look.list, LIST_MAX);
    int status = look_at_tools(v, target, &look);
    if (!status && (look.facts.callable || look.facts.things)) {
        choose_share(wish, &look, domains, tools);
        if (tools->share && toolset_new(buf_bytes(&look.list), &tools->set, &err) < 0)
            status = cli_fail(v, err);
        if (!status && tools->set)
            tell_toolset(tools->set, &look);
    }
    tools->list = look.list;
    if (!status && wish >= TOOLS_ALSO && (!tools->set || !toolset_usable(tools->set))) {
        error_set(&err, ERR_TARGET, "the target has no tools that may be called (%zu listed)",
                  look.facts.listed);
        status = cli_fail(v, err);
    }
    return status;
}

void cli_tools_release(struct cli_tools *tools)
{
    toolset_free(tools->set);
    buf_release(&tools->list);
    tools->set = NULL;
}

char *cli_tools_hash(const struct cli_tools *tools, char *grammar)
{
    if (!tools || !tools->set)
        return grammar;
    struct buf text;
    buf_init(&text, SIZE_MAX);
    buf_addf(&text, "%s%stools:%s", grammar, *grammar ? "," : "", toolset_hash(tools->set));
    free(grammar);
    grammar = xstrdup(buf_string(&text));
    buf_release(&text);
    return grammar;
}
