/* Files below a session's root, seen and made from this machine, while a hostile program may be rearranging
 * them.
 *
 * No path is followed out of the root: the kernel resolves it beneath the root's descriptor, links included,
 * and refuses what leads out (openat2). Where it cannot do that (before Linux 5.6), components are opened one
 * by one and links are refused. The last name is only ever used together with its parent's descriptor, and
 * never followed. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exec/target/root.h"

enum { DIRECTORY_MODE = 0755, DIR_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC, CHUNK = 65536 };

static int walk(int dir, char *path)
{
    int at = fcntl(dir, F_DUPFD_CLOEXEC, 0);
    for (char *name; at >= 0 && (name = strsep(&path, "/"));) {
        if (!*name || strcmp(name, ".") == 0)
            continue;
        int next = strcmp(name, "..") == 0 ? -1 : openat(at, name, DIR_FLAGS | O_NOFOLLOW);
        int failed = strcmp(name, "..") == 0 ? EXDEV : errno;
        close(at);
        at = next;
        errno = failed;
    }
    return at < 0 ? -errno : at;
}

int root_open_dir(int root, const char *path)
{
    struct open_how how = {.flags = DIR_FLAGS, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    if (!*path)
        path = ".";
    int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
        return fd < 0 ? -errno : fd;
    char *copy = xstrdup(path);
    fd = path[0] == '/' ? -EXDEV : walk(root, copy);
    free(copy);
    return fd;
}

int root_open(const struct session *s)
{
    int fd = open(s->root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Splits off the last name; the path before it is left in `path`. -errno for what has none. */
static int split(struct bytes path, char **parent, char name[256])
{
    while (path.len && path.data[path.len - 1] == '/')
        path.len--;
    size_t from = path.len;
    while (from && path.data[from - 1] != '/')
        from--;
    size_t length = path.len - from;
    if (!length || memchr(path.data, '\0', path.len))
        return -EINVAL;
    if (length > 255)
        return -ENAMETOOLONG;
    memcpy(name, path.data + from, length);
    name[length] = '\0';
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return -EINVAL;
    *parent = strndup((const char *)path.data, from);
    if (!*parent)
        BUG("out of memory");
    return 0;
}

int root_open_parent(const struct session *s, struct bytes path, char name[256])
{
    char *parent;
    int failed = split(path, &parent, name);
    if (failed)
        return failed;
    int root = root_open(s);
    int fd = root < 0 ? root : root_open_dir(root, parent);
    free(parent);
    if (root >= 0)
        close(root);
    return fd;
}

int root_give(const struct session *s, int dir, const char *name)
{
    unsigned owner = session_owner(s);
    return owner && fchownat(dir, name, owner, owner, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

/* One directory whose parents are there; one that is there already, "." and ".." are fine. */
static int make_dir(const struct session *s, struct bytes path)
{
    char name[256];
    int dir = root_open_parent(s, path, name);
    if (dir == -EINVAL && path.data[path.len - 1] == '.')
        return 0;
    if (dir < 0)
        return dir;
    int status = 0;
    if (mkdirat(dir, name, DIRECTORY_MODE) == 0)
        status = root_give(s, dir, name);
    else if (errno != EEXIST)
        status = -errno;
    close(dir);
    return status;
}

int root_make_dirs(const struct session *s, struct bytes path)
{
    int status = 0;
    for (size_t to = 1; status == 0 && to <= path.len; to++)
        if ((to == path.len || path.data[to] == '/') && path.data[to - 1] != '/')
            status = make_dir(s, bytes_slice(path, 0, to));
    return status;
}

int root_make_parents(const struct session *s, struct bytes path)
{
    size_t to = path.len;
    while (to && path.data[to - 1] != '/')
        to--;
    return to ? root_make_dirs(s, bytes_slice(path, 0, to)) : 0;
}

static int write_all(int fd, struct bytes data)
{
    for (size_t at = 0; at < data.len;) {
        ssize_t n = write(fd, data.data + at, data.len - at);
        if (n < 0 && errno != EINTR)
            return -errno;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int root_write_at(const struct session *s, int dir, const char *name, struct bytes data, unsigned mode)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
                    0600);
    if (fd < 0)
        return -errno;
    int status = write_all(fd, data);
    unsigned owner = session_owner(s);
    if (status == 0 && ((owner && fchown(fd, owner, owner) < 0) || fchmod(fd, mode & 07777) < 0))
        status = -errno;
    close(fd);
    return status;
}

int root_write(const struct session *s, struct bytes path, struct bytes data, unsigned mode)
{
    char name[256];
    int dir = root_open_parent(s, path, name);
    if (dir < 0)
        return dir;
    int status = root_write_at(s, dir, name, data, mode);
    close(dir);
    return status;
}

int root_read(const struct session *s, struct bytes path, size_t max, struct buf *out)
{
    char name[256];
    struct stat st;
    int dir = root_open_parent(s, path, name);
    if (dir < 0)
        return dir;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    int status = fd < 0 || fstat(fd, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
    close(dir);
    uint8_t *chunk = status == 0 ? xmalloc(CHUNK) : NULL;
    for (size_t total = 0; status == 0;) {
        ssize_t n = read(fd, chunk, CHUNK);
        if (n == 0)
            break;
        if (n < 0)
            status = errno == EINTR ? 0 : -errno;
        else if ((total += (size_t)n) > max || buf_add(out, bytes_of(chunk, (size_t)n)) < 0)
            status = -EFBIG;
    }
    free(chunk);
    if (fd >= 0)
        close(fd);
    return status;
}

int root_remove(const struct session *s, struct bytes path)
{
    char name[256];
    int dir = root_open_parent(s, path, name);
    if (dir < 0)
        return dir;
    int status = unlinkat(dir, name, 0) < 0 ? -errno : 0;
    close(dir);
    return status;
}
