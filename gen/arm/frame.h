/* What raw frames hold that a task sends. */
#ifndef GEN_ARM_FRAME_H
#define GEN_ARM_FRAME_H

#include "gen/arm/view.h"

enum { ARM_FRAMES_MAX = 64 };

struct arm_frame {
    bool bad;            /* some line is no JSON object, or holds what no frame may */
    bool odd_request;    /* a request whose id can be read, and which a strict peer might not answer */
    bool defect_with_id; /* likewise, and wrong for sure */
    bool twin;           /* two requests with one id */
    size_t ids;
};

struct arm_frames {
    struct arm_frame all;
    const struct json *messages[ARM_FRAMES_MAX];
    size_t count;
};

/* Adds the frames of a send step to what is known; other steps add nothing. */
void arm_frames_look(const struct arm_step *s, struct arena *a, struct arm_frames *fs);

#endif
