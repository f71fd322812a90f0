/* Limits on a session's processes and memory, by control groups of version 1 or 2, wherever we may make one.
 *
 * A group is made below our own where that is possible. In version 2 a group that holds processes cannot give
 * controllers to groups below it, so its ancestors are tried too, up to the hierarchy's root. In version 1
 * each controller has a hierarchy of its own and up to two groups are made.
 *
 * Groups are called taskgen-PID-N. Those of a taskgen that was killed are removed by the next one that comes
 * by: the kernel removes a group only when nothing is in it. */
#include "exec/target/box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "exec/target/strings.h"

enum { MAX_TABLE = 1 << 20, CLEAR_MS = 3000, NAP_MS = 5, MAX_ANCESTORS = 16, MAX_DEPTH = 16 };

enum { PIDS, MEMORY, CONTROLLERS };
static const char *const controllers[CONTROLLERS] = {"pids", "memory"};
/* A file that a group has only when the controller is there, in either version. */
static const char *const witness[2][CONTROLLERS] = {{"pids.max", "memory.limit_in_bytes"},
                                                    {"pids.max", "memory.max"}};

struct box_cgroup {
    char *dirs[CONTROLLERS]; /* by controller; in version 2 both name the same group */
    bool v2[CONTROLLERS];
};

static bool write_text(const char *dir, const char *file, const char *text)
{
    char *path = strings_printf("%s/%s", dir, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    free(path);
    if (fd < 0)
        return false;
    bool good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return good;
}

static void write_number(const char *dir, const char *file, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    write_text(dir, file, text);
}

static bool read_text(const char *dir, const char *file, struct buf *text)
{
    char *path = strings_printf("%s/%s", dir, file);
    buf_init(text, MAX_TABLE);
    bool good = fs_read(path, MAX_TABLE, text, NULL) == 0;
    free(path);
    return good;
}

static bool has_file(const char *dir, const char *file)
{
    char *path = strings_printf("%s/%s", dir, file);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

/* --- where hierarchies are --- */

/* Is `word` one of the comma-separated words of list? */
static bool in_list(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",\n") == length && strncmp(at, word, length) == 0)
            return true;
    return false;
}

/* Our own group's path in a hierarchy, from /proc/self/cgroup ("4:memory:/a/b", "0::/a/b"); controller NULL:
 * version 2. To be freed; NULL when there is none. */
static char *own_path(const char *controller)
{
    struct buf text;
    char *found = NULL;
    if (read_text("/proc/self", "cgroup", &text)) {
        buf_add_byte(&text, '\0');
        char *at = (char *)text.data;
        for (char *line; !found && (line = strsep(&at, "\n"));) {
            char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
            if (!path)
                continue;
            *path++ = '\0';
            if (controller ? in_list(names + 1, controller) : names[1] == '\0')
                found = xstrdup(path);
        }
    }
    buf_release(&text);
    return found;
}

/* One line of /proc/self/mountinfo: where the hierarchy of this controller is mounted and which group is
 * mounted there. */
static bool mount_line(char *line, const char *controller, char **where, char **group)
{
    char *tail = strstr(line, " - ");
    char *fields[5] = {0};
    if (!tail)
        return false;
    *tail = '\0';
    tail += 3;
    const char *type = controller ? "cgroup " : "cgroup2 ";
    if (strncmp(tail, type, strlen(type)) != 0)
        return false;
    const char *options = strrchr(tail, ' ');
    if (controller && !in_list(options + 1, controller))
        return false;
    for (int i = 0; i < 5; i++)
        fields[i] = line ? strsep(&line, " ") : NULL;
    *group = fields[3];
    *where = fields[4];
    return fields[4] != NULL;
}

/* The directory of our own group; to be freed; NULL when the hierarchy is not mounted. *mount_length: how
 * much of it is the mount point. */
static char *own_dir(const char *controller, size_t *mount_length)
{
    char *own = own_path(controller), *dir = NULL;
    struct buf text;
    if (!read_text("/proc/self", "mountinfo", &text) || !own) {
        buf_release(&text);
        free(own);
        return NULL;
    }
    buf_add_byte(&text, '\0');
    char *at = (char *)text.data, *where, *group;
    for (char *line; !dir && (line = strsep(&at, "\n"));) {
        if (!mount_line(line, controller, &where, &group))
            continue;
        size_t skip = strcmp(group, "/") == 0 ? 0 : strlen(group);
        bool below = strncmp(own, group, skip) == 0;
        dir = strings_printf("%s%s", where, below && strcmp(own, "/") != 0 ? own + skip : "");
        *mount_length = strlen(where);
        if (access(dir, F_OK) < 0) /* a container sees only a part, under other names */
            dir[*mount_length] = '\0';
    }
    buf_release(&text);
    free(own);
    return dir;
}

