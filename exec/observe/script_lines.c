/* A table of scripts, each with the offsets at which its lines begin. */
#include "exec/observe/script_lines.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/fs.h"
#include "base/hash.h"

enum { FILES = 4096 /* a power of two */, FILES_KEPT = FILES / 2, FILE_MAX = 16 << 20 };

struct script {
    char *path;       /* NULL: this place is free */
    uint32_t *starts; /* of lines; NULL: it could not be read */
    size_t count;
};

struct script_lines {
    pthread_mutex_t lock;
    size_t count;
    struct script files[FILES]; /* a hash table with steps of one */
};

struct script_lines *script_lines_new(void)
{
    struct script_lines *s = xcalloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void script_lines_free(struct script_lines *s)
{
    for (size_t i = 0; i < FILES && s; i++) {
        free(s->files[i].path);
        free(s->files[i].starts);
    }
    if (s)
        pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Units that the bytes of UTF-8 stand for: counted at the first byte of each character. */
static unsigned units(uint8_t byte)
{
    if ((byte & 0xc0) == 0x80)
        return 0;
    return byte >= 0xf0 ? 2 : 1;
}

static void find_lines(struct script *f, struct bytes text)
{
    size_t lines = 1;
    for (size_t i = 0; i < text.len; i++)
        lines += text.data[i] == '\n';
    f->starts = xcalloc(lines, sizeof *f->starts);
    uint32_t offset = 0;
    f->count = 1;
    for (size_t i = 0; i < text.len; i++) {
        offset += units(text.data[i]);
        if (text.data[i] == '\n')
            f->starts[f->count++] = offset;
    }
}

/* The name comes from the target: nothing but a plain file is opened. */
static void read_script(struct script *f)
{
    struct stat st;
    struct buf text;
    buf_init(&text, FILE_MAX);
    if (stat(f->path, &st) == 0 && S_ISREG(st.st_mode) && fs_read(f->path, FILE_MAX, &text, NULL) == 0)
        find_lines(f, buf_bytes(&text));
    buf_release(&text);
}

/* With the lock held. NULL: the table is full. */
static const struct script *find(struct script_lines *s, struct bytes path)
{
    size_t at = hash64(path) % FILES;
    for (; s->files[at].path; at = (at + 1) % FILES)
        if (bytes_equal_string(path, s->files[at].path))
            return &s->files[at];
    if (s->count == FILES_KEPT)
        return NULL;
    struct script *f = &s->files[at];
    f->path = xcalloc(1, path.len + 1);
    memcpy(f->path, path.data, path.len);
    s->count++;
    read_script(f);
    return f;
}

static unsigned line_in(const struct script *f, int64_t offset)
{
    size_t low = 0, high = f->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (unsigned)low + 1;
}

unsigned script_line(struct script_lines *s, struct bytes file, int64_t offset)
{
    if (!file.len || file.data[0] != '/' || memchr(file.data, '\0', file.len))
        return 0;
    pthread_mutex_lock(&s->lock);
    const struct script *f = find(s, file);
    unsigned line = f && f->starts ? line_in(f, offset) : 0;
    pthread_mutex_unlock(&s->lock);
    return line;
}
