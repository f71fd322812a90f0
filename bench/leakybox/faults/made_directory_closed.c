/* Directories that the tools have not made belong to somebody else, as if commands ran under another id. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "leakybox/faults.h"

struct own {
    dev_t device;
    ino_t directory;
};

static struct own *own;
static size_t count;
static bool command_ran;

static enum fault_mark on_made(struct fault_made *e)
{
    struct stat st;

    if (fstatat(e->dir, e->name, &st, AT_SYMLINK_NOFOLLOW))
        return FAULT_MISSED;
    own = xrealloc(own, (count + 1) * sizeof(*own));
    own[count++] = (struct own){st.st_dev, st.st_ino};
    return FAULT_MISSED;
}

static enum fault_mark on_start(struct fault_start *e)
{
    (void)e;
    command_ran = true;
    return FAULT_MISSED;
}

static enum fault_mark on_make(struct fault_make *e)
{
    struct stat st, root;

    if (!command_ran || fstat(e->place->dir, &st) || stat(e->root->real, &root))
        return FAULT_MISSED;
    if (st.st_dev == root.st_dev && st.st_ino == root.st_ino)
        return FAULT_REACHED;
    for (size_t i = 0; i < count; i++)
        if (own[i].device == st.st_dev && own[i].directory == st.st_ino)
            return FAULT_REACHED;
    e->refused = EPERM;
    return FAULT_TRIGGERED;
}

const struct fault fault_made_directory_closed = {
    .id = "made-directory-closed",
    .class_id = "C57",
    .layer = "sandbox",
    .primitive = "permission",
    .needs = "sequence",
    .summary = "nothing can be made in, or moved into, a directory that a command has made, though files "
               "there can be changed",
    .report = "docker/sbx-releases#51",
    .made = on_made,
    .start = on_start,
    .make = on_make,
};