/* --- making and removing --- */

static bool kill_members(const char *group);

/* Groups below a group: what a sandbox made for itself. Those that hold processes stay, unless these are killed too. */
static void remove_below(const char *group, bool killing, int depth)
{
    DIR *list = depth < MAX_DEPTH ? opendir(group) : NULL;
    if (!list)
        return;
    for (struct dirent *entry; (entry = readdir(list));) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
            continue;
        char *below = strings_printf("%s/%s", group, entry->d_name);
        remove_below(below, killing, depth + 1);
        if (killing)
            kill_members(below);
        rmdir(below);
        free(below);
    }
    closedir(list);
}

/* Removes groups of taskgens that are no more. */
static void remove_stale(const char *dir)
{
    DIR *list = opendir(dir);
    if (!list)
        return;
    for (struct dirent *entry; (entry = readdir(list));) {
        long pid;
        int end = 0;
        if (sscanf(entry->d_name, "taskgen-%ld-%*d%n", &pid, &end) != 1 || !end || entry->d_name[end] ||
            pid <= 0)
            continue;
        if (kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            continue;
        char *stale = strings_printf("%s/%s", dir, entry->d_name);
        remove_below(stale, false, 0);
        rmdir(stale);
        free(stale);
    }
    closedir(list);
}

/* A fresh group in dir, to be freed, or NULL. */
static char *make_group(const char *dir)
{
    static unsigned serial;
    char *group = strings_printf("%s/taskgen-%ld-%u", dir, (long)getpid(),
                                 __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
    remove_stale(dir);
    if (mkdir(group, 0755) == 0)
        return group;
    free(group);
    return NULL;
}

static void limit_group(const char *group, int controller, bool v2, const struct settings *settings, unsigned threads)
{
    int64_t memory = settings_int(settings, "budget.memory");
    if (controller == PIDS) {
        write_number(group, "pids.max", box_tasks(settings, threads));
    } else if (v2) {
        write_number(group, "memory.max", memory);
        write_text(group, "memory.swap.max", "0");
    } else {
        write_number(group, "memory.limit_in_bytes", memory);
        write_number(group, "memory.memsw.limit_in_bytes", memory); /* absent where swap is not accounted */
    }
}

static void make_v1(struct box_cgroup *c, int controller, const struct settings *settings, unsigned threads)
{
    size_t mount_length = 0;
    char *dir = own_dir(controllers[controller], &mount_length);
    char *group = dir ? make_group(dir) : NULL;
    free(dir);
    if (group && !has_file(group, witness[0][controller])) {
        rmdir(group);
        free(group);
        group = NULL;
    }
    if (group)
        limit_group(group, controller, false, settings, threads);
    c->dirs[controller] = group;
}

/* A group in dir that has at least one of the controllers we still look for, or NULL. */
static char *try_v2(const struct box_cgroup *c, const char *dir)
{
    bool found = false;
    char *group = make_group(dir);
    for (int i = 0; group && i < CONTROLLERS; i++)
        found |= !c->dirs[i] && has_file(group, witness[1][i]);
    if (!group || found)
        return group;
    rmdir(group);
    free(group);
    return NULL;
}

static void make_v2(struct box_cgroup *c, const struct settings *settings, unsigned threads)
{
    size_t mount_length = 0;
    char *dir = own_dir(NULL, &mount_length), *group = NULL;
    if (dir) /* refused where processes are in it, but not to the hierarchy's root; ancestors are not ours to
                change */
        write_text(dir, "cgroup.subtree_control", "+pids +memory");
    for (int i = 0; dir && !group && i < MAX_ANCESTORS; i++) {
        group = try_v2(c, dir);
        char *slash = strrchr(dir, '/');
        if (strlen(dir) <= mount_length || !slash)
            break;
        *slash = '\0';
    }
    free(dir);
    for (int i = 0; group && i < CONTROLLERS; i++) {
        if (c->dirs[i] || !has_file(group, witness[1][i]))
            continue;
        limit_group(group, i, true, settings, threads);
        c->dirs[i] = xstrdup(group);
        c->v2[i] = true;
    }
    free(group);
}

struct box_cgroup *box_cgroup_new(const struct settings *settings, unsigned threads)
{
    struct box_cgroup *c = xcalloc(1, sizeof *c);
    for (int i = 0; i < CONTROLLERS; i++)
        make_v1(c, i, settings, threads);
    if (!c->dirs[PIDS] || !c->dirs[MEMORY])
        make_v2(c, settings, threads);
    if (c->dirs[PIDS] || c->dirs[MEMORY])
        return c;
    free(c);
    return NULL;
}

void box_cgroup_add(struct box_cgroup *c, int pid)
{
    for (int i = 0; c && i < CONTROLLERS; i++)
        if (c->dirs[i])
            write_number(c->dirs[i], "cgroup.procs", pid);
}

bool box_cgroup_oom_killed(struct box_cgroup *c)
{
    struct buf text;
    if (!c || !c->dirs[MEMORY])
        return false;
    bool killed = false;
    if (read_text(c->dirs[MEMORY], c->v2[MEMORY] ? "memory.events" : "memory.oom_control", &text)) {
        const char *line = strstr(buf_string(&text), "oom_kill ");
        killed = line && strtol(line + strlen("oom_kill "), NULL, 10) > 0;
    }
    buf_release(&text);
    return killed;
}

/* SIGKILL to whatever is in a group; true when nothing is. */
static bool kill_members(const char *group)
{
    struct buf text;
    bool empty = true;
    write_text(group, "cgroup.kill", "1"); /* version 2, kernel 5.14: all at once */
    if (read_text(group, "cgroup.procs", &text)) {
        for (const char *at = buf_string(&text); *at;) {
            char *end;
            long pid = strtol(at, &end, 10);
            if (pid > 0) /* 0: not to be seen from our process namespace */
                kill((pid_t)pid, SIGKILL);
            empty = false;
            at = *end ? end + 1 : end;
        }
    }
    buf_release(&text);
    return empty;
}

/* Groups below this one, innermost first; a handful of levels. */
static void list_inner(const char *group, int depth, struct strings *out)
{
    DIR *dir = depth < MAX_DEPTH ? opendir(group) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
            continue;
        char *inner = strings_printf("%s/%s", group, entry->d_name);
        list_inner(inner, depth + 1, out);
        strings_add(out, inner);
        free(inner);
    }
    if (dir)
        closedir(dir);
}

static void remove_group(const char *group)
{
    int64_t deadline = clock_monotonic_ns() + (int64_t)CLEAR_MS * 1000000;
    while (rmdir(group) < 0 && errno == EBUSY) {
        remove_below(group, true, 0);
        kill_members(group);
        if (clock_monotonic_ns() > deadline)
            return; /* something cannot be killed; the next taskgen tries again */
        clock_sleep_ms(NAP_MS);
    }
}

void box_cgroup_free(struct box_cgroup *c)
{
    for (int i = 0; c && i < CONTROLLERS; i++) {
        if (c->dirs[i])
            remove_group(c->dirs[i]);
        free(c->dirs[i]);
    }
    free(c);
}

const char *box_cgroup_dir(const struct box_cgroup *c, bool memory, bool *v2)
{
    int controller = memory ? MEMORY : PIDS;
    *v2 = c && c->v2[controller];
    return c ? c->dirs[controller] : NULL;
}

void box_cgroup_inner(const struct box_cgroup *c, struct strings *out)
{
    bool same = c->dirs[PIDS] && c->dirs[MEMORY] && strcmp(c->dirs[PIDS], c->dirs[MEMORY]) == 0;
    for (int i = 0; i < (same ? 1 : CONTROLLERS); i++)
        if (c->dirs[i])
            list_inner(c->dirs[i], 0, out);
}

void box_cgroup_kinds(const struct box_cgroup *c, const char *kinds[2])
{
    for (int i = 0; i < CONTROLLERS; i++)
        kinds[i] = c && c->dirs[i] ? (c->v2[i] ? "v2" : "v1") : NULL;
}

/* The first line of a group's file. */
static void add_value(const char *group, const char *file, struct buf *out)
{
    struct buf text;
    if (read_text(group, file, &text))
        buf_add(out, bytes_slice(buf_bytes(&text), 0, strcspn(buf_string(&text), "\n")));
    buf_release(&text);
}

void box_cgroup_report(const struct box_cgroup *c, struct buf *out)
{
    static const char *const units[CONTROLLERS] = {"processes", "bytes"};
    static const char *const swap[2] = {"memory.memsw.limit_in_bytes", "memory.swap.max"};
    for (int i = 0; i < CONTROLLERS; i++) {
        const char *group = c ? c->dirs[i] : NULL;
        if (!group) {
            buf_addf(out, "%s cgroup: no (no cgroup with the %s controller can be made by us)\n", controllers[i], controllers[i]);
            continue;
        }
        buf_addf(out, "%s cgroup: yes (version %d, at most ", controllers[i], c->v2[i] ? 2 : 1);
        add_value(group, witness[c->v2[i]][i], out);
        buf_addf(out, " %s%s)\n", units[i], i == MEMORY ? has_file(group, swap[c->v2[i]]) ? ", swap with it" : ", swap beside it" : "");
    }
}
