/* Size: frames, arguments, output and content where buffers end. */
#include "gen/arm/tables.h"

enum {
    KIB = 1024,
    MIB = 1024 * KIB,
    FRAME = 3 * MIB, /* 4 MiB as base64, the smallest usual limit of a frame */
    LONG = 64 * KIB - 1,
    ARGUMENT = 96 * KIB, /* 128 KiB as base64 */
    LINE = 1000,
    PAGES = 2
};

/* C17 */
static bool big_frame(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & (OP(WRITE) | OP(UPLOAD) | OP(CALL) | OP(SEND)) && s->content.size >= FRAME)
            return true;
    return false;
}

/* C30 */
static bool pages_mixed(const struct arm_view *v)
{
    EACH (s, v) {
        uint64_t looks = 0;
        if (!(s->op & OP(START)) || !arm_loops(s) || !arm_prints(s))
            continue;
        EACH_AFTER (p, s, v)
            looks += p->op & (OP(POLL) | OP(WAIT)) ? p->step->repeat : 0;
        if (looks >= PAGES)
            return true;
    }
    return false;
}

static bool prints_much(const struct arm_view *v, const struct arm_step *s)
{
    if (!(s->op & OPS_PROGRAM) || !arm_prints(s))
        return false;
    if (arm_amount(s, "' * |\" * |'*|\"*|head -c |bs=|%0|.repeat(|bytes(") >= LONG ||
        arm_rounds(s) >= LONG / 8) /* a line each */
        return true;
    EACH (put, v)
        if (put < s && put->op & OPS_PUT && put->content.size >= LONG &&
            arm_next_program(v, put, put->path.text) == s && arm_word(s, "cat|base64|xxd|od"))
            return true;
    return false;
}

/* C33 */
static bool silently_cut(const struct arm_view *v)
{
    EACH (s, v)
        if (prints_much(v, s) ||
            (s->op & OPS_PUT && s->content.size >= LONG &&
             (arm_next_on(v, s, OPS_LOOK | OP(STAT), s->path.text) || arm_file_expected(v, s->path.text) ||
              arm_next_program(v, s, s->path.text))) ||
            (s->op & OP(RUN) && arm_says(s, "\\r") && arm_loops(s)))
            return true;
    return false;
}

/* C45 */
static bool line_limit(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM && s->longest_line >= LINE)
            return true;
    return false;
}

/* C47 */
static bool long_argument(const struct arm_view *v)
{
    EACH (s, v)
        if ((s->op & (OP(WRITE) | OP(UPLOAD)) && s->content.size >= ARGUMENT) ||
            (s->op & OP(RUN) && (s->script.len >= ARGUMENT || s->input.size >= ARGUMENT)) ||
            (s->op & OP(RUN) && arm_amount(s, "' * |\" * |'*|\"*|head -c |%0|seq ") >= ARGUMENT &&
             arm_says(s, "/bin/true |/bin/echo |subprocess.run(|xargs|ARG_MAX|execv|export ")))
            return true;
    return false;
}

const struct arm_row arm_size[] = {
    {"C17", big_frame, NULL},  {"C30", pages_mixed, NULL},   {"C33", silently_cut, NULL},
    {"C45", line_limit, NULL}, {"C47", long_argument, NULL}, {0},
};
