/* Whether texts of a grammar have a finite mean length.
 *
 * Expanding rule r mentions rule s M[r][s] times on average: weights and means of repetitions say how often.
 * The numbers of mentions that are open after one, two, three … expansions go like the powers of M, so their
 * sum, and with it the length of a text, has a finite mean exactly when the spectral radius of M is below 1
 * (a multi-type branching process that is subcritical). Without a budget such a grammar ends with probability
 * 1, and soon.
 *
 * The radius of M is the largest of those of its strongly connected components, since M is triangular in
 * blocks of them. For one component it is found by power iteration on M + I, which converges where M alone
 * might swing; each step gives bounds on both sides (Collatz and Wielandt). M is never made: M x is the value
 * of every rule's body when a mention of rule s is worth x[s], one pass over the nodes of the rule, children
 * first. */
#include <math.h>
#include <stdlib.h>

#include "grammar/grammar_internal.h"

enum { WORK_MOST = 5000000 /* nodes visited in one iteration after the other */ };

static const double open_mean = 3, open_zero = 0.25, enough = 1e-7, critical = 1 - 1e-9;

struct growth {
    const struct grammar *g;
    bool *live;        /* nodes that derivations come to */
    double *value;     /* of nodes */
    double *x, *next;  /* of rules: worth of a mention; 0 outside the component */
    uint32_t *members; /* rules, in components */
    uint32_t *stack, *low, *number, *at;
    bool *on_stack;
    uint32_t stacked, numbered;
    double worst;
    struct buf *why;
};

static bool descends(const struct node *n)
{
    return n->kind > NODE_LAST_LEAF && (n->referred == NONE || n->kind == NODE_CALL);
}

static const uint32_t *kids_of(const struct growth *s, const struct node *n)
{
    return &s->g->kids.items[n->first];
}

/* Nodes that folding left behind belong to nobody. Children come before their parents. */
static void mark_live(struct growth *s, const struct rule *r)
{
    s->live[r->body] = true;
    for (uint32_t i = r->node_end; i-- > r->first_node;) {
        const struct node *n = &s->g->nodes.items[i];
        for (uint32_t k = 0; s->live[i] && descends(n) && k < n->count; k++)
            s->live[kids_of(s, n)[k]] = true;
    }
}

/* What a count of repetitions beyond the least is on average, and how often it is 0: as chooser_open_count
 * draws. */
static double mean_count(uint64_t n, double *zero)
{
    enum { EVEN_MOST = 16 };
    if (n <= EVEN_MOST) {
        *zero = 1 / (double)n;
        return (double)(n - 1) / 2;
    }
    double sum = 0;
    unsigned ranges = 1;
    for (uint64_t low = 1; low <= n - 1; low *= 2, ranges++)
        sum += ((double)low + (double)(2 * low - 1 < n - 1 ? 2 * low - 1 : n - 1)) / 2;
    *zero = 1.0 / ranges;
    return sum / ranges;
}

static double value_of_repeat(const struct growth *s, const struct node *n)
{
    double zero = open_zero, least = n->u.repeat.min, extra = open_mean;
    if (!n->open_ended)
        extra = mean_count((uint64_t)n->u.repeat.max - n->u.repeat.min + 1, &zero);
    double count = least + extra, sum = count * s->value[kids_of(s, n)[0]];
    if (n->count > 1)
        sum += (count - (least > 0 ? 1 : 1 - zero)) * s->value[kids_of(s, n)[1]];
    return sum;
}

static double value_of(const struct growth *s, const struct node *n)
{
    const double *weights = &s->g->weights.items[n->u.choice.weights];
    double sum = n->referred == NONE ? 0 : s->x[n->referred], total = 0;
    if (!descends(n))
        return sum;
    if (n->kind == NODE_REPEAT)
        return value_of_repeat(s, n);
    for (uint32_t k = 0; k < n->count; k++) {
        double weight = n->kind == NODE_CHOICE ? weights[k] : 1;
        sum += weight * s->value[kids_of(s, n)[k]];
        total += weight;
    }
    return n->kind == NODE_CHOICE ? sum / total : sum;
}

static double expand(struct growth *s, const struct rule *r)
{
    for (uint32_t i = r->first_node; i < r->node_end; i++)
        if (s->live[i])
            s->value[i] = value_of(s, &s->g->nodes.items[i]);
    return s->value[r->body];
}

/* One component. ----------------------------------------------------------------------------------------- */

