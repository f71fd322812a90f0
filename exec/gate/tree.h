/* Trees of files that somebody else made: walked and copied without following a link, opening a FIFO or trusting a size.
 * No function here resolves a path through a link, neither in what it reads nor in what it writes. */
#ifndef EXEC_GATE_TREE_H
#define EXEC_GATE_TREE_H

#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"

enum { TREE_DEPTH = 64, TREE_ENTRIES = 20000 };

struct tree_entry {
    const char *path; /* from the root, without a slash in front */
    const char *name; /* its last part */
    int dir;          /* descriptor of the directory that it is in */
    struct stat st;   /* of itself, not of what it points to */
};
/* 0: go on (into a directory too); 1: go on, but not into this directory; negative: stop with *err set. */
typedef int tree_visit(void *user, const struct tree_entry *e, struct error **err);
/* In order of names, parents first. ERR_INPUT when root is no directory, ERR_LIMIT past TREE_DEPTH or TREE_ENTRIES. */
int tree_walk(const char *root, tree_visit *visit, void *user, struct error **err);

/* The content of a regular file; ERR_INPUT when it is none any more, ERR_LIMIT when longer than max. */
int tree_read(const struct tree_entry *e, size_t max, struct buf *out, struct error **err);
/* The same for `path` below root, where no part may be a link. */
int tree_read_at(const char *root, const char *path, size_t max, struct buf *out, struct error **err);

struct tree_rules {
    bool foreign;       /* given by a person: FIFOs, devices, sockets and links that lead out of the tree are refused (ERR_INPUT);
                           else what an agent left: links stay what they are, FIFOs are made again, the rest is left away */
    uint64_t file_max;  /* bytes; ERR_LIMIT past them, before anything is read */
    uint64_t total_max;
};
/* Copies `from` below from_root ("": all of it; a directory or a file) to the name `to` below the directory root, making
 * directories on the way; names may begin with a slash. Execute bits are kept; with `foreign` other bits of the mode are not. */
int tree_copy(const char *from_root, const char *from, const char *root, const char *to, const struct tree_rules *rules, struct error **err);

/* Makes a directory below root, and those on the way; no part of it may be a link. */
int tree_make_dir(const char *root, const char *path, struct error **err);

/* A file of our own for the length of a trial: it need not outlive the machine. */
int tree_write(const char *path, struct bytes data, struct error **err);

/* A name that may be printed: control characters as '?', at most so long; static storage per thread. */
const char *tree_shown(const char *path);

#endif
