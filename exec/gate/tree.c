/* Walking and copying foreign trees, by descriptors of directories only. */
#include "exec/gate/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exec/target/strings.h"

enum { SHOWN = 160, CHUNK = 1 << 16, NAMES_MAX = TREE_ENTRIES };

const char *tree_shown(const char *path)
{
    static _Thread_local char text[SHOWN];
    size_t n = 0;
    for (; path[n] && n < SHOWN - 1; n++)
        text[n] = (unsigned char)path[n] < ' ' || path[n] == 0x7f ? '?' : path[n];
    text[n] = '\0';
    return text;
}

/* --- walking --- */

struct walk {
    tree_visit *visit;
    void *user;
    unsigned entries;
    char path[PATH_MAX];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory, sorted; takes the descriptor. */
static int list_names(int fd, struct strings *names, struct error **err)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return error_set(err, ERR_INPUT, "cannot be listed: %m");
    }
    for (struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && names->count <= NAMES_MAX)
            strings_add(names, e->d_name);
    closedir(dir);
    if (names->count)
        qsort(names->items, names->count, sizeof *names->items, by_name);
    return 0;
}

static int walk_dir(struct walk *w, int fd, size_t length, unsigned depth, struct error **err);

static int walk_entry(struct walk *w, int fd, const char *name, size_t length, unsigned depth, struct error **err)
{
    struct tree_entry e = {.path = w->path, .dir = fd};
    int written = snprintf(w->path + length, sizeof w->path - length, "%s%s", length ? "/" : "", name);
    if (written < 0 || length + (size_t)written >= sizeof w->path)
        return error_set(err, ERR_LIMIT, "%s: a path of more than %d bytes", tree_shown(w->path), PATH_MAX);
    e.name = w->path + length + (length > 0);
    if (++w->entries > TREE_ENTRIES)
        return error_set(err, ERR_LIMIT, "more than %d files", TREE_ENTRIES);
    if (fstatat(fd, name, &e.st, AT_SYMLINK_NOFOLLOW) < 0)
        return error_set(err, ERR_INPUT, "%s: %m", tree_shown(w->path));
    int status = w->visit(w->user, &e, err);
    if (status || !S_ISDIR(e.st.st_mode))
        return status < 0 ? status : 0;
    if (depth >= TREE_DEPTH)
        return error_set(err, ERR_LIMIT, "%s: more than %d directories deep", tree_shown(w->path), TREE_DEPTH);
    int below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0)
        return error_set(err, ERR_INPUT, "%s: %m", tree_shown(w->path));
    return walk_dir(w, below, length + (size_t)written, depth + 1, err);
}

static int walk_dir(struct walk *w, int fd, size_t length, unsigned depth, struct error **err)
{
    struct strings names = {0};
    int keep = dup(fd); /* list_names closes the other */
    int status = keep < 0 ? error_set(err, ERR_TARGET, "%m") : 0;
    if (status)
        close(fd);
    else
        status = list_names(fd, &names, err);
    for (size_t i = 0; !status && i < names.count; i++) {
        status = walk_entry(w, keep, names.items[i], length, depth, err);
        w->path[length] = '\0';
    }
    strings_release(&names);
    if (keep >= 0)
        close(keep);
    return status;
}

/* Takes the descriptor. */
static int walk_from(int fd, const char *root, tree_visit *visit, void *user, struct error **err)
{
    if (fd < 0)
        return error_set(err, ERR_INPUT, "%s: %m", tree_shown(root));
    struct walk *w = xcalloc(1, sizeof *w);
    w->visit = visit;
    w->user = user;
    int status = walk_dir(w, fd, 0, 0, err);
    free(w);
    return status;
}

int tree_walk(const char *root, tree_visit *visit, void *user, struct error **err)
{
    return walk_from(open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), root, visit, user, err);
}

/* --- reading --- */

static int read_fd(int fd, const char *path, size_t max, struct buf *out, struct error **err)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return error_set(err, ERR_INPUT, "%s: %m", tree_shown(path));
    if (!S_ISREG(st.st_mode))
        return error_set(err, ERR_INPUT, "%s: not a regular file", tree_shown(path));
    if ((uint64_t)st.st_size > max)
        return error_set(err, ERR_LIMIT, "%s: %lld bytes, more than the %zu that a file may have", tree_shown(path), (long long)st.st_size, max);
    uint8_t *chunk = xmalloc(CHUNK);
    ssize_t n;
    size_t total = 0;
    while ((n = read(fd, chunk, CHUNK)) > 0 && (total += (size_t)n) <= max && buf_add(out, bytes_of(chunk, (size_t)n)) == 0)
        ;
    free(chunk);
    if (n < 0)
        return error_set(err, ERR_INPUT, "%s: %m", tree_shown(path));
    return n > 0 ? error_set(err, ERR_LIMIT, "%s: more than the %zu bytes that a file may have", tree_shown(path), max) : 0;
}

