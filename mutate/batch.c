/* Batches: a block of indices is split over the threads, each task has its place, and the block is visited
 * when all are there. */
#include "mutate/batch.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"

enum { THREADS_MAX = 64, SLICE = 64 };

struct slice {
    const struct selection *selection;
    struct task *tasks[SLICE];
    uint64_t first, count;
    struct error *err;
};

static void *make_slice(void *argument)
{
    struct slice *s = argument;
    for (uint64_t i = 0; i < s->count && !s->err; i++)
        if (selection_task(s->selection, s->first + i, &s->tasks[i], &s->err) < 0)
            error_wrap(&s->err, "task %llu", (unsigned long long)(s->first + i));
    return NULL;
}

static void make_block(struct slice *slices, unsigned threads)
{
    pthread_t ids[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    for (unsigned i = 1; i < threads; i++)
        started[i] = slices[i].count && !pthread_create(&ids[i], NULL, make_slice, &slices[i]);
    for (unsigned i = 0; i < threads; i++)
        if (!started[i]) /* the first, and any that the machine had no thread for */
            make_slice(&slices[i]);
    for (unsigned i = 1; i < threads; i++)
        if (started[i])
            pthread_join(ids[i], NULL);
}

/* Visits what was made before the first fault, in order, and frees everything. */
static int visit_block(struct slice *slices, unsigned threads, int (*visit)(void *user, const struct task *t),
                       void *user, struct error **err)
{
    int status = 0;
    for (unsigned k = 0; k < threads; k++) {
        for (uint64_t i = 0; i < slices[k].count; i++) {
            if (status >= 0 && slices[k].tasks[i])
                status = visit(user, slices[k].tasks[i]);
            task_free(slices[k].tasks[i]);
        }
        if (status >= 0 && slices[k].err) {
            status = slices[k].err->code;
            if (err)
                *err = slices[k].err;
            else
                error_free(slices[k].err);
        } else {
            error_free(slices[k].err);
        }
    }
    return status;
}

int batch_each(const struct selection *s, unsigned threads, uint64_t first, uint64_t count,
               const atomic_int *stop, int (*visit)(void *user, const struct task *t), void *user,
               struct error **err)
{
    threads = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
    struct slice *slices = xcalloc(threads, sizeof *slices);
    int status = 0;
    for (uint64_t done = 0; status >= 0 && done < count && !(stop && *stop);) {
        uint64_t block = count - done < (uint64_t)threads * SLICE ? count - done : (uint64_t)threads * SLICE;
        for (unsigned i = 0; i < threads; i++) {
            uint64_t from = block * i / threads, to = block * (i + 1) / threads;
            slices[i] = (struct slice){.selection = s, .first = first + done + from, .count = to - from};
        }
        make_block(slices, threads);
        status = visit_block(slices, threads, visit, user, err);
        done += block;
    }
    free(slices);
    return status;
}
