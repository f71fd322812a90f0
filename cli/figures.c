/* The record of a campaign's figures: its rows, and how it is taken. See figures.h. Printing is in figures_text.c, figures_metrics.c
 * and figures_event.c. */
#include "cli/figures.h"

#include "base/fs.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHOLE(member) false, offsetof(struct figures, member)
#define REAL(member) true, offsetof(struct figures, member)

static const struct figure_row rows[] = {
    {"elapsed_ms", FIGURE_GAUGE, WHOLE(elapsed_ms), "since the first session"},
    {"executions", FIGURE_COUNTER, WHOLE(executions), "tasks run"},
    {"executed", FIGURE_COUNTER, WHOLE(executed), "tasks of which every step reached the target"},
    {"passed", FIGURE_COUNTER, WHOLE(passed), "tasks that did what they should"},
    {"failed", FIGURE_COUNTER, WHOLE(failed), "tasks that did not; for a mutated one that is no finding"},
    {"skipped", FIGURE_COUNTER, WHOLE(skipped), "tasks that need what the target does not have"},
    {"harness", FIGURE_COUNTER, WHOLE(harness), "tasks that this machine could not run as it should"},
    {"given", FIGURE_COUNTER, WHOLE(given), "tasks of files and of standard input"},
    {"generated", FIGURE_COUNTER, WHOLE(generated), "tasks made of templates and of tools' schemas"},
    {"mutated", FIGURE_COUNTER, WHOLE(mutated), "tasks made of a kept one"},
    {"spliced", FIGURE_COUNTER, WHOLE(spliced), "tasks made of two kept ones"},
    {"calls", FIGURE_COUNTER, WHOLE(calls), "steps that were sent"},
    {"rate", FIGURE_GAUGE, REAL(rate), "tasks a second, of the last few seconds; at the end of all"},
    {"rate_mean", FIGURE_GAUGE, REAL(rate_mean), "tasks a second, of all the time"},
    {"call_rate", FIGURE_GAUGE, REAL(call_rate), "steps sent a second, of the last few seconds; at the end of all"},
    {"call_rate_mean", FIGURE_GAUGE, REAL(call_rate_mean), "steps sent a second, of all the time"},
    {"features", FIGURE_COUNTER, WHOLE(features), "features that the database did not know, and that showed again"},
    {"corpus", FIGURE_COUNTER, WHOLE(corpus), "tasks that showed some, and became members of the corpus"},
    {"stability", FIGURE_GAUGE, REAL(stability), "share of the features ever shown, in all runs, that showed again"},
    {"again", FIGURE_COUNTER, WHOLE(again), "sessions in which a task was run again for what was new about it"},
    {"last_feature_ms", FIGURE_GAUGE, WHOLE(last_feature_ms), "elapsed_ms at the newest feature; -1: none yet"},
    {"last_finding_ms", FIGURE_GAUGE, WHOLE(last_finding_ms), "elapsed_ms at the newest finding; -1: none yet"},
    {"gone_ms", FIGURE_GAUGE, WHOLE(gone_ms), "since no session of the target can be had; 0: it can"},
    {"findings", FIGURE_DERIVED, WHOLE(findings), "findings that are confirmed, flaky or regressed, and not suppressed"},
    {"confirmed", FIGURE_DERIVED, WHOLE(confirmed), "of these: confirmed"},
    {"flaky", FIGURE_DERIVED, WHOLE(flaky), "of these: flaky"},
    {"regressed", FIGURE_DERIVED, WHOLE(regressed), "of these: were fixed once"},
    {"sandbox", FIGURE_DERIVED, WHOLE(sandbox), "of these: in the layer sandbox"},
    {"interface", FIGURE_DERIVED, WHOLE(interface), "of these: in the layer interface"},
    {"undecided", FIGURE_DERIVED, WHOLE(undecided), "of these: in neither, as nobody could look"},
    {"notes", FIGURE_GAUGE, WHOLE(notes), "of these: notes"},
    {"client_illegal", FIGURE_GAUGE, WHOLE(client_illegal), "of these: only seen after what no client may send"},
    {"unconfirmed", FIGURE_DERIVED, WHOLE(unconfirmed), "findings that did not show again"},
    {"suppressed", FIGURE_GAUGE, WHOLE(suppressed), "findings that are suppressed, and counted nowhere else"},
    {"workers", FIGURE_GAUGE, WHOLE(workers), "sessions at a time"},
    {"memory_bytes", FIGURE_GAUGE, WHOLE(memory), "resident memory of taskgen itself"},
    {"database_bytes", FIGURE_GAUGE, WHOLE(database), "size of the database, with its write-ahead log"},
};

const struct figure_row *figure_row_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

double figure_value(const struct figures *f, const struct figure_row *row)
{
    const void *at = (const char *)f + row->offset;
    return row->real ? *(const double *)at : (double)*(const int64_t *)at;
}

const char *figures_kind_name(enum figures_kind kind)
{
    static const char *const names[] = {
        [FIGURES_SOURCE] = "source", [FIGURES_DOMAIN] = "domain", [FIGURES_MUTATOR] = "mutator"};
    return names[kind];
}

void figures_progress(struct figures *f, const struct loop_progress *p)
{
    f->elapsed_ms = p->elapsed_ms;
    f->gone_ms = p->gone_ms;
    f->executions = p->executions;
    f->executed = p->executed;
    f->passed = p->passed;
    f->failed = p->failed;
    f->skipped = p->skipped;
    f->harness = p->harness;
    f->given = p->given;
    f->generated = p->generated;
    f->mutated = p->mutated;
    f->spliced = p->spliced;
    f->calls = p->calls;
    f->again = p->again;
    f->features = p->features;
    f->corpus = p->corpus;
    f->last_feature_ms = p->last_feature_ms;
    f->last_finding_ms = p->last_finding_ms;
    f->rate = p->rate;
    f->call_rate = p->call_rate;
    double seconds = (double)p->elapsed_ms / 1000;
    f->rate_mean = seconds > 0 ? (double)p->executions / seconds : 0;
    f->call_rate_mean = seconds > 0 ? (double)p->calls / seconds : 0;
    f->end = p->end;
    if (p->last_title)
        snprintf(f->last_title, sizeof f->last_title, "%s", p->last_title);
}

