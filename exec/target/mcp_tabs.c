/* Names of tabs; see mcp_tabs.h.
 *
 * Invariant where positions are kept: at[0 … count) are different numbers of ours, in the order of the server's list. */
#include "exec/target/mcp_tabs.h"

#include <stdlib.h>
#include <string.h>

#include "exec/target/page_list.h"

enum { NAME_MAX_BYTES = 4096 };

/* The parameter that a tab is told in says so: "index", "position". */
static bool by_position(const struct tool_map *map)
{
    for (size_t i = 0; i < map->vocabulary; i++) {
        const struct op_map *m = &map->text[i];
        for (const struct json *one = m->tool ? m->arguments->first : NULL; one; one = one->next) {
            struct words words;
            words_split(&words, one->key);
            if (bytes_equal_string(json_as_text(json_get(one, "$arg")), "tab") && words_have(&words, "index|idx|position"))
                return true;
        }
    }
    return false;
}

void mcp_tabs_init(struct mcp_tabs *t, const struct tool_map *map)
{
    *t = (struct mcp_tabs){.positions = by_position(map)};
    buf_init(&t->current, NAME_MAX_BYTES);
    if (!t->positions)
        return;
    t->at = xcalloc(MCP_TABS_MAX, sizeof *t->at);
    t->count = t->next = 1; /* a browser begins with one */
    buf_add_string(&t->current, "0");
}

void mcp_tabs_release(struct mcp_tabs *t)
{
    free(t->at);
    buf_release(&t->current);
}

bool mcp_tabs_asked(const struct op_map *map)
{
    for (const struct json *one = map->tool ? map->arguments->first : NULL; one; one = one->next)
        if (bytes_equal_string(json_as_text(json_get(one, "$arg")), "@tab"))
            return true;
    return false;
}

static ptrdiff_t position_of(const struct mcp_tabs *t, const struct json *handle)
{
    int64_t number;
    for (size_t i = 0; json_as_integer(handle, &number) && i < t->count; i++)
        if (t->at[i] == number)
            return (ptrdiff_t)i;
    return -1;
}

static struct json *current_handle(const struct mcp_tabs *t, struct arena *a)
{
    struct json *value = NULL;
    return t->current.len && json_read(a, buf_bytes(&t->current), NULL, "tab", &value, NULL, NULL) == 0 ? value : NULL;
}

struct json *mcp_tabs_name(const struct mcp_tabs *t, const struct json *handle, struct arena *a)
{
    struct json *current = handle ? NULL : current_handle(t, a);
    handle = handle ? handle : current;
    if (!handle || !t->positions)
        return json_copy(a, handle);
    ptrdiff_t position = position_of(t, handle);
    return position < 0 ? NULL : json_integer(a, position);
}

static void set_current(struct mcp_tabs *t, const struct json *handle)
{
    buf_clear(&t->current);
    if (handle)
        json_write(&t->current, handle, JSON_COMPACT);
    if (t->current.overflow)
        buf_clear(&t->current);
}

/* So many tabs are open. New ones stand at the end; of fewer, nobody knows which have gone. */
static void take_count(struct mcp_tabs *t, size_t count)
{
    if (count < t->count)
        t->count = 0;
    while (t->count < count && t->count < MCP_TABS_MAX)
        t->at[t->count++] = t->next++;
}

/* Our number for a position, which a result says. */
static struct json *handle_at(const struct mcp_tabs *t, const struct json *position, struct arena *a)
{
    int64_t at;
    bool known = json_as_integer(position, &at) && at >= 0 && (size_t)at < t->count;
    return known ? json_integer(a, t->at[at]) : NULL;
}

/* Positions in a result become numbers of ours. */
static void rename_tabs(struct mcp_tabs *t, struct json *result, struct arena *a)
{
    struct json *tabs = json_get(result, "tabs"), *tab = json_get(result, "tab");
    for (struct json *one = tabs ? tabs->first : NULL; one; one = one->next) {
        struct json *named = json_get(one, "tab"), *handle = handle_at(t, named, a);
        if (handle)
            json_replace(named, handle);
    }
    struct json *handle = tab ? handle_at(t, tab, a) : NULL;
    if (handle)
        json_replace(tab, handle);
    else if (tab)
        json_remove(result, tab);
}

static const struct json *current_of(const struct json *tabs)
{
    for (const struct json *one = tabs ? tabs->first : NULL; one; one = one->next)
        if (json_is(json_get(one, "current"), JSON_TRUE))
            return json_get(one, "tab");
    return NULL;
}

static void note_closed(struct mcp_tabs *t, const struct json *handle, struct arena *a)
{
    const struct json *current = current_handle(t, a);
    if (current && handle && json_equal(current, handle))
        set_current(t, NULL);
    ptrdiff_t position = t->positions ? position_of(t, handle) : -1;
    if (position < 0)
        return;
    t->count--;
    memmove(t->at + position, t->at + position + 1, (t->count - (size_t)position) * sizeof *t->at);
}

/* What the answer's own list marks, in names of tasks. */
static void follow_mark(struct mcp_tabs *t, const struct page_line *list, size_t count, struct arena *a)
{
    const struct page_line *line = page_list_current(list, count);
    struct json *number = line ? json_integer(a, line->number) : NULL;
    set_current(t, number && t->positions ? handle_at(t, number, a) : number);
}

void mcp_tabs_note(struct mcp_tabs *t, const char *op, const struct json *args, struct outcome *o, struct arena *a)
{
    struct page_line *list = NULL;
    bool lists = strncmp(op, "tab-", 4) == 0;
    bool ok = o->class == OUTCOME_OK;
    const struct json *tabs = json_get(o->result, "tabs"), *handle = json_get(args, "tab");
    size_t count = lists && ok ? page_list_read(o->raw, a, &list) : 0;
    if (!ok) {
        if (o->class == OUTCOME_TOOL_ERROR && !t->positions)
            set_current(t, NULL); /* it may be that one that is there no more */
        return;
    }
    if (strcmp(op, "tab-close") == 0)
        note_closed(t, handle, a);
    if (t->positions && (tabs || count))
        take_count(t, tabs ? tabs->count : count);
    if (t->positions && o->result)
        rename_tabs(t, o->result, a);
    if (strcmp(op, "tab-open") == 0)
        set_current(t, json_get(o->result, "tab"));
    else if (strcmp(op, "tab-switch") == 0)
        set_current(t, handle);
    else if (strcmp(op, "tab-list") == 0)
        set_current(t, current_of(tabs));
    else if (strcmp(op, "tab-close") == 0 && count)
        follow_mark(t, list, count, a);
}
