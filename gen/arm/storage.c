/* Storage: what was acknowledged is there, whole and new, on a full disk too. */
#include "gen/arm/tables.h"

enum { PIPE_LOW = 17000, PIPE_HIGH = 19500, BIG = 100000 };

static bool is_silent_size(int64_t size)
{
    return (size >= PIPE_LOW && size <= PIPE_HIGH) || size >= BIG;
}

static bool made_before(const struct arm_view *v, const struct arm_step *remove)
{
    for (const struct arm_step *s = v->steps; s < remove; s++)
        if (bytes_equal(s->path.text, remove->path.text) || bytes_equal(s->to.text, remove->path.text) ||
            arm_below(s->path.text, remove->path.text) ||
            (s->op & OPS_PROGRAM && bytes_find(s->script, arm_base(remove->path.text), 0) >= 0))
            return true;
    return false;
}

static bool is_conversion(const struct arm_step *s)
{
    return s->op & OPS_PROGRAM && arm_word(s, "convert|pandoc|soffice|libreoffice|wkhtmltopdf|iconv|gzip|tar|"
                                              "zip|sqlite3|pdftotext|ffmpeg|json.dump|"
                                              "csv.writer|zipfile|tarfile|ImageMagick|render");
}

/* C28: done, says the reply; somebody else looks. */
static bool silent_success(const struct arm_view *v)
{
    EACH (s, v) {
        if (s->op & OPS_PUT && is_silent_size(s->content.size) &&
            (arm_next_on(v, s, OPS_LOOK | OP(STAT), s->path.text) || arm_next_program(v, s, s->path.text) ||
             arm_file_expected(v, s->path.text)))
            return true;
        if (s->op & OP(REMOVE) && !made_before(v, s))
            return true;
        if (is_conversion(s) && v->task->expect->count && arm_follows(v, s, OPS_LOOK | OP(STAT) | OP(LIST)))
            return true;
    }
    return false;
}

/* C62: looked at, made new, looked at; through one name or two. */
static bool stale_content(const struct arm_view *v)
{
    static const uint64_t changes = OP(WRITE) | OP(UPLOAD) | OP(EDIT) | OP(MOVE) | OP(COPY);
    EACH (s, v) {
        const struct arm_step *again = NULL;
        if (s->op & OPS_LOOK) {
            again = arm_next_on(v, s, changes, s->path.text);
            if (!again)
                again = arm_next_program(v, s, s->path.text);
            if (again && arm_next_on(v, again, OPS_LOOK, s->path.text))
                return true;
        }
        if (s->op & OP(LINK) && bytes_equal_string(arm_text(s, "kind"), "hard")) {
            again = arm_next_on(v, s, changes | OP(APPEND), s->to.text);
            if (again && arm_next_on(v, again, OPS_LOOK, s->path.text))
                return true;
            again = arm_next_on(v, s, changes | OP(APPEND), s->path.text);
            if (again && arm_next_on(v, again, OPS_LOOK, s->to.text))
                return true;
        }
    }
    return false;
}

/* A program that writes on the disk until it has to stop. */
static bool fills(const struct arm_step *s, struct bytes disk)
{
    return s->op & OPS_PROGRAM && bytes_find(s->script, arm_base(disk), 0) >= 0 &&
           (arm_word(s, "dd|fallocate|yes|cp|/dev/zero") || (arm_loops(s) && arm_says(s, "write|> |>>")));
}

/* Bytes that a step puts below the disk, by itself or from a file that was put before. */
static int64_t bytes_on(const struct arm_view *v, const struct arm_step *s, struct bytes disk)
{
    int64_t total = 0;
    if (s->op & OPS_PUT && arm_below(s->path.text, disk))
        return s->content.size * s->step->repeat;
    if (s->op & (OP(COPY) | OP(MOVE)) && arm_below(s->to.text, disk))
        for (const struct arm_step *put = v->steps; put < s; put++)
            total += put->op & OPS_PUT && bytes_equal(put->path.text, s->path.text) ? put->content.size : 0;
    return total;
}

/* C63: more is put on the small disk than it holds. */
static bool full_disk(const struct arm_view *v)
{
    EACH (disk, v) {
        int64_t room = arm_int(disk, "bytes", INT64_MAX), total = 0;
        if (!(disk->op & OP(STAGE_DISK)))
            continue;
        EACH_AFTER (s, disk, v) {
            total += bytes_on(v, s, disk->path.text);
            if (fills(s, disk->path.text))
                return true;
        }
        if (total > room)
            return true;
    }
    return arm_mutated(v, "small-disk") && arm_next(v, NULL, OPS_PUT);
}

const struct arm_row arm_storage[] = {
    {"C28", silent_success, NULL},
    {"C62", stale_content, NULL},
    {"C63", full_disk, NULL},
    {0},
};
