/* Bytes in and out of files; see content.h.
 *
 * A file is written in place, so that its links, owner and mode stay, and whoever has it open sees the new
 * content; room is reserved before the first old byte is overwritten, so a full disk is noticed in time (on
 * file systems that can reserve). Two servers on one root take turns at a file. What is not a regular file is
 * refused before it is opened, and again after: opening a FIFO or a device may block or do something. */
#include "leakybox/content.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "leakybox/faults.h"
#include "leakybox/text.h"

enum { CHUNK = 65536 };

/* Opens the place; -1 when the call was answered. */
static int open_regular(struct call *c, const struct place *p, const char *verb, int flags, bool waits)
{
    struct buf name;
    struct stat st = p->st;
    int fd = -1, number;

    if (!p->exists || S_ISREG(st.st_mode) || waits) {
        fd = openat(p->dir, p->name, flags | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | (waits ? 0 : O_NONBLOCK),
                    0666);
        number = errno;
        if (fd < 0 || fstat(fd, &st)) {
            call_failed_errno(c, verb, p, fd < 0 ? number : errno);
            if (fd >= 0)
                close(fd);
            return -1;
        }
        if (S_ISREG(st.st_mode) || waits)
            return fd;
        close(fd);
    }
    buf_init(&name, 1024);
    text_quote(&name, p->relative.len ? buf_bytes(&p->relative) : BYTES_LITERAL("."));
    call_failed(c, "cannot %s %s: it is %s, not a regular file", verb, buf_string(&name), place_kind(&st));
    buf_release(&name);
    return -1;
}

/* Storing. */

