/* Source trees that compile and run with a language's own tool: a chain of small modules, a program that
 * prints the chain's result, and a test a module. What project and source share. */
#ifndef GEN_RECIPES_PROJECT_TREE_H
#define GEN_RECIPES_PROJECT_TREE_H

#include "gen/recipes/members.h"

enum { PROJECT_MODULES_MAX = 20 };

enum project_kind {
    PROJECT_MODULE,
    PROJECT_MAIN,
    PROJECT_TEST,
    PROJECT_BUILD,
    PROJECT_HEADER,
    PROJECT_README,
    PROJECT_OTHER
};

/* A file of a language's tree. In path and text, $n $C $U are a module's name as it is, as a class, in
 * capitals; $a $b $m its numbers; $x $e what its test puts in and expects; $s the number the chain starts
 * with; $k how many modules. Any other $ stands for itself. Lines that begin with @ are written for each
 * module, a run of them as one block. */
struct project_file {
    enum project_kind kind; /* PROJECT_MODULE and PROJECT_HEADER: one file for each module */
    const char *path, *text;
};

struct project_language {
    const char *name;
    const struct project_file *files;
    size_t count;
    const char *build, *run,
        *test; /* commands, in the tree's folder; build is NULL when there is nothing to build */
};

extern const struct project_language project_languages[]; /* gen/recipes/project_languages.c */
extern const char *const project_language_names[];        /* in the same order, NULL-terminated */

/* Module i makes (x * a + b) % m of x. The one with the bug adds one more. */
struct project {
    const struct project_language *language;
    size_t modules, buggy; /* buggy: modules when there is no bug */
    int64_t start;
    struct project_module {
        const char *name;
        int64_t a, b, m, input;
    } chain[PROJECT_MODULES_MAX];
};

/* Reads language, modules, bug and seed. */
struct project project_of(const struct json *parameters);
/* What the program prints: as it stands, or once the bug is gone. */
int64_t project_answer(const struct project *project, bool as_it_stands);
/* Path and text of one file; `module` matters for files that each module has. */
void project_put_path(const struct project *project, const struct project_file *file, size_t module,
                      struct buf *out);
void project_put_text(const struct project *project, const struct project_file *file, size_t module,
                      struct buf *out);
/* The first file of a kind; NULL when the language has none. */
const struct project_file *project_find(const struct project_language *language, enum project_kind kind);
/* All files, their paths below `folder` (may be empty). */
void project_list(const struct project *project, struct bytes folder, struct members *members);
/* language, tests, failing, answer, printed, buggy, entry, build, run and test; NULL for other names. */
struct json *project_fact(const struct project *project, struct bytes name, struct arena *a);
#define PROJECT_FACTS                                                                                        \
    "language", "tests", "failing", "answer", "printed", "buggy", "entry", "build", "run", "test"

#endif
