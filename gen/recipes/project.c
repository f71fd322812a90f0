/* project and source: a whole source tree in an archive, or a single file of the same tree. */
#include "base/error.h"
#include "gen/recipes/octets.h"
#include "gen/recipes/project_tree.h"

static const char *const containers[] = {"tar", "tar.gz", "zip", NULL};
/* In the order of enum project_kind. */
static const char *const kinds[] = {"module", "main", "test", "build", "header", "readme", NULL};

static void pack(const struct json *parameters, struct members *members, struct buf *out)
{
    struct bytes container = recipe_bytes(parameters, "container");
    struct buf plain;
    buf_init(&plain, recipe_stage_max(out));
    struct project project = project_of(parameters);
    project_list(&project, recipe_bytes(parameters, "folder"), members);
    if (bytes_equal_string(container, "zip"))
        members_zip(members, out);
    else
        members_tar(members, bytes_equal_string(container, "tar") ? out : &plain);
    if (bytes_equal_string(container, "tar.gz"))
        octets_gzip(out, BYTES_NONE, buf_bytes(&plain));
    if (plain.overflow)
        out->overflow = true;
    buf_release(&plain);
}

static int project_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct arena scratch;
    struct members members;
    arena_init(&scratch);
    members_init(&members, &scratch);
    pack(parameters, &members, out);
    arena_release(&scratch);
    return recipe_made(out, "project", err);
}

static struct json *tree_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    struct project project = project_of(parameters);
    if (bytes_equal_string(name, "folder"))
        return json_string(a, recipe_bytes(parameters, "folder"));
    struct json *fact = project_fact(&project, name, a);
    if (fact)
        return fact;
    struct arena scratch;
    struct members members;
    arena_init(&scratch);
    members_init(&members, &scratch);
    project_list(&project, recipe_bytes(parameters, "folder"), &members);
    fact = bytes_equal_string(name, "files") ? json_integer(a, (int64_t)members.count)
                                             : members_fact(&members, name, a);
    arena_release(&scratch);
    return fact;
}

static int project_check(const struct json *parameters, const char *where, struct error **err)
{
    struct bytes folder = recipe_bytes(parameters, "folder");
    bool fine = !folder.len || folder.data[0] != '.';
    for (size_t i = 0; i < folder.len; i++) {
        uint8_t c = folder.data[i];
        fine = fine && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                        c == '.' || c == '_' || c == '-');
    }
    return fine ? 0
                : error_set(err, ERR_INPUT,
                            "%s: folder: found '%.*s', expected letters, digits, dots, _ and -", where,
                            BYTES_ARG(folder));
}

/* A gzip file never is; the others may be, their texts are ASCII. */
static int project_utf8(const struct json *parameters)
{
    return bytes_equal_string(recipe_bytes(parameters, "container"), "tar.gz") ? 0 : -1;
}

/* --- source --- */

static enum project_kind kind_of(const struct json *parameters)
{
    enum project_kind kind = PROJECT_MODULE;
    while (!bytes_equal_string(recipe_bytes(parameters, "file"), kinds[kind]))
        kind++;
    return kind;
}

static int source_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct project project = project_of(parameters);
    project_put_text(&project, project_find(project.language, kind_of(parameters)),
                     (size_t)recipe_int(parameters, "module"), out);
    return recipe_made(out, "source", err);
}

static struct json *source_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    struct project project = project_of(parameters);
    size_t module = (size_t)recipe_int(parameters, "module");
    if (bytes_equal_string(name, "module"))
        return json_text(a, project.chain[module].name);
    if (!bytes_equal_string(name, "path"))
        return project_fact(&project, name, a);
    struct buf path;
    buf_init(&path, 1 << 12);
    project_put_path(&project, project_find(project.language, kind_of(parameters)), module, &path);
    return recipe_text_fact(a, &path);
}

static int source_check(const struct json *parameters, const char *where, struct error **err)
{
    struct project project = project_of(parameters);
    if (!project_find(project.language, kind_of(parameters)))
        return error_set(err, ERR_INPUT, "%s: file: found '%.*s', which a tree of %s does not have", where,
                         BYTES_ARG(recipe_bytes(parameters, "file")), project.language->name);
    if (recipe_int(parameters, "module") >= recipe_int(parameters, "modules"))
        return error_set(err, ERR_INPUT,
                         "%s: module: found %d of %d modules, expected a smaller one; 0 is the first", where,
                         (int)recipe_int(parameters, "module"), (int)recipe_int(parameters, "modules"));
    return 0;
}

static int source_utf8(const struct json *parameters)
{
    return 1;
}

#define TREE_PARAMETERS                                                                                      \
    {"language", "\"python\"", "of the tree", RECIPE_ONE_OF, 0, 0, project_language_names},                  \
        {"modules", "3", "how many, each with one test", RECIPE_INT, 1, PROJECT_MODULES_MAX, NULL},          \
        {"bug", "false", "whether one module is wrong, so that its test fails", RECIPE_BOOL, 0, 0, NULL},    \
        RECIPE_SEED

static const struct recipe_parameter project_parameters[] = {
    TREE_PARAMETERS,
    {"container", "\"tar\"", "the archive that the tree stands in", RECIPE_ONE_OF, 0, 0, containers},
    {"folder", "\"app\"", "folder of the archive that all lies in; empty: none", RECIPE_BYTES, 0, 64, NULL},
};

static const struct recipe_parameter source_parameters[] = {
    TREE_PARAMETERS,
    {"file", "\"module\"", "which file of the tree; header: of c alone", RECIPE_ONE_OF, 0, 0, kinds},
    {"module", "0", "which module, from 0, when file is module or header", RECIPE_INT, 0,
     PROJECT_MODULES_MAX - 1, NULL},
};

static const char *const project_facts[] = {PROJECT_FACTS, "files", "folder", "names", "total", NULL};
static const char *const source_facts[] = {PROJECT_FACTS, "path", "module", NULL};

const struct recipe recipe_project = {
    .name = "project",
    .doc = "a source tree in an archive that builds and runs with its language's own tool; answer is what "
           "the program prints "
           "once the bug is gone, printed what it prints as it stands; build, run and test are commands",
    .parameters = project_parameters,
    .parameter_count = sizeof project_parameters / sizeof *project_parameters,
    .facts = project_facts,
    .make = project_make,
    .fact = tree_fact,
    .check = project_check,
    .utf8 = project_utf8,
};

const struct recipe recipe_source = {
    .name = "source",
    .doc = "one file of the tree that project makes of the same language, modules, bug and seed; path is its "
           "place there",
    .parameters = source_parameters,
    .parameter_count = sizeof source_parameters / sizeof *source_parameters,
    .facts = source_facts,
    .make = source_make,
    .fact = source_fact,
    .check = source_check,
    .utf8 = source_utf8,
};
