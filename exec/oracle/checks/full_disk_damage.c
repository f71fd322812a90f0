/* Writes on a file system that is too small for them: success must not be claimed for a part, and an error
 * must leave the old content, or no file, behind. What a lowered command leaves is that command's. A disk that takes more than
 * the policy states is not the disk that was promised. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/limit.h"

static const char slug[] = "full-disk-damage";

static bool mine(const struct mismatch *m)
{
    return m->full_disk && !m->unchanged; /* what did nothing is silent-success's, full or not */
}

static bool refused_on_full_disk(const struct execution *e, size_t i)
{
    static const char *const writes[] = {"write", "upload", "append", "edit", NULL};
    const struct observation *o = &e->observations[i];
    struct bytes path = observation_argument(o, "path");
    bool seen = o->before.by != WITNESS_NONE && o->after.by != WITNESS_NONE;
    return observation_is_any(o, writes) && observation_refused(o) && !path_has_nul(path) && !o->outcome.lowered && seen &&
           on_small_disk(e, i, path) && !group_touches(e, i, path);
}

static void judge_refusal(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    if (!refused_on_full_disk(e, i))
        return;
    bool left = !o->before.exists && o->after.exists && o->after.size > 0;
    bool damaged = view_has_bytes(&o->before) && !view_same_bytes(&o->before, &o->after);
    if (!left && !damaged)
        return;
    const char *detail = damaged ? "the old content is gone after an error"
                                 : "a part of a file is left after an error";
    judge_say_op(
        out, e, slug, i, stored_op(o), EFFECT_WRONG, detail,
        arena_printf(out->arena, "%s on a full disk fails, and %s", o->step->op->name,
                     damaged ? "the old content is gone" : "a part of the file is left"),
        arena_printf(
            out->arena,
            "step %s %s on a small file system was refused; seen from %s the sandbox, the file %s %llu bytes "
            "before and has %llu bytes after -> sandbox",
            o->step->id, o->step->op->name, witness_name(o->after.by),
            o->before.exists ? "had" : "was not there,", (unsigned long long)o->before.size,
            (unsigned long long)o->after.size));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, slug, mine);
    limit_report(e, out, slug, POLICY_FILE_SIZE);
    limit_report(e, out, slug, POLICY_DISK);
    for (size_t i = 0; i < e->count; i++)
        judge_refusal(e, out, i);
}

const struct check check_full_disk_damage = {slug, "C63", "storage",
                                             "on a full disk an error is given and old content stays", judge};
