/* Every finding again: in which order, until when, and what is said of the whole. */
#include "base/clock.h"
#include "base/json.h"
#include "cli/replay.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = FINDING_REGRESSED + 1, TICK_MS = 50 };

/* Sets `halt` when a signal came or the time is up, so that a session that is under way ends too. */
struct deadline {
    pthread_t thread;
    bool started;
    int64_t end_ms; /* monotonic; 0: none */
    atomic_int halt, over;
};

static int64_t now_ms(void)
{
    return clock_monotonic_ns() / 1000000;
}

static void *watch_time(void *argument)
{
    struct deadline *d = argument;
    while (!d->over) {
        if (*cli_stop() || (d->end_ms && now_ms() >= d->end_ms))
            d->halt = 1;
        clock_sleep_ms(TICK_MS);
    }
    return NULL;
}

static void deadline_begin(struct deadline *d, int64_t time_ms)
{
    *d = (struct deadline){.end_ms = time_ms ? now_ms() + time_ms : 0};
    d->started = pthread_create(&d->thread, NULL, watch_time, d) == 0;
}

static void deadline_end(struct deadline *d)
{
    d->over = 1;
    if (d->started)
        pthread_join(d->thread, NULL);
}

/* ---- order ---- */

static int by_wait(const void *a, const void *b)
{
    const struct finding *const *x = a, *const *y = b;
    if ((*x)->tested_ms != (*y)->tested_ms)
        return (*x)->tested_ms < (*y)->tested_ms ? -1 : 1;
    return *x < *y ? -1 : *x > *y; /* the worst first, as they came */
}

/* Worst first, as the store gives them. Where the time may not do for all of them those that have waited longest come first: so each has its
 * turn, however many nights that takes. */
static struct finding **in_order(const struct replay *r, struct finding *findings, size_t count)
{
    struct finding **list = xcalloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = &findings[i];
    if (r->time_ms)
        qsort(list, count, sizeof *list, by_wait);
    return list;
}

/* ---- the whole ---- */

struct tally {
    int64_t moved[STATES][STATES]; /* from, to */
    int64_t tried, failed, counted, untried, not_reached;
    int status;                    /* the worst of what went wrong beside findings */
    bool broken;                   /* the database cannot be written any more: going on is of no use */
    const char **gone;             /* targets that cannot be had, each once */
    size_t gone_count;
};

/* One that the options name is that of all findings. */
static const char *target_of(const struct replay *r, const struct finding *f)
{
    bool given = cli_value(r->args, "target") || cli_value(r->args, "mcp-config") || r->args->command;
    return given ? "" : f->target;
}

static bool is_gone(const struct tally *t, const char *target)
{
    for (size_t i = 0; i < t->gone_count; i++)
        if (strcmp(t->gone[i], target) == 0)
            return true;
    return false;
}

static void note_gone(struct tally *t, const char *target)
{
    t->gone = xrealloc(t->gone, (t->gone_count + 1) * sizeof *t->gone);
    t->gone[t->gone_count++] = target;
}

static void print_untried(const struct replay *r, const struct finding *f)
{
    struct arena a;
    if (!cli_flag(r->args, "json")) {
        printf("%.8s  not tried    %s\n", f->signature, f->text);
        return;
    }
    arena_init(&a);
    struct json *o = json_new(&a, JSON_OBJECT);
    json_set(&a, o, "event", json_text(&a, "untried"));
    json_set(&a, o, "signature", json_text(&a, f->signature));
    json_set(&a, o, "text", json_text(&a, f->text));
    json_set(&a, o, "state", json_text(&a, finding_state_name(f->state)));
    json_set(&a, o, "target", json_text(&a, f->target));
    replay_print_event(r, o);
    arena_release(&a);
}

static void note_trouble(const struct replay *r, struct tally *t, const struct finding *f, const struct replayed *came)
{
    if (came->outcome == REPLAY_HALTED) {
        t->not_reached++;
        return;
    }
    t->untried++;
    print_untried(r, f);
    if (came->outcome == REPLAY_LACKS)
        return; /* what the options leave out is no trouble */
    t->status = came->status > t->status ? came->status : t->status;
    t->broken = came->outcome == REPLAY_FAILED && came->status == EXIT_UNUSABLE;
    if (came->target_gone)
        note_gone(t, target_of(r, f));
}

