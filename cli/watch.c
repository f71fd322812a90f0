/* Progress for people (a view that is redrawn on a terminal, a plain line now and then elsewhere), for programs (--json: events) and for
 * those who look later (--stats, --series, --metrics). Texts that came from a target are made harmless before they reach a terminal. */
#include "cli/watch.h"
#include "cli/watch_left.h"

#include "base/clock.h"
#include "base/redact.h"
#include "cli/observe_options.h"
#include "cli/verbs.h"
#include "cli/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAIN_EVERY_MS = 10000, LABEL_MAX = 40, PAGE_COLUMNS = 110, PAGE_ROWS = 48, TEXT_MAX = 16 << 20 };

const struct cli_option options_watch[] = {
    {"json", 0, NULL, "events as JSON Lines on standard output (docs/events.md)"},
    {"quiet", 'q', NULL, "no status line, no live view"},
    {"stats", 0, "FILE", "keep what there is to know of the run in this file, as 'key : value' lines (docs/events.md)"},
    {"series", 0, "FILE", "append a row of CSV now and then; a later run goes on in the same file"},
    {"metrics", 0, "[ADDR:]PORT", "serve /metrics for Prometheus there, and a page at /; on this machine's own addresses only"},
    {"metrics-open", 0, NULL, "--metrics on an address that other machines reach too; anybody there may read it"},
    {0},
};

/* ---- the terminal ---- */

static void draw(struct watch *w)
{
    struct buf lines;
    unsigned columns, rows;
    if (!w->terminal || !w->figures.verb)
        return;
    buf_init(&lines, 1 << 16);
    screen_size(&w->screen, &columns, &rows);
    unsigned count = view_compose(&w->figures, columns, rows, &lines);
    screen_show(&w->screen, buf_bytes(&lines), count);
    buf_release(&lines);
}

/* Somebody else has a line for standard error. */
static void before_notice(void *user)
{
    struct watch *w = user;
    pthread_mutex_lock(&w->lock);
    screen_hide(&w->screen);
}

static void after_notice(void *user)
{
    struct watch *w = user;
    draw(w);
    pthread_mutex_unlock(&w->lock);
}

/* A line on standard output, above the view. With the lock. */
static void print_above(struct watch *w, struct bytes line)
{
    screen_hide(&w->screen);
    cli_out(w->verb, line);
    cli_out_flush(w->verb);
    draw(w);
}

/* ---- begin ---- */

int watch_open(struct watch *w, const struct verb *v, const struct cli_args *args, const struct settings *settings)
{
    struct error *err = NULL;
    const char *metrics = cli_value(args, "metrics");
    *w = (struct watch){.verb = v};
    pthread_mutex_init(&w->lock, NULL);
    w->json = cli_flag(args, "json");
    w->quiet = cli_flag(args, "quiet");
    w->last_plain_ms = clock_monotonic_ns() / 1000000;
    if (!w->json && !w->quiet)
        screen_init(&w->screen, STDERR_FILENO, &w->hurry);
    w->terminal = w->screen.on;
    if (stats_open(&w->stats, cli_value(args, "stats"), cli_value(args, "series"), settings_int(settings, "stats.interval"), &err) < 0)
        return cli_fail(v, err);
    if (metrics && metrics_open(metrics, cli_flag(args, "metrics-open"), &w->metrics, &err) < 0) {
        error_wrap(&err, "--metrics");
        return cli_fail(v, err);
    }
    return 0;
}

void watch_release(struct watch *w)
{
    cli_around_notices(NULL, NULL, NULL);
    screen_release(&w->screen);
    stats_close(&w->stats);
    metrics_close(w->metrics);
    figures_release(&w->figures);
    free(w->skips.items);
    free(w->left.items);
    for (size_t i = 0; i < w->finding_count; i++)
        free(w->findings[i]);
    free(w->findings);
    pthread_mutex_destroy(&w->lock);
}

void watch_list_add(struct watch_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!strcmp(list->items[i].name, name)) {
            list->items[i].count++;
            return;
        }
    }
    list->items = xrealloc(list->items, (list->count + 1) * sizeof *list->items);
    struct watch_count *item = &list->items[list->count++];
    snprintf(item->name, sizeof item->name, "%s", name);
    item->count = 1;
}

/* ---- figures ---- */

static void take_findings(struct watch *w)
{
    figures_findings_clear(&w->figures);
    for (size_t i = 0; i < w->finding_count; i++)
        figures_finding(&w->figures, &w->findings[i]->known);
}

/* Figures go to places that cli_out does not see, and lines of the view are cut: their texts are without secrets from the start. `out` may
 * be the text. */
static void without_secrets(const char *text, char *out, size_t size)
{
    struct buf clean;
    buf_init(&clean, 1 << 20);
    redact_into(cli_secrets(), bytes_of_string(text), NULL, REDACT_CUT_BACK, &clean);
    snprintf(out, size, "%s", buf_string(&clean));
    buf_release(&clean);
}

