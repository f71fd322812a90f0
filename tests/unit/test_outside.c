/* The outside witness of real sessions: figures, tripwires, canaries, and each kind of thing that can be left behind, planted
 * once and gone afterwards. */
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/encode.h"
#include "exec/canary.h"
#include "exec/oracle/check.h"
#include "exec/outside.h"
#include "exec/procfs.h"
#include "exec/runner.h"
#include "exec/target/tripwire.h"
#include "exec/target/whereabouts.h"
#include "session_fixture.h"

static struct session_fixture f;
static struct task *task;
static struct execution e;
static bool possible;

static void set_up(void)
{
    const char *why = NULL;
    session_set_up(&f);
    possible = box_possible(&why);
    if (!possible)
        printf("not tested: no box here: %s\n", why);
    task = NULL;
}

static void tear_down(void)
{
    task_free(task);
    session_tear_down(&f);
}

static void target(const char *spec, bool no_box)
{
    struct target_options o = {.spec = spec, .settings = &f.settings, .ops = f.ops, .no_box = no_box};
    struct error *err = NULL;
    target_free(f.target);
    ck_assert_msg(target_new(&o, &f.target, &err) == 0, "%s", err ? err->text : "");
}

/* Runs shell scripts, a step each. */
static void run(const char *first, const char *second)
{
    struct error *err = NULL;
    struct json *t = json_new(&f.arena, JSON_OBJECT), *steps = json_new(&f.arena, JSON_ARRAY);
    json_set(&f.arena, t, "format", json_text(&f.arena, "taskgen/task/1"));
    json_set(&f.arena, t, "instruction", json_text(&f.arena, "test"));
    json_set(&f.arena, t, "steps", steps);
    const char *const scripts[] = {first, second};
    for (int i = 0; i < 2 && scripts[i]; i++) {
        struct json *step = json_add(steps, json_new(&f.arena, JSON_OBJECT));
        struct json *args = json_new(&f.arena, JSON_OBJECT);
        json_set(&f.arena, step, "id", json_text(&f.arena, i ? "s2" : "s1"));
        json_set(&f.arena, step, "op", json_text(&f.arena, "run"));
        json_set(&f.arena, step, "args", args);
        json_set(&f.arena, args, "language", json_text(&f.arena, "sh"));
        json_set(&f.arena, args, "script", json_text(&f.arena, scripts[i]));
    }
    struct buf text;
    buf_init(&text, 1 << 16);
    json_write(&text, t, JSON_COMPACT);
    task_free(task);
    ck_assert_msg(task_read(f.ops, buf_bytes(&text), "test", &task, &err) == 0, "%s", err ? err->text : "");
    buf_release(&text);
    ck_assert_msg(runner_execute(f.target, task, &f.arena, NULL, &e, &err) == 0, "%s", err ? err->text : "");
    for (size_t i = 0; i < e.count; i++)
        ck_assert_msg(e.observations[i].outcome.class == OUTCOME_OK && e.observations[i].outcome.exit == 0,
                      "step %zu: %.*s %.*s", i, BYTES_ARG(e.observations[i].outcome.message),
                      BYTES_ARG(json_as_text(json_get(e.observations[i].outcome.result, "stderr"))));
}

/* How many are left of a kind, all of them calm or none; of `where` when that is not NULL. */
static size_t left(enum leftover_kind kind, const char *where, bool calm)
{
    size_t count = 0;
    for (size_t i = 0; i < e.leftover_count; i++)
        count += e.leftovers[i].kind == kind && e.leftovers[i].calm == calm &&
                 (!where || bytes_equal_string(e.leftovers[i].where, where));
    return count;
}

static unsigned touched(enum tripwire_place place)
{
    unsigned how = 0;
    for (size_t i = 0; i < e.tripwire_count; i++)
        how |= e.tripwires[i].place == place ? e.tripwires[i].how : 0;
    return how;
}