static const struct rule *rule_of(const struct growth *s, uint32_t rule)
{
    return &s->g->rules.items[rule];
}

/* x becomes the dominant vector of the component, scaled to a largest of 1; returns the radius. */
static double iterate(struct growth *s, const uint32_t *members, size_t count)
{
    double low = 0, high = 0;
    uint64_t work = 1;
    for (size_t i = 0; i < count; i++) {
        s->x[members[i]] = 1;
        work += rule_of(s, members[i])->node_end - rule_of(s, members[i])->first_node;
    }
    for (uint64_t rounds = WORK_MOST / work + 2; rounds; rounds--) {
        double most = 0;
        low = high = -1;
        for (size_t i = 0; i < count; i++) {
            double grown = expand(s, rule_of(s, members[i])), ratio = grown / s->x[members[i]];
            low = low < 0 || ratio < low ? ratio : low;
            high = ratio > high ? ratio : high;
            s->next[members[i]] = grown + s->x[members[i]];
            most = s->next[members[i]] > most ? s->next[members[i]] : most;
        }
        if (!isfinite(most)) /* a thousand million times a thousand million times … */
            return most;
        for (size_t i = 0; i < count; i++)
            s->x[members[i]] = s->next[members[i]] / most;
        if (high - low <= enough * high)
            break;
    }
    return (low + high) / 2;
}

/* The alternative of the component that leads back to it the most, as a share of its choice. */
static const struct node *heaviest(struct growth *s, const uint32_t *members, size_t count,
                                   const struct node **choice, uint32_t *index)
{
    const struct node *best = NULL;
    double most = 0;
    for (size_t m = 0; m < count; m++) {
        const struct rule *r = rule_of(s, members[m]);
        expand(s, r);
        for (uint32_t i = r->first_node; i < r->node_end; i++) {
            const struct node *n = &s->g->nodes.items[i];
            if (!s->live[i] || n->kind != NODE_CHOICE || n->referred != NONE)
                continue;
            double total = 0;
            for (uint32_t k = 0; k < n->count; k++)
                total += s->g->weights.items[n->u.choice.weights + k];
            for (uint32_t k = 0; k < n->count; k++) {
                double share = s->g->weights.items[n->u.choice.weights + k] / total *
                               s->value[kids_of(s, n)[k]];
                if (share <= most)
                    continue;
                most = share;
                best = &s->g->nodes.items[kids_of(s, n)[k]];
                *choice = n;
                *index = k;
            }
        }
    }
    return best;
}

/* The rule that is mentioned most, of those of the component, when `from` is expanded. */
static uint32_t next_on_cycle(struct growth *s, uint32_t from, const uint32_t *members, size_t count)
{
    uint32_t best = members[0];
    double most = -1;
    for (size_t i = 0; i < count; i++)
        s->next[members[i]] = s->x[members[i]];
    for (size_t i = 0; i < count; i++)
        s->x[members[i]] = 0;
    for (size_t i = 0; i < count; i++) {
        s->x[members[i]] = s->next[members[i]];
        double mentions = expand(s, rule_of(s, from));
        if (mentions > most) {
            most = mentions;
            best = members[i];
        }
        s->x[members[i]] = 0;
    }
    for (size_t i = 0; i < count; i++)
        s->x[members[i]] = s->next[members[i]];
    return best;
}

/* Follows the heaviest mentions until a rule comes again. */
static void name_cycle(struct growth *s, const uint32_t *members, size_t count, uint32_t *first,
                       struct buf *out)
{
    enum { NAMED_MOST = 8 };
    uint32_t rule = members[0];
    for (size_t i = 0; i < count; i++) /* by now it is on the cycle */
        rule = next_on_cycle(s, rule, members, count);
    *first = rule;
    buf_addf(out, "%s", rule_of(s, rule)->name);
    for (size_t named = 0; named < count; named++) {
        rule = next_on_cycle(s, rule, members, count);
        if (named < NAMED_MOST || rule == *first)
            buf_addf(out, " > %s", rule_of(s, rule)->name);
        else if (named == NAMED_MOST)
            buf_addf(out, " > …");
        if (rule == *first)
            return;
    }
}