static void take_identity(struct watch *w)
{
    without_secrets(target_spec(w->target), w->label, sizeof w->label);
    without_secrets(target_identity(w->target), w->identity, sizeof w->identity);
    w->figures.target = w->label;
    w->figures.identity = w->identity;
}

static void take_figures(struct watch *w, const struct loop_progress *p)
{
    figures_progress(&w->figures, p);
    without_secrets(w->figures.last_title, w->figures.last_title, sizeof w->figures.last_title);
    take_findings(w);
    figures_yields_take(&w->figures, w->store);
    figures_sizes(&w->figures);
    take_identity(w);
}

static void serve(struct watch *w)
{
    struct buf text, clean, page;
    if (!w->metrics)
        return;
    buf_init(&text, TEXT_MAX);
    buf_init(&clean, TEXT_MAX);
    buf_init(&page, TEXT_MAX);
    figures_metrics(&w->figures, &text);
    redact_into(cli_secrets(), buf_bytes(&text), NULL, REDACT_WHOLE, &clean);
    buf_clear(&text);
    view_page(&w->figures, PAGE_COLUMNS, PAGE_ROWS, &text);
    redact_into(cli_secrets(), buf_bytes(&text), NULL, REDACT_WHOLE, &page);
    metrics_put(w->metrics, buf_bytes(&clean), buf_bytes(&page));
    buf_release(&text);
    buf_release(&clean);
    buf_release(&page);
}

/* A disk that is full now may have room later: said once, and tried again. */
static void keep_stats(struct watch *w)
{
    struct error *err = NULL;
    bool failed = stats_write(&w->stats, &w->figures, &err) < 0;
    if (failed && !w->stats_failed) {
        screen_hide(&w->screen);
        cli_fail(w->verb, err);
    } else {
        error_free(err);
    }
    w->stats_failed = failed;
}

void watch_begin(struct watch *w, const struct watched *watched)
{
    pthread_mutex_lock(&w->lock);
    w->target = watched->target;
    w->store = watched->store;
    struct figures *f = &w->figures;
    f->verb = w->verb->name;
    f->command = watched->command;
    f->db = watched->db;
    take_identity(w);
    f->metrics = w->metrics ? metrics_url(w->metrics) : NULL;
    f->run = watched->run;
    f->workers = watched->workers;
    f->start_ms = clock_wall_ms();
    f->last_feature_ms = f->last_finding_ms = -1;
    figures_yields_begin(f, w->store);
    figures_sizes(f);
    keep_stats(w);
    serve(w);
    pthread_mutex_unlock(&w->lock);
    cli_around_notices(before_notice, after_notice, w);
    if (w->metrics && !w->quiet)
        cli_notice(w->verb, "figures at %smetrics", metrics_url(w->metrics));
    pthread_mutex_lock(&w->lock);
    draw(w);
    pthread_mutex_unlock(&w->lock);
}

void watch_answered(void *user)
{
    struct watch *w = user;
    if (w->observers && !w->quiet)
        cli_say_observers(w->verb, w->observers);
}

static void print_plain(struct watch *w)
{
    const struct figures *f = &w->figures;
    int64_t now = clock_monotonic_ns() / 1000000;
    if (now - w->last_plain_ms < PLAIN_EVERY_MS)
        return;
    w->last_plain_ms = now;
    fprintf(stderr, "%.*s  %lld s  %lld tasks  %.1f/s  corpus %lld  features %lld  findings %lld (%lld interface, %lld sandbox)", LABEL_MAX,
            f->target, (long long)(f->elapsed_ms / 1000), (long long)f->executions, f->rate, (long long)f->corpus, (long long)f->features,
            (long long)f->findings, (long long)f->interface, (long long)f->sandbox);
    if (f->gone_ms >= FIGURES_GONE_MS)
        fprintf(stderr, "  the target cannot be started for %lld s", (long long)(f->gone_ms / 1000));
    fputc('\n', stderr);
}

void watch_progress(void *user, const struct loop_progress *p)
{
    struct watch *w = user;
    pthread_mutex_lock(&w->lock);
    take_figures(w, p);
    serve(w);
    if (stats_due(&w->stats, p->elapsed_ms))
        keep_stats(w);
    if (w->json)
        watch_event_progress(w, false);
    else if (w->terminal)
        draw(w);
    else if (!w->quiet)
        print_plain(w);
    pthread_mutex_unlock(&w->lock);
}

/* ---- findings ---- */

