/* Files and directories on disk. Names in the order of their bytes, so that the same directory gives the same seeds in the same order. */
#include "gen/import/import_internal.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"

enum { BUNDLE_BYTES_MAX = 16 << 20, NAMES_MAX = 1 << 20 };

struct names {
    char **items;
    size_t count, capacity;
};

static void names_release(struct names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->items[i]);
    free(n->items);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list(const char *path, struct names *n, struct error **err)
{
    DIR *d = opendir(path);
    if (!d)
        return error_set(err, ERR_INPUT, "%s: %s", path, strerror(errno));
    for (struct dirent *e; (e = readdir(d)) && n->count < NAMES_MAX;) {
        if (e->d_name[0] == '.')
            continue;
        if (n->count == n->capacity) {
            n->capacity = n->capacity ? 2 * n->capacity : 64;
            n->items = xrealloc(n->items, n->capacity * sizeof *n->items);
        }
        n->items[n->count++] = xstrdup(e->d_name);
    }
    closedir(d);
    if (n->count)
        qsort(n->items, n->count, sizeof *n->items, by_bytes);
    return 0;
}

enum kind { KIND_NONE, KIND_FILE, KIND_DIRECTORY };

/* A link to a file counts as one; one to a directory might lead anywhere, and round in circles. */
static enum kind kind_of(const char *path)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return KIND_NONE;
    if (S_ISDIR(st.st_mode))
        return KIND_DIRECTORY;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? KIND_FILE : KIND_NONE;
}

/* ---- one input ---- */

static int read_file(struct import *im, const char *path, struct error **err)
{
    struct buf data;
    char *copy = xstrdup(path);
    buf_init(&data, IMPORT_LINES_MAX);
    int status = fs_read(path, IMPORT_LINES_MAX, &data, err);
    if (!status)
        status = import_bytes_in(im, path, dirname(copy), buf_bytes(&data), err);
    else if (status == ERR_LIMIT)
        status = ERR_INPUT;
    if (status < 0 && err && *err)
        (*err)->code = ERR_INPUT;
    buf_release(&data);
    free(copy);
    return status;
}

struct bundle {
    struct arena arena;
    struct import_file *files;
    size_t count, bytes;
};

/* One file into the bundle; what is larger than one may be is a fault of the whole. */
static int bundle_file(struct bundle *b, const char *path, const char *name, struct error **err)
{
    struct buf data;
    buf_init(&data, IMPORT_FILE_MAX);
    int status = fs_read(path, IMPORT_FILE_MAX, &data, err);
    b->bytes += data.len;
    if (!status && (b->bytes > BUNDLE_BYTES_MAX || b->count == IMPORT_BUNDLE_FILES))
        status = error_set(err, ERR_LIMIT, "%s: found more, expected at most %d files and %d bytes in the task", path, IMPORT_BUNDLE_FILES,
                           BUNDLE_BYTES_MAX);
    if (!status)
        b->files[b->count++] = (struct import_file){arena_string(&b->arena, bytes_of_string(name)), arena_copy(&b->arena, buf_bytes(&data))};
    buf_release(&data);
    return status;
}

static int bundle_directory(struct bundle *b, const char *path, const char *below, unsigned depth, struct error **err)
{
    struct names n = {0};
    int status = depth > IMPORT_DEPTH_MAX ? 0 : list(path, &n, err);
    for (size_t i = 0; i < n.count && status >= 0; i++) {
        char *child = arena_printf(&b->arena, "%s/%s", path, n.items[i]), *name = arena_printf(&b->arena, "%s%s", below, n.items[i]);
        enum kind kind = kind_of(child);
        if (kind == KIND_FILE)
            status = bundle_file(b, child, name, err);
        else if (kind == KIND_DIRECTORY)
            status = bundle_directory(b, child, arena_printf(&b->arena, "%s/", name), depth + 1, err);
    }
    names_release(&n);
    return status;
}

static int read_bundle(struct import *im, const char *path, struct error **err)
{
    struct bundle b = {.files = xcalloc(IMPORT_BUNDLE_FILES, sizeof *b.files)};
    arena_init(&b.arena);
    int status = bundle_directory(&b, path, "", 0, err);
    if (!status)
        status = import_bundle(im, path, b.files, b.count, err);
    if (status < 0 && err && *err)
        (*err)->code = ERR_INPUT;
    arena_release(&b.arena);
    free(b.files);
    return status < 0 ? ERR_INPUT : 0;
}

/* Does a file stand in the directory that makes it one input? */
static bool is_bundle(struct arena *a, const char *path)
{
    const struct import_format *f;
    for (size_t i = 0; (f = import_format_at(i)); i++)
        if (f->mark && kind_of(arena_printf(a, "%s/%s", path, f->mark)) == KIND_FILE)
            return true;
    return false;
}

/* ---- many ---- */

static int walk(struct import *im, struct arena *a, const char *path, unsigned depth, struct error **err);

/* A fault of one of many is told, not returned; only the number of seeds ends it all. */
static void walk_child(struct import *im, struct arena *a, const char *path, unsigned depth)
{
    struct error *why = NULL;
    size_t before = im->count;
    if (walk(im, a, path, depth, &why) == 0)
        return;
    im->passed_over++;
    /* All of a file or nothing of it. */
    while (im->count > before)
        task_free(im->seeds[--im->count].task);
    if (im->bad)
        im->bad(im->user, why ? why->text : path);
    error_free(why);
}

static int walk_directory(struct import *im, struct arena *a, const char *path, unsigned depth, struct error **err)
{
    struct names n = {0};
    int status = depth > IMPORT_DEPTH_MAX ? error_set(err, ERR_INPUT, "%s: directories deeper than %d", path, IMPORT_DEPTH_MAX)
                                          : list(path, &n, err);
    for (size_t i = 0; i < n.count && status >= 0; i++)
        if (strcmp(n.items[i], "provenance.jsonl"))
            walk_child(im, a, arena_printf(a, "%s/%s", path, n.items[i]), depth + 1);
    names_release(&n);
    return status;
}

static int walk(struct import *im, struct arena *a, const char *path, unsigned depth, struct error **err)
{
    enum kind kind = kind_of(path);
    if (kind == KIND_FILE)
        return read_file(im, path, err);
    if (kind == KIND_NONE)
        return 0;
    return is_bundle(a, path) ? read_bundle(im, path, err) : walk_directory(im, a, path, depth, err);
}

int import_path(struct import *im, const char *path, struct error **err)
{
    struct arena a;
    struct stat st;
    size_t len = strlen(path);
    if (stat(path, &st) < 0)
        return error_set(err, ERR_INPUT, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return error_set(err, ERR_INPUT, "%s: found neither a file nor a directory", path);
    arena_init(&a);
    while (len > 1 && path[len - 1] == '/')
        len--;
    const char *clean = arena_string(&a, bytes_of(path, len));
    /* A link that was named is followed, wherever it leads. */
    int status = S_ISREG(st.st_mode) ? read_file(im, clean, err)
                 : is_bundle(&a, clean) ? read_bundle(im, clean, err)
                                        : walk_directory(im, &a, clean, 0, err);
    arena_release(&a);
    return status;
}
