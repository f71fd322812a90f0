/* Bubblewrap's command line, and what this machine lets it do.
 *
 * The box is made of bubblewrap's mounts and namespaces; the agent that runs in it adds a user namespace when
 * we are root (exec/agent/nest.c). Order matters in the command line: what hides comes first, what must be
 * seen despite that comes after it, what is writable last.
 *
 * What the machine allows is found out once, by making boxes that hold nothing, the best kind first. */
#include "exec/target/box.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/subprocess.h"
#include "exec/agent/ids.h"
#include "exec/target/strings.h"

enum {
    SCRATCH_MIN = 1 << 20,
    PROBE_MS = 10000,
    PROBE_OUTPUT = 4096,
    FILES = 4096,
    EXTRA_PROCESSES = 2 /* the agent and one being started */
};

#define INSIDE "/run/taskgen/" /* where program[0] is seen */

static struct machine {
    char bwrap[PATH_MAX];
    bool works, network, nest;
    char why[512];         /* not works: why; one line */
    char why_network[256]; /* works, but not network */
    char why_nest[256];
} machine;
static pthread_once_t machine_once = PTHREAD_ONCE_INIT;

/* --- the command line --- */

/* Hides a directory of the host's behind an empty one. */
static void hide(struct strings *argv, const char *dir)
{
    struct stat st;
    char *real = realpath(dir, NULL);
    if (real && strcmp(real, "/") != 0 && stat(real, &st) == 0 && S_ISDIR(st.st_mode) &&
        !strings_have(argv->items, real))
        strings_add_all(argv, (const char *const[]){"--tmpfs", real, NULL});
    free(real);
}

/* A directory that everybody may write, as /tmp is, in memory. */
static void scratch(struct strings *argv, const char *dir, const char *size)
{
    struct stat st;
    if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
        strings_add_all(argv, (const char *const[]){"--perms", "1777", "--size", size, "--tmpfs", dir, NULL});
}

/* Directories on the way to what is bound below an empty directory: bubblewrap would make them for its own
 * user only. One that is there already stays as it is. */
static void make_parents(struct strings *argv, const char *path)
{
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        char *parent = strings_printf("%.*s", (int)(slash - path), path);
        if (!strings_have(argv->items, parent))
            strings_add_all(argv, (const char *const[]){"--dir", parent, NULL});
        free(parent);
    }
}

static void bind_all(struct strings *argv, const char *how, const char *const *paths)
{
    for (; paths && *paths; paths++) {
        make_parents(argv, *paths);
        strings_add_all(argv, (const char *const[]){how, *paths, *paths, NULL});
    }
}

/* Shown with a writable directory above it already? */
static bool is_below_any(const char *path, const char *const *dirs)
{
    for (; dirs && *dirs; dirs++)
        if (strncmp(path, *dirs, strlen(*dirs)) == 0 && path[strlen(*dirs)] == '/')
            return true;
    return false;
}

static void add_mounts(struct strings *argv, const struct box *b)
{
    char size[32], shared[32];
    int64_t most = SCRATCH_MIN;
    if (b->settings) { /* what lies in memory counts as memory: three of them must leave room for programs */
        int64_t disk = settings_int(b->settings, "budget.disk"),
                share = settings_int(b->settings, "budget.memory") / 4;
        most = disk < share ? disk : share;
    }
    snprintf(size, sizeof size, "%lld", (long long)most);
    snprintf(shared, sizeof shared, "%lld", (long long)(b->shared_memory ? b->shared_memory : most));
    strings_add_all(argv,
                    (const char *const[]){"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", NULL});
    strings_add_all(argv,
                    (const char *const[]){"--perms", "1777", "--size", shared, "--tmpfs", "/dev/shm", NULL});
    scratch(argv, "/tmp", size);
    scratch(argv, "/var/tmp", size);
    hide(argv, "/run"); /* sockets of services: even read-only they can be connected to */
    hide(argv, "/root");
    hide(argv, "/home");
    const char *home = getenv("HOME");
    if (home && home[0] == '/')
        hide(argv, home);
    bind_all(argv, "--ro-bind-try", b->readable);
    bind_all(argv, "--bind", b->writable);
    for (int i = 0; b->root && i < 2; i++) {
        const char *own = i == 0 ? b->root : b->home;
        if (!is_below_any(own, b->writable))
            bind_all(argv, "--bind", (const char *const[]){own, NULL});
    }
}

