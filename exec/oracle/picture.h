/* Pictures that a browser gives: does a PNG decode, how big is it, is there anything on it? */
#ifndef EXEC_ORACLE_PICTURE_H
#define EXEC_ORACLE_PICTURE_H

#include "base/bytes.h"

enum { PICTURE_DOTS_MAX = 40000000 /* bigger ones are not decoded */ };

struct picture {
    bool png;                /* begins as a PNG does, with a size */
    uint32_t width, height;
    bool decoded;            /* whole and right, checksums too */
    bool too_big;            /* nobody has tried */
    bool blank;              /* decoded, and every dot has the same colour */
    char why[96];            /* what is wrong with one that is not decoded */
};

void picture_look(struct bytes data, struct picture *p);

#endif
