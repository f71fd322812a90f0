/* From a verdict and its execution to what a script needs. Rows are tried in order; the first that knows what must be decides.
 * A task that did what a script cannot do again - other sessions, things staged on this machine, frames spread over time - is
 * only shown. */
#include "exec/reproduce.h"

#include <string.h>

#include "base/encode.h"
#include "base/hash.h"
#include "exec/compare.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/facts.h"
#include "exec/oracle/roundtrip.h"

enum { BYTES_MAX = 64 * 1024, QUOTE_MAX = 60, TEXT_MAX = 1 << 20 };

struct making {
    const struct execution *e;
    const struct verdict *v;
    const struct observation *o; /* that the verdict speaks of; NULL: of the whole task */
    struct arena *a;
    struct json *object, *decide;
};

static void set(struct making *m, struct json *object, const char *key, const char *text)
{
    json_set(m->a, object, key, json_text(m->a, text));
}

static void say(struct making *m, const char *expected, const char *observed)
{
    set(m, m->object, "expected", expected);
    set(m, m->object, "observed", observed);
}

static void how(struct making *m, const char *name)
{
    set(m, m->decide, "how", name);
    if (m->o)
        set(m, m->decide, "op", m->o->step->op->name);
    json_set(m->a, m->decide, "step", json_integer(m->a, (int64_t)m->v->observation));
}

