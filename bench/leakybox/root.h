/* Where a path argument leads, and nothing outside the root.
 *
 * A path is walked component by component with descriptors, so that a link swapped in the middle of a call
 * cannot lead out: links are read and followed by hand, ".." is taken back inside the root only, an absolute
 * path (or link) must begin with the root's own path. The walk ends at a name in an open directory; the
 * caller opens that name with O_NOFOLLOW. */
#ifndef LEAKYBOX_ROOT_H
#define LEAKYBOX_ROOT_H

#include <limits.h>
#include <sys/stat.h>

#include "base/bytes.h"

struct root {
    int fd;      /* O_PATH */
    char *given; /* as named on the command line, made absolute */
    char *real;  /* without links */
};

int root_open(struct root *r, const char *path); /* 0, or -1 with errno */
void root_release(struct root *r);

enum place_flags {
    PLACE_FOLLOW = 1,       /* a link at the end is followed; else it is the place */
    PLACE_MAKE_PARENTS = 2, /* missing directories on the way are made */
};

struct place {
    int dir;                 /* directory that holds the name; owned */
    char name[NAME_MAX + 1]; /* "." for the root itself */
    bool is_root;
    bool exists;
    bool slash;          /* the path ended in a slash: it asks for a directory */
    struct stat st;      /* of the name, a link not followed; when it exists */
    struct buf relative; /* path from the root without links, for messages; empty for the root itself */
};

enum place_result { PLACE_OK = 0, PLACE_FAILED = -1, PLACE_OUTSIDE = -2 };
/* Finds the place of a path (no NUL inside) and fills p; on failure appends the reason to why, and p needs no
 * release.
 * "~" and "~/…" start at $HOME. A final slash asks for a directory. */
enum place_result place_find(const struct root *r, struct bytes path, unsigned flags, struct place *p,
                             struct buf *why);
/* As the kernel has it, links and all, with no regard to the root. For planted faults only. */
enum place_result place_find_anywhere(const struct root *r, struct bytes path, struct place *p,
                                      struct buf *why);
void place_release(struct place *p);

#endif
