/* User-stated checks; see user_check.h. Patterns are compiled once and shared by threads; each match has data of its own. A match that
 * takes too long says nothing. What changes while tasks run are the tallies alone, which are atomic. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "exec/oracle/user_check.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "exec/oracle/judge.h"

enum { CHECKS_MAX = 64, NAME_MAX_BYTES = 40, MATCH_LIMIT = 100000, QUOTED = 200 };

struct user_check {
    const char *slug, *op, *field, *primitive, *pattern_text, *command;
    pcre2_code *pattern;
    bool must;
    int line;                 /* of the file, where it begins; 0: not known */
    struct user_command asks; /* filled at the end; for those with a command */
};

struct tally {
    atomic_llong asked, troubles;
};

struct user_checks {
    struct arena arena;
    struct user_check items[CHECKS_MAX];
    size_t count;
    pcre2_match_context *limits;
    struct tally *tallies; /* CHECKS_MAX */
    int line;
    void (*tell)(void *user, const char *check, const char *trouble);
    void *tell_user;
};

struct user_checks *user_checks_new(void)
{
    struct user_checks *c = xcalloc(1, sizeof *c);
    arena_init(&c->arena);
    c->limits = pcre2_match_context_create(NULL);
    if (!c->limits)
        BUG("out of memory");
    pcre2_set_match_limit(c->limits, MATCH_LIMIT);
    c->tallies = xcalloc(CHECKS_MAX, sizeof *c->tallies);
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
    free(c->tallies);
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
    if (u->pattern || u->command)
        return error_set(err, ERR_INPUT, "found a second rule of the check, expected one must, must-not or command");
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

static int set_command(struct user_checks *c, struct user_check *u, const char *value, struct error **err)
{
    if (u->pattern || u->command)
        return error_set(err, ERR_INPUT, "found a second rule of the check, expected one must, must-not or command");
    if (!*value)
        return error_set(err, ERR_INPUT, "command: found nothing, expected a command for the shell");
    u->command = arena_string(&c->arena, bytes_of_string(value));
    return 0;
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
    **u = (struct user_check){.slug = slug, .line = c->line};
    return 0;
}

int user_checks_set(struct user_checks *c, const char *section, const char *key, const char *value, struct error **err)
{
    static const struct {
        const char *key;
        int (*set)(struct user_checks *c, struct user_check *u, const char *value, struct error **err);
    } keys[] = {{"field", set_field}, {"primitive", set_primitive}, {"op", set_op}, {"must", set_must}, {"must-not", set_must_not},
                {"command", set_command}};
    struct user_check *u = NULL;
    TRY(find_check(c, section, &u, err));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].key, key) == 0)
            return keys[i].set(c, u, value, err);
    return error_set(err, ERR_INPUT, "found '%s', expected command, field, must, must-not, op or primitive", key);
}

void user_checks_at(struct user_checks *c, int line)
{
    c->line = line;
}

static int end_one(struct user_check *u, struct error **err)
{
    const char *name = u->slug + strlen("user-");
    const char *lacks = u->command ? NULL : !u->field ? "field" : !u->primitive ? "primitive" : !u->pattern ? "must, must-not or command" : NULL;
    if (u->command && u->field)
        return error_set(err, ERR_INPUT, "[%s]: found field, expected none beside command", name);
    u->asks = (struct user_command){.check = u->slug, .op = u->op, .primitive = u->primitive, .command = u->command};
    return lacks ? error_set(err, ERR_INPUT, "[%s]: found nothing of that name, expected %s", name, lacks) : 0;
}

int user_checks_end(struct user_checks *c, int *line, struct error **err)
{
    for (size_t i = 0; i < c->count; i++) {
        *line = c->items[i].line;
        TRY(end_one(&c->items[i], err));
    }
    return 0;
}

size_t user_checks_count(const struct user_checks *c)
{
    return c ? c->count : 0;
}

bool user_checks_have(const struct user_checks *c, const char *check)
{
    for (size_t i = 0; i < user_checks_count(c); i++)
        if (strcmp(c->items[i].slug, check) == 0)
            return true;
    return false;
}

/* --- commands --- */

const struct user_command *user_checks_command(const struct user_checks *c, size_t index)
{
    return c->items[index].command ? &c->items[index].asks : NULL;
}

/* Steps that show what the target does, and all of it. */
static bool is_whole(const struct observation *o)
{
    return o->outcome.class != OUTCOME_SKIPPED && !observation_mutated(o) && !o->outcome.truncated;
}

bool user_command_wants(const struct user_command *u, const struct observation *o)
{
    return (!u->op || observation_is(o, u->op)) && is_whole(o);
}

const char *user_command_primitive(const struct user_command *u, const struct op *op)
{
    static const struct {
        const char *group, *primitive;
    } rows[] = {{"files", "storage"}, {"run", "process"},     {"session", "session"},  {"net", "network"},
                {"browser", "browser"}, {"stage", "environment"}, {"tool", "protocol"}, {"wire", "protocol"}};
    if (u->primitive)
        return u->primitive;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].group, op->group) == 0)
            return rows[i].primitive;
    return "environment";
}

void user_checks_asked(const struct user_checks *c, size_t index, const char *trouble)
{
    atomic_fetch_add(&c->tallies[index].asked, 1);
    if (trouble && atomic_fetch_add(&c->tallies[index].troubles, 1) == 0 && c->tell)
        c->tell(c->tell_user, c->items[index].slug, trouble);
}

struct user_tally user_checks_tally(const struct user_checks *c, size_t index)
{
    return (struct user_tally){.check = c->items[index].slug,
                               .asked = atomic_load(&c->tallies[index].asked),
                               .troubles = atomic_load(&c->tallies[index].troubles)};
}

void user_checks_tell(struct user_checks *c, void (*tell)(void *user, const char *check, const char *trouble), void *user)
{
    c->tell = tell;
    c->tell_user = user;
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
    if ((u->op && !observation_is(o, u->op)) || !is_whole(o) || !part_of(o, u->field, out->arena, &text))
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

/* Words of somebody's own command, with numbers of any length: made alike as messages of targets are. */
static const char *plain(const struct normaliser *rules, const char *said, struct arena *a)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    normalise(rules, NORMALISE_MESSAGE, bytes_of_string(said), &text);
    const char *copy = arena_string(a, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static void judge_answer(const struct execution *e, const struct user_answer *answer, struct verdicts *out)
{
    const struct observation *o = &e->observations[answer->observation];
    struct verdict v = {.check = answer->check,
                        .primitive = answer->primitive,
                        .op = o->step->op->name,
                        .layer = layer_of(EFFECT_UNSEEN),
                        .detail = plain(e->rules, answer->detail, out->arena),
                        .title = arena_printf(out->arena, "%s: %s is not as a command of yours wants it", answer->check, o->step->op->name),
                        .evidence = arena_printf(out->arena, "step %s %s: the command '%s' ends with status 1 and says: %s; no witness is asked -> undecided",
                                                 o->step->id, o->step->op->name, answer->command, answer->detail),
                        .observation = answer->observation,
                        .client_illegal = client_illegal(e, answer->observation)};
    verdict_add(out, &v);
}

void user_checks_judge(const struct execution *e, struct verdicts *out)
{
    const struct user_checks *c = e->user_checks;
    for (size_t k = 0; k < user_checks_count(c); k++)
        for (size_t i = 0; i < e->count && !c->items[k].command; i++)
            judge_step(c, &c->items[k], e, i, out);
    for (size_t i = 0; i < e->answer_count; i++)
        judge_answer(e, &e->answers[i], out);
}
