/* What the target has stored is damaged between two rounds of the same calls: something is made, something calm is asked, one record is
 * spoiled from outside, perhaps the target is begun anew, and the same is asked and made again. */
#include "gen/task_internal.h"
#include "gen/tools_internal.h"

static const char *const kinds[] = {"line", "line", "cut", "joined", "mark", "empty"};

/* It is told no place, so what it makes is kept where the target itself chooses: in a store of its own. */
static bool keeps_itself(const struct tool *tool)
{
    const struct json *properties = json_get(tool->input, "properties");
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next)
        if (schema_name_has(p->key, "path|file|filename|dir|directory|folder|cwd|destination|uri|url"))
            return false;
    return true;
}

/* A tool that makes something, best one that others read and that keeps it itself; NULL: there is none. */
static const struct tool *choose_maker(struct making *m)
{
    const struct toolset *t = m->tools;
    double *weights = arena_alloc(&m->scratch, t->count * sizeof *weights);
    bool any = false;
    for (size_t i = 0; i < t->count; i++) {
        bool maker = t->items[i].role == TOOL_MAKES && !t->items[i].calm;
        weights[i] = maker;
        for (size_t k = 0; maker && k < t->count; k++)
            if (t->items[k].calm && tools_related(&t->items[i], &t->items[k]))
                weights[i] = keeps_itself(&t->items[i]) ? 12 : 4;
        any = any || maker;
    }
    return any ? &t->items[chooser_weighted(&m->chooser, SITE_TOOL, weights, t->count)] : NULL;
}

/* A calm tool, rather one that speaks of the same things; NULL: there is none. */
static const struct tool *choose_reader(struct making *m, const struct tool *maker)
{
    const struct toolset *t = m->tools;
    double *weights = arena_alloc(&m->scratch, t->count * sizeof *weights);
    bool any = false;
    for (size_t i = 0; i < t->count; i++) {
        weights[i] = t->items[i].calm ? tools_related(maker, &t->items[i]) ? 8 : 1 : 0;
        any = any || t->items[i].calm;
    }
    return any ? &t->items[chooser_weighted(&m->chooser, SITE_WHICH, weights, t->count)] : NULL;
}

bool tools_choose_pair(struct making *m, const struct tool **maker, const struct tool **reader)
{
    *maker = choose_maker(m);
    *reader = *maker ? choose_reader(m, *maker) : NULL;
    return *reader != NULL;
}

bool tools_have_pair(const struct toolset *t)
{
    bool makes = false, calm = false;
    for (size_t i = 0; i < t->count; i++) {
        makes = makes || (t->items[i].role == TOOL_MAKES && !t->items[i].calm);
        calm = calm || t->items[i].calm;
    }
    return makes && calm;
}

static void add_damage(struct making *m, struct buf *said)
{
    struct arena *a = &m->task->arena;
    struct json *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "path", json_text(a, "."));
    json_set(a, args, "kind", json_text(a, kinds[chooser_uniform(&m->chooser, SITE_DAMAGE, sizeof kinds / sizeof *kinds)]));
    task_add_step(m->task, m->damage, args);
    buf_add_string(said, ", then damage what it has stored");
    if (chooser_uniform(&m->chooser, SITE_DAMAGE, 3) == 0 && m->reopen) {
        task_add_step(m->task, m->reopen, json_new(a, JSON_OBJECT));
        buf_add_string(said, " and begin anew");
    }
}

bool tools_add_damage(struct making *m, struct buf *said)
{
    const struct tool *maker, *reader;
    struct arena *a = &m->task->arena;
    struct schema_value made, asked, made_again, asked_again;
    if (!m->damage || !tools_choose_pair(m, &maker, &reader))
        return false;
    schema_draw(m->tools->book, maker->input, SCHEMA_VALID, &m->chooser, a, &made);
    schema_draw(m->tools->book, reader->input, SCHEMA_VALID, &m->chooser, a, &asked);
    if (!json_is(made.value, JSON_OBJECT) || !json_is(asked.value, JSON_OBJECT))
        return false;
    made_again = made;
    asked_again = asked;
    made_again.value = json_copy(a, made.value);
    asked_again.value = json_copy(a, asked.value);
    if (!tools_add_step(m, maker, &made, false, said) || !tools_add_step(m, reader, &asked, false, said))
        return false;
    add_damage(m, said);
    return tools_add_step(m, reader, &asked_again, false, said) && tools_add_step(m, maker, &made_again, false, said);
}
