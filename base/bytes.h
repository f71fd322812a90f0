/* Byte strings: NUL is legal everywhere, nothing here knows about C strings' ends.
 *
 * struct bytes borrows; struct buf owns and grows up to a maximum that is given at init. A buf that would
 * pass its maximum keeps what it had, sets `overflow`, and every later append fails too, so a writer may
 * append many times and look at `overflow` once. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    const uint8_t *data; /* may be NULL when len is 0 */
    size_t len;
};

#define BYTES_LITERAL(text) ((struct bytes){(const uint8_t *)(text), sizeof(text) - 1})
#define BYTES_NONE ((struct bytes){NULL, 0})
/* For printf("%.*s", BYTES_ARG(b)): the part before a NUL is printed, so only for names we made. */
#define BYTES_ARG(b) (int)(b).len, (const char *)((b).data ? (b).data : (const uint8_t *)"")

struct bytes bytes_of(const void *data, size_t len);
struct bytes bytes_of_string(const char *text); /* NULL gives no bytes */
bool bytes_equal(struct bytes a, struct bytes b);
bool bytes_equal_string(struct bytes a, const char *text);
int bytes_compare(struct bytes a, struct bytes b); /* as memcmp, the shorter first */
bool bytes_starts(struct bytes a, struct bytes prefix);
bool bytes_ends(struct bytes a, struct bytes suffix);
/* Offset of the first `needle` at or after `from`, or -1. An empty needle is found at `from`. */
ptrdiff_t bytes_find(struct bytes haystack, struct bytes needle, size_t from);
struct bytes bytes_slice(struct bytes a, size_t from, size_t to); /* both are cut to the length */

struct buf {
    uint8_t *data;
    size_t len, cap, max;
    bool overflow;
};

void buf_init(struct buf *b, size_t max);
void buf_release(struct buf *b);
void buf_clear(struct buf *b); /* keeps storage and max, resets overflow */
/* 0, or -1 with overflow set. */
int buf_add(struct buf *b, struct bytes more);
int buf_add_string(struct buf *b, const char *text);
int buf_add_byte(struct buf *b, uint8_t byte);
int buf_addf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_cut(struct buf *b, size_t len);          /* keep the first len bytes */
void buf_drop_front(struct buf *b, size_t count); /* forget the first count bytes */
struct bytes buf_bytes(const struct buf *b);      /* borrowed until the next change */
const char *buf_string(struct buf *b);            /* NUL-terminated view; the NUL is not counted in len */

#endif
