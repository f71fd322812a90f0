/* Building the map: every op row is tried with every tool, the surest attempt is kept; see map.h.
 *
 * Cost: rows x tools short string comparisons, a few milliseconds for a hundred tools. */
#include "exec/target/map.h"

#include <stdlib.h>
#include <string.h>

#include "exec/target/map_internal.h"
#include "exec/target/profile.h"

enum { CANDIDATES_MAX = 1024, CHOICES_MAX = 32, DESCRIPTION_WORDS = 6 };

struct candidates {
    struct map_candidate *items;
    size_t count;
};

static struct map_candidate *add_candidate(struct candidates *c, const struct mcp_tool *tool)
{
    if (c->count == CANDIDATES_MAX)
        return NULL;
    c->items[c->count] = (struct map_candidate){.tool = tool, .words = tool->words};
    return &c->items[c->count++];
}

/* A tool that does several things has a required parameter that says which: each of its values is a
 * candidate. */
static void add_choices(struct candidates *c, const struct mcp_tool *tool, struct arena *a)
{
    static const struct word_pattern selectors[] = {
        {1, "command|action|operation|op|method|verb|mode name|type?"}};
    const struct json *properties = schema_properties(tool->input, tool->input);
    for (const struct json *one = properties ? properties->first : NULL; one; one = one->next) {
        struct words words;
        words_split(&words, one->key);
        const struct json *values = schema_values(tool->input, one, a);
        if (!values || values->count > CHOICES_MAX || !schema_requires(tool->input, one->key) ||
            words_match(&words, selectors, 1, 1, "", "") < .99)
            continue;
        for (const struct json *value = values->first; value; value = value->next) {
            struct map_candidate *candidate = json_is(value, JSON_STRING) ? add_candidate(c, tool) : NULL;
            if (!candidate)
                continue;
            words_split(&candidate->words, value->text);
            bool tabs = words_have(&tool->words, "tab|page|window") && candidate->words.count < WORDS_MAX;
            if (tabs && !words_have(&candidate->words, "tab|page|window"))
                memcpy(candidate->words.word[candidate->words.count++], "tab", sizeof "tab");
            bool files = words_have(&tool->words, "file|editor|edit|filesystem|fs|document") &&
                         candidate->words.count < WORDS_MAX;
            if (files && !words_have(&candidate->words, "file|dir|directory|folder"))
                memcpy(candidate->words.word[candidate->words.count++], "file", sizeof "file");
            candidate->selector = one->key;
            candidate->choice = json_copy(a, value);
        }
        return;
    }
}

static bool names_any(const struct mcp_tools *tools, const struct mcp_tool *tool, const struct op_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (words_match(&tool->words, rows[i].names, rows[i].name_count, .12, tools->prefix,
                        rows[i].strange) > 0)
            return true;
    return false;
}

static bool names_any_op(const struct mcp_tools *tools, const struct mcp_tool *tool)
{
    size_t count, page_count;
    const struct op_row *rows = op_rows(&count), *page_rows = op_page_rows(&page_count);
    return names_any(tools, tool, rows, count) || names_any(tools, tool, page_rows, page_count);
}

/* A name that says nothing: the first words of the description stand for it. */
static void add_described(struct candidates *c, const struct mcp_tools *tools, const struct mcp_tool *tool)
{
    if (!tool->description.len || names_any_op(tools, tool))
        return;
    struct map_candidate *candidate = add_candidate(c, tool);
    if (!candidate)
        return;
    words_split(&candidate->words, bytes_slice(tool->description, 0, 120));
    if (candidate->words.count > DESCRIPTION_WORDS)
        candidate->words.count = DESCRIPTION_WORDS;
    candidate->from_description = true;
}

static void find_candidates(struct candidates *c, const struct mcp_tools *tools, struct arena *a)
{
    *c = (struct candidates){.items = xcalloc(CANDIDATES_MAX, sizeof *c->items)};
    for (size_t i = 0; i < tools->count; i++) {
        const struct mcp_tool *tool = &tools->items[i];
        if (tool->refused)
            continue;
        add_candidate(c, tool);
        add_choices(c, tool, a);
        add_described(c, tools, tool);
    }
}

/* Keeps the surer of two; of nothing but failures, the reason that came first. */
static void keep_better(struct op_map *kept, const struct map_attempt *attempt, bool fits, struct arena *a)
{
    if (!fits) {
        if (!kept->tool && !kept->why && attempt->failure)
            kept->why = arena_printf(a, "%s: %s", attempt->candidate->tool->label, attempt->failure);
        return;
    }
    if (kept->tool && kept->sure >= attempt->map.sure)
        return;
    const struct op *op = kept->op;
    *kept = attempt->map;
    kept->op = op;
}

static void try_row(struct tool_map *m, const struct mcp_tools *tools, const struct op_row *row,
                    const struct op *op, const struct candidates *candidates)
{
    struct op_map *kept = row->binary ? &m->binary[op->index] : &m->text[op->index];
    struct map_attempt *attempt = xmalloc(sizeof *attempt);
    for (size_t i = 0; i < candidates->count; i++) {
        memset(attempt, 0, sizeof *attempt);
        attempt->arena = &m->arena;
        attempt->op = op;
        attempt->row = row;
        attempt->candidate = &candidates->items[i];
        attempt->prefix = tools->prefix;
        bool fits = map_attempt(attempt);
        keep_better(kept, attempt, fits, &m->arena);
    }
    free(attempt);
}

