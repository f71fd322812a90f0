/* Session directories: "taskgen-session-XXXXXX", locked while they are in use.
 *
 * The lock is the kernel's, so it ends with the process that holds it, however that ends. A directory of that
 * name that is ours, looks like a session's and is not locked belongs to a taskgen that was killed. One that
 * is only just being made is not locked either, hence the age. */
#include "exec/target/session_base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "exec/agent/ids.h"

enum {
    AGE_MS = 60000,
    MAX_SWEPT = 256,
    MAX_TABLE = 1 << 24,
    DIR_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

/* Ours, or what our box made ours. */
static bool is_ours(const struct stat *st)
{
    return st->st_uid == geteuid() || (geteuid() == 0 && st->st_uid >= (unsigned)AGENT_FIRST_ID &&
                                       st->st_uid < (unsigned)AGENT_FIRST_ID + AGENT_ID_COUNT);
}

/* Takes the lock of a directory that nobody uses; a descriptor that holds it, or -1. */
static int claim(int parent, const char *name, int64_t age_ms)
{
    struct stat st;
    int fd = openat(parent, name, DIR_FLAGS);
    if (fd < 0)
        return -1;
    bool stale = fstat(fd, &st) == 0 && is_ours(&st) &&
                 faccessat(fd, "root", F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
                 faccessat(fd, "home", F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
                 clock_wall_ms() - (int64_t)st.st_ctim.tv_sec * 1000 >= age_ms &&
                 flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (stale)
        return fd;
    close(fd);
    return -1;
}

void session_base_mounts(const char *path, struct strings *out)
{
    struct strings found = {0};
    struct buf text;
    buf_init(&text, MAX_TABLE);
    if (fs_read("/proc/self/mountinfo", MAX_TABLE, &text, NULL) == 0) {
        buf_add_byte(&text, '\0');
        char *at = (char *)text.data;
        for (char *line; (line = strsep(&at, "\n"));) {
            char *where = NULL;
            for (int field = 0; field < 5 && line; field++)
                where = strsep(&line, " ");
            size_t length = strlen(path);
            if (line && where && strncmp(where, path, length) == 0 && where[length] == '/')
                strings_add(&found, where);
        }
    }
    for (size_t i = found.count; i-- > 0;)
        strings_add(out, found.items[i]);
    strings_release(&found);
    buf_release(&text);
}

/* Small disks that are still mounted in it. Names of ours have nothing that is escaped, and others' are left alone. */
static void unmount_below(const char *path)
{
    struct strings mounts = {0};
    if (geteuid() == 0)
        session_base_mounts(path, &mounts);
    for (size_t i = 0; i < mounts.count; i++)
        umount2(mounts.items[i], MNT_DETACH | UMOUNT_NOFOLLOW);
    strings_release(&mounts);
}

size_t session_base_sweep(const char *where, int64_t age_ms)
{
    size_t swept = 0;
    DIR *list = opendir(where);
    for (struct dirent *entry; list && swept < MAX_SWEPT && (entry = readdir(list));) {
        if (strncmp(entry->d_name, SESSION_BASE_PREFIX "-", strlen(SESSION_BASE_PREFIX "-")) != 0)
            continue;
        int lock = claim(dirfd(list), entry->d_name, age_ms);
        if (lock < 0)
            continue;
        char *path = strings_printf("%s/%s", where, entry->d_name);
        unmount_below(path);
        swept += fs_remove_tree(path, NULL) == 0;
        free(path);
        close(lock);
    }
    if (list)
        closedir(list);
    return swept;
}

static void sweep(void)
{
    const char *where = getenv("TMPDIR");
    char *real = realpath(where && where[0] == '/' ? where : "/tmp", NULL);
    if (real)
        session_base_sweep(real, AGE_MS);
    free(real);
}

char *session_base_new(int *lock, struct error **err)
{
    static pthread_once_t swept = PTHREAD_ONCE_INIT;
    pthread_once(&swept, sweep);
    char *fresh = fs_fresh_dir(SESSION_BASE_PREFIX, err);
    if (!fresh)
        return NULL;
    char *base = realpath(fresh, NULL); /* a working directory is told without links */
    *lock = base ? open(base, DIR_FLAGS) : -1;
    if (*lock < 0) {
        error_set(err, ERR_OUTPUT, "cannot open the fresh directory '%s': %s", fresh, strerror(errno));
        rmdir(fresh);
        free(base);
        base = NULL;
    } else {
        flock(*lock, LOCK_EX | LOCK_NB); /* a file system without locks has none for others to take either */
    }
    free(fresh);
    return base;
}
