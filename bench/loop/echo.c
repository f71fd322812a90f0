/* Files in memory, and the calls on them; see echo.h.
 *
 * A session's files are there until it is released, so also when it is opened again; sessions beside it share them, under a lock.
 * Paths are kept without "." and "..", "" is the root. Invariants: every path is there once; what stands before its last slash is a
 * directory that is there; bytes that were replaced stay in the arena to the end. */
#include "echo.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/target/session_internal.h"

enum { NAME_LONGEST = 255, PATH_LONGEST = 4095, FILE_MODE = 0644, DIRECTORY_MODE = 0755, NS_PER_S = 1000000000 };

struct node {
    struct bytes path, data;
    bool directory;
};

struct echo {
    pthread_mutex_t lock;
    struct arena arena;
    struct node *nodes;
    size_t count, capacity;
};

/* --- the tree --- */

static struct node *find(struct echo *e, struct bytes path)
{
    for (size_t i = 0; i < e->count; i++)
        if (bytes_equal(e->nodes[i].path, path))
            return &e->nodes[i];
    return NULL;
}

static struct bytes parent_of(struct bytes path)
{
    size_t at = path.len;
    while (at > 0 && path.data[at - 1] != '/')
        at--;
    return bytes_slice(path, 0, at ? at - 1 : 0);
}

static bool is_below(struct bytes path, struct bytes directory)
{
    return !directory.len ? path.len > 0
                          : path.len > directory.len && path.data[directory.len] == '/' && bytes_starts(path, directory);
}

/* Why nothing can be made at that path; 0: it can. */
static int no_place(struct echo *e, struct bytes path)
{
    const struct node *parent = find(e, parent_of(path));
    return !parent ? ENOENT : parent->directory ? 0 : ENOTDIR;
}

static struct node *add(struct echo *e, struct bytes path, bool directory)
{
    if (e->count == e->capacity) {
        e->capacity = e->capacity ? 2 * e->capacity : 16;
        e->nodes = xrealloc(e->nodes, e->capacity * sizeof *e->nodes);
    }
    struct node *n = &e->nodes[e->count++];
    *n = (struct node){.path = arena_copy(&e->arena, path), .directory = directory};
    return n;
}

/* Takes one name of a path behind those that are in *out; 0 or an errno. */
static int push_name(struct bytes name, struct buf *out)
{
    if (name.len > NAME_LONGEST)
        return ENAMETOOLONG;
    if (!name.len || bytes_equal_string(name, "."))
        return 0;
    if (!bytes_equal_string(name, "..")) {
        if (out->len)
            buf_add_byte(out, '/');
        buf_add(out, name);
        return 0;
    }
    if (!out->len)
        return EACCES; /* out of the root */
    out->len = parent_of(buf_bytes(out)).len;
    return 0;
}

/* The path that an argument means; 0 or an errno. */
static int path_of(const struct call *call, const char *argument, struct bytes *path)
{
    struct bytes given;
    struct buf out;
    if (!call_bytes(call, argument, &given) || memchr(given.data, '\0', given.len))
        return EINVAL;
    if (given.len > PATH_LONGEST)
        return ENAMETOOLONG;
    if (given.len && given.data[0] == '/')
        return EACCES;
    buf_init(&out, PATH_LONGEST);
    int status = 0;
    for (size_t at = 0; !status && at <= given.len;) {
        const uint8_t *slash = memchr(given.data + at, '/', given.len - at);
        size_t end = slash ? (size_t)(slash - given.data) : given.len;
        status = push_name(bytes_slice(given, at, end), &out);
        at = end + 1;
    }
    *path = arena_copy(call->arena, buf_bytes(&out));
    buf_release(&out);
    return status;
}

/* --- ops: each 0 or an errno --- */

static struct bytes content_of(const struct call *call)
{
    struct bytes content = BYTES_NONE;
    call_bytes(call, "content", &content);
    return content;
}

static int put(struct echo *e, const struct call *call, struct bytes path, bool append)
{
    struct node *n = find(e, path);
    if (n && n->directory)
        return EISDIR;
    int status = n ? 0 : no_place(e, path);
    if (status)
        return status;
    n = n ? n : add(e, path, false);
    struct bytes old = append ? n->data : BYTES_NONE, more = content_of(call);
    uint8_t *data = arena_alloc(&e->arena, old.len + more.len + 1);
    if (old.len)
        memcpy(data, old.data, old.len);
    if (more.len)
        memcpy(data + old.len, more.data, more.len);
    n->data = bytes_of(data, old.len + more.len);
    return 0;
}

static int echo_write(struct echo *e, struct call *call, struct bytes path)
{
    return put(e, call, path, false);
}

static int echo_append(struct echo *e, struct call *call, struct bytes path)
{
    return put(e, call, path, true);
}

