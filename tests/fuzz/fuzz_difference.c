/* Differences of any two byte strings: the first byte says where the input is divided. Whatever they are, a
 * difference is found exactly when they differ, and it has a name. */
#include <stdlib.h>

#include "exec/oracle/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct bytes all = bytes_of(data + 1, size - 1);
    size_t middle = all.len * data[0] / 255;
    struct bytes sent = bytes_slice(all, 0, middle), got = bytes_slice(all, middle, all.len);
    enum difference d = difference_of(sent, got);
    if ((d == DIFFERENCE_NONE) != bytes_equal(sent, got) || !difference_name(d) || !difference_words(d))
        abort();
    return 0;
}
