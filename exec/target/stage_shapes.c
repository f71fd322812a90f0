/* Fixtures that are too much, too deep, too far or too odd for careless tools.
 *
 * Everything is made through descriptors of directories, one name at a time, so that neither a path's length nor a link of
 * the target's leads us astray. Sizes have ends, since whoever reads a task may have written it too. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/target/root.h"
#include "exec/target/stage_internal.h"

enum {
    DIRECTORY_MODE = 0755,
    FILE_MODE = 0644,
    NAME_LONGEST = 255,
    DEPTH_MAX = 4096,
    MANY_MAX = 50000,
    DIR_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

static const int64_t sparse_max = INT64_C(1) << 43; /* 8 TiB; file systems have ends of their own below that */

/* The directory at path, made when it is missing; a descriptor or -errno. */
static int make_directory(struct session *s, struct bytes path)
{
    int status = root_make_dirs(s, path);
    if (status)
        return status;
    char name[256];
    int parent = root_open_parent(s, path, name);
    if (parent < 0)
        return parent;
    int dir = openat(parent, name, DIR_FLAGS);
    int failed = errno;
    close(parent);
    return dir < 0 ? -failed : dir;
}

/* One directory further down; closes the one it was given. */
static int descend(struct session *s, int dir, const char *name)
{
    int status = mkdirat(dir, name, DIRECTORY_MODE) < 0 && errno != EEXIST ? -errno : root_give(s, dir, name);
    int next = status ? status : openat(dir, name, DIR_FLAGS);
    if (status == 0 && next < 0)
        next = -errno;
    close(dir);
    return next;
}

int stage_deep(struct session *s, struct call *call, struct bytes path)
{
    struct bytes content = BYTES_NONE;
    int64_t depth = 0, length = 200;
    call_bytes(call, "content", &content);
    call_integer(call, "length", &length, NULL);
    if (!call_integer(call, "depth", &depth, NULL) || depth < 1 || depth > DEPTH_MAX || length < 1 ||
        length > NAME_LONGEST)
        return -EINVAL;
    char name[NAME_LONGEST + 1];
    memset(name, 'd', (size_t)length);
    name[length] = '\0';
    int dir = make_directory(s, path);
    for (int64_t i = 0; dir >= 0 && i < depth; i++)
        dir = descend(s, dir, name);
    if (dir < 0)
        return dir;
    int status = root_write_at(s, dir, "leaf.txt", content, FILE_MODE);
    close(dir);
    return status;
}

int stage_many(struct session *s, struct call *call, struct bytes path)
{
    int64_t count = 0;
    if (!call_integer(call, "count", &count, NULL) || count < 1 || count > MANY_MAX)
        return -EINVAL;
    int dir = make_directory(s, path), status = dir < 0 ? dir : 0;
    for (int64_t i = 1; status == 0 && i <= count; i++) {
        char name[32];
        snprintf(name, sizeof name, "entry-%05lld", (long long)i);
        status = mknodat(dir, name, S_IFREG | FILE_MODE, 0) < 0 && errno != EEXIST ? -errno : root_give(s, dir, name);
    }
    if (dir >= 0)
        close(dir);
    return status;
}

/* Each is one thing that a reader of names takes for another: an end of a line, a command for a terminal, an option, a blank
 * that can be trimmed, a pattern, bytes that are no UTF-8. */
static const char *const odd_names[] = {
    "line\nfeed",  "carriage\rreturn", "tab\tstop",      "escape\x1b[31mred", "bell\a",        "delete\x7f",
    "c1\xc2\x85",  "latin\xe9",        "cut\xe2\x82",    "over\xc0\xaf",      "-rf",           "--",
    " leading",    "trailing ",        "trailing.",      "...",               "back\\slash",   "quote'\"`",
    "$(id)",       "star*",            "question?",      "[a]",               "{b,c}",         "~",
    "#hash",       "percent%2e%2e",    "semi;colon&amp", "pipe|to",           "CON",           "colon:stream",
    "bidi\u202etxt", "zero\u200bwidth", "e\u0301",       "\u00e9",            ("\xef\xbb\xbf" "bom"),
};

int stage_names(struct session *s, struct call *call, struct bytes path)
{
    struct bytes content = BYTES_NONE;
    char longest[NAME_LONGEST + 1];
    call_bytes(call, "content", &content);
    memset(longest, 'n', NAME_LONGEST);
    longest[NAME_LONGEST] = '\0';
    int dir = make_directory(s, path), status = dir < 0 ? dir : 0;
    for (size_t i = 0; status == 0 && i < sizeof odd_names / sizeof *odd_names; i++)
        status = root_write_at(s, dir, odd_names[i], content, FILE_MODE);
    if (status == 0)
        status = root_write_at(s, dir, longest, content, FILE_MODE);
    if (dir >= 0)
        close(dir);
    return status;
}

/* A hole, and the content at its end. */
int stage_sparse(struct session *s, struct call *call, struct bytes path)
{
    struct bytes content = BYTES_NONE;
    int64_t size = 0;
    char name[256];
    call_bytes(call, "content", &content);
    if (!call_integer(call, "bytes", &size, NULL) || size > sparse_max || size < (int64_t)content.len)
        return -EINVAL;
    int status = root_make_parents(s, path);
    int dir = status ? status : root_open_parent(s, path, name);
    if (dir < 0)
        return dir;
    status = root_write_at(s, dir, name, BYTES_NONE, FILE_MODE);
    int fd = status ? -1 : openat(dir, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (status == 0 && (fd < 0 || ftruncate(fd, size) < 0 ||
                        pwrite(fd, content.data, content.len, size - (int64_t)content.len) != (ssize_t)content.len))
        status = -errno;
    if (fd >= 0)
        close(fd);
    if (status && fd >= 0)
        unlinkat(dir, name, 0);
    close(dir);
    return status;
}
