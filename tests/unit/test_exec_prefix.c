/* What is found out about prefixes of the exec driver, and made up for: words that are split again, variables that are kept
 * back, a root that cannot be seen, root file systems with nothing in them. */
#include "base/subprocess.h"
#include "session_fixture.h"

static struct session_fixture f;

static void set_up(void)
{
    session_set_up(&f);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

static void next_target(const char *spec)
{
    if (f.session)
        session_close(f.session);
    f.session = NULL;
    target_free(f.target);
    f.target = NULL;
    session_new(&f, spec);
}

static const char *explained(void)
{
    struct buf out;
    buf_init(&out, 65536);
    session_explain(f.session, &out);
    const char *text = arena_string(&f.arena, buf_bytes(&out));
    buf_release(&out);
    return text;
}

/* A prefix behind which a shell splits words once more, and those that keep variables for themselves. */
START_TEST(words_and_variables)
{
    static const char *const rows[][2] = {
        {"exec:sh -c", "\nwords: split once more"},
        {"exec:sh -c 'eval \"$*\"' sh", "\nwords: split once more"},
        {"exec:env -i PATH=/usr/bin:/bin", "\nvariables of a call: by env"},
        {"exec:sh -c 'exec env -i sh -c \"$*\"' sh", "\nvariables of a call: by env"},
    };
    if (!box_possible(NULL))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        next_target(rows[i][0]);
        const char *text = explained();
        ck_assert_msg(strstr(text, rows[i][1]), "%s: %.300s", rows[i][0], text);
        ASSERT_OK("run", "{\"argv\":[\"printf\",\"%s|\",\"a  b\",\"\",\"$x'\\\"\",\"*\",\"l1\\nl2\"]}");
        ASSERT_BYTES(result_bytes(&f, "stdout"), "a  b||$x'\"|*|l1\nl2|");
        ASSERT_OK("run", "{\"language\":\"sh\",\"script\":\"printf %s \\\"$A\\\"\",\"env\":{\"A\":\"it's  1\\n$B\"}}");
        ASSERT_BYTES(result_bytes(&f, "stdout"), "it's  1\n$B");
        ASSERT_OK("mkdir", "{\"path\":\"a b\"}");
        ASSERT_OK("write", "{\"path\":\"a b/c\",\"content\":\"x\"}");
        ck_assert_str_eq(sh_out(&f, "cat 'a b/c'"), "x");
    }
    next_target(BWRAP);
    ck_assert_ptr_null(strstr(explained(), "\nwords:"));
    ck_assert_ptr_null(strstr(explained(), "\nvariables of a call:"));
}
END_TEST

/* Where /tmp is fresh for each command but the place where commands begin is not, a session's files must not lie about there:
 * they get a directory, which goes with the session. */
START_TEST(directory_of_its_own)
{
    if (!box_possible(NULL))
        return;
    session_new(&f, "exec:bwrap --ro-bind / / --dev /dev --proc /proc --bind {home} /var/tmp --tmpfs /tmp --chdir /var/tmp --unshare-pid "
                    "--die-with-parent");
    ck_assert(!session_root_visible(f.session));
    ck_assert_str_eq(sh_out(&f, "case $PWD in /var/tmp/taskgen.*) echo good;; *) pwd;; esac; echo x > f"), "good\n");
    ck_assert_str_eq(sh_out(&f, "cat f"), "x\n");
    ck_assert_ptr_nonnull(strstr(explained(), "\nworking directory: a fresh directory for each session"));
    char *home = xstrdup(session_home(f.session)), *look = strings_printf("ls -d %s/taskgen.* | wc -l", home);
    struct buf out;
    buf_init(&out, 64);
    const char *const count[] = {"sh", "-c", look, NULL};
    ck_assert_int_eq(subprocess_run(count, BYTES_NONE, 10000, 64, &out, NULL, NULL, NULL), 0);
    ASSERT_BYTES(buf_bytes(&out), "1\n");
    session_end(f.session, NULL, 0);
    buf_clear(&out);
    ck_assert_int_eq(subprocess_run(count, BYTES_NONE, 10000, 64, &out, NULL, NULL, NULL), 0);
    ASSERT_BYTES(buf_bytes(&out), "0\n");
    buf_release(&out);
    free(look);
    free(home);
    /* No place at all. */
    session_close(f.session);
    f.session = NULL;
    target_free(f.target);
    f.target = NULL;
    struct error *err = NULL;
    session_target_new(&f, "exec:bwrap --ro-bind /usr /usr --ro-bind /lib /lib --ro-bind /lib64 /lib64 --ro-bind /bin /bin --chdir / "
                           "--remount-ro /");
    ck_assert_int_eq(session_open(f.target, &f.session, &err), ERR_TARGET);
    ck_assert_msg(strstr(err->text, "': 'bwrap' does not see {root}, and has no place for a directory instead: mktemp: "), "%s",
                  err->text);
    error_free(err);
}
END_TEST