int tree_read(const struct tree_entry *e, size_t max, struct buf *out, struct error **err)
{
    int fd = openat(e->dir, e->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int status = read_fd(fd, e->path, max, out, err);
    if (fd >= 0)
        close(fd);
    return status;
}

/* Opens below a directory; no part of the path may be a link, and ".." leads nowhere. */
static int open_below(int dir, const char *path, uint64_t flags)
{
    struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, dir, *path ? path : ".", &how, sizeof how);
}

int tree_read_at(const char *root, const char *path, size_t max, struct buf *out, struct error **err)
{
    int dir = open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = dir < 0 ? -1 : open_below(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    int status = read_fd(fd, path, max, out, err);
    if (fd >= 0)
        close(fd);
    if (dir >= 0)
        close(dir);
    return status;
}

/* --- copying --- */

struct copy {
    const struct tree_rules *rules;
    int to; /* the directory that all is copied into */
    const char *prefix;
    uint64_t total;
};

/* The directory that `path` is in, made on the way; -1. */
static int make_parent(int root, const char *path)
{
    char part[PATH_MAX];
    int dir = open_below(root, ".", O_PATH | O_DIRECTORY);
    for (const char *at = path, *slash; dir >= 0 && (slash = strchr(at, '/')); at = slash + 1) {
        if (slash == at)
            continue;
        snprintf(part, sizeof part, "%.*s", (int)(slash - at), at);
        mkdirat(dir, part, 0755);
        int next = open_below(dir, part, O_PATH | O_DIRECTORY);
        close(dir);
        dir = next;
    }
    return dir;
}

/* A link that stays in its tree: relative and without "..". */
static bool link_stays(const char *target)
{
    if (*target == '/' || !*target)
        return false;
    for (const char *at = target; at; at = strchr(at, '/'), at = at ? at + 1 : NULL)
        if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
            return false;
    return true;
}

static int copy_link(struct copy *c, const struct tree_entry *e, int dir, const char *name, struct error **err)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(e->dir, e->name, target, sizeof target - 1);
    if (n < 0)
        return error_set(err, ERR_INPUT, "%s: %m", tree_shown(e->path));
    target[n] = '\0';
    if (c->rules->foreign && !link_stays(target)) {
        char *where = xstrdup(tree_shown(e->path));
        int status = error_set(err, ERR_INPUT, "%s: a link to %s leads out of the task", where, tree_shown(target));
        free(where);
        return status;
    }
    if (symlinkat(target, dir, name) < 0 && errno != EEXIST)
        return error_set(err, ERR_OUTPUT, "%s: %m", tree_shown(e->path));
    return 0;
}

static int copy_bytes(int in, int out, uint64_t max, const char *path, struct error **err)
{
    uint8_t *chunk = xmalloc(CHUNK);
    ssize_t n;
    int status = 0;
    uint64_t total = 0;
    while (!status && (n = read(in, chunk, CHUNK)) != 0) {
        if (n < 0)
            status = error_set(err, ERR_INPUT, "%s: %m", tree_shown(path));
        else if ((total += (uint64_t)n) > max)
            status = error_set(err, ERR_LIMIT, "%s: grows past what a file may have", tree_shown(path));
        else if (write(out, chunk, (size_t)n) != n)
            status = error_set(err, ERR_OUTPUT, "%s: cannot be copied: %m", tree_shown(path));
    }
    free(chunk);
    return status;
}

