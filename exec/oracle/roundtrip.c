/* Finds round-trip mismatches: one row of a table for each op whose bytes can be held against something. See
 * roundtrip.h for what each is compared with. */
#include "exec/oracle/roundtrip.h"

#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/expect.h"
#include "exec/oracle/facts.h"
#include "exec/oracle/kept.h"
#include "exec/oracle/part.h"
#include "exec/oracle/site_seen.h"
#include "exec/oracle/streams.h"
#include "exec/oracle/symptom.h"

struct finder {
    const struct execution *e;
    struct arena *a;
    struct mismatch *items;
    size_t count, capacity;
};

/* What the bytes tell beside their difference. A cut is silently-cut's, and one of a stored file no matter of characters. Letters are
 * lost from what was sent; what a reply shows otherwise is its way of showing it. */
static enum damage damage_in(const struct mismatch *m)
{
    enum damage d = m->known ? damage_of(m->want, m->got) : DAMAGE_NONE;
    bool vague = m->how == DIFFERENCE_OTHER || m->how == DIFFERENCE_REPLACEMENT || m->how == DIFFERENCE_GROWN;
    bool fits = d == DAMAGE_HALF_PAIR || (d == DAMAGE_CUT_CHARACTER && vague && m->in != IN_FILE && !m->lines) ||
                (d == DAMAGE_LETTERS && m->how == DIFFERENCE_OTHER) || (d == DAMAGE_DIGITS && (vague || m->how == DIFFERENCE_CUT));
    return fits ? d : DAMAGE_NONE;
}

/* A text that a locale is to blame for, in a task that chose the target's. */
static bool blames_locale(const struct finder *f, const struct mismatch *m)
{
    bool text = m->known && utf8_valid(m->want);
    return text && task_mutated_by(f->e->task, "locale") &&
           (m->damage == DAMAGE_LETTERS || m->how == DIFFERENCE_REPLACEMENT || m->how == DIFFERENCE_DOUBLE_UTF8);
}

static void found(struct finder *f, const struct mismatch *m)
{
    if (f->count == f->capacity) {
        size_t capacity = f->capacity ? 2 * f->capacity : 8;
        struct mismatch *items = arena_alloc(f->a, capacity * sizeof *items);
        if (f->count)
            memcpy(items, f->items, f->count * sizeof *items);
        f->items = items;
        f->capacity = capacity;
    }
    f->items[f->count] = *m;
    struct mismatch *own = &f->items[f->count++];
    own->full_disk = m->in == IN_FILE && on_small_disk(f->e, m->observation,
                                                       observation_argument(&f->e->observations[m->observation], "path"));
    own->damage = damage_in(m);
    if (m->in == IN_OUTPUT && m->known)
        own->command = command_fault_of(&f->e->observations[m->observation], m->want, m->got, true, true);
    own->locale = blames_locale(f, own);
    if (own->damage == DAMAGE_LETTERS && m->in != IN_FILE && m->in != IN_SITE && !own->locale)
        own->damage = DAMAGE_NONE;
    own->unchanged = m->unchanged && !own->damage && !own->locale; /* the same damage, done twice */
}

/* Nobody but the step itself can have touched its path, as far as we can tell. */
static bool alone(const struct finder *f, size_t i, struct bytes path)
{
    return !path_has_nul(path) && !group_touches(f->e, i, path) && !background_touches(f->e, i, path);
}

/* What sizes alone tell. */
static enum difference difference_of_sizes(uint64_t want, uint64_t got)
{
    return got == 0     ? DIFFERENCE_EMPTY
           : got < want ? DIFFERENCE_CUT
           : got > want ? DIFFERENCE_GROWN
                        : DIFFERENCE_OTHER;
}

static bool holds(const struct file_view *v, struct bytes want)
{
    if (v->size != want.len)
        return false;
    if (v->have_data)
        return bytes_equal(v->data, want);
    char hash[65];
    sha256_hex(want, hash);
    return strcmp(hash, v->sha256) == 0;
}

