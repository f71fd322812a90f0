/* Files below a session's root, from outside, never through a link that leads out of it. Paths are relative
 * to the root and may hold any bytes but NUL. All return 0 or a descriptor, or -errno: -EXDEV for what leads
 * out. */
#ifndef EXEC_TARGET_ROOT_H
#define EXEC_TARGET_ROOT_H

#include "exec/target/driver.h"

unsigned session_owner(const struct session *s); /* whom files that we make must belong to; 0: us */

int root_open(const struct session *s);
int root_open_dir(int root, const char *path); /* "": the root itself */
/* The directory that holds the path's last name, and that name. */
int root_open_parent(const struct session *s, struct bytes path, char name[256]);
int root_make_dirs(const struct session *s, struct bytes path); /* as mkdir -p */
int root_make_parents(const struct session *s, struct bytes path);
int root_give(const struct session *s, int dir, const char *name); /* to session_owner */

int root_write(const struct session *s, struct bytes path, struct bytes data, unsigned mode);
int root_write_at(const struct session *s, int dir, const char *name, struct bytes data, unsigned mode);
int root_read(const struct session *s, struct bytes path, size_t max,
              struct buf *out);                              /* regular files; -EFBIG past max */
int root_remove(const struct session *s, struct bytes path); /* anything but a directory */

#endif
