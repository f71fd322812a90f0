/* Progress for people (a line that is rewritten on a terminal, a plain line now and then elsewhere) and for programs
 * (--json: one event object a line on standard output). Texts that came from a target are made harmless before they
 * reach a terminal. */
#include "cli/watch.h"
#include "cli/watch_left.h"

#include "base/clock.h"
#include "base/json.h"
#include "cli/verbs.h"
#include "exec/oracle/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAIN_EVERY_MS = 10000, LABEL_MAX = 40 };

void watch_init(struct watch *w, const struct verb *v, const struct cli_args *args, const char *label)
{
    *w = (struct watch){.verb = v, .label = label};
    w->json = cli_flag(args, "json");
    w->quiet = cli_flag(args, "quiet");
    w->terminal = isatty(STDERR_FILENO) && !w->json;
    w->last_plain_ms = clock_monotonic_ns() / 1000000;
    pthread_mutex_init(&w->lock, NULL);
}

void watch_release(struct watch *w)
{
    free(w->skips.items);
    free(w->left.items);
    free(w->findings);
    pthread_mutex_destroy(&w->lock);
}

static void list_add(struct watch_list *list, const char *name)
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

static int by_count(const void *a, const void *b)
{
    const struct watch_count *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->name, y->name);
}

/* One event object, a line on standard output. */
static void print_event(const struct watch *w, const struct json *event)
{
    struct buf line;
    buf_init(&line, 1 << 24);
    json_write(&line, event, JSON_COMPACT);
    buf_add_byte(&line, '\n');
    cli_out(w->verb, buf_bytes(&line));
    cli_out_flush(w->verb);
    buf_release(&line);
}

