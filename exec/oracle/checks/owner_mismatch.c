/* Denied for lack of permission in a directory that can be written, which this session made itself, or beside files that it made
 * there. Nobody in the task plays with permissions, links or fixtures, so only owners on both sides of a mount can differ. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/escape.h"

static const char slug[] = "owner-mismatch";

enum { WRITE_AND_SEARCH = 0300 };

static bool holds_any(struct bytes text, const char *const *words)
{
    for (; *words; words++)
        if (bytes_find(text, bytes_of_string(*words), 0) >= 0)
            return true;
    return false;
}

static bool is_denial(const struct observation *o)
{
    static const char *const words[] = {"ermission denied", "EACCES", "EPERM", "peration not permitted", "PermissionError", NULL};
    return observation_refused(o) && !observation_mutated(o) && holds_any(o->outcome.message, words);
}

/* The task changes who may do what, or what stands where. */
static bool plays(const struct execution *e, size_t until)
{
    static const char *const words[] = {"chmod", "chown", "umask", "setfacl", "chattr", "install ", "mount", "unshare",
                                        "sudo",  "ln ",   "symlink", "setuid", "mkdir -m", NULL};
    for (size_t i = 0; i < until; i++) {
        const struct observation *o = &e->observations[i];
        bool fixture = bytes_starts(bytes_of_string(o->step->op->name), BYTES_LITERAL("stage-"));
        if (fixture || observation_is(o, "chmod") || observation_is(o, "link") || observation_is(o, "call") ||
            holds_any(observation_script(o), words))
            return true;
    }
    return false;
}

static bool plain(struct bytes path)
{
    return path.len && path.data[0] != '/' && !path_has_nul(path) && bytes_find(path, BYTES_LITERAL(".."), 0) < 0;
}

/* It could have been done: the directory is there and can be written, and nothing special is in the way. */
static bool could_be_done(const struct observation *o)
{
    const struct file_view *p = &o->parent, *at = observation_argument(o, "to").len ? &o->to_before : &o->before;
    bool directory = p->by == WITNESS_OUTSIDE && p->exists && p->kind == 'd' && (p->mode & WRITE_AND_SEARCH) == WRITE_AND_SEARCH;
    bool free = at->by == WITNESS_OUTSIDE && (!at->exists || (at->kind == 'f' && (at->mode & 0200)));
    return directory && free;
}

/* Somebody in this session has made something in the root before, so that it can be written at all. */
static bool made_before(const struct execution *e, size_t until)
{
    for (size_t i = 0; i < until; i++) {
        struct bytes path;
        const struct file_view *before, *after;
        const struct observation *o = &e->observations[i];
        if (o->appeared_count || (made_path(o, &path, &before, &after) && observation_claims(o) && !before->exists && after->exists))
            return true;
    }
    return false;
}

static void judge_one(const struct execution *e, struct verdicts *out, size_t i)
{
    static const char *const ops[] = {"write", "append", "upload", "mkdir", "move", "copy", "edit", "remove", NULL};
    const struct observation *o = &e->observations[i];
    struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to");
    bool closed = policy_root_answer(e, POLICY_WRITABLE, path) == POLICY_NO ||
                  (to.len && policy_root_answer(e, POLICY_WRITABLE, to) == POLICY_NO);
    if (closed || !observation_is_any(o, ops) || !is_denial(o) || !plain(path) || (to.len && !plain(to)) || !could_be_done(o) ||
        plays(e, i) || !made_before(e, i) || on_small_disk(e, i, path) || error_expected(e, o->step))
        return;
    judge_say_op(out, e, slug, i, "write", EFFECT_WRONG, "denied in a directory that can be written",
                 arena_printf(out->arena, "%s is denied in a directory that can be written", o->step->op->name),
                 arena_printf(out->arena,
                              "step %s %s was refused (%.*s); seen from outside the sandbox, the directory is there with the mode %04o, "
                              "and earlier steps have made files in the root -> sandbox",
                              o->step->id, o->step->op->name,
                              BYTES_ARG(bytes_slice(o->outcome.message, 0, o->outcome.message.len < 160 ? o->outcome.message.len : 160)),
                              o->parent.mode));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++)
        judge_one(e, out, i);
}

const struct check check_owner_mismatch = {slug, "C57", "permission", "in a writable root everything can be made and changed", judge};
