/* The registry of predicates. Every class has one row in one of the tables; a test holds that. */
#include "gen/arm/arm.h"

#include <string.h>

#include "gen/arm/tables.h"

static const struct arm_row *const tables[] = {
    arm_encoding,    arm_null_byte, arm_protocol, arm_size,        arm_path_rows,   arm_permission,
    arm_persistence, arm_storage,   arm_memory,   arm_time,        arm_process,     arm_streams,
    arm_network,     arm_session,   arm_browser,  arm_environment, arm_concurrency,
};

/* "C06" is the sixth class; a test holds that ids and places agree. */
static size_t index_of_id(const char *id)
{
    return (size_t)((id[1] - '0') * 10 + (id[2] - '0') - 1);
}

void arm_add(struct arm_set *set, size_t class_index)
{
    set->bits[class_index / 64] |= UINT64_C(1) << class_index % 64;
}

bool arm_has(const struct arm_set *set, size_t class_index)
{
    return set->bits[class_index / 64] >> class_index % 64 & 1;
}

bool arm_meets(const struct arm_set *a, const struct arm_set *b)
{
    return (a->bits[0] & b->bits[0]) || (a->bits[1] & b->bits[1]);
}

size_t arm_count(const struct arm_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < ARM_CLASSES; i++)
        count += arm_has(set, i);
    return count;
}

void arm_task(const struct task *t, struct arm_set *armed)
{
    struct arena arena;
    struct arm_view view;
    *armed = (struct arm_set){0};
    arena_init(&arena);
    arm_view_make(&view, t, &arena);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct arm_row *row = tables[i]; row->id; row++)
            if (row->armed(&view))
                arm_add(armed, index_of_id(row->id));
    arena_release(&arena);
}

size_t arm_class_find(const char *name)
{
    for (size_t i = 0; class_at(i); i++)
        if (strcmp(class_at(i)->id, name) == 0 || strcmp(class_at(i)->slug, name) == 0)
            return i;
    return ARM_NONE;
}

const char *arm_class_by(size_t class_index)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct arm_row *row = tables[i]; row->id; row++)
            if (index_of_id(row->id) == class_index)
                return row->by;
    return NULL;
}
