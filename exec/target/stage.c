/* Fixtures that we make in the root, from outside the target: ops stage-*.
 *
 * One row of a table each; stage_nodes.c and stage_shapes.c make some of them. What cannot be made (the target has put something in the way, a path leads out of
 * the root) skips the step: nothing was asked of the target. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/target/root.h"
#include "exec/target/small_disk.h"
#include "exec/target/stage_internal.h"

enum { DIRECTORY_MODE = 0755, FILE_MODE = 0644 };

/* Each returns 0 or -errno. */

static int stage_file(struct session *s, struct call *call, struct bytes path)
{
    struct bytes content = BYTES_NONE;
    int64_t mode = FILE_MODE;
    call_bytes(call, "content", &content);
    call_integer(call, "mode", &mode, NULL);
    int status = root_make_parents(s, path);
    return status ? status : root_write(s, path, content, (unsigned)mode);
}

static int stage_dir(struct session *s, struct call *call, struct bytes path)
{
    return root_make_dirs(s, path);
}

/* Beside the root: "…/root" + suffix, with secret.txt in it. */
static int stage_sibling(struct session *s, struct call *call, struct bytes suffix)
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
    if (dir >= 0)
        strings_add(&s->staged, name);
    if (status == 0)
        status = dir < 0 ? -errno : root_write_at(s, dir, "secret.txt", content, FILE_MODE);
    if (dir >= 0)
        close(dir);
    close(base);
    return status;
}

static int stage_small_disk(struct session *s, struct call *call, struct bytes path)
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
    int (*make)(struct session *s, struct call *call, struct bytes path);
} rows[] = {
    {"stage-file", "path", stage_file},
    {"stage-dir", "path", stage_dir},
    {"stage-symlink", "path", stage_symlink},
    {"stage-fifo", "path", stage_fifo},
    {"stage-sibling-dir", "suffix", stage_sibling},
    {"stage-small-disk", "path", stage_small_disk},
    {"stage-socket", "path", stage_socket},
    {"stage-device", "path", stage_device},
    {"stage-deep", "path", stage_deep},
    {"stage-many", "path", stage_many},
    {"stage-names", "path", stage_names},
    {"stage-sparse", "path", stage_sparse},
    {"stage-damage", "path", stage_damage},
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
    /* What stands in the root though we put nothing there is the target's, whether or not it has tools that show files. */
    if (strcmp(need, "stage:stored") == 0)
        return s->root_visible || s->main_pid || s->launched_id;
    if (strcmp(need, "stage:device") == 0)
        return s->root_visible && stage_device_possible();
    return strcmp(need, "stage:mount") == 0 && s->disk_visible;
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
    stage_close_sockets(s);
    small_disk_release(s);
}
