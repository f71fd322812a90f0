/* Paths: the same file under every name, names that are hard, links, files that never end. */
#include <strings.h>

#include "gen/arm/tables.h"

#define OPS_SPECIAL (OP(STAGE_FIFO) | OP(STAGE_SOCKET) | OP(STAGE_DEVICE))
#define OPS_MAKE (OPS_PUT | OP(MKDIR) | OP(MOVE) | OP(COPY) | OP(LINK) | OP(STAGE_DIR))

enum { MANY = 1000 };

static struct bytes made_path(const struct arm_step *s)
{
    return s->op & (OP(MOVE) | OP(COPY)) ? s->to.text : s->path.text;
}

/* C50: one file, seen by a tool and by a program, or under two spellings. */
static bool roots_differ(const struct arm_view *v)
{
    EACH (s, v) {
        if (!s->path.present)
            continue;
        if (s->op & OPS_PUT && arm_next_program(v, s, s->path.text))
            return true;
        if (s->op & (OPS_LOOK | OP(STAT) | OP(LIST)) && s > v->steps) {
            const struct arm_step *p = arm_next_program(v, NULL, s->path.text);
            if (p && p < s)
                return true;
        }
        if (s->path.as.len) {
            const struct arm_step *other = arm_next_on(v, s, ~UINT64_C(0), s->path.text);
            if (other && other->path.as.len && !bytes_equal(other->path.as, s->path.as))
                return true;
        }
    }
    return false;
}

/* Something that is easily left out of a listing of `directory`. */
static bool is_hard_entry(const struct arm_step *s, struct bytes directory)
{
    struct bytes path = made_path(s), base = arm_base(path);
    if (!(s->op & OPS_MAKE) || !arm_below(path, directory))
        return false;
    size_t skip = bytes_equal_string(directory, ".") ? 0 : directory.len + 1;
    return s->op & (OP(MKDIR) | OP(STAGE_DIR)) || (base.len && base.data[0] == '.') ||
           s->step->repeat >= MANY || bytes_find(path, BYTES_LITERAL("/"), skip) >= 0;
}

/* C51 */
static bool listing_wrong(const struct arm_view *v)
{
    EACH (look, v) {
        if (!(look->op & (OP(LIST) | OP(SEARCH))))
            continue;
        for (const struct arm_step *s = v->steps; s < look; s++)
            if (is_hard_entry(s, look->path.text) ||
                (s->op & OP(STAGE_MANY) && bytes_equal(s->path.text, look->path.text)) ||
                arm_repeats(s, MANY, "touch| open(|> |writeFile|write_text|mkdir|link("))
                return true;
    }
    return false;
}

static bool makes_link(const struct arm_step *s)
{
    return (s->op & OP(LINK) && !bytes_equal_string(arm_text(s, "kind"), "hard")) ||
           s->op & OP(STAGE_SYMLINK) || (s->op & OPS_PROGRAM && arm_says(s, "ln -s|os.symlink|symlink("));
}

/* C52 */
static bool symlink_mishandled(const struct arm_view *v)
{
    EACH (s, v) {
        if (!makes_link(s))
            continue;
        EACH_AFTER (use, s, v)
            if (s->op & OPS_PROGRAM
                    ? use->path.present && bytes_find(s->script, arm_base(use->path.text), 0) >= 0
                    : (use->path.present &&
                       (bytes_equal(use->path.text, s->path.text) ||
                        arm_below(use->path.text, s->path.text) ||
                        (use->op & (OP(LIST) | OP(SEARCH)) && arm_below(s->path.text, use->path.text)))) ||
                          (use->op & OPS_PROGRAM && bytes_find(use->script, arm_base(s->path.text), 0) >= 0))
                return true;
    }
    EACH (s, v)
        if (bytes_equal_string(s->path.as, "link"))
            return true;
    return false;
}

/* Two names in the task that differ in case only. */
static bool has_case_twin(const struct arm_view *v, struct bytes path)
{
    EACH (s, v)
        if (s->op & OPS_MAKE && made_path(s).len == path.len && path.len &&
            !bytes_equal(made_path(s), path) &&
            strncasecmp((const char *)made_path(s).data, (const char *)path.data, path.len) == 0)
            return true;
    return false;
}

static bool is_odd_name(struct bytes path)
{
    struct bytes base = arm_base(path);
    return arm_scan(path) & (TEXT_NON_ASCII | TEXT_NOT_UTF8) ||
           (base.len > 1 && (base.data[base.len - 1] == '.' || base.data[base.len - 1] == ' ') &&
            !bytes_equal_string(base, ".."));
}

/* C53 */
static bool name_normalised(const struct arm_view *v)
{
    EACH (s, v) {
        struct bytes path = made_path(s);
        if (!(s->op & OPS_MAKE) || !(is_odd_name(path) || has_case_twin(v, path)))
            continue;
        EACH_AFTER (look, s, v)
            if (look->path.present &&
                (bytes_equal(look->path.text, path) ||
                 (look->op & (OP(LIST) | OP(SEARCH)) && arm_below(path, look->path.text))))
                return true;
        if (arm_file_expected(v, path))
            return true;
    }
    return false;
}

/* C54 */
static bool name_as_option(const struct arm_view *v)
{
    EACH (s, v) {
        struct bytes base = arm_base(s->path.present ? made_path(s) : BYTES_NONE);
        if (base.len && (base.data[0] == '-' || arm_holds(base, "\n|%2|%0|#|?|*|[")))
            return true;
    }
    return false;
}

/* A file that reading does not end, by what made it. */
static bool is_starving(const struct arm_view *v, struct bytes path)
{
    if (arm_holds(path, "/dev/zero|/dev/random|/dev/urandom|/dev/tty"))
        return true;
    EACH (s, v) {
        if (s->op & (OPS_SPECIAL | OP(STAGE_SPARSE) | OP(MKDIR) | OP(STAGE_DIR)) && bytes_equal(s->path.text, path))
            return true;
        if (s->op & OPS_PROGRAM && arm_says(s, "mkfifo|truncate -s|AF_UNIX|mknod|os.truncate|ftruncate") &&
            bytes_find(s->script, arm_base(path), 0) >= 0)
            return true;
    }
    return false;
}

/* C55: then another step, which must be served. */
static bool special_file(const struct arm_view *v)
{
    EACH (s, v)
        if (s->path.present && s + 1 < v->end &&
            ((s->op & OPS_LOOK && is_starving(v, s->path.text)) ||
             (s->op & (OP(LIST) | OP(SEARCH)) && json_get(s->step->args, "content") &&
              arm_next(v, NULL, OPS_SPECIAL))))
            return true;
    return false;
}

const struct arm_row arm_path_rows[] = {
    {"C50", roots_differ, NULL},
    {"C51", listing_wrong, NULL},
    {"C52", symlink_mishandled, NULL},
    {"C53", name_normalised, NULL},
    {"C54", name_as_option, NULL},
    {"C55", special_file, NULL},
    {0},
};