static int copy_file(struct copy *c, const struct tree_entry *e, int dir, const char *name, struct error **err)
{
    const struct tree_rules *r = c->rules;
    uint64_t size = (uint64_t)e->st.st_size;
    if (size > r->file_max)
        return error_set(err, ERR_LIMIT, "%s: %llu bytes, more than the %llu that a file may have", tree_shown(e->path), (unsigned long long)size,
                         (unsigned long long)r->file_max);
    if ((c->total += size) > r->total_max)
        return error_set(err, ERR_LIMIT, "%s: all files together have more than %llu bytes", tree_shown(e->path), (unsigned long long)r->total_max);
    int in = openat(e->dir, e->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (in < 0)
        return c->rules->foreign ? error_set(err, ERR_INPUT, "%s: %m", tree_shown(e->path)) : 0;
    struct stat st;
    int status = fstat(in, &st) < 0 || !S_ISREG(st.st_mode) ? error_set(err, ERR_INPUT, "%s: changed while it was read", tree_shown(e->path)) : 0;
    mode_t mode = r->foreign ? (st.st_mode & 0111 ? 0755 : 0644) : (st.st_mode & 0777) | 0600;
    unlinkat(dir, name, 0);
    int out = status ? -1 : openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (!status && out < 0)
        status = error_set(err, ERR_OUTPUT, "%s: cannot be copied: %m", tree_shown(e->path));
    if (!status)
        status = copy_bytes(in, out, r->file_max, e->path, err);
    if (out >= 0) {
        fchmod(out, r->foreign ? mode : st.st_mode & 0777);
        close(out);
    }
    close(in);
    return status;
}

static int copy_entry(void *user, const struct tree_entry *e, struct error **err)
{
    struct copy *c = user;
    char to[PATH_MAX];
    if (snprintf(to, sizeof to, "%s%s%s", c->prefix, *c->prefix && *e->path ? "/" : "", e->path) >= (int)sizeof to)
        return error_set(err, ERR_LIMIT, "%s: path too long", tree_shown(e->path));
    const char *slash = strrchr(to, '/'), *name = slash ? slash + 1 : to;
    int dir = make_parent(c->to, to), status = 0;
    if (dir < 0)
        return error_set(err, ERR_INPUT, "%s: its directory is a link or a file", tree_shown(e->path));
    mode_t kind = e->st.st_mode & S_IFMT;
    if (kind == S_IFDIR) {
        mkdirat(dir, name, 0755);
        if (!c->rules->foreign)
            fchmodat(dir, name, (e->st.st_mode & 0777) | 0700, 0);
    } else if (kind == S_IFLNK)
        status = copy_link(c, e, dir, name, err);
    else if (kind == S_IFREG)
        status = copy_file(c, e, dir, name, err);
    else if (c->rules->foreign)
        status = error_set(err, ERR_INPUT, "%s: a %s, expected files, directories and links", tree_shown(e->path),
                           kind == S_IFIFO ? "FIFO" : kind == S_IFSOCK ? "socket" : "device");
    else if (kind == S_IFIFO)
        mkfifoat(dir, name, 0644);
    close(dir);
    return status;
}

int tree_copy(const char *from_root, const char *from, const char *root, const char *to, const struct tree_rules *rules, struct error **err)
{
    struct copy c = {.rules = rules, .prefix = to + strspn(to, "/")};
    struct tree_entry e = {.path = "", .dir = -1};
    char parent[PATH_MAX] = ".";
    from += strspn(from, "/");
    const char *slash = strrchr(from, '/');
    if (slash)
        snprintf(parent, sizeof parent, "%.*s", (int)(slash - from), from);
    e.name = slash ? slash + 1 : *from ? from : ".";
    int base = open(from_root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    e.dir = base < 0 ? -1 : open_below(base, parent, O_PATH | O_DIRECTORY);
    c.to = open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int status = 0;
    if (e.dir < 0 || fstatat(e.dir, e.name, &e.st, AT_SYMLINK_NOFOLLOW) < 0)
        status = error_set(err, ERR_INPUT, "%s: %m", tree_shown(*from ? from : from_root));
    else if (c.to < 0)
        status = error_set(err, ERR_OUTPUT, "%s: %m", tree_shown(root));
    else if (*c.prefix)
        status = copy_entry(&c, &e, err);
    if (!status && S_ISDIR(e.st.st_mode))
        status = walk_from(openat(e.dir, e.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), from, copy_entry, &c, err);
    const int open_ones[] = {base, e.dir, c.to};
    for (size_t i = 0; i < sizeof open_ones / sizeof *open_ones; i++)
        if (open_ones[i] >= 0)
            close(open_ones[i]);
    return status;
}

int tree_make_dir(const char *root, const char *path, struct error **err)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/", path + strspn(path, "/"));
    int base = open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int dir = base < 0 ? -1 : make_parent(base, whole);
    int status = dir < 0 ? error_set(err, ERR_INPUT, "%s: cannot be made a directory", tree_shown(path)) : 0;
    if (dir >= 0)
        close(dir);
    if (base >= 0)
        close(base);
    return status;
}

int tree_write(const char *path, struct bytes data, struct error **err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0755);
    ssize_t n = fd < 0 ? -1 : write(fd, data.data, data.len);
    int status = n < 0 || (size_t)n != data.len ? error_set(err, ERR_OUTPUT, "%s: %m", path) : 0;
    if (fd >= 0)
        close(fd);
    return status;
}
