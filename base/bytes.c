/* Borrowed byte strings and bounded growing buffers.
 *
 * Invariants of a buf: len <= max, len <= cap; an append either happens whole or not at all; once overflow is
 * set nothing is appended until buf_clear(). cap may pass max by one byte, for the NUL of buf_string(). */
#include "base/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { ROOM_TRIED = 48, FIRST_CAPACITY = 256 };

struct bytes bytes_of(const void *data, size_t len)
{
    return (struct bytes){data, len};
}

struct bytes bytes_of_string(const char *text)
{
    return text ? bytes_of(text, strlen(text)) : BYTES_NONE;
}

bool bytes_equal(struct bytes a, struct bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool bytes_equal_string(struct bytes a, const char *text)
{
    if (text && a.len && a.data[0] != (uint8_t)*text)
        return false; /* most are not, so the text's length is not needed */
    return bytes_equal(a, bytes_of_string(text));
}

int bytes_compare(struct bytes a, struct bytes b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool bytes_starts(struct bytes a, struct bytes prefix)
{
    return prefix.len <= a.len && bytes_equal(bytes_slice(a, 0, prefix.len), prefix);
}

bool bytes_ends(struct bytes a, struct bytes suffix)
{
    return suffix.len <= a.len && bytes_equal(bytes_slice(a, a.len - suffix.len, a.len), suffix);
}

ptrdiff_t bytes_find(struct bytes haystack, struct bytes needle, size_t from)
{
    if (from > haystack.len)
        return -1;
    if (needle.len == 0)
        return (ptrdiff_t)from;
    if (haystack.len - from < needle.len)
        return -1;
    const uint8_t *found = memmem(haystack.data + from, haystack.len - from, needle.data, needle.len);
    return found ? found - haystack.data : -1;
}

struct bytes bytes_slice(struct bytes a, size_t from, size_t to)
{
    to = to < a.len ? to : a.len;
    from = from < to ? from : to;
    return bytes_of(from ? a.data + from : a.data, to - from);
}

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max};
}

void buf_release(struct buf *b)
{
    free(b->data);
    *b = (struct buf){.max = b->max};
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->overflow = false;
}

/* Storage for `more` bytes and a NUL behind len. The caller has checked the maximum. */
static void buf_reserve(struct buf *b, size_t more)
{
    if (more > SIZE_MAX / 2 - b->len)
        BUG("a buffer of more than half the address space");
    size_t need = b->len + more + 1;
    if (need <= b->cap)
        return;
    size_t cap = b->cap ? b->cap : FIRST_CAPACITY;
    while (cap < need)
        cap *= 2;
    if (b->max < cap) /* no storage that could never be used */
        cap = b->max + 1;
    b->data = xrealloc(b->data, cap);
    b->cap = cap;
}

/* 0 when `more` bytes fit, else -1 with overflow set. */
static int buf_claim(struct buf *b, size_t more)
{
    if (b->overflow || more > b->max - b->len) {
        b->overflow = true;
        return -1;
    }
    return 0;
}

int buf_add(struct buf *b, struct bytes more)
{
    if (buf_claim(b, more.len) < 0)
        return -1;
    if (more.len == 0)
        return 0;
    /* A part of the buffer may be appended to itself: growing moves it. */
    bool own = b->data && more.data >= b->data && more.data < b->data + b->len;
    size_t offset = own ? (size_t)(more.data - b->data) : 0;
    buf_reserve(b, more.len);
    memcpy(b->data + b->len, own ? b->data + offset : more.data, more.len);
    b->len += more.len;
    return 0;
}

int buf_add_string(struct buf *b, const char *text)
{
    return buf_add(b, bytes_of_string(text));
}

int buf_add_byte(struct buf *b, uint8_t byte)
{
    if (buf_claim(b, 1) < 0)
        return -1;
    buf_reserve(b, 1);
    b->data[b->len++] = byte;
    return 0;
}

int buf_addf(struct buf *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    /* Most texts are short and fit what is there; a longer one is made again once there is room. */
    if (!b->overflow)
        buf_reserve(b, b->max - b->len < ROOM_TRIED ? b->max - b->len : ROOM_TRIED);
    size_t room = b->overflow ? 0 : b->cap - b->len;
    int length = vsnprintf(room ? (char *)b->data + b->len : NULL, room, format, args);
    va_end(args);
    if (length < 0)
        BUG("a bad format");
    int status = buf_claim(b, (size_t)length);
    if (status == 0) {
        if ((size_t)length >= room) {
            buf_reserve(b, (size_t)length);
            vsnprintf((char *)b->data + b->len, (size_t)length + 1, format, again);
        }
        b->len += (size_t)length;
    }
    va_end(again);
    return status;
}

void buf_cut(struct buf *b, size_t len)
{
    if (len < b->len)
        b->len = len;
}

void buf_drop_front(struct buf *b, size_t count)
{
    if (count >= b->len) {
        b->len = 0;
    } else if (count) {
        memmove(b->data, b->data + count, b->len - count);
        b->len -= count;
    }
}

struct bytes buf_bytes(const struct buf *b)
{
    return bytes_of(b->data, b->len);
}

const char *buf_string(struct buf *b)
{
    buf_reserve(b, 0);
    b->data[b->len] = '\0';
    return (const char *)b->data;
}
