/* A listing that names other files than the directory holds, and a stat that gives another kind or size than
 * the file has. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/listing.h"

#include <string.h>

static const char slug[] = "listing-wrong";

static void say(const struct execution *e, struct verdicts *out, size_t i, const char *detail,
                const char *numbers)
{
    const struct observation *o = &e->observations[i];
    judge_say(out, e, slug, i, EFFECT_RIGHT, detail,
              arena_printf(out->arena, "%s: %s", o->step->op->name, detail),
              arena_printf(out->arena,
                           "step %s %s, seen from %s the sandbox before and after the same: %s -> interface",
                           o->step->id, o->step->op->name, witness_name(o->after.by), numbers));
}

static void judge_list(const struct execution *e, struct verdicts *out, size_t i)
{
    struct listing l;
    if (!listing_compare(e, i, out->arena, &l) || listing_renames(&l) || (!l.missing && !l.extra))
        return;
    struct buf numbers;
    buf_init(&numbers, 2048);
    buf_addf(&numbers, "%zu names missing", l.missing);
    if (l.missing) {
        buf_add_string(&numbers, ", one of them ");
        judge_quote(&numbers, l.a_missing, 80);
    }
    buf_addf(&numbers, "; %zu names that are not there", l.extra);
    if (l.extra) {
        buf_add_string(&numbers, ", one of them ");
        judge_quote(&numbers, l.an_extra, 80);
    }
    /* A listing with nothing of it in it is that of another directory, which may be empty. */
    say(e, out, i,
        l.extra || !l.shared ? "names other files than the directory holds" : "leaves names out",
        buf_string(&numbers));
    buf_release(&numbers);
}

static void judge_stat(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    const struct file_view *v = &o->after;
    int64_t size;
    bool present;
    if (!observation_is(o, "stat") || !observation_claims(o) || o->in_group || v->kind != 'f' ||
        !view_same_bytes(&o->before, v))
        return;
    if (json_as_integer(json_get(o->outcome.result, "size"), &size) &&
        (size < 0 || (uint64_t)size != v->size))
        say(e, out, i, "gives another size than the file has",
            arena_printf(out->arena, "%llu bytes there, %lld in the reply", (unsigned long long)v->size,
                         (long long)size));
    struct bytes kind = observation_result(o, "kind", &present);
    if (present && kind.len && !bytes_equal_string(kind, "file"))
        say(e, out, i, "gives another kind than the file has",
            "a regular file there, another kind in the reply");
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        judge_list(e, out, i);
        judge_stat(e, out, i);
    }
}

const struct check check_listing_wrong = {slug, "C51", "path", "list and stat say what is there", judge};
