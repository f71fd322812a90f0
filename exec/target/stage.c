/* Fixtures that we make in the root, from outside the target: ops stage-*.
 *
 * One row of a table each. What cannot be made (the target has put something in the way, a path leads out of
 * the root) skips the step: nothing was asked of the target. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/target/root.h"
#include "exec/target/session_internal.h"
#include "exec/target/small_disk.h"

enum { DIRECTORY_MODE = 0755, FIFO_MODE = 0644, FILE_MODE = 0644 };

/* Each returns 0 or -errno. */

static int stage_file(struct session *s, const struct call *call, struct bytes path)
{
    struct bytes content = BYTES_NONE;
    int64_t mode = FILE_MODE;
    call_bytes(call, "content", &content);
    call_integer(call, "mode", &mode, NULL);
    int status = root_make_parents(s, path);
    return status ? status : root_write(s, path, content, (unsigned)mode);
}

static int stage_dir(struct session *s, const struct call *call, struct bytes path)
{
    return root_make_dirs(s, path);
}

/* A thing with a name in a directory that is made when it is missing. */
static int make_node(struct session *s, struct bytes path,
                     int (*make)(int dir, const char *name, const char *data), const char *data)
{
    char name[256];
    int status = root_make_parents(s, path);
    int dir = status ? status : root_open_parent(s, path, name);
    if (dir < 0)
        return dir;
    status = make(dir, name, data) < 0 ? -errno : root_give(s, dir, name);
    close(dir);
    return status;
}

static int make_link(int dir, const char *name, const char *to)
{
    return symlinkat(to, dir, name);
}

static int make_fifo(int dir, const char *name, const char *unused)
{
    return mkfifoat(dir, name, FIFO_MODE);
}

static int stage_symlink(struct session *s, const struct call *call, struct bytes path)
{
    struct bytes to;
    if (!call_bytes(call, "to", &to) || memchr(to.data, '\0', to.len))
        return -EINVAL;
    return make_node(s, path, make_link, arena_string(call->arena, to));
}

static int stage_fifo(struct session *s, const struct call *call, struct bytes path)
{
    return make_node(s, path, make_fifo, NULL);
}

/* Beside the root: "…/root" + suffix, with secret.txt in it. */
static int stage_sibling(struct session *s, const struct call *call, struct bytes suffix)
{
    struct bytes content = BYTES_NONE;
    if (memchr(suffix.data, '/', suffix.len) || suffix.len > 200)
        return -EINVAL;
    call_bytes(call, "content", &content);
    const char *name = arena_printf(call->arena, "%s%s", strrchr(s->root, '/') + 1,
                                    arena_string(call->arena, suffix));
    int base = open(s->base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (base < 0)
        return -errno;
    int status = mkdirat(base, name, DIRECTORY_MODE) < 0 && errno != EEXIST ? -errno
                                                                            : root_give(s, base, name);
    int dir = status ? -1 : openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (status == 0)
        status = dir < 0 ? -errno : root_write_at(s, dir, "secret.txt", content, FILE_MODE);
    if (dir >= 0)
        close(dir);
    close(base);
    return status;
}

static int stage_small_disk(struct session *s, const struct call *call, struct bytes path)
{
    int64_t size = 0;
    int64_t most = settings_int(s->target->options.settings, "budget.disk");
    if (!call_integer(call, "bytes", &size, NULL) || size < 1 || size > most)
        return -EINVAL;
    int status = root_make_dirs(s, path);
    return status ? status : small_disk_mount(s, path, size);
}

static const struct stage_row {
    const char *op;
    const char *place; /* the argument that says where */
    int (*make)(struct session *s, const struct call *call, struct bytes path);
} rows[] = {
    {"stage-file", "path", stage_file},
    {"stage-dir", "path", stage_dir},
    {"stage-symlink", "path", stage_symlink},
    {"stage-fifo", "path", stage_fifo},
    {"stage-sibling-dir", "suffix", stage_sibling},
    {"stage-small-disk", "path", stage_small_disk},
};

static const struct stage_row *find(const struct op *op)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].op, op->name) == 0)
            return &rows[i];
    return NULL;
}

bool stage_is(const struct op *op)
{
    return find(op) != NULL;
}

bool stage_supports(const struct session *s, const char *need)
{
    if (strcmp(need, "stage") == 0)
        return s->root_visible;
    return strcmp(need, "stage:mount") == 0 && s->root_visible && small_disk_possible();
}

void stage_call(struct session *s, struct call *call)
{
    const struct stage_row *row = find(call->op);
    struct bytes path = BYTES_NONE;
    if (!stage_supports(s, call->op->needs)) {
        call_skip(call, call->op->needs);
        return;
    }
    bool named = call_bytes(call, row->place, &path) && path.len && !memchr(path.data, '\0', path.len);
    int status = named ? row->make(s, call, path) : -EINVAL;
    if (status == 0)
        call->outcome.class = OUTCOME_OK;
    else
        call_skip(call, arena_printf(call->arena, "%s: cannot be made: %s", row->op, strerror(-status)));
}

void stage_release(struct session *s)
{
    small_disk_release(s);
}
