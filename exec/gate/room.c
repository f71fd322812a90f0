/* What a room looks like from inside, and bubblewrap's command line for it. */
#include "exec/gate/room.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/subprocess.h"

enum { OUTPUT = 1 << 16, PROBE_MS = 10000 };
#define FILE_SIZE "--fsize=268435456"

/* Where something is mounted, in the order in which it must be there. */
static const char *const mount_points[] = {"usr", "proc", "dev", "etc", "etc/alternatives", "run", "tests", "solution", "logs", "logs/verifier", NULL};

static int write_in(const char *root, const char *name, const char *text, struct error **err)
{
    char *path = strings_printf("%s/%s", root, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    int status = n < 0 ? error_set(err, ERR_OUTPUT, "%s: %m", path) : 0;
    if (fd >= 0)
        close(fd);
    free(path);
    return status;
}

static int furnish(struct room *r, struct error **err)
{
    static const char *const dirs[] = {"usr", "proc", "dev", "etc", "run", "tmp", "var", "var/tmp", "root", "home", "mnt", "opt", "srv", "logs", "logs/verifier", "logs/agent", "logs/artifacts", NULL};
    static const char *const links[][2] = {{"bin", "usr/bin"}, {"sbin", "usr/sbin"}, {"lib", "usr/lib"}, {"lib64", "usr/lib64"}, {"lib32", "usr/lib32"}};
    static const char *const local[] = {"", "/bin", "/sbin", "/lib", "/share", "/lib/python3.11", "/lib/python3.11/dist-packages", NULL};
    char path[PATH_MAX];
    if (mkdir(r->root, 0755) < 0 || mkdir(r->logs, 0777) < 0)
        return error_set(err, ERR_OUTPUT, "%s: %m", r->root);
    for (const char *const *d = dirs; *d; d++) {
        snprintf(path, sizeof path, "%s/%s", r->root, *d);
        if (mkdir(path, 0755) < 0)
            return error_set(err, ERR_OUTPUT, "%s: %m", path);
        if (strstr(*d, "tmp"))
            chmod(path, 01777);
    }
    for (const char *const *d = local; *d; d++) {
        snprintf(path, sizeof path, "%s%s", r->local, *d);
        if (mkdir(path, 0755) < 0)
            return error_set(err, ERR_OUTPUT, "%s: %m", path);
    }
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        snprintf(path, sizeof path, "%s/%s", r->root, links[i][0]);
        if (symlink(links[i][1], path) < 0)
            return error_set(err, ERR_OUTPUT, "%s: %m", path);
    }
    TRY(write_in(r->root, "etc/passwd", "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n", err));
    TRY(write_in(r->root, "etc/group", "root:x:0:\nnogroup:x:65534:\n", err));
    return write_in(r->root, "etc/hosts", "127.0.0.1 localhost\n", err);
}

int room_make(struct room *r, const char *dir, const char *name, struct error **err)
{
    r->root = strings_printf("%s/%s", dir, name);
    r->local = strings_printf("%s/%s.local", dir, name);
    r->logs = strings_printf("%s/%s.logs", dir, name);
    return furnish(r, err);
}

void room_release(struct room *r)
{
    char **const paths[] = {&r->root, &r->local, &r->logs};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (*paths[i])
            fs_remove_tree(*paths[i], NULL);
        free(*paths[i]);
        *paths[i] = NULL;
    }
}

int room_repair(struct room *r, struct error **err)
{
    struct stat st;
    char path[PATH_MAX];
    for (const char *const *m = mount_points; *m; m++) {
        snprintf(path, sizeof path, "%s/%s", r->root, *m);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            chmod(path, 0755);
            continue;
        }
        unlink(path);
        if (mkdir(path, 0755) < 0)
            return error_set(err, ERR_OUTPUT, "%s: %m", path);
    }
    return 0;
}

/* --- running --- */

const char *room_clock_library(void)
{
    static char path[PATH_MAX];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool looked;
    pthread_mutex_lock(&lock);
    glob_t found;
    if (!looked && glob("/usr/lib/*/faketime/libfaketime.so.1", 0, NULL, &found) == 0) {
        snprintf(path, sizeof path, "%s", found.gl_pathv[0]);
        globfree(&found);
    }
    looked = true;
    pthread_mutex_unlock(&lock);
    return *path ? path : NULL;
}

/* The loader reads /etc/ld.so.preload whatever the environment is, and the library /etc/faketimerc: env -i does not undo it. */
static int set_clock(const struct room *r, bool shift, struct error **err)
{
    static const char *const files[] = {"etc/ld.so.preload", "etc/faketimerc"};
    if (shift && room_clock_library()) {
        TRY(write_in(r->root, files[0], room_clock_library(), err));
        return write_in(r->root, files[1], "+400d\n", err);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = strings_printf("%s/%s", r->root, files[i]);
        unlink(path);
        free(path);
    }
    return 0;
}

