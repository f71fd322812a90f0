/* User-stated checks; see user_check.h. Patterns are compiled once and shared by threads; each match has data of its own. A match that
 * takes too long says nothing. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "exec/oracle/user_check.h"

#include <stdlib.h>
#include <string.h>

#include "exec/oracle/judge.h"

enum { CHECKS_MAX = 64, NAME_MAX_BYTES = 40, MATCH_LIMIT = 100000, QUOTED = 200 };

struct user_check {
    const char *slug, *op, *field, *primitive, *pattern_text;
    pcre2_code *pattern;
    bool must;
};

struct user_checks {
    struct arena arena;
    struct user_check items[CHECKS_MAX];
    size_t count;
    pcre2_match_context *limits;
};

struct user_checks *user_checks_new(void)
{
    struct user_checks *c = xcalloc(1, sizeof *c);
    arena_init(&c->arena);
    c->limits = pcre2_match_context_create(NULL);
    if (!c->limits)
        BUG("out of memory");
    pcre2_set_match_limit(c->limits, MATCH_LIMIT);
    return c;
}

void user_checks_free(struct user_checks *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->count; i++)
        pcre2_code_free(c->items[i].pattern);
    pcre2_match_context_free(c->limits);
    arena_release(&c->arena);
    free(c);
}

/* --- reading --- */

static bool is_among(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

static const char *const fields[] = {"stdout", "stderr", "content", "message", "raw", "exit", "outcome", NULL};

static int set_field(struct user_checks *c, struct user_check *u, const char *value, struct error **err)
{
    if (!is_among(value, fields))
        return error_set(err, ERR_INPUT, "field: found '%s', expected stdout, stderr, content, message, raw, exit or outcome", value);
    u->field = arena_string(&c->arena, bytes_of_string(value));
    return 0;
}

static int set_primitive(struct user_checks *c, struct user_check *u, const char *value, struct error **err)
{
    size_t count;
    const char *const *names = primitive_names(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], value) == 0)
            u->primitive = names[i];
    return u->primitive && strcmp(u->primitive, value) == 0
               ? 0
               : error_set(err, ERR_INPUT, "primitive: found '%s', expected one of the closed list, such as encoding or process", value);
}

static int set_op(struct user_checks *c, struct user_check *u, const char *value, struct error **err)
{
    u->op = arena_string(&c->arena, bytes_of_string(value));
    return 0;
}

static int set_pattern(struct user_checks *c, struct user_check *u, const char *value, bool must, struct error **err)
{
    char message[120];
    int code = 0;
    PCRE2_SIZE offset = 0;
    if (u->pattern)
        return error_set(err, ERR_INPUT, "found a second pattern of the check, expected one must or must-not");
    u->pattern = pcre2_compile((PCRE2_SPTR)value, strlen(value), PCRE2_NEVER_UTF | PCRE2_MULTILINE, &code, &offset, NULL);
    if (!u->pattern) {
        pcre2_get_error_message(code, (PCRE2_UCHAR *)message, sizeof message);
        return error_set(err, ERR_INPUT, "found '%s', expected a PCRE2 pattern: %s at byte %zu", value, message, (size_t)offset);
    }
    u->pattern_text = arena_string(&c->arena, bytes_of_string(value));
    u->must = must;
    return 0;
}

static int set_must(struct user_checks *c, struct user_check *u, const char *value, struct error **err)
{
    return set_pattern(c, u, value, true, err);
}

static int set_must_not(struct user_checks *c, struct user_check *u, const char *value, struct error **err)
{
    return set_pattern(c, u, value, false, err);
}

static int find_check(struct user_checks *c, const char *name, struct user_check **u, struct error **err)
{
    size_t length = strlen(name);
    bool plain = length > 0 && length <= NAME_MAX_BYTES && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == 0;
    if (!plain)
        return error_set(err, ERR_INPUT, "found a check called '%s', expected up to %d of a to z, 0 to 9 and -", name, NAME_MAX_BYTES);
    const char *slug = arena_printf(&c->arena, "user-%s", name);
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->items[i].slug, slug) == 0) {
            *u = &c->items[i];
            return 0;
        }
    if (c->count == CHECKS_MAX)
        return error_set(err, ERR_INPUT, "found more than %d checks", CHECKS_MAX);
    *u = &c->items[c->count++];
    **u = (struct user_check){.slug = slug};
    return 0;
}

