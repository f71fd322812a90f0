/* Looking for canaries; see canary.h.
 *
 * All canaries of a session begin with the same mark. So one search for that decides the usual case, that none is there. */
#include "exec/canary.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/error.h"

enum { BASE64_SEARCHED = 1 << 20, GROUP = 3, DEPTH_MAX = 12 };

/* How much is walked: what is usual costs less than a millisecond. */
static const struct limits {
    size_t entries, file_bytes, bytes;
} brief = {200, 64 << 10, 1 << 20}, thorough_limits = {5000, 1 << 20, 32 << 20};

/* The part of its base64 that does not depend on what stands around it, for text that begins `shift` bytes into a group. */
static struct bytes encoded(struct buf *out, const char *text, size_t shift)
{
    size_t length = strlen(text), skip = shift ? GROUP - shift : 0;
    buf_clear(out);
    base64_encode(out, bytes_of(text + skip, (length - skip) / GROUP * GROUP));
    return buf_bytes(out);
}

static bool stands_encoded(struct bytes text, const char *canary)
{
    struct buf out;
    bool found = false;
    buf_init(&out, 1024);
    for (size_t shift = 0; shift < GROUP && !found; shift++)
        found = bytes_find(text, encoded(&out, canary, shift), 0) >= 0;
    buf_release(&out);
    return found;
}

unsigned canary_in_text(const struct tripwires *t, struct bytes text)
{
    const char *mark = tripwires_mark(t);
    unsigned found = 0;
    if (text.len < strlen(mark))
        return 0;
    bool plain = bytes_find(text, bytes_of_string(mark), 0) >= 0;
    struct bytes part = bytes_slice(text, 0, BASE64_SEARCHED);
    bool coded = stands_encoded(part, mark);
    for (int i = 0; i < TRIPWIRE_PLACES && (plain || coded); i++) {
        const char *canary = tripwires_canary(t, (enum tripwire_place)i);
        if ((plain && bytes_find(text, bytes_of_string(canary), 0) >= 0) || (coded && stands_encoded(part, canary)))
            found |= 1u << i;
    }
    return found;
}

unsigned canary_in_json(const struct tripwires *t, const struct json *value)
{
    unsigned found = 0;
    const struct json *node = value;
    while (node) {
        if (json_is(node, JSON_STRING))
            found |= canary_in_text(t, node->text);
        node = json_next(value, node, true);
    }
    return found;
}

struct search {
    const struct tripwires *tripwires;
    const struct limits *limits;
    struct arena *a;
    struct bytes *found;
    size_t entries, bytes;
    uint8_t *block;
};

static void search_file(struct search *s, int dir, const char *name, const char *prefix)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    ssize_t n = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, s->block, s->limits->file_bytes) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return;
    s->bytes += (size_t)n;
    unsigned places = canary_in_text(s->tripwires, bytes_of(s->block, (size_t)n));
    for (int i = 0; i < TRIPWIRE_PLACES; i++)
        if (places & 1u << i && !s->found[i].len)
            s->found[i] = bytes_of_string(arena_printf(s->a, "%s%s", prefix, name));
}

/* Depth is bounded, so this recursion is too. Takes over fd. */
static void search_directory(struct search *s, int fd, const char *prefix, int depth)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return;
    }
    for (struct dirent *entry;
         s->bytes < s->limits->bytes && (entry = readdir(dir)) && s->entries++ < s->limits->entries;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN)
            search_file(s, dirfd(dir), name, prefix);
        if (entry->d_type != DT_DIR || depth == DEPTH_MAX)
            continue;
        int below = openat(dirfd(dir), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0)
            search_directory(s, below, arena_printf(s->a, "%s%s/", prefix, name), depth + 1);
    }
    closedir(dir);
}

void canary_in_files(const struct tripwires *t, const char *directory, bool thorough, struct arena *a,
                     struct bytes found[TRIPWIRE_PLACES])
{
    struct search s = {.tripwires = t, .limits = thorough ? &thorough_limits : &brief, .a = a, .found = found};
    memset(found, 0, TRIPWIRE_PLACES * sizeof *found);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    s.block = xmalloc(s.limits->file_bytes);
    search_directory(&s, fd, "", 0);
    free(s.block);
}
