/* Sessions: fresh directories, a box with the agent in it, the target, and an end of it all.
 *
 * Order of opening: directories, agent (in the box), driver, canaries. Order of ending: the driver in good
 * order, then the agent, which kills whatever is left, then mounts and directories. session_reopen ends and
 * starts again between the directories. A session whose target has gone stays valid until it is closed; its
 * calls say so. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "exec/target/launch.h"
#include "exec/target/root.h"
#include "exec/target/session_base.h"
#include "exec/target/session_internal.h"
#include "exec/target/session_site.h"
#include "exec/target/small_disk.h"
#include "exec/target/spec.h"
#include "exec/target/tripwire.h"

enum {
    DIRECTORY_MODE = 0755,
    BASE_MODE = 0711,
    NS_PER_MS = 1000000,
    SETTLE_NAP_MS = 10,
    LEFT_MAX = 64 /* processes that an end in the middle of a task is known to have left */
};

static unsigned threads_of(const struct session *s)
{
    target_lock(s->target);
    unsigned threads = s->target->threads;
    target_unlock(s->target);
    return threads > s->driver->threads ? threads : s->driver->threads;
}

static struct box box_of(const struct session *s, const char *const *writable, char **readable, char **shown)
{
    return (struct box){
        .shown = (const char *const *)shown,
        .root = s->root,
        .home = s->home,
        .writable = writable,
        .readable = (const char *const *)readable,
        .off = s->target->options.no_box,
        .threads = s->threads,
        .keep_capabilities = s->driver->nests,
        .shared_memory = s->start.shared_memory,
        .user = s->start.user,
        .settings = s->target->options.settings,
    };
}

unsigned session_owner(const struct session *s)
{
    struct box box = box_of(s, NULL, NULL, NULL);
    return box_owner(&box);
}

/* --- directories --- */

static int make_dir(const struct session *s, const char *path, struct error **err)
{
    unsigned owner = session_owner(s);
    if ((mkdir(path, DIRECTORY_MODE) < 0 && errno != EEXIST) || (owner && chown(path, owner, owner) < 0))
        return error_set(err, ERR_OUTPUT, "cannot make the directory '%s': %s", path, strerror(errno));
    return 0;
}

static void name_dirs(struct session *s)
{
    s->root = strings_printf("%s/root", s->base);
    s->home = strings_printf("%s/home", s->base);
    s->db = strings_printf("%s/home/target.db", s->base);
}

static int make_dirs(struct session *s, struct error **err)
{
    if (s->driver->in_process) { /* paths are spelled with them; nothing is there */
        s->base = xstrdup("/in-process");
        name_dirs(s);
        return 0;
    }
    s->base = session_base_new(&s->base_lock, err);
    if (!s->base)
        return ERR_OUTPUT;
    name_dirs(s);
    TRY(make_dir(s, s->base, err));
    if (chmod(s->base, BASE_MODE) < 0)
        return error_set(err, ERR_OUTPUT, "cannot open the directory '%s' to the target: %s", s->base,
                         strerror(errno));
    if (!target_boxed(s->target, NULL)) {
        char *scratch = strings_printf("%s/tmp", s->base);
        int status = make_dir(s, scratch, err);
        free(scratch);
        TRY(status);
    }
    TRY(make_dir(s, s->root, err));
    TRY(make_dir(s, s->home, err));
    s->tripwires = tripwires_plant(s);
    return 0;
}

/* A port that nobody has right now; 0 when the machine has no network at all. */
static uint16_t free_port(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    uint16_t port = 0;
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        port = ntohs(address.sin_port);
    if (fd >= 0)
        close(fd);
    return port;
}

/* --- starting and ending --- */

/* What the box has to show: whatever the words of the SPEC, of --start and of --stop speak of. */
static char **visible_files(const struct session *s)
{
    const struct target_options *o = &s->target->options;
    struct strings words = {0};
    const char *more[] = {o->start, o->stop};
    strings_add_all(&words, (const char *const *)s->target->words);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char **split = NULL;
        if (!more[i] || spec_split(more[i], &split, NULL) < 0)
            continue;
        spec_make_absolute(split, o->cwd == NULL);
        strings_add_all(&words, (const char *const *)split);
        strings_free(split);
    }
    char **list = strings_take(&words), **files = spec_visible(list, o->cwd);
    strings_free(list);
    return files;
}

static void now_running(struct session *s)
{
    s->running = true;
    s->closed = s->left = false;
    s->end_count = 0;
}

static void stop_agent(struct session *s)
{
    session_site_end(s);
    if (s->agent)
        agent_stop(s->agent);
    s->agent = NULL;
    s->running = false;
}

/* What who looks on wants this start to be like; the files that are to be seen. */
static char **ask_watch(struct session *s)
{
    struct strings shown = {0};
    struct session_extra extra = {.env = &s->watch_env, .shown = &shown};
    strings_release(&s->watch_env);
    if (s->watch)
        s->watch->starting(s->watch->context, s, &extra);
    return strings_take(&shown);
}

