/* Features: what an execution showed, as integers that can be compared with what was shown before. Domain in
 * the top byte, hash of its tuple below. A domain whose tuples have no natural end (sequences, shapes of
 * results, messages) is folded into a fixed number of slots for each op, so that it can never flood the
 * corpus. */
#include "exec/oracle/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "exec/oracle/facts.h"
#include "exec/oracle/normalise.h"
#include "exec/oracle/roundtrip.h"

enum feature_domain {
    FEATURE_OUTCOME = 1, /* op, outcome class */
    FEATURE_CODE,        /* op, error code, exit status or signal */
    FEATURE_FLOW,        /* op, the op that made what it uses, how that one ended */
    FEATURE_SEQUENCE,    /* the last two and three (op, class) */
    FEATURE_SHAPE,       /* op, names and kinds in its result */
    FEATURE_SIZE,        /* op, which size, its power of two */
    FEATURE_DIFFERENCE,  /* op, how what came back differs */
    FEATURE_MESSAGE,     /* op, normalised message */
    FEATURE_FAULT,       /* what was done to the call while it ran, how it ended */
    FEATURE_LEFTOVER = 16, /* from outside: its kind, one or more */
    FEATURE_TRIPWIRE,    /* place, how it was touched; place, where its canary turned up */
    FEATURE_GROWTH,      /* what there was more of at the end, its power of two; memory in powers of four */
};
enum { SEQUENCE_SLOTS = 4096, SHAPE_SLOTS = 64, MESSAGE_SLOTS = 64, SHAPE_NODES = 4096 };

struct features {
    uint64_t *out;
    size_t count, max;
};

static void add(struct features *f, enum feature_domain domain, uint64_t hash)
{
    uint64_t feature = (uint64_t)domain << 56 | (hash & 0xFFFFFFFFFFFFFFull);
    for (size_t i = 0; i < f->count; i++)
        if (f->out[i] == feature)
            return;
    if (f->count < f->max)
        f->out[f->count++] = feature;
}

static uint64_t hash_text(const char *text)
{
    return hash64(bytes_of_string(text));
}

static uint64_t op_hash(const struct observation *o)
{
    return hash_text(o->step->op->name);
}

static uint64_t op_class(const struct observation *o)
{
    return hash64_mix(op_hash(o), (uint64_t)o->outcome.class);
}

static void add_code(struct features *f, const struct observation *o)
{
    const struct outcome *r = &o->outcome;
    if (r->code)
        add(f, FEATURE_CODE, hash64_mix(hash64_mix(op_hash(o), 1), (uint64_t)r->code));
    if (r->has_exit)
        add(f, FEATURE_CODE, hash64_mix(hash64_mix(op_hash(o), 2), (uint64_t)r->exit));
    if (r->signal)
        add(f, FEATURE_CODE, hash64_mix(hash64_mix(op_hash(o), 3), (uint64_t)r->signal));
}

/* The last earlier step that named the same path made what this one uses. */
static void add_flow(struct features *f, const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    struct bytes path = observation_argument(o, "path");
    for (size_t i = index; path.len && i-- > 0;) {
        const struct observation *maker = &e->observations[i];
        if (path_same(observation_argument(maker, "path"), path) ||
            path_same(observation_argument(maker, "to"), path)) {
            add(f, FEATURE_FLOW, hash64_mix(op_hash(o), op_class(maker)));
            return;
        }
    }
}

static void add_sequence(struct features *f, const struct execution *e, size_t index)
{
    uint64_t hash = op_class(&e->observations[index]);
    for (size_t back = 1; back <= 2 && back <= index; back++) {
        hash = hash64_mix(hash, op_class(&e->observations[index - back]));
        add(f, FEATURE_SEQUENCE, hash64_mix(back, hash % SEQUENCE_SLOTS));
    }
}

/* Names of members and kinds of values, in a walk that neither recurses nor looks at more than one element of
 * an array. */
static uint64_t shape_of(const struct json *root)
{
    uint64_t hash = 0;
    const struct json *node = root;
    for (int nodes = 0; node && nodes < SHAPE_NODES; nodes++) {
        hash = hash64_mix(hash, (uint64_t)node->kind);
        if (node->key.len)
            hash = hash64_mix(hash, hash64(node->key));
        if (node->first) {
            node = node->first;
            continue;
        }
        while (node && node != root && !(node->next && node->parent->kind == JSON_OBJECT)) {
            node = node->parent;
            hash = hash64_mix(hash, 99); /* back up */
        }
        node = node == root ? NULL : node ? node->next : NULL;
    }
    return hash;
}

static void add_size(struct features *f, const struct observation *o, uint64_t which, uint64_t size)
{
    uint64_t power = 0;
    for (; size; size >>= 1)
        power++;
    add(f, FEATURE_SIZE, hash64_mix(hash64_mix(op_hash(o), which), power));
}

