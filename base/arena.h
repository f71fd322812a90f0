/* Arena: memory that is given back all at once. One per task execution; not for sharing between threads. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/bytes.h"

struct arena_block;
struct arena {
    struct arena_block *block; /* newest first */
    size_t used;               /* bytes handed out since init or clear */
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
void arena_clear(struct arena *a); /* keeps one block for reuse */
void *arena_alloc(struct arena *a, size_t size); /* zeroed, aligned for any type, never NULL */
/* The copy is followed by a NUL that is not counted. */
struct bytes arena_copy(struct arena *a, struct bytes b);
char *arena_string(struct arena *a, struct bytes b);      /* NUL-terminated; a NUL inside stays inside */
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
