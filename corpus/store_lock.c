/* One writer at a time. Two programs that write to one database would each hand out the same task indexes,
 * and SQLite would make one wait for the other's batches; so the second is refused at once, and told who is
 * there.
 *
 * The lock is a flock on "<database>-lock", beside SQLite's own "-wal" and "-shm". It ends with the process
 * however that dies. The database itself cannot carry it: closing any descriptor of a file drops the POSIX
 * locks that SQLite has on it. The file is removed by whoever holds it, at the end; after a kill it stays,
 * empty of meaning, until the next writer takes it over. */
#include "corpus/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_ATTEMPTS = 100 };

/* Is it still the file of that name? The last holder may have removed it between our open and our flock. */
static bool still_there(int fd, const char *name)
{
    struct stat mine, named;
    return fstat(fd, &mine) == 0 && stat(name, &named) == 0 && mine.st_dev == named.st_dev &&
           mine.st_ino == named.st_ino;
}

static int refuse(const struct store *s, int fd, struct error **err)
{
    char text[24] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;
    if (pid > 0)
        return error_set(err, ERR_OUTPUT, "cannot write '%s': another taskgen (process %ld) writes to it",
                         s->path, pid);
    return error_set(err, ERR_OUTPUT, "cannot write '%s': another taskgen writes to it", s->path);
}

/* The name is for people; that it could not be written does no harm. */
static void sign(int fd)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)n, 0) < 0)
        return;
}

int store_lock(struct store *s, struct error **err)
{
    if (asprintf(&s->lock_file, "%s-lock", s->file) < 0)
        BUG("out of memory");
    for (int i = 0; i < LOCK_ATTEMPTS; i++) {
        int fd = open(s->lock_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (fd < 0)
            return error_set(err, ERR_OUTPUT, "cannot write '%s': %s: %s", s->path, s->lock_file,
                             strerror(errno));
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
            int status = errno == EWOULDBLOCK ? refuse(s, fd, err)
                                              : error_set(err, ERR_OUTPUT, "cannot lock '%s': %s",
                                                          s->lock_file, strerror(errno));
            close(fd);
            return status;
        }
        if (still_there(fd, s->lock_file)) {
            s->lock_fd = fd;
            sign(fd);
            return 0;
        }
        close(fd);
    }
    return error_set(err, ERR_OUTPUT, "cannot lock '%s': it is removed again and again", s->lock_file);
}

void store_unlock(struct store *s)
{
    if (s->lock_fd >= 0) {
        unlink(s->lock_file);
        close(s->lock_fd);
    }
    s->lock_fd = -1;
    free(s->lock_file);
    s->lock_file = NULL;
}
