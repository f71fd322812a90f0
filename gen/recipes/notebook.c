/* notebook: a Jupyter notebook (nbformat 4.5) of markdown and Python cells. The code cells work on one number
 * in turn, the last cell prints it. */
#include <inttypes.h>

#include "gen/recipes/recipes.h"

enum { CELLS_MAX = 1000 };

/* The last cell is code, the first of several and every third is markdown. */
static bool is_code(int64_t index, int64_t cells)
{
    return index == cells - 1 || index % 3 != 0;
}

struct step {
    int64_t a, b, m; /* total = (total * a + b) % m */
};

static struct step step_at(const struct json *parameters, int64_t index)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_NOTEBOOK, (uint64_t)index);
    struct step step;
    step.a = rng_range(&rng, 2, 99);
    step.b = rng_range(&rng, 1, 999);
    step.m = rng_range(&rng, 1000, 9999);
    return step;
}

static int64_t first_code(int64_t cells)
{
    return cells > 1;
}

static int64_t start_of(const struct json *parameters)
{
    return step_at(parameters, CELLS_MAX).b;
}

/* What total is after the code cells up to `index`. */
static int64_t total_after(const struct json *parameters, int64_t index)
{
    int64_t cells = recipe_int(parameters, "cells"), total = start_of(parameters);
    for (int64_t i = 0; i <= index; i++)
        if (is_code(i, cells)) {
            struct step step = step_at(parameters, i);
            total = (total * step.a + step.b) % step.m;
        }
    return total;
}

static void add_line(struct json *source, struct arena *a, const char *line)
{
    json_add(source, json_text(a, line));
}

static void put_code(const struct json *parameters, int64_t index, struct json *cell, struct arena *a)
{
    int64_t cells = recipe_int(parameters, "cells");
    bool last = index == cells - 1, run = recipe_bool(parameters, "outputs");
    struct step step = step_at(parameters, index);
    json_set(a, cell, "execution_count", run ? json_integer(a, index + 1) : json_new(a, JSON_NULL));
    struct json *outputs = json_set(a, cell, "outputs", json_new(a, JSON_ARRAY));
    struct json *source = json_set(a, cell, "source", json_new(a, JSON_ARRAY));
    if (index == first_code(cells))
        add_line(source, a, arena_printf(a, "total = %" PRId64 "\n", start_of(parameters)));
    add_line(source, a,
             arena_printf(a, "total = (total * %" PRId64 " + %" PRId64 ") %% %" PRId64 "%s", step.a, step.b,
                          step.m, last ? "\n" : ""));
    if (!last)
        return;
    add_line(source, a, "print(total)");
    if (!run)
        return;
    struct json *output = json_add(outputs, json_new(a, JSON_OBJECT));
    json_set(a, output, "name", json_text(a, "stdout"));
    json_set(a, output, "output_type", json_text(a, "stream"));
    struct json *text = json_set(a, output, "text", json_new(a, JSON_ARRAY));
    add_line(text, a, arena_printf(a, "%" PRId64 "\n", total_after(parameters, index)));
}

static void put_markdown(const struct json *parameters, int64_t index, struct json *cell, struct arena *a)
{
    struct json *source = json_set(a, cell, "source", json_new(a, JSON_ARRAY));
    if (index == 0)
        add_line(source, a, "# A running total");
    else
        add_line(source, a, arena_printf(a, "## Part %" PRId64, index / 3 + 1));
}

static void put_cell(const struct json *parameters, int64_t index, struct json *list, struct arena *a)
{
    bool code = is_code(index, recipe_int(parameters, "cells"));
    struct json *cell = json_add(list, json_new(a, JSON_OBJECT));
    json_set(a, cell, "cell_type", json_text(a, code ? "code" : "markdown"));
    json_set(a, cell, "id", json_text(a, arena_printf(a, "cell-%" PRId64, index + 1)));
    json_set(a, cell, "metadata", json_new(a, JSON_OBJECT));
    if (code)
        put_code(parameters, index, cell, a);
    else
        put_markdown(parameters, index, cell, a);
}

static void put_metadata(struct json *notebook, struct arena *a)
{
    struct json *metadata = json_set(a, notebook, "metadata", json_new(a, JSON_OBJECT));
    struct json *kernel = json_set(a, metadata, "kernelspec", json_new(a, JSON_OBJECT));
    json_set(a, kernel, "display_name", json_text(a, "Python 3"));
    json_set(a, kernel, "language", json_text(a, "python"));
    json_set(a, kernel, "name", json_text(a, "python3"));
    struct json *language = json_set(a, metadata, "language_info", json_new(a, JSON_OBJECT));
    json_set(a, language, "name", json_text(a, "python"));
    json_set(a, notebook, "nbformat", json_integer(a, 4));
    json_set(a, notebook, "nbformat_minor", json_integer(a, 5));
}

static int notebook_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct arena scratch;
    arena_init(&scratch);
    int64_t cells = recipe_int(parameters, "cells");
    struct json *notebook = json_new(&scratch, JSON_OBJECT);
    struct json *list = json_set(&scratch, notebook, "cells", json_new(&scratch, JSON_ARRAY));
    for (int64_t i = 0; i < cells; i++)
        put_cell(parameters, i, list, &scratch);
    put_metadata(notebook, &scratch);
    json_write(out, notebook, JSON_PRETTY);
    buf_add_byte(out, '\n');
    arena_release(&scratch);
    return recipe_made(out, "notebook", err);
}

static struct json *notebook_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t cells = recipe_int(parameters, "cells"), code = 0;
    for (int64_t i = 0; i < cells; i++)
        code += is_code(i, cells);
    if (bytes_equal_string(name, "cells"))
        return json_integer(a, cells);
    if (bytes_equal_string(name, "code-cells"))
        return json_integer(a, code);
    if (bytes_equal_string(name, "markdown-cells"))
        return json_integer(a, cells - code);
    if (bytes_equal_string(name, "kernel"))
        return json_text(a, "python3");
    return bytes_equal_string(name, "answer") ? json_integer(a, total_after(parameters, cells - 1)) : NULL;
}

static int notebook_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"cells", "6", "code and, every third, markdown", RECIPE_INT, 1, CELLS_MAX, NULL},
    {"outputs", "false", "whether it was run: the last cell has its output", RECIPE_BOOL, 0, 0, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"cells", "code-cells", "markdown-cells", "kernel", "answer", NULL};

const struct recipe recipe_notebook = {
    .name = "notebook",
    .doc = "a Jupyter notebook in Python; answer is the number that its last cell prints",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = notebook_make,
    .fact = notebook_fact,
    .utf8 = notebook_utf8,
};
