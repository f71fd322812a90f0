/* Words about targets side by side that the formats share. */
#include "corpus/report/report_internal.h"

#include <inttypes.h>

/* The heavier part of what went wrong under it, on all targets. */
struct weight {
    int64_t first, second;
};

static struct weight weight_of(const struct report_sides *s, const struct report_load *l, enum report_what what)
{
    struct weight w = {0};
    for (size_t i = 0; i < s->count; i++) {
        const struct report_tally *t = &l->by_side[i];
        w.first += what == REPORT_FAILED ? t->failed : t->perished;
        w.second += what == REPORT_FAILED ? 0 : t->crashed;
    }
    return w;
}

/* Behind all that weigh as much or more. */
static void insert(const struct report_sides *s, const struct report_load **list, size_t count, const struct report_load *l, enum report_what what)
{
    struct weight own = weight_of(s, l, what);
    size_t at = count;
    while (at > 0) {
        struct weight before = weight_of(s, list[at - 1], what);
        if (before.first > own.first || (before.first == own.first && before.second >= own.second))
            break;
        list[at] = list[at - 1];
        at--;
    }
    list[at] = l;
}

const struct report_load **report_worst(const struct report_sides *s, const struct report_loads *loads, enum report_what what, struct arena *a,
                                        size_t *count)
{
    const struct report_load **list = arena_alloc(a, (loads->count + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < loads->count; i++) {
        struct weight w = weight_of(s, &loads->items[i], what);
        if (w.first || w.second)
            insert(s, list, (*count)++, &loads->items[i], what);
    }
    return list;
}

bool report_any_hurt(const struct report_sides *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].all.perished || s->items[i].all.crashed)
            return true;
    return false;
}

void report_times(struct buf *out, int64_t times)
{
    if (times == 1)
        buf_add_string(out, "once");
    else
        buf_addf(out, "%" PRId64 " times", times);
}

void report_percent(struct buf *out, int64_t part, int64_t whole)
{
    if (whole > 0)
        buf_addf(out, "%.3g%%", 100.0 * (double)part / (double)whole);
    else
        buf_add_byte(out, '-');
}

void report_perished_of(struct buf *out, const struct report_tally *t)
{
    if (t->known)
        buf_addf(out, "%" PRId64 " of %" PRId64, t->perished, t->known);
    else
        buf_add_byte(out, '-');
}

static const char *words_of(enum execution_ending ending)
{
    static const char *const words[] = {
        [ENDING_WELL] = "ended well after",
        [ENDING_TIMED_OUT] = "timed out at",
        [ENDING_PAGE_CRASHED] = "page crashed after",
        [ENDING_REFUSING] = "of no use after",
        [ENDING_SILENT] = "silent after",
        [ENDING_LOST] = "lost after",
        [ENDING_OUT_OF_MEMORY] = "out of memory at",
        [ENDING_DIED] = "died at",
    };
    return words[ending];
}

void report_causes(struct buf *out, const struct report_tally *t, size_t most)
{
    size_t shown = 0;
    int64_t more = 0;
    for (size_t i = 0; i < t->cause_count; i++) {
        const struct report_cause *c = &t->causes[i];
        if (c->ending < ENDING_PAGE_CRASHED)
            continue;
        if (shown == most) {
            more += c->count;
            continue;
        }
        buf_addf(out, "%s%" PRId64 " %s ", shown++ ? ", " : "", c->count, words_of(c->ending));
        report_safe(out, bytes_of_string(*c->op ? c->op : "the start"), false);
    }
    if (more)
        buf_addf(out, ", %" PRId64 " more", more);
}

void report_failures(struct buf *out, const struct report_failures *f)
{
    if (f->confirmed)
        buf_addf(out, "%zu", f->confirmed);
    if (f->flaky)
        buf_addf(out, f->confirmed ? " +%zu flaky" : "%zu flaky", f->flaky);
    if (f->untried)
        buf_addf(out, f->confirmed || f->flaky ? " +%zu new" : "%zu new", f->untried);
    if (!f->confirmed && !f->flaky && !f->untried)
        buf_add_byte(out, '-');
}

void report_passed(struct buf *out, const struct report_tally *t)
{
    buf_addf(out, "%" PRId64 " of %" PRId64 " %s passed", t->passed, t->ran, t->ran == 1 ? "task" : "tasks");
    if (!t->ran)
        return;
    buf_add_string(out, " (");
    report_percent(out, t->passed, t->ran);
    double ms = (double)t->ns / 1e6 / (double)t->ran;
    buf_addf(out, ms < 1000 ? "), %.3g ms a task" : "), %.3g s a task", ms < 1000 ? ms : ms / 1000);
}

void report_side_words(struct buf *out, const struct report_side *side)
{
    const struct store_side *of = side->of;
    buf_addf(out, "%" PRId64 " %s, ", of->runs, of->runs == 1 ? "run" : "runs");
    report_time(out, of->first_ms);
    if (of->last_ms != of->first_ms) {
        buf_add_string(out, " to ");
        report_time(out, of->last_ms);
    }
    if (of->runs_open)
        buf_addf(out, "; %" PRId64 " of them not ended, or killed", of->runs_open);
    if (side->all.spoiled)
        buf_addf(out, "; %" PRId64 " %s spoiled by this machine", side->all.spoiled, side->all.spoiled == 1 ? "task" : "tasks");
    if (of->refused)
        buf_addf(out, "; %" PRId64 " %s could not be had", of->refused, of->refused == 1 ? "session" : "sessions");
}

void report_perished_words(struct buf *out, const struct report_sides *s)
{
    int64_t ran = 0, known = 0, hurt = 0;
    for (size_t i = 0; i < s->count; i++) {
        ran += s->items[i].all.ran;
        known += s->items[i].all.known;
        hurt += s->items[i].all.perished + s->items[i].all.crashed;
    }
    if (known && !hurt)
        buf_addf(out, "No session perished in %" PRId64 " %s.", known, known == 1 ? "run of a task" : "runs of tasks");
    if (ran > known)
        buf_addf(out, "%sOf %" PRId64 " %s nobody wrote down how they ended; they are not counted here.", known && !hurt ? " " : "", ran - known,
                 ran - known == 1 ? "run" : "runs");
}
