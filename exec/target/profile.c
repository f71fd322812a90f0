/* Choosing a profile and putting it into a map; reading one is in profile_read.c. */
#include "exec/target/profile.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "exec/target/map_table.h"
#include "exec/target/profile_internal.h"

void profile_free(struct profile *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->op_count; i++)
        for (size_t k = 0; k < p->ops[i].result_count; k++)
            pcre2_code_free(p->ops[i].results[k].pattern);
    arena_release(&p->arena);
    free(p);
}

const char *profile_name(const struct profile *p)
{
    return p->name;
}

bool profile_is_for(const struct profile *p, const struct mcp_tools *tools)
{
    for (size_t i = 0; i < p->tool_count; i++)
        if (!mcp_tools_find(tools, bytes_of_string(p->tools[i])))
            return false;
    return p->tool_count > 0;
}

static int is_xml(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 4, ".xml") == 0;
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int load_from(const char *directory, const char *name, const struct ops *ops, struct profile **profile,
                     struct error **err)
{
    struct buf path;
    buf_init(&path, 1u << 16);
    buf_addf(&path, "%s/%s", directory, name);
    int status = profile_load(buf_string(&path), ops, profile, err);
    buf_release(&path);
    return status;
}

int profile_choose(const char *directory, const struct ops *ops, const struct mcp_tools *tools,
                   struct profile **profile, struct error **err)
{
    *profile = NULL;
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_xml, compare_entries), status = 0;
    for (int i = 0; i < count; i++) {
        if (status == 0 && !*profile) {
            struct profile *loaded = NULL;
            status = load_from(directory, entries[i]->d_name, ops, &loaded, err);
            if (status == 0 && profile_is_for(loaded, tools))
                *profile = loaded;
            else
                profile_free(loaded);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* What the template says about how a run is told. */
static enum run_way way_of(const struct json *arguments)
{
    static const struct {
        const char *special;
        enum run_way way;
    } ways[] = {
        {"@line", RUN_WAY_LINE},
        {"@argv", RUN_WAY_ARGV},
        {"@program", RUN_WAY_ARGV},
        {"@script", RUN_WAY_CODE},
    };
    for (const struct json *one = arguments->first; one; one = one->next)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            if (bytes_equal_string(json_as_text(json_get(one, "$arg")), ways[i].special))
                return ways[i].way;
    return RUN_WAY_NONE;
}

static unsigned languages_of(const struct profile_op *stated, enum run_way way)
{
    if (way == RUN_WAY_CODE || stated->languages)
        return stated->languages;
    size_t count;
    const struct language_row *rows = language_rows(&count);
    unsigned set = 0;
    for (size_t i = 0; i < count && way != RUN_WAY_NONE; i++)
        set |= rows[i].program ? 1u << i : 0;
    return set;
}

static void state_tool(struct op_map *map, const struct profile_op *stated, const struct mcp_tools *tools,
                       struct arena *a, const char *profile)
{
    const struct mcp_tool *tool = mcp_tools_find(tools, bytes_of_string(stated->tool));
    const struct op *op = map->op;
    *map = (struct op_map){.op = op, .binary = stated->binary};
    if (!tool || tool->refused) {
        map->why = arena_printf(a, "%s: %s", stated->tool,
                                tool ? tool->refused : "the server has no such tool");
        return;
    }
    map->tool = tool;
    map->arguments = json_copy(a, stated->arguments);
    map->sure = 1;
    map->why = arena_printf(a, "profile %s", profile);
    map->run_way = way_of(map->arguments);
    map->languages = languages_of(stated, map->run_way);
    map->coding = stated->base64 ? CODING_BASE64 : CODING_TEXT;
    map->limit_known = true;
}

/* Only results or some arguments are stated: the tool stays the one that was found. */
static void amend_tool(struct op_map *map, const struct profile_op *stated, struct arena *a,
                       const char *profile)
{
    if (!map->tool)
        return;
    for (const struct json *one = stated->arguments->first; one; one = one->next) {
        struct json *old = json_get_bytes(map->arguments, one->key);
        if (old)
            json_replace(old, json_copy(a, one));
        else
            json_set_bytes(a, map->arguments, one->key, json_copy(a, one));
        struct bytes arg = json_as_text(json_get(one, "$arg"));
        map->limit_known |= bytes_equal_string(arg, "@timeout") || bytes_equal_string(arg, "@limit");
    }
    if (stated->base64)
        map->coding = CODING_BASE64;
    map->why = arena_printf(a, "%s, profile %s", map->why, profile);
}

void profile_apply(const struct profile *p, struct tool_map *m, const struct mcp_tools *tools)
{
    m->profile = p->name;
    for (size_t i = 0; i < p->op_count; i++) {
        const struct profile_op *stated = &p->ops[i];
        struct op_map *map = stated->binary ? &m->binary[stated->op->index] : &m->text[stated->op->index];
        if (stated->none)
            *map = (struct op_map){.op = map->op, .binary = map->binary,
                                   .why = arena_printf(&m->arena, "profile %s says there is none", p->name)};
        else if (stated->tool)
            state_tool(map, stated, tools, &m->arena, p->name);
        else
            amend_tool(map, stated, &m->arena, p->name);
        if (map->tool)
            map->stated = stated;
    }
}
