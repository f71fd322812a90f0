/* The total order of tasks: fewer steps, fewer recorded mutations, a shorter derivation, a shorter canonical
 * record, and the one that comes first bytewise. The canonical record is all that counts for a task's id, so
 * two tasks between which the order finds no difference are the same task with derivations of the same
 * length. */
#include "gen/task_internal.h"
#include "mutate/shrink/shrink_internal.h"

static size_t entries_of(const struct task *t)
{
    struct derivation d;
    derivation_init(&d);
    size_t count = derivation_decode(&d, bytes_of_string(t->derivation), NULL) == 0 ? d.count : 0;
    derivation_release(&d);
    return count;
}

static void write_canonical(const struct task *t, struct buf *out)
{
    struct arena scratch;
    arena_init(&scratch);
    buf_init(out, SIZE_MAX);
    json_write(out, task_tree(t, &scratch, false), JSON_SORTED);
    arena_release(&scratch);
}

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_texts(const struct task *a, const struct task *b)
{
    struct buf x, y;
    write_canonical(a, &x);
    write_canonical(b, &y);
    int order = compare_sizes(x.len, y.len);
    if (!order)
        order = bytes_compare(buf_bytes(&x), buf_bytes(&y));
    buf_release(&x);
    buf_release(&y);
    return order;
}

int shrink_compare(const struct task *a, const struct task *b)
{
    int order = compare_sizes(a->step_count, b->step_count);
    if (!order)
        order = compare_sizes(a->mutations->count, b->mutations->count);
    if (!order)
        order = compare_sizes(entries_of(a), entries_of(b));
    return order ? order : compare_texts(a, b);
}
