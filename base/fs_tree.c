/* fs_remove_tree(): takes a tree apart that a hostile program built.
 *
 * Invariants: no path is ever resolved twice. Every step goes from an open directory to one name in it, never
 * through a link; on the way up ".." must be the directory we came from. At most three descriptors are open
 * whatever the depth, and there is no recursion: the way back is a stack of levels on the heap. A directory
 * that is the root of another mount, a bind mount too, is left alone. */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_DIR = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, MAX_RETRIES = 16 };

struct level {
    char *name;       /* in the level above */
    dev_t dev;        /* which directory this is, to know it again from below */
    ino_t ino;
    struct buf names; /* subdirectories still to be removed, each followed by a NUL; the last one is next */
};

struct removal {
    const char *path; /* as the caller named it */
    int holder;       /* the directory that holds the tree */
    int fd;           /* the directory of the deepest level; the holder itself at depth 0 */
    struct level *levels;
    size_t depth, cap;
    int retries;      /* left, for directories that something fills while we empty them */
    bool again;       /* the whole tree is to be retried */
    struct error *first; /* first failure */
};

/* Names are a stranger's: anything that could disturb a terminal is escaped. */
static void add_printable(struct buf *out, const char *name)
{
    for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
        if (*p < 0x20 || *p >= 0x7F)
            buf_addf(out, "\\x%02x", *p);
        else
            buf_add_byte(out, *p);
    }
}

static void note_failure(struct removal *r, const char *name, const char *reason)
{
    if (r->first)
        return;
    struct buf text;
    buf_init(&text, 4096);
    add_printable(&text, name);
    if (r->depth)
        error_set(&r->first, ERR_OUTPUT, "cannot remove '%s', %zu below '%s': %s", buf_string(&text),
                  r->depth, r->path, reason);
    else
        error_set(&r->first, ERR_OUTPUT, "cannot remove '%s': %s", r->path, reason);
    buf_release(&text);
}