/* A root file system with neither /dev nor /proc. */
START_TEST(bare_root)
{
    if (!box_possible(NULL))
        return;
    session_new(&f, "exec:bwrap --ro-bind /usr /usr --ro-bind /lib /lib --ro-bind /lib64 /lib64 --ro-bind /bin /bin --bind {root} {root}");
    ck_assert_str_eq(sh_out(&f, "ls -d /dev /proc; pwd"), arena_printf(&f.arena, "%s\n", session_root(f.session)));
    ck_assert(session_root_visible(f.session));
    ck_assert(session_supports(f.session, "program:ls") && !session_supports(f.session, "program:no-such-thing"));
    ASSERT_OK("mkdir", "{\"path\":\"d\"}");
    ASSERT_OK("write", "{\"path\":\"d/f\",\"content\":\"x\"}");
    ASSERT_OK("run", "{\"argv\":[\"cat\",\"f\"],\"cwd\":\"d\"}");
    ASSERT_BYTES(result_bytes(&f, "stdout"), "x");
    ASSERT_OK("list", "{\"path\":\"d\"}");
    ASSERT_OK("remove", "{\"path\":\"d\",\"recursive\":true}");
    ck_assert_int_eq(do_call(&f, "remove", "{\"path\":\"d\"}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ENOENT);
    ck_assert_str_eq(sh_out(&f, "ls -A"), "");
    ck_assert_ptr_null(strstr(explained(), "namespaces of its own"));
}
END_TEST

/* What a prefix shuts off is told by looking, not by its name. */
START_TEST(walls)
{
    static const char *const rows[][2] = {
        {BWRAP, "\nnamespaces of its own: network, mounts, processes, IPC, host name, "},
        {"exec:bwrap --bind / / --dev-bind /dev /dev", "\nnamespaces of its own: mounts"},
        {"exec:env A=1", "\nnamespaces of its own: none\n"},
        {"exec:sh -c 'echo no walls here >&2; exec \"$@\"' sh", "\non standard error, unasked: no walls here\n"},
    };
    if (!box_possible(NULL))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        next_target(rows[i][0]);
        const char *text = explained();
        ck_assert_msg(strstr(text, rows[i][1]), "%s: %.300s", rows[i][0], text);
    }
    next_target("exec:");
    ck_assert_ptr_null(strstr(explained(), "namespaces of its own"));
}
END_TEST

/* --- local --- */

/* The number that stands before `unit` in the line of `text` that begins with `line`; -1: there is none. */
static long long number_before(const char *text, const char *line, const char *unit)
{
    const char *at = strstr(text, line), *end = at ? strchr(at, '\n') : NULL, *found = at ? strstr(at, unit) : NULL;
    if (!found || found > end)
        return -1;
    while (found > at && found[-1] >= '0' && found[-1] <= '9')
        found--;
    return strtoll(found, NULL, 10);
}

/* The hard limit as the kernel says it inside. */
static long long limit_inside(const char *name)
{
    const char *line = sh_out(&f, arena_printf(&f.arena, "sed -n 's/^%s  *[^ ]*  *\\([^ ]*\\).*/\\1/p' /proc/self/limits", name));
    return strcmp(line, "unlimited\n") == 0 ? -1 : strtoll(line, NULL, 10);
}

/* Is that namespace inside another one than ours? */
static bool own_namespace(const char *name)
{
    char here[64] = "", path[64];
    snprintf(path, sizeof path, "/proc/self/ns/%s", name);
    ck_assert(readlink(path, here, sizeof here - 1) > 0);
    const char *there = sh_out(&f, arena_printf(&f.arena, "readlink %s", path));
    return strncmp(here, there, strlen(here)) != 0;
}

static void check_group(const char *text, const char *controller, const char *unit, long long limit)
{
    const char *line = strstr(text, arena_printf(&f.arena, "\n%s cgroup: ", controller));
    ck_assert_ptr_nonnull(line);
    bool had = strncmp(strchr(line, ':'), ": yes (version ", 15) == 0;
    const char *groups = sh_out(&f, "cat /proc/self/cgroup");
    const char *named = strstr(groups, arena_printf(&f.arena, ":%s:", controller)), *second = strstr(groups, "0::/");
    const char *at = named ? named : second;
    bool inside = at && strcspn(at, "\n") > 0 && strstr(at, "/taskgen-") && strstr(at, "/taskgen-") < at + strcspn(at, "\n");
    ck_assert_msg(had == inside, "%s%s", line, groups);
    if (had)
        ck_assert_int_eq(number_before(line + 1, controller, unit), limit);
    else
        printf("not tested: no %s cgroup here\n", controller);
}

/* With the box and without it: what is said of walls and limits is what holds inside. */
START_TEST(local_is_what_it_says)
{
    const char *why;
    bool boxed = _i == 0;
    if (boxed && !box_possible(&why)) {
        printf("not tested: no box here: %s\n", why);
        return;
    }
    struct target_options o = {.spec = "local", .settings = &f.settings, .ops = f.ops, .no_box = !boxed};
    settings_set(&f.settings, "budget.processes", "99", NULL);
    settings_set(&f.settings, "budget.memory", "300M", NULL);
    settings_set(&f.settings, "budget.disk", "77M", NULL);
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    session_begin(&f);
    const char *text = explained();
    ck_assert((strstr(text, "\nbox made by bubblewrap: yes\n") != NULL) == boxed);
    ck_assert((strstr(text, "\nbox: none, commands see this machine as it is\n") != NULL) == !boxed);
    static const char *const sure[] = {"mnt", "pid", "ipc", "uts"};
    for (size_t i = 0; i < sizeof sure / sizeof *sure; i++)
        ck_assert_msg(own_namespace(sure[i]) == boxed, "%s", sure[i]);
    ck_assert(own_namespace("net") == (strstr(text, "\nnetwork namespace: yes\n") != NULL));
    ck_assert(own_namespace("user") == (strstr(text, "\nuser namespace") && strstr(strstr(text, "\nuser namespace"), ": yes\n")));
    ck_assert_int_eq(number_before(text, "limits: ", " open files"), limit_inside("Max open files"));
    ck_assert_int_eq(number_before(text, "limits: ", " bytes in a file"), 77 << 20);
    ck_assert_int_eq(limit_inside("Max file size"), 77 << 20);
    ck_assert_int_le(limit_inside("Max core file size"), 1); /* of one byte none comes to be, see exec/agent/main.c */
    ck_assert_ptr_nonnull(strstr(text, ", no core dumps"));
    long long processes = number_before(text, "limits: ", " processes of its user");
    ck_assert(processes == -1 || (processes == 101 && limit_inside("Max processes") == 101));
    check_group(text, "pids", " processes", 101);
    check_group(text, "memory", " bytes", 300 << 20);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, words_and_variables);
    tcase_add_test(tests, directory_of_its_own);
    tcase_add_test(tests, bare_root);
    tcase_add_test(tests, walls);
    tcase_add_loop_test(tests, local_is_what_it_says, 0, 2);
}

int main(void)
{
    return unit_main("exec_prefix", fill);
}