int user_checks_set(struct user_checks *c, const char *section, const char *key, const char *value, struct error **err)
{
    static const struct {
        const char *key;
        int (*set)(struct user_checks *c, struct user_check *u, const char *value, struct error **err);
    } keys[] = {{"field", set_field}, {"primitive", set_primitive}, {"op", set_op}, {"must", set_must}, {"must-not", set_must_not}};
    struct user_check *u = NULL;
    TRY(find_check(c, section, &u, err));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].key, key) == 0)
            return keys[i].set(c, u, value, err);
    return error_set(err, ERR_INPUT, "found '%s', expected field, must, must-not, op or primitive", key);
}

int user_checks_end(const struct user_checks *c, struct error **err)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct user_check *u = &c->items[i];
        const char *lacks = !u->field ? "field" : !u->primitive ? "primitive" : !u->pattern ? "must or must-not" : NULL;
        if (lacks)
            return error_set(err, ERR_INPUT, "[%s]: found nothing of that name, expected %s", u->slug + strlen("user-"), lacks);
    }
    return 0;
}

/* --- judging --- */

/* The part of the observation that the check is about; false when it has none. */
static bool part_of(const struct observation *o, const char *field, struct arena *a, struct bytes *text)
{
    bool present = true;
    if (strcmp(field, "message") == 0) {
        *text = o->outcome.message;
        return text->len > 0;
    }
    if (strcmp(field, "raw") == 0)
        *text = o->outcome.raw;
    else if (strcmp(field, "outcome") == 0)
        *text = bytes_of_string(outcome_class_name(o->outcome.class));
    else if (strcmp(field, "exit") == 0)
        *text = bytes_of_string(arena_printf(a, "%d", (present = o->outcome.has_exit) ? o->outcome.exit : 0));
    else
        *text = observation_result(o, field, &present);
    return present;
}

static void judge_step(const struct user_checks *c, const struct user_check *u, const struct execution *e, size_t i,
                       struct verdicts *out)
{
    const struct observation *o = &e->observations[i];
    struct bytes text;
    if ((u->op && strcmp(u->op, o->step->op->name) != 0) || o->outcome.class == OUTCOME_SKIPPED || observation_mutated(o) ||
        o->outcome.truncated || !part_of(o, u->field, out->arena, &text))
        return;
    pcre2_match_data *match = pcre2_match_data_create(1, NULL);
    int found = match ? pcre2_match(u->pattern, text.data ? text.data : (PCRE2_SPTR) "", text.len, 0, 0, match, c->limits) : PCRE2_ERROR_NOMEMORY;
    pcre2_match_data_free(match);
    bool there = found >= 0, absent = found == PCRE2_ERROR_NOMATCH;
    if (u->must ? !absent : !there)
        return;
    struct buf evidence;
    buf_init(&evidence, 8192);
    buf_addf(&evidence, "step %s %s: its %s %s %s, and is ", o->step->id, o->step->op->name, u->field,
             u->must ? "does not match" : "matches", u->pattern_text);
    judge_quote(&evidence, text, QUOTED);
    buf_add_string(&evidence, "; no witness is asked -> undecided");
    struct verdict v = {.check = u->slug,
                        .primitive = u->primitive,
                        .op = o->step->op->name,
                        .layer = layer_of(EFFECT_UNSEEN),
                        .detail = u->must ? "what must be there is not" : "what must not be there is",
                        .title = arena_printf(out->arena, "%s: %s breaks a rule of yours about its %s", u->slug, o->step->op->name, u->field),
                        .evidence = buf_string(&evidence),
                        .observation = i,
                        .client_illegal = client_illegal(e, i)};
    verdict_add(out, &v);
    buf_release(&evidence);
}

void user_checks_judge(const struct execution *e, struct verdicts *out)
{
    const struct user_checks *c = e->user_checks;
    for (size_t k = 0; c && k < c->count; k++)
        for (size_t i = 0; i < e->count; i++)
            judge_step(c, &c->items[k], e, i, out);
}
