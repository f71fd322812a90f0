/* Dockerfiles that only put files of their context into a base image of Debian's kind: what such a file says, so that the image
 * can be laid out in a room. Anything more needs a container build, which is not done here. */
#ifndef EXEC_GATE_IMAGE_H
#define EXEC_GATE_IMAGE_H

#include "base/bytes.h"
#include "base/error.h"
#include "exec/target/strings.h"

struct image {
    char *workdir;          /* absolute */
    struct strings env;     /* NAME=VALUE */
    struct strings copies;  /* pairs: below the context, where to (absolute; a slash at the end: into) */
    char *beyond;           /* why it cannot be laid out here; NULL: it can */
};
/* Never fails: what is not understood is said in `beyond`, with its line. */
void image_read(struct image *image, struct bytes text);
void image_release(struct image *image);
/* Copies from the directory `context` into the root of a room, and makes the working directory there. */
int image_lay(const struct image *image, const char *context, const char *root, struct error **err);

#endif
