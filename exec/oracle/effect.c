/* Claimed effects; see effect.h. One row for each op that has an effect on files. */
#include "exec/oracle/effect.h"

#include "exec/oracle/facts.h"

static const char *const makes_path[] = {"write", "append", "upload", "mkdir", "link", NULL};
static const char *const makes_to[] = {"copy", "move", NULL};

bool made_path(const struct observation *o, struct bytes *path, const struct file_view **before,
               const struct file_view **after)
{
    if (observation_is_any(o, makes_path)) {
        *path = observation_argument(o, "path");
        *before = &o->before;
        *after = &o->after;
        return true;
    }
    if (observation_is_any(o, makes_to)) {
        *path = observation_argument(o, "to");
        *before = &o->to_before;
        *after = &o->to_after;
        return true;
    }
    return false;
}

static bool seen(const struct file_view *v)
{
    return v->by != WITNESS_NONE;
}

/* A target may take "x/" for another spelling of "x" and make that file. No witness finds a file under "x/", so none says that
 * nothing was made. */
static const char *absent_at(const struct file_view *after, struct bytes path)
{
    return seen(after) && !after->exists && !path_asks_for_directory(path) ? "is not there" : NULL;
}

static const char *absent_path(const struct observation *o)
{
    return absent_at(&o->after, observation_argument(o, "path"));
}

static const char *absent_directory(const struct observation *o)
{
    if (seen(&o->after) && o->after.exists && o->after.kind == 'f')
        return "is no directory";
    return seen(&o->after) && !o->after.exists ? "is not there" : NULL;
}

static const char *absent_copy(const struct observation *o)
{
    return absent_at(&o->to_after, observation_argument(o, "to"));
}

static const char *absent_move(const struct observation *o)
{
    struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to");
    if (absent_copy(o))
        return absent_copy(o);
    bool stays = seen(&o->before) && o->before.exists && seen(&o->after) && o->after.exists;
    return stays && !path_same(path, to) ? "is still there under its old name" : NULL;
}

static const char *absent_remove(const struct observation *o)
{
    return seen(&o->before) && o->before.exists && seen(&o->after) && o->after.exists ? "is still there"
                                                                                      : NULL;
}

static const char *absent_mode(const struct observation *o)
{
    int64_t mode;
    bool asked = json_as_integer(json_get(o->args, "mode"), &mode) && mode >= 0;
    bool plain = seen(&o->after) && o->after.exists && (o->after.kind == 'f' || o->after.kind == 'd');
    /* The kernel may drop the set-id and sticky bits; only the others are promised. */
    return asked && plain && (o->after.mode & 0777) != ((unsigned)mode & 0777) ? "has another mode" : NULL;
}

static const struct {
    const char *op;
    const char *(*absent)(const struct observation *o);
} rows[] = {
    {"write", absent_path}, {"append", absent_path},     {"upload", absent_path},
    {"link", absent_path},  {"mkdir", absent_directory}, {"copy", absent_copy},
    {"move", absent_move},  {"remove", absent_remove},   {"chmod", absent_mode},
};

static const char *absent_by_row(const struct observation *o)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (observation_is(o, rows[i].op))
            return rows[i].absent(o);
    return NULL;
}

/* Of nearly every step all is there, so what else could explain it is looked at last. */
const char *effect_absent(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    const char *words = observation_claims(o) ? absent_by_row(o) : NULL;
    if (!words)
        return NULL;
    struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to");
    if (path_has_nul(path) || path_has_nul(to) || group_touches(e, index, path) || background_touches(e, index, path))
        return NULL;
    return to.len && (group_touches(e, index, to) || background_touches(e, index, to)) ? NULL : words;
}

/* A later step reads what was sent from the very path where the witness sees nothing. */
static bool read_back(const struct execution *e, size_t index, struct bytes path)
{
    static const char *const reads[] = {"read", "download", NULL};
    struct bytes sent = observation_argument(&e->observations[index], "content");
    for (size_t i = index + 1; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool present;
        if (!observation_is_any(o, reads) || !observation_claims(o) ||
            !path_same(observation_argument(o, "path"), path))
            continue;
        struct bytes got = observation_result(o, "content", &present);
        if (present && got.len > 0 && (bytes_equal(got, sent) || bytes_starts(sent, got)))
            return true;
    }
    return false;
}

bool effect_elsewhere(const struct execution *e, size_t index, const char **words, struct bytes *place)
{
    struct bytes path;
    const struct file_view *before, *after;
    *place = BYTES_NONE;
    if (!made_path(&e->observations[index], &path, &before, &after) || !seen(after) || after->exists)
        return false;
    for (size_t i = 0; i < e->cross_count; i++) {
        const struct cross_view *c = &e->crosses[i];
        if (c->observation != index)
            continue;
        if (seen(&c->inside) && c->inside.exists) {
            *words = "programs in the sandbox see it";
            return true;
        }
        if (c->found_at.len) {
            *words = "it stands in another place";
            *place = c->found_at;
            return true;
        }
    }
    *words = "a later read returns it";
    return read_back(e, index, path);
}

bool is_unseen(const struct execution *e, size_t index)
{
    for (size_t i = 0; i < e->cross_count; i++) {
        const struct cross_view *c = &e->crosses[i];
        if (c->observation == index && seen(&c->outside) && seen(&c->inside) && c->outside.exists != c->inside.exists)
            return true;
    }
    return effect_absent(e, index) != NULL;
}

bool effects_seen_in(const struct execution *e, struct span s)
{
    if (e->facts)
        return e->facts->unseen[s.end] == e->facts->unseen[s.begin];
    for (size_t i = s.begin; i < s.end; i++)
        if (is_unseen(e, i))
            return false;
    return true;
}

bool effects_seen_until(const struct execution *e, size_t index)
{
    return effects_seen_in(e, (struct span){joined_span(e, index).begin, index < e->count ? index + 1 : e->count});
}