/* What is not sure enough is not used; the reason stays. */
static void drop_unsure(struct tool_map *m, struct op_map *map)
{
    if (map->tool && map->sure * 100 < MAP_SURE_PERCENT) {
        map->why = arena_printf(&m->arena, "%s: only %.2f sure", map->tool->label, map->sure);
        map->tool = NULL;
        map->arguments = NULL;
    }
    if (map->sure > 1)
        map->sure = 1;
}

/* Words that say where a tool works. */
static const char *const worlds[] = {"sandbox", "container", "vm", "virtual", "remote", "local", "workspace", "host"};

static void count_world(const struct op_map *map, const char *world, size_t counts[2])
{
    if (map->tool)
        counts[words_have(&map->tool->words, world)]++;
}

static void leave_world(struct tool_map *m, struct op_map *map, const char *world, bool in)
{
    if (!map->tool || words_have(&map->tool->words, world) == in)
        return;
    map->why = arena_printf(&m->arena, "%s: works elsewhere than the other tools (%s)", map->tool->label, world);
    map->tool = NULL;
    map->arguments = NULL;
}

/* All ops must work in one place: a server may have tools of one kind for two, whose files do not meet. The place with
 * fewer ops is given up. */
static void keep_one_world(struct tool_map *m)
{
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        size_t counts[2] = {0, 0};
        for (size_t i = 0; i < m->count; i++) {
            count_world(&m->text[i], worlds[w], counts);
            count_world(&m->binary[i], worlds[w], counts);
        }
        bool in = counts[1] > counts[0];
        for (size_t i = 0; counts[0] && counts[1] && i < m->count; i++) {
            leave_world(m, &m->text[i], worlds[w], in);
            leave_world(m, &m->binary[i], worlds[w], in);
        }
    }
}

static const struct op *row_op(const struct tool_map *m, const struct ops *ops, const char *name)
{
    for (size_t i = m->vocabulary; i < m->count; i++)
        if (strcmp(m->text[i].op->name, name) == 0)
            return m->text[i].op;
    return ops_find(ops, name);
}

static void try_rows(struct tool_map *m, const struct mcp_tools *tools, const struct ops *ops,
                     const struct candidates *candidates, const struct op_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct op *op = row_op(m, ops, rows[i].op);
        if (op)
            try_row(m, tools, &rows[i], op, candidates);
    }
}

/* Without a tool that loads pages there is no browser, whatever else may look like one. */
static void keep_browsers(struct tool_map *m, const struct ops *ops)
{
    const struct op *navigate = ops_find(ops, "navigate");
    if (!navigate || m->text[navigate->index].tool)
        return;
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->text[i].op->group, "browser") == 0)
            m->text[i] = (struct op_map){.op = m->text[i].op};
}

static void map_automatically(struct tool_map *m, const struct mcp_tools *tools, const struct ops *ops)
{
    struct candidates candidates;
    find_candidates(&candidates, tools, &m->arena);
    size_t count;
    const struct op_row *rows = op_rows(&count);
    try_rows(m, tools, ops, &candidates, rows, count);
    rows = op_page_rows(&count);
    try_rows(m, tools, ops, &candidates, rows, count);
    free(candidates.items);
    for (size_t i = 0; i < m->count; i++) {
        drop_unsure(m, &m->text[i]);
        drop_unsure(m, &m->binary[i]);
    }
    keep_one_world(m);
    keep_browsers(m, ops);
}

void tool_map_init(struct tool_map *m, const struct mcp_tools *tools, const struct ops *ops,
                   const struct profile *profile)
{
    size_t helper_count;
    *m = (struct tool_map){.vocabulary = ops_count(ops)};
    arena_init(&m->arena);
    const struct op *helpers = map_helpers(&m->arena, ops, m->vocabulary, &helper_count);
    m->count = m->vocabulary + helper_count;
    m->text = arena_alloc(&m->arena, m->count * sizeof *m->text);
    m->binary = arena_alloc(&m->arena, m->count * sizeof *m->binary);
    for (size_t i = 0; i < m->count; i++) {
        m->text[i].op = m->binary[i].op = i < m->vocabulary ? ops_at(ops, i) : &helpers[i - m->vocabulary];
        m->binary[i].binary = true;
    }
    map_automatically(m, tools, ops);
    if (profile)
        profile_apply(profile, m, tools);
    for (size_t i = 0; i < m->count; i++)
        m->mapped += (m->text[i].tool != NULL) + (m->binary[i].tool != NULL);
}

void tool_map_release(struct tool_map *m)
{
    arena_release(&m->arena);
    *m = (struct tool_map){0};
}

const struct op_map *tool_map_find(const struct tool_map *m, const struct op *op, bool binary)
{
    if (op->index >= m->count)
        return NULL;
    const struct op_map *map = binary ? &m->binary[op->index] : &m->text[op->index];
    return map->tool ? map : NULL;
}

const struct op *tool_map_helper(const struct tool_map *m, const char *name)
{
    for (size_t i = m->vocabulary; i < m->count; i++)
        if (m->text[i].tool && strcmp(m->text[i].op->name, name) == 0)
            return m->text[i].op;
    return NULL;
}
