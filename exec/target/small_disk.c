/* Mounting small file systems for a session.
 *
 * The box has a mount namespace of its own. What is mounted here shows there by itself only where this
 * machine's mounts are shared; elsewhere a copy of the mount is put there by a child that goes into the box's
 * namespace. Both name the same file system, so the root stays visible from outside. The directory is reached
 * beneath the root's descriptor each time, and it is that descriptor that is mounted on. */
#include "exec/target/small_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/target/root.h"

struct mounts {
    char *path; /* on this machine; it is mounted on, so nobody can rename it */
    struct mounts *next;
};

/* A tmpfs that is mounted nowhere yet; a descriptor or -errno. */
static int make_disk(const char *size, const char *owner)
{
    int context = fsopen("tmpfs", FSOPEN_CLOEXEC);
    if (context < 0)
        return -errno;
    int fd = -1;
    if (fsconfig(context, FSCONFIG_SET_STRING, "size", size, 0) == 0 &&
        fsconfig(context, FSCONFIG_SET_STRING, "mode", "0777", 0) == 0 &&
        fsconfig(context, FSCONFIG_SET_STRING, "uid", owner, 0) == 0 &&
        fsconfig(context, FSCONFIG_SET_STRING, "gid", owner, 0) == 0 &&
        fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        fd = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID);
    int failed = errno;
    close(context);
    return fd < 0 ? -failed : fd;
}

static bool possible;
static pthread_once_t possible_once = PTHREAD_ONCE_INIT;

static void find_out(void)
{
    int fd = geteuid() == 0 ? make_disk("65536", "0") : -1;
    possible = fd >= 0;
    if (fd >= 0)
        close(fd);
}

bool small_disk_possible(void)
{
    pthread_once(&possible_once, find_out);
    return possible;
}

void small_disk_isolate(void)
{
    /* Slave, not private: what the machine mounts meanwhile is still seen. */
    if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0)
        mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
}

static pthread_rwlock_t mounts_lock = PTHREAD_RWLOCK_INITIALIZER; /* for writing: the mounts change */

void small_disk_hold(void)
{
    pthread_rwlock_rdlock(&mounts_lock);
}

void small_disk_let(void)
{
    pthread_rwlock_unlock(&mounts_lock);
}

static int put_on(int disk, int dir)
{
    pthread_rwlock_wrlock(&mounts_lock);
    int status = move_mount(disk, "", dir, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0 ? -errno : 0;
    pthread_rwlock_unlock(&mounts_lock);
    return status;
}

static void take_away(const char *path)
{
    pthread_rwlock_wrlock(&mounts_lock);
    umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
    pthread_rwlock_unlock(&mounts_lock);
}

static int open_beneath(const char *root_path, const char *path)
{
    int root = open(root_path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = root < 0 ? -errno : root_open_dir(root, path);
    if (root >= 0)
        close(root);
    return fd;
}

/* In the child: puts the copy onto the same directory as the box sees it, unless the mount is there by
 * itself. */
static int show_in_box(int box, int copy, dev_t disk, const char *root_path, const char *path)
{
    struct stat st;
    /* A sanitizer's thread, which this child may have, would share the root directory that changes now. */
    if (unshare(CLONE_FS) < 0 || setns(box, CLONE_NEWNS) < 0)
        return errno;
    int dir = open_beneath(root_path, path);
    if (dir < 0)
        return -dir;
    if (fstat(dir, &st) == 0 && st.st_dev == disk)
        return 0;
    return move_mount(copy, "", dir, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0 ? errno : 0;
}

static int propagate(struct session *s, const char *path)
{
    int dir = open_beneath(s->root, path);
    if (dir < 0)
        return dir;
    struct stat st;
    char *box_path = strings_printf("/proc/%d/ns/mnt", agent_host_pid(s->agent));
    int box = open(box_path, O_RDONLY | O_CLOEXEC);
    int copy = box < 0 || fstat(dir, &st) < 0
                   ? -1
                   : open_tree(dir, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    int status = copy < 0 ? -errno : 0;
    if (status == 0) {
        pid_t pid = fork();
        int ended = 0;
        if (pid == 0)
            _exit(show_in_box(box, copy, st.st_dev, s->root, path));
        while (pid > 0 && waitpid(pid, &ended, 0) < 0 && errno == EINTR)
            continue;
        status = pid < 0 ? -errno : WIFEXITED(ended) ? -WEXITSTATUS(ended) : -ECHILD;
    }
    if (copy >= 0)
        close(copy);
    if (box >= 0)
        close(box);
    close(dir);
    free(box_path);
    return status;
}

int small_disk_mount(struct session *s, struct bytes path, int64_t size)
{
    char bytes[32], owner[16], magic[64], where[4096];
    char *relative = strndup((const char *)path.data, path.len);
    if (!relative)
        BUG("out of memory");
    snprintf(bytes, sizeof bytes, "%lld", (long long)size);
    snprintf(owner, sizeof owner, "%u", session_owner(s));
    int dir = open_beneath(s->root, relative);
    int disk = dir < 0 ? dir : make_disk(bytes, owner), status = disk < 0 ? disk : 0;
    snprintf(magic, sizeof magic, "/proc/self/fd/%d", dir);
    ssize_t n = status == 0 ? readlink(magic, where, sizeof where - 1) : -1;
    if (status == 0)
        status = n < 0 ? -errno : put_on(disk, dir);
    if (status == 0) {
        where[n] = '\0';
        struct mounts *m = xcalloc(1, sizeof *m);
        *m = (struct mounts){.path = xstrdup(where), .next = s->mounts};
        s->mounts = m;
        status = propagate(s, relative);
    }
    if (disk >= 0)
        close(disk);
    if (dir >= 0)
        close(dir);
    free(relative);
    return status;
}

bool small_disk_is(const struct session *s, const char *mount)
{
    for (const struct mounts *m = s->mounts; m; m = m->next)
        if (strcmp(m->path, mount) == 0)
            return true;
    return false;
}

void small_disk_release(struct session *s)
{
    while (s->mounts) {
        struct mounts *m = s->mounts;
        s->mounts = m->next;
        take_away(m->path);
        free(m->path);
        free(m);
    }
}