START_TEST(a_calm_session)
{
    if (!possible)
        return;
    target("exec:", false);
    run("echo hello > a; cat a; ls -la . ~; mktemp -d; rm -r /tmp/tmp.*", "sleep 0.05; find . -type f");
    ck_assert_uint_eq(e.leftover_count, 0);
    ck_assert_uint_eq(e.tripwire_count, 0);
    ck_assert_uint_eq(e.sighting_count, 0);
    ck_assert(e.at_start.made && e.at_end.made && !e.at_end.have_descriptors);
    ck_assert_uint_eq(e.at_end.processes, 0);
    struct box_cgroup *group = box_cgroup_new(&f.settings, 0);
    if (group) {
        ck_assert_uint_gt(e.observations[1].usage.memory_peak, 0);
        ck_assert_uint_ge(e.at_end.group_processes, 1);
    }
    box_cgroup_free(group);
}
END_TEST

START_TEST(figures_of_a_server)
{
    if (!possible)
        return;
    target("demo:none", false);
    run("true", NULL);
    ck_assert(e.at_start.have_descriptors && e.at_end.have_descriptors);
    ck_assert_uint_ge(e.at_end.descriptors[DESCRIPTOR_PIPE], 2);
    ck_assert_uint_eq(e.at_start.processes, 1);
    ck_assert_uint_gt(e.at_end.rss, 100000);
    ck_assert(e.at_start.rss > 0 && e.at_start.pss == 0);
    ck_assert(e.at_end.pss > 0 && e.at_end.pss <= e.at_end.rss);
    ck_assert_uint_gt(e.observations[0].usage.rss, 100000);
    ck_assert_uint_eq(e.leftover_count, 0);
}
END_TEST

#define LISTEN                                                                                               \
    "nohup /usr/bin/python3 -c 'import socket, time\n"                                                       \
    "t = socket.socket(); t.bind((\"127.0.0.1\", 0)); t.listen()\n"                                          \
    "u = socket.socket(socket.AF_UNIX); u.bind(\"../home/u.sock\"); u.listen()\n"                            \
    "a = socket.socket(socket.AF_UNIX); a.bind(\"\\0abstract-\" + str(t.getsockname()[1])); a.listen()\n"    \
    "c = socket.create_connection(t.getsockname())\n"                                                        \
    "open(\"port\", \"w\").write(str(t.getsockname()[1])); time.sleep(300)' > /dev/null 2>&1 &\n"            \
    "while ! [ -s port ]; do sleep 0.01; done; cat port"

static void check_listeners(bool no_box)
{
    target("exec:", no_box);
    run("true", LISTEN);
    ck_assert_uint_eq(left(LEFTOVER_PROCESS, NULL, false), 1);
    struct bytes port = json_as_text(json_get(e.observations[1].outcome.result, "stdout"));
    ck_assert_uint_eq(left(LEFTOVER_LISTENER, arena_printf(&f.arena, "tcp 127.0.0.1:%.*s", BYTES_ARG(port)), false), 1);
    ck_assert_uint_eq(left(LEFTOVER_LISTENER, "unix ../home/u.sock", false), 1);
    ck_assert_uint_eq(left(LEFTOVER_LISTENER, arena_printf(&f.arena, "unix @abstract-%.*s", BYTES_ARG(port)), false), 1);
    ck_assert_uint_eq(left(LEFTOVER_LISTENER, NULL, false), 3); /* the connection is none, nor is what others listen on */
    ck_assert_uint_eq(e.at_end.listener_count, 3);
    ck_assert_uint_eq(e.at_start.listener_count, 0);
}

START_TEST(what_listens)
{
    if (possible)
        check_listeners(false);
}
END_TEST

START_TEST(what_listens_without_a_box)
{
    check_listeners(true);
}
END_TEST

START_TEST(files_and_temporaries)
{
    if (!possible)
        return;
    target("exec:", false);
    run("echo x > ../stray; mkdir ../rootless; echo x > /tmp/left.txt; mkdir /dev/shm/d", "cat /tmp/left.txt ../stray");
    ck_assert_uint_eq(left(LEFTOVER_FILE, "stray", false), 1);
    ck_assert_uint_eq(left(LEFTOVER_FILE, "rootless", false), 1);
    ck_assert_uint_eq(left(LEFTOVER_FILE, NULL, false), 2);
    ck_assert_uint_eq(left(LEFTOVER_TEMPORARY, "/tmp/left.txt", false), 1);
    ck_assert_uint_eq(left(LEFTOVER_TEMPORARY, "/dev/shm/d", false), 1);
    ck_assert_uint_eq(e.leftover_count, 4);
    ck_assert_uint_eq(e.tripwire_count, 0);
}
END_TEST

