/* Devices, /proc and the loader's libraries, as programs miss them. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

#define DENIED "Operation not permitted|Permission denied"
#define TAKES  "rm |unlink|chmod|mknod" /* the task's own doing */

static const struct symptom items[] = {
    {.said = "/dev/null",
     .also = "No such file or directory|" DENIED,
     .unless = TAKES,
     .detail = "a standard device cannot be used"},
    {.said = "/dev/zero|/dev/urandom|/dev/random|/dev/full|/dev/fd|/dev/stdin",
     .also = "No such file or directory|" DENIED,
     .unless = TAKES,
     .detail = "a standard device cannot be used"},
    {.said = "/dev/ptmx|out of pty devices",
     .also = "No such file or directory|" DENIED "|out of pty devices",
     .detail = "there are no terminals to be had"},
    {.said = "/proc/self|/proc/cpuinfo|/proc/meminfo|/proc/stat|/proc/mounts",
     .also = "No such file or directory",
     .detail = "/proc is not there"},
    {.said = "mount -t proc|mount /proc", .detail = "/proc is not there"},
    {.said = "error while loading shared libraries", .detail = "a library is missing"},
    {.said = "No usable temporary directory found", .detail = "there is no place for temporary files"},
    {.said = "Fontconfig error: Cannot load default config file", .detail = "there are no fonts"},
    {0},
};

static const struct symptoms symptoms = {"system-files-missing",
                                         "files of the system that programs need are missing", items, NULL};

static void judge(const struct execution *e, struct verdicts *out)
{
    symptoms_report(e, out, &symptoms);
}

const struct check check_system_files_missing = {
    "system-files-missing", "C74", "mount", "devices, /proc, /sys, fonts and the loader are there", judge};
