/* Downloads that are reported and not there, empty, or of other bytes than the task knows or the site sent, as a witness sees the file. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/expect.h"

static const char slug[] = "download-lost";

/* It went packed, so how many bytes are to be kept cannot be told by how many were sent. */
static bool packed(const struct web_visit *v)
{
    return bytes_ends(v->query, BYTES_LITERAL("&packed")) || bytes_find(v->query, BYTES_LITERAL("&packed&"), 0) >= 0;
}

/* What the fixture site sent for the step as a file, whole and as it is; NULL when that is none, or nobody knows. */
static const struct web_visit *sent_file(const struct execution *e, size_t index)
{
    const struct web_visit *found = NULL;
    for (size_t i = 0; i < e->site.count; i++) {
        const struct web_visit *v = &e->site.visits[i];
        bool file = bytes_starts(v->path, BYTES_LITERAL("/files/get")) || bytes_starts(v->path, BYTES_LITERAL("/account/statement"));
        if (v->step != (int64_t)index || !file)
            continue;
        if (found || v->status != 200 || v->end != WEB_WHOLE || packed(v))
            return NULL;
        found = v;
    }
    return found;
}

static const char *wrong_fact(const struct execution *e, const struct observation *o, struct arena *a)
{
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        struct fact_report r;
        expect_evaluate(e, x, a, &r);
        if (r.fact == FACT_FAILS && r.file.len && path_same(r.file, observation_argument(o, "path")))
            return o->after.size ? "the file has other bytes" : "the file is empty";
    }
    return NULL;
}

static const char *wrong_file(const struct execution *e, size_t index, struct arena *a)
{
    const struct observation *o = &e->observations[index];
    const struct web_visit *sent = sent_file(e, index);
    if (!o->after.exists)
        return "the file is not there";
    const char *words = wrong_fact(e, o, a);
    if (words || !sent || o->after.kind != 'f' || sent->sent == o->after.size)
        return words;
    return o->after.size ? o->after.size < sent->sent ? "the file is cut" : "the file has more than was sent" : "the file is empty";
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!observation_is(o, "save") || !observation_claims(o) || o->after.by == WITNESS_NONE || step_mutated(e, o->step) || o->in_group)
            continue;
        const char *words = wrong_file(e, i, out->arena);
        const struct web_visit *sent = sent_file(e, i);
        if (words)
            judge_say(out, e, slug, i, EFFECT_WRONG, words, "a download is reported and lost",
                      arena_printf(out->arena, "step %s save claims success; seen from %s the sandbox, %s%s -> sandbox", o->step->id,
                                   witness_name(o->after.by), words,
                                   sent ? arena_printf(out->arena, " (%llu bytes; the site sent %llu)",
                                                       (unsigned long long)o->after.size, (unsigned long long)sent->sent)
                                        : ""));
    }
}

const struct check check_download_lost = {
    slug, "C87", "browser", "a download has its bytes and its name, and the page's session stays", judge};
