/* What can be told of a guard without deriving: numbers as ranges, texts as short lists of what they may be,
 * everything else as nothing. A guard that comes out false for all of that is never met. Names have no value
 * of their own here but what their makers can give; where one is set again, or passed by a caller, nothing is
 * known. */
#include <string.h>

#include "grammar/flow_internal.h"

enum { DEPTH_MOST = 16 /* names that are made from names */ };

static const struct known nothing = {.kind = KNOWN_NOTHING};

static struct known known(const struct flow *f, const struct expr *e, int depth);

static struct known range(int64_t low, int64_t high)
{
    return (struct known){.kind = KNOWN_RANGE, .low = low, .high = high};
}

/* As the interpreter reads one: -12, but not 007. */
static bool is_number(struct bytes text, int64_t *out)
{
    enum { DIGITS_MOST = 18 };
    size_t first = text.len && text.data[0] == '-';
    uint64_t value = 0;
    if (text.len == first || text.len - first > DIGITS_MOST ||
        (text.len > first + 1 && text.data[first] == '0'))
        return false;
    for (size_t i = first; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text.data[i] - '0');
    }
    *out = first ? -(int64_t)value : (int64_t)value;
    return true;
}

/* Digits that are too many for a number here may still be one when deriving. */
static bool is_long_number(struct bytes text)
{
    enum { SHORT = 18 };
    return text.len > SHORT && text.data[text.len - 1] >= '0' && text.data[text.len - 1] <= '9';
}

static struct known text(struct bytes b)
{
    int64_t number;
    if (is_number(b, &number))
        return range(number, number);
    struct known k = {.kind = is_long_number(b) ? KNOWN_NOTHING : KNOWN_TEXTS, .count = 1};
    k.texts[0] = b;
    return k;
}

/* One or the other. */
static struct known either(const struct known *a, const struct known *b)
{
    if (a->kind != b->kind || a->kind == KNOWN_NOTHING)
        return nothing;
    if (a->kind == KNOWN_RANGE)
        return range(a->low < b->low ? a->low : b->low, a->high > b->high ? a->high : b->high);
    if (a->count + b->count > KNOWN_TEXTS_MOST)
        return nothing;
    struct known sum = *a;
    memcpy(sum.texts + sum.count, b->texts, b->count * sizeof *b->texts);
    sum.count += b->count;
    return sum;
}

/* --- names --- */

static struct known of_template(const struct flow *f, const struct text *t, int depth)
{
    if (t->count == 0)
        return text(BYTES_NONE);
    if (t->count > 1 || t->parts[0].kind == TEXT_RULE)
        return nothing;
    return t->parts[0].kind == TEXT_LITERAL ? text(t->parts[0].literal) : known(f, t->parts[0].expr, depth);
}

static struct known of_maker(const struct flow *f, const struct maker *m, int depth)
{
    if (m->kind == MAKE_VALUE)
        return of_template(f, &m->value, depth);
    if (m->kind == MAKE_INT) {
        struct known low = of_template(f, &m->low, depth), high = of_template(f, &m->high, depth);
        bool both = low.kind == KNOWN_RANGE && high.kind == KNOWN_RANGE;
        return both ? range(low.low, high.high) : nothing;
    }
    if (m->kind != MAKE_PICK)
        return nothing;
    struct known sum = of_template(f, &m->choices[0], depth);
    for (size_t i = 1; i < m->choice_count; i++) {
        struct known choice = of_template(f, &m->choices[i], depth);
        sum = either(&sum, &choice);
    }
    return sum;
}

static struct known of_name(const struct flow *f, const struct expr *e, int depth)
{
    if (e->slot < 0 || e->slot >= f->slot_count || e->prop >= 0 || e->rest.len || depth > DEPTH_MOST)
        return nothing;
    const struct slot_makers *slot = &f->makers[e->slot];
    if (slot->rounds)
        return range(1, slot->rounds);
    if (slot->unknown || !slot->count)
        return nothing;
    struct known sum = of_maker(f, slot->makers[0], depth + 1);
    for (size_t i = 1; i < slot->count; i++) {
        struct known other = of_maker(f, slot->makers[i], depth + 1);
        sum = either(&sum, &other);
    }
    return sum;
}

