/* Room and time: what sessions need of the disk, of memory and of descriptors by the settings, and how good the clock is. */
#include "base/clock.h"
#include "base/fs.h"
#include "cli/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MIB = 1 << 20, LEAST_MIB = 64, LEAST_INODES = 10000, FILES_WANTED = 4096, FILES_LEAST = 256, READS = 10000, SLOW_NS = 1000 };

static const char *temp_dir(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir == '/' ? dir : "/tmp";
}

static void add_disk(struct doctor *d)
{
    struct statvfs s;
    char found[512];
    int64_t wanted = settings_int(d->settings, "budget.disk") / MIB, free_mib = 0, inodes = INT64_MAX;
    bool there = statvfs(temp_dir(), &s) == 0, writes = there && access(temp_dir(), W_OK | X_OK) == 0;
    if (there) {
        free_mib = (int64_t)((uint64_t)s.f_bavail * s.f_frsize / MIB);
        inodes = s.f_files ? (int64_t)s.f_favail : INT64_MAX; /* some file systems do not count them */
    }
    bool noexec = there && s.f_flag & ST_NOEXEC, little = free_mib < wanted || inodes < LEAST_INODES;
    snprintf(found, sizeof found, "%.300s: %lld MiB free%s%s%s", temp_dir(), (long long)free_mib, writes ? "" : ", cannot be written to",
             noexec ? ", programs in it are not run" : "", inodes < LEAST_INODES ? ", few files can be made" : "");
    doctor_add(d, &(struct doctor_row){
                      .name = "disk for sessions",
                      .state = !writes || free_mib < LEAST_MIB ? DOCTOR_MISSING : little || noexec ? DOCTOR_ABSENT : DOCTOR_OK,
                      .found = found,
                      .purpose = "the root and home of each session, up to the setting budget.disk",
                      .how = "TMPDIR=/another/place taskgen …, or --set budget.disk=64M",
                  });
}

static void add_memory(struct doctor *d)
{
    struct buf text;
    long long available = 0;
    char found[128];
    buf_init(&text, 1 << 16);
    const char *at = fs_read("/proc/meminfo", 1 << 16, &text, NULL) == 0 ? strstr(buf_string(&text), "MemAvailable:") : NULL;
    if (at)
        sscanf(at, "MemAvailable: %lld", &available);
    buf_release(&text);
    int64_t wanted = settings_int(d->settings, "budget.memory");
    snprintf(found, sizeof found, "%lld MiB available, %ld cores", available / 1024, sysconf(_SC_NPROCESSORS_ONLN));
    doctor_add(d, &(struct doctor_row){
                      .name = "memory",
                      .state = available * 1024 < wanted ? DOCTOR_ABSENT : DOCTOR_OK,
                      .found = found,
                      .purpose = "one session as large as the setting budget.memory permits",
                      .how = "--set budget.memory=512M",
                  });
}

static void add_files(struct doctor *d)
{
    struct rlimit l = {0};
    char found[128];
    getrlimit(RLIMIT_NOFILE, &l);
    unsigned long long most = l.rlim_max == RLIM_INFINITY ? 1ull << 30 : l.rlim_max;
    snprintf(found, sizeof found, "%llu open files, at most %llu", (unsigned long long)l.rlim_cur, most);
    doctor_add(d, &(struct doctor_row){
                      .name = "descriptors",
                      .state = l.rlim_cur < FILES_LEAST ? DOCTOR_MISSING : most < FILES_WANTED ? DOCTOR_ABSENT : DOCTOR_OK,
                      .found = found,
                      .purpose = "many workers, and tasks that open many files",
                      .how = "ulimit -n 4096, or LimitNOFILE=4096 in a unit",
                  });
}

/* Calls are timed, and how long they take is something to go by: a clock that is slow to read, or coarse, makes that worse. */
static void add_clock(struct doctor *d)
{
    struct buf text;
    char source[64] = "unknown", found[160];
    buf_init(&text, 256);
    if (fs_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", 256, &text, NULL) == 0)
        snprintf(source, sizeof source, "%.*s", (int)strcspn(buf_string(&text), "\n"), buf_string(&text));
    buf_release(&text);
    int64_t start = clock_monotonic_ns(), last = start;
    for (int i = 0; i < READS; i++)
        last = clock_monotonic_ns();
    int64_t each = (last - start) / READS;
    snprintf(found, sizeof found, "%s, %lld ns to read", source, (long long)each);
    doctor_add(d, &(struct doctor_row){
                      .name = "clock source",
                      .state = each > SLOW_NS ? DOCTOR_ABSENT : DOCTOR_OK,
                      .found = found,
                      .purpose = "how long calls take",
                      .how = "a kernel that takes tsc or kvm-clock: see /sys/devices/system/clocksource/clocksource0/available_clocksource",
                  });
}

void doctor_room(struct doctor *d)
{
    add_disk(d);
    add_memory(d);
    add_files(d);
    add_clock(d);
}
