/* The table of feature domains, and what is done with it; see feedback.h. The order of the rows is that in which features are found, so it
 * decides what has room where an execution shows more of them than fit. */
#include "exec/oracle/feedback.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/oracle/features/features.h"

enum { SLOTS_FIRST = 256, WORDS_MAX = 300, NAME_SLOTS = 1024 };

static const char local[] = "a target on this machine";
#define ONCE 1, 1, true, false, FEEDBACK_CALLS
#define OFTEN 5, 3, true, false, FEEDBACK_CALLS
#define WATCHED 5, 3, true, true, FEEDBACK_CALLS

static const struct feedback table[] = {
    {1, "outcome", "op, how it ended", NULL, ONCE, 512, feature_find_outcome},
    {2, "code", "op, error code, exit status or signal", NULL, ONCE, 512, feature_find_code},
    {19, "shape-in", "op, argument, its kind and a few bits of its shape; of calls that succeed", NULL, ONCE, 1024, feature_find_shape_in},
    {3, "flow", "op, the op that made what it uses, how that one ended", NULL, ONCE, 512, feature_find_flow},
    {4, "sequence", "the last two and the last three (op, how it ended)", NULL, 1, 1, true, false, FEEDBACK_SEAMS, 512,
     feature_find_sequence},
    {5, "shape-out", "op, names and kinds in its result", NULL, ONCE, 512, feature_find_shape_out},
    {6, "size", "op, bytes sent, received or printed as a power of two", NULL, ONCE, 512, feature_find_size},
    {20, "time", "op, by which power of two it was slower or quicker than usual", "calls of the op before", 5, 3, false, false, FEEDBACK_CALLS, 64,
     feature_find_time},
    {18, "resources", "descriptors, processes, sockets, memory and CPU time that there were more of at the end", local, OFTEN, 64,
     feature_find_resources},
    {21, "syscalls", "system call of the target's processes, error, kind of path", "the observer of system calls", WATCHED, 2048,
     feature_find_syscalls},
    {22, "fs-delta", "op, kind of path, how the file there changed", "a witness", ONCE, 512, feature_find_fs_delta},
    {7, "differential", "op, how what came back differs from what was sent", NULL, ONCE, 512, feature_find_differential},
    {8, "message", "op, its error message without what differs from run to run", NULL, ONCE, 512, feature_find_message},
    {25, "log", "a line that the target wrote on standard error, without what differs from run to run", "a target whose standard error is ours", 1, 1, true,
     false, FEEDBACK_STATE, 64, feature_find_log},
    {23, "trace", "what was out of order on the wire, or answered twice or never", NULL, ONCE, 256, feature_find_trace},
    {9, "fault", "what was done to the call while it ran, how it ended", "MCP", ONCE, 256, feature_find_fault},
    {16, "leftover", "what was left at the end of the session: its kind, one or more", local, ONCE, 64, feature_find_leftover},
    {17, "tripwire", "which of our files outside the root was touched, or its text seen, and how", local, ONCE, 64, feature_find_tripwire},
    {24, "code-coverage", "stretch of the target's own code that ran", "the observer of its runtime", WATCHED, 8192,
     feature_find_code_coverage},
};

const struct feedback *feedback_at(size_t index)
{
    return index < sizeof table / sizeof *table ? &table[index] : NULL;
}

const struct feedback *feedback_find(unsigned id)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].id == id)
            return &table[i];
    return NULL;
}

const struct feedback *feedback_of(uint64_t feature)
{
    return feedback_find((unsigned)(feature >> 56));
}

/* ---- sets ---- */

uint64_t feedback_all(void)
{
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        all |= UINT64_C(1) << table[i].id;
    return all;
}

static uint64_t set_of(struct bytes name)
{
    if (bytes_equal(name, BYTES_LITERAL("all")))
        return feedback_all();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (bytes_equal(name, bytes_of_string(table[i].name)))
            return UINT64_C(1) << table[i].id;
    return 0;
}

static int fail_name(struct bytes name, struct error **err)
{
    struct buf names;
    buf_init(&names, 4096);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        buf_addf(&names, "%s ", table[i].name);
    int code = error_set(err, ERR_INPUT, "found '%.*s', expected one of %sor all", BYTES_ARG(name), buf_string(&names));
    buf_release(&names);
    return code;
}

int feedback_parse(const char *list, uint64_t *set, struct error **err)
{
    *set = *list == '-' ? feedback_all() : 0;
    for (const char *at = list;; at++) {
        bool out = *at == '-';
        at += out;
        size_t length = strcspn(at, ",");
        struct bytes name = bytes_of(at, length);
        uint64_t one = set_of(name);
        if (!one)
            return fail_name(name, err);
        *set = out ? *set & ~one : *set | one;
        at += length;
        if (!*at)
            return 0;
    }
}

