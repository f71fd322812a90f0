/* An append reads the file, waits, and writes all of it: what came in between is lost. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utf8.h"
#include "leakybox/content.h"
#include "leakybox/faults.h"

enum { PAUSE_MS = 40 };

struct pending {
    struct server *server;
    struct buf id, path, seen, more;
};

extern const struct fault fault_lost_update;

/* Reads the whole file, quietly: what is wrong with it the right way will say. */
static bool peek(struct server *s, struct bytes path, struct buf *out)
{
    struct buf why;
    struct place p;
    uint8_t chunk[4096];
    ssize_t n = 0;
    int fd;

    buf_init(&why, 8192);
    fd = place_find(&s->root, path, PLACE_FOLLOW, &p, &why) ? -1 : p.dir;
    buf_release(&why);
    if (fd < 0)
        return false;
    fd = p.exists && S_ISREG(p.st.st_mode) ? openat(p.dir, p.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    place_release(&p);
    while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
        buf_add(out, bytes_of(chunk, (size_t)n));
    if (fd >= 0)
        close(fd);
    return fd >= 0 && n == 0 && !out->overflow;
}

static void finish(void *data)
{
    struct pending *p = data;
    struct arena arena;
    struct call call = {.server = p->server, .arena = &arena, .id = buf_bytes(&p->id)};
    struct buf now;
    struct place place;

    arena_init(&arena);
    call.tool = tool_find(BYTES_LITERAL("append_file"));
    call.args = json_new(&arena, JSON_OBJECT);
    json_set(&arena, call.args, "path", json_string(&arena, buf_bytes(&p->path)));
    buf_init(&now, CONTENT_MAX_BYTES);
    if (peek(p->server, buf_bytes(&p->path), &now) && !bytes_equal(buf_bytes(&now), buf_bytes(&p->seen)))
        faults_mark(&fault_lost_update, FAULT_TRIGGERED);
    buf_add(&p->seen, buf_bytes(&p->more));
    if (call_place(&call, "path", PLACE_FOLLOW, &place)) {
        if (content_store(&call, &place, buf_bytes(&p->seen), STORE_REPLACE))
            call_textf(&call, "appended %zu bytes", p->more.len);
        place_release(&place);
    }
    buf_release(&now);
    buf_release(&p->id);
    buf_release(&p->path);
    buf_release(&p->seen);
    buf_release(&p->more);
    free(p);
    arena_release(&arena);
}

static void keep(struct buf *to, struct bytes from, size_t max)
{
    buf_init(to, max);
    buf_add(to, from);
}

static enum fault_mark on_call(struct fault_call *e)
{
    struct json *path = json_get(e->call->args, "path"), *content = json_get(e->call->args, "content");
    struct pending *p;
    struct buf seen;

    if (e->call->tool->run != tool_append_file || !json_is(path, JSON_STRING) ||
        !json_is(content, JSON_STRING) || e->call->args->count != 2 || !utf8_valid(content->text) ||
        !utf8_valid(path->text) || bytes_find(path->text, BYTES_LITERAL("\0"), 0) >= 0)
        return FAULT_MISSED;
    buf_init(&seen, CONTENT_MAX_BYTES);
    if (!peek(e->call->server, path->text, &seen)) {
        buf_release(&seen);
        return FAULT_REACHED;
    }
    p = xcalloc(1, sizeof(*p));
    p->server = e->call->server;
    keep(&p->id, e->call->id, e->call->id.len);
    keep(&p->path, path->text, path->text.len);
    keep(&p->seen, buf_bytes(&seen), seen.len + content->text.len);
    keep(&p->more, content->text, content->text.len);
    buf_release(&seen);
    server_later(p->server, PAUSE_MS, finish, p);
    e->taken = true;
    return FAULT_REACHED;
}

const struct fault fault_lost_update = {
    .id = "lost-update",
    .class_id = "C65",
    .layer = "sandbox",
    .primitive = "concurrency",
    .needs = "concurrent",
    .summary = "of two appends in flight at once to one file only the last is kept",
    .report = "codesandbox/codesandbox-sdk#182",
    .call = on_call,
};
