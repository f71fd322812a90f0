/* What is stored in a subdirectory lands under a root of its own; everything else looks under the real one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/fs.h"
#include "leakybox/faults.h"

static struct root other = {.fd = -1};

static bool have_other_root(void)
{
    const char *base = getenv("TMPDIR");
    char path[PATH_MAX];

    if (other.fd >= 0)
        return true;
    snprintf(path, sizeof(path), "%s/leakybox-XXXXXX", base && base[0] == '/' ? base : "/tmp");
    return mkdtemp(path) && root_open(&other, path) == 0;
}

/* The path below the root with at least one directory, or nothing. Dots are left to the right way. */
static struct bytes in_subdirectory(const struct fault_path *e)
{
    struct bytes path = e->path, root = bytes_of_string(e->root->real);
    ptrdiff_t slash;

    if (bytes_starts(path, root) && path.len > root.len && path.data[root.len] == '/')
        path = bytes_slice(path, root.len, path.len);
    else if (bytes_starts(path, BYTES_LITERAL("/")))
        return BYTES_NONE;
    while (bytes_starts(path, BYTES_LITERAL("/")) || bytes_starts(path, BYTES_LITERAL("./")))
        path = bytes_slice(path, path.data[0] == '/' ? 1 : 2, path.len);
    slash = bytes_find(path, BYTES_LITERAL("/"), 0);
    if (slash < 0 || (size_t)slash + 1 == path.len || bytes_find(path, BYTES_LITERAL(".."), 0) >= 0)
        return BYTES_NONE;
    return path;
}

static enum fault_mark on_path(struct fault_path *e)
{
    struct bytes below;

    if (!(e->tool->hints & TOOL_STORES))
        return FAULT_MISSED;
    below = in_subdirectory(e);
    if (!below.len || !have_other_root())
        return FAULT_REACHED;
    e->root = &other;
    e->path = below;
    return FAULT_TRIGGERED;
}

static enum fault_mark on_close(struct fault_close *e)
{
    (void)e;
    if (other.fd >= 0) {
        fs_remove_tree(other.real, NULL);
        root_release(&other);
    }
    return FAULT_MISSED;
}

const struct fault fault_two_roots = {
    .id = "two-roots",
    .class_id = "C50",
    .layer = "sandbox",
    .primitive = "path",
    .needs = "plain",
    .summary = "files written or uploaded into a subdirectory are kept under another root than is read",
    .report = "langchain-ai/langchain-aws#1103",
    .demo = true,
    .path = on_path,
    .close = on_close,
};
