/* A small file system mounted on a directory in the root, for the op stage-small-disk. Needs root. */
#ifndef EXEC_TARGET_SMALL_DISK_H
#define EXEC_TARGET_SMALL_DISK_H

#include "exec/target/driver.h"

bool small_disk_possible(void);
/* Gives this process a view of the mounts that is its own, so that disks it mounts go with it however it ends. Where that is not
 * allowed nothing changes. For target_isolate. */
void small_disk_isolate(void);
/* Between the two nothing is mounted or unmounted by another thread: whoever makes a box goes through all mounts, and fails when one
 * of them has gone meanwhile. Any number of threads may be in between. */
void small_disk_hold(void);
void small_disk_let(void);
/* Mounts a tmpfs of so many bytes, here and in the session's box. 0 or -errno. */
int small_disk_mount(struct session *s, struct bytes path, int64_t size);
/* Is this, as mountinfo names it, a mount of the session's? */
bool small_disk_is(const struct session *s, const char *mount);
void small_disk_release(struct session *s); /* unmounts all of them here; the box's go with the box */

#endif