/* "Nothing was done" is the better word for a file that is as it was, unless what is wrong with it tells
 * more: the same bad write, done twice. */
static bool nothing_done(const struct file_view *before, const struct file_view *after, enum difference how,
                         bool builds_on_old)
{
    bool vague = how == DIFFERENCE_OTHER || how == DIFFERENCE_GROWN || how == DIFFERENCE_EMPTY;
    return view_same_bytes(before, after) && (vague || builds_on_old);
}

/* The file must hold `want` after step i, which replaced it or built on what it held. */
static void compare_stored(struct finder *f, size_t i, const struct file_view *before,
                           const struct file_view *after, struct bytes want, bool builds_on_old)
{
    if (!view_has_bytes(after) || holds(after, want))
        return;
    struct mismatch m = {
        .observation = i,
        .in = IN_FILE,
        .effect = EFFECT_WRONG,
        .known = after->have_data,
        .by = after->by,
        .want = want,
        .got = after->data,
        .want_size = want.len,
        .got_size = after->size,
    };
    m.how = m.known ? difference_of(want, after->data) : difference_of_sizes(want.len, after->size);
    m.unchanged = nothing_done(before, after, m.how, builds_on_old);
    found(f, &m);
}

static bool content_argument(const struct observation *o, const char *name, struct bytes *content)
{
    const struct json *value = json_get(o->args, name);
    if (!json_is(value, JSON_STRING))
        return false;
    *content = value->text;
    return true;
}

static void look_write(struct finder *f, size_t i)
{
    const struct observation *o = &f->e->observations[i];
    struct bytes content;
    if (content_argument(o, "content", &content) && alone(f, i, observation_argument(o, "path")))
        compare_stored(f, i, &o->before, &o->after, content, false);
}

static struct bytes joined(struct arena *a, struct bytes x, struct bytes y, struct bytes z)
{
    uint8_t *data = arena_alloc(a, x.len + y.len + z.len + 1);
    memcpy(data, x.data ? x.data : data, x.len);
    memcpy(data + x.len, y.data ? y.data : data, y.len);
    memcpy(data + x.len + y.len, z.data ? z.data : data, z.len);
    return bytes_of(data, x.len + y.len + z.len);
}

static void look_append(struct finder *f, size_t i)
{
    const struct observation *o = &f->e->observations[i];
    struct bytes content, old = o->before.data;
    if (!content_argument(o, "content", &content) || !alone(f, i, observation_argument(o, "path")))
        return;
    if (o->before.by == WITNESS_NONE || !view_has_bytes(&o->after))
        return;
    if (o->before.exists && !o->before.have_data) {
        uint64_t want = o->before.size + content.len;
        struct mismatch m = {
            .observation = i,
            .in = IN_FILE,
            .effect = EFFECT_WRONG,
            .by = o->after.by,
            .how = difference_of_sizes(want, o->after.size),
            .want_size = want,
            .got_size = o->after.size,
            .unchanged = view_same_bytes(&o->before, &o->after),
        };
        if (view_has_bytes(&o->before) && want != o->after.size)
            found(f, &m);
        return;
    }
    /* Where the old bytes still stand in front, only what was added is compared: it tells more. */
    if (o->after.have_data && bytes_starts(o->after.data, old) && o->after.size > old.len) {
        struct file_view added = o->after;
        added.data = bytes_slice(o->after.data, old.len, o->after.data.len);
        added.size = added.data.len;
        compare_stored(f, i, &o->before, &added, content, false);
        return;
    }
    compare_stored(f, i, &o->before, &o->after, joined(f->a, old, content, BYTES_NONE), true);
}

