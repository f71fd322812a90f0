/* Witnesses: what a file below a session's root is, found out without the tools under test.
 *
 * From outside, when the root can be seen on this machine: opened beneath the root only (no "..", no absolute
 * path, no link that leads out), never blocking on pipes or devices. From inside otherwise, by a small script
 * through the target's own `run`. Paths that are absolute or escape have no witness. A path with a NUL is
 * looked at up to the NUL. */
#ifndef EXEC_WITNESS_H
#define EXEC_WITNESS_H

#include "exec/oracle/observation.h"
#include "exec/target/target.h"

enum {
    WITNESS_DATA_MAX = 4 << 20,    /* bytes of a file that are kept */
    WITNESS_HASH_MAX = 256 << 20,  /* bytes of a file that are hashed; a bigger one has no sha256 */
    WITNESS_INSIDE_MAX = 48 << 10, /* bytes of a file that are kept when seen from inside */
    WITNESS_ENTRIES_MAX = 10000    /* names in a directory that are kept */
};
enum witness_want { WANT_ENTRIES = 1 };

struct witness_source {
    struct session *session;
    bool outside, inside; /* which of them can look */
    int64_t inside_ms;    /* deadline of a look from inside */
    uint64_t nonce;       /* for the marks of the next script */
    const struct op *run;
};

/* Finds out which witnesses there are. */
void witness_source_init(struct witness_source *w, struct session *s);
/* The best view there is: outside before inside. by is WITNESS_NONE when nobody can look, or the look failed.
 */
void witness_look(struct witness_source *w, struct bytes path, unsigned want, struct arena *a,
                  struct file_view *v);
void witness_look_outside(const char *root, struct bytes path, unsigned want, struct arena *a,
                          struct file_view *v);
void witness_look_inside(struct witness_source *w, struct bytes path, unsigned want, struct arena *a,
                         struct file_view *v);
/* What the inside witness's script printed, amid whatever else, as a view: lines "MARK key value ;MARK". What
 * was not said to its end is not believed: by stays WITNESS_NONE. */
void witness_read_lines(struct bytes output, struct bytes mark, struct arena *a, struct file_view *v);

/* Looks below `directory` for a file of that name that ends with these bytes (with what was appended, or is all of it), in a bounded walk that follows no
 * links. Its path below the directory, in `a`; no bytes when there is none, or when there are no bytes to
 * tell it by. */
struct bytes witness_find(const char *directory, struct bytes name, struct bytes content, struct arena *a);

/* The same from inside, in the places where sandboxes are known to keep files (temporary and home
 * directories, workspaces): the full path, as programs there see it, of a file of that name that ends
 * with these bytes. No bytes when there is none. */
struct bytes witness_find_inside(struct witness_source *w, struct bytes name, struct bytes content,
                                 struct arena *a);

/* A file that shows a secret of the target's has no witness: what one sees is kept, and compared with what was not. */
void witness_withhold(const struct witness_source *w, struct file_view *v);

/* True for a path that can be looked at: relative, no "..", not too long; *clean is the part before a NUL. */
bool witness_path(struct bytes path, struct bytes *clean);

#endif
