/* First step of compile: what each name refers to, and whether the numbers of arguments agree; and which
 * rules are reached from which. */
#include <stdlib.h>
#include <string.h>

#include "grammar/grammar_internal.h"

enum { GUESS_MOST = 48 /* longest name that a guess is made for */ };

/* Number of letters to put in, take out, change or swap to make b of a (restricted Damerau-Levenshtein). */
static size_t edit_distance(struct bytes a, struct bytes b)
{
    size_t rows[3][GUESS_MOST + 1];
    size_t *before = rows[0], *above = rows[1], *here = rows[2];
    for (size_t k = 0; k <= b.len; k++)
        above[k] = k;
    for (size_t i = 1; i <= a.len; i++) {
        here[0] = i;
        for (size_t k = 1; k <= b.len; k++) {
            size_t best = above[k - 1] + (a.data[i - 1] != b.data[k - 1]);
            if (above[k] + 1 < best)
                best = above[k] + 1;
            if (here[k - 1] + 1 < best)
                best = here[k - 1] + 1;
            bool swapped = i > 1 && k > 1 && a.data[i - 1] == b.data[k - 2] && a.data[i - 2] == b.data[k - 1];
            if (swapped && before[k - 2] + 1 < best)
                best = before[k - 2] + 1;
            here[k] = best;
        }
        size_t *oldest = before;
        before = above;
        above = here;
        here = oldest;
    }
    return above[b.len];
}

struct guess {
    struct bytes wanted;
    const char *best;
    size_t distance; /* names have to be nearer than this */
};

static void consider(struct guess *guess, const char *name)
{
    struct bytes candidate = bytes_of_string(name);
    if (candidate.len > GUESS_MOST)
        return;
    size_t distance = edit_distance(guess->wanted, candidate);
    if (distance < guess->distance) {
        guess->distance = distance;
        guess->best = name;
    }
}

/* The name most like the one written, when one is alike at all; NULL: none. */
static const char *guess_name(const struct grammar *g, struct bytes wanted)
{
    if (wanted.len > GUESS_MOST)
        return NULL;
    struct guess guess = {.wanted = wanted, .distance = wanted.len / 3 + 2};
    if (guess.distance > wanted.len)
        guess.distance = wanted.len; /* something of it has to be left */
    for (size_t i = 0; i < g->rules.count; i++)
        consider(&guess, g->rules.items[i].name);
    size_t functions;
    const struct function_row *rows = function_table(&functions);
    for (size_t i = 0; i < functions; i++)
        consider(&guess, rows[i].name);
    return guess.best;
}

static int resolve_node(struct grammar *g, struct node *n, struct error **err)
{
    struct bytes name = grammar_text(g, n->u.name.first, n->u.name.count);
    uint32_t rule = grammar_find(g, name);
    if (rule == NONE) {
        const char *like = guess_name(g, name);
        return grammar_fail(g, n->place, err, "rule '%.*s' is not defined%s%s%s", BYTES_ARG(name),
                            like ? "; did you mean '" : "", like ? like : "", like ? "'?" : "");
    }
    const struct rule *r = &g->rules.items[rule];
    if (n->count != r->arity)
        return grammar_fail(g, n->place, err, "rule '%s' of %s takes %u argument%s, found %u%s", r->name,
                            r->place_text, r->arity, r->arity == 1 ? "" : "s", n->count,
                            n->count == 0 ? "; arguments follow the name without a space" : "");
    n->kind = r->arity ? NODE_CALL : NODE_RULE;
    n->target = n->referred = rule;
    return 0;
}

int grammar_resolve(struct grammar *g, struct error **err)
{
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i].kind == NODE_RULE)
            TRY(resolve_node(g, &g->nodes.items[i], err));
    return 0;
}

size_t grammar_unreachable(const struct grammar *g, const int *roots, size_t root_count, int *out)
{
    bool *reached = xcalloc(g->rules.count, sizeof *reached);
    uint32_t *queue = xmalloc(g->rules.count * sizeof *queue);
    size_t head = 0, tail = 0;
    for (size_t i = 0; i < root_count; i++) {
        if (roots[i] < 0 || (size_t)roots[i] >= g->rules.count || reached[roots[i]])
            continue;
        reached[roots[i]] = true;
        queue[tail++] = (uint32_t)roots[i];
    }
    while (head < tail) {
        const struct rule *r = &g->rules.items[queue[head++]];
        for (uint32_t i = r->first_node; i < r->node_end; i++) {
            const struct node *n = &g->nodes.items[i];
            if (n->referred == NONE || reached[n->referred])
                continue;
            reached[n->referred] = true;
            queue[tail++] = n->referred;
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < g->rules.count; i++)
        if (!reached[i])
            out[count++] = (int)i;
    free(reached);
    free(queue);
    return count;
}
