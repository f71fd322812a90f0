/* Making a suite: one uncovered path after the other is aimed at, with several manners and more and more
 * straying, and each task that has something new is kept for cover_pick.
 *
 * What lies behind a path that could not be reached is not tried as often: the failures of a shorter path
 * count for all that begin with it. A path that was given up is no longer led to, but counts when it comes by
 * chance. */
#include "gen/cover.h"

#include <stdlib.h>
#include <string.h>

#include "gen/cover_internal.h"

enum { TRIES_LEAST = 3 };

struct making {
    struct cover_suite *suite;
    const struct cover_options *o;
    const struct kpath_graph *graph;
    uint64_t count;
    uint64_t *covered, *hopeless; /* bits, by path */
    struct kpath_seen seen;       /* shorter paths too */
    uint32_t *open_from;          /* by alternative: paths that begin with it and are neither */
    uint32_t *failures;           /* by path shorter by one; NULL: k is 1 */
    struct cover_parents parents;
    uint32_t *to_target, *to_any;
    struct cover_guide guide;
    size_t room, missed_room;
    uint64_t new_paths; /* of the task looked at last */
};

/* --- books --- */

static void close_path(struct making *m, uint64_t path)
{
    uint32_t elements[KPATH_LONGEST];
    kpath_elements(m->graph, m->o->k, path, elements);
    m->open_from[elements[0]]--;
}

static void open_all(struct making *m)
{
    uint32_t elements[KPATH_LONGEST];
    for (uint64_t path = 0; path < m->count; path++) {
        kpath_elements(m->graph, m->o->k, path, elements);
        m->open_from[elements[0]]++;
    }
}

static void note(void *context, const struct kpath_place *place)
{
    struct making *m = context;
    uint64_t path = place->path[m->o->k];
    if (path == KPATH_NO_PATH || cover_has(m->covered, path))
        return;
    cover_mark(m->covered, path);
    m->new_paths++;
    if (!cover_has(m->hopeless, path))
        close_path(m, path);
}

static void keep(struct making *m, const struct derivation *d)
{
    struct cover_suite *s = m->suite;
    if (s->task_count == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        s->tasks = xrealloc(s->tasks, m->room * sizeof *s->tasks);
    }
    derivation_init(&s->tasks[s->task_count]);
    derivation_copy(&s->tasks[s->task_count++], d);
}

static int look_at(struct making *m, const struct task *task, struct error **err)
{
    struct derivation d;
    size_t stranger;
    derivation_init(&d);
    int status = derivation_decode(&d, bytes_of_string(task->derivation), err);
    m->new_paths = 0;
    if (status == 0)
        kpath_walk(m->graph, &d, note, m, &stranger);
    if (status == 0)
        kpath_seen_add(&m->seen, &d);
    if (m->new_paths)
        keep(m, &d);
    derivation_release(&d);
    return status;
}

/* --- aiming --- */

static uint32_t *failures_of(struct making *m, uint64_t path)
{
    uint32_t elements[KPATH_LONGEST];
    if (!m->failures)
        return NULL;
    kpath_elements(m->graph, m->o->k, path, elements);
    uint64_t shorter = m->o->k == 2 ? elements[0] : kpath_number(m->graph, m->o->k - 1, elements);
    return &m->failures[shorter];
}

static unsigned tries_for(struct making *m, uint64_t path)
{
    const uint32_t *failures = failures_of(m, path);
    unsigned tries = m->o->tries ? m->o->tries : COVER_TRIES;
    if (failures)
        tries >>= *failures < 8 ? *failures : 8;
    return tries > TRIES_LEAST ? tries : TRIES_LEAST;
}

static void measure(struct making *m, uint64_t path)
{
    uint32_t elements[KPATH_LONGEST], count = kpath_alternative_count(m->graph);
    kpath_elements(m->graph, m->o->k, path, elements);
    for (uint32_t a = 0; a < count; a++) {
        m->to_any[a] = m->open_from[a] ? 0 : COVER_FAR;
        m->to_target[a] = COVER_FAR;
        if (elements[0] == 0 && kpath_may_make(m->graph, a, kpath_alternative_site(m->graph, elements[1])))
            m->to_target[a] = 0;
    }
    m->to_any[0] = COVER_FAR; /* nothing that can be chosen */
    if (elements[0])
        m->to_target[elements[0]] = 0;
    cover_spread(&m->parents, m->graph, m->to_target);
    cover_spread(&m->parents, m->graph, m->to_any);
}

/* A task that gets too long, or that shows a fault of the template, is a try that failed. */
static int try_once(struct making *m, uint64_t path, unsigned try, struct cover_miss *miss,
                    struct error **err)
{
    struct task *task = NULL;
    struct error *failure = NULL;
    uint64_t index = m->suite->derived++;
    double stray = try < COVER_MANNERS ? 0 : try % 2 ? 0.5 : 0.2;
    m->guide.asked = m->guide.possible = 0;
    cover_guide_aim(&m->guide, path, (enum cover_manner)(try % COVER_MANNERS), stray, m->o->seed, index);
    int status = generate_guided(m->o->generate, m->o->domain, &m->guide.guide, m->o->seed, index, &task,
                                 &failure);
    miss->tries++;
    miss->asked += m->guide.asked;
    miss->possible += m->guide.possible;
    if (status == 0)
        status = look_at(m, task, err);
    else if (failure && status == ERR_INPUT && !miss->fault)
        miss->fault = xstrdup(failure->text);
    if (task)
        task_free(task);
    else
        status = 0;
    error_free(failure);
    return status;
}

