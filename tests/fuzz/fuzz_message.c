/* Normalising any message: printable, bounded. */
#include <stdlib.h>

#include "exec/oracle/normalise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf out;
    buf_init(&out, 1024);
    message_normalise(bytes_of(data, size), &out);
    if (out.len > 200 || out.overflow)
        abort();
    for (size_t i = 0; i < out.len; i++)
        if (out.data[i] < ' ' || out.data[i] > '~')
            abort();
    buf_release(&out);
    return 0;
}
