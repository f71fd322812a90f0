/* The table of formats, and the directory they write into. */
#include "corpus/export/export_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

static const struct export_format *const formats[] = {&export_harbor, &export_jsonl};

const struct export_format *export_at(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

const struct export_format *export_find(const char *name)
{
    const struct export_format *format;
    for (size_t i = 0; (format = export_at(i)); i++)
        if (!strcmp(format->name, name))
            return format;
    return NULL;
}

/* 1: it is not there or empty; 0: something is in it. */
static int is_free(const char *dir, struct error **err)
{
    DIR *d = opendir(dir);
    if (!d)
        return errno == ENOENT ? 1 : error_set(err, ERR_INPUT, "%s: cannot be read: %s", dir, strerror(errno));
    size_t count = 0;
    while (readdir(d))
        count++;
    closedir(d);
    return count <= 2;
}

int export_open(const char *dir, struct export_out **out, struct error **err)
{
    int unused = is_free(dir, err);
    if (unused < 0)
        return unused;
    if (!unused)
        return error_set(err, ERR_INPUT, "%s: not empty; an export wants a directory of its own", dir);
    TRY(fs_make_dirs(dir, err));
    *out = xcalloc(1, sizeof **out);
    (*out)->dir = xstrdup(dir);
    buf_init(&(*out)->index, (size_t)1 << 30);
    return 0;
}

void export_close(struct export_out *out)
{
    if (!out)
        return;
    buf_release(&out->index);
    free(out->dir);
    free(out);
}

int export_put(struct export_out *out, const char *name, struct bytes data, struct error **err)
{
    struct buf path;
    buf_init(&path, 1 << 16);
    buf_addf(&path, "%s/%s", out->dir, name);
    size_t parent = path.len;
    while (parent && path.data[parent - 1] != '/')
        parent--;
    char *whole = xstrdup(buf_string(&path));
    buf_cut(&path, parent - 1);
    int status = fs_make_dirs(buf_string(&path), err);
    if (!status)
        status = fs_write(whole, data, err);
    free(whole);
    buf_release(&path);
    return status;
}
