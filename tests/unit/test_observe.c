/* Observers with real sessions: which system calls commands in our box make, and who is left out. */
#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"
#include "exec/observe/btf.h"
#include "exec/observe/syscalls.h"
#include "observe_case.h"

static bool possible;

static void set_up(void)
{
    observe_set_up();
    ck_assert_int_eq(settings_set(&f.settings, "observe.syscalls-share", "1", NULL), 0);
    const char *why = observer_syscalls.lacks(NULL);
    possible = why == NULL && box_possible(&why);
    if (!possible)
        printf("not tested: %s\n", why);
}

static void watch(const char *spec, const char *list)
{
    struct error *err = NULL;
    session_target_new(&f, spec);
    ck_assert_msg(observers_new(list, f.target, &observers, &err) == 0, "%s", err ? err->text : "");
    open_session();
}

static void task_begin(const char *id)
{
    struct task task = {0};
    snprintf(task.id, sizeof task.id, "%s", id);
    e = (struct execution){.arena = &f.arena};
    lookout_task_begin(lookout, &task);
}

/* What a script made of system calls. */
static struct execution seen_in(const char *script)
{
    task_begin("1");
    sh_out(&f, script);
    lookout_task_end(lookout, &e);
    return e;
}

static bool saw(const struct execution *x, const char *text)
{
    uint64_t hash = hash64(bytes_of_string(text));
    for (size_t i = 0; i < x->seen_count; i++)
        if (x->seen[i].domain == SEEN_SYSCALL && x->seen[i].hash == hash) {
            ck_assert_str_eq(x->seen[i].text, text);
            return true;
        }
    return false;
}

/* What `more` saw and `less` did not, in one text. */
static const char *beyond(const struct execution *more, const struct execution *less)
{
    const char *text = "";
    for (size_t i = 0; i < more->seen_count; i++)
        if (!saw(less, more->seen[i].text))
            text = arena_printf(&f.arena, "%s[%s]", text, more->seen[i].text);
    return text;
}

