/* Small file helpers of our own files and of sessions' fresh directories. */
#ifndef BASE_FS_H
#define BASE_FS_H

#include "base/bytes.h"
#include "base/error.h"

/* Appends a whole file to out, which must be initialised. ERR_INPUT when it cannot be read, ERR_LIMIT when it
 * is longer than max or than out takes; out may then hold its beginning. */
int fs_read(const char *path, size_t max, struct buf *out, struct error **err);
/* Replaces or makes a file through a temporary one beside it and rename, so that no reader sees half of it. A
 * link stays a link; devices and FIFOs are written into. A new file's mode is 0666 less the umask.
 * ERR_OUTPUT. */
int fs_write(const char *path, struct bytes data, struct error **err);
int fs_make_dirs(const char *path, struct error **err); /* as mkdir -p, mode 0755; ERR_OUTPUT */
/* Removes a tree without following links or crossing into other mounts (bind mounts too); makes directories
 * writable on the way. Names may hold any bytes and the tree may be of any depth. Nothing there is fine.
 * Returns 0 or ERR_OUTPUT with the first failure; goes on after failures. */
int fs_remove_tree(const char *path, struct error **err);
/* A fresh, empty directory of mode 0700, "<$TMPDIR or /tmp>/<prefix>-XXXXXX", without a final slash. A TMPDIR
 * that is not absolute is not used. Owned by the caller (free); NULL with *err (ERR_OUTPUT) when it cannot be
 * made. */
char *fs_fresh_dir(const char *prefix, struct error **err);
/* Where data lies; `kind` is "domains". $TASKGEN_DATA/<kind> alone when that variable is set; else
 * ../share/taskgen/<kind> seen from the running binary; else <kind> in the source tree that the binary's
 * build tree belongs to. Owned by the caller (free). NULL with *err (ERR_TARGET) when not found. */
char *fs_data_dir(const char *kind, struct error **err);
/* The full path of a helper program of ours, "taskgen-agent" or "leakybox": $TASKGEN_LIBEXEC/<program> alone
 * when that variable is set; else ../libexec/taskgen/<program> seen from the running binary; else where the
 * build tree has it (exec/agent, bench/leakybox). Owned by the caller (free). NULL with *err (ERR_TARGET)
 * when not found. */
char *fs_helper(const char *program, struct error **err);

#endif
