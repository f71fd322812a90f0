/* Small pictures that no recipe makes: whole and valid files of any size. */
#ifndef EXEC_SITE_PICTURE_H
#define EXEC_SITE_PICTURE_H

#include "base/bytes.h"

enum { PICTURE_SIDE_MAX = 4096 };

/* Grey, light or dark. */
void picture_jpeg(struct buf *out, unsigned width, unsigned height, bool light);
/* Stripes that move from frame to frame; of one frame it stands still. */
void picture_gif(struct buf *out, unsigned width, unsigned height, unsigned frames);

#endif
