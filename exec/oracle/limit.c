/* Measures what a stated limit is about; see limit.h. Only what was really seen counts: files by a witness, memory and processes by
 * the kernel's figures, output by its bytes. So a limit may be passed unseen, and none that held is said to be passed.
 *
 * Each row measures one observation, or the whole session where the index is the count of observations; 0: nothing was seen. */
#include "exec/oracle/limit.h"

#include "exec/oracle/effect.h"

enum {
    MS = 1000000,
    SLOW_PART = 8, /* of a call's time, that no other may take: else the machine is slow */
    MARGIN_PART = 8 /* of the limit: page sizes, 1000 or 1024, a line that says where it was cut */
};

static uint64_t memory_at(const struct execution *e, size_t i)
{
    const struct snapshot *z = &e->at_end;
    if (i < e->count)
        return e->observations[i].usage.rss;
    return z->made ? z->pss : 0; /* pages that are shared are counted once */
}

static uint64_t processes_at(const struct execution *e, size_t i)
{
    const struct snapshot *z = &e->at_end;
    return i == e->count && z->made && z->processes > z->zombies ? z->processes - z->zombies : 0;
}

static uint64_t output_at(const struct execution *e, size_t i)
{
    static const char *const results[] = {"stdout", "stderr", "content"};
    uint64_t bytes = 0;
    bool present;
    for (size_t k = 0; i < e->count && k < sizeof results / sizeof *results; k++)
        bytes += observation_result(&e->observations[i], results[k], &present).len;
    return bytes;
}

/* The file that a step says it has made or changed, as a witness saw it afterwards; NULL: none. */
static const struct file_view *stored(const struct execution *e, size_t i, struct bytes *path)
{
    const struct file_view *before, *after;
    const struct observation *o = &e->observations[i];
    bool makes = made_path(o, path, &before, &after);
    if (!makes || !observation_claims(o) || observation_is(o, "link") || after->by == WITNESS_NONE || after->kind != 'f')
        return NULL;
    return after;
}

static uint64_t file_at(const struct execution *e, size_t i)
{
    struct bytes path;
    const struct file_view *v = i < e->count ? stored(e, i, &path) : NULL;
    return v ? v->size : 0;
}

/* Something after step i may have made this file smaller, or taken it away. */
static bool touched_later(const struct execution *e, size_t i, size_t until, struct bytes path)
{
    for (size_t k = i + 1; k <= until; k++)
        if (observation_touches(&e->observations[k], path))
            return true;
    return false;
}

static uint64_t disk_at(const struct execution *e, size_t i)
{
    struct bytes path;
    uint64_t sum = 0;
    if (i >= e->count || !stored(e, i, &path))
        return 0;
    for (size_t k = 0; k <= i; k++) {
        const struct file_view *v = stored(e, k, &path);
        sum += v && !touched_later(e, k, i, path) ? v->size : 0;
    }
    return sum;
}

/* The machine was quick for all else. */
static bool alone_slow(const struct execution *e, size_t i)
{
    int64_t most = e->observations[i].outcome.ns / SLOW_PART;
    for (size_t k = 0; k < e->count; k++)
        if (k != i && !observation_is(&e->observations[k], "idle") && e->observations[k].outcome.ns > most)
            return false;
    return e->count > 1 && e->control.made && e->control.answered;
}

static uint64_t time_at(const struct execution *e, size_t i)
{
    const struct observation *o = i < e->count ? &e->observations[i] : NULL;
    bool counts = o && (observation_claims(o) || o->outcome.class == OUTCOME_TIMEOUT) && !observation_is(o, "idle") && !o->in_group &&
                  !o->outcome.by_us && !o->outcome.fault;
    return counts && alone_slow(e, i) ? (uint64_t)(o->outcome.ns / MS) : 0;
}

static const struct row {
    enum policy_limit limit;
    uint64_t (*at)(const struct execution *e, size_t i);
    enum effect effect;
    const char *op; /* of the signature; NULL: the step's own. What all steps share is one finding and not one an op. */
    const char *detail, *words;
} rows[] = {
    {POLICY_MEMORY, memory_at, EFFECT_WRONG, "session", "more memory is in use than the policy states", "bytes resident"},
    {POLICY_PROCESSES, processes_at, EFFECT_WRONG, "session", "more processes are alive than the policy states", "processes alive"},
    {POLICY_OUTPUT, output_at, EFFECT_NONE, NULL, "more is given back than the policy states", "bytes in one reply"},
    {POLICY_FILE_SIZE, file_at, EFFECT_WRONG, "write", "a file is bigger than the policy states", "bytes in one file"},
    {POLICY_CALL_TIMEOUT, time_at, EFFECT_NONE, NULL, "a call takes longer than the policy states", "ms for one call"},
    {POLICY_DISK, disk_at, EFFECT_WRONG, "write", "files are bigger together than the policy states", "bytes in files"},
};

static void say(const struct execution *e, struct verdicts *out, const char *slug, const struct row *row, size_t i, int64_t most)
{
    enum layer layer = layer_of(row->effect);
    const char *where = i < e->count ? e->observations[i].step->id : "the last step";
    judge_say_op(out, e, slug, i, row->op ? row->op : e->observations[i].step->op->name, row->effect, row->detail, row->detail,
                 arena_printf(out->arena, "after %s there were %llu %s, and the policy states %lld as the most; nothing was refused -> %s",
                              where, (unsigned long long)row->at(e, i), row->words, (long long)most, layer_name(layer)));
}

void limit_report(const struct execution *e, struct verdicts *out, const char *slug, enum policy_limit limit)
{
    int64_t most;
    const struct row *row = rows;
    while (row->limit != limit)
        row++;
    if (!policy_limits(e->policy, limit, &most))
        return;
    for (size_t i = 0; i <= e->count; i++)
        if (row->at(e, i) > (uint64_t)(most + most / MARGIN_PART)) {
            say(e, out, slug, row, i, most);
            return;
        }
}
