/* What fuzz targets of tasks share. */
#ifndef TESTS_FUZZ_CASE_H
#define TESTS_FUZZ_CASE_H

#include <stdlib.h>

#include "gen/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for any input: the fuzzer keeps those that end here. */
static inline void require(int holds)
{
    if (!holds)
        abort();
}

static inline const struct ops *vocabulary(void)
{
    static struct ops *ops;
    if (!ops)
        require(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL) == 0);
    return ops;
}

#endif