static void add_sizes(struct features *f, const struct observation *o)
{
    static const char *const streams[] = {"stdout", "stderr", "content"};
    add_size(f, o, 1, o->outcome.bytes_in);
    add_size(f, o, 2, o->outcome.bytes_out);
    for (uint64_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        bool present;
        struct bytes stream = observation_result(o, streams[i], &present);
        if (present)
            add_size(f, o, 3 + i, stream.len);
    }
}

static void add_message(struct features *f, const struct normaliser *rules, const struct observation *o)
{
    if (!o->outcome.message.len)
        return;
    struct buf text;
    buf_init(&text, 4096);
    normalise(rules, NORMALISE_MESSAGE, o->outcome.message, &text);
    add(f, FEATURE_MESSAGE, hash64_mix(op_hash(o), hash64(buf_bytes(&text)) % MESSAGE_SLOTS));
    buf_release(&text);
}

static void add_differences(struct features *f, const struct execution *e)
{
    struct arena a;
    size_t count;
    arena_init(&a);
    struct execution known = facts_known(e, &a);
    const struct mismatch *m = roundtrip_find(&known, &a, &count);
    for (size_t i = 0; i < count; i++)
        add(f, FEATURE_DIFFERENCE,
            hash64_mix(op_hash(&e->observations[m[i].observation]), (uint64_t)m[i].how));
    arena_release(&a);
}

static void add_fault(struct features *f, const struct observation *o)
{
    const struct outcome_fault *t = o->outcome.fault;
    if (!t || !t->applied)
        return;
    uint64_t hash = hash64_mix(hash64_mix(hash_text(t->mutator), hash_text(t->kind)), (uint64_t)o->outcome.class);
    add(f, FEATURE_FAULT, hash64_mix(hash, (uint64_t)o->outcome.code));
}

static void add_leftovers(struct features *f, const struct execution *e)
{
    size_t count[LEFTOVER_GROUP + 1] = {0};
    for (size_t i = 0; i < e->leftover_count; i++)
        count[e->leftovers[i].kind] += !e->leftovers[i].calm;
    for (uint64_t kind = 0; kind <= LEFTOVER_GROUP; kind++)
        if (count[kind])
            add(f, FEATURE_LEFTOVER, hash64_mix(kind, count[kind] > 1));
}

static void add_tripwires(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->tripwire_count; i++)
        for (uint64_t bit = 1; bit < 1u << TRIPWIRE_TOUCHES; bit <<= 1)
            if (e->tripwires[i].how & bit)
                add(f, FEATURE_TRIPWIRE, hash64_mix(bit, (uint64_t)e->tripwires[i].place));
    for (size_t i = 0; i < e->sighting_count; i++)
        add(f, FEATURE_TRIPWIRE, hash64_mix(99 + (uint64_t)e->sightings[i].in, (uint64_t)e->sightings[i].place));
}

/* `step`: bits that make one more; growth below `least` is the machine's own breathing. */
static void add_growth(struct features *f, uint64_t which, uint64_t before, uint64_t after, uint64_t least, unsigned step)
{
    uint64_t growth = after > before ? after - before : 0, power = 0;
    if (growth < least)
        return;
    for (; growth; growth >>= step)
        power++;
    add(f, FEATURE_GROWTH, hash64_mix(which, power));
}

static void add_figures(struct features *f, const struct snapshot *a, const struct snapshot *z)
{
    const uint64_t much = UINT64_C(64) << 20;
    if (!a->made || !z->made)
        return;
    for (uint64_t kind = 0; a->have_descriptors && z->have_descriptors && kind < DESCRIPTOR_KINDS; kind++)
        add_growth(f, kind, a->descriptors[kind], z->descriptors[kind], 1, 1);
    add_growth(f, 20, a->processes, z->processes, 1, 1);
    add_growth(f, 21, a->zombies, z->zombies, 1, 1);
    add_growth(f, 22, a->listener_count, z->listener_count, 1, 1);
    add_growth(f, 23, a->oom_kills, z->oom_kills, 1, 63);
    add_growth(f, 24, a->process_refusals, z->process_refusals, 1, 63);
    add_growth(f, 25, a->rss, z->rss, much, 2);
    add_growth(f, 26, a->memory_peak, z->memory_peak, much, 2);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

size_t features_of(const struct execution *e, uint64_t *out, size_t max)
{
    struct features f = {.out = out, .max = max};
    if (e->harness)
        return 0;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (o->outcome.class == OUTCOME_SKIPPED || o->outcome.class == OUTCOME_HARNESS)
            continue;
        add(&f, FEATURE_OUTCOME, op_class(o));
        add_code(&f, o);
        add_flow(&f, e, i);
        add_sequence(&f, e, i);
        if (o->outcome.result)
            add(&f, FEATURE_SHAPE, hash64_mix(op_hash(o), shape_of(o->outcome.result) % SHAPE_SLOTS));
        add_sizes(&f, o);
        add_message(&f, e->rules, o);
        add_fault(&f, o);
    }
    add_differences(&f, e);
    add_leftovers(&f, e);
    add_tripwires(&f, e);
    add_figures(&f, &e->at_start, &e->at_end);
    if (f.count)
        qsort(out, f.count, sizeof *out, compare);
    return f.count;
}
