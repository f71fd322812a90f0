/* Success that did nothing: the file is not there, is still there, or is as before; or, in a task in which
 * every step claims success, a fact that must hold at the end does not. What is found somewhere else is
 * roots-differ's, and under another spelling of its name, name-normalised's. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/odd_name.h"
#include "exec/oracle/renamed.h"
#include "exec/oracle/wrong_file.h"

#include <string.h>

static const char slug[] = "silent-success";

static bool mine(const struct mismatch *m)
{
    bool nothing = m->how == DIFFERENCE_EMPTY && (m->in == IN_FILE || m->in == IN_SITE);
    bool other_output = (m->how == DIFFERENCE_OTHER || m->how == DIFFERENCE_GROWN) && (m->in == IN_OUTPUT || m->in == IN_SITE) && !m->shuffled;
    return m->unchanged ||
           (mismatch_ordinary(m) && !m->lines && (nothing || other_output));
}

/* Some step's file is found somewhere else: that the others' are not there follows from it, wherever nobody looked for them. */
static bool some_elsewhere(const struct execution *e)
{
    const char *where;
    struct bytes place;
    for (size_t i = 0; i < e->count; i++)
        if (effect_absent(e, i) && effect_elsewhere(e, i, &where, &place))
            return true;
    return false;
}

static void judge_effect(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    const char *words = effect_absent(e, i), *op = stored_op(o);
    if (!words || odd_name_ignored(e, i) || renamed_on_the_way(e, i))
        return;
    const struct file_view *v = o->to_after.by != WITNESS_NONE ? &o->to_after : &o->after;
    const char *evidence = arena_printf(out->arena,
                                        "step %s %s: the reply claims success; seen from %s the sandbox just "
                                        "afterwards, the file %s -> sandbox",
                                        o->step->id, o->step->op->name, witness_name(v->by), words);
    judge_say_op(out, e, slug, i, op, EFFECT_WRONG,
                 strcmp(op, "write") == 0 ? DETAIL_NOTHING_STORED : arena_printf(out->arena, "file %s", words),
              arena_printf(out->arena, "%s reports success, but the file %s", o->step->op->name, words),
              evidence);
}

/* The last step that names the file, or the last run: where a wrong final state comes from, as far as the
 * task tells. */
static size_t last_toucher(const struct execution *e, struct bytes path)
{
    for (size_t i = e->count; i-- > 0;)
        if (observation_touches(&e->observations[i], path))
            return i;
    return e->count;
}

/* Facts about files. Those about output are round trips, those about exit statuses have a check of their own.
 */
static void judge_facts(const struct execution *e, struct verdicts *out)
{
    struct fact_report wrong[WRONG_FILES_MAX];
    size_t count = wrong_files(e, out->arena, wrong), writer;
    for (size_t i = 0; i < count; i++) {
        size_t at = last_toucher(e, wrong[i].file);
        if (at < e->count && observation_is(&e->observations[at], "save"))
            continue; /* download-lost's */
        if (command_fault_of_file(e, &wrong[i], &writer) != COMMAND_NO_FAULT)
            continue; /* said by whose mark it bears */
        const char *evidence = arena_printf(
            out->arena, "every step claims success, yet at the end, seen by a witness: %s -> sandbox",
            wrong[i].why ? wrong[i].why : "a fact does not hold");
        judge_say(out, e, slug, at, EFFECT_WRONG, "an expected fact is wrong at the end",
                  "every step reports success, but the final state is not what they say", evidence);
    }
}

/* What the fixture site should have seen, and has not: a request that never came, came twice, or had other files. */
static void judge_site(const struct execution *e, struct verdicts *out)
{
    size_t mismatches;
    roundtrip_find(e, out->arena, &mismatches);
    if (mismatches || e->target_died || !calm_until(e, e->count))
        return;
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        struct fact_report r;
        if (!json_get(x, "site"))
            continue;
        expect_evaluate(e, x, out->arena, &r);
        if (r.fact != FACT_FAILS || r.observation == e->count || observation_is(&e->observations[r.observation], "save") ||
            step_mutated(e, e->observations[r.observation].step))
            continue;
        const struct observation *o = &e->observations[r.observation];
        judge_say(out, e, slug, r.observation, EFFECT_WRONG, "the site has not seen it so",
                  arena_printf(out->arena, "%s reports success, but the site has not seen what it says", o->step->op->name),
                  arena_printf(out->arena, "step %s %s claims success; the fixture site, which it spoke to, saw otherwise: %s -> sandbox",
                               o->step->id, o->step->op->name, r.why ? r.why : "a fact does not hold"));
        return;
    }
}

static void judge(const struct execution *e, struct verdicts *out)
{
    judge_site(e, out);
    roundtrip_report(e, out, slug, mine);
    for (size_t i = 0; i < e->count && !some_elsewhere(e); i++)
        judge_effect(e, out, i);
    judge_facts(e, out);
}

const struct check check_silent_success = {slug, "C28", "storage", "what a reply reports as done can be seen",
                                           judge};