/* ---- findings ---- */

void figures_findings_clear(struct figures *f)
{
    f->findings = f->confirmed = f->flaky = f->regressed = f->unconfirmed = 0;
    f->sandbox = f->interface = f->undecided = 0;
    f->notes = f->client_illegal = f->suppressed = 0;
    memset(f->by, 0, sizeof f->by);
}

static size_t layer_index(const char *layer)
{
    size_t i = 0;
    while (i < LAYER_UNDECIDED && strcmp(layer_name((enum layer)i), layer) != 0)
        i++;
    return i;
}

static size_t primitive_index(const char *primitive)
{
    size_t count, i = 0;
    const char *const *names = primitive_names(&count);
    while (i + 1 < count && strcmp(names[i], primitive) != 0)
        i++;
    return i;
}

void figures_finding(struct figures *f, const struct fail_case *c)
{
    if (c->suppressed) {
        f->suppressed++;
        return;
    }
    size_t layer = layer_index(c->layer);
    f->by[layer][primitive_index(c->primitive)][c->state]++;
    int64_t *states[FIGURES_STATES] = {[FINDING_CONFIRMED] = &f->confirmed, [FINDING_FLAKY] = &f->flaky, [FINDING_REGRESSED] = &f->regressed};
    if (!states[c->state]) {
        f->unconfirmed += c->state == FINDING_UNCONFIRMED;
        return;
    }
    int64_t *layers[FIGURES_LAYERS] = {
        [LAYER_INTERFACE] = &f->interface, [LAYER_SANDBOX] = &f->sandbox, [LAYER_UNDECIDED] = &f->undecided};
    ++*states[c->state];
    ++*layers[layer];
    f->findings++;
    f->notes += c->note;
    f->client_illegal += c->client_illegal;
}

/* ---- yields ---- */

double figures_per_second(const struct figures_yield *y)
{
    return y->ns > 0 ? (double)y->won * 1e9 / (double)y->ns : 0;
}

static int by_yield(const void *a, const void *b)
{
    const struct figures_yield *x = a, *y = b;
    double left = figures_per_second(x), right = figures_per_second(y);
    if (left != right)
        return left < right ? 1 : -1;
    return x->won != y->won ? (x->won < y->won ? 1 : -1) : strcmp(x->name, y->name);
}

static const struct figures_yield *yield_of(const struct figures_yields *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

/* What the store counts for a kind, less what `before` held; what was not tried since is left out. */
static void take_yields(struct figures_yields *list, const struct figures_yields *before, struct store *store, const char *kind)
{
    struct arena a;
    struct store_yield *counts = NULL;
    size_t count = 0;
    arena_init(&a);
    if (store_yields(store, kind, &a, &counts, &count, NULL) == 0) {
        list->items = xrealloc(list->items, (count + 1) * sizeof *list->items);
        list->count = 0;
        for (size_t i = 0; i < count; i++) {
            static const struct figures_yield none;
            const struct figures_yield *old = before ? yield_of(before, counts[i].name) : NULL;
            old = old ? old : &none;
            struct figures_yield *y = &list->items[list->count];
            *y = (struct figures_yield){
                .tried = counts[i].tried - old->tried, .won = counts[i].won - old->won, .ns = counts[i].ns - old->ns};
            snprintf(y->name, sizeof y->name, "%s", counts[i].name);
            list->count += y->tried > 0;
        }
        qsort(list->items, list->count, sizeof *list->items, by_yield);
    }
    arena_release(&a);
}

void figures_yields_begin(struct figures *f, struct store *store)
{
    for (int kind = 0; kind < FIGURES_KINDS; kind++)
        take_yields(&f->before[kind], NULL, store, figures_kind_name((enum figures_kind)kind));
}

void figures_yields_take(struct figures *f, struct store *store)
{
    struct store_domain all;
    store_domain(store, 0, &all, NULL); /* of a writer, which has it in memory */
    f->stability = all.features ? (double)all.stable / (double)all.features : 1;
    for (int kind = 0; kind < FIGURES_KINDS; kind++)
        take_yields(&f->yields[kind], &f->before[kind], store, figures_kind_name((enum figures_kind)kind));
}

void figures_release(struct figures *f)
{
    for (int kind = 0; kind < FIGURES_KINDS; kind++) {
        free(f->yields[kind].items);
        free(f->before[kind].items);
    }
}

/* ---- sizes ---- */

static int64_t resident_memory(void)
{
    struct buf text;
    long long pages = 0;
    buf_init(&text, 256);
    if (fs_read("/proc/self/statm", 256, &text, NULL) == 0)
        sscanf(buf_string(&text), "%*d %lld", &pages);
    buf_release(&text);
    return pages * sysconf(_SC_PAGESIZE);
}

static int64_t size_of(const char *file, const char *suffix)
{
    char path[4096];
    struct stat s;
    if (snprintf(path, sizeof path, "%s%s", file, suffix) >= (int)sizeof path || stat(path, &s) < 0)
        return 0;
    return (int64_t)s.st_size;
}

void figures_sizes(struct figures *f)
{
    f->memory = resident_memory();
    f->database = f->db ? size_of(f->db, "") + size_of(f->db, "-wal") : 0;
}
