/* The observer of system calls: which ones the processes of a session made during a task, how they ended, and in what kind of place.
 *
 * The kernel runs a small program of ours (syscall_program.h) at the end of every system call. Nothing is attached to the processes
 * themselves: a debugger in the box, a program with system call filters of its own, a set-uid program and a race at an exit are as they
 * are without us, and when we are killed the kernel takes the program away. ptrace and seccomp, which a plain user could have, do change
 * these, and cost many times as much (docs/internals/observe.md).
 *
 * Who may not load such programs (it takes root, or CAP_BPF and CAP_PERFMON) does without. So does who has no box, since sessions are
 * told by its process namespace.
 *
 * Invariant: no two tasks that run have the same number, and no two sessions the same namespace; both are guarded by the lock. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "exec/observe/btf.h"
#include "exec/observe/observer.h"
#include "exec/observe/syscall_program.h"
#include "exec/target/whereabouts.h"

enum { BTF_MAX = 64 << 20, WHY_MAX = 256, SPACES_MAX = 8 };

/* What was found out about this machine, once. */
static struct machine {
    struct syscall_offsets at;
    char why[WHY_MAX]; /* "": it works */
} machine;
static pthread_once_t machine_once = PTHREAD_ONCE_INIT;

struct shared {
    struct syscall_maps maps;
    int program, attached;
    pthread_mutex_t lock;
    uint16_t last_task;
    uint64_t keys[SYSCALL_SEEN];   /* room for reading, guarded by the lock */
    uint32_t values[SYSCALL_SEEN];
    struct owner {                 /* of namespaces that the kernel knows of */
        uint32_t inode;
        const void *state;         /* NULL: this row is free */
    } owners[SYSCALL_SESSIONS];
};

struct space {
    struct session *session;
    uint32_t inode;
    struct syscall_session *row; /* as the kernel has it */
};

struct state {
    struct shared *shared;
    uint16_t task; /* 0: none runs */
    struct space spaces[SPACES_MAX];
    size_t space_count;
};

/* --- the machine --- */

static bool find_offsets(struct machine *m)
{
    const struct {
        const char *structure, *member;
        int32_t *at;
    } rows[] = {{"task_struct", "thread_pid", &m->at.task_pid},
                {"pid", "level", &m->at.pid_level},
                {"pid", "numbers", &m->at.pid_numbers},
                {"upid", "ns", &m->at.number_space},
                {"pid_namespace", "ns", &m->at.space_inode}};
    struct buf text;
    buf_init(&text, BTF_MAX);
    bool good = fs_read(BTF_KERNEL, BTF_MAX, &text, NULL) == 0;
    if (!good)
        snprintf(m->why, sizeof m->why, "the kernel does not describe its structures in " BTF_KERNEL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && good; i++) {
        long at = btf_member(buf_bytes(&text), rows[i].structure, rows[i].member);
        good = at >= 0;
        *rows[i].at = (int32_t)at;
        if (!good)
            snprintf(m->why, sizeof m->why, "the kernel's struct %s has no %s", rows[i].structure, rows[i].member);
    }
    long inode = good ? btf_member(buf_bytes(&text), "ns_common", "inum") : -1;
    if (good && inode < 0)
        snprintf(m->why, sizeof m->why, "the kernel's struct ns_common has no inum");
    m->at.space_inode += (int32_t)inode;
    buf_release(&text);
    return good && inode >= 0;
}

static void close_all(struct shared *s)
{
    const int all[] = {s->attached, s->program, s->maps.table, s->maps.sessions, s->maps.seen};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
}

static void fill_table(int map)
{
    size_t count;
    const struct syscall_row *rows = syscall_rows(&count);
    for (uint32_t number = 0; number < SYSCALL_NUMBERS; number++)
        bpf_map_set(map, &number, &(uint32_t){SYSCALL_PLAIN});
    for (size_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)rows[i].number, value = SYSCALL_PLAIN;
        if (rows[i].ignored)
            value = SYSCALL_IGNORED;
        else if (rows[i].path >= 0)
            value = SYSCALL_PATH_FIRST + (uint32_t)rows[i].path;
        bpf_map_set(map, &number, &value);
    }
}

