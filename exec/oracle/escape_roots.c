/* Reading and writing against the roots that a policy states; see escape.h. A path in the root stands as {root}/PATH in a policy, so a
 * part of the root may be closed. Where a link may stand on the way, nobody is blamed. */
#include "exec/oracle/escape.h"

#include "exec/oracle/effect.h"

static struct bytes without_dots(struct bytes path)
{
    while (bytes_starts(path, BYTES_LITERAL("./")))
        path = bytes_slice(path, 2, path.len);
    return bytes_equal_string(path, ".") ? (struct bytes){0} : path;
}

enum policy_answer policy_root_answer(const struct execution *e, enum policy_roots kind, struct bytes path)
{
    struct arena a;
    path = without_dots(path);
    bool elsewhere = (path.len && path.data[0] == '/') || path_has_nul(path) || bytes_find(path, BYTES_LITERAL(".."), 0) >= 0;
    if (!e->policy || elsewhere)
        return POLICY_UNSTATED;
    arena_init(&a);
    const char *full = arena_printf(&a, "{root}%s%.*s", path.len ? "/" : "", BYTES_ARG(path));
    enum policy_answer answer = policy_reaches(e->policy, kind, bytes_of_string(full));
    arena_release(&a);
    return answer;
}

/* A link was made in the task, or may have been, so that a path need not lead where it says. */
static bool links_made(const struct execution *e)
{
    static const char *const links[] = {"link", "stage-symlink", "call", NULL};
    for (size_t i = 0; i < e->count; i++) {
        struct bytes script = observation_script(&e->observations[i]);
        if (observation_is_any(&e->observations[i], links) || bytes_find(script, BYTES_LITERAL("ln "), 0) >= 0 ||
            bytes_find(script, BYTES_LITERAL("symlink"), 0) >= 0)
            return true;
    }
    return false;
}

/* A file that this step made or changed where it must not, as a witness saw it; its path. */
static bool wrote(const struct execution *e, size_t i, struct bytes *path)
{
    const struct file_view *before, *after;
    const struct observation *o = &e->observations[i];
    if (made_path(o, path, &before, &after)) {
        bool seen = before->by != WITNESS_NONE && after->by != WITNESS_NONE && after->exists && !o->in_group;
        bool changed = seen && (!before->exists || (view_has_bytes(before) && view_has_bytes(after) && !view_same_bytes(before, after)));
        return changed && policy_root_answer(e, POLICY_WRITABLE, *path) == POLICY_NO;
    }
    for (size_t k = 0; observation_is(o, "run") && k < o->appeared_count; k++) {
        *path = o->appeared[k];
        if (policy_root_answer(e, POLICY_WRITABLE, *path) == POLICY_NO)
            return true;
    }
    return false;
}

static bool has_read(const struct execution *e, size_t i, struct bytes *path)
{
    static const char *const looks[] = {"read", "download", "list", "search", NULL};
    const struct observation *o = &e->observations[i];
    *path = observation_argument(o, "path");
    return observation_is_any(o, looks) && observation_claims(o) && policy_root_answer(e, POLICY_READABLE, *path) == POLICY_NO;
}

/* `op`: of the signature; who lets one tool write there lets all. */
static void say(const struct execution *e, struct verdicts *out, const char *slug, size_t i, const char *op, const char *detail,
                struct bytes path)
{
    const struct observation *o = &e->observations[i];
    struct buf name;
    buf_init(&name, 1024);
    judge_quote(&name, path, 80);
    judge_say_op(out, e, slug, i, op, EFFECT_WRONG, detail, arena_printf(out->arena, "%s %s", o->step->op->name, detail),
                 arena_printf(out->arena, "step %s %s: %s lies in the root, where the policy does not allow it -> sandbox", o->step->id,
                              o->step->op->name, buf_string(&name)));
    buf_release(&name);
}

/* A file of ours outside the root was changed, and the policy does not let anybody. */
static void judge_tripwires(const struct execution *e, struct verdicts *out, const char *slug)
{
    enum { CHANGED = TRIPWIRE_WRITTEN | TRIPWIRE_ATTRIBUTES | TRIPWIRE_GONE };
    if (policy_reaches(e->policy, POLICY_WRITABLE, BYTES_LITERAL("/")) != POLICY_NO)
        return;
    for (size_t i = 0; i < e->tripwire_count; i++) {
        const struct tripwire_report *t = &e->tripwires[i];
        bool home = t->place == TRIPWIRE_HOME;
        if (!(t->how & CHANGED) || (home && policy_reaches(e->policy, POLICY_WRITABLE, BYTES_LITERAL("{home}")) == POLICY_YES))
            continue;
        judge_say(out, e, slug, e->count, EFFECT_WRONG, "changes a file outside the roots that may be written",
                  "a file outside the roots that may be written is changed",
                  arena_printf(out->arena, "a file of ours %s is not as it was, and the policy names no root there -> sandbox",
                               home ? "in the home" : "beside the root"));
        return;
    }
}

void escape_roots_report(const struct execution *e, struct verdicts *out, const char *slug)
{
    struct bytes path;
    if (!e->policy)
        return;
    judge_tripwires(e, out, slug);
    for (size_t i = 0; i < e->count && !links_made(e); i++) {
        if (wrote(e, i, &path))
            say(e, out, slug, i, observation_is(&e->observations[i], "run") ? "run" : "write", "writes where the policy allows no writing", path);
        if (has_read(e, i, &path))
            say(e, out, slug, i, "read", "reads where the policy allows no reading", path);
    }
}
