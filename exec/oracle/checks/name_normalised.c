/* Names whose bytes changed on the way: as many odd names are missing in a listing as there are odd ones too
 * many, or a file stands beside its place under another spelling of its name. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/effect.h"
#include "exec/oracle/listing.h"
#include "exec/oracle/renamed.h"

static const char slug[] = "name-normalised";

/* Whatever makes it: one function of a server looks after paths, so one finding. */
static void judge_stored(const struct execution *e, struct verdicts *out, size_t i)
{
    struct bytes name, path;
    const struct file_view *before, *after;
    const struct observation *o = &e->observations[i];
    if (!renamed_there(e, i, &name) || !made_path(o, &path, &before, &after) || task_mutated_by(e->task, "locale"))
        return;
    struct buf evidence;
    buf_init(&evidence, 2048);
    buf_addf(&evidence, "step %s %s: the reply claims success for ", o->step->id, o->step->op->name);
    judge_quote(&evidence, path, 120);
    buf_addf(&evidence, "; seen from %s the sandbox there is no such file, and in its directory stands ", witness_name(after->by));
    judge_quote(&evidence, name, 120);
    buf_add_string(&evidence, " -> sandbox");
    judge_say_op(out, e, slug, i, "write", EFFECT_WRONG, "stored under a name with other bytes",
                 "a file is stored under a name whose bytes are not those that were given", buf_string(&evidence));
    buf_release(&evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct listing l;
        judge_stored(e, out, i);
        if (!listing_compare(e, i, out->arena, &l) || !listing_renames(&l) || task_mutated_by(e->task, "locale"))
            continue;
        struct buf evidence;
        buf_init(&evidence, 2048);
        buf_addf(&evidence, "step %s list: seen from %s the sandbox there is a name ", o->step->id,
                 witness_name(l.by));
        judge_quote(&evidence, l.a_missing, 120);
        buf_add_string(&evidence, "; the reply has ");
        judge_quote(&evidence, l.an_extra, 120);
        buf_add_string(&evidence, " in its place -> interface");
        judge_say(out, e, slug, i, EFFECT_RIGHT, "names with other bytes than the files have",
                  "a listing gives names whose bytes are not those of the files", buf_string(&evidence));
        buf_release(&evidence);
    }
}

const struct check check_name_normalised = {slug, "C53", "path", "names keep their bytes",
                                            judge};