static void explain(struct growth *s, const uint32_t *members, size_t count, double factor)
{
    enum { CYCLE_MOST = 4096, LONG = 64 /* members, from which the cycle takes too long to find */ };
    struct buf cycle;
    const struct node *choice = NULL;
    uint32_t first = members[0], index = 0;
    buf_init(&cycle, CYCLE_MOST);
    if (count <= LONG)
        name_cycle(s, members, count, &first, &cycle);
    else
        buf_addf(&cycle, "%s and %zu others", rule_of(s, first)->name, count - 1);
    const struct node *alternative = heaviest(s, members, count, &choice, &index);
    buf_clear(s->why);
    buf_addf(s->why,
             "%s: rule '%s' leads back to itself (%s) and grows by the factor %.3g each time, so its texts "
             "have no "
             "finite mean length, expected a factor below 1",
             rule_of(s, first)->place_text, rule_of(s, first)->name, buf_string(&cycle), factor);
    if (alternative)
        buf_addf(s->why,
                 ": lower the weight of alternative %u at %s:%u, which is %g, or raise those beside it",
                 index + 1, s->g->files.items[alternative->place.file], alternative->place.line,
                 s->g->weights.items[choice->u.choice.weights + index]);
    else
        buf_addf(s->why, ": repeat less");
    buf_release(&cycle);
}

static void judge(struct growth *s, const uint32_t *members, size_t count)
{
    double factor = iterate(s, members, count);
    if (factor > s->worst) {
        s->worst = factor;
        if (s->why && factor >= critical)
            explain(s, members, count, factor);
    }
    for (size_t i = 0; i < count; i++)
        s->x[members[i]] = 0;
}

/* Components: Tarjan's algorithm, without recursion. ------------------------------------------------------
 */

static void enter(struct growth *s, uint32_t rule)
{
    s->number[rule] = s->low[rule] = ++s->numbered;
    s->at[rule] = rule_of(s, rule)->first_node;
    s->members[s->stacked++] = rule;
    s->on_stack[rule] = true;
    mark_live(s, rule_of(s, rule));
}

/* The rule is the first of its component: the component is what was entered since. */
static void leave(struct growth *s, uint32_t rule)
{
    uint32_t start = s->stacked;
    while (s->members[--start] != rule)
        continue;
    for (uint32_t i = start; i < s->stacked; i++)
        s->on_stack[s->members[i]] = false;
    judge(s, s->members + start, s->stacked - start);
    s->stacked = start;
}

static void lower(struct growth *s, uint32_t rule, uint32_t to)
{
    s->low[rule] = to < s->low[rule] ? to : s->low[rule];
}

static void visit(struct growth *s, uint32_t root)
{
    size_t depth = 0;
    enter(s, root);
    s->stack[depth++] = root;
    while (depth) {
        uint32_t rule = s->stack[depth - 1];
        if (s->at[rule] == rule_of(s, rule)->node_end) {
            if (s->low[rule] == s->number[rule])
                leave(s, rule);
            if (--depth)
                lower(s, s->stack[depth - 1], s->low[rule]);
            continue;
        }
        uint32_t node = s->at[rule]++, other = s->g->nodes.items[node].referred;
        if (!s->live[node] || other == NONE)
            continue;
        if (!s->number[other]) {
            enter(s, other);
            s->stack[depth++] = other;
        } else if (s->on_stack[other]) {
            lower(s, rule, s->number[other]);
        }
    }
}

double grammar_growth(const struct grammar *g, const int *roots, size_t root_count, struct buf *why)
{
    size_t rules = g->rules.count + 1, nodes = g->nodes.count + 1;
    struct growth s = {.g = g, .why = why};
    if (!g->compiled)
        BUG("a grammar asked for its growth before it was compiled");
    s.live = xcalloc(nodes, sizeof *s.live);
    s.value = xcalloc(nodes, sizeof *s.value);
    s.x = xcalloc(rules, sizeof *s.x);
    s.next = xcalloc(rules, sizeof *s.next);
    uint32_t *numbers = xcalloc(5 * rules, sizeof *numbers);
    s.members = numbers;
    s.stack = numbers + rules;
    s.low = numbers + 2 * rules;
    s.number = numbers + 3 * rules;
    s.at = numbers + 4 * rules;
    s.on_stack = xcalloc(rules, sizeof *s.on_stack);
    for (size_t i = 0; i < (roots ? root_count : g->rules.count); i++) {
        int root = roots ? roots[i] : (int)i;
        if (root >= 0 && (size_t)root < g->rules.count && !s.number[root])
            visit(&s, (uint32_t)root);
    }
    free(s.live);
    free(s.value);
    free(s.x);
    free(s.next);
    free(numbers);
    free(s.on_stack);
    return s.worst;
}