START_TEST(what_stage_made_is_ours)
{
    if (!possible)
        return;
    session_new(&f, "exec:");
    ASSERT_OK("stage-sibling-dir", "{\"suffix\":\"-next\",\"content\":\"x\"}");
    ASSERT_OK("stage-dir", "{\"path\":\"d\"}");
    bool disk = session_supports(f.session, "stage:mount");
    if (disk)
        ASSERT_OK("stage-small-disk", "{\"path\":\"disk\",\"bytes\":65536}");
    struct strings strays = {0}, mounts = {0};
    session_strays(f.session, &strays);
    session_stray_mounts(f.session, &mounts);
    ck_assert_uint_eq(strays.count, 0);
    ck_assert_uint_eq(mounts.count, 0);
    strings_release(&strays);
    strings_release(&mounts);
}
END_TEST

START_TEST(mounts)
{
    target_isolate(); /* what is mounted is gone with this test's process, whatever becomes of it */
    target("exec:", true);
    if (geteuid() != 0) {
        printf("not tested: only root mounts\n");
        return;
    }
    run("mkdir m; mount -t tmpfs none m || echo refused > no", "cat no 2> /dev/null || true");
    if (json_as_text(json_get(e.observations[1].outcome.result, "stdout")).len)
        return;
    ck_assert_uint_eq(left(LEFTOVER_MOUNT, NULL, false), 1);
    ck_assert_uint_eq(e.leftover_count, 1);
    for (size_t i = 0; i < e.leftover_count; i++)
        ck_assert(access(arena_string(&f.arena, e.leftovers[i].where), F_OK) < 0); /* the root is gone, so it was unmounted */
}
END_TEST

START_TEST(control_groups)
{
    struct box_cgroup *group = box_cgroup_new(&f.settings, 0);
    box_cgroup_free(group);
    if (!group || geteuid() != 0) {
        printf("not tested: no control groups to be made by us\n");
        return;
    }
    target("exec:", true);
    run("g=$(sed -n 's/^[0-9]*:pids:/\\/sys\\/fs\\/cgroup\\/pids/p;s/^0::/\\/sys\\/fs\\/cgroup/p' /proc/self/cgroup | head -n 1)\n"
        "mkdir -p \"$g/inner/most\" && echo $g > path || echo > path",
        "cat path");
    struct bytes path = json_as_text(json_get(e.observations[1].outcome.result, "stdout"));
    if (path.len < 2)
        return; /* hierarchies are mounted elsewhere */
    ck_assert_uint_eq(left(LEFTOVER_GROUP, NULL, false), 2);
    ck_assert(bytes_ends(e.leftovers[0].where, BYTES_LITERAL("/inner/most")));
    ck_assert(access(arena_string(&f.arena, e.leftovers[1].where), F_OK) < 0);
}
END_TEST

/* A process of ours, with this environment and these arguments, that leads a session of its own. */
static pid_t begin_process(const char *variable, const char *argument)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char *argv[] = {"sh", "-c", "read never; :", (char *)argument, NULL};
        char *env[] = {"PATH=/usr/bin:/bin", (char *)variable, NULL};
        setsid();
        dup2(ends[0], 0);
        execve("/bin/sh", argv, env);
        _exit(127);
    }
    close(ends[0]); /* the other end stays open as long as this test runs */
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    for (int i = 0; i < 500 && strcmp(name, "sh\n") != 0; i++) {
        FILE *file = fopen(path, "re");
        usleep(2000);
        if (!file || !fgets(name, sizeof name, file))
            name[0] = '\0';
        if (file)
            fclose(file);
    }
    return pid;
}

/* Its status, or -1 while it lives; ends it then. */
static int end_process(pid_t pid)
{
    int status = -1;
    if (waitpid(pid, &status, WNOHANG) == pid)
        return status;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return -1;
}

