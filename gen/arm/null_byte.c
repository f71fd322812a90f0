/* NUL bytes: in contents, where they are legal, and in names and words, where a C string ends. */
#include "gen/arm/tables.h"

/* C06 */
static bool nul_in_content(const struct arm_view *v)
{
    EACH (s, v) {
        if (s->op & OPS_PUT && s->content.flags & TEXT_NUL &&
            (arm_next_on(v, s, OPS_LOOK | OP(STAT) | OP(COPY) | OP(MOVE), s->path.text) ||
             arm_next_program(v, s, s->path.text) || arm_file_expected(v, s->path.text)))
            return true;
        if (s->op & OPS_PROGRAM && arm_prints(s) && arm_says(s, "\\0|\\x00|\\u0000|/dev/zero|bytes("))
            return true;
    }
    return false;
}

/* C07 */
static bool nul_in_argument(const struct arm_view *v)
{
    EACH (s, v)
        if (s->flags & TEXT_NUL || (s->op & (OPS_PROGRAM | OP(EVALUATE)) && arm_scan(s->script) & TEXT_NUL))
            return true;
    return false;
}

const struct arm_row arm_null_byte[] = {
    {"C06", nul_in_content, NULL},
    {"C07", nul_in_argument, NULL},
    {0},
};