static struct bytes first_lines(struct bytes data, int64_t count)
{
    size_t end = 0;
    for (; count > 0 && end < data.len; count--) {
        const uint8_t *newline = memchr(data.data + end, '\n', data.len - end);
        end = newline ? (size_t)(newline - data.data) + 1 : data.len;
    }
    return bytes_slice(data, 0, end);
}

static struct bytes last_lines(struct bytes data, int64_t count)
{
    size_t from = data.len;
    while (from > 0 && count > 0) {
        from--;
        while (from > 0 && data.data[from - 1] != '\n')
            from--;
        count--;
    }
    return bytes_slice(data, from, data.len);
}

static int echo_read(struct echo *e, struct call *call, struct bytes path)
{
    const struct node *n = find(e, path);
    if (!n)
        return ENOENT;
    if (n->directory)
        return EISDIR;
    int64_t offset = 0, length, lines;
    struct bytes data = n->data;
    call_integer(call, "offset", &offset, NULL);
    if (offset < 0)
        return EINVAL;
    data = bytes_slice(data, (uint64_t)offset < data.len ? (size_t)offset : data.len, data.len);
    if (call_integer(call, "length", &length, NULL) && length >= 0 && (uint64_t)length < data.len)
        data = bytes_slice(data, 0, (size_t)length);
    if (call_integer(call, "head", &lines, NULL))
        data = first_lines(data, lines);
    if (call_integer(call, "tail", &lines, NULL))
        data = last_lines(data, lines);
    call_put_bytes(call, "content", data);
    call->outcome.raw = json_get(call->outcome.result, "content")->text; /* outlives the session, as an outcome must */
    return 0;
}

static int echo_stat(struct echo *e, struct call *call, struct bytes path)
{
    const struct node *n = find(e, path);
    if (!n)
        return ENOENT;
    call_put_bytes(call, "kind", bytes_of_string(n->directory ? "directory" : "file"));
    if (!n->directory)
        call_put_integer(call, "size", (int64_t)n->data.len);
    call_put_integer(call, "mode", n->directory ? DIRECTORY_MODE : FILE_MODE);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

static int echo_list(struct echo *e, struct call *call, struct bytes path)
{
    const struct node *n = find(e, path);
    if (!n || !n->directory)
        return n ? ENOTDIR : ENOENT;
    struct bytes *names = arena_alloc(call->arena, e->count * sizeof *names);
    size_t count = 0, from = path.len ? path.len + 1 : 0;
    for (size_t i = 0; i < e->count; i++) {
        struct bytes p = e->nodes[i].path;
        if (is_below(p, path) && bytes_equal(parent_of(p), path))
            names[count++] = bytes_slice(p, from, p.len);
    }
    qsort(names, count, sizeof *names, compare_names);
    struct json *entries = json_new(call->arena, JSON_ARRAY);
    for (size_t i = 0; i < count; i++)
        json_add(entries, json_string(call->arena, names[i]));
    json_set(call->arena, call_result(call), "entries", entries);
    return 0;
}

static int echo_mkdir(struct echo *e, struct call *call, struct bytes path)
{
    for (size_t at = 0; at < path.len;) {
        const uint8_t *slash = memchr(path.data + at, '/', path.len - at);
        size_t end = slash ? (size_t)(slash - path.data) : path.len;
        struct bytes part = bytes_slice(path, 0, end);
        const struct node *n = find(e, part);
        if (n && !n->directory)
            return part.len == path.len ? EEXIST : ENOTDIR;
        if (!n)
            add(e, part, true);
        at = end + 1;
    }
    return 0;
}

static int echo_remove(struct echo *e, struct call *call, struct bytes path)
{
    const struct node *n = find(e, path);
    if (!n || !path.len)
        return n ? EBUSY : ENOENT;
    const struct json *recursive = json_get(call->args, "recursive");
    size_t kept = 0;
    for (size_t i = 0; i < e->count; i++)
        if (is_below(e->nodes[i].path, path) && !json_is(recursive, JSON_TRUE))
            return ENOTEMPTY;
    for (size_t i = 0; i < e->count; i++)
        if (!is_below(e->nodes[i].path, path) && !bytes_equal(e->nodes[i].path, path))
            e->nodes[kept++] = e->nodes[i];
    e->count = kept;
    return 0;
}

/* With all that is below it. */
static void rename_nodes(struct echo *e, struct bytes path, struct bytes to)
{
    for (size_t i = 0; i < e->count; i++) {
        struct bytes *p = &e->nodes[i].path;
        if (!is_below(*p, path) && !bytes_equal(*p, path))
            continue;
        size_t rest = p->len - path.len;
        uint8_t *name = arena_alloc(&e->arena, to.len + rest + 1);
        memcpy(name, to.data, to.len);
        memcpy(name + to.len, p->data + path.len, rest);
        *p = bytes_of(name, to.len + rest);
    }
}

static int echo_move(struct echo *e, struct call *call, struct bytes path)
{
    struct bytes to;
    int status = path_of(call, "to", &to);
    if (status)
        return status;
    const struct node *from = find(e, path), *there = find(e, to);
    if (!from)
        return ENOENT;
    if (!path.len || is_below(to, path))
        return EINVAL;
    status = no_place(e, to);
    if (status || bytes_equal(path, to))
        return status;
    if (there && there->directory != from->directory)
        return there->directory ? EISDIR : ENOTDIR;
    for (size_t i = 0; there && i < e->count; i++)
        if (is_below(e->nodes[i].path, to))
            return ENOTEMPTY;
    if (there)
        e->nodes[there - e->nodes] = e->nodes[--e->count];
    rename_nodes(e, path, to);
    return 0;
}

static int echo_copy(struct echo *e, struct call *call, struct bytes path)
{
    struct bytes to;
    int status = path_of(call, "to", &to);
    const struct node *from = find(e, path);
    if (status || !from || from->directory)
        return status ? status : from ? EISDIR : ENOENT;
    struct bytes data = from->data;
    struct node *there = find(e, to);
    if (there && there->directory)
        return EISDIR;
    status = there ? 0 : no_place(e, to);
    if (status)
        return status;
    there = there ? there : add(e, to, false);
    there->data = data;
    return 0;
}

static const struct row {
    const char *op;
    int (*call)(struct echo *e, struct call *call, struct bytes path);
} rows[] = {
    {"write", echo_write}, {"append", echo_append}, {"read", echo_read},     {"stat", echo_stat},  {"list", echo_list},
    {"mkdir", echo_mkdir}, {"move", echo_move},     {"remove", echo_remove}, {"copy", echo_copy},
};

static const struct row *row_of(const char *op, size_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].op) == length && memcmp(rows[i].op, op, length) == 0)
            return &rows[i];
    return NULL;
}