static int start_once(struct session *s, struct error **err)
{
    if (s->driver->in_process) {
        now_running(s);
        int opened = s->driver->open(s, err);
        s->running = opened == 0;
        return opened;
    }
    const char *writable[] = {s->base, NULL};
    char **readable = visible_files(s), **shown = ask_watch(s);
    struct box box = box_of(s, writable, readable, shown);
    small_disk_hold();
    int status = agent_start(&box, &s->agent, err);
    small_disk_let();
    strings_free(readable);
    strings_free(shown);
    if (status < 0)
        return status;
    s->boxed = target_boxed(s->target, NULL);
    now_running(s);
    status = session_site_begin(s, err);
    char *url = status == 0 && s->driver->url ? s->driver->url(s) : NULL;
    if (status == 0)
        status = launch_begin(s, url, err);
    free(url);
    if (status == 0) {
        status = s->driver->open(s, err);
        if (status < 0)
            launch_blame(s, err);
    }
    if (status < 0)
        stop_agent(s);
    else if (s->watch)
        s->watch->started(s->watch->context, s);
    return status;
}

int session_start(struct session *s, struct error **err)
{
    enum { AGAIN_MAX = 2 }; /* for the era, and for the box */
    struct error *last = NULL;
    int status, again = 0;
    do {
        error_free(last);
        last = NULL;
        s->again = false;
        s->threads = threads_of(s);
        status = start_once(s, &last);
    } while (status < 0 && s->again && again++ < AGAIN_MAX);
    if (err && last)
        *err = last;
    else
        error_free(last);
    return status;
}

/* The driver's part of the end, once. */
static void say_goodbye(struct session *s)
{
    if (!s->left)
        s->driver->close(s);
    if (!s->left)
        launch_end(s);
    s->left = true;
}

void session_shut(struct session *s)
{
    if (!s->running)
        return;
    say_goodbye(s);
    stop_agent(s);
    s->main_pid = 0;
}

/* Says goodbye, and gives what was started in the session time to end. How many processes are left then. */
static size_t settle(struct session *s, struct process_info *out, size_t max)
{
    say_goodbye(s);
    int64_t deadline = clock_monotonic_ns() +
                       settings_int(s->target->options.settings, "leftover.settle") * (int64_t)NS_PER_MS;
    size_t count;
    while ((count = session_processes(s, out, max)) > 0 && clock_monotonic_ns() < deadline)
        clock_sleep_ms(SETTLE_NAP_MS);
    return count;
}

void session_shut_noting(struct session *s)
{
    if (s->running && !s->ended && !s->began_anew) {
        struct process_info *list = xcalloc(LEFT_MAX, sizeof *list);
        s->ended = list;
        s->ended_count = settle(s, list, LEFT_MAX);
        if (s->ended_count > LEFT_MAX)
            s->ended_count = LEFT_MAX;
    }
    session_shut(s);
}

size_t session_end(struct session *s, struct process_info *out, size_t max)
{
    size_t count = s->running ? settle(s, out, max) : 0;
    s->closed = s->closed || s->running;
    for (size_t i = 0; i < s->ended_count; i++, count++)
        if (count < max)
            out[count] = s->ended[i];
    return count;
}

static void session_free(struct session *s)
{
    struct error *err = NULL;
    session_shut(s);
    if (s->driver->release)
        s->driver->release(s);
    session_site_free(s);
    stage_release(s);
    if (s->base && !s->beside && fs_remove_tree(s->base, &err) < 0)
        error_free(err); /* something that not even root may remove; closing never fails */
    if (s->base_lock >= 0)
        close(s->base_lock);
    free(s->base);
    free(s->root);
    free(s->home);
    free(s->db);
    free(s->ended);
    strings_release(&s->staged);
    strings_release(&s->watch_env);
    arena_release(&s->end_arena);
    arena_release(&s->event_arena);
    arena_release(&s->tail_arena);
    wire_log_release(&s->wire);
    tripwires_free(s->tripwires);
    free(s);
}

int session_reopen(struct session *s, struct error **err)
{
    session_shut(s);
    s->began_anew = true;
    int status = session_start(s, err);
    if (status < 0) {
        error_wrap(err, "cannot open a session of '%s' again", s->target->options.spec);
        target_secrets_error(s->target, err);
    }
    return status;
}

void session_close(struct session *s)
{
    if (s)
        session_free(s);
}

int session_open(struct target *t, struct session **session, struct error **err)
{
    const struct start as_always = {.shared_memory = 0};
    return session_open_as(t, &as_always, session, err);
}

int session_open_as(struct target *t, const struct start *start, struct session **session, struct error **err)
{
    return session_open_watched(t, start, NULL, session, err);
}

int session_open_watched(struct target *t, const struct start *start, const struct session_watch *watch, struct session **session,
                         struct error **err)
{
    struct session *s = xcalloc(1, sizeof *s);
    arena_init(&s->end_arena);
    arena_init(&s->event_arena);
    arena_init(&s->tail_arena);
    wire_log_init(&s->wire, NULL);
    s->target = t;
    s->driver = t->driver;
    s->watch = watch;
    s->start = *start;
    s->port = s->driver->in_process ? 0 : free_port();
    s->base_lock = -1;
    int status = make_dirs(s, err);
    if (status == 0 && !s->driver->in_process)
        session_disk_watch(s);
    if (status == 0)
        status = session_start(s, err);
    if (status < 0) {
        session_free(s);
        error_wrap(err, "cannot open a session of '%s'", t->options.spec);
        target_secrets_error(t, err);
        return status;
    }
    session_look_for_root(s);
    *session = s;
    return 0;
}