static bool open_maps(struct syscall_maps *maps)
{
    const struct bpf_shape table = {BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(uint32_t), SYSCALL_NUMBERS, 0},
                           sessions = {BPF_MAP_TYPE_HASH, sizeof(uint32_t), sizeof(struct syscall_session), SYSCALL_SESSIONS, 0},
                           seen = {BPF_MAP_TYPE_HASH, sizeof(uint64_t), sizeof(uint32_t), SYSCALL_SEEN, BPF_F_NO_PREALLOC};
    maps->table = bpf_map_new(&table);
    maps->sessions = maps->table < 0 ? -1 : bpf_map_new(&sessions);
    maps->seen = maps->sessions < 0 ? -1 : bpf_map_new(&seen);
    return maps->seen >= 0;
}

/* Everything, with *why it cannot be had. */
static bool open_all(struct shared *s, const struct machine *m, char *why, size_t size)
{
    struct bpf_insn code[SYSCALL_CODE];
    s->maps = (struct syscall_maps){-1, -1, -1};
    s->program = s->attached = -1;
    bool maps = open_maps(&s->maps);
    if (!maps && errno == EPERM)
        snprintf(why, size, "the kernel takes programs from root alone");
    else if (!maps)
        snprintf(why, size, "no memory for the kernel's part: %s", strerror(errno));
    if (!maps)
        return false;
    fill_table(s->maps.table);
    s->program = bpf_program_new(code, syscall_program(&m->at, &s->maps, code), why, size);
    if (s->program < 0) {
        if (errno == EPERM)
            snprintf(why, size, "the kernel takes no program that reads its memory: no CAP_PERFMON, or it is locked down");
        return false;
    }
    s->attached = bpf_program_attach(s->program, "sys_exit");
    if (s->attached < 0)
        snprintf(why, size, "the kernel has no place for it at the end of system calls: %s", strerror(errno));
    return s->attached >= 0;
}

static void look_at_machine(void)
{
    struct machine *m = &machine;
    struct shared *s = xcalloc(1, sizeof *s);
    if (!syscall_program_here())
        snprintf(m->why, sizeof m->why, "not made for this kind of processor");
    else if (find_offsets(m)) {
        open_all(s, m, m->why, sizeof m->why);
        close_all(s);
    }
    free(s);
}

static const char *syscalls_lack(const struct target *t)
{
    pthread_once(&machine_once, look_at_machine);
    if (t && target_beyond(t))
        return "the sandbox is elsewhere";
    if (t && (target_in_process(t) || !target_boxed(t, NULL)))
        return "it runs without a box";
    return machine.why[0] ? machine.why : NULL;
}

static void *syscalls_open(struct target *t)
{
    (void)t;
    char why[WHY_MAX];
    struct shared *s = xcalloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    if (!open_all(s, &machine, why, sizeof why)) { /* it went well a moment ago */
        close_all(s);
        s->maps = (struct syscall_maps){-1, -1, -1};
        s->program = s->attached = -1;
    }
    return s;
}

