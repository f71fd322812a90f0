/* Event streams: whatever the cuts between chunks, the events are the same, and memory stays bounded. The first byte is the
 * longest event in units of 8 bytes, the second the size of chunks. */
#include <stdlib.h>

#include "base/hash.h"
#include "exec/target/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One number for all events of the stream, cut into such chunks. */
static uint64_t digest(const uint8_t *data, size_t size, size_t max, size_t chunk_size)
{
    struct sse s;
    struct sse_event event;
    uint64_t all = 0;
    sse_init(&s, max);
    for (size_t at = 0; at < size; at += chunk_size) {
        struct bytes chunk = bytes_of(data + at, size - at < chunk_size ? size - at : chunk_size);
        while (sse_next(&s, &chunk, &event)) {
            if (event.data.len > max || (!event.too_long && event.length != event.data.len))
                abort();
            all = hash64_mix(hash64_mix(all, hash64(event.data)), event.length * 2 + event.too_long);
        }
        if (chunk.len)
            abort();
    }
    all = hash64_mix(all, hash64(bytes_of_string(s.last_id)));
    sse_release(&s);
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t max = 8 * ((size_t)data[0] + 1), chunk_size = (size_t)data[1] + 1;
    if (digest(data + 2, size - 2, max, chunk_size) != digest(data + 2, size - 2, max, size))
        abort();
    return 0;
}