static void give_up(struct making *m, const struct cover_miss *miss)
{
    struct cover_suite *s = m->suite;
    uint32_t *failures = failures_of(m, miss->path);
    if (failures && !miss->asked)
        ++*failures;
    cover_mark(m->hopeless, miss->path);
    close_path(m, miss->path);
    if (s->missed_count == m->missed_room) {
        m->missed_room = m->missed_room ? 2 * m->missed_room : 64;
        s->missed = xrealloc(s->missed, m->missed_room * sizeof *s->missed);
    }
    s->missed[s->missed_count++] = *miss;
}

static int aim_at(struct making *m, uint64_t path, struct error **err)
{
    struct cover_miss miss = {.path = path};
    unsigned tries = tries_for(m, path);
    for (unsigned try = 0; try < tries && !cover_has(m->covered, path); try++) {
        measure(m, path);
        int status = try_once(m, path, try, &miss, err);
        if (status < 0) {
            free(miss.fault);
            return status;
        }
    }
    if (cover_has(m->covered, path))
        free(miss.fault);
    else
        give_up(m, &miss);
    return 0;
}

/* What was given up may have come by chance later. */
static void forget_found(struct making *m)
{
    struct cover_suite *s = m->suite;
    size_t kept = 0;
    for (size_t i = 0; i < s->missed_count; i++) {
        if (cover_has(m->covered, s->missed[i].path))
            free(s->missed[i].fault);
        else
            s->missed[kept++] = s->missed[i];
    }
    s->missed_count = kept;
}

static void making_init(struct making *m, struct cover_suite *suite)
{
    const struct kpath_graph *g = suite->graph;
    *m = (struct making){.suite = suite, .o = &suite->options, .graph = g};
    size_t alternatives = kpath_alternative_count(g);
    m->count = kpath_count(g, m->o->k);
    m->covered = cover_bits_new(m->count);
    m->hopeless = cover_bits_new(m->count);
    kpath_seen_init(&m->seen, g);
    m->open_from = xcalloc(alternatives, sizeof *m->open_from);
    m->to_target = xcalloc(alternatives, sizeof *m->to_target);
    m->to_any = xcalloc(alternatives, sizeof *m->to_any);
    if (m->o->k > 1) {
        uint64_t shorter = m->o->k == 2 ? alternatives : kpath_count(g, m->o->k - 1);
        m->failures = xcalloc((size_t)shorter + 1, sizeof *m->failures);
    }
    cover_parents_init(&m->parents, g);
    cover_guide_init(&m->guide, g, m->o->k);
    m->guide.covered = m->covered;
    m->guide.to_target = m->to_target;
    m->guide.to_any = m->to_any;
    open_all(m);
}

static void making_release(struct making *m)
{
    cover_guide_release(&m->guide);
    cover_parents_release(&m->parents);
    kpath_seen_release(&m->seen);
    free(m->covered);
    free(m->hopeless);
    free(m->open_from);
    free(m->failures);
    free(m->to_target);
    free(m->to_any);
}

int cover_make(const struct cover_options *o, struct cover_suite *suite, struct error **err)
{
    struct making m;
    int status = 0;
    *suite = (struct cover_suite){.options = *o};
    TRY(kpath_graph_new(o->domain, o->generate->workflow, o->k, &suite->graph, err));
    if (kpath_count(suite->graph, o->k) > COVER_PATHS_MOST)
        return error_set(err, ERR_LIMIT,
                         "domain \"%s\" has %llu paths of %u choices, expected at most %d to cover",
                         domain_name(o->domain), (unsigned long long)kpath_count(suite->graph, o->k), o->k,
                         COVER_PATHS_MOST);
    making_init(&m, suite);
    for (uint64_t path = 0; path < m.count && status == 0; path++)
        if (!cover_has(m.covered, path))
            status = aim_at(&m, path, err);
    forget_found(&m);
    cover_find_gaps(suite, &m.seen);
    making_release(&m);
    cover_pick(suite->graph, o->k, suite->tasks, &suite->task_count);
    return status;
}

void cover_release(struct cover_suite *suite)
{
    for (size_t i = 0; i < suite->task_count; i++)
        derivation_release(&suite->tasks[i]);
    for (size_t i = 0; i < suite->missed_count; i++)
        free(suite->missed[i].fault);
    free(suite->tasks);
    free(suite->missed);
    free(suite->gaps);
    kpath_graph_free(suite->graph);
    *suite = (struct cover_suite){0};
}

int cover_task(const struct cover_suite *suite, size_t index, struct task **task, struct error **err)
{
    const struct cover_options *o = &suite->options;
    return generate_from(o->generate, o->domain, &suite->tasks[index], o->seed, index, task, err);
}

static bool is_unlikely(const struct cover_suite *suite, uint64_t path)
{
    uint32_t elements[KPATH_LONGEST];
    unsigned k = suite->options.k;
    kpath_elements(suite->graph, k, path, elements);
    for (unsigned j = 1; j < k; j++) {
        const struct kpath_child *child;
        for (size_t i = 0; (child = kpath_child(suite->graph, elements[j - 1], i)); i++)
            if (child->unlikely && child->site == kpath_alternative_site(suite->graph, elements[j]))
                return true;
    }
    return false;
}

void cover_why(const struct cover_suite *suite, const struct cover_miss *miss, struct buf *out)
{
    if (miss->fault)
        buf_addf(out, "a task on the way there fails: %s", miss->fault);
    else if (is_unlikely(suite, miss->path))
        buf_add_string(out, "a step is done without what it needs only where no other can be done");
    else if (!miss->asked)
        buf_addf(out, "the choice did not come up there in %u tries", miss->tries);
    else if (!miss->possible)
        buf_addf(
            out,
            "the choice came up there %u times, and it could not be taken (guards, what is there, budgets)",
            miss->asked);
    else
        buf_addf(out, "taken there %u times in %u tries, but by no task that got done", miss->possible,
                 miss->tries);
}