/* --- the driver --- */

static struct echo *echo_new(void)
{
    struct echo *e = xcalloc(1, sizeof *e);
    pthread_mutex_init(&e->lock, NULL);
    arena_init(&e->arena);
    add(e, BYTES_LITERAL(""), true);
    return e;
}

static int echo_open(struct session *s, struct error **err)
{
    (void)err;
    if (s->first)
        s->driver_state = s->first->driver_state;
    else if (!s->driver_state)
        s->driver_state = echo_new();
    target_set_identity(s->target, "echo, in this process");
    return 0;
}

static void echo_close(struct session *s)
{
    (void)s; /* nothing runs, and files stay */
}

static void echo_release(struct session *s)
{
    struct echo *e = s->driver_state;
    if (s->first || !e)
        return;
    arena_release(&e->arena);
    pthread_mutex_destroy(&e->lock);
    free(e->nodes);
    free(e);
}

static void pause_ns(int64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += until.tv_nsec;
    until.tv_sec += ns / NS_PER_S;
    until.tv_nsec = ns % NS_PER_S;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

static void carry_out(struct echo *e, struct call *call)
{
    const struct row *row = row_of(call->op->name, strlen(call->op->name));
    struct bytes path;
    int status = row ? path_of(call, "path", &path) : ENOSYS;
    if (!status)
        status = row->call(e, call, path);
    call->outcome.class = OUTCOME_OK;
    if (status)
        call_fail(call, OUTCOME_TOOL_ERROR, status, "%s: %s", call->op->name, strerror(status));
    call->outcome.replies = 1;
}

static void echo_calls(struct session *s, struct call *const *calls, size_t count)
{
    const int64_t *pause = s->target->driver_shared;
    if (pause && *pause)
        pause_ns(*pause);
    struct echo *e = s->driver_state;
    pthread_mutex_lock(&e->lock);
    for (size_t i = 0; i < count; i++)
        carry_out(e, calls[i]);
    pthread_mutex_unlock(&e->lock);
}

static enum support echo_supports(struct session *s, const char *need)
{
    (void)s;
    const char *colon = strchr(need, ':');
    bool plain = !colon || strcmp(colon, ":bytes") == 0;
    return plain && row_of(need, colon ? (size_t)(colon - need) : strlen(need)) ? SUPPORT_NATIVE : SUPPORT_NONE;
}

static bool echo_alive(struct session *s)
{
    return s->driver_state != NULL;
}

const struct driver driver_echo = {
    .name = "echo",
    .prefix = "echo",
    .doc = "files in this process's memory",
    .open = echo_open,
    .close = echo_close,
    .calls = echo_calls,
    .supports = echo_supports,
    .alive = echo_alive,
    .in_process = true,
    .release = echo_release,
};

int echo_target_new(const struct settings *settings, const struct ops *ops, int64_t pause_ns, struct target **t,
                    struct error **err)
{
    struct target_options o = {.spec = "echo", .driver = &driver_echo, .settings = settings, .ops = ops};
    TRY(target_new(&o, t, err));
    int64_t *pause = xmalloc(sizeof *pause);
    *pause = pause_ns;
    (*t)->driver_shared = pause;
    (*t)->free_shared = free;
    return 0;
}