static const char *quoted(struct making *m, struct bytes b)
{
    struct buf text;
    buf_init(&text, TEXT_MAX);
    buf_addf(&text, "%zu byte%s ", b.len, b.len == 1 ? "" : "s");
    judge_quote(&text, b, QUOTE_MAX);
    const char *copy = arena_string(m->a, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static void set_sha256(struct making *m, struct bytes b)
{
    uint8_t digest[32];
    struct buf hex;
    struct sha256 *s = sha256_new();
    sha256_add(s, b);
    sha256_finish(s, digest);
    buf_init(&hex, 128);
    hex_encode(&hex, bytes_of(digest, sizeof digest));
    json_set(m->a, m->decide, "sha256", json_string(m->a, buf_bytes(&hex)));
    buf_release(&hex);
}

static bool set_path(struct making *m, struct bytes path)
{
    json_set(m->a, m->decide, "path", json_string(m->a, path));
    return true;
}

static void set_base64(struct making *m, struct bytes b)
{
    struct buf text;
    buf_init(&text, 2 * BYTES_MAX);
    base64_encode(&text, b);
    json_set(m->a, m->decide, "base64", json_string(m->a, buf_bytes(&text)));
    buf_release(&text);
}

/* --- rows: true when they have said what must be --- */

static bool by_bytes(struct making *m)
{
    size_t count;
    const struct mismatch *found = roundtrip_find(m->e, m->a, &count), *end = found + count;
    while (found < end && found->observation != m->v->observation)
        found++;
    if (!m->o || found == end || !found->known || found->want.len > BYTES_MAX || found->in == IN_SITE)
        return false;
    /* What a program made may have other bytes the next time. */
    for (size_t i = 0; i < m->v->observation && found->in == IN_REPLY; i++)
        if (observation_is_any(&m->e->observations[i], (const char *const[]){"run", "start", NULL}))
            return false;
    struct bytes path;
    const struct file_view *before, *after;
    const char *where = found->in == IN_FILE ? "the file has" : found->in == IN_REPLY ? "the reply has" : "the output is";
    if (found->in == IN_FILE) {
        if (!made_path(m->o, &path, &before, &after))
            return false;
        how(m, "file");
        set_path(m, path);
        json_set(m->a, m->decide, "exists", json_bool(m->a, true));
        set_sha256(m, found->want);
    } else {
        how(m, "reply");
        set_base64(m, found->want);
        json_set(m->a, m->decide, "lines", json_bool(m->a, found->lines));
    }
    say(m, arena_printf(m->a, "%s %s", where, quoted(m, found->want)), arena_printf(m->a, "%s %s", where, quoted(m, found->got)));
    return true;
}

static bool by_absence(struct making *m)
{
    struct bytes path, place;
    const struct file_view *before, *after;
    if (!m->o || !made_path(m->o, &path, &before, &after))
        return false;
    const char *words = effect_absent(m->e, m->v->observation);
    if (!words && !effect_elsewhere(m->e, m->v->observation, &words, &place))
        return false;
    how(m, "file");
    set_path(m, path);
    json_set(m->a, m->decide, "exists", json_bool(m->a, true));
    say(m, arena_printf(m->a, "after the %s, which succeeds, '%.*s' is there", m->o->step->op->name, BYTES_ARG(path)),
        arena_printf(m->a, "it %s", words));
    return true;
}

static bool by_mode(struct making *m)
{
    struct bytes path = m->o ? observation_argument(m->o, "path") : (struct bytes){0};
    if (!m->o || strcmp(m->v->check, "metadata-lost") != 0 || !path.len || !m->o->before.exists || !m->o->after.exists ||
        m->o->before.mode == m->o->after.mode)
        return false;
    how(m, "mode");
    set_path(m, path);
    json_set(m->a, m->decide, "mode", json_integer(m->a, m->o->before.mode & 07777));
    say(m, arena_printf(m->a, "the file's mode stays %04o", m->o->before.mode & 07777),
        arena_printf(m->a, "it is %04o afterwards", m->o->after.mode & 07777));
    return true;
}

static bool by_status(struct making *m)
{
    int64_t want;
    const struct json *x = m->o && m->e->task->expect ? m->e->task->expect->first : NULL;
    for (; x; x = x->next)
        if (json_as_integer(json_get(x, "exit"), &want) && bytes_equal_string(json_as_text(json_get(x, "step")), m->o->step->id))
            break;
    if (!x || strcmp(m->v->check, "exit-status-lost") != 0)
        return false;
    how(m, "status");
    json_set(m->a, m->decide, "status", json_integer(m->a, want));
    json_set(m->a, m->decide, "none", json_bool(m->a, !m->o->outcome.has_exit)); /* that none is given is the fault */
    say(m, arena_printf(m->a, "the reply gives the program's exit status, %lld", (long long)want),
        m->o->outcome.has_exit ? arena_printf(m->a, "it gives %d", m->o->outcome.exit) : "it gives none");
    return true;
}

static bool by_answer(struct making *m)
{
    if (!m->o || m->o->outcome.class != OUTCOME_TIMEOUT)
        return false;
    how(m, "answer");
    say(m, "the call is answered", arena_printf(m->a, "nothing came within %lld ms", (long long)(m->o->outcome.ns / 1000000)));
    return true;
}

/* Tabs that take more than what was stated for them. */
static bool by_memory(struct making *m)
{
    if (!m->o || strcmp(m->v->check, "tab-flood") != 0 || !observation_is(m->o, "tab-open") || m->o->usage.pss < m->e->tabs.budget || !m->e->tabs.budget)
        return false;
    how(m, "memory");
    json_set(m->a, m->decide, "bytes", json_integer(m->a, (int64_t)m->e->tabs.budget));
    say(m, arena_printf(m->a, "tabs are refused before they take %llu bytes together", (unsigned long long)m->e->tabs.budget),
        arena_printf(m->a, "the processes take %llu bytes, and the last tab was opened", (unsigned long long)m->o->usage.pss));
    return true;
}

/* A page that is said to be loaded, and the reply names another as the one that is there. */
static bool by_place(struct making *m)
{
    bool present;
    struct bytes now = m->o ? observation_result(m->o, "url", &present) : BYTES_NONE, asked = m->o ? observation_argument(m->o, "url") : BYTES_NONE;
    if (!m->o || strcmp(m->v->check, "dialog-blocks") != 0 || !observation_is(m->o, "navigate") || !observation_claims(m->o) || !now.len ||
        bytes_equal(now, asked))
        return false;
    how(m, "place");
    json_set(m->a, m->decide, "text", json_string(m->a, now));
    say(m, arena_printf(m->a, "the browser is at %s, or the call is refused", quoted(m, asked)),
        arena_printf(m->a, "it says to be at %s", quoted(m, now)));
    return true;
}

static bool by_leftover(struct making *m)
{
    if (strcmp(m->v->check, "orphan-left") != 0)
        return false;
    how(m, "leftover");
    say(m, "nothing that was started is left once the target has ended", m->v->title);
    return true;
}

/* What a script would look at is seen by programs inside only. */
static bool is_inside(const struct making *m)
{
    struct bytes how = json_as_text(json_get(m->decide, "how")), path;
    const struct file_view *before, *after;
    if (bytes_equal_string(how, "mode"))
        return m->o->after.by != WITNESS_OUTSIDE;
    return bytes_equal_string(how, "file") && made_path(m->o, &path, &before, &after) && after->by != WITNESS_OUTSIDE;
}

/* Up to what decides, a page of the site was asked for, which only taskgen serves. Of a page behind a dialog it does not matter what it would have been. */
static bool shows_site(const struct making *m)
{
    const struct execution *e = m->e;
    size_t until = m->v->observation + !bytes_equal_string(json_as_text(json_get(m->decide, "how")), "place");
    struct bytes site = bytes_of_string(e->site.address ? e->site.address : "");
    for (size_t i = 0; i < e->count && i < until && site.len; i++)
        for (const struct json *v = e->observations[i].args; v; v = json_next(e->observations[i].args, v, true))
            if (bytes_find(v->text, site, 0) >= 0)
                return true;
    return false;
}

/* Why a script cannot do that one step again; NULL: it can. */
static const char *step_not_by_script(const struct execution *e, const struct observation *o, bool programs, bool browser)
{
    static const char *const jobs[] = {"poll", "wait", "signal", "serve", NULL};
    static const char *const around[] = {"open", "close", "reopen", "idle", "renew", "pause", "resume", "snapshot", "restore", "fork", NULL};
    const char *first = e->observations[0].step->session, *session = o->step->session;
    if (programs && o->in_group)
        return "the task runs programs at the same time";
    if (programs && observation_is_any(o, jobs))
        return "the task looks after programs in the background";
    if (strcmp(session ? session : "", first ? first : ""))
        return "the task has several sessions";
    if (!strncmp(o->step->op->name, "stage-", 6) || observation_is_any(o, around))
        return "the task changes what is around the target";
    if (browser && observation_is(o, "save"))
        return "what a page gives is moved to its place by taskgen";
    return o->outcome.fault && o->outcome.fault->applied ? "the task depends on when and how its bytes are sent" : NULL;
}

static bool is_driven_by(const struct execution *e, const char *driver)
{
    return e->driver && strcmp(e->driver, driver) == 0;
}

/* Why a script cannot do again what the task did; NULL: it can. */
static const char *not_by_script(const struct making *m)
{
    const struct execution *e = m->e;
    if (!e->sent.len)
        return "what was sent is not kept for this kind of target, or was too long";
    if (shows_site(m))
        return "the task looks at pages of the fixture site";
    /* What comes behind the step that decides changes nothing, but for what is left in the end. */
    size_t until = bytes_equal_string(json_as_text(json_get(m->decide, "how")), "leftover") ? e->count : m->v->observation + 1;
    const char *why = NULL;
    for (size_t i = 0; i < e->count && i < until && !why; i++)
        why = step_not_by_script(e, &e->observations[i], is_driven_by(e, "exec"), is_driven_by(e, "cdp"));
    return why;
}

const char *reproduction(const struct execution *e, const struct verdict *v, struct arena *a)
{
    static bool (*const rows[])(struct making *m) = {by_bytes, by_absence, by_mode, by_status, by_answer, by_memory, by_place, by_leftover};
    const struct check *check = check_find(v->check);
    struct execution known = facts_known(e, a);
    struct making m = {.e = &known, .v = v, .o = v->observation < e->count ? &e->observations[v->observation] : NULL, .a = a};
    bool said = false;
    m.object = json_new(a, JSON_OBJECT);
    m.decide = json_new(a, JSON_OBJECT);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !said; i++)
        said = rows[i](&m);
    const char *why = not_by_script(&m);
    if (!said)
        say(&m, check ? check->doc : "the check holds", v->title);
    if (said && !why && is_inside(&m))
        why = "only programs inside see the file";
    if (!said || why) {
        m.decide = json_new(a, JSON_OBJECT);
        how(&m, "show");
        set(&m, m.decide, "why", why ? why : "it takes more than one look to tell");
    }
    json_set(a, m.object, "decide", m.decide);
    json_set(a, m.object, "steps", outline_of(e, a));
    if (e->sent.len) {
        json_set(a, m.object, "command", json_raw(a, e->command));
        json_set(a, m.object, "wire", json_raw(a, e->sent));
        if (e->driver)
            set(&m, m.object, "driver", e->driver);
    }
    struct buf text;
    buf_init(&text, 4 * TEXT_MAX);
    json_write(&text, m.object, JSON_COMPACT);
    const char *copy = text.overflow ? "" : arena_string(a, buf_bytes(&text));
    buf_release(&text);
    return copy;
}
