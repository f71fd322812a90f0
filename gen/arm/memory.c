/* Memory: endless lines, limits, growth, shared memory. */
#include "gen/arm/tables.h"

enum { LINE = 64 * 1024, MUCH = 128 * 1024 * 1024, ROUNDS = 100, BIG_ROUNDS = 12, TAB_ROUNDS = 10, HEAVY = 4000 };

/* C18 */
static bool line_without_end(const struct arm_view *v)
{
    EACH (s, v) {
        if (s->op & OP(SEND) && s->content.size >= LINE && !(s->content.flags & TEXT_LF))
            return true;
        if (!(s->op & OPS_PROGRAM) || !arm_prints(s))
            continue;
        bool joined = arm_says(
            s, "tr -d '\\n'|tr -d \"\\n\"|end=''|end=\"\"|stdout.write(|printf x|printf '%s'|tr '\\0'");
        if ((joined && (arm_amount(s, "head -c |bs=") >= LINE || arm_rounds(s) >= LINE ||
                        arm_duration(s) == INT64_MAX)) ||
            arm_line_amount(s, "print|stdout", "' * |\" * |'*|\"*|.repeat(|%0") >= LINE)
            return true;
    }
    return false;
}

static bool takes_memory(const struct arm_step *s)
{
    if (arm_says(s, "RLIMIT_AS|ulimit -v|MemoryError|-Xmx|--max-old-space-size"))
        return arm_says(s, "*|bytearray|malloc|new byte|Buffer.alloc|/dev/zero|np.|vec![|append(");
    return arm_amount(s, "bytearray(|bytes(|malloc(|calloc(|np.ones(|np.zeros(|new byte[|Buffer.alloc(|; |' "
                         "* |\" * |size=|bs=|head -c ") >= MUCH &&
           arm_says(s, "bytearray(|bytes(|malloc(|calloc(|np.ones|np.zeros|new byte[|Buffer.alloc|vec![|' * "
                       "|\" * |/dev/shm|SharedMemory");
}

/* C68 */
static bool memory_limit(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM && takes_memory(s))
            return true;
    return arm_mutated(v, "small-shm") && arm_next(v, NULL, OPS_PROGRAM);
}

/* C69 */
static bool memory_grows(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op &
                (OP(CALL) | OP(RUN) | OP(READ) | OP(DOWNLOAD) | OP(FETCH) | OP(SCREENSHOT) | OP(EVALUATE)) &&
            s->step->repeat >= (s->op & OP(DOWNLOAD) ? BIG_ROUNDS : ROUNDS)) /* a download is big, or nobody repeats it */
            return true;
    return arm_total(v, OP(TAB_OPEN)) >= TAB_ROUNDS && arm_total(v, OP(TAB_CLOSE)) >= TAB_ROUNDS;
}

/* C72 */
static bool shared_memory(const struct arm_view *v)
{
    EACH (s, v)
        if ((s->op & OPS_PROGRAM &&
             (arm_says(s,
                       "multiprocessing|shared_memory|shm_open|sem_open|ProcessPoolExecutor|num_workers|mmap."
                       "mmap(-1|shmget") ||
              (arm_says(s, "/dev/shm") && arm_says(s, "write|dd |truncate|head -c|cp ")))) ||
            (s->op & OP(EVALUATE) && arm_amount(s, "width = |height = |Array(|ArrayBuffer(") >= HEAVY))
            return true;
    return false;
}

const struct arm_row arm_memory[] = {
    {"C18", line_without_end, NULL},
    {"C68", memory_limit, NULL},
    {"C69", memory_grows, NULL},
    {"C72", shared_memory, NULL},
    {0},
};
