/* Reading /proc and control groups, from trees of files that look like them. */
#include <string.h>
#include <unistd.h>

#include "exec/group_figures.h"
#include "exec/procfs.h"
#include "unit.h"

#define DATA TASKGEN_SOURCE_DIR "/tests/data/procfs"
#define PROC DATA "/proc"

START_TEST(stat_of_a_process)
{
    struct proc_stat s;
    ck_assert(proc_stat(PROC, 200, &s));
    ck_assert_str_eq(s.name, "a) R 1 (b"); /* whatever a name holds */
    ck_assert(s.pid == 200 && s.parent == 100 && s.state == 'S' && s.terminal == 34816);
    ck_assert(s.ticks == 10 && s.reaped_ticks == 24 && s.started == 5010);
    ck_assert_uint_eq(s.rss, 25 * (uint64_t)sysconf(_SC_PAGESIZE));
    ck_assert(proc_stat(PROC, 100, &s) && s.terminal == 0 && s.ticks == 46 && s.reaped_ticks == 134);
    ck_assert(!proc_stat(PROC, 203, &s)); /* cut short */
    ck_assert(!proc_stat(PROC, 999, &s));
}
END_TEST

START_TEST(lists_of_processes)
{
    int pids[8];
    ck_assert_uint_eq(proc_list(PROC, pids, 8), 5);
    ck_assert_uint_eq(proc_list(PROC, pids, 2), 5);
    ck_assert_uint_eq(proc_list(PROC "/none", pids, 8), 0);
    ck_assert_uint_eq(proc_descendants(PROC, 100, pids, 8), 4);
    ck_assert(pids[0] == 200 && pids[1] == 201);
    ck_assert(pids[2] + pids[3] == 202 + 203); /* made by two threads */
    ck_assert_uint_eq(proc_descendants(PROC, 100, pids, 1), 2 + 2);
    ck_assert_uint_eq(proc_descendants(PROC, 202, pids, 8), 0);
    ck_assert_int_eq(proc_inside(PROC, 200), 2);
    ck_assert_int_eq(proc_inside(PROC, 201), 0);
}
END_TEST

START_TEST(memory_and_descriptors)
{
    uint32_t kinds[DESCRIPTOR_KINDS];
    uint64_t inodes[4];
    ck_assert_uint_eq(proc_rss(PROC, 200), 25 * (uint64_t)sysconf(_SC_PAGESIZE));
    ck_assert_uint_eq(proc_pss(PROC, 200), 77 * 1024);
    ck_assert(proc_rss(PROC, 201) == 0 && proc_pss(PROC, 201) == 0);
    ck_assert(proc_descriptors(PROC, 200, kinds));
    const uint32_t expected[DESCRIPTOR_KINDS] = {
        [DESCRIPTOR_FILE] = 3, [DESCRIPTOR_PIPE] = 2, [DESCRIPTOR_SOCKET] = 2, [DESCRIPTOR_DEVICE] = 1, [DESCRIPTOR_OTHER] = 1};
    ck_assert_mem_eq(kinds, expected, sizeof kinds);
    ck_assert(!proc_descriptors(PROC, 201, kinds));
    ck_assert_uint_eq(proc_sockets(PROC, 200, inodes, 4), 2);
    ck_assert_uint_eq(inodes[0] + inodes[1], 901 + 902);
    ck_assert_uint_eq(proc_sockets(PROC, 200, inodes, 1), 2);
}
END_TEST

START_TEST(marks)
{
    const char *variable = "TASKGEN_SESSION=taskgen-session-abc123", *base = "/tmp/taskgen-session-abc123";
    char command[64];
    ck_assert_int_eq(proc_marked(PROC, 202, variable, base), PROC_BY_ENVIRONMENT);
    /* Neither the end of another's name nor the beginning of another's value. */
    ck_assert_int_eq(proc_marked(PROC, 200, variable, base), PROC_BY_ARGUMENT);
    ck_assert_int_eq(proc_marked(PROC, 200, variable, "/tmp/taskgen-session-abc123/home"), PROC_UNMARKED);
    ck_assert_int_eq(proc_marked(PROC, 201, variable, base), PROC_UNMARKED);
    ck_assert_int_eq(proc_marked(PROC, 999, variable, base), PROC_UNMARKED);
    proc_command(PROC, 200, command, sizeof command);
    ck_assert_str_eq(command, "node --run /tmp/taskgen-session-abc123/root");
}
END_TEST

START_TEST(what_listens)
{
    struct arena a;
    struct listener *l;
    arena_init(&a);
    ck_assert_uint_eq(proc_listeners(PROC, 200, &a, 8, &l), 4);
    ck_assert_str_eq(l[0].family, "tcp");
    ASSERT_BYTES(l[0].where, "127.0.0.1:8080");
    ck_assert_uint_eq(l[0].inode, 901);
    ck_assert_str_eq(l[1].family, "tcp6");
    ASSERT_BYTES(l[1].where, "[::1]:22");
    ASSERT_BYTES(l[2].where, "/tmp/a b.sock");
    ASSERT_BYTES(l[3].where, "@abstract");
    ck_assert(l[3].inode == 906 && strcmp(l[3].family, "unix") == 0);
    ck_assert_uint_eq(proc_listeners(PROC, 200, &a, 1, &l), 1);
    ck_assert_uint_eq(proc_listeners(PROC, 201, &a, 8, &l), 0);
    arena_release(&a);
}
END_TEST

START_TEST(groups)
{
    struct snapshot s = {0};
    struct usage u = {0};
    group_figures(DATA "/groups/v1/pids", false, DATA "/groups/v1/memory", false, &s);
    ck_assert(s.memory == 1000 && s.memory_peak == 2000 && s.memory_refusals == 7 && s.oom_kills == 2);
    ck_assert(s.group_processes == 5 && s.process_refusals == 3 && s.cpu_us == 0);
    ck_assert(s.throttled == 0 && s.processes_peak == 0 && s.io_bytes == 0);
    s = (struct snapshot){.cpu_us = 1};
    group_figures(DATA "/groups/v2", true, DATA "/groups/v2", true, &s);
    ck_assert(s.memory == 3000 && s.memory_peak == 4000 && s.memory_refusals == 8 && s.oom_kills == 1);
    ck_assert(s.group_processes == 6 && s.process_refusals == 4 && s.cpu_us == 123456);
    ck_assert(s.throttled == 3 && s.processes_peak == 11 && s.io_bytes == 4096 + 1024 + 512);
    /* What is not there, or no number, leaves what was known. */
    s = (struct snapshot){.cpu_us = 1, .memory = 2};
    group_figures(DATA "/groups/bare", true, DATA "/groups/bare", true, &s);
    ck_assert(s.group_processes == 9 && s.cpu_us == 1 && s.memory == 2);
    group_figures(NULL, false, NULL, false, &s);
    ck_assert_uint_eq(s.group_processes, 9);
    group_usage(DATA "/groups/v2", true, &u);
    ck_assert(u.memory == 3000 && u.memory_peak == 4000);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, stat_of_a_process);
    tcase_add_test(tests, lists_of_processes);
    tcase_add_test(tests, memory_and_descriptors);
    tcase_add_test(tests, marks);
    tcase_add_test(tests, what_listens);
    tcase_add_test(tests, groups);
}

int main(void)
{
    return unit_main("procfs", fill);
}
