/* --seeds and --dict: read before anything is started, so that a bad one costs nothing. */
#include "cli/seeds_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

enum { GIVEN_MAX = 256, DICTIONARY_FILE_MAX = 16 << 20 };

const struct cli_option options_seeds[] = {
    {"seeds", 'i', "PATH", "tasks to begin with, of any kind: a file, a directory of them, or - (docs/corpus.md); repeats"},
    {"dict", 'x', "FILE", "byte strings to put into contents and arguments, in the format of AFL and libFuzzer; repeats"},
    {0},
};

static void told(void *user, const char *message)
{
    const struct verb *v = user;
    fprintf(stderr, "taskgen %s: passed over: %s\n", v->name, message);
}

static int read_dictionary(struct cli_seeds *seeds, const char *path, struct error **err)
{
    struct buf text;
    buf_init(&text, DICTIONARY_FILE_MAX);
    int status = fs_read(path, DICTIONARY_FILE_MAX, &text, err);
    if (!status)
        status = dictionary_read(seeds->words, buf_bytes(&text), path, err);
    else if (err && *err)
        (*err)->code = ERR_INPUT;
    buf_release(&text);
    return status;
}

/* A file, a directory, or "-": standard input, as one file. */
static int read_seeds(struct import *im, const char *path, struct error **err)
{
    struct buf text;
    uint8_t block[65536];
    size_t got;
    if (strcmp(path, "-") != 0)
        return import_path(im, path, err);
    buf_init(&text, IMPORT_LINES_MAX);
    while (!text.overflow && (got = fread(block, 1, sizeof block, stdin)) > 0)
        buf_add(&text, bytes_of(block, got));
    int status = text.overflow    ? error_set(err, ERR_INPUT, "standard input: more than %d bytes", IMPORT_LINES_MAX)
                 : ferror(stdin) ? error_set(err, ERR_INPUT, "standard input: %m")
                                  : import_bytes(im, "standard input", buf_bytes(&text), err);
    buf_release(&text);
    return status;
}

int cli_seeds(const struct verb *v, const struct cli_args *args, const struct ops *ops, struct cli_seeds *seeds)
{
    const char *given[GIVEN_MAX];
    struct error *err = NULL;
    seeds->words = dictionary_new();
    import_init(&seeds->import, ops, seeds->words);
    seeds->import.bad = told;
    seeds->import.user = (void *)v;
    seeds->begun = true;
    size_t count = cli_values(args, "dict", given, GIVEN_MAX);
    if (count >= GIVEN_MAX)
        return cli_usage_fault(v, "--dict: expected less than %d of them", GIVEN_MAX);
    for (size_t i = 0; i < count; i++) /* the words that were written down come first: the seeds' may fill the rest */
        if (read_dictionary(seeds, given[i], &err) < 0)
            return cli_fail(v, err);
    count = cli_values(args, "seeds", given, GIVEN_MAX);
    if (count >= GIVEN_MAX)
        return cli_usage_fault(v, "--seeds: expected less than %d of them", GIVEN_MAX);
    for (size_t i = 0; i < count; i++) {
        size_t before = seeds->import.count;
        if (read_seeds(&seeds->import, given[i], &err) < 0)
            return cli_fail(v, err);
        if (seeds->import.count == before)
            return cli_usage_fault(v, "--seeds: nothing in '%s' can be used as a seed", given[i]);
    }
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const struct import_seed *x = *(const struct import_seed *const *)a, *y = *(const struct import_seed *const *)b;
    int order = strcmp(x->task->id, y->task->id);
    return order ? order : (x > y) - (x < y);
}

/* The first of those that are the same task, in `first`: an array as long as the seeds. */
static void find_first(const struct import *im, bool *first)
{
    const struct import_seed **sorted = xcalloc(im->count + 1, sizeof *sorted);
    for (size_t i = 0; i < im->count; i++)
        sorted[i] = &im->seeds[i];
    qsort(sorted, im->count, sizeof *sorted, by_id);
    for (size_t i = 0; i < im->count; i++)
        first[sorted[i] - im->seeds] = !i || strcmp(sorted[i]->task->id, sorted[i - 1]->task->id) != 0;
    free(sorted);
}

static int admit(struct cli_seeds *seeds, struct store *store, int64_t run, const char *target, const bool *first, struct error **err)
{
    const struct import *im = &seeds->import;
    for (size_t i = 0; i < im->count; i++) {
        const struct import_seed *s = &im->seeds[i];
        bool executed = false;
        TRY(store_put_seed(store, run, &(struct store_seed){s->task->id, s->file, s->line, s->format}, err));
        if (first[i])
            TRY(store_executed(store, s->task->id, target, &executed, err));
        if (first[i] && !executed)
            seeds->tasks[seeds->task_count++] = s->task;
    }
    return 0;
}

int cli_seeds_admit(struct cli_seeds *seeds, struct store *store, int64_t run, const char *target, struct error **err)
{
    size_t count = seeds->import.count;
    if (!count)
        return 0;
    bool *first = xcalloc(count, sizeof *first);
    seeds->tasks = xcalloc(count, sizeof(struct task *));
    find_first(&seeds->import, first);
    int status = admit(seeds, store, run, target, first, err);
    free(first);
    if (!status)
        fprintf(stderr, "%zu seeds, %zu of them to be run%s\n", count, seeds->task_count,
                seeds->task_count < count ? "; the others are known" : "");
    return status;
}

void cli_seeds_release(struct cli_seeds *seeds)
{
    if (!seeds->begun)
        return;
    import_release(&seeds->import);
    dictionary_free(seeds->words);
    free(seeds->tasks);
}