void known_collect(struct flow *f, const struct plan_node *first)
{
    for (const struct plan_node *n = first; n; n = n->next) {
        struct slot_makers *slot = n->slot >= 0 ? &f->makers[n->slot] : NULL;
        if (slot && n->kind == PLAN_LET && slot->count < KNOWN_MAKERS_MOST)
            slot->makers[slot->count++] = n->u.maker;
        else if (slot && n->kind == PLAN_REPEAT)
            slot->rounds = n->u.repeat.max;
        else if (slot)
            slot->unknown = true;
        known_collect(f, n->first);
    }
}

/* --- expressions --- */

static struct known of_state(const struct flow *f, const struct expr *e)
{
    struct known k = {.kind = KNOWN_TEXTS};
    int slot = e->args[0]->slot;
    uint64_t states = slot >= 0 && slot < f->slot_count ? f->now[slot].states : 0;
    for (size_t i = 0; i < f->name_count; i++) {
        if (!(states >> i & 1))
            continue;
        if (k.count == KNOWN_TEXTS_MOST)
            return nothing;
        k.texts[k.count++] = bytes_of_string(f->names[i]);
    }
    return k.count ? k : nothing;
}

static enum truth truth_of(const struct known *k)
{
    if (k->kind == KNOWN_NOTHING)
        return TRUTH_PERHAPS;
    if (k->kind == KNOWN_RANGE)
        return k->low > 0 || k->high < 0 ? TRUTH_ALWAYS : k->low == k->high ? TRUTH_NEVER : TRUTH_PERHAPS;
    size_t yes = 0;
    for (size_t i = 0; i < k->count; i++)
        yes += k->texts[i].len > 0 && !bytes_equal_string(k->texts[i], "false") &&
               !bytes_equal_string(k->texts[i], "no");
    return yes == k->count ? TRUTH_ALWAYS : yes ? TRUTH_PERHAPS : TRUTH_NEVER;
}

/* Truths are compared as the texts that they are written as. */
static struct known of_truth(enum truth t)
{
    struct known k = {.kind = KNOWN_TEXTS};
    if (t != TRUTH_NEVER)
        k.texts[k.count++] = BYTES_LITERAL("true");
    if (t != TRUTH_ALWAYS)
        k.texts[k.count++] = BYTES_LITERAL("false");
    return k;
}

static enum truth opposite(enum truth t)
{
    return t == TRUTH_ALWAYS ? TRUTH_NEVER : t == TRUTH_NEVER ? TRUTH_ALWAYS : TRUTH_PERHAPS;
}

static struct known of_call(const struct flow *f, const struct expr *e, int depth)
{
    if (e->function->id == EXPR_FN_STATE)
        return of_state(f, e);
    if (e->function->id == EXPR_FN_LIVE)
        return range(0, INT32_MAX);
    if (e->function->id == EXPR_FN_STEPS)
        return range(0, f->r->domain->limits.steps);
    if (e->function->id != EXPR_FN_IF)
        return nothing;
    struct known a = known(f, e->args[1], depth), b = known(f, e->args[2], depth);
    return either(&a, &b);
}

static struct known of_arithmetic(const struct flow *f, const struct expr *e, int depth)
{
    struct known a = e->kind == EXPR_NEGATE ? range(0, 0) : known(f, e->args[0], depth),
                 b = known(f, e->args[e->arg_count - 1], depth), sum = range(0, 0);
    if (a.kind != KNOWN_RANGE || b.kind != KNOWN_RANGE)
        return nothing;
    bool over = e->kind == EXPR_ADD ? __builtin_add_overflow(a.low, b.low, &sum.low) ||
                                          __builtin_add_overflow(a.high, b.high, &sum.high)
                                    : __builtin_sub_overflow(a.low, b.high, &sum.low) ||
                                          __builtin_sub_overflow(a.high, b.low, &sum.high);
    return over ? nothing : sum;
}