static void progress_event(const struct watch *w, const struct loop_progress *p, const char *name)
{
    struct arena a;
    arena_init(&a);
    struct json *event = json_new(&a, JSON_OBJECT);
    json_set(&a, event, "event", json_text(&a, name));
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {
        {"elapsed_ms", p->elapsed_ms}, {"executions", p->executions}, {"executed", p->executed},
        {"passed", p->passed},         {"failed", p->failed},         {"skipped", p->skipped},
        {"harness", p->harness},       {"features", p->features},     {"corpus", p->corpus},
        {"findings", p->findings},     {"confirmed", p->confirmed},
        {"calls", p->calls},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_set(&a, event, rows[i].name, json_integer(&a, rows[i].value));
    json_set(&a, event, "rate", json_real(&a, p->rate));
    if (strcmp(name, "end") == 0)
        json_set(&a, event, "end", json_text(&a, loop_end_name(p->end)));
    print_event(w, event);
    arena_release(&a);
}

void watch_progress(void *user, const struct loop_progress *p)
{
    struct watch *w = user;
    pthread_mutex_lock(&w->lock);
    int64_t now = clock_monotonic_ns() / 1000000;
    if (w->json) {
        progress_event(w, p, "progress");
    } else if (!w->quiet && (w->terminal || now - w->last_plain_ms >= PLAIN_EVERY_MS)) {
        w->last_plain_ms = now;
        fprintf(stderr, "%s%.*s  %lld s  %lld tasks  %.1f/s  corpus %lld  features %lld  findings %lld (%lld interface, %lld sandbox)%s",
                w->terminal ? "\r\033[K" : "", LABEL_MAX, w->label, (long long)(p->elapsed_ms / 1000),
                (long long)p->executions, p->rate, (long long)p->corpus, (long long)p->features, (long long)p->findings,
                (long long)p->interface_findings, (long long)p->sandbox_findings, w->terminal ? "" : "\n");
        fflush(stderr);
    }
    pthread_mutex_unlock(&w->lock);
}

static struct watch_finding *remember(struct watch *w, const struct finding *f)
{
    for (size_t i = 0; i < w->finding_count; i++)
        if (!strcmp(w->findings[i].signature, f->signature))
            return &w->findings[i];
    w->findings = xrealloc(w->findings, (w->finding_count + 1) * sizeof *w->findings);
    struct watch_finding *item = &w->findings[w->finding_count++];
    *item = (struct watch_finding){.again = !f->n_run}; /* told with the rate of an earlier run, not one of its own */
    snprintf(item->signature, sizeof item->signature, "%s", f->signature);
    snprintf(item->layer, sizeof item->layer, "%s", f->layer);
    snprintf(item->primitive, sizeof item->primitive, "%s", f->primitive);
    item->note = detail_is_note(f->detail);
    item->state = FINDING_NEW;
    return item;
}

static void finding_event(const struct watch *w, const struct finding *f, bool suppressed)
{
    struct arena a;
    arena_init(&a);
    struct json *event = json_new(&a, JSON_OBJECT);
    const struct {
        const char *name, *value;
    } rows[] = {
        {"event", "finding"},   {"signature", f->signature}, {"state", finding_state_name(f->state)},
        {"layer", f->layer},    {"primitive", f->primitive}, {"check", f->check},
        {"op", f->op},          {"title", f->title},         {"evidence", f->evidence},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_set(&a, event, rows[i].name, json_text(&a, rows[i].value));
    json_set(&a, event, "n_failed", json_integer(&a, f->n_failed));
    json_set(&a, event, "n_run", json_integer(&a, f->n_run));
    json_set(&a, event, "client_illegal", json_bool(&a, f->client_illegal));
    json_set(&a, event, "suppressed", json_bool(&a, suppressed));
    print_event(w, event);
    arena_release(&a);
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

void watch_finding(void *user, const struct finding *f)
{
    struct watch *w = user;
    if (f->state == FINDING_NEW)
        return; /* said once it is confirmed, flaky or not */
    pthread_mutex_lock(&w->lock);
    struct watch_finding *known = remember(w, f);
    bool news = known->state != f->state;
    known->state = f->state;
    known->client_illegal = f->client_illegal;
    known->suppressed = suppression_of(w->suppress, f, clock_wall_ms());
    if (w->json) {
        finding_event(w, f, known->suppressed);
    } else if (news && !known->suppressed && (f->state == FINDING_CONFIRMED || f->state == FINDING_FLAKY || f->state == FINDING_REGRESSED)) {
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
        if (w->terminal)
            fputs("\r\033[K", stderr);
        cli_out(w->verb, buf_bytes(&line));
        cli_out_flush(w->verb);
        buf_release(&line);
    }
    pthread_mutex_unlock(&w->lock);
}

/* A task in an event. */
static struct json *task_event(struct arena *a, const char *name, const struct task *t)
{
    struct json *event = json_new(a, JSON_OBJECT);
    json_set(a, event, "event", json_text(a, name));
    json_set(a, event, "task", json_text(a, t->id));
    json_set(a, event, "workflow", json_text(a, arena_printf(a, "%s/%s", t->domain, t->workflow)));
    return event;
}

/* What a task came to: why it failed, or what it left. Only run says it; in a fuzz hostile tasks do both all the time. */
static void print_outcome(struct watch *w, const char *name, const struct task *t, const char *why, const struct execution *left)
{
    struct buf line;
    buf_init(&line, 1 << 16);
    if (w->json) {
        struct arena a;
        arena_init(&a);
        struct json *event = task_event(&a, name, t);
        if (left)
            watch_left_event(left, &a, event);
        else
            json_set(&a, event, "why", json_text(&a, why));
        print_event(w, event);
        arena_release(&a);
    } else {
        buf_addf(&line, "%-9s %.8s  %s/%s%s: ", name, t->id, t->domain, t->workflow, t->mutations->count ? " (hostile)" : "");
        watch_harmless(&line, why);
        buf_add_byte(&line, '\n');
        if (w->terminal)
            fputs("\r\033[K", stderr);
        cli_out(w->verb, buf_bytes(&line));
        cli_out_flush(w->verb);
    }
    buf_release(&line);
}

void watch_executed(void *user, const struct task *t, const struct execution *e, const char *why_failed)
{
    struct watch *w = user;
    pthread_mutex_lock(&w->lock);
    if (!e->executed && e->skip_reason)
        list_add(&w->skips, e->skip_reason);
    if (why_failed && w->verb == &verb_run)
        print_outcome(w, "failed", t, why_failed, NULL);
    for (size_t i = 0; i < e->leftover_count; i++)
        if (!e->leftovers[i].calm)
            list_add(&w->left, leftover_kind_name(e->leftovers[i].kind));
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
    for (size_t i = 0; i < w->finding_count; i++) {
        const struct watch_finding *f = &w->findings[i];
        const struct fail_case known = {f->state, f->layer, f->primitive, f->note, f->client_illegal, f->suppressed, !f->again};
        if (fail_on_counts(fail, &known))
            return true;
    }
    return false;
}

static void print_list(const char *title, struct watch_list *list)
{
    if (!list->count)
        return;
    qsort(list->items, list->count, sizeof *list->items, by_count);
    printf("%s", title);
    for (size_t i = 0; i < list->count; i++)
        printf("%s %s %lld", i ? "," : "", list->items[i].name, (long long)list->items[i].count);
    printf("\n");
}

static void print_findings(const struct watch *w, const char *db)
{
    struct watch_list primitives = {0};
    int64_t confirmed = 0, flaky = 0, unconfirmed = 0, illegal = 0, notes = 0, suppressed = 0;
    for (size_t i = 0; i < w->finding_count; i++) {
        enum finding_state s = w->findings[i].state;
        if (s == FINDING_UNCONFIRMED) {
            unconfirmed++;
            continue;
        }
        if (w->findings[i].suppressed) {
            suppressed++;
            continue;
        }
        notes += w->findings[i].note;
        *(s == FINDING_FLAKY ? &flaky : &confirmed) += 1;
        illegal += w->findings[i].client_illegal;
        list_add(&primitives, w->findings[i].primitive);
    }
    printf("findings: %lld confirmed, %lld flaky, %lld not seen again\n", (long long)confirmed, (long long)flaky,
           (long long)unconfirmed);
    if (illegal)
        printf("after messages no client may send: %lld of them\n", (long long)illegal);
    if (suppressed)
        printf("suppressed, and not counted: %lld\n", (long long)suppressed);
    if (notes)
        printf("notes among them, on what is recommended or depends on a policy: %lld\n", (long long)notes);
    print_list("by primitive:", &primitives);
    free(primitives.items);
    if (confirmed + flaky)
        printf("see them: taskgen report --db %s\n", db);
}

void watch_summary(struct watch *w, const struct loop_progress *total, const char *identity, const char *db)
{
    if (w->json) {
        progress_event(w, total, "end");
        return;
    }
    if (w->terminal)
        fputs("\r\033[K", stderr);
    if (cli_out_closed())
        return;
    static const char *const ends[] = {
        [LOOP_END_DONE] = "", [LOOP_END_RUNS] = "", [LOOP_END_TIME] = "", [LOOP_END_STABLE] = ", when nothing was new any more",
        [LOOP_END_STOP] = ", stopped", [LOOP_END_FAILED] = ", and no further",
    };
    printf("\n%s\n%lld tasks in %.1f s%s: %lld passed, %lld failed, %lld skipped, %lld with harness trouble\n"
           "%lld calls, %.0f a second; every step reached the target in %lld\n",
           *identity ? identity : w->label, (long long)total->executions, (double)total->elapsed_ms / 1000, ends[total->end],
           (long long)total->passed, (long long)total->failed, (long long)total->skipped, (long long)total->harness,
           (long long)total->calls, total->elapsed_ms ? (double)total->calls * 1000 / (double)total->elapsed_ms : 0,
           (long long)total->executed);
    print_list("skipped by missing need:", &w->skips);
    print_list("left behind, then removed:", &w->left);
    print_findings(w, db);
}