static void add_shown(struct strings *argv, const char *const *pairs)
{
    for (; pairs && pairs[0] && pairs[1]; pairs += 2) {
        char *inside = strings_printf(INSIDE "%s", pairs[1]);
        make_parents(argv, inside);
        strings_add_all(argv, (const char *const[]){"--ro-bind", pairs[0], inside, NULL});
        free(inside);
    }
}

static void add_program(struct strings *argv, const char *const *program)
{
    const char *slash = strrchr(program[0], '/');
    char *inside = strings_printf(INSIDE "%s", slash ? slash + 1 : program[0]);
    make_parents(argv, inside);
    strings_add_all(argv, (const char *const[]){"--ro-bind", program[0], inside, "--", inside, NULL});
    strings_add_all(argv, program + 1);
    free(inside);
}

static char **build(const struct box *b, const struct machine *m, const char *const *program)
{
    struct strings argv = {0};
    strings_add_all(&argv, (const char *const[]){m->bwrap, "--unshare-pid", "--unshare-ipc", "--unshare-uts",
                                                 "--as-pid-1", "--new-session", NULL});
    if (m->network)
        strings_add(&argv, "--unshare-net");
    /* Not --die-with-parent: to the kernel a parent is a thread, and workers come and go. The agent sees our
     * end by its socket, and as process 1 takes the whole box with it. */
    if (geteuid() == 0)
        strings_add_all(&argv, (const char *const[]){m->nest ? "--cap-add" : "--cap-drop", "ALL", NULL});
    add_mounts(&argv, b);
    add_shown(&argv, b->shown);
    add_program(&argv, program);
    return strings_take(&argv);
}

/* --- what the machine allows --- */