/* The same shell that does nothing else is the measure. */
START_TEST(exactly_what_a_program_does)
{
    static const struct {
        const char *script, *seen;
    } cases[] = {
        {"umask 22", "[umask ok]"},
        {"cd /no-such-directory || :", "[chdir ENOENT elsewhere]"},
        {"cd /etc", "[chdir ok system]"},
        {"cd /proc", "[chdir ok proc]"},
        {"cd /proc/1", "[chdir ok proc]"},
        {"cd /dev", "[chdir ok dev]"},
        {"cd /sys/kernel", "[chdir ok sys]"},
        {"cd /tmp", "[chdir ok tmp]"},
        {"cd /var/tmp", "[chdir ok tmp]"},
        {"cd /", "[chdir ok elsewhere]"},
        {"cd \"$HOME\"", "[chdir ok home]"},
        {"cd \"${HOME}x\" || :", "[chdir ENOENT tmp]"}, /* beside it, where TMPDIR is */
        {"test -e nothing || :", "[newfstatat ENOENT relative]"},
        {"test -e \"$PWD\"/nothing || :", "[newfstatat ENOENT root]"},
    };
    if (!possible)
        return;
    watch("exec:", "syscalls");
    seen_in(":"); /* the first one pays for what others find there */
    struct execution nothing = seen_in(":");
    ck_assert(saw(&nothing, "execve ok"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct execution now = seen_in(cases[i].script);
        const char *more = beyond(&now, &nothing);
        ck_assert_msg(strcmp(more, cases[i].seen) == 0, "%s: %s, not %s", cases[i].script, more, cases[i].seen);
    }
}
END_TEST

/* Twice the same is the same set, and waiting is nothing. */
START_TEST(noise_is_left_out)
{
    if (!possible)
        return;
    watch("exec:", "syscalls");
    seen_in("sleep 0.01");
    struct execution first = seen_in("sleep 0.01 & wait; true | true"), again = seen_in("sleep 0.01 & wait; true | true");
    ck_assert_str_eq(beyond(&first, &again), "");
    ck_assert_str_eq(beyond(&again, &first), "");
    ck_assert(!saw(&first, "clock_nanosleep ok"));
    ck_assert(!saw(&first, "wait4 ok"));
    ck_assert(!saw(&first, "mmap ok"));
}
END_TEST

START_TEST(only_while_a_task_runs)
{
    if (!possible)
        return;
    watch("exec:", "syscalls");
    sh_out(&f, "umask 22");
    struct execution between = seen_in(":");
    ck_assert(!saw(&between, "umask ok"));
    sh_out(&f, "umask 22");
    ck_assert_uint_eq(e.seen_count, between.seen_count);
    struct execution later = seen_in(":");
    ck_assert(!saw(&later, "umask ok"));
}
END_TEST

/* What another session does, or we do, is not seen. */
START_TEST(sessions_are_apart)
{
    static const struct start as_always = {.shared_memory = 0};
    if (!possible)
        return;
    watch("exec:", "syscalls");
    struct session *mine = f.session, *other = NULL;
    struct lookout *others = lookout_new(observers);
    ck_assert_int_eq(session_open_watched(f.target, &as_always, lookout_hooks(others), &other, NULL), 0);
    task_begin("1");
    f.session = other;
    sh_out(&f, "umask 22");
    f.session = mine;
    umask(umask(0));
    lookout_task_end(lookout, &e);
    ck_assert(!saw(&e, "umask ok"));
    session_close(other);
    lookout_free(others);
    struct execution now = seen_in("umask 22");
    ck_assert(saw(&now, "umask ok"));
}
END_TEST

/* A session beside the first, and one that was opened again, belong to the task. */
START_TEST(all_sessions_of_a_task)
{
    if (!possible)
        return;
    watch("exec:", "syscalls");
    struct session *first = f.session, *beside = NULL;
    task_begin("1");
    ck_assert_int_eq(session_open_beside(first, &beside, NULL), 0);
    f.session = beside;
    sh_out(&f, "umask 22");
    f.session = first;
    lookout_task_end(lookout, &e);
    ck_assert(saw(&e, "umask ok"));
    session_close(beside);
    task_begin("2");
    ck_assert_int_eq(session_reopen(first, NULL), 0);
    sh_out(&f, "umask 22");
    lookout_task_end(lookout, &e);
    ck_assert(saw(&e, "umask ok"));
}
END_TEST

/* A sandbox in our box has a process namespace of its own, and system call filters. */
START_TEST(sandboxes_in_the_box)
{
    if (!possible || access("/usr/bin/bwrap", X_OK) < 0)
        return;
    watch(BWRAP, "syscalls");
    struct execution now = seen_in("umask 22");
    ck_assert(saw(&now, "umask ok"));
}
END_TEST

/* Neither a debugger nor a filter, and what a program is allowed is as it was. */
START_TEST(nothing_shows_in_the_box)
{
    static const char look[] = "grep -E '^(TracerPid|Seccomp|Seccomp_filters|NoNewPrivs|Cap...):' /proc/self/status; env | sort";
    if (!possible)
        return;
    watch("exec:", "all");
    const char *before = sh_out(&f, look);
    task_begin("1");
    const char *during = sh_out(&f, look);
    lookout_task_end(lookout, &e);
    ck_assert_uint_gt(e.seen_count, 0);
    ck_assert(strstr(during, "TracerPid:\t0\n") != NULL);
    ck_assert_str_eq(before, during);
}
END_TEST

/* The same task is always in, or always out. */
START_TEST(a_share_of_the_tasks)
{
    enum { TASKS = 200 };
    if (!possible)
        return;
    ck_assert_int_eq(settings_set(&f.settings, "observe.syscalls-share", "0.5", NULL), 0);
    watch("exec:", "syscalls");
    bool in[TASKS];
    int count = 0;
    for (int i = 0; i < 2 * TASKS; i++) {
        task_begin(arena_printf(&f.arena, "%032x", (unsigned)(i % TASKS)));
        if (i % TASKS == 0)
            sh_out(&f, ":");
        lookout_task_end(lookout, &e);
        if (i < TASKS)
            in[i] = lookout_took_part(lookout, "syscalls");
        else
            ck_assert(in[i - TASKS] == lookout_took_part(lookout, "syscalls"));
        count += i < TASKS && in[i];
    }
    ck_assert_int_gt(count, TASKS / 4);
    ck_assert_int_lt(count, TASKS * 3 / 4);
}
END_TEST

START_TEST(lists_of_names)
{
    struct error *err = NULL;
    struct buf text;
    session_target_new(&f, "exec:");
    ck_assert_int_eq(observers_new("syscalls,nobody", f.target, &observers, &err), ERR_INPUT);
    ck_assert_str_eq(err->text, "found 'nobody', expected syscalls, node, all or none");
    error_free(err);
    observers = NULL;
    ck_assert_int_eq(observers_new("none", f.target, &observers, NULL), 0);
    ck_assert(observers_none(observers));
    ck_assert_ptr_null(lookout_new(observers));
    buf_init(&text, 1000);
    observers_summary(observers, &text);
    ck_assert_str_eq(buf_string(&text), "observed: answers only");
    buf_clear(&text);
    observers_free(observers);
    ck_assert_int_eq(observers_new("node", f.target, &observers, NULL), 0);
    observers_summary(observers, &text);
    ck_assert_str_eq(buf_string(&text), "observed: code of MCP servers that run on Node.js: no (it is no MCP server)");
    buf_release(&text);
}
END_TEST

START_TEST(without_a_box)
{
    struct target_options o = {.spec = "exec:", .settings = &f.settings, .ops = f.ops, .no_box = true};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    ck_assert_str_eq(observer_syscalls.lacks(f.target), "it runs without a box");
}
END_TEST

/* --- parts --- */

START_TEST(texts_of_system_calls)
{
    ck_assert_str_eq(syscall_text(&f.arena, SYS_openat, 0, PATH_ROOT), "openat ok root");
    ck_assert_str_eq(syscall_text(&f.arena, SYS_openat, ENOENT, PATH_TMP), "openat ENOENT tmp");
    ck_assert_str_eq(syscall_text(&f.arena, SYS_read, EIO, PATH_NONE), "read EIO");
    ck_assert_str_eq(syscall_text(&f.arena, 511, 0, PATH_NONE), "syscall-511 ok");
    ck_assert_str_eq(syscall_text(&f.arena, 511, 499, PATH_NONE), "syscall-511 E499");
}
END_TEST

/* No number twice, or one of them would do nothing. */
START_TEST(rows_of_system_calls)
{
    size_t count;
    const struct syscall_row *rows = syscall_rows(&count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_lt(rows[i].number, 512);
        ck_assert_int_lt(rows[i].path, 3);
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(rows[i].number != rows[k].number, "%s, %s", rows[i].name, rows[k].name);
    }
}
END_TEST

static void put_words(struct buf *out, size_t count, const uint32_t *words)
{
    buf_add(out, bytes_of(words, count * sizeof *words));
}

/* struct outer { union { struct inner { int b; } i; int c; }; int d : 8; }, with the anonymous union 8 bytes in. */
static void make_btf(struct buf *out)
{
    static const char strings[] = "\0int\0inner\0b\0i\0c\0outer\0d";
    enum { INT = 1, INNER = 5, B = 11, I = 13, C = 15, OUTER = 17, D = 23, BITS = 8 };
    struct buf types;
    buf_init(&types, 1000);
    put_words(&types, 4, (const uint32_t[]){INT, BTF_KIND_INT << 24, 4, 32});
    put_words(&types, 6, (const uint32_t[]){INNER, BTF_KIND_STRUCT << 24 | 1, 4, B, 1, 0});
    put_words(&types, 9, (const uint32_t[]){0, BTF_KIND_UNION << 24 | 2, 4, I, 2, 0, C, 1, 0});
    put_words(&types, 9, (const uint32_t[]){OUTER, 1u << 31 | BTF_KIND_STRUCT << 24 | 2, 16, 0, 3, 8 * BITS, D, 1, 8u << 24 | 12 * BITS});
    struct btf_header h = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof h, .type_len = (uint32_t)types.len,
                           .str_off = (uint32_t)types.len, .str_len = sizeof strings};
    buf_add(out, bytes_of(&h, sizeof h));
    buf_add(out, buf_bytes(&types));
    buf_add(out, bytes_of(strings, sizeof strings));
    buf_release(&types);
}

