/* Permissions and mounts: modes and times that travel, owners, the root's edge, what is mounted. */
#include "gen/arm/tables.h"

enum { USUAL_MODE = 420 };

#define CARRIERS "cp|mv|tar|git|rsync|zip|unzip|shutil.copy|shutil.copy2|shutil.move|copytree|install"

/* A later program that copies, moves or packs the file. */
static bool carried(const struct arm_view *v, const struct arm_step *s)
{
    EACH_AFTER (p, s, v)
        if (p->op & OPS_PROGRAM && arm_word(p, CARRIERS) &&
            (bytes_find(p->script, arm_base(s->path.text), 0) >= 0 || arm_word(p, "git|tar|zip|copytree")))
            return true;
    return false;
}

/* C56: a mode or a time that is not the usual one, and then the file travels or gets other content. */
static bool metadata_lost(const struct arm_view *v)
{
    static const uint64_t after = OP(COPY) | OP(MOVE) | OP(DOWNLOAD) | OP(UPLOAD) | OP(WRITE) | OP(EDIT);
    EACH (s, v) {
        bool mode = s->op & OP(CHMOD) ||
                    (s->op & OP(STAGE_FILE) && arm_int(s, "mode", USUAL_MODE) != USUAL_MODE);
        if (mode && (arm_next_on(v, s, after, s->path.text) || carried(v, s)))
            return true;
        if (s->op & OPS_PROGRAM && arm_says(s, "chmod |os.chmod|touch -d|touch -t|os.utime|touch -m") &&
            (arm_follows(v, s, after) || arm_word(s, CARRIERS)))
            return true;
    }
    return false;
}

/* A program made a directory of this name. */
static bool makes_directory(const struct arm_step *s, struct bytes name)
{
    return s->op & OPS_PROGRAM && name.len && arm_says(s, "mkdir") && bytes_find(s->script, name, 0) >= 0;
}

/* A directory that a program made is worked in by tools. */
static bool works_in_made(const struct arm_view *v)
{
    static const uint64_t changes = OP(WRITE) | OP(UPLOAD) | OP(MKDIR) | OP(MOVE) | OP(COPY);
    EACH (d, v)
        EACH_AFTER (s, d, v) {
            struct bytes path = s->op & (OP(MOVE) | OP(COPY)) ? s->to.text : s->path.text;
            ptrdiff_t slash = bytes_find(path, BYTES_LITERAL("/"), 0);
            if (s->op & changes && slash > 0 && makes_directory(d, bytes_slice(path, 0, (size_t)slash)))
                return true;
        }
    return false;
}

/* C57: a directory that somebody else made, worked in from inside; or the target under another user. */
static bool owner_mismatch(const struct arm_view *v)
{
    if (arm_mutated(v, "uid") || works_in_made(v))
        return true;
    EACH (d, v) {
        unsigned kinds = 0;
        if (!(d->op & OP(STAGE_DIR)))
            continue;
        EACH_AFTER (s, d, v) {
            if (!arm_below(s->path.text, d->path.text))
                continue;
            kinds |= s->op & (OP(WRITE) | OP(UPLOAD) | OP(MKDIR)) ? 1u : 0;
            kinds |= s->op & (OP(APPEND) | OP(EDIT) | OP(CHMOD)) ? 2u : 0;
            kinds |= s->op & OP(MOVE) ? 4u : 0;
            kinds |= s->op & OP(REMOVE) ? 8u : 0;
        }
        if (__builtin_popcount(kinds) >= 3)
            return true;
    }
    return false;
}

static bool is_outside(struct bytes path)
{
    return path.len && ((path.data[0] == '/' && !bytes_equal_string(path, "/")) ||
                        bytes_starts(path, BYTES_LITERAL("../")) || bytes_equal_string(path, "..") ||
                        arm_holds(path, "/../../"));
}

/* C58 */
static bool root_escape(const struct arm_view *v)
{
    static const uint64_t files = OPS_LOOK | OP(WRITE) | OP(LIST) | OP(STAT) | OP(APPEND) | OP(COPY) |
                                  OP(UPLOAD) | OP(REMOVE) | OP(MOVE) | OP(SEARCH) | OP(MKDIR);
    EACH (s, v) {
        if (s->op & OP(STAGE_SIBLING) && arm_follows(v, s, files))
            return true;
        if (s->op & files && (is_outside(s->path.text) || is_outside(s->to.text)))
            return true;
        if (s->op & (OP(LINK) | OP(STAGE_SYMLINK)) && is_outside(s->to.text) &&
            arm_next_on(v, s, files, s->path.text))
            return true;
    }
    return false;
}

/* A program that uses a directory of the environment is run again, word for word, after one more start. */
static bool place_again(const struct arm_view *v)
{
    EACH (first, v) {
        const struct arm_step *start = arm_next(v, first, OP(REOPEN) | OP(RESUME));
        if (!(first->op & OPS_PROGRAM) || !start || !arm_says(first, "TMPDIR|$HOME|${HOME|mktemp|gettempdir|/dev/shm|XDG_"))
            continue;
        EACH_AFTER (s, start, v)
            if (s->op & OPS_PROGRAM && bytes_equal(s->script, first->script))
                return true;
    }
    return false;
}

/* C59: what was put there from outside, looked at after one more start; a mount in a mount; a mount twice; a place of the environment
 * at each start. */
static bool mount_missing(const struct arm_view *v)
{
    if (place_again(v))
        return true;
    EACH (m, v) {
        if (!(m->op & (OP(STAGE_FILE) | OP(STAGE_DIR) | OP(STAGE_DISK))))
            continue;
        EACH_AFTER (s, m, v) {
            if (m->op & s->op & OP(STAGE_DISK) &&
                (bytes_equal(s->path.text, m->path.text) || arm_below(s->path.text, m->path.text)))
                return true;
            if (s->op & (OP(OPEN) | OP(REOPEN)) &&
                (arm_next_on(v, s, OPS_LOOK | OP(LIST) | OP(STAT), m->path.text) ||
                 arm_next_program(v, s, m->path.text)))
                return true;
        }
    }
    return false;
}

/* C74 */
static bool system_files(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM && (arm_word(s, "git|ps|fc-list|ldd|tempfile|mktemp") ||
                                    arm_says(s, "/dev/urandom|/dev/full|/dev/random|/proc/|/sys/|/dev/null "
                                                "<|</dev/null|< /dev/null|/etc/fonts|/dev/stdin|/dev/tty")))
            return true;
    return false;
}

const struct arm_row arm_permission[] = {
    {"C56", metadata_lost, NULL}, {"C57", owner_mismatch, NULL}, {"C58", root_escape, NULL},
    {"C59", mount_missing, NULL}, {"C74", system_files, NULL},   {0},
};
