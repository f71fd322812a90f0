/* --fail-on; see fail_on.h. A word means one thing wherever it stands. */
#include "cli/fail_on.h"

#include "exec/oracle/check.h"

#include <string.h>

enum { DEFAULT_STATES = 1u << FINDING_CONFIRMED | 1u << FINDING_FLAKY | 1u << FINDING_REGRESSED };

void fail_on_default(struct fail_on *f)
{
    *f = (struct fail_on){.terms = {{.states = DEFAULT_STATES}}, .count = 1};
}

static bool is_word(struct bytes word, const char *name)
{
    return bytes_equal_string(word, name);
}

/* Words that name no state, layer or primitive. */
static bool take_mark(struct fail_term *t, struct bytes word)
{
    if (is_word(word, "any"))
        t->states |= DEFAULT_STATES;
    else if (is_word(word, "note"))
        t->note = true;
    else if (is_word(word, "lawful"))
        t->lawful = true;
    else if (is_word(word, "fresh"))
        t->fresh = true;
    else
        return false;
    return true;
}

static bool take_word(struct fail_term *t, struct bytes word)
{
    size_t count;
    const char *const *primitives = primitive_names(&count);
    for (size_t i = 0; i < count; i++)
        if (is_word(word, primitives[i])) {
            t->primitives |= 1u << i;
            return true;
        }
    for (int i = LAYER_INTERFACE; i <= LAYER_UNDECIDED; i++)
        if (is_word(word, layer_name((enum layer)i))) {
            t->layers |= 1u << i;
            return true;
        }
    /* What is fixed does not fail, and what is new has not been tried. */
    static const enum finding_state states[] = {FINDING_CONFIRMED, FINDING_FLAKY, FINDING_REGRESSED, FINDING_UNCONFIRMED};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (is_word(word, finding_state_name(states[i]))) {
            t->states |= 1u << states[i];
            return true;
        }
    return take_mark(t, word);
}

static int bad_word(struct bytes word, struct error **err)
{
    return error_set(err, ERR_INPUT,
                     "found '%.*s', expected never, or words joined by + and ,: confirmed, flaky, regressed, unconfirmed, any; sandbox, "
                     "interface, undecided; a primitive; note, lawful, fresh",
                     BYTES_ARG(word));
}

static int read_term(struct fail_term *t, struct bytes text, struct error **err)
{
    *t = (struct fail_term){0};
    for (size_t at = 0; at <= text.len;) {
        ptrdiff_t plus = bytes_find(text, BYTES_LITERAL("+"), at);
        size_t end = plus < 0 ? text.len : (size_t)plus;
        struct bytes word = bytes_slice(text, at, end);
        if (!take_word(t, word))
            return bad_word(word, err);
        at = end + 1;
    }
    t->states = t->states ? t->states : DEFAULT_STATES;
    return 0;
}

int fail_on_read(struct fail_on *f, const char *text, struct error **err)
{
    struct fail_on read = {.count = 0};
    struct bytes list = bytes_of_string(text);
    if (strcmp(text, "never") == 0) {
        *f = read;
        return 0;
    }
    for (size_t at = 0; at <= list.len;) {
        ptrdiff_t comma = bytes_find(list, BYTES_LITERAL(","), at);
        size_t end = comma < 0 ? list.len : (size_t)comma;
        if (read.count == FAIL_TERMS_MAX)
            return error_set(err, ERR_INPUT, "found more than %d terms", FAIL_TERMS_MAX);
        TRY(read_term(&read.terms[read.count++], bytes_slice(list, at, end), err));
        at = end + 1;
    }
    *f = read;
    return 0;
}

/* Is `name` one of those whose bits are set? */
static bool among(uint32_t bits, const char *const *names, size_t count, const char *name)
{
    if (!bits)
        return true;
    for (size_t i = 0; i < count; i++)
        if (bits >> i & 1 && strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool term_fits(const struct fail_term *t, const struct fail_case *c)
{
    const char *layers[LAYER_UNDECIDED + 1];
    for (int i = LAYER_INTERFACE; i <= LAYER_UNDECIDED; i++)
        layers[i] = layer_name((enum layer)i);
    size_t count;
    const char *const *primitives = primitive_names(&count);
    return t->states >> c->state & 1 && t->note == c->note && (!t->lawful || !c->client_illegal) && (!t->fresh || c->fresh) &&
           among(t->layers, layers, LAYER_UNDECIDED + 1, c->layer) && among(t->primitives, primitives, count, c->primitive);
}

bool fail_on_counts(const struct fail_on *f, const struct fail_case *c)
{
    for (size_t i = 0; i < f->count && !c->suppressed; i++)
        if (term_fits(&f->terms[i], c))
            return true;
    return false;
}
