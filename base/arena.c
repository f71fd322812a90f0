/* A list of blocks that are filled from the front and freed together.
 *
 * Invariants: a->block is the only block that is still filled; a large allocation gets a block of its own,
 * linked behind it, so that it does not waste what is left of the current one. Bytes that were not handed out
 * are poisoned for the address sanitizer, which then finds writes past an allocation's end and uses after
 * arena_clear(). */
#include "base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
enum { GUARD = 16 }; /* poisoned bytes behind each allocation */
#define POISON(start, size) ASAN_POISON_MEMORY_REGION(start, size)
#define UNPOISON(start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#else
enum { GUARD = 0 };
#define POISON(start, size) ((void)(start), (void)(size))
#define UNPOISON(start, size) ((void)(start), (void)(size))
#endif

enum {
    ALIGNMENT = _Alignof(max_align_t),
    FIRST_BLOCK = 4096,
    LAST_BLOCK = 1 << 20, /* blocks double up to this */
};

struct arena_block {
    struct arena_block *next; /* older */
    size_t size, used;        /* of data */
    _Alignas(max_align_t) uint8_t data[];
};

void arena_init(struct arena *a)
{
    *a = (struct arena){0};
}

static void free_blocks(struct arena_block *block)
{
    while (block) {
        struct arena_block *next = block->next;
        UNPOISON(block->data, block->size);
        free(block);
        block = next;
    }
}

void arena_release(struct arena *a)
{
    free_blocks(a->block);
    arena_init(a);
}

void arena_clear(struct arena *a)
{
    a->used = 0;
    if (!a->block)
        return;
    free_blocks(a->block->next);
    a->block->next = NULL;
    a->block->used = 0;
    POISON(a->block->data, a->block->size);
}

static struct arena_block *new_block(size_t size)
{
    struct arena_block *block = xmalloc(sizeof *block + size);
    *block = (struct arena_block){.size = size};
    POISON(block->data, size);
    return block;
}

/* A block with room for size bytes; may become the current one. */
static struct arena_block *block_for(struct arena *a, size_t size)
{
    struct arena_block *current = a->block;
    if (current && size <= current->size - current->used)
        return current;

    size_t usual = current ? current->size * 2 : FIRST_BLOCK;
    if (usual > LAST_BLOCK)
        usual = LAST_BLOCK;
    if (size <= usual / 4) {
        struct arena_block *block = new_block(usual);
        block->next = current;
        return a->block = block;
    }
    if (!current) /* keeps the invariant: the current block is never one of the large ones */
        current = a->block = new_block(FIRST_BLOCK);
    struct arena_block *large = new_block(size);
    large->next = current->next;
    current->next = large;
    return large;
}

/* Not zeroed. */
static void *allocate(struct arena *a, size_t size)
{
    if (size > SIZE_MAX / 4)
        BUG("an allocation of more than a quarter of the address space");
    size_t padded = ((size ? size : 1) + GUARD + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_block *block = block_for(a, padded);
    void *memory = block->data + block->used;
    block->used += padded;
    a->used += size;
    UNPOISON(memory, size);
    return memory;
}

void *arena_alloc(struct arena *a, size_t size)
{
    return memset(allocate(a, size), 0, size);
}

struct bytes arena_copy(struct arena *a, struct bytes b)
{
    uint8_t *copy = allocate(a, b.len + 1);
    if (b.len)
        memcpy(copy, b.data, b.len);
    copy[b.len] = '\0';
    return bytes_of(copy, b.len);
}

char *arena_string(struct arena *a, struct bytes b)
{
    return (char *)arena_copy(a, b).data;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        BUG("a bad format");
    char *text = allocate(a, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
