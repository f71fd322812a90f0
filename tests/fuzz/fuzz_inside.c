/* What a target makes of the inside witness's output: any bytes. Data that is believed has the size and hash
 * it was said to have, and names are sorted. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "exec/witness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct file_view v = {0};
    arena_init(&a);
    witness_read_lines(bytes_of(data, size), BYTES_LITERAL("MARK"), &a, &v);
    if (v.have_data) {
        char hash[65];
        sha256_hex(v.data, hash);
        if (v.size != v.data.len || strcmp(hash, v.sha256) != 0)
            abort();
    }
    for (size_t i = 1; v.have_entries && i < v.entry_count; i++)
        if (bytes_compare(v.entries[i - 1], v.entries[i]) > 0)
            abort();
    arena_release(&a);
    return 0;
}
