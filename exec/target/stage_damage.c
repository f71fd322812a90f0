/* Damage to what a target has stored in the root: one record of every file is spoiled, the rest of it stays as it is. Nothing is
 * followed, and what is very big, or deeper than a directory below, is left alone. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "exec/target/root.h"
#include "exec/target/stage_internal.h"

enum { DEPTH_MOST = 2, FILES_MOST = 64, FILE_SIZE_MOST = 16 << 20 };

static void spoil_line(struct bytes old, struct buf *new)
{
    buf_add(new, old);
    if (old.len && old.data[old.len - 1] != '\n')
        buf_add_byte(new, '\n');
    buf_add_string(new, "{\"cut short\": \"\n");
}

/* The end is missing, as after a write that was interrupted. */
static void spoil_cut(struct bytes old, struct buf *new)
{
    buf_add(new, bytes_slice(old, 0, old.len - old.len / 4 - (old.len > 0)));
}

/* Two records in one line; where there is one only, it stands there twice. */
static void spoil_joined(struct bytes old, struct buf *new)
{
    ptrdiff_t at = bytes_find(old, BYTES_LITERAL("\n"), 0);
    bool two = at >= 0 && (size_t)at + 1 < old.len;
    struct bytes first = bytes_slice(old, 0, at >= 0 ? (size_t)at : old.len);
    buf_add(new, first);
    buf_add(new, two ? bytes_slice(old, (size_t)at + 1, old.len) : old);
}

static void spoil_mark(struct bytes old, struct buf *new)
{
    buf_add_string(new, "\xEF\xBB\xBF");
    buf_add(new, old);
}

static void spoil_empty(struct bytes old, struct buf *new)
{
}

static const struct {
    const char *kind;
    void (*spoil)(struct bytes old, struct buf *new);
} kinds[] = {{"line", spoil_line}, {"cut", spoil_cut}, {"joined", spoil_joined}, {"mark", spoil_mark}, {"empty", spoil_empty}};

struct damage {
    size_t kind, done;
};

static int read_whole(int fd, struct buf *out)
{
    uint8_t block[1 << 14];
    for (ssize_t n; (n = read(fd, block, sizeof block)) != 0;) {
        if (n < 0)
            return -errno;
        buf_add(out, bytes_of(block, (size_t)n));
    }
    return out->overflow ? -EFBIG : 0;
}

static int write_whole(int fd, struct bytes data)
{
    if (ftruncate(fd, 0) < 0)
        return -errno;
    for (size_t at = 0; at < data.len;) {
        ssize_t n = pwrite(fd, data.data + at, data.len - at, (off_t)at);
        if (n < 0)
            return -errno;
        at += (size_t)n;
    }
    return 0;
}

/* The same file, in place, so that owner, mode and whoever has it open stay. */
static int damage_file(int dir, const char *name, struct damage *d)
{
    int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return errno == ELOOP || errno == ENOENT || errno == EISDIR || errno == ENXIO ? 0 : -errno;
    int status = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= FILE_SIZE_MOST) {
        struct buf old, new;
        buf_init(&old, FILE_SIZE_MOST);
        buf_init(&new, 2 * FILE_SIZE_MOST + 64);
        status = read_whole(fd, &old);
        if (status == 0) {
            kinds[d->kind].spoil(buf_bytes(&old), &new);
            status = write_whole(fd, buf_bytes(&new));
            d->done++;
        }
        buf_release(&old);
        buf_release(&new);
    }
    close(fd);
    return status;
}

/* Takes the descriptor. */
static int damage_below(int fd, int depth, struct damage *d)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return -errno;
    }
    int status = 0;
    for (struct dirent *entry; status == 0 && d->done < FILES_MOST && (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        int below = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below < 0)
            status = damage_file(dirfd(dir), entry->d_name, d);
        else if (depth > 1)
            status = damage_below(below, depth - 1, d);
        else
            close(below);
    }
    closedir(dir);
    return status;
}

int stage_damage(struct session *s, struct call *call, struct bytes path)
{
    struct damage d = {0};
    struct bytes kind = BYTES_LITERAL("line");
    call_bytes(call, "kind", &kind);
    while (d.kind < sizeof kinds / sizeof *kinds && !bytes_equal_string(kind, kinds[d.kind].kind))
        d.kind++;
    if (d.kind == sizeof kinds / sizeof *kinds)
        return -EINVAL;
    int root = root_open(s);
    if (root < 0)
        return root;
    int dir = root_open_dir(root, arena_string(call->arena, path));
    close(root);
    int status = dir < 0 ? dir : damage_below(dir, DEPTH_MOST, &d);
    if (status == 0)
        call_put_integer(call, "files", (int64_t)d.done);
    return status;
}
