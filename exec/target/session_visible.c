/* What a target and we see of each other's files: found out once, by a session of its own accord, before any
 * task's step. Everything that is staged, and every witness from outside, hangs on it. */
#include "exec/target/session_internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/target/root.h"
#include "exec/target/small_disk.h"

enum { CANARY_MAX = 4096, CANARY_DISK = 1 << 20 };

static bool canary_call(struct session *s, const char *op, const char *path, const char *content,
                        struct arena *a, struct call *call)
{
    *call = (struct call){.op = ops_find(s->target->options.ops, op),
                          .args = json_new(a, JSON_OBJECT),
                          .timeout_ms = settings_int(s->target->options.settings, "exec.probe-timeout"),
                          .cancel_after_ms = -1,
                          .arena = a};
    if (!call->op)
        return false;
    json_set(a, call->args, "path", json_text(a, path));
    if (content)
        json_set(a, call->args, "content", json_text(a, content));
    session_calls_raw(s, (struct call *[]){call}, 1);
    return call->outcome.class == OUTCOME_OK;
}

/* Written here, read there. */
static bool sees_ours(struct session *s, const char *name, const char *text, struct arena *a)
{
    struct call call;
    if (root_write(s, bytes_of_string(name), bytes_of_string(text), 0644) < 0)
        return false;
    bool seen = false;
    if (canary_call(s, "read", name, NULL, a, &call)) {
        struct bytes content = json_as_text(json_get(call.outcome.result, "content"));
        seen = bytes_find(content, bytes_of_string(text), 0) >= 0;
    }
    root_remove(s, bytes_of_string(name));
    return seen;
}

/* Written there, read here. */
static bool shows_its_own(struct session *s, const char *name, const char *text, struct arena *a)
{
    struct call call;
    struct buf found;
    buf_init(&found, CANARY_MAX);
    bool seen = canary_call(s, "write", name, text, a, &call) &&
                root_read(s, bytes_of_string(name), CANARY_MAX, &found) == 0 &&
                bytes_find(buf_bytes(&found), bytes_of_string(text), 0) >= 0;
    buf_release(&found);
    root_remove(s, bytes_of_string(name));
    return seen;
}

/* In both directions, as far as the target can do either: one that shows files of ours and keeps its own to
 * itself (an overlay) would make a liar of every witness. `where`: a directory of the root, with a slash, or "".
 * `either`: one direction is enough, that of reading first, since what a target writes may go astray by its own fault. */
static bool probe_directory(struct session *s, const char *where, bool either)
{
    bool reads = session_support(s, "read") != SUPPORT_NONE,
         writes = session_support(s, "write") != SUPPORT_NONE && !(either && reads);
    struct arena a;
    arena_init(&a);
    unsigned long long mark = (unsigned long long)clock_monotonic_ns();
    char *text = strings_printf("canary %llx of taskgen\n", mark);
    char *first = strings_printf("%staskgen-canary-%llx-a.txt", where, mark),
         *second = strings_printf("%staskgen-canary-%llx-b.txt", where, mark);
    bool visible = (reads || writes) && (!reads || sees_ours(s, first, text, &a)) &&
                   (!writes || shows_its_own(s, second, text, &a));
    free(text);
    free(first);
    free(second);
    arena_release(&a);
    return visible;
}

/* A server on the same machine, but with a view of the mounts of its own, sees the root and not what is
 * mounted there: what it wrote would seem to be somewhere else. */
static bool probe_disk(struct session *s)
{
    static const char name[] = "taskgen-canary-disk";
    if (root_make_dirs(s, bytes_of_string(name)) < 0)
        return false;
    bool visible =
        small_disk_mount(s, bytes_of_string(name), CANARY_DISK) == 0 && probe_directory(s, "taskgen-canary-disk/", true);
    small_disk_release(s);
    int root = root_open(s);
    if (root >= 0) {
        unlinkat(root, name, AT_REMOVEDIR);
        close(root);
    }
    return visible;
}

void session_look_for_root(struct session *s)
{
    if (s->driver->in_process)
        return;
    target_lock(s->target);
    int root = s->target->root_visible, disk = s->target->disk_visible;
    target_unlock(s->target);
    if (root < 0) {
        root = probe_directory(s, "", false);
        disk = root && small_disk_possible() && probe_disk(s);
        target_lock(s->target);
        s->target->root_visible = root;
        s->target->disk_visible = disk;
        target_unlock(s->target);
    }
    s->root_visible = root;
    s->disk_visible = disk;
}