int session_open_beside(struct session *first, struct session **session, struct error **err)
{
    struct session *s = xcalloc(1, sizeof *s);
    arena_init(&s->end_arena);
    arena_init(&s->event_arena);
    arena_init(&s->tail_arena);
    wire_log_init(&s->wire, NULL);
    s->target = first->target;
    s->driver = first->driver;
    s->watch = first->watch;
    s->start = first->start;
    s->start.canary = false; /* so that it cannot come from here */
    s->port = s->driver->in_process ? 0 : free_port();
    s->beside = true;
    s->first = first;
    if (first->launched_id)
        s->port = first->port;
    s->base_lock = -1;
    s->base = xstrdup(first->base);
    s->root = xstrdup(first->root);
    s->home = xstrdup(first->home);
    s->db = xstrdup(first->db);
    s->root_visible = first->root_visible;
    s->disk_visible = first->disk_visible;
    session_disk_watch(s);
    int status = session_start(s, err);
    if (status < 0) {
        session_free(s);
        error_wrap(err, "cannot open one more session of '%s'", first->target->options.spec);
        target_secrets_error(first->target, err);
        return status;
    }
    *session = s;
    return 0;
}

/* --- looking at it --- */

struct target *session_target(const struct session *s)
{
    return s->target;
}

void session_stop_with(struct session *s, const atomic_int *stop)
{
    s->stop = stop;
}

const char *session_stop_reason(struct session *s)
{
    if (s->stop && atomic_load(s->stop))
        return "interrupted";
    return session_disk_full(s);
}

bool session_stopping(struct session *s)
{
    return session_stop_reason(s) != NULL;
}

const char *session_root(const struct session *s)
{
    return s->root;
}

const char *session_home(const struct session *s)
{
    return s->home;
}

bool session_root_visible(const struct session *s)
{
    return s->root_visible;
}

bool session_alive(struct session *s)
{
    return s->running && !s->closed && (!s->agent || agent_alive(s->agent)) && s->driver->alive(s);
}

void session_keep_breaches(struct session *s, const struct wire_event *events, size_t count)
{
    arena_clear(&s->end_arena);
    s->end_count = 0;
    s->end_events = arena_alloc(&s->end_arena, (count + 1) * sizeof *s->end_events);
    for (size_t i = 0; i < count; i++) {
        if (events[i].kind != WIRE_BREACH)
            continue;
        struct wire_event *kept = &s->end_events[s->end_count++];
        *kept = events[i];
        kept->text = arena_copy(&s->end_arena, events[i].text);
        kept->detail = arena_string(&s->end_arena, bytes_of_string(events[i].detail));
    }
}

size_t session_wire_events(struct session *s, const struct wire_event **events)
{
    *events = NULL;
    if (!s->running || !s->driver->wire_events)
        return 0;
    size_t count = s->left ? s->end_count : s->driver->wire_events(s, events);
    if (s->left) {
        *events = s->end_events;
        s->end_count = 0;
    }
    *events = session_secrets_events(s, *events, count);
    return count;
}

bool session_out_of_memory(const struct session *s)
{
    return s->agent && agent_oom_killed(s->agent);
}

struct bytes session_stderr_tail(struct session *s)
{
    return s->running && !s->left && s->driver->stderr_tail ? session_secrets_tail(s, s->driver->stderr_tail(s)) : BYTES_NONE;
}

size_t session_processes(struct session *s, struct process_info *out, size_t max)
{
    if (!s->agent)
        return 0;
    /* One more than asked for, since the target's own process is among them. */
    struct process_info *all = xcalloc(max + 1, sizeof *all);
    size_t total = agent_processes(s->agent, all, max + 1), kept = 0;
    size_t filled = total < max + 1 ? total : max + 1;
    for (size_t i = 0; i < filled; i++) {
        if (s->main_pid && all[i].pid == s->main_pid)
            total--;
        else if (kept < max)
            out[kept++] = all[i];
    }
    free(all);
    session_secrets_processes(s, out, kept);
    return total;
}

bool target_has_frames(const struct target *t)
{
    return t->driver->frames;
}

bool target_lists_tools(const struct target *t)
{
    return t->driver->tools != NULL;
}

bool session_tools(struct session *s, struct buf *out, struct target_tools *facts)
{
    *facts = (struct target_tools){0};
    size_t from = out->len;
    if (!s->running || s->left || !s->driver->tools || !s->driver->tools(s, out, facts))
        return false;
    session_secrets_text(s, out, from);
    return true;
}

void session_explain(struct session *s, struct buf *out)
{
    size_t from = out->len;
    if (s->running && !s->left && s->driver->explain)
        s->driver->explain(s, out);
    session_secrets_text(s, out, from);
}
