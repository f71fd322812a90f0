/* Output that is cut, announced or not, in the middle of a character: what is left of it comes as a replacement character, or as
 * bytes that are no text. Pages of a background job count too, where the same program wrote what it prints into a file: a
 * program that prints such bytes itself is not to be blamed on the target. */
#include "exec/oracle/checks/checks.h"

#include "base/utf8.h"

static const char slug[] = "cut-splits-character";

#define REPLACEMENT BYTES_LITERAL("\xEF\xBF\xBD")

enum { CONTEXT = 12 };

static bool mine(const struct mismatch *m)
{
    return mismatch_damaged(m, DAMAGE_CUT_CHARACTER);
}

static bool has(struct bytes text, struct bytes what)
{
    return bytes_find(text, what, 0) >= 0;
}

/* The text that a job's program wrote beside printing it: the one file seen at the end that its script names. */
static const struct file_view *copy_of(const struct execution *e, size_t start)
{
    const struct file_view *found = NULL;
    struct bytes script = observation_script(&e->observations[start]);
    for (size_t i = 0; i < e->final_count; i++) {
        const struct file_final *f = &e->finals[i];
        if (!f->view.have_data || !f->path.len || !has(script, f->path))
            continue;
        if (found)
            return NULL;
        found = &f->view;
    }
    return found;
}

/* The page ends, but for a notice, with a replacement, and what stands before that is in the file. */
static bool ends_torn(struct bytes page, struct bytes file)
{
    ptrdiff_t at = bytes_find(page, REPLACEMENT, 0);
    if (at < CONTEXT || !utf8_valid(file) || has(file, REPLACEMENT))
        return false;
    size_t after = (size_t)at;
    while (bytes_starts(bytes_slice(page, after, page.len), REPLACEMENT))
        after += REPLACEMENT.len;
    struct bytes before = bytes_slice(page, (size_t)at - CONTEXT, (size_t)at), rest = bytes_slice(page, after, page.len);
    size_t whole = 0;
    while (whole < before.len && (before.data[whole] & 0xC0) == 0x80)
        whole++;
    bool goes_on = rest.len >= CONTEXT && has(file, bytes_slice(rest, 0, CONTEXT));
    return has(file, bytes_slice(before, whole, before.len)) && !goes_on;
}

static void judge_page(const struct execution *e, struct verdicts *out, size_t start, size_t i)
{
    static const char *const pages[] = {"poll", "wait", NULL};
    const struct observation *o = &e->observations[i];
    const struct file_view *file = copy_of(e, start);
    bool present;
    struct bytes page = observation_result(o, "stdout", &present);
    if (!file || !observation_is_any(o, pages) || !observation_claims(o) || !present || !ends_torn(page, file->data))
        return;
    judge_say_op(out, e, slug, i, "poll", EFFECT_RIGHT, "output cut within a character",
              arena_printf(out->arena, "%s cuts output within a character", o->step->op->name),
              arena_printf(out->arena,
                           "step %s %s: the program's own file, seen from %s the sandbox, is %llu bytes of UTF-8 without any U+FFFD; the "
                           "reply is %zu bytes and ends with one -> interface",
                           o->step->id, o->step->op->name, witness_name(file->by), (unsigned long long)file->size, page.len));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, slug, mine);
    size_t start = e->count, starts = 0;
    for (size_t i = 0; i < e->count; i++) {
        starts += observation_is(&e->observations[i], "start");
        if (observation_is(&e->observations[i], "start") && observation_claims(&e->observations[i]))
            start = i;
    }
    for (size_t i = start; starts == 1 && i < e->count; i++)
        judge_page(e, out, start, i);
}

const struct check check_cut_splits_character = {slug, "C04", "encoding", "output that is cut stays valid text", judge};
