/* Any bytes through the decoders of base/encode and base/utf8. Each accepted text must be the only one of its value:
 * encoding what was decoded gives the text again (hex: in lower case). */
#include <stdlib.h>

#include "base/encode.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

static void check_base64(struct bytes text, struct buf *plain, struct buf *again)
{
    bool good = base64_decode(plain, text) == 0;
    require(base64_looks_like(text) == (good && text.len >= 8));
    require(good || plain->len == 0);
    base64_encode(again, buf_bytes(plain));
    require(!good || bytes_equal(buf_bytes(again), text));
}

static void check_hex(struct bytes text, struct buf *plain, struct buf *again)
{
    if (hex_decode(plain, text) < 0) {
        require(plain->len == 0);
        return;
    }
    hex_encode(again, buf_bytes(plain));
    require(again->len == text.len);
    for (size_t i = 0; i < text.len; i++) /* only digits and letters are in it, so this lowers the letters */
        require(again->data[i] == (text.data[i] | (text.data[i] >= 'A' ? 0x20 : 0)));
}

static void check_varints(struct bytes text, struct buf *again)
{
    size_t at = 0;
    uint64_t value = 0;
    while (varint_get(text, &at, &value) == 0)
        varint_put(again, value);
    require(bytes_equal(buf_bytes(again), bytes_slice(text, 0, at)));
}

static void check_utf8(struct bytes text, struct buf *again)
{
    size_t prefix = utf8_valid_prefix(text), at = 0, count = 0;
    while (at < text.len) {
        uint8_t out[4];
        size_t start = at;
        int32_t code_point = utf8_next(text, &at);
        require(at > start && (code_point >= 0 || (at == start + 1 && start >= prefix)));
        if (code_point >= 0)
            buf_add(again, bytes_of(out, utf8_put(out, (uint32_t)code_point)));
        else
            buf_add_byte(again, text.data[start]);
        count++;
    }
    require(utf8_count(text) == count && utf8_valid(text) == (prefix == text.len));
    require(bytes_equal(buf_bytes(again), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes text = bytes_of(data, size);
    struct buf plain, again;
    buf_init(&plain, size);
    buf_init(&again, 4 * size + 4);
    check_base64(text, &plain, &again);
    buf_clear(&plain);
    buf_clear(&again);
    check_hex(text, &plain, &again);
    buf_clear(&again);
    check_varints(text, &again);
    buf_clear(&again);
    check_utf8(text, &again);
    buf_release(&plain);
    buf_release(&again);
    return 0;
}