START_TEST(escaped_processes)
{
    session_target_new(&f, "exec:");
    if (!possible)
        return;
    session_begin(&f);
    struct snapshot first;
    struct whereabouts at;
    struct outside *w = outside_new(f.session, &f.arena, &first);
    session_whereabouts(f.session, &at);
    const char *mark = arena_printf(&f.arena, SESSION_MARK "=%s", at.mark);
    pid_t by_variable = begin_process(mark, "x");
    pid_t by_argument = begin_process("A=b", arena_printf(&f.arena, "--root=%s/root", at.base));
    pid_t another = begin_process(arena_printf(&f.arena, "%sx", mark), "/tmp/taskgen-session");
    struct leftover items[16];
    struct leftovers list = {items, 0, 16, &f.arena};
    outside_left_escaped(w, &list);
    session_stop(f.session);
    outside_left_stopped(w, &list);
    outside_free(w);
    int ends[] = {end_process(by_variable), end_process(by_argument), end_process(another)};
    ck_assert_uint_eq(list.count, 2);
    for (size_t i = 0; i < list.count; i++) {
        ck_assert_int_eq(items[i].kind, LEFTOVER_ESCAPED);
        ck_assert(items[i].pid == by_variable || items[i].pid == by_argument);
        ck_assert(bytes_starts(bytes_of_string(items[i].command), BYTES_LITERAL("sh -c read")));
    }
    ck_assert(ends[0] == SIGKILL && ends[1] == SIGKILL);
    ck_assert_int_eq(ends[2], -1);
}
END_TEST

/* Where the agent is nobody's init, it can be killed, and then nobody ends what it has started. */
START_TEST(agent_killed)
{
    session_target_new(&f, "exec:");
    target("exec:", true);
    session_begin(&f);
    struct snapshot first;
    struct whereabouts at;
    struct outside *w = outside_new(f.session, &f.arena, &first);
    session_whereabouts(f.session, &at);
    ck_assert_str_ne(sh_out(&f, "(setsid sleep 392 > /dev/null 2>&1 & echo $! > pid); cat pid"), "");
    int pid = atoi(arena_string(&f.arena, result_bytes(&f, "stdout")));
    kill(at.agent_pid, SIGKILL);
    struct proc_stat stat;
    while (proc_stat("/proc", at.agent_pid, &stat) && stat.state != 'Z')
        usleep(1000);
    struct leftover items[16];
    struct leftovers list = {items, 0, 16, &f.arena};
    outside_left_escaped(w, &list);
    session_stop(f.session);
    outside_left_stopped(w, &list);
    outside_free(w);
    ck_assert_uint_eq(list.count, 1);
    ck_assert(items[0].kind == LEFTOVER_ESCAPED && items[0].pid == pid);
    ck_assert(bytes_ends(bytes_of_string(items[0].command), BYTES_LITERAL("sleep 392"))); /* or it was still called setsid */
    for (int i = 0; i < 200 && kill(pid, 0) == 0; i++)
        usleep(5000); /* whoever is its parent now has to wait for it */
}
END_TEST

START_TEST(tripwires)
{
    if (!possible)
        return;
    target("exec:", false);
    run("true", "cat ../private.txt; echo more >> ../root-private/notes.txt; rm ~/.private/keys.txt");
    ck_assert_uint_eq(touched(TRIPWIRE_BESIDE), TRIPWIRE_OPENED | TRIPWIRE_READ);
    ck_assert(touched(TRIPWIRE_SIBLING) & TRIPWIRE_WRITTEN);
    ck_assert(touched(TRIPWIRE_HOME) & TRIPWIRE_GONE);
    for (size_t i = 0; i < e.tripwire_count; i++)
        ck_assert_uint_eq(e.tripwires[i].after_step, 1);
    ck_assert_uint_eq(e.sighting_count, 1);
    ck_assert(e.sightings[0].in == CANARY_REPLY && e.sightings[0].place == TRIPWIRE_BESIDE &&
              e.sightings[0].observation == 1);
    ck_assert_uint_eq(e.leftover_count, 0); /* they are ours */

    run("mkdir -p d/e; base64 ../root-private/notes.txt > d/e/copy; chmod 600 ~/.private/keys.txt",
        "mv ../private.txt ..; mv ../private.txt ../p; cp ../p ../private.txt; rm ../p");
    ck_assert(touched(TRIPWIRE_SIBLING) & TRIPWIRE_READ);
    ck_assert_uint_eq(touched(TRIPWIRE_HOME), TRIPWIRE_ATTRIBUTES);
    ck_assert(touched(TRIPWIRE_BESIDE) & TRIPWIRE_GONE);
    ck_assert_uint_eq(e.sighting_count, 1);
    ck_assert(e.sightings[0].in == CANARY_FILE && e.sightings[0].place == TRIPWIRE_SIBLING);
    ASSERT_BYTES(e.sightings[0].path, "d/e/copy");
}
END_TEST

