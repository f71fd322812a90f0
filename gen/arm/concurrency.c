/* Concurrency: things at the same time that must not see each other. */
#include "gen/arm/frame.h"
#include "gen/arm/tables.h"

/* C22: two requests in flight with one id, in one write or in steps that run together. */
static bool duplicate_id(const struct arm_view *v)
{
    EACH (s, v) {
        struct arm_frames fs = {0};
        if (!(s->op & OP(SEND)))
            continue;
        arm_frames_look(s, v->arena, &fs);
        if (s->step->repeat > 1 && fs.all.ids)
            return true;
        EACH_AFTER (other, s, v)
            if (arm_same_group(s, other))
                arm_frames_look(other, v->arena, &fs);
        if (fs.all.twin)
            return true;
    }
    return false;
}

/* C65 */
static bool lost_update(const struct arm_view *v)
{
    static const uint64_t changes = OP(APPEND) | OP(EDIT) | OP(WRITE) | OP(UPLOAD);
    EACH (s, v)
        if (s->op & changes && s->step->group)
            EACH_AFTER (other, s, v)
                if (other->op & changes && arm_same_group(s, other) &&
                    bytes_equal(s->path.text, other->path.text))
                    return true;
    return false;
}

const struct arm_row arm_concurrency[] = {
    {"C22", duplicate_id, NULL},
    {"C65", lost_update, NULL},
    {0},
};
