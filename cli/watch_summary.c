/* What a person is told when a campaign is over. */
#include "cli/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_count(const void *a, const void *b)
{
    const struct watch_count *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->name, y->name);
}

static void print_list(const char *title, const struct watch_list *list)
{
    if (!list->count)
        return;
    qsort(list->items, list->count, sizeof *list->items, by_count);
    printf("%s", title);
    for (size_t i = 0; i < list->count; i++)
        printf("%s %s %lld", i ? "," : "", list->items[i].name, (long long)list->items[i].count);
    printf("\n");
}

static void print_primitives(const struct watch *w)
{
    struct watch_list primitives = {0};
    for (size_t i = 0; i < w->finding_count; i++) {
        const struct fail_case *f = &w->findings[i]->known;
        bool settled = f->state == FINDING_CONFIRMED || f->state == FINDING_FLAKY || f->state == FINDING_REGRESSED;
        if (settled && !f->suppressed)
            watch_list_add(&primitives, f->primitive);
    }
    print_list("by primitive:", &primitives);
    free(primitives.items);
}

static void print_findings(const struct watch *w)
{
    const struct figures *f = &w->figures;
    printf("findings: %lld confirmed, %lld flaky, %lld not seen again\n", (long long)(f->confirmed + f->regressed), (long long)f->flaky,
           (long long)f->unconfirmed);
    if (f->client_illegal)
        printf("after messages no client may send: %lld of them\n", (long long)f->client_illegal);
    if (f->suppressed)
        printf("suppressed, and not counted: %lld\n", (long long)f->suppressed);
    if (f->notes)
        printf("notes among them, on what is recommended or depends on a policy: %lld\n", (long long)f->notes);
    print_primitives(w);
    if (f->findings)
        printf("see them: taskgen report --db %s\n", f->db);
}

void watch_summary(const struct watch *w, const struct loop_progress *total)
{
    static const char *const ends[] = {
        [LOOP_END_DONE] = "", [LOOP_END_RUNS] = "", [LOOP_END_TIME] = "", [LOOP_END_STABLE] = ", when nothing was new any more",
        [LOOP_END_STOP] = ", stopped", [LOOP_END_FAILED] = ", and no further",
    };
    const struct figures *f = &w->figures;
    printf("\n%s\n%lld tasks in %.1f s%s: %lld passed, %lld failed, %lld skipped, %lld with harness trouble\n"
           "%lld calls, %.0f a second; every step reached the target in %lld\n",
           *f->identity ? f->identity : f->target, (long long)total->executions, (double)total->elapsed_ms / 1000, ends[total->end],
           (long long)total->passed, (long long)total->failed, (long long)total->skipped, (long long)total->harness,
           (long long)total->calls, total->call_rate, (long long)total->executed);
    print_list("skipped by missing need:", &w->skips);
    print_list("left behind, then removed:", &w->left);
    print_findings(w);
}
