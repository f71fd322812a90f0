/* Reading, writing and making of our own files.
 *
 * A file is replaced by renaming a finished one over it, so a reader, or a crash, sees the old bytes or the
 * new. */
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_CHUNK = 65536, NAME_ATTEMPTS = 100 };

int fs_read(const char *path, size_t max, struct buf *out, struct error **err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return error_set(err, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    uint8_t *chunk = xmalloc(READ_CHUNK);
    size_t total = 0;
    int status = 0;
    while (status == 0) {
        ssize_t n = read(fd, chunk, READ_CHUNK);
        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            status = error_set(err, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
        else if ((size_t)n > max - total || buf_add(out, bytes_of(chunk, (size_t)n)) < 0)
            status = error_set(err, ERR_LIMIT, "cannot read '%s': it is longer than %zu bytes", path,
                               max < out->max ? max : out->max);
        else
            total += (size_t)n;
    }
    free(chunk);
    close(fd);
    return status;
}

static int write_all(int fd, struct bytes data)
{
    for (size_t at = 0; at < data.len;) {
        ssize_t n = write(fd, data.data + at, data.len - at);
        if (n < 0 && errno != EINTR)
            return -1;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Opens a fresh file next to path; *name is its name, to be freed. The mode is the umask's business. */
static int open_beside(const char *path, char **name)
{
    static unsigned serial;
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        if (asprintf(name, "%s.%ld-%u.tmp", path, (long)getpid(),
                     __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED)) < 0)
            BUG("out of memory");
        int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
        free(*name);
    }
    *name = NULL;
    errno = EEXIST;
    return -1;
}

static int replace_file(const char *path, struct bytes data, const struct stat *old)
{
    char *name = NULL;
    int fd = open_beside(path, &name);
    bool good = fd >= 0 && (!old || fchmod(fd, old->st_mode & 0777) == 0) && write_all(fd, data) == 0 &&
                fsync(fd) == 0;
    int saved = errno;
    if (fd >= 0 && close(fd) < 0 && good) {
        good = false;
        saved = errno;
    }
    if (good && rename(name, path) < 0) {
        good = false;
        saved = errno;
    }
    if (!good && fd >= 0)
        unlink(name);
    free(name);
    errno = saved;
    return good ? 0 : -1;
}

/* Devices, FIFOs and the like cannot be replaced by a file without breaking the machine: write into them. */
static int write_in_place(const char *path, struct bytes data)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -1;
    int status = write_all(fd, data);
    int saved = errno;
    if (close(fd) < 0 && status == 0)
        return -1;
    errno = saved;
    return status;
}

int fs_write(const char *path, struct bytes data, struct error **err)
{
    struct stat st;
    int status;
    if (stat(path, &st) < 0) {
        status = replace_file(path, data, NULL);
    } else if (!S_ISREG(st.st_mode)) {
        status = write_in_place(path, data);
    } else {
        char *target = realpath(path, NULL); /* a link stays a link */
        status = target ? replace_file(target, data, &st) : -1;
        free(target);
    }
    return status == 0 ? 0 : error_set(err, ERR_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
}

/* One level: made, or already there as a directory. */
static int make_dir(const char *path)
{
    struct stat st;
    if (mkdir(path, 0755) == 0)
        return 0;
    int reason = errno; /* may be EROFS or EACCES for one that exists */
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return 0;
        reason = ENOTDIR;
    }
    errno = reason;
    return -1;
}

int fs_make_dirs(const char *path, struct error **err)
{
    char *part = xstrdup(path);
    int status = 0;
    for (char *p = part; status == 0; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        bool end = *p == '\0', empty = p == part || p[-1] == '/';
        *p = '\0';
        if ((!empty || !*path) && make_dir(part) < 0)
            status = error_set(err, ERR_OUTPUT, "cannot make the directory '%s': %s", part, strerror(errno));
        if (end)
            break;
        *p = '/';
    }
    free(part);
    return status;
}

char *fs_fresh_dir(const char *prefix, struct error **err)
{
    const char *where = getenv("TMPDIR");
    if (!where || where[0] != '/')
        where = "/tmp";
    char *path = NULL;
    if (asprintf(&path, "%s/%s-XXXXXX", where, prefix) < 0)
        BUG("out of memory");
    if (mkdtemp(path))
        return path;
    error_set(err, ERR_OUTPUT, "cannot make a fresh directory in '%s': %s", where, strerror(errno));
    free(path);
    return NULL;
}