static void look_edit(struct finder *f, size_t i)
{
    const struct observation *o = &f->e->observations[i];
    struct bytes old, new, data = o->before.data;
    if (!content_argument(o, "old", &old) || !content_argument(o, "new", &new) || bytes_equal(old, new))
        return;
    if (!o->before.have_data || !o->after.have_data || !alone(f, i, observation_argument(o, "path")))
        return;
    ptrdiff_t at = old.len ? bytes_find(data, old, 0) : -1;
    bool once = at >= 0 && bytes_find(data, old, (size_t)at + 1) < 0;
    bool unchanged = bytes_equal(data, o->after.data);
    /* A target may choose among several places, or match loosely; only "done" without any change is wrong
     * then. */
    if (!once && !unchanged)
        return;
    size_t from = at < 0 ? data.len : (size_t)at;
    struct bytes rest = bytes_slice(data, from + old.len, data.len);
    compare_stored(f, i, &o->before, &o->after, joined(f->a, bytes_slice(data, 0, from), new, rest), true);
}

/* copy and move: the new name must have the bytes that the old one had. */
static void look_transfer(struct finder *f, size_t i)
{
    const struct observation *o = &f->e->observations[i];
    struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to");
    if (path_same(path, to) || !alone(f, i, path) || !alone(f, i, to) || !view_has_bytes(&o->before))
        return;
    bool into_directory = o->to_before.by == WITNESS_NONE || o->to_before.kind == 'd' ||
                          o->to_before.kind == 'l';
    if (into_directory || !view_has_bytes(&o->to_after) || view_same_bytes(&o->before, &o->to_after))
        return;
    struct mismatch m = {
        .observation = i,
        .in = IN_FILE,
        .effect = EFFECT_WRONG,
        .by = o->to_after.by,
        .known = o->before.have_data && o->to_after.have_data,
        .want = o->before.data,
        .got = o->to_after.data,
        .want_size = o->before.size,
        .got_size = o->to_after.size,
    };
    m.how = m.known ? difference_of(m.want, m.got) : difference_of_sizes(m.want_size, m.got_size);
    m.unchanged = nothing_done(&o->to_before, &o->to_after, m.how, false);
    found(f, &m);
}

/* Was this file also known by the other name before step i: a link between them, or a move from one to the other? */
static bool same_file(const struct execution *e, size_t i, struct bytes a, struct bytes b)
{
    static const char *const names[] = {"link", "stage-symlink", "move", NULL};
    if (path_same(a, b))
        return true;
    for (size_t j = 0; j < i; j++) {
        const struct observation *o = &e->observations[j];
        struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to");
        if (observation_is_any(o, names) && observation_claims(o) &&
            ((path_same(path, a) && path_same(to, b)) || (path_same(path, b) && path_same(to, a))))
            return true;
    }
    return false;
}

/* Did an acknowledged write before step i put exactly these bytes there, by this name or another? */
static bool written_before(const struct execution *e, size_t i, struct bytes path, struct bytes got)
{
    static const char *const writes[] = {"write", "upload", NULL};
    for (size_t j = 0; j < i; j++) {
        const struct observation *o = &e->observations[j];
        struct bytes content;
        if (observation_is_any(o, writes) && observation_claims(o) && content_argument(o, "content", &content) && got.len > 0 &&
            bytes_equal(content, got) && same_file(e, i, observation_argument(o, "path"), path))
            return true;
    }
    return false;
}

/* How new and old content may differ; a difference that tells of a damage is no matter of time. */
static bool may_be_old(const struct mismatch *m)
{
    return m->how == DIFFERENCE_OTHER || m->how == DIFFERENCE_GROWN || m->how == DIFFERENCE_CUT;
}

/* Without a witness: the content of the last acknowledged write, unless anything since then may have changed
 * it. */
