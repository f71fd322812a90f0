/* Choosing a kind and writing its record down; and what the records of a task mean together. */
#include <string.h>

#include "mutate/start/start_internal.h"
#include "mutate/wire/wire_internal.h"

enum { KINDS_MAX = 8 };

static const struct start_row *const rows[] = {&start_locale, &start_user, &start_shared_memory, &start_canary};

static const struct start_row *row_of(struct bytes mutator, struct bytes at)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (bytes_equal_string(mutator, rows[i]->mutator->name) && bytes_equal_string(at, rows[i]->at))
            return rows[i];
    return NULL;
}

static const struct start_kind *kind_of(const struct json *record)
{
    const struct start_row *row = row_of(json_as_text(json_get(record, "mutator")), json_as_text(json_get(record, "at")));
    struct bytes detail = json_as_text(json_get(record, "detail"));
    ptrdiff_t colon = bytes_find(detail, BYTES_LITERAL(":"), 0);
    for (const struct start_kind *k = row && colon > 0 ? row->kinds : NULL; k && k->kind; k++)
        if (bytes_equal_string(bytes_slice(detail, 0, (size_t)colon), k->kind))
            return k;
    return NULL;
}

static void join(struct start *s, const struct start *more)
{
    size_t used = 0;
    while (s->variables[used])
        used++;
    for (size_t i = 0; more->variables[i] && used < START_VARIABLES_MAX; i++)
        s->variables[used++] = more->variables[i];
    s->shared_memory = more->shared_memory ? more->shared_memory : s->shared_memory;
    s->user = more->user ? more->user : s->user;
    s->canary = s->canary || more->canary;
}

bool start_of(const struct task *t, struct start *s)
{
    bool any = false;
    *s = (struct start){.shared_memory = 0};
    for (const struct json *record = t->mutations ? t->mutations->first : NULL; record; record = record->next) {
        const struct start_kind *kind = kind_of(record);
        if (!kind)
            continue;
        join(s, &kind->start);
        any = true;
    }
    return any;
}

static bool has_row(const struct task *t, const struct start_row *row)
{
    for (const struct json *record = t->mutations ? t->mutations->first : NULL; record; record = record->next)
        if (bytes_equal_string(json_as_text(json_get(record, "at")), row->at))
            return true;
    return false;
}

const struct start_kind *start_choose(const struct mutation *m, const struct start_row *row)
{
    const struct start_kind *list[KINDS_MAX];
    size_t count = 0;
    if (!m->task->step_count || has_row(m->task, row))
        return NULL;
    for (const struct start_kind *k = row->kinds; k->kind && count < KINDS_MAX; k++)
        if (mutation_words_have(m->kinds, k->kind))
            list[count++] = k;
    return count ? list[rng_below(m->rng, count)] : NULL;
}

/* A text that no program could take for anything but ASCII, also when it spells bytes out. */
static bool is_ascii(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] >= 0x80 || text.data[i] == '\\')
            return false;
    return true;
}

static bool all_ascii(const struct json *root)
{
    for (const struct json *v = root; v;) {
        if (json_is(v, JSON_STRING) && !is_ascii(v->text))
            return false;
        v = json_next(root, v, true);
    }
    return true;
}

/* What recipes make is not looked into. */
static bool task_is_ascii(const struct task *t)
{
    if (t->contents && t->contents->first)
        return false;
    for (size_t i = 0; i < t->step_count; i++)
        if (!all_ascii(t->steps[i].args))
            return false;
    return true;
}

static size_t first_program(const struct task *t)
{
    size_t i = 0;
    while (i < t->step_count && !mutation_is_program(t->steps[i].op))
        i++;
    return i;
}

bool start_apply(struct mutation *m, const struct start_row *row)
{
    const struct start_kind *kind = start_choose(m, row);
    if (!kind)
        return false;
    struct task *t = m->task;
    size_t program = first_program(t);
    bool unsure = kind->effect == START_OTHER || (kind->effect == START_ASCII && !task_is_ascii(t));
    struct change c;
    change_begin(&c, m, row->mutator->name, unsure && program < t->step_count ? program : 0, row->at);
    if (unsure && program < t->step_count)
        retarget_unknown(&c);
    if (row->bring)
        row->bring(&c);
    change_end(&c, "%s: %s", kind->kind, kind->words);
    return true;
}
