/* Parallel changes of one file: each that was acknowledged must be there at the end. Appends must each have
 * added their bytes, edits must each have left their new text. Judged only when nothing but appends, or
 * nothing but edits, of the group touches the file. */
#include "exec/oracle/checks/checks.h"

#include <string.h>

static const char slug[] = "lost-update";

static bool same_group(const struct observation *a, const struct observation *b)
{
    return a->in_group && b->in_group && a->step->group && b->step->group &&
           strcmp(a->step->group, b->step->group) == 0;
}

struct tally {
    size_t acknowledged, lost, others;
    uint64_t bytes, maybe; /* acknowledged, and of those that were not */
};

/* The bytes `old` stand somewhere across [from, to). */
static bool stands_across(struct bytes text, struct bytes old, size_t from, size_t to)
{
    for (ptrdiff_t at = bytes_find(text, old, 0); old.len && at >= 0; at = bytes_find(text, old, (size_t)at + 1))
        if ((size_t)at < to && (size_t)at + old.len > from)
            return true;
    return false;
}

/* When edit `a` is done first, edit `b` finds what it looks for in, or partly in, what `a` has put there, and lawfully replaces it. In
 * doubt it does. */
static bool may_replace(struct bytes before, const struct observation *a, const struct observation *b, struct arena *arena)
{
    struct bytes old = observation_argument(a, "old"), new = observation_argument(a, "new");
    ptrdiff_t at = old.len ? bytes_find(before, old, 0) : -1;
    if (at < 0 || bytes_find(before, old, (size_t)at + 1) >= 0)
        return true;
    size_t from = (size_t)at, rest = before.len - from - old.len;
    uint8_t *text = arena_alloc(arena, from + new.len + rest + 1);
    memcpy(text, before.data, from);
    memcpy(text + from, new.data, new.len);
    memcpy(text + from + new.len, before.data + from + old.len, rest);
    return stands_across(bytes_of(text, from + new.len + rest), observation_argument(b, "old"), from, from + new.len);
}

static bool replaced_by_another(const struct execution *e, size_t first, const struct observation *a, struct arena *arena)
{
    const struct observation *o = &e->observations[first];
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *b = &e->observations[i];
        if (a != b && same_group(a, b) && observation_is(b, "edit") && may_replace(o->before.data, a, b, arena))
            return true;
    }
    return false;
}

/* The changes of the group of observation `first` on its path. */
static struct tally count_changes(const struct execution *e, size_t first, const char *op, const char *text, struct arena *a)
{
    const struct observation *o = &e->observations[first];
    struct bytes path = observation_argument(o, "path");
    struct tally t = {0};
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *other = &e->observations[i];
        if (!same_group(o, other) || !observation_touches(other, path))
            continue;
        struct bytes piece = observation_argument(other, text);
        if (!observation_is(other, op) || !path_same(observation_argument(other, "path"), path)) {
            static const char *const harmless[] = {"read", "download", "stat", "list", NULL};
            t.others += !observation_is_any(other, harmless);
            continue;
        }
        if (!observation_claims(other)) {
            t.maybe += piece.len;
            continue;
        }
        /* A lowered edit is a reading and a writing command of ours, which promise nothing together. */
        t.others += other->outcome.lowered && strcmp(op, "edit") == 0;
        t.acknowledged++;
        t.bytes += piece.len;
        bool gone = piece.len > 0 && bytes_find(o->after.data, piece, 0) < 0;
        t.lost += gone && !(observation_is(o, "edit") && replaced_by_another(e, first, other, a));
    }
    return t;
}

static bool first_of_group(const struct execution *e, size_t index, const char *op)
{
    const struct observation *o = &e->observations[index];
    for (size_t i = 0; i < index; i++)
        if (same_group(&e->observations[i], o) && observation_is(&e->observations[i], op) &&
            path_same(observation_argument(&e->observations[i], "path"), observation_argument(o, "path")))
            return false;
    return true;
}

static void judge_group(const struct execution *e, struct verdicts *out, size_t i, const char *op,
                        const char *text)
{
    const struct observation *o = &e->observations[i];
    if (!o->in_group || !observation_is(o, op) || !first_of_group(e, i, op) || !o->after.have_data ||
        o->before.by == WITNESS_NONE || background_touches(e, i, observation_argument(o, "path")))
        return;
    struct tally t = count_changes(e, i, op, text, out->arena);
    bool appends = strcmp(op, "append") == 0;
    uint64_t least = (o->before.exists ? o->before.size : 0) + t.bytes;
    /* The size tells when two pieces are the same; that a piece is torn apart by another is not lost. */
    bool missing = appends ? o->after.size < least : t.lost > 0;
    if (t.others || t.acknowledged < 2 || !missing)
        return;
    const char *evidence = arena_printf(
        out->arena,
        "%zu parallel calls of %s on one file were acknowledged; seen from %s the sandbox afterwards, it "
        "holds %llu bytes%s, and the text of %zu of them is not there -> sandbox",
        t.acknowledged, op, witness_name(o->after.by), (unsigned long long)o->after.size,
        appends ? arena_printf(out->arena, " where at least %llu must be", (unsigned long long)least) : "",
        t.lost);
    judge_say(out, e, slug, i, EFFECT_WRONG, "acknowledged changes made at the same time are gone",
              arena_printf(out->arena,
                           "parallel %s calls are acknowledged, but not all of their changes are there", op),
              evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        judge_group(e, out, i, "append", "content");
        judge_group(e, out, i, "edit", "new");
    }
}

const struct check check_lost_update = {slug, "C65", "concurrency",
                                        "each acknowledged change is there at the end", judge};
