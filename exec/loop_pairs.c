/* Pairs of deeds and classes; see loop_pairs.h. */
#include "exec/loop_pairs.h"

#include "base/hash.h"

enum { MUCH_BYTES = 16384, VERY_MUCH_BYTES = 65536, STATE = 5 };

static void add(struct loop_deeds *d, uint64_t hash)
{
    size_t bit = (size_t)(hash % LOOP_DEEDS);
    d->bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static int64_t size_of(const struct task *t, const struct json *value)
{
    const struct json *content = task_is_wrapper(value, "$content") ? json_get_bytes(t->contents, value->first->text) : value;
    int64_t size = 0;
    if (json_is(content, JSON_STRING))
        return (int64_t)content->text.len;
    json_as_integer(json_get(content, "size"), &size); /* of other recipes only making them would tell */
    return size;
}

static void add_content(const struct task *t, struct loop_deeds *d, uint64_t op, const struct json *value)
{
    int64_t size = size_of(t, value);
    if (size >= MUCH_BYTES)
        add(d, hash64_mix(op, 1));
    if (size >= VERY_MUCH_BYTES)
        add(d, hash64_mix(op, 2));
}

void loop_deeds_of(const struct task *t, struct loop_deeds *deeds)
{
    *deeds = (struct loop_deeds){0};
    for (size_t i = 0; i < t->step_count; i++) {
        const struct task_step *step = &t->steps[i];
        uint64_t op = hash64(bytes_of_string(step->op->name));
        add(deeds, op);
        if (step->cancel_after_ms >= 0)
            add(deeds, hash64_mix(op, 3));
        if (step->group)
            add(deeds, hash64_mix(op, 4));
        for (const struct json *arg = step->args->first; arg; arg = arg->next) {
            if (bytes_equal_string(arg->key, "content"))
                add_content(t, deeds, op, arg);
            else
                add(deeds, hash64_mix(op, hash64(arg->key)));
        }
        /* Which tool is called by its name is what is done. */
        if (bytes_equal_string(bytes_of_string(step->op->name), "call"))
            add(deeds, hash64_mix(op, hash64(json_as_text(json_get(step->args, "name")))));
    }
}

void loop_deeds_state(struct loop_deeds *deeds, uint64_t feature)
{
    add(deeds, hash64_mix(feature, STATE));
}

void loop_deeds_add(struct loop_deeds *to, const struct loop_deeds *more)
{
    for (size_t i = 0; i < sizeof to->bits / sizeof *to->bits; i++)
        to->bits[i] |= more->bits[i];
}

double loop_pairs_left(const struct loop_pairs *p, uint64_t feature)
{
    const uint16_t *tried = p->tried[hash64_mix(feature, STATE) % LOOP_DEEDS];
    double sum = 0;
    for (size_t class = 0; class < ARM_CLASSES; class++)
        sum += 1 / (1 + (double)tried[class]);
    return sum;
}

double loop_pairs_worth(const struct loop_pairs *p, const struct loop_deeds *first, const struct arm_set *then)
{
    double sum = 0;
    for (size_t deed = 0; deed < LOOP_DEEDS; deed++) {
        if (!(first->bits[deed / 64] >> deed % 64 & 1))
            continue;
        for (size_t class = 0; class < ARM_CLASSES; class++)
            sum += arm_has(then, class) ? 1 / (1 + (double)p->tried[deed][class]) : 0;
    }
    return sum;
}

void loop_pairs_note(struct loop_pairs *p, const struct loop_deeds *first, const struct arm_set *then)
{
    for (size_t deed = 0; deed < LOOP_DEEDS; deed++) {
        if (!(first->bits[deed / 64] >> deed % 64 & 1))
            continue;
        for (size_t class = 0; class < ARM_CLASSES; class++)
            if (arm_has(then, class) && p->tried[deed][class] < UINT16_MAX)
                p->tried[deed][class]++;
    }
}