START_TEST(offsets_of_members)
{
    struct buf text;
    buf_init(&text, 4096);
    make_btf(&text);
    struct bytes all = buf_bytes(&text);
    ck_assert_int_eq(btf_member(all, "inner", "b"), 0);
    ck_assert_int_eq(btf_member(all, "outer", "i"), 8);
    ck_assert_int_eq(btf_member(all, "outer", "c"), 8);
    ck_assert_int_eq(btf_member(all, "outer", "d"), 12);
    ck_assert_int_eq(btf_member(all, "outer", "b"), -1);
    ck_assert_int_eq(btf_member(all, "nothing", "b"), -1);
    for (size_t length = 0; length < all.len; length++)
        ck_assert_int_eq(btf_member(bytes_slice(all, 0, length), "outer", "d"), -1);
    buf_release(&text);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, observe_tear_down);
    tcase_add_test(t, exactly_what_a_program_does);
    tcase_add_test(t, noise_is_left_out);
    tcase_add_test(t, only_while_a_task_runs);
    tcase_add_test(t, sessions_are_apart);
    tcase_add_test(t, all_sessions_of_a_task);
    tcase_add_test(t, sandboxes_in_the_box);
    tcase_add_test(t, nothing_shows_in_the_box);
    tcase_add_test(t, a_share_of_the_tasks);
    tcase_add_test(t, lists_of_names);
    tcase_add_test(t, without_a_box);
    tcase_add_test(t, texts_of_system_calls);
    tcase_add_test(t, rows_of_system_calls);
    tcase_add_test(t, offsets_of_members);
}

int main(void)
{
    return unit_main("observe", fill);
}
