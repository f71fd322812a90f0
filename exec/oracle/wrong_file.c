/* Facts about files that do not hold; see wrong_file.h. */
#include "exec/oracle/wrong_file.h"

#include "exec/oracle/convert.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/kept.h"
#include "exec/oracle/roundtrip.h"

/* Several steps at a time changed it: what got lost then is lost-update's to say. */
static bool changed_in_parallel(const struct execution *e, struct bytes path)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->observations[i].in_group && observation_touches(&e->observations[i], path) &&
            group_touches(e, i, path))
            return true;
    return false;
}

/* Something in the task that has to do with the file is said already, or it failed openly: then it is no wonder. */
static bool is_explained(const struct execution *e, struct bytes path, struct arena *a)
{
    struct span s = joined_span_of_file(e, path);
    size_t count;
    const struct mismatch *items = roundtrip_find(e, a, &count);
    for (size_t i = 0; i < count; i++)
        if (items[i].observation >= s.begin && items[i].observation < s.end)
            return true;
    return !calm_in(e, s) || !effects_seen_in(e, s);
}

size_t wrong_files(const struct execution *e, struct arena *a, struct fact_report *out)
{
    size_t count = 0;
    struct kept_loss lost;
    if (e->target_died || kept_lost(e, &lost))
        return 0; /* said already, or no wonder */
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x && count < WRONG_FILES_MAX; x = x->next) {
        struct fact_report *r = &out[count];
        expect_evaluate(e, x, a, r);
        count += r->fact == FACT_FAILS && r->file.len && !background_touches(e, e->count, r->file) &&
                 !changed_in_parallel(e, r->file) && !convert_owns(e, r->file) && !is_explained(e, r->file, a);
    }
    return count;
}