static bool is_mount_root(int fd)
{
    struct statx sx;
    return statx(fd, "", AT_EMPTY_PATH, 0, &sx) == 0 && sx.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT &&
           sx.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/* The very first directory may be the root of a mount: that is where the caller pointed. */
static bool is_foreign(const struct removal *r, int fd)
{
    struct stat st;
    return r->depth && (fstat(fd, &st) < 0 || st.st_dev != r->levels[0].dev || is_mount_root(fd));
}

/* Lets us list and change a directory of ours. The magic link reaches the very inode, so that no link that is
 * put in its place is followed. */
static void unlock_dir(const struct removal *r, const char *name)
{
    int handle = openat(r->fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (handle < 0)
        return;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    if (!is_foreign(r, handle))
        (void)!chmod(link, 0700);
    close(handle);
}

static int open_dir(const struct removal *r, const char *name)
{
    int fd = openat(r->fd, name, OPEN_DIR);
    if (fd < 0 && errno == EACCES) {
        unlock_dir(r, name);
        fd = openat(r->fd, name, OPEN_DIR);
    }
    return fd;
}

/* Goes down into `name`. */
static bool enter(struct removal *r, const char *name)
{
    int fd = open_dir(r, name);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0 || is_foreign(r, fd)) {
        note_failure(r, name, fd >= 0 ? "something is mounted there" : strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    if ((st.st_mode & 0700) != 0700)
        (void)!fchmod(fd, 0700); /* if it matters, removing will say so */
    if (r->depth == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 16;
        r->levels = xrealloc(r->levels, r->cap * sizeof *r->levels);
    }
    struct level *level = &r->levels[r->depth++];
    *level = (struct level){.name = xstrdup(name), .dev = st.st_dev, .ino = st.st_ino};
    buf_init(&level->names, SIZE_MAX / 4);
    if (r->fd != r->holder)
        close(r->fd);
    r->fd = fd;
    return true;
}

/* Unlinks what is no directory in the deepest level and collects the subdirectories' names. */
static void list(struct removal *r)
{
    struct level *level = &r->levels[r->depth - 1];
    int copy = openat(r->fd, ".", OPEN_DIR);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    if (!dir) {
        note_failure(r, ".", strerror(errno));
        if (copy >= 0)
            close(copy);
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        bool is_dir = entry->d_type == DT_DIR;
        if (!is_dir && unlinkat(r->fd, name, 0) < 0 && errno != ENOENT) {
            struct stat st;
            int reason = errno;
            is_dir = fstatat(r->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
            if (!is_dir)
                note_failure(r, name, strerror(reason));
        }
        if (is_dir)
            buf_add(&level->names, bytes_of(name, strlen(name) + 1));
    }
    closedir(dir);
}

/* Takes the last name off a level's list; NULL when it is empty. Valid until the list changes. */
static const char *take_name(struct level *level)
{
    size_t len = level->names.len;
    if (len == 0)
        return NULL;
    size_t start = len - 1;
    while (start > 0 && level->names.data[start - 1] != '\0')
        start--;
    buf_cut(&level->names, start);
    return (const char *)level->names.data + start;
}

/* Goes back up and removes the level just left. False when we are lost: ".." is not where we came from. */
static bool leave(struct removal *r)
{
    struct level *left = &r->levels[r->depth - 1];
    int up = r->holder;
    if (r->depth > 1) {
        struct level *above = left - 1;
        struct stat st;
        up = openat(r->fd, "..", OPEN_DIR);
        if (up < 0 || fstat(up, &st) < 0 || st.st_dev != above->dev || st.st_ino != above->ino) {
            note_failure(r, left->name, "it was moved meanwhile");
            if (up >= 0)
                close(up);
            return false;
        }
    }
    close(r->fd);
    r->fd = up;
    r->depth--;
    if (unlinkat(up, left->name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
        /* Something may have been added, or was not listed because of what we removed; look again. */
        if ((errno != ENOTEMPTY && errno != EEXIST) || r->first || r->retries-- == 0)
            note_failure(r, left->name, strerror(errno));
        else if (r->depth)
            buf_add(&left[-1].names, bytes_of(left->name, strlen(left->name) + 1));
        else
            r->again = true;
    }
    free(left->name);
    buf_release(&left->names);
    return true;
}

static void remove_dir(struct removal *r, const char *name)
{
    r->again = false;
    bool known = enter(r, name);
    if (known)
        list(r);
    while (known && r->depth) {
        const char *next = take_name(&r->levels[r->depth - 1]);
        if (!next)
            known = leave(r);
        else if (enter(r, next))
            list(r);
    }
    if (r->fd != r->holder)
        close(r->fd);
    r->fd = r->holder;
    while (r->depth) {
        struct level *level = &r->levels[--r->depth];
        free(level->name);
        buf_release(&level->names);
    }
}

/* Splits "a/b//" into the directory "a/" ("." when there is none) and the name "b". Both are to be freed. */
static void split_path(const char *path, char **directory, char **name)
{
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    *name = strndup(path + start, end - start);
    *directory = start ? strndup(path, start) : strdup(".");
    if (!*name || !*directory)
        BUG("out of memory");
}

/* The name in the holder: a file, a link, a tree or nothing. */
static void remove_named(struct removal *r, const char *name)
{
    if (unlinkat(r->holder, name, 0) == 0 || errno == ENOENT)
        return;
    int reason = errno;
    struct stat st;
    if (fstatat(r->holder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode)) {
        note_failure(r, name, strerror(reason));
        return;
    }
    do
        remove_dir(r, name);
    while (r->again);
    free(r->levels);
}

int fs_remove_tree(const char *path, struct error **err)
{
    struct removal r = {.path = path, .retries = MAX_RETRIES};
    char *directory, *name;
    split_path(path, &directory, &name);
    r.holder = r.fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        error_set(&r.first, ERR_OUTPUT, "cannot remove '%s': it has no name of its own", path);
    else if (r.holder >= 0)
        remove_named(&r, name);
    else if (errno != ENOENT)
        note_failure(&r, name, strerror(errno));
    free(directory);
    free(name);
    if (r.holder >= 0)
        close(r.holder);
    if (!r.first)
        return 0;
    int code = r.first->code;
    if (err)
        *err = r.first;
    else
        error_free(r.first);
    return code;
}
