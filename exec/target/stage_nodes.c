/* Fixtures that are neither files nor directories: links, pipes, sockets, devices.
 *
 * A name that is taken already is never used again: what the target has put there stays what it is. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"
#include "exec/target/root.h"
#include "exec/target/stage_internal.h"

enum { FIFO_MODE = 0644, SOCKET_MODE = 0666, DEVICE_MODE = 0666, BACKLOG = 1 };

/* A socket that listens for as long as the session lives, and is never answered. */
struct staged_socket {
    int fd;
    struct staged_socket *next;
};

/* Opens the directory that the thing shall stand in, made when it is missing; `make` puts it there. */
static int make_node(struct session *s, struct bytes path, int (*make)(int dir, const char *name, const void *data),
                     const void *data)
{
    char name[256];
    int status = root_make_parents(s, path);
    int dir = status ? status : root_open_parent(s, path, name);
    if (dir < 0)
        return dir;
    status = make(dir, name, data) < 0 ? -errno : root_give(s, dir, name);
    close(dir);
    return status;
}

static int make_link(int dir, const char *name, const void *to)
{
    return symlinkat(to, dir, name);
}

int stage_symlink(struct session *s, struct call *call, struct bytes path)
{
    struct bytes to;
    if (!call_bytes(call, "to", &to) || !to.len || memchr(to.data, '\0', to.len))
        return -EINVAL;
    char *expanded = session_expand(s, arena_string(call->arena, to));
    int status = make_node(s, path, make_link, expanded);
    free(expanded);
    return status;
}

static int make_fifo(int dir, const char *name, const void *unused)
{
    return mkfifoat(dir, name, FIFO_MODE);
}

int stage_fifo(struct session *s, struct call *call, struct bytes path)
{
    return make_node(s, path, make_fifo, NULL);
}

/* Binds the socket to a name in the directory. Addresses hold 107 bytes and no descriptor of a directory, so the way leads
 * over /proc and a short name, which then becomes the right one. */
static int bind_at(int fd, int dir, const char *name)
{
    static const char brief[] = ".taskgen-socket";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", dir, brief);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0)
        return -1;
    if (renameat2(dir, brief, dir, name, RENAME_NOREPLACE) == 0 && fchmodat(dir, name, SOCKET_MODE, 0) == 0)
        return 0;
    int failed = errno;
    unlinkat(dir, brief, 0);
    errno = failed;
    return -1;
}

static int make_socket(int dir, const char *name, const void *fd)
{
    return bind_at(*(const int *)fd, dir, name);
}

int stage_socket(struct session *s, struct call *call, struct bytes path)
{
    bool dead = json_as_bool(json_get(call->args, "dead"), false);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    int status = make_node(s, path, make_socket, &fd);
    if (status == 0 && !dead && listen(fd, BACKLOG) < 0)
        status = -errno;
    if (status || dead) {
        close(fd);
        return status;
    }
    struct staged_socket *staged = xcalloc(1, sizeof *staged);
    *staged = (struct staged_socket){.fd = fd, .next = s->sockets};
    s->sockets = staged;
    return 0;
}

void stage_close_sockets(struct session *s)
{
    while (s->sockets) {
        struct staged_socket *staged = s->sockets;
        s->sockets = staged->next;
        close(staged->fd);
        free(staged);
    }
}

/* Those that do no harm whatever is written to them: memory devices (major 1). */
static const struct {
    const char *kind;
    unsigned minor;
} devices[] = {{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 9}};

static int make_device(int dir, const char *name, const void *minor)
{
    return mknodat(dir, name, S_IFCHR | DEVICE_MODE, makedev(1, *(const unsigned *)minor));
}

int stage_device(struct session *s, struct call *call, struct bytes path)
{
    struct bytes kind = BYTES_NONE;
    call_bytes(call, "kind", &kind);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (bytes_equal_string(kind, devices[i].kind))
            return make_node(s, path, make_device, &devices[i].minor);
    return -EINVAL;
}

static bool possible;
static pthread_once_t possible_once = PTHREAD_ONCE_INIT;

/* Root in a container often may not, so it is tried, in the directory that sessions are made in. */
static void find_out(void)
{
    char *dir = geteuid() == 0 ? fs_fresh_dir("taskgen-device", NULL) : NULL;
    if (!dir)
        return;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    unsigned minor = devices[0].minor;
    possible = fd >= 0 && make_device(fd, "null", &minor) == 0;
    if (possible)
        unlinkat(fd, "null", 0);
    if (fd >= 0)
        close(fd);
    rmdir(dir);
    free(dir);
}

bool stage_device_possible(void)
{
    pthread_once(&possible_once, find_out);
    return possible;
}
