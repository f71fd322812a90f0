/* The outside witness: looks at a file of this machine below a session's root.
 *
 * The target may do what it likes with its root while we look. So every open is relative to the root's
 * descriptor and resolved beneath it, by the kernel where it can (openat2), first as O_PATH, which blocks on
 * nothing; what is opened for reading is opened with O_NONBLOCK and checked again after opening. A link is
 * followed only inside the root; one that is absolute and spells the root itself counts as inside, since
 * sandboxes see the root under the same name. */
#include "exec/witness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"

enum { LINKS_MAX = 8, WALK_DEPTH_MAX = 12, WALK_ENTRIES_MAX = 20000 };

/* Where the kernel has no openat2, or a filter forbids it: component by component, following no link at all.
 */
static int open_stepwise(int root, const char *path, int flags)
{
    int at = fcntl(root, F_DUPFD_CLOEXEC, 0);
    while (at >= 0) {
        path += strspn(path, "/");
        size_t len = strcspn(path, "/");
        bool last = path[len + strspn(path + len, "/")] == 0;
        char name[256];
        if (len >= sizeof name) {
            close(at);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, len ? path : ".", len ? len : 2);
        name[len ? len : 1] = 0;
        int next = openat(at, name, (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
        int why = errno;
        struct stat st;
        if (next < 0 && why == ENOTDIR && fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISLNK(st.st_mode))
            why = ELOOP; /* not absent: we do not know */
        close(at);
        errno = why;
        if (last)
            return next;
        at = next;
        path += len;
    }
    return -1;
}

static int open_beneath(int root, const char *path, int flags)
{
    struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    int fd = -1;
    for (int tries = 0; tries < 8; tries++) {
        fd = (int)syscall(SYS_openat2, root, *path ? path : ".", &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break; /* EAGAIN: something was renamed on the way */
    }
    return fd < 0 && (errno == ENOSYS || errno == EPERM) ? open_stepwise(root, path, flags) : fd;
}

/* Reads and hashes a regular file; false when it is none any more or cannot be read. */
static bool read_file(int root, const char *path, struct arena *a, struct file_view *v)
{
    int fd = open_beneath(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > WITNESS_HASH_MAX) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    struct buf data;
    uint8_t *block = xmalloc(1 << 16), hash[32];
    struct sha256 *sum = sha256_new();
    uint64_t size = 0;
    ssize_t got;
    buf_init(&data, WITNESS_DATA_MAX);
    while ((got = read(fd, block, 1 << 16)) > 0 && size <= WITNESS_HASH_MAX) {
        sha256_add(sum, bytes_of(block, (size_t)got));
        buf_add(&data, bytes_of(block, (size_t)got));
        size += (uint64_t)got;
    }
    sha256_finish(sum, hash);
    bool whole = got == 0;
    if (whole) {
        static const char digits[] = "0123456789abcdef";
        for (size_t i = 0; i < sizeof hash; i++) {
            v->sha256[2 * i] = digits[hash[i] >> 4];
            v->sha256[2 * i + 1] = digits[hash[i] & 15];
        }
        v->sha256[64] = 0;
        v->size = size;
        v->have_data = !data.overflow;
        if (v->have_data)
            v->data = arena_copy(a, buf_bytes(&data));
    }
    free(block);
    buf_release(&data);
    close(fd);
    return whole;
}

static int compare_names(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void read_directory(int root, const char *path, struct arena *a, struct file_view *v)
{
    int fd = open_beneath(root, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    struct bytes *names = NULL;
    size_t count = 0, capacity = 0;
    for (struct dirent *entry; (entry = readdir(dir)) && count <= WITNESS_ENTRIES_MAX;) {
        if (is_dots(entry->d_name))
            continue;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 32;
            names = xrealloc(names, capacity * sizeof *names);
        }
        names[count++] = arena_copy(a, bytes_of_string(entry->d_name));
    }
    closedir(dir);
    if (count <= WITNESS_ENTRIES_MAX) {
        struct bytes *kept = arena_alloc(a, (count + 1) * sizeof *kept);
        if (count) {
            qsort(names, count, sizeof *names, compare_names);
            memcpy(kept, names, count * sizeof *names);
        }
        v->entries = kept;
        v->entry_count = count;
        v->have_entries = true;
    }
    free(names);
}

/* The link's text, and what it leads to as a path to look at next; NULL when it leads out or to nothing. */
static const char *follow(int link, const char *path, const char *root_name, struct arena *a,
                          struct bytes *text)
{
    char target[4096];
    ssize_t len = readlinkat(link, "", target, sizeof target - 1);
    if (len < 0)
        return NULL;
    struct bytes there = bytes_of(target, (size_t)len), base = bytes_of_string(root_name);
    *text = arena_copy(a, there);
    if (bytes_starts(there, base) && there.len > base.len && there.data[base.len] == '/')
        return arena_string(a, bytes_slice(there, base.len + 1, there.len));
    if (bytes_starts(there, BYTES_LITERAL("/")))
        return NULL;
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path) : 0;
    return arena_printf(a, "%.*s%s%s", directory, path, slash ? "/" : "", arena_string(a, there));
}

/* What the link leads to, when that is a regular file inside the root. */
static void look_through_link(int root, const char *path, const char *root_name, struct arena *a,
                              struct file_view *v, int link)
{
    struct bytes text;
    const char *next = follow(link, path, root_name, a, &v->target);
    for (int i = 0; next && i < LINKS_MAX; i++) {
        int fd = open_beneath(root, next, O_PATH | O_NOFOLLOW);
        struct stat st;
        if (fd < 0 || fstat(fd, &st) < 0) {
            if (fd >= 0)
                close(fd);
            return;
        }
        if (S_ISREG(st.st_mode))
            read_file(root, next, a, v);
        next = S_ISLNK(st.st_mode) ? follow(fd, next, root_name, a, &text) : NULL;
        close(fd);
    }
}

static void look(int root, const char *root_name, const char *path, unsigned want, struct arena *a,
                 struct file_view *v)
{
    int fd = open_beneath(root, path, O_PATH | O_NOFOLLOW);
    struct stat st;
    if (fd < 0) {
        /* Nothing there, a file where a directory should be, or a name no file can have; anything else we
         * could not see. */
        bool absent = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
        v->by = absent ? WITNESS_OUTSIDE : WITNESS_NONE;
        return;
    }
    if (fstat(fd, &st) == 0) {
        v->by = WITNESS_OUTSIDE;
        v->exists = true;
        v->kind = S_ISREG(st.st_mode) ? 'f' : S_ISDIR(st.st_mode) ? 'd' : S_ISLNK(st.st_mode) ? 'l' : 'o';
        v->mode = st.st_mode & 07777;
        v->size = v->kind == 'd' ? 0 : (uint64_t)st.st_size;
        if (v->kind == 'f')
            read_file(root, path, a, v);
        else if (v->kind == 'l')
            look_through_link(root, path, root_name, a, v, fd);
        else if (v->kind == 'd' && want & WANT_ENTRIES)
            read_directory(root, path, a, v);
    }
    close(fd);
}

void witness_look_outside(const char *root, struct bytes path, unsigned want, struct arena *a,
                          struct file_view *v)
{
    struct bytes clean;
    *v = (struct file_view){0};
    if (!witness_path(path, &clean))
        return;
    int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    look(fd, root, arena_string(a, clean), want, a, v);
    close(fd);
}

struct walk {
    struct arena *a;
    const char *name;
    struct bytes content;
    size_t entries;    /* looked at so far */
    const char *found; /* path below the start */
};

/* Bytes that were appended are the last ones. */
static bool ends_with(int directory, const struct stat *st, const char *name, struct bytes content,
                      struct arena *a)
{
    struct file_view v = {0};
    return (size_t)st->st_size >= content.len && read_file(directory, name, a, &v) && v.have_data &&
           bytes_ends(v.data, content);
}

/* Depth is bounded, so this recursion is too. Takes over fd. */
static void walk_directory(struct walk *w, int fd, const char *prefix, int depth)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return;
    }
    for (struct dirent *entry; !w->found && (entry = readdir(dir)) && w->entries++ < WALK_ENTRIES_MAX;) {
        struct stat st;
        if (is_dots(entry->d_name) || fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (S_ISREG(st.st_mode) && strcmp(entry->d_name, w->name) == 0 &&
            ends_with(dirfd(dir), &st, entry->d_name, w->content, w->a))
            w->found = arena_printf(w->a, "%s%s", prefix, entry->d_name);
        if (S_ISDIR(st.st_mode) && depth < WALK_DEPTH_MAX) {
            int below = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below >= 0)
                walk_directory(w, below, arena_printf(w->a, "%s%s/", prefix, entry->d_name), depth + 1);
        }
    }
    closedir(dir);
}

struct bytes witness_find(const char *directory, struct bytes name, struct bytes content, struct arena *a)
{
    struct walk w = {.a = a, .name = arena_string(a, name), .content = content};
    int fd = name.len && content.len ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0)
        walk_directory(&w, fd, "", 0);
    return bytes_of_string(w.found);
}
