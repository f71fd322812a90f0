/* Names of members and kinds of values in results. The walk neither recurses nor looks at more than one element of an array, and
 * shapes are folded into a fixed number of slots for each op: what a target sends may be of any shape. */
#include "exec/oracle/features/features.h"

enum { SLOTS = 64, NODES = 4096 };

static const struct json *next_node(const struct json *root, const struct json *node, uint64_t *hash)
{
    if (node->first)
        return node->first;
    while (node && node != root && !(node->next && node->parent->kind == JSON_OBJECT)) {
        node = node->parent;
        *hash = hash64_mix(*hash, 99); /* back up */
    }
    return node && node != root ? node->next : NULL;
}

static uint64_t shape_of(const struct json *root)
{
    uint64_t hash = 0;
    const struct json *node = root;
    for (int nodes = 0; node && nodes < NODES; nodes++) {
        hash = hash64_mix(hash, (uint64_t)node->kind);
        if (node->key.len)
            hash = hash64_mix(hash, hash64(node->key));
        node = next_node(root, node, &hash);
    }
    return hash;
}

static void tell(struct features *f, const struct observation *o, uint64_t slot)
{
    struct buf names;
    buf_init(&names, 200);
    for (const struct json *m = o->outcome.result->first; m; m = m->next)
        buf_addf(&names, "%s%.*s %s", names.len ? ", " : "", BYTES_ARG(m->key), json_kind_name(m->kind));
    feature_say(f, "%s gives {%s}, shape %llu", feature_op_words(f, o), buf_string(&names), (unsigned long long)slot);
    buf_release(&names);
}

void feature_find_shape_out(struct features *f, const struct execution *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!f->ops[i] || !o->outcome.result)
            continue;
        uint64_t slot = shape_of(o->outcome.result) % SLOTS;
        if (feature_add(f, hash64_mix(f->ops[i], slot)))
            tell(f, o, slot);
    }
}
