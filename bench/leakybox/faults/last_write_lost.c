/* What was written last lies in a cache that the end of the session forgets. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "leakybox/faults.h"

enum { BYTES_MAX = 1024 * 1024 };

static struct {
    int dir; /* holds the file */
    char name[NAME_MAX + 1];
    struct buf before, after;
} last = {.dir = -1};

static void forget(void)
{
    if (last.dir >= 0)
        close(last.dir);
    buf_release(&last.before);
    buf_release(&last.after);
    last.dir = -1;
}

/* The whole file; false when it cannot be read or is too long. */
static bool peek(int dir, const char *name, struct buf *out)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    uint8_t chunk[4096];
    ssize_t n = -1;

    buf_init(out, BYTES_MAX);
    while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
        buf_add(out, bytes_of(chunk, (size_t)n));
    if (fd >= 0)
        close(fd);
    return n == 0 && !out->overflow;
}

static enum fault_mark on_store(struct fault_store *e)
{
    if (e->tool->run != tool_write_file || !e->place->exists || !S_ISREG(e->place->st.st_mode) || e->lost ||
        e->data.len > BYTES_MAX)
        return FAULT_MISSED;
    forget();
    if (peek(e->place->dir, e->place->name, &last.before))
        last.dir = fcntl(e->place->dir, F_DUPFD_CLOEXEC, 3);
    memcpy(last.name, e->place->name, sizeof(last.name));
    buf_init(&last.after, BYTES_MAX);
    buf_add(&last.after, e->data);
    return FAULT_REACHED;
}

static enum fault_mark on_close(struct fault_close *e)
{
    bool lost = false;
    struct buf now;
    int fd;

    (void)e;
    if (last.dir < 0)
        return FAULT_MISSED;
    /* Whoever has changed it since has seen the cache flushed. */
    lost = peek(last.dir, last.name, &now) && bytes_equal(buf_bytes(&now), buf_bytes(&last.after)) &&
           !bytes_equal(buf_bytes(&last.before), buf_bytes(&last.after));
    buf_release(&now);
    fd = lost ? openat(last.dir, last.name, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    lost = fd >= 0 && write(fd, last.before.data, last.before.len) == (ssize_t)last.before.len;
    if (fd >= 0)
        close(fd);
    forget();
    return lost ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_last_write_lost = {
    .id = "last-write-lost",
    .class_id = "C61",
    .layer = "sandbox",
    .primitive = "persistence",
    .needs = "sequence",
    .summary = "at the end of a session the file that was overwritten last gets its old content back",
    .report = "e2b-dev/E2B#1104",
    .store = on_store,
    .close = on_close,
};
