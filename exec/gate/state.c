/* Scratch directories, and what the room itself put there, do not count. */
#include "exec/gate/state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "exec/gate/tree.h"

enum { READ_MAX = 64 << 20 };

struct taking {
    struct state *state;
    const struct gate_task *task;
};

static bool is_at_or_below(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

/* 1: seen by the verifier; 0: on the way to what is; -1: neither. */
static int seen(const struct gate_task *t, const char *path)
{
    static const char *const scratch[] = {"/usr", "/proc", "/dev", "/tmp", "/var/tmp", "/run", "/tests", "/solution", "/logs", "/etc/ld.so.preload", "/etc/faketimerc", "/etc/alternatives"};
    if (!t->separate) {
        for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
            if (is_at_or_below(path, scratch[i]))
                return -1;
        return 1;
    }
    for (size_t i = 0; i < t->artifacts.count; i++) {
        if (is_at_or_below(path, t->artifacts.items[i]))
            return 1;
        if (is_at_or_below(t->artifacts.items[i], path))
            return 0;
    }
    return -1;
}

static uint64_t content_hash(const struct tree_entry *e)
{
    char target[PATH_MAX];
    struct buf text;
    uint64_t hash = 0;
    if (S_ISLNK(e->st.st_mode)) {
        ssize_t n = readlinkat(e->dir, e->name, target, sizeof target);
        return n > 0 ? hash64(bytes_of(target, (size_t)n)) : 0;
    }
    if (!S_ISREG(e->st.st_mode))
        return 0;
    buf_init(&text, READ_MAX);
    hash = tree_read(e, READ_MAX, &text, NULL) < 0 ? (uint64_t)e->st.st_size : hash64(buf_bytes(&text));
    buf_release(&text);
    return hash;
}

static int take_entry(void *user, const struct tree_entry *e, struct error **err)
{
    struct taking *k = user;
    struct state *s = k->state;
    char *path = strings_printf("/%s", e->path);
    int how = seen(k->task, path);
    if (how <= 0) {
        free(path);
        return how < 0;
    }
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        s->items = xrealloc(s->items, s->capacity * sizeof *s->items);
    }
    s->items[s->count++] = (struct state_item){path, hash64_mix(e->st.st_mode, content_hash(e)), S_ISREG(e->st.st_mode)};
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct state_item *)a)->path, ((const struct state_item *)b)->path);
}

int state_take(struct state *s, const struct gate_task *t, const char *root, struct error **err)
{
    memset(s, 0, sizeof *s);
    struct taking k = {s, t};
    TRY(tree_walk(root, take_entry, &k, err));
    if (s->count)
        qsort(s->items, s->count, sizeof *s->items, by_path);
    for (size_t i = 0; i < s->count; i++)
        s->hash = hash64_mix(s->hash, hash64_mix(hash64(bytes_of_string(s->items[i].path)), s->items[i].hash));
    return 0;
}

void state_release(struct state *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->items[i].path);
    free(s->items);
    memset(s, 0, sizeof *s);
}

const struct state_item *state_find(const struct state *s, const char *path)
{
    const struct state_item key = {.path = (char *)path};
    return s->count ? bsearch(&key, s->items, s->count, sizeof key, by_path) : NULL;
}