static bool last_written(const struct execution *e, size_t i, struct bytes path, struct bytes *content)
{
    static const char *const writes[] = {"write", "upload", NULL};
    static const char *const harmless[] = {"read",  "download", "stat",  "list",    "search",
                                           "mkdir", "idle",     "fetch", "resolve", NULL};
    for (size_t j = i; j-- > 0;) {
        const struct observation *o = &e->observations[j];
        if (o->in_group)
            return false;
        if (observation_is_any(o, harmless) || o->outcome.class == OUTCOME_SKIPPED)
            continue;
        bool here = path_same(observation_argument(o, "path"), path);
        if (observation_is_any(o, writes) && !here && !observation_lost(o))
            continue;
        return here && observation_is_any(o, writes) && observation_claims(o) &&
               content_argument(o, "content", content);
    }
    return false;
}

/* A cut that is announced is still none within a character. */
static bool tears(struct bytes want, struct bytes got)
{
    enum damage d = damage_of(want, got);
    return d == DAMAGE_CUT_CHARACTER || d == DAMAGE_HALF_PAIR;
}

/* A reply that says that it is not all: words about a limit that are not in the file. */
static bool announces_cut(struct bytes want, struct bytes got)
{
    static const char *const words[] = {"truncat",    "Truncat",    "TRUNCAT",  "omitted",
                                        "too large",  "too long",   "limit",    "exceed",
                                        "more lines", "more bytes", "remaining"};
    for (size_t i = 0; got.len < want.len && !tears(want, got) && i < sizeof words / sizeof *words; i++) {
        struct bytes word = bytes_of_string(words[i]);
        if (bytes_find(got, word, 0) >= 0 && bytes_find(want, word, 0) < 0)
            return true;
    }
    return false;
}

/* What the reply must be taken from: the file as it was seen, the same before and after; or what was written
 * last. False when there is neither. */
static bool source_of(const struct finder *f, size_t i, struct mismatch *m, struct bytes *whole)
{
    const struct observation *o = &f->e->observations[i];
    if (o->before.by == WITNESS_NONE && o->after.by == WITNESS_NONE) {
        m->effect = EFFECT_UNSEEN;
        m->known = true;
        return last_written(f->e, i, observation_argument(o, "path"), whole);
    }
    m->effect = EFFECT_RIGHT;
    m->known = o->after.have_data;
    m->by = o->after.by;
    *whole = o->after.data;
    return view_same_bytes(&o->before, &o->after);
}

static void compare_reply(struct finder *f, struct mismatch *m, const struct part *part, struct bytes whole)
{
    m->want = part_cut(part, whole);
    m->want_size = m->want.len;
    if (part_equal(part, m->want, m->got) || announces_cut(m->want, m->got))
        return;
    m->how = difference_of(m->want, m->got);
    m->whole_is_text = utf8_valid(whole);
    struct bytes path = observation_argument(&f->e->observations[m->observation], "path");
    m->stale = may_be_old(m) && !part->lines && !part->range &&
               written_before(f->e, m->observation, path, m->got);
    found(f, m);
}

static void look_read(struct finder *f, size_t i)
{
    const struct observation *o = &f->e->observations[i];
    struct bytes whole;
    bool present;
    struct bytes got = observation_result(o, "content", &present);
    struct part part;
    if (!present || !alone(f, i, observation_argument(o, "path")) || !part_of_read(o, &part))
        return;
    struct mismatch m = {
        .observation = i,
        .in = IN_REPLY,
        .got = got,
        .got_size = got.len,
        .lines = part.lines,
        .part = part.range,
    };
    if (!source_of(f, i, &m, &whole))
        return;
    if (m.known) {
        compare_reply(f, &m, &part, whole);
        return;
    }
    m.want_size = o->after.size;
    m.how = difference_of_sizes(m.want_size, got.len);
    if (!part.lines && !part.range && !holds(&o->after, got))
        found(f, &m);
}

/* What the task expects of the step by `x` is text that came otherwise: *m says how. */
static bool text_fails(struct finder *f, size_t i, const struct json *x, struct mismatch *m)
{
    struct fact_report r;
    expect_evaluate(f->e, x, f->a, &r);
    if (r.fact != FACT_FAILS || !r.compared || r.observation != i)
        return false;
    *m = (struct mismatch){
        .observation = i,
        .known = true,
        .want = r.want,
        .got = r.got,
        .want_size = r.want.len,
        .got_size = r.got.len,
        .how = difference_of(r.want, r.got),
    };
    return true;
}

