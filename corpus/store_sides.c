/* Targets, what each was put to, and how that ended: for reports that lay targets side by side. */
#include "corpus/store_internal.h"

#include <string.h>

/* Room for one more in an array in the arena; what is outgrown stays there until the arena goes. */
static void *grown(struct arena *a, void *items, size_t count, size_t size)
{
    if (count && (count < 8 || (count & (count - 1))))
        return items;
    void *bigger = arena_alloc(a, (count ? 2 * count : 8) * size);
    if (count)
        memcpy(bigger, items, count * size);
    return bigger;
}

/* ---- targets ---- */

static int read_identities(struct store *s, struct arena *a, struct store_side *sides, size_t count, struct error **err)
{
    int row = store_step(s, SQL_SIDE_IDENTITIES, err, "");
    for (; row > 0; row = store_next(s, SQL_SIDE_IDENTITIES, err)) {
        const char *target = store_text(s, SQL_SIDE_IDENTITIES, 0, a);
        size_t i = 0;
        while (i < count && strcmp(sides[i].target, target) != 0)
            i++;
        if (i == count)
            continue;
        struct store_side *side = &sides[i];
        side->identities = grown(a, (void *)side->identities, side->identity_count, sizeof *side->identities);
        side->identities[side->identity_count++] = store_text(s, SQL_SIDE_IDENTITIES, 1, a);
    }
    return row;
}

static int read_sides(struct store *s, struct arena *a, struct store_side **out, size_t *count, struct error **err)
{
    int row = store_step(s, SQL_SIDES, err, "");
    for (; row > 0; row = store_next(s, SQL_SIDES, err)) {
        *out = grown(a, *out, *count, sizeof **out);
        (*out)[(*count)++] = (struct store_side){
            .target = store_text(s, SQL_SIDES, 0, a),
            .runs = store_integer(s, SQL_SIDES, 1),
            .runs_with_endings = store_integer(s, SQL_SIDES, 2),
            .refused = store_integer(s, SQL_SIDES, 3),
            .first_ms = store_integer(s, SQL_SIDES, 4),
            .last_ms = store_integer(s, SQL_SIDES, 5),
            .runs_open = store_integer(s, SQL_SIDES, 6),
        };
    }
    return row < 0 ? row : read_identities(s, a, *out, *count, err);
}

int store_sides(struct store *s, struct arena *a, struct store_side **out, size_t *count, struct error **err)
{
    *out = NULL;
    *count = 0;
    pthread_mutex_lock(&s->mutex);
    int status = read_sides(s, a, out, count, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

/* ---- executions ---- */

static const char *text_of(const struct store *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s->statements[SQL_WORKLOADS], column);
    return text ? text : "";
}

static enum execution_outcome outcome_of(const char *name)
{
    switch (*name) {
    case 'p':
        return EXECUTION_PASSED;
    case 'f':
        return EXECUTION_FAILED;
    case 's':
        return EXECUTION_SKIPPED;
    default:
        return EXECUTION_HARNESS;
    }
}

static enum execution_ending ending_of(const char *name)
{
    for (int i = ENDING_TIMED_OUT; *name && i <= ENDING_DIED; i++)
        if (strcmp(name, execution_ending_name((enum execution_ending)i)) == 0)
            return (enum execution_ending)i;
    return ENDING_WELL;
}

int store_workloads(struct store *s, void (*told)(void *user, const struct store_workload *w), void *user, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int row = store_step(s, SQL_WORKLOADS, err, "");
    for (; row > 0; row = store_next(s, SQL_WORKLOADS, err)) {
        struct store_workload w = {
            .target = text_of(s, 0),
            .domain = text_of(s, 1),
            .workflow = text_of(s, 2),
            .mutators = text_of(s, 3),
            .outcome = outcome_of(text_of(s, 4)),
            .ending = ending_of(text_of(s, 5)),
            .ending_op = text_of(s, 6),
            .ending_known = store_integer(s, SQL_WORKLOADS, 7),
            .ns = store_integer(s, SQL_WORKLOADS, 8),
            .why = text_of(s, 9),
        };
        told(user, &w);
    }
    pthread_mutex_unlock(&s->mutex);
    return row;
}

/* ---- findings ---- */

static int read_sightings(struct store *s, struct arena *a, struct store_sighting **out, size_t *count, struct error **err)
{
    int row = store_step(s, SQL_SIGHTINGS, err, "");
    for (; row > 0; row = store_next(s, SQL_SIGHTINGS, err)) {
        *out = grown(a, *out, *count, sizeof **out);
        struct store_sighting *one = &(*out)[(*count)++];
        *one = (struct store_sighting){.target = store_text(s, SQL_SIGHTINGS, 1, a), .times = store_integer(s, SQL_SIGHTINGS, 2)};
        const char *signature = store_text(s, SQL_SIGHTINGS, 0, a);
        memcpy(one->finding, signature, strnlen(signature, sizeof one->finding - 1));
    }
    return row;
}

int store_sightings(struct store *s, struct arena *a, struct store_sighting **out, size_t *count, struct error **err)
{
    *out = NULL;
    *count = 0;
    pthread_mutex_lock(&s->mutex);
    int status = read_sightings(s, a, out, count, err);
    pthread_mutex_unlock(&s->mutex);
    return status;
}
