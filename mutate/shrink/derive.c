/* The repair of the shrinker: gaps are filled as cheaply as can be.
 *
 * generate_from fills gaps at random. What it filled is known afterwards (derivation_drawn), so those entries
 * are given their cheapest values and what stood below them is dropped, which leaves gaps one level further
 * down; and so on, until nothing was drawn that could be cheaper. Each time round the drawn parts are a level
 * deeper, so a few times do; what is left after the last is as it was drawn. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mutate/shrink/shrink_internal.h"

enum { LEVELS_MOST = 16 };

static bool is_kept(const struct site *site)
{
    return site->kind == SITE_WORKFLOW || site->kind == SITE_SWARM || site->kind == SITE_ROOM;
}

/* to = log with what was drawn made cheaper; false: there is nothing of that kind. */
static bool cheapen(const struct domain *d, const struct derivation *log, const bool *drawn,
                    struct derivation *to)
{
    struct units cheaper = {0};
    for (size_t i = 0; i < log->count; i++) {
        struct site site;
        const struct choice *c = &log->items[i];
        uint64_t value = domain_site_cheapest(d, c->site);
        if (drawn[i] && c->value != value && domain_site(d, c->site, &site) && !is_kept(&site)) {
            cheaper.items = xrealloc(cheaper.items, (cheaper.count + 1) * sizeof *cheaper.items);
            cheaper.items[cheaper.count++] = (struct unit){
                .kind = UNIT_SET, .entry = i, .end = c->end, .value = value};
        }
    }
    bool any = cheaper.count > 0;
    if (any)
        units_apply(&cheaper, 0, cheaper.count, log, to);
    units_release(&cheaper);
    return any;
}

/* Whether the task's own log has something drawn that could be cheaper: then *edited says how. */
static int look_for_cheaper(const struct shrink_options *o, const struct task *t, struct derivation *edited,
                            bool *any, struct error **err)
{
    struct derivation log, next;
    derivation_init(&log);
    derivation_init(&next);
    int status = derivation_decode(&log, bytes_of_string(t->derivation), err);
    if (status == 0) {
        bool *drawn = xcalloc(log.count + 1, sizeof *drawn);
        derivation_drawn(edited, &log, drawn);
        *any = cheapen(o->domain, &log, drawn, &next);
        if (*any)
            derivation_copy(edited, &next);
        free(drawn);
    }
    derivation_release(&log);
    derivation_release(&next);
    return status;
}

int shrink_derive(const struct shrink_options *o, const struct derivation *edited, uint64_t seed,
                  uint64_t index, struct task **task, struct error **err)
{
    struct derivation log;
    int status = 0;
    bool more = true;
    derivation_init(&log);
    derivation_copy(&log, edited);
    *task = NULL;
    for (int level = 0; status == 0 && more && level < LEVELS_MOST; level++) {
        task_free(*task);
        *task = NULL;
        status = tree_repair(o->generate, o->domain, &log, seed, index, task, err);
        if (status == 0)
            status = look_for_cheaper(o, *task, &log, &more, err);
    }
    if (status < 0) {
        task_free(*task);
        *task = NULL;
    }
    derivation_release(&log);
    return status;
}
