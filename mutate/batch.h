/* Tasks with hazards, made by several threads and handed over in order: what the verbs and measures count and
 * print does not depend on the number of threads. */
#ifndef MUTATE_BATCH_H
#define MUTATE_BATCH_H

#include <stdatomic.h>

#include "mutate/select.h"

/* Makes the tasks `first` … `first + count - 1` of the selection and visits them in that order, from one
 * thread. A task is the batch's; a visitor that returns a negative code ends it, as does *stop. */
int batch_each(const struct selection *s, unsigned threads, uint64_t first, uint64_t count,
               const atomic_int *stop, int (*visit)(void *user, const struct task *t), void *user,
               struct error **err);

#endif