static void syscalls_close(void *shared)
{
    struct shared *s = shared;
    close_all(s);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* --- sessions --- */

static void *syscalls_begin(void *shared)
{
    struct state *s = xcalloc(1, sizeof *s);
    s->shared = shared;
    return s;
}

static void syscalls_starting(void *state, struct session *s, struct session_extra *extra)
{
    (void)state, (void)s, (void)extra; /* it is started as ever */
}

/* All but the last byte are those of the path, which is either a slash or the end. */
static void fill_prefix(struct syscall_prefix *p, const char *path, char last)
{
    char text[SYSCALL_PATH] = "";
    size_t length = strlen(path);
    if (length + 1 > sizeof text) { /* too long to be told apart: no path is like it */
        p->text[0] = 1;
        return;
    }
    memcpy(text, path, length);
    text[length] = last;
    memcpy(p->text, text, sizeof text);
    memset(p->mask, 0xff, length + 1);
}

/* 0: it has none of its own. */
static uint32_t space_of(const struct whereabouts *at)
{
    char path[64];
    struct stat own, its;
    snprintf(path, sizeof path, "/proc/%d/ns/pid", at->agent_pid);
    bool apart = at->agent_pid && stat("/proc/self/ns/pid", &own) == 0 && stat(path, &its) == 0 && own.st_ino != its.st_ino;
    return apart ? (uint32_t)its.st_ino : 0;
}

/* With the lock held. */
static struct owner *owner_of(struct shared *s, uint32_t inode)
{
    struct owner *free_row = NULL;
    for (size_t i = 0; i < SYSCALL_SESSIONS; i++) {
        if (s->owners[i].state && s->owners[i].inode == inode)
            return &s->owners[i];
        if (!s->owners[i].state)
            free_row = &s->owners[i];
    }
    return free_row;
}

/* The kernel gives the number of a namespace that has ended to the next one, which may be another session's by now. */
static void give_up(struct state *st, const struct space *space)
{
    struct shared *s = st->shared;
    pthread_mutex_lock(&s->lock);
    struct owner *o = owner_of(s, space->inode);
    if (o && o->state == st) {
        bpf_map_drop(s->maps.sessions, &space->inode);
        o->state = NULL;
    }
    pthread_mutex_unlock(&s->lock);
}

static void take_over(struct state *st, const struct space *space)
{
    struct shared *s = st->shared;
    pthread_mutex_lock(&s->lock);
    struct owner *o = owner_of(s, space->inode);
    if (o) {
        *o = (struct owner){.inode = space->inode, .state = st};
        bpf_map_set(s->maps.sessions, &space->inode, space->row);
    }
    pthread_mutex_unlock(&s->lock);
}

static struct space *space_for(struct state *st, struct session *s)
{
    for (size_t i = 0; i < st->space_count; i++)
        if (st->spaces[i].session == s) {
            give_up(st, &st->spaces[i]);
            return &st->spaces[i];
        }
    if (st->space_count == SPACES_MAX)
        return NULL;
    struct space *space = &st->spaces[st->space_count++];
    *space = (struct space){.session = s, .row = xcalloc(1, sizeof *space->row)};
    return space;
}

static void syscalls_started(void *state, struct session *s)
{
    struct state *st = state;
    struct whereabouts at;
    session_whereabouts(s, &at);
    uint32_t inode = space_of(&at);
    struct space *space = inode ? space_for(st, s) : NULL;
    if (!space)
        return;
    space->inode = inode;
    space->row->task = st->task;
    fill_prefix(&space->row->prefixes[0], session_root(s), '/');
    fill_prefix(&space->row->prefixes[1], session_root(s), '\0');
    fill_prefix(&space->row->prefixes[2], session_home(s), '/');
    fill_prefix(&space->row->prefixes[3], session_home(s), '\0');
    take_over(st, space);
}

static void syscalls_end(void *state)
{
    struct state *st = state;
    for (size_t i = 0; i < st->space_count; i++) {
        give_up(st, &st->spaces[i]);
        free(st->spaces[i].row);
    }
    free(st);
}

/* --- tasks --- */

/* Of one that is still its own: see give_up. */
static void set_task(struct state *st, uint16_t task)
{
    st->task = task;
    for (size_t i = 0; i < st->space_count; i++) {
        struct space *space = &st->spaces[i];
        struct owner *o = owner_of(st->shared, space->inode);
        space->row->task = task;
        if (o && o->state == st)
            bpf_map_set(st->shared->maps.sessions, &space->inode, space->row);
    }
}

static void syscalls_task_begin(void *state)
{
    struct state *st = state;
    struct shared *s = st->shared;
    pthread_mutex_lock(&s->lock);
    if (++s->last_task == 0)
        s->last_task = 1;
    set_task(st, s->last_task);
    pthread_mutex_unlock(&s->lock);
}

static void add_key(struct seen_list *list, uint64_t key)
{
    const char *text =
        syscall_text(list->arena, (int)(key >> SYSCALL_NUMBER_SHIFT & SYSCALL_PART), (int)(key >> SYSCALL_ERROR_SHIFT & SYSCALL_PART),
                     (enum path_class)(key & SYSCALL_PART));
    seen_add(list, SEEN_SYSCALL, text, text);
}

static void syscalls_task_end(void *state, struct seen_list *list)
{
    struct state *st = state;
    struct shared *s = st->shared;
    pthread_mutex_lock(&s->lock);
    uint64_t task = st->task;
    set_task(st, 0);
    size_t count = bpf_map_read(s->maps.seen, s->keys, s->values, SYSCALL_SEEN);
    for (size_t i = 0; i < count; i++) {
        if (s->keys[i] >> SYSCALL_TASK_SHIFT != task)
            continue;
        add_key(list, s->keys[i]);
        bpf_map_drop(s->maps.seen, &s->keys[i]);
    }
    pthread_mutex_unlock(&s->lock);
}

const struct observer observer_syscalls = {
    .name = "syscalls",
    .doc = "system calls of everything in the box",
    .share = "observe.syscalls-share",
    .lacks = syscalls_lack,
    .open = syscalls_open,
    .close = syscalls_close,
    .begin = syscalls_begin,
    .starting = syscalls_starting,
    .started = syscalls_started,
    .task_begin = syscalls_task_begin,
    .task_end = syscalls_task_end,
    .end = syscalls_end,
};