START_TEST(tripwires_by_what_stands_there)
{
    if (!possible)
        return;
    session_new(&f, "exec:");
    struct tripwires *t = f.session->tripwires;
    unsigned how[TRIPWIRE_PLACES];
    ck_assert(t && !tripwires_look(t, how));
    tripwires_compare(t, how);
    ck_assert(how[0] == 0 && how[1] == 0 && how[2] == 0);
    /* Looking reads them, which is told like anybody's reading. */
    ck_assert(tripwires_look(t, how) && how[0] == (TRIPWIRE_OPENED | TRIPWIRE_READ));
    sh_out(&f, "touch -a -d @86400 ../private.txt; printf x > ../root-private/notes.txt; chmod 640 ~/.private/keys.txt; "
               "mv ../private.txt ../x; cp ../x ../private.txt");
    tripwires_compare(t, how);
    ck_assert_uint_eq(how[TRIPWIRE_BESIDE], TRIPWIRE_GONE);
    ck_assert(how[TRIPWIRE_SIBLING] & TRIPWIRE_WRITTEN);
    ck_assert(how[TRIPWIRE_HOME] & TRIPWIRE_ATTRIBUTES);
}
END_TEST

START_TEST(canaries)
{
    if (!possible)
        return;
    session_new(&f, "exec:");
    const struct tripwires *t = f.session->tripwires;
    const char *home = tripwires_canary(t, TRIPWIRE_HOME), *beside = tripwires_canary(t, TRIPWIRE_BESIDE);
    ck_assert(strcmp(home, beside) != 0 && strlen(tripwires_mark(t)) == 31);
    ck_assert(bytes_starts(bytes_of_string(home), bytes_of_string(tripwires_mark(t))));
    ck_assert_uint_eq(canary_in_text(t, bytes_of_string(arena_printf(&f.arena, "a %s b %s", home, beside))),
                      1u << TRIPWIRE_HOME | 1u << TRIPWIRE_BESIDE);
    ck_assert_uint_eq(canary_in_text(t, bytes_slice(bytes_of_string(home), 1, 99)), 0);
    ck_assert_uint_eq(canary_in_text(t, BYTES_NONE), 0);
    for (int shift = 0; shift < 4; shift++) {
        struct buf out;
        buf_init(&out, 1 << 12);
        base64_encode(&out, bytes_of_string(arena_printf(&f.arena, "%.*s%s\n", shift, "xyz", home)));
        ck_assert_uint_eq(canary_in_text(t, buf_bytes(&out)), 1u << TRIPWIRE_HOME);
        buf_release(&out);
    }
    struct json *value = fixture_json(&f, "{\"a\":[1,{\"b\":[]},[\"x\"]],\"c\":{\"d\":\"y\"}}");
    ck_assert_uint_eq(canary_in_json(t, value), 0);
    json_set(&f.arena, json_get(value, "c"), "e", json_text(&f.arena, beside));
    ck_assert_uint_eq(canary_in_json(t, value), 1u << TRIPWIRE_BESIDE);
    ck_assert_uint_eq(canary_in_json(t, NULL), 0);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_calm_session);
    tcase_add_test(tests, figures_of_a_server);
    tcase_add_test(tests, what_listens);
    tcase_add_test(tests, what_listens_without_a_box);
    tcase_add_test(tests, files_and_temporaries);
    tcase_add_test(tests, what_stage_made_is_ours);
    tcase_add_test(tests, mounts);
    tcase_add_test(tests, control_groups);
    tcase_add_test(tests, escaped_processes);
    tcase_add_test(tests, agent_killed);
    tcase_add_test(tests, tripwires);
    tcase_add_test(tests, tripwires_by_what_stands_there);
    tcase_add_test(tests, canaries);
}

int main(void)
{
    return unit_main("outside", fill);
}
