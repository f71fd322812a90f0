/* Names whose bytes changed on the way: as many odd names are missing in a listing as there are odd ones too
 * many. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/listing.h"

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct listing l;
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
        judge_say(out, e, "name-normalised", i, EFFECT_RIGHT, "names with other bytes than the files have",
                  "a listing gives names whose bytes are not those of the files", buf_string(&evidence));
        buf_release(&evidence);
    }
}

const struct check check_name_normalised = {"name-normalised", "C53", "path", "names keep their bytes",
                                            judge};
