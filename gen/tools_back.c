/* What is given to a tool and asked back by another: whole numbers that no double holds, and text beyond ASCII. Where tools take
 * statements in SQL, a table is made, filled and read; else a free text or a number among the drawn arguments is replaced. */
#include <string.h>

#include "gen/task_internal.h"
#include "gen/tools_internal.h"

static const char *const numbers[] = {"9007199254740993", "9007199254740991", "9223372036854775807", "2574604874062343519", "-9007199254740993"};
static const char *const texts[] = {"gr\303\274\303\237e an alle", "\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82, world", "a \xf0\x9f\x98\x80 and a half",
                                    "caf\x65\xcc\x81 menu", "order 9007199254740993 of 2", "id 2574604874062343519"};

enum { NUMBERS = sizeof numbers / sizeof *numbers, TEXTS = sizeof texts / sizeof *texts };

/* --- statements --- */

/* The property of a tool that takes a statement; NULL. */
static const struct json *statement_of(const struct tool *tool)
{
    const struct json *properties = json_get(tool->input, "properties");
    bool speaks = schema_name_has(tool->description, "sql|table|database") || schema_name_has(tool->name, "sql|table");
    for (const struct json *one = json_is(properties, JSON_OBJECT) ? properties->first : NULL; one; one = one->next) {
        bool text = bytes_equal_string(json_as_text(json_get(one, "type")), "string");
        if (text && (schema_name_has(one->key, "sql") || (speaks && schema_name_has(one->key, "query|statement"))))
            return one;
    }
    return NULL;
}

/* The first tool of SQL whose name has one of the words, or else the first of SQL; NULL. */
static const struct tool *tool_for(const struct toolset *t, const char *words)
{
    const struct tool *any = NULL;
    for (size_t i = 0; i < t->count; i++) {
        if (!statement_of(&t->items[i]))
            continue;
        if (schema_name_has(t->items[i].name, words))
            return &t->items[i];
        any = any ? any : &t->items[i];
    }
    return any;
}

static bool add_statement(struct making *m, const struct tool *tool, const char *statement, struct buf *said)
{
    struct arena *a = &m->task->arena;
    struct schema_value drawn;
    schema_draw(m->tools->book, tool->input, SCHEMA_VALID, &m->chooser, a, &drawn);
    if (!json_is(drawn.value, JSON_OBJECT))
        return false;
    drawn.place_count = 0; /* what is in them may be gone */
    struct json *old = json_get_bytes(drawn.value, statement_of(tool)->key);
    if (old)
        json_replace(old, json_text(a, statement));
    else
        json_set_bytes(a, drawn.value, statement_of(tool)->key, json_text(a, statement));
    return tools_add_step(m, tool, &drawn, false, said);
}

static bool add_statements(struct making *m, struct buf *said)
{
    const struct tool *create = tool_for(m->tools, "create|execute|write"), *insert = tool_for(m->tools, "write|insert|execute"),
                      *select = tool_for(m->tools, "read|select|get");
    const char *number = numbers[chooser_uniform(&m->chooser, SITE_BACK, NUMBERS)];
    struct arena *a = &m->task->arena;
    return create && add_statement(m, create, "create table if not exists kept_numbers (n integer)", said) &&
           add_statement(m, insert, arena_printf(a, "insert into kept_numbers (n) values (%s)", number), said) &&
           add_statement(m, select, "select n from kept_numbers", said);
}

/* --- any other tools --- */

/* Something else for this place, where its schema does not say no; NULL. */
static struct json *telling(struct making *m, const struct schema_place *p)
{
    struct arena *a = &m->task->arena;
    if (json_is(p->value, JSON_STRING) && p->free_text)
        return json_text(a, texts[chooser_uniform(&m->chooser, SITE_BACK, TEXTS)]);
    if (json_is(p->value, JSON_NUMBER))
        return json_raw(a, bytes_of_string(numbers[chooser_uniform(&m->chooser, SITE_BACK, NUMBERS)]));
    return NULL;
}

/* Changes what can be changed in arguments that were drawn; how many places. */
static size_t make_telling(struct making *m, const struct tool *tool, struct schema_value *drawn)
{
    size_t changed = 0;
    for (size_t i = 0; i < drawn->place_count; i++) {
        struct json *old = drawn->places[i].value, *new = old->parent ? telling(m, &drawn->places[i]) : NULL;
        if (!new)
            continue;
        struct json *before = json_copy(&m->task->arena, old);
        json_replace(old, new);
        if (schema_check(m->tools->book, tool->input, tool->input, drawn->value) == SCHEMA_REJECTS)
            json_replace(new, before);
        else
            changed++;
    }
    drawn->place_count = 0;
    return changed;
}

bool tools_add_back(struct making *m, struct buf *said)
{
    const struct tool *maker, *reader;
    struct schema_value made, asked;
    struct arena *a = &m->task->arena;
    if (tool_for(m->tools, ""))
        return add_statements(m, said);
    if (!tools_choose_pair(m, &maker, &reader))
        return false;
    schema_draw(m->tools->book, maker->input, SCHEMA_VALID, &m->chooser, a, &made);
    schema_draw(m->tools->book, reader->input, SCHEMA_VALID, &m->chooser, a, &asked);
    bool objects = json_is(made.value, JSON_OBJECT) && json_is(asked.value, JSON_OBJECT);
    return objects && make_telling(m, maker, &made) && tools_add_step(m, maker, &made, false, said) &&
           tools_add_step(m, reader, &asked, false, said);
}