/* 0 or errno. */
static int write_at(int fd, struct bytes data, off_t at)
{
    while (data.len) {
        ssize_t n = pwrite(fd, data.data, data.len, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        data = bytes_slice(data, (size_t)n, data.len);
        at += n;
    }
    return 0;
}

/* 0 or errno; on failure the file has its old size (and content, as far as room could be reserved). */
static int put(int fd, off_t old_size, off_t at, struct bytes data, bool *damaged)
{
    int number = 0;

    if (data.len && fallocate(fd, FALLOC_FL_KEEP_SIZE, at, (off_t)data.len)) {
        number = errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL ? 0 : errno;
        if (errno == EINTR)
            number = 0;
    }
    if (!number) {
        number = write_at(fd, data, at);
        *damaged = number && at < old_size;
    }
    if (!number && ftruncate(fd, at + (off_t)data.len))
        number = errno;
    else if (number)
        (void)!ftruncate(fd, old_size); /* gives back what was reserved */
    return number;
}

/* The planted kind of trouble: what fits is written and nobody is told. */
static bool full_disk_hidden(struct call *c, int fd, off_t at, struct bytes data, int number)
{
    struct fault_full event = {.tool = c->tool};

    if (number != ENOSPC && number != EDQUOT)
        return false;
    faults_full(&event);
    if (!event.hidden)
        return false;
    (void)!ftruncate(fd, at);
    (void)write_at(fd, data, at);
    return true;
}

bool content_store(struct call *c, const struct place *p, struct bytes data, enum store_how how)
{
    struct fault_store event = {.tool = c->tool, .arena = c->arena, .place = p, .data = data};
    struct stat st;
    bool damaged = false;
    off_t old_size, at;
    int fd, number;

    if (p->slash) {
        call_failed_errno(c, "write", p, EISDIR);
        return false;
    }
    faults_store(&event);
    if (event.lost)
        return true;
    fd = open_regular(c, p, "write", O_WRONLY | (p->exists ? 0 : O_CREAT), false);
    if (fd < 0)
        return false;
    (void)flock(fd,
                LOCK_EX); /* another server on the same root may add to the file now; close() gives it up */
    old_size = fstat(fd, &st) ? 0 : st.st_size;
    at = how == STORE_APPEND ? old_size : 0;
    number = put(fd, old_size, at, event.data, &damaged);
    if (number && full_disk_hidden(c, fd, at, event.data, number))
        number = 0;
    if (!number && event.resets_mode)
        (void)!fchmod(fd, 0644);
    close(fd);
    if (!number)
        return true;
    if (!p->exists)
        unlinkat(p->dir, p->name, 0);
    call_failed_errno(c, damaged ? "write (its old content is lost)" : "write", p, number);
    return false;
}

/* Loading. */

/* Offset just behind the first `lines` lines, or the size when there are fewer; -1 with errno. It is not looked further than an answer
 * may reach. */
static off_t head_end(int fd, int64_t lines)
{
    char chunk[CHUNK];
    off_t at = 0;
    ssize_t n;

    while (lines > 0 && at <= CONTENT_MAX_BYTES && (n = pread(fd, chunk, sizeof(chunk), at)) != 0) {
        const char *from = chunk;

        if (n < 0)
            return -1;
        while (lines > 0) {
            const char *end = memchr(from, '\n', (size_t)(chunk + n - from));

            if (!end)
                break;
            from = end + 1;
            lines--;
        }
        at += lines > 0 ? n : from - chunk;
    }
    return at;
}

static bool ends_with_newline(int fd, off_t size)
{
    char last;

    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last == '\n';
}

/* Offset where the last `lines` lines begin; -1 with errno. A final newline ends the last line. Once more has been passed than an answer
 * may hold it is looked no further, which would take the server for as long as the file is big: the offset reached is given. */
static off_t tail_start(int fd, off_t size, int64_t lines)
{
    char chunk[CHUNK];
    struct fault_tail event = {.lines = lines, .ends_with_newline = ends_with_newline(fd, size)};
    off_t end;

    faults_tail(&event);
    if (lines == 0)
        return size;
    end = event.ends_with_newline && !event.counts_empty ? size - 1 : size;
    while (end > 0 && size - end <= CONTENT_MAX_BYTES) {
        off_t from = end > CHUNK ? end - CHUNK : 0;
        ssize_t n = pread(fd, chunk, (size_t)(end - from), from);

        if (n < 0)
            return -1;
        for (ssize_t i = n; i > 0; i--)
            if (chunk[i - 1] == '\n' && --lines == 0)
                return from + i;
        if (n == 0)
            return 0; /* the file has become shorter */
        end = from;
    }
    return end;
}

/* The bytes from..to of the file, "to" being -1 for the end. 0, -1 with errno, or 1 when there are more than
 * a reply may hold. */
static int read_range(int fd, off_t from, off_t to, struct buf *out)
{
    char chunk[CHUNK];

    while (to < 0 || from < to) {
        size_t want = to < 0 || to - from > CHUNK ? CHUNK : (size_t)(to - from);
        ssize_t n = pread(fd, chunk, want, from);

        if (n < 0 && errno == ESPIPE) /* a planted fault has opened what cannot be positioned */
            n = read(fd, chunk, want);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            return 0;
        if (out->len + (size_t)n > CONTENT_MAX_BYTES)
            return 1;
        buf_add(out, bytes_of(chunk, (size_t)n));
        from += n;
    }
    return 0;
}

static int load(int fd, const struct content_part *part, struct buf *out)
{
    struct stat st;
    off_t from = part->offset, to = -1;

    if (fstat(fd, &st))
        return -1;
    if (part->length >= 0)
        to = part->length > INT64_MAX - from ? INT64_MAX : from + part->length;
    if (part->has_head) {
        from = 0;
        to = head_end(fd, part->head);
    } else if (part->has_tail) {
        from = tail_start(fd, st.st_size, part->tail);
    }
    if (from < 0 || (part->has_head && to < 0))
        return -1;
    return read_range(fd, from, to, out);
}

bool content_load(struct call *c, const struct place *p, const struct content_part *part, struct buf *out)
{
    struct fault_open event = {.tool = c->tool, .place = p, .head = part->has_head};
    struct fault_load loaded = {.tool = c->tool,
                                .place = p,
                                .whole = !part->has_head && !part->has_tail && !part->offset &&
                                         part->length < 0,
                                .data = out};
    int fd, result, number;

    if (!p->exists) {
        call_failed_errno(c, "read", p, ENOENT);
        return false;
    }
    faults_open(&event);
    fd = open_regular(c, p, "read", O_RDONLY, event.waits);
    if (fd < 0)
        return false;
    result = load(fd, part, out);
    number = errno;
    if (!event.forgets)
        close(fd);
    if (result < 0) {
        call_failed_errno(c, "read", p, number);
    } else if (result > 0) {
        call_failed(c,
                    "what was asked for has more than the %d bytes that one answer may hold: ask for a part",
                    CONTENT_MAX_BYTES);
    } else {
        faults_load(&loaded);
    }
    return result == 0;
}