static bool find_bwrap(char path[PATH_MAX])
{
    const char *search = getenv("PATH");
    if (!search)
        search = "/usr/local/bin:/usr/bin:/bin";
    for (const char *at = search; *at;) {
        size_t length = strcspn(at, ":");
        int written = snprintf(path, PATH_MAX, "%.*s/bwrap", (int)length, at);
        if (at[0] == '/' && written < PATH_MAX && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* The last line of what a program said on standard error. */
static void last_line(struct buf *errors, char *line, size_t size)
{
    while (errors->len && errors->data[errors->len - 1] == '\n')
        buf_cut(errors, errors->len - 1);
    const char *text = buf_string(errors), *newline = strrchr(text, '\n');
    snprintf(line, size, "%s", newline ? newline + 1 : text);
}

/* Makes a box of this kind and leaves it at once. */
static bool try_box(const struct machine *m, const char *agent, char *why, size_t size)
{
    const struct box nothing = {0};
    const char *program[] = {agent, "--check", m->nest ? "--nest" : NULL, NULL};
    char **argv = build(&nothing, m, program);
    struct buf out, errors;
    struct error *err = NULL;
    int status = 0;
    buf_init(&out, PROBE_OUTPUT);
    buf_init(&errors, PROBE_OUTPUT);
    int failed = subprocess_run((const char *const *)argv, BYTES_NONE, PROBE_MS, PROBE_OUTPUT, &out, &errors,
                                &status, &err);
    bool good = failed == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (failed)
        snprintf(why, size, "%s", err->text);
    else if (!good)
        last_line(&errors, why, size);
    error_free(err);
    buf_release(&out);
    buf_release(&errors);
    strings_free(argv);
    return good;
}

static void look_at_machine(void)
{
    struct machine *m = &machine;
    struct error *err = NULL;
    char *agent = fs_helper("taskgen-agent", &err);
    if (!agent || !find_bwrap(m->bwrap)) {
        snprintf(m->why, sizeof m->why, "%s", agent ? "bubblewrap (bwrap) is not installed" : err->text);
        error_free(err);
        free(agent);
        return;
    }
    bool root = geteuid() == 0;
    m->network = true;
    m->nest = root;
    m->works = try_box(m, agent, m->why, sizeof m->why);
    if (!m->works && root) {
        m->nest = false;
        snprintf(m->why_nest, sizeof m->why_nest, "%.255s", m->why);
        m->works = try_box(m, agent, m->why, sizeof m->why);
    }
    if (!m->works) {
        m->network = false;
        m->nest = root;
        snprintf(m->why_network, sizeof m->why_network, "%.255s", m->why);
        m->works = try_box(m, agent, m->why, sizeof m->why);
    }
    if (!m->works && root) {
        m->nest = false;
        m->works = try_box(m, agent, m->why, sizeof m->why);
    }
    free(agent);
}

static const struct machine *machine_look(void)
{
    pthread_once(&machine_once, look_at_machine);
    return &machine;
}

bool box_possible(const char **why)
{
    const struct machine *m = machine_look();
    if (!m->works && why)
        *why = m->why;
    return m->works;
}

unsigned box_owner(const struct box *b)
{
    if (b->off || !box_possible(NULL) || !machine.nest)
        return 0;
    return AGENT_FIRST_ID + (b->keep_capabilities ? 0 : b->user ? b->user : AGENT_PLAIN_ID);
}

/* --- for agent.c --- */

/* The kernel counts a user's processes; only in a user namespace of the session's own are those the session's. */
static bool processes_count_alone(bool boxed)
{
    return boxed && (machine.nest || geteuid() != 0);
}

int64_t box_tasks(const struct settings *settings, unsigned threads)
{
    return settings_int(settings, "budget.processes") * (threads ? threads : 1) + EXTRA_PROCESSES;
}

char **box_agent_options(const struct box *b)
{
    struct strings options = {0};
    bool boxed = !b->off && box_possible(NULL);
    bool nest = boxed && machine.nest;
    if (nest && b->keep_capabilities)
        strings_add(&options, "--nest");
    else if (nest)
        strings_addf(&options, "--nest-plain=%u", b->user ? b->user : AGENT_PLAIN_ID);
    strings_addf(&options, "--files=%d", FILES);
    strings_addf(&options, "--file-size=%lld", (long long)settings_int(b->settings, "budget.disk"));
    if (processes_count_alone(boxed))
        strings_addf(&options, "--processes=%lld", (long long)box_tasks(b->settings, b->threads));
    return strings_take(&options);
}

char **box_argv(const struct box *b, const char *const *program, struct error **err)
{
    if (b->off || !box_possible(NULL)) {
        struct strings argv = {0};
        strings_add_all(&argv, program);
        return strings_take(&argv);
    }
    if (!b->root || !b->home || !strchr(program[0], '/')) {
        error_set(err, ERR_TARGET, "cannot make a box without a root, a home and the path of its program");
        return NULL;
    }
    return build(b, &machine, program);
}

void box_argv_free(char **argv)
{
    strings_free(argv);
}

static void report_line(struct buf *out, const char *name, bool had, const char *why)
{
    if (had)
        buf_addf(out, "%s: yes\n", name);
    else
        buf_addf(out, "%s: no (%s)\n", name, *why ? why : "the kernel does not allow it");
}

/* What is left of a limit that we would set: a lower one of this machine stays. */
static long long limited(int resource, int64_t wanted)
{
    struct rlimit now;
    if (getrlimit(resource, &now) == 0 && now.rlim_max != RLIM_INFINITY && now.rlim_max < (rlim_t)wanted)
        return (long long)now.rlim_max;
    return (long long)wanted;
}

void box_report_limits(const struct settings *settings, bool boxed, struct buf *out)
{
    struct box_cgroup *c = box_cgroup_new(settings, 0);
    box_cgroup_report(c, out);
    box_cgroup_free(c);
    buf_addf(out, "limits: %lld open files, %lld bytes in a file, no core dumps", limited(RLIMIT_NOFILE, FILES),
             limited(RLIMIT_FSIZE, settings_int(settings, "budget.disk")));
    if (processes_count_alone(boxed))
        buf_addf(out, ", %lld processes of its user",
                 limited(RLIMIT_NPROC, box_tasks(settings, 0)));
    buf_add_string(out, "\n");
}

void box_report(const struct settings *settings, struct buf *out)
{
    const struct machine *m = machine_look();
    report_line(out, "box made by bubblewrap", m->works, m->why);
    if (m->works) {
        report_line(out, "namespaces of mounts, processes, IPC and host name", true, "");
        report_line(out, "network namespace", m->network, m->why_network);
    }
    if (m->works && geteuid() == 0)
        report_line(out, "user namespace for sandboxes inside the box, and ids that are not root's", m->nest,
                    m->why_nest);
    else if (m->works)
        report_line(out, "user namespace", true, "");
    box_report_limits(settings, m->works, out);
}