static void add_environment(struct strings *argv, const char *const *env)
{
    strings_add_all(argv, (const char *const[]){"--clearenv", "--setenv", "HOME", "/root", "--setenv", "PATH",
                                                "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", NULL});
    for (; env && *env; env++) {
        const char *equals = strchr(*env, '=');
        if (!equals)
            continue;
        char *name = strings_printf("%.*s", (int)(equals - *env), *env);
        strings_add_all(argv, (const char *const[]){"--setenv", name, equals + 1, NULL});
        free(name);
    }
}

static char **command_line(const struct room *r, const struct room_run *run)
{
    struct strings argv = {0};
    bool v2;
    for (int memory = 0; run->group && memory < 2; memory++) {
        const char *dir = box_cgroup_dir(run->group, memory, &v2);
        if (dir) /* the shell of this machine goes into the group, and becomes what follows */
            strings_add_all(&argv, (const char *const[]){"/bin/sh", "-c", "echo $$ >\"$0/cgroup.procs\"; exec \"$@\"", dir, NULL});
    }
    strings_add_all(&argv, (const char *const[]){"/usr/bin/prlimit", "--core=0", FILE_SIZE, run->tight ? "--nofile=64:4096" : "--nofile=4096",
                                                 run->tight ? "--stack=1048576:8388608" : "--stack=8388608", "--", "bwrap", "--unshare-all", "--unshare-user", "--uid", "0",
                                                 "--gid", "0", "--hostname", "task", "--die-with-parent", "--new-session", NULL});
    strings_add_all(&argv, (const char *const[]){"--bind", r->root, "/", "--ro-bind", "/usr", "/usr", "--bind", r->local, "/usr/local", "--proc", "/proc", "--dev", "/dev",
                                                 "--ro-bind-try", "/etc/alternatives", "/etc/alternatives", NULL});
    for (const char *const *s = run->shown; s && s[0] && s[1]; s += 2)
        strings_add_all(&argv, (const char *const[]){"--ro-bind", s[0], s[1], NULL});
    if (run->logs)
        strings_add_all(&argv, (const char *const[]){"--bind", r->logs, "/logs/verifier", NULL});
    strings_add_all(&argv, (const char *const[]){"--chdir", run->cwd, NULL});
    add_environment(&argv, run->env);
    strings_add(&argv, "--");
    if (run->tight)
        strings_add_all(&argv, (const char *const[]){"/bin/sh", "-c", "umask 077; exec \"$@\"", "sh", NULL});
    strings_add_all(&argv, run->argv);
    return strings_take(&argv);
}

int room_run(const struct room *r, const struct room_run *run, struct room_end *end, struct error **err)
{
    struct error *own = NULL;
    memset(end, 0, sizeof *end);
    buf_init(&end->out, OUTPUT);
    buf_init(&end->errors, OUTPUT);
    TRY(set_clock(r, run->shift_clock, err));
    char **argv = command_line(r, run);
    int64_t start = clock_monotonic_ns();
    int status = subprocess_run((const char *const *)argv, run->input, run->ms, OUTPUT, &end->out, &end->errors, &end->status, &own);
    end->ns = clock_monotonic_ns() - start;
    strings_free(argv);
    if (status == ERR_LIMIT) {
        end->late = true;
        error_free(own);
        return 0;
    }
    if (status < 0 && err)
        *err = own;
    else
        error_free(own);
    return status;
}

void room_end_release(struct room_end *end)
{
    buf_release(&end->out);
    buf_release(&end->errors);
}

bool room_end_clean(const struct room_end *end)
{
    return !end->late && WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0;
}

/* --- can they be made? --- */

static char why[512];

static void try_room(void)
{
    static const char *const argv[] = {"/bin/true", NULL};
    struct error *err = NULL;
    struct room r = {0};
    struct room_end end = {0};
    char *dir = fs_fresh_dir("taskgen-room", &err);
    if (!dir || room_make(&r, dir, "probe", &err) < 0 || room_run(&r, &(struct room_run){.argv = argv, .cwd = "/", .ms = PROBE_MS}, &end, &err) < 0)
        snprintf(why, sizeof why, "%s", err->text);
    else if (!room_end_clean(&end))
        snprintf(why, sizeof why, "%.*s", (int)strcspn(buf_string(&end.errors), "\n"), buf_string(&end.errors));
    if (end.out.max)
        room_end_release(&end);
    room_release(&r);
    if (dir)
        fs_remove_tree(dir, NULL);
    free(dir);
    error_free(err);
}

const char *room_impossible(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, try_room);
    return *why ? why : NULL;
}
