/* Recordings of any bytes: what can be read can be judged, counted, and written again. */
#include <stdlib.h>

#include "exec/oracle/feedback.h"
#include "exec/oracle/check.h"
#include "exec/oracle/record.h"

enum { FEATURES = 512, RECORDING_MAX = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const struct execution *e, struct arena *a)
{
    struct verdicts v = {.arena = a};
    uint64_t features[FEATURES];
    const char *why;
    struct buf out;
    oracle_judge(e, &v);
    if (!oracle_passed(e, &why, a) && !why)
        abort();
    features_of(e, NULL, features, FEATURES);
    buf_init(&out, RECORDING_MAX);
    execution_write(e, &out);
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ops *ops;
    struct arena a;
    struct execution e;
    struct task *task = NULL;
    if (!ops && ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL) < 0)
        abort();
    arena_init(&a);
    if (execution_read(ops, bytes_of(data, size), "fuzz", &a, &e, &task, NULL) == 0) {
        judge(&e, &a);
        task_free(task);
    }
    arena_release(&a);
    return 0;
}
