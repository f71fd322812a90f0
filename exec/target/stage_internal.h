/* What makes fixtures: each of these carries out one op stage-*, and returns 0 or -errno. `path` is the argument that says
 * where: not empty, without a NUL, relative to the root (or, for a sibling, the suffix of its name). */
#ifndef EXEC_TARGET_STAGE_INTERNAL_H
#define EXEC_TARGET_STAGE_INTERNAL_H

#include "exec/target/session_internal.h"

/* Things with a name in a directory (stage_nodes.c). */
int stage_symlink(struct session *s, struct call *call, struct bytes path);
int stage_fifo(struct session *s, struct call *call, struct bytes path);
int stage_socket(struct session *s, struct call *call, struct bytes path);
int stage_device(struct session *s, struct call *call, struct bytes path);
bool stage_device_possible(void); /* this process may make device nodes */
void stage_close_sockets(struct session *s);

/* Much, deep, far and odd (stage_shapes.c). */
int stage_deep(struct session *s, struct call *call, struct bytes path);
int stage_many(struct session *s, struct call *call, struct bytes path);
int stage_names(struct session *s, struct call *call, struct bytes path);
int stage_sparse(struct session *s, struct call *call, struct bytes path);

/* Damage to what is stored there (stage_damage.c); the result's `files` says how many were damaged, 0 where nothing is stored yet. */
int stage_damage(struct session *s, struct call *call, struct bytes path);

#endif
