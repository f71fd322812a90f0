/* Shared memory and semaphores that programs cannot use: missing, read-only, refused, or too small without a
 * word. That there is no space left is a limit, and said. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

#define PROGRAMS "/dev/shm|shared_memory|multiprocessing|shm_open"
#define SHM      "/dev/shm|shm_open|'/psm_"
#define DENIED   "Operation not permitted|Permission denied"

static const struct symptom items[] = {
    {.program = PROGRAMS, .said = "Bus error", .detail = "a program is killed for using it"},
    {.program = PROGRAMS, .exit = 135, .detail = "a program is killed for using it"},
    {.program = "multiprocessing|sem_open|SemLock",
     .said = "SemLock|synchronize|sem_open",
     .also = "Function not implemented|lacks a functioning sem_open|" DENIED,
     .detail = "semaphores are refused"},
    {.program = PROGRAMS,
     .said = SHM,
     .also = "Read-only file system",
     .detail = "shared memory is read-only"},
    {.program = PROGRAMS,
     .said = SHM,
     .also = "No such file or directory|Function not implemented",
     .detail = "there is no shared memory"},
    {.program = PROGRAMS, .said = SHM, .also = DENIED, .detail = "shared memory is refused"},
    {0},
};

static const struct symptoms symptoms = {"shared-memory-unusable", "programs cannot use shared memory", items,
                                         NULL};

static void judge(const struct execution *e, struct verdicts *out)
{
    symptoms_report(e, out, &symptoms);
}

const struct check check_shared_memory_unusable = {
    "shared-memory-unusable", "C72", "memory",
    "shared memory and semaphores work, or fail with a clear error", judge};