static enum truth are_equal(const struct known *a, const struct known *b)
{
    size_t equal = 0;
    if (a->kind == KNOWN_NOTHING || b->kind == KNOWN_NOTHING)
        return TRUTH_PERHAPS;
    if (a->kind != b->kind)
        return TRUTH_NEVER; /* a number and a text that is none */
    if (a->kind == KNOWN_RANGE) {
        if (a->high < b->low || b->high < a->low)
            return TRUTH_NEVER;
        return a->low == a->high && b->low == b->high ? TRUTH_ALWAYS : TRUTH_PERHAPS;
    }
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            equal += bytes_equal(a->texts[i], b->texts[k]);
    return equal == a->count * b->count ? TRUTH_ALWAYS : equal ? TRUTH_PERHAPS : TRUTH_NEVER;
}

/* a < b, or a <= b. */
static enum truth is_less(const struct known *a, const struct known *b, bool or_equal)
{
    if (a->kind != KNOWN_RANGE || b->kind != KNOWN_RANGE)
        return TRUTH_PERHAPS;
    if (or_equal ? a->high <= b->low : a->high < b->low)
        return TRUTH_ALWAYS;
    return (or_equal ? a->low <= b->high : a->low < b->high) ? TRUTH_PERHAPS : TRUTH_NEVER;
}

static enum truth compare(const struct flow *f, const struct expr *e, int depth)
{
    struct known a = known(f, e->args[0], depth), b = known(f, e->args[1], depth);
    switch (e->kind) {
    case EXPR_EQUAL:
        return are_equal(&a, &b);
    case EXPR_UNEQUAL:
        return opposite(are_equal(&a, &b));
    case EXPR_LESS:
    case EXPR_LESS_EQUAL:
        return is_less(&a, &b, e->kind == EXPR_LESS_EQUAL);
    default:
        return is_less(&b, &a, e->kind == EXPR_GREATER_EQUAL);
    }
}

static enum truth logic(const struct flow *f, const struct expr *e, int depth)
{
    struct known first = known(f, e->args[0], depth);
    enum truth a = truth_of(&first);
    if (e->kind == EXPR_NOT)
        return opposite(a);
    struct known second = known(f, e->args[1], depth);
    enum truth b = truth_of(&second), deciding = e->kind == EXPR_AND ? TRUTH_NEVER : TRUTH_ALWAYS;
    if (a == deciding || b == deciding)
        return deciding;
    return a == b ? a : TRUTH_PERHAPS;
}

static struct known known(const struct flow *f, const struct expr *e, int depth)
{
    switch (e->kind) {
    case EXPR_INTEGER:
        return range(e->integer, e->integer);
    case EXPR_BOOL:
        return of_truth(e->integer ? TRUTH_ALWAYS : TRUTH_NEVER);
    case EXPR_TEXT:
        return text(e->text);
    case EXPR_NAME:
        return of_name(f, e, depth);
    case EXPR_CALL:
        return of_call(f, e, depth);
    case EXPR_NOT:
    case EXPR_AND:
    case EXPR_OR:
        return of_truth(logic(f, e, depth));
    case EXPR_NEGATE:
    case EXPR_ADD:
    case EXPR_SUBTRACT:
        return of_arithmetic(f, e, depth);
    case EXPR_MULTIPLY:
    case EXPR_DIVIDE:
    case EXPR_REMAINDER:
        return nothing;
    default:
        return of_truth(compare(f, e, depth));
    }
}

enum truth known_truth(const struct flow *f, const struct expr *e)
{
    struct known k = known(f, e, 0);
    return truth_of(&k);
}
