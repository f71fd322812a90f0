/* Budgets of a session: calls, bytes, tabs, the rate of calls, and the disk. Memory and processes are the box's (box_cgroup.c), the
 * size of one file the agent's.
 *
 * What goes to a driver is counted where it goes there, so an op that is carried out by many commands costs as many calls. All
 * clients of one root share one account, which is the first session's, under the target's lock; the rate is the target's. Probes of
 * our own are not counted. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/target/session_internal.h"

enum {
    NS_PER_S = 1000000000,
    NS_PER_MS = 1000000,
    DISK_SLACK = 4,      /* times the budget that the disk may lose to us and everybody else meanwhile */
    DISK_LOOK_MS = 20,
    DISK_WALK_MS = 200,
    DISK_BLOCK = 512,    /* of st_blocks */
    WALK_DEPTH = 48,
    WALK_MAX = 1 << 18   /* entries of one walk */
};

static struct session *owner_of(struct session *s)
{
    return s->first ? s->first : s;
}

static uint64_t budget(const struct session *s, const char *name)
{
    return (uint64_t)settings_int(s->target->options.settings, name);
}

/* --- calls, bytes, tabs --- */

/* Bytes that the arguments come to, roughly what will be sent. Values nest, but not by recursion. */
static uint64_t args_size(const struct json *args)
{
    uint64_t size = 0;
    const struct json *v = args;
    while (v) {
        size += v->text.len + v->key.len;
        v = json_next(args, v, true);
    }
    return size;
}

/* The budget that does not have this call any more; NULL: all of them do, and it is taken from them. */
static const char *take(struct session *s, const struct call *call, uint64_t bytes)
{
    struct session *o = owner_of(s);
    bool tab = strcmp(call->op->name, "tab-open") == 0;
    if (o->calls_made >= budget(s, "budget.calls"))
        return "budget.calls is used up";
    if (o->bytes_sent + bytes > budget(s, "budget.bytes"))
        return "budget.bytes is used up";
    if (tab && o->tabs_open >= budget(s, "budget.tabs"))
        return "budget.tabs is used up";
    o->calls_made++;
    o->bytes_sent += bytes;
    o->tabs_open += tab;
    return NULL;
}

bool session_budget_take(struct session *s, struct call *call)
{
    uint64_t bytes = args_size(call->args);
    target_lock(s->target);
    const char *used_up = take(s, call, bytes);
    target_unlock(s->target);
    if (used_up)
        call_skip(call, used_up);
    return !used_up;
}

void session_budget_settle(struct session *s, const struct call *call)
{
    struct session *o = owner_of(s);
    uint64_t counted = args_size(call->args), sent = call->outcome.bytes_in;
    bool closed = strcmp(call->op->name, "tab-close") == 0 && call->outcome.class == OUTCOME_OK;
    target_lock(s->target);
    o->bytes_sent += sent > counted ? sent - counted : 0;
    o->tabs_open -= closed && o->tabs_open > 0;
    target_unlock(s->target);
}

uint64_t session_bytes_left(struct session *s)
{
    target_lock(s->target);
    uint64_t sent = owner_of(s)->bytes_sent, most = budget(s, "budget.bytes");
    target_unlock(s->target);
    return sent < most ? most - sent : 0;
}

/* --- the rate --- */

void session_budget_rate(struct session *s, size_t count)
{
    double rate = settings_real(s->target->options.settings, "budget.rate");
    if (rate <= 0)
        return;
    target_lock(s->target);
    int64_t now = clock_monotonic_ns(), turn = s->target->next_call_ns > now ? s->target->next_call_ns : now;
    s->target->next_call_ns = turn + (int64_t)((double)count * NS_PER_S / rate);
    target_unlock(s->target);
    while (now < turn && !session_stopping(s)) {
        int64_t ms = (turn - now + NS_PER_MS - 1) / NS_PER_MS;
        clock_sleep_ms(ms < DISK_WALK_MS ? ms : DISK_WALK_MS);
        now = clock_monotonic_ns();
    }
}

/* --- the disk --- */

static int open_below(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Bytes that a tree takes on its own disk, counted until they are more than `most`. Only down to a depth, and so many entries:
 * what is beyond takes little. */
static uint64_t tree_bytes(const char *path, uint64_t most)
{
    DIR *levels[WALK_DEPTH];
    int fd = open_below(AT_FDCWD, path), depth = 0, seen = 0;
    uint64_t bytes = 0;
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    dev_t disk = st.st_dev;
    levels[0] = fdopendir(fd);
    depth = levels[0] != NULL;
    while (depth > 0) {
        struct dirent *entry = bytes <= most && seen < WALK_MAX ? readdir(levels[depth - 1]) : NULL;
        if (!entry) {
            closedir(levels[--depth]);
            continue;
        }
        seen++;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            fstatat(dirfd(levels[depth - 1]), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_dev != disk)
            continue;
        bytes += (uint64_t)st.st_blocks * DISK_BLOCK / (st.st_nlink > 1 && !S_ISDIR(st.st_mode) ? st.st_nlink : 1);
        if (!S_ISDIR(st.st_mode) || depth == WALK_DEPTH)
            continue;
        fd = open_below(dirfd(levels[depth - 1]), entry->d_name);
        levels[depth] = fd >= 0 ? fdopendir(fd) : NULL;
        depth += levels[depth] != NULL;
    }
    return bytes;
}

static bool disk_free(const struct session *s, uint64_t *bytes)
{
    struct statvfs disk;
    if (statvfs(s->base, &disk) < 0)
        return false;
    *bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return true;
}

void session_disk_watch(struct session *s)
{
    uint64_t most = DISK_SLACK * budget(s, "budget.disk"), bytes;
    if (!disk_free(s, &bytes))
        return;
    s->disk_floor = bytes > most ? bytes - most : bytes / 8;
    s->disk_free = bytes;
}

/* What is gone from the disk may be anybody's, and is cheap to ask; only when it is more than the budget the session's own
 * directories are walked. What was others' is then no longer asked about. */
static const char *look_at_disk(struct session *s, int64_t now)
{
    uint64_t most = budget(s, "budget.disk"), bytes;
    if (!s->disk_floor || !disk_free(s, &bytes))
        return NULL;
    if (bytes < s->disk_floor)
        return "the disk is filling up";
    if (bytes + most >= s->disk_free || now < s->disk_walk_ns)
        return NULL;
    s->disk_walk_ns = now + DISK_WALK_MS * NS_PER_MS;
    uint64_t own = tree_bytes(s->base, most);
    if (own > most)
        return "budget.disk is used up";
    s->disk_free = bytes + own;
    return NULL;
}

const char *session_disk_full(struct session *s)
{
    int64_t now = clock_monotonic_ns();
    if (now < s->disk_look_ns)
        return s->disk_full;
    s->disk_look_ns = now + DISK_LOOK_MS * NS_PER_MS;
    if (!s->disk_full)
        s->disk_full = look_at_disk(s, now);
    return s->disk_full;
}
