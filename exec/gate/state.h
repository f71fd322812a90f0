/* What a trial left: every file, link and directory that the verifier may see, by path, with a hash of kind, mode and content. */
#ifndef EXEC_GATE_STATE_H
#define EXEC_GATE_STATE_H

#include "exec/gate/task.h"

struct state_item {
    char *path; /* absolute inside */
    uint64_t hash;
    bool file;
};
struct state {
    struct state_item *items; /* sorted by path */
    size_t count, capacity;
    uint64_t hash; /* of all */
};
int state_take(struct state *s, const struct gate_task *t, const char *root, struct error **err);
void state_release(struct state *s);
const struct state_item *state_find(const struct state *s, const char *path);

#endif
