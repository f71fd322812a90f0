/* Any task record through undo and the mutators; the first byte says how many mutations.
 *
 * Held true: undoing whatever mutations a record claims leaves a task that can be written; a mutated task
 * reads back; undone from last to first, our own mutations give the task back byte for byte. */
#include <stdlib.h>

#include "base/hash.h"
#include "mutate/mutate.h"
#include "fuzz_case.h"

static void write_record(const struct task *t, struct buf *record)
{
    buf_clear(record);
    task_write(t, record);
}

static void undo_claimed(const struct task *t, struct buf *record)
{
    struct task *copy = task_copy(t);
    for (size_t i = copy->mutations->count; i; i--)
        mutate_undo(copy, i - 1);
    write_record(copy, record);
    require(record->len > 0);
    task_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct task *t = NULL;
    if (!size || task_read(vocabulary(), bytes_of(data + 1, size - 1), "fuzz", &t, NULL) < 0)
        return 0;
    struct settings settings;
    struct rng rng;
    struct buf before, after;
    buf_init(&before, SIZE_MAX / 2);
    buf_init(&after, SIZE_MAX / 2);
    undo_claimed(t, &before);
    write_record(t, &before);
    settings_defaults(&settings);
    settings_set(&settings, "budget.bytes", "2M", NULL);
    rng_seed(&rng, hash64(bytes_of(data, size)), 0);
    size_t own = t->mutations->count;
    mutate_task(t, vocabulary(), &settings, &rng, data[0] % 8);
    write_record(t, &after);
    struct task *back = NULL;
    require(task_read(vocabulary(), buf_bytes(&after), "fuzz", &back, NULL) == 0);
    while (back->mutations->count > own)
        require(mutate_undo(back, back->mutations->count - 1));
    write_record(back, &after);
    require(bytes_equal(buf_bytes(&before), buf_bytes(&after)));
    buf_release(&before);
    buf_release(&after);
    task_free(back);
    task_free(t);
    return 0;
}
