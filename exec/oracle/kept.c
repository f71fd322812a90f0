/* Compares views around the end of sessions; see kept.h. Only views from outside count: whether a sandbox that this machine
 * cannot look into keeps anything is a matter of its contract. */
#include "exec/oracle/kept.h"

#include "exec/oracle/effect.h"
#include "exec/oracle/facts.h"
#include "exec/oracle/script.h"

#include <string.h>

/* Ops after which a sandbox goes on with the files it had. */
static const char *const pauses[] = {"reopen", "close", "pause", "resume", NULL};

static bool is_file(const struct file_view *v)
{
    return v->by == WITNESS_OUTSIDE && v->exists && v->kind == 'f' && v->sha256[0];
}

static bool changed(const struct file_view *before, const struct file_view *after)
{
    bool looked = after->by == WITNESS_OUTSIDE && (!after->exists || is_file(after));
    return is_file(before) && looked && !(after->exists && view_same_bytes(before, after));
}

static bool holds_any(struct bytes script, const char *const *words)
{
    for (; *words; words++)
        if (bytes_find(script, bytes_of_string(*words), 0) >= 0)
            return true;
    return false;
}

/* The file may have another name, or something waits for the end to change it. */
static bool entangles(const struct observation *o, struct bytes path)
{
    static const char *const at_end[] = {"trap ", "atexit", NULL}, *const links[] = {"ln ", "link(", NULL};
    static const char *const aliases[] = {"link", "stage-symlink", NULL};
    struct bytes script = observation_script(o);
    bool named = observation_touches(o, path);
    return holds_any(script, at_end) || (named && (observation_is_any(o, aliases) || holds_any(script, links)));
}

/* Nothing that was sent without an end, or into the background, can still be at work on the path, and it has one name only. */
static bool at_rest(const struct execution *e, size_t until, struct bytes path)
{
    for (size_t i = 0; i < e->count && i < until; i++) {
        const struct observation *o = &e->observations[i];
        bool unsure = observation_lost(o) || o->outcome.gone || o->step->cancel_after_ms >= 0;
        if (observation_mutated(o) || entangles(o, path) || (unsure && observation_touches(o, path)))
            return false;
    }
    return !background_touches(e, until, path) && !on_small_disk(e, until, path);
}

/* What may change the path, or a directory that holds it. */
static bool may_change(const struct observation *o, struct bytes path)
{
    static const char *const looks[] = {"read", "list", "stat", "search", "download", "idle", "open", NULL};
    struct bytes at = observation_argument(o, "path"), to = observation_argument(o, "to");
    if (observation_is_any(o, looks) || observation_is_any(o, pauses) || o->outcome.class == OUTCOME_SKIPPED)
        return false;
    if (observation_is(o, "run"))
        return !script_makes_nothing(o);
    bool files = strcmp(o->step->op->group, "files") == 0;
    return !files || !at.len || path_within(path, at) || (to.len && path_within(path, to));
}

/* The first pause after `from` in the same stretch of steps as `to`, and none of them touches the path; NULL. */
static const char *pause_between(const struct execution *e, size_t from, size_t to, struct bytes path)
{
    const char *op = NULL;
    for (size_t i = from + 1; i < to; i++) {
        const struct observation *o = &e->observations[i];
        if (observation_is_any(o, pauses) && observation_claims(o))
            op = o->step->op->name;
        if (may_change(o, path))
            return NULL;
    }
    return op;
}

static bool lost_at(const struct execution *e, size_t from, size_t to, struct kept_loss *loss)
{
    const struct observation *a = &e->observations[from], *b = &e->observations[to];
    struct bytes path = observation_argument(a, "path");
    struct bytes later = observation_argument(b, "path");
    bool comparable = changed(&a->after, &b->before) && path.len && !path_has_nul(path) && path_same(path, later) && !path_asks_for_directory(path) &&
                      !path_asks_for_directory(later) && !a->in_group && !b->in_group;
    const char *op = comparable ? pause_between(e, from, to, path) : NULL;
    if (!op || !at_rest(e, to, path) || !effects_seen_until(e, to))
        return false; /* what another step should have made elsewhere may have landed here */
    *loss = (struct kept_loss){path, &a->after, &b->before, op};
    return true;
}

/* Ended by us in the middle of something, a target owes less. */
static bool ended_in_order(const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->observations[i].outcome.by_us || e->observations[i].outcome.gone || observation_lost(&e->observations[i]))
            return false;
    return !e->target_died;
}

bool kept_lost(const struct execution *e, struct kept_loss *loss)
{
    if (!e->facts)
        return kept_lost_find(e, loss);
    *loss = e->facts->loss;
    return e->facts->lost;
}

bool kept_lost_find(const struct execution *e, struct kept_loss *loss)
{
    for (size_t to = 1; to < e->count; to++) {
        if (e->observations[to].before.by != WITNESS_OUTSIDE)
            continue; /* nothing to compare with */
        struct bytes path = observation_argument(&e->observations[to], "path");
        /* What was seen before something else could change the file says nothing. */
        for (size_t from = to; path.len && from-- > 0;) {
            if (lost_at(e, from, to, loss))
                return true;
            if (may_change(&e->observations[from], path))
                break;
        }
    }
    for (size_t i = 0; i < e->kept_count && ended_in_order(e) && effects_seen_until(e, e->count); i++) {
        const struct file_kept *k = &e->kept[i];
        if (!changed(&k->before, &k->after) || !at_rest(e, e->count, k->path))
            continue;
        *loss = (struct kept_loss){k->path, &k->before, &k->after, "the session's end"};
        return true;
    }
    return false;
}