/* ---- what domains share ---- */

/* Calls of a target's own tools and bare requests are as many ops as there are names; those that mutators make up share the slots. */
static struct bytes name_within(const struct observation *o)
{
    const char *op = o->step->op->name, *member = strcmp(op, "call") == 0 ? "name" : strcmp(op, "request") == 0 ? "method" : NULL;
    return member ? json_as_text(json_get(o->args, member)) : BYTES_NONE;
}

uint64_t feedback_op(const struct observation *o)
{
    uint64_t op = feature_text(o->step->op->name);
    struct bytes name = name_within(o);
    return name.len ? hash64_mix(op, hash64(name) % NAME_SLOTS) : op;
}

const char *feature_op_words(struct features *f, const struct observation *o)
{
    struct bytes name = name_within(o);
    return name.len && f->sought ? arena_printf(&f->scratch, "%s %.*s", o->step->op->name, BYTES_ARG(name)) : o->step->op->name;
}

/* The place of a feature in the table, or the free one that is its own to take. */
static uint32_t *slot_of(const struct features *f, uint64_t feature)
{
    size_t at = (size_t)(feature ^ feature >> 32) & f->mask;
    while (f->slots[at] && f->out[f->slots[at] - 1] != feature)
        at = (at + 1) & f->mask;
    return &f->slots[at];
}

static void grow(struct features *f)
{
    f->mask = f->mask ? 4 * f->mask + 3 : SLOTS_FIRST - 1;
    f->slots = arena_alloc(&f->scratch, (f->mask + 1) * sizeof *f->slots);
    for (size_t i = 0; i < f->count; i++)
        *slot_of(f, f->out[i]) = (uint32_t)i + 1;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool is_sought(struct features *f, uint64_t feature)
{
    const uint64_t *found = bsearch(&feature, f->sought, f->sought_count, sizeof feature, compare);
    f->telling = found ? (size_t)(found - f->sought) : 0;
    return found && !f->words[f->telling];
}

bool feature_add(struct features *f, uint64_t hash)
{
    uint64_t feature = (uint64_t)f->domain->id << 56 | (hash & 0xFFFFFFFFFFFFFFull);
    if (f->sought)
        return is_sought(f, feature);
    if (!f->left || f->count == f->max)
        return false;
    if (2 * (f->count + 1) > f->mask)
        grow(f);
    uint32_t *slot = slot_of(f, feature);
    if (*slot)
        return false;
    f->out[f->count++] = feature;
    *slot = (uint32_t)f->count;
    f->left--;
    return false;
}

/* Words may hold what a target sent. */
void feature_say(struct features *f, const char *format, ...)
{
    char text[WORDS_MAX];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
            *c = '?';
    f->words[f->telling] = arena_string(f->words_arena, bytes_of_string(text));
}

/* ---- finding ---- */

static const uint64_t *ops_of(struct features *f, const struct execution *e)
{
    uint64_t *ops = arena_alloc(&f->scratch, e->count * sizeof *ops);
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool counts = o->outcome.class != OUTCOME_SKIPPED && o->outcome.class != OUTCOME_HARNESS;
        ops[i] = counts ? feedback_op(o) : 0;
    }
    return ops;
}

static void find(struct features *f, const struct execution *e, const struct feedback_context *c)
{
    static const struct feedback_context plain = {.domains = UINT64_MAX};
    f->context = c ? c : &plain;
    f->ops = ops_of(f, e);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        f->domain = &table[i];
        f->left = table[i].cap;
        if (f->context->domains >> table[i].id & 1)
            table[i].find(f, e);
    }
}

size_t features_of(const struct execution *e, const struct feedback_context *c, uint64_t *out, size_t max)
{
    struct features f = {.out = out, .max = max};
    if (e->harness)
        return 0;
    arena_init(&f.scratch);
    find(&f, e, c);
    arena_release(&f.scratch);
    if (f.count)
        qsort(out, f.count, sizeof *out, compare);
    return f.count;
}

void features_tell(const struct execution *e, const struct feedback_context *c, const uint64_t *features, size_t count, struct arena *a,
                   const char **words)
{
    struct features f = {.sought = features, .sought_count = count, .words = words, .words_arena = a};
    memset(words, 0, count * sizeof *words);
    if (e->harness || !count)
        return;
    arena_init(&f.scratch);
    find(&f, e, c);
    arena_release(&f.scratch);
}
