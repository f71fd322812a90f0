/* The numbers of a tree, and the writing of its files from a language's texts. */
#include "gen/recipes/project_tree.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"

/* No keyword in any of the languages, and none the name of a standard module. */
static const char *const names[PROJECT_MODULES_MAX] = {
    "pricing",  "stock",   "orders",   "invoice",  "shipping", "taxes",   "discount",
    "currency", "margin",  "freight",  "customs",  "storage",  "packing", "returns",
    "credit",   "payroll", "rounding", "interest", "fees",     "budget"};

struct project project_of(const struct json *parameters)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_PROJECT, 0);
    struct project project = {.modules = (size_t)recipe_int(parameters, "modules")};
    size_t language = 0, offset = (size_t)rng_below(&rng, PROJECT_MODULES_MAX);
    while (!bytes_equal_string(recipe_bytes(parameters, "language"), project_language_names[language]))
        language++;
    project.language = &project_languages[language];
    project.start = rng_range(&rng, 1, 999);
    project.buggy = (size_t)rng_below(&rng, project.modules);
    if (!recipe_bool(parameters, "bug"))
        project.buggy = project.modules;
    for (size_t i = 0; i < project.modules; i++) {
        struct project_module *module = &project.chain[i];
        recipe_rng(&rng, parameters, STREAM_PROJECT, i + 1);
        module->name = names[(offset + i) % PROJECT_MODULES_MAX];
        module->a = rng_range(&rng, 2, 99);
        module->b = rng_range(&rng, 1, 999);
        module->m = rng_range(&rng, 1000, 9999);
        module->input = rng_range(&rng, 1, 500);
    }
    return project;
}

static int64_t apply(const struct project_module *module, int64_t x)
{
    return (x * module->a + module->b) % module->m;
}

int64_t project_answer(const struct project *project, bool as_it_stands)
{
    int64_t x = project->start;
    for (size_t i = 0; i < project->modules; i++) {
        struct project_module module = project->chain[i];
        module.b += as_it_stands && i == project->buggy;
        x = apply(&module, x);
    }
    return x;
}

/* --- texts --- */

static void put_name(const char *name, bool rest, struct buf *out)
{
    for (size_t i = 0; name[i]; i++)
        buf_add_byte(out, (uint8_t)(i == 0 || rest ? toupper((unsigned char)name[i]) : name[i]));
}

static bool put_number(const struct project *project, const struct project_module *module, char which,
                       struct buf *out)
{
    const struct {
        char which;
        int64_t value;
    } numbers[] = {{'a', module->a},
                   {'b', module->b + (module == &project->chain[project->buggy])},
                   {'m', module->m},
                   {'x', module->input},
                   {'e', apply(module, module->input)},
                   {'s', project->start},
                   {'k', (int64_t)project->modules}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].which == which) {
            buf_addf(out, "%" PRId64, numbers[i].value);
            return true;
        }
    return false;
}

static void put_filled(const struct project *project, size_t index, struct bytes text, struct buf *out)
{
    const struct project_module *module = &project->chain[index];
    for (size_t i = 0; i < text.len; i++) {
        char c = (char)text.data[i], next = i + 1 < text.len ? (char)text.data[i + 1] : 0;
        bool filled = c == '$';
        if (filled && next == 'n')
            buf_add_string(out, module->name);
        else if (filled && (next == 'C' || next == 'U'))
            put_name(module->name, next == 'U', out);
        else
            filled = filled && put_number(project, module, next, out);
        if (filled)
            i++;
        else
            buf_add_byte(out, text.data[i]);
    }
}

/* One past the end of the line that starts at `at`. */
static size_t line_end(struct bytes text, size_t at)
{
    ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
    return newline < 0 ? text.len : (size_t)newline + 1;
}

static void put_block(const struct project *project, struct bytes block, struct buf *out)
{
    for (size_t module = 0; module < project->modules; module++)
        for (size_t at = 0; at < block.len; at = line_end(block, at))
            put_filled(project, module, bytes_slice(block, at + 1, line_end(block, at)), out);
}

void project_put_text(const struct project *project, const struct project_file *file, size_t module,
                      struct buf *out)
{
    struct bytes text = bytes_of_string(file->text);
    for (size_t at = 0, end; at < text.len; at = end) {
        end = line_end(text, at);
        if (text.data[at] != '@') {
            put_filled(project, module, bytes_slice(text, at, end), out);
            continue;
        }
        while (end < text.len && text.data[end] == '@')
            end = line_end(text, end);
        put_block(project, bytes_slice(text, at, end), out);
    }
}

void project_put_path(const struct project *project, const struct project_file *file, size_t module,
                      struct buf *out)
{
    put_filled(project, module, bytes_of_string(file->path), out);
}

/* --- trees --- */

const struct project_file *project_find(const struct project_language *language, enum project_kind kind)
{
    for (size_t i = 0; i < language->count; i++)
        if (language->files[i].kind == kind)
            return &language->files[i];
    return NULL;
}

static void list_file(const struct project *project, const struct project_file *file, size_t module,
                      struct bytes folder, struct members *members)
{
    struct buf path, text;
    buf_init(&path, 1 << 12);
    buf_init(&text, 1 << 20);
    buf_add(&path, folder);
    if (folder.len)
        buf_add_byte(&path, '/');
    project_put_path(project, file, module, &path);
    project_put_text(project, file, module, &text);
    members_add_text(members, buf_string(&path), &text);
    buf_release(&path);
}

void project_list(const struct project *project, struct bytes folder, struct members *members)
{
    for (size_t i = 0; i < project->language->count; i++) {
        const struct project_file *file = &project->language->files[i];
        bool each = file->kind == PROJECT_MODULE || file->kind == PROJECT_HEADER;
        for (size_t module = 0; module < (each ? project->modules : 1); module++)
            list_file(project, file, module, folder, members);
    }
}

static struct json *path_fact(const struct project *project, enum project_kind kind, size_t module,
                              struct arena *a)
{
    struct buf path;
    buf_init(&path, 1 << 12);
    project_put_path(project, project_find(project->language, kind), module, &path);
    return recipe_text_fact(a, &path);
}

struct json *project_fact(const struct project *project, struct bytes name, struct arena *a)
{
    const struct project_language *language = project->language;
    const struct {
        const char *name, *text;
    } texts[] = {{"language", language->name},
                 {"build", language->build},
                 {"run", language->run},
                 {"test", language->test}};
    bool bug = project->buggy < project->modules;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (bytes_equal_string(name, texts[i].name))
            return texts[i].text ? json_text(a, texts[i].text) : NULL;
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"tests", (int64_t)project->modules},
                   {"failing", bug},
                   {"answer", project_answer(project, false)},
                   {"printed", project_answer(project, true)}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (bytes_equal_string(name, numbers[i].name))
            return json_integer(a, numbers[i].value);
    if (bytes_equal_string(name, "entry"))
        return path_fact(project, PROJECT_MAIN, 0, a);
    return bug && bytes_equal_string(name, "buggy") ? path_fact(project, PROJECT_MODULE, project->buggy, a)
                                                    : NULL;
}
