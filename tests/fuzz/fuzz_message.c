/* Normalising any message: printable, bounded. */
#include <stdlib.h>

#include "exec/oracle/normalise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct normaliser *rules;
    if (!rules && normaliser_load(TASKGEN_SOURCE_DIR "/domains/normalise.json", &rules, NULL) < 0)
        abort();
    struct buf out;
    buf_init(&out, 1024);
    normalise(rules, NORMALISE_MESSAGE, bytes_of(data, size), &out);
    if (out.len > 200 || out.overflow)
        abort();
    for (size_t i = 0; i < out.len; i++)
        if (out.data[i] < ' ' || out.data[i] > '~')
            abort();
    buf_release(&out);
    return 0;
}
