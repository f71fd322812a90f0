/* Figures as members of an event of --json; see figures.h and docs/events.md. */
#include "base/json.h"
#include "cli/figures.h"

static void add_findings(const struct figures *f, struct arena *a, struct json *event)
{
    size_t primitives;
    const char *const *names = primitive_names(&primitives);
    struct json *list = json_set(a, event, "by_kind", json_new(a, JSON_ARRAY));
    for (size_t layer = 0; layer < FIGURES_LAYERS; layer++)
        for (size_t primitive = 0; primitive < primitives; primitive++)
            for (size_t state = 0; state < FIGURES_STATES; state++) {
                if (!f->by[layer][primitive][state])
                    continue;
                struct json *row = json_add(list, json_new(a, JSON_OBJECT));
                json_set(a, row, "layer", json_text(a, layer_name((enum layer)layer)));
                json_set(a, row, "primitive", json_text(a, names[primitive]));
                json_set(a, row, "state", json_text(a, finding_state_name((enum finding_state)state)));
                json_set(a, row, "count", json_integer(a, f->by[layer][primitive][state]));
            }
}

static void add_yields(const struct figures_yields *list, const char *name, bool all, struct arena *a, struct json *event)
{
    struct json *array = json_set(a, event, name, json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < list->count && (all || i < FIGURES_BEST); i++) {
        const struct figures_yield *y = &list->items[i];
        struct json *row = json_add(array, json_new(a, JSON_OBJECT));
        json_set(a, row, "name", json_text(a, y->name));
        json_set(a, row, "tried", json_integer(a, y->tried));
        json_set(a, row, "won", json_integer(a, y->won));
        json_set(a, row, "ms", json_integer(a, y->ns / 1000000));
    }
}

void figures_event(const struct figures *f, bool all, struct arena *a, struct json *event)
{
    static const char *const lists[] = {
        [FIGURES_SOURCE] = "sources", [FIGURES_DOMAIN] = "domains", [FIGURES_MUTATOR] = "mutators"};
    const struct figure_row *row;
    for (size_t i = 0; (row = figure_row_at(i)); i++) {
        double value = figure_value(f, row);
        json_set(a, event, row->name, row->real ? json_real(a, value) : json_integer(a, (int64_t)value));
    }
    json_set(a, event, "last_finding", *f->last_title ? json_text(a, f->last_title) : json_new(a, JSON_NULL));
    json_set(a, event, "run", json_integer(a, f->run));
    json_set(a, event, "target", json_text(a, f->target));
    json_set(a, event, "identity", json_text(a, f->identity));
    add_findings(f, a, event);
    for (int kind = 0; kind < FIGURES_KINDS; kind++)
        add_yields(&f->yields[kind], lists[kind], all, a, event);
}