static struct watch_finding *remember(struct watch *w, const struct finding *f)
{
    for (size_t i = 0; i < w->finding_count; i++)
        if (!strcmp(w->findings[i]->signature, f->signature))
            return w->findings[i];
    w->findings = xrealloc(w->findings, (w->finding_count + 1) * sizeof *w->findings);
    struct watch_finding *item = w->findings[w->finding_count++] = xcalloc(1, sizeof *item);
    snprintf(item->signature, sizeof item->signature, "%s", f->signature);
    snprintf(item->layer, sizeof item->layer, "%s", f->layer);
    snprintf(item->primitive, sizeof item->primitive, "%s", f->primitive);
    item->known = (struct fail_case){
        .state = FINDING_NEW,
        .layer = item->layer,
        .primitive = item->primitive,
        .note = detail_is_note(f->detail),
        .fresh = f->n_run > 0, /* else it is told with the state that an earlier run had settled */
    };
    return item;
}

/* Titles are ours but may quote a target. */
void watch_harmless(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 32 || *text == 127)
            buf_addf(out, "\\x%02x", (unsigned char)*text);
        else
            buf_add_byte(out, (uint8_t)*text);
    }
}

static void print_finding(struct watch *w, const struct finding *f)
{
    struct buf line;
    buf_init(&line, 1 << 16);
    buf_addf(&line, "%-9s ", finding_state_name(f->state));
    if (f->n_run)
        buf_addf(&line, "%d of %d ", f->n_failed, f->n_run);
    else
        buf_add_string(&line, "again  "); /* an earlier run has tried it */
    buf_addf(&line, " %-9s %-11s %.8s  ", f->layer, f->primitive, f->signature);
    watch_harmless(&line, f->title);
    buf_add_string(&line, f->client_illegal ? " (no client may send it)\n" : "\n");
    print_above(w, buf_bytes(&line));
    buf_release(&line);
}

void watch_finding(void *user, const struct finding *f)
{
    struct watch *w = user;
    if (f->state == FINDING_NEW)
        return; /* said once it is confirmed, flaky or not */
    pthread_mutex_lock(&w->lock);
    struct fail_case *known = &remember(w, f)->known;
    bool news = known->state != f->state;
    known->state = f->state;
    known->client_illegal = f->client_illegal;
    known->suppressed = suppression_of(w->suppress, f, clock_wall_ms());
    take_findings(w);
    if (w->json)
        watch_event_finding(w, f, known);
    else if (news && !known->suppressed && (f->state == FINDING_CONFIRMED || f->state == FINDING_FLAKY || f->state == FINDING_REGRESSED))
        print_finding(w, f);
    pthread_mutex_unlock(&w->lock);
}

/* What a task came to: why it failed, or what it left. Only run says it; in a fuzz hostile tasks do both all the time. */
static void print_outcome(struct watch *w, const char *name, const struct task *t, const char *why, const struct execution *left)
{
    if (w->json) {
        watch_event_outcome(w, name, t, why, left);
        return;
    }
    struct buf line;
    buf_init(&line, 1 << 16);
    buf_addf(&line, "%-9s %.8s  %s/%s%s: ", name, t->id, t->domain, t->workflow, t->mutations->count ? " (hostile)" : "");
    watch_harmless(&line, why);
    buf_add_byte(&line, '\n');
    print_above(w, buf_bytes(&line));
    buf_release(&line);
}

void watch_executed(void *user, const struct task *t, const struct execution *e, const char *why_failed)
{
    struct watch *w = user;
    pthread_mutex_lock(&w->lock);
    if (!e->executed && e->skip_reason)
        watch_list_add(&w->skips, e->skip_reason);
    if (why_failed && w->verb == &verb_run)
        print_outcome(w, "failed", t, why_failed, NULL);
    for (size_t i = 0; i < e->leftover_count; i++)
        if (!e->leftovers[i].calm)
            watch_list_add(&w->left, leftover_kind_name(e->leftovers[i].kind));
    if (watch_left_any(e) && w->verb == &verb_run) {
        struct buf text;
        buf_init(&text, 1 << 16);
        watch_left_text(e, &text);
        print_outcome(w, "left", t, buf_string(&text), e);
        buf_release(&text);
    }
    pthread_mutex_unlock(&w->lock);
}

bool watch_found(const struct watch *w, const struct fail_on *fail)
{
    for (size_t i = 0; i < w->finding_count; i++)
        if (fail_on_counts(fail, &w->findings[i]->known))
            return true;
    return false;
}

int watch_end(struct watch *w, const struct loop_progress *total)
{
    pthread_mutex_lock(&w->lock);
    take_figures(w, total);
    w->figures.ended = true;
    screen_hide(&w->screen);
    w->terminal = false;
    keep_stats(w);
    serve(w);
    if (w->json)
        watch_event_progress(w, true);
    else if (!cli_out_closed())
        watch_summary(w, total);
    pthread_mutex_unlock(&w->lock);
    return w->stats_failed ? EXIT_UNUSABLE : 0;
}