static void take(const struct replay *r, struct tally *t, const struct finding *f)
{
    if (*r->halt || *cli_stop() || t->broken) {
        t->not_reached++;
        return;
    }
    if (is_gone(t, target_of(r, f))) {
        t->untried++;
        print_untried(r, f);
        return;
    }
    struct replayed came = replay_one(r, f);
    if (came.outcome != REPLAY_TRIED) {
        note_trouble(r, t, f, &came);
        return;
    }
    t->tried++;
    t->failed += came.n_failed > 0;
    t->counted += came.counts;
    t->moved[came.was][came.is]++;
}

/* The worst first, as in reports. */
static const enum finding_state order[STATES] = {FINDING_REGRESSED, FINDING_CONFIRMED, FINDING_FLAKY, FINDING_NEW, FINDING_UNCONFIRMED, FINDING_FIXED};

static void print_words(const struct tally *t, int64_t count, int64_t elapsed_ms)
{
    printf("\n%lld of %lld findings tried in %.1f s, %lld still fail\n", (long long)t->tried, (long long)count, (double)elapsed_ms / 1000,
           (long long)t->failed);
    for (int is = 0; is < STATES; is++)
        for (int was = 0; was < STATES; was++) {
            long long moved = (long long)t->moved[order[was]][order[is]];
            if (moved && order[was] == order[is])
                printf("  %-11s as before    %6lld\n", finding_state_name(order[is]), moved);
            else if (moved)
                printf("  %-11s %-12s %6lld\n", finding_state_name(order[is]),
                       order[was] == FINDING_NEW ? "was new" : finding_state_name(order[was]), moved);
        }
    if (t->untried)
        printf("not tried, and left as they are: %lld\n", (long long)t->untried);
    if (t->not_reached)
        printf("no time for: %lld; with --time the next replay begins with what has waited longest\n", (long long)t->not_reached);
}

static void print_event(const struct replay *r, const struct tally *t, int64_t count, int64_t elapsed_ms)
{
    struct arena a;
    arena_init(&a);
    struct json *o = json_new(&a, JSON_OBJECT);
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {{"findings", count},       {"tried", t->tried},           {"failed", t->failed},        {"counted", t->counted},
                {"untried", t->untried}, {"not_reached", t->not_reached}, {"elapsed_ms", elapsed_ms}};
    json_set(&a, o, "event", json_text(&a, "summary"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_set(&a, o, rows[i].name, json_integer(&a, rows[i].value));
    struct json *list = json_set(&a, o, "moved", json_new(&a, JSON_ARRAY));
    for (int is = 0; is < STATES; is++)
        for (int was = 0; was < STATES; was++) {
            if (!t->moved[order[was]][order[is]])
                continue;
            struct json *row = json_add(list, json_new(&a, JSON_OBJECT));
            json_set(&a, row, "was", json_text(&a, finding_state_name(order[was])));
            json_set(&a, row, "state", json_text(&a, finding_state_name(order[is])));
            json_set(&a, row, "count", json_integer(&a, t->moved[order[was]][order[is]]));
        }
    replay_print_event(r, o);
    arena_release(&a);
}

int replay_all(struct replay *r, struct finding *findings, size_t count)
{
    struct tally t = {0};
    struct deadline d;
    struct finding **list = in_order(r, findings, count);
    int64_t start_ms = now_ms();
    deadline_begin(&d, r->time_ms);
    r->halt = &d.halt;
    for (size_t i = 0; i < count; i++)
        take(r, &t, list[i]);
    deadline_end(&d);
    if (cli_flag(r->args, "json"))
        print_event(r, &t, (int64_t)count, now_ms() - start_ms);
    else
        print_words(&t, (int64_t)count, now_ms() - start_ms);
    free(list);
    free(t.gone);
    if (t.counted && !t.broken)
        return EXIT_FOUND;
    return t.status && t.tried ? EXIT_UNUSABLE : t.status;
}