/* Something is wrong already in the same task. */
static bool found_before(const struct finder *f, size_t i)
{
    size_t begin = joined_span(f->e, i).begin;
    for (size_t k = 0; k < f->count; k++)
        if (f->items[k].observation >= begin && f->items[k].observation <= i)
            return true;
    return false;
}

/* Standard output against what the task says it must be, as long as nothing before went wrong, openly or not:
 * what a program prints follows from what it found, and from the locale that the target hands on. One that an exception ended
 * has not printed the rest, whatever status the reply gives. */
static void look_output(struct finder *f, size_t i)
{
    struct kept_loss lost;
    if (found_before(f, i) || !calm_until(f->e, i) || !effects_seen_until(f->e, i) || kept_lost(f->e, &lost) ||
        task_mutated_by(f->e->task, "locale") || symptom_exception(&f->e->observations[i]))
        return;
    for (const struct json *x = f->e->task->expect ? f->e->task->expect->first : NULL; x; x = x->next) {
        struct mismatch m;
        if (!bytes_equal_string(json_as_text(json_get(x, "at")), "/stdout") || !text_fails(f, i, x, &m))
            continue;
        m.in = IN_OUTPUT;
        /* Words around the output are the target's own way of showing it. What a program computed otherwise
         * is nobody's to place without a witness; what got lost on the way is the reply's. */
        bool streams = m.how == DIFFERENCE_OTHER && streams_whole(f->e, i, m.want, m.got, f->a, &m.shuffled);
        m.effect = m.how == DIFFERENCE_OTHER && !streams ? EFFECT_UNSEEN : EFFECT_NONE;
        bool shown_otherwise = m.how == DIFFERENCE_GROWN || m.how == DIFFERENCE_FINAL_NEWLINE || (streams && !m.shuffled);
        if (!shown_otherwise && !announces_cut(m.want, m.got))
            found(f, &m);
    }
}

/* What came at the fixture site against what the task says that it sends there. Hashes and numbers are not texts that were sent. */
static void look_site(struct finder *f, size_t i)
{
    if (found_before(f, i) || !calm_until(f->e, i) || !effects_seen_until(f->e, i) || step_mutated(f->e, f->e->observations[i].step))
        return;
    for (const struct json *x = f->e->task->expect ? f->e->task->expect->first : NULL; x; x = x->next) {
        struct mismatch m;
        if (!json_get(x, "site") || !site_seen_text(json_as_text(json_get(x, "at"))) || !text_fails(f, i, x, &m))
            continue;
        m.in = IN_SITE;
        m.effect = EFFECT_WRONG;
        m.by = WITNESS_OUTSIDE;
        found(f, &m);
    }
}

static const struct {
    const char *op;
    void (*look)(struct finder *f, size_t i);
} looks[] = {
    {"write", look_write},   {"upload", look_write},  {"append", look_append}, {"edit", look_edit},
    {"copy", look_transfer}, {"move", look_transfer}, {"read", look_read},     {"download", look_read},
    {"run", look_output},    {"wait", look_output},
};

const struct mismatch *roundtrip_find(const struct execution *e, struct arena *a, size_t *count)
{
    if (e->facts && e->facts->compared) {
        *count = e->facts->mismatch_count;
        return e->facts->mismatches;
    }
    struct finder f = {.e = e, .a = a};
    for (size_t i = 0; i < e->count; i++)
        for (size_t k = 0; observation_claims(&e->observations[i]) && k < sizeof looks / sizeof *looks; k++)
            if (observation_is(&e->observations[i], looks[k].op))
                looks[k].look(&f, i);
    for (size_t i = 0; i < e->count && e->site.count; i++)
        if (observation_claims(&e->observations[i]))
            look_site(&f, i);
    *count = f.count;
    return f.items;
}
