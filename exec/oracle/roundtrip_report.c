/* From a mismatch to the words of a verdict: its detail is the same in every run, its evidence has the
 * numbers. */
#include "exec/oracle/roundtrip.h"

#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"

enum { QUOTE_MAX = 24, EVIDENCE_MAX = 4096 };

static const char *const subjects[] = {
    [IN_FILE] = "stored bytes", [IN_REPLY] = "reply", [IN_OUTPUT] = "output", [IN_SITE] = "what the site got"};

bool mismatch_ordinary(const struct mismatch *m)
{
    return !m->unchanged && !m->stale && !m->full_disk && !m->damage && !m->locale && !m->command;
}

bool mismatch_damaged(const struct mismatch *m, enum damage damage)
{
    return m->damage == damage && !m->locale && !m->command && !m->stale && !m->full_disk;
}

bool mismatch_splits_text(const struct mismatch *m)
{
    return m->how == DIFFERENCE_REPLACEMENT && (utf8_valid(m->want) || (m->part && m->whole_is_text));
}

bool mismatch_wrong_lines(const struct mismatch *m)
{
    static const enum difference wrong[] = {DIFFERENCE_CUT, DIFFERENCE_EMPTY, DIFFERENCE_GROWN,
                                            DIFFERENCE_FINAL_NEWLINE, DIFFERENCE_OTHER};
    for (size_t i = 0; m->lines && i < sizeof wrong / sizeof *wrong; i++)
        if (m->how == wrong[i])
            return mismatch_ordinary(m);
    return false;
}

bool mismatch_last_line(const struct mismatch *m)
{
    bool cut = m->how == DIFFERENCE_CUT || m->how == DIFFERENCE_EMPTY;
    if (m->in != IN_OUTPUT || !cut || !m->known || !mismatch_ordinary(m) || !bytes_starts(m->want, m->got))
        return false;
    struct bytes lost = bytes_slice(m->want, m->got.len, m->want.len);
    ptrdiff_t newline = bytes_find(lost, BYTES_LITERAL("\n"), 0);
    bool one = newline < 0 || (size_t)newline + 1 == lost.len;
    return one && (m->got.len == 0 || m->got.data[m->got.len - 1] == '\n');
}

bool mismatch_shell_text(const struct mismatch *m)
{
    if (m->in != IN_FILE || !m->known || !utf8_valid(m->want))
        return false;
    for (const char *c = "\\\"'`$%!"; *c; c++)
        if (m->want.len && memchr(m->want.data, *c, m->want.len))
            return m->how == DIFFERENCE_OTHER || m->how == DIFFERENCE_GROWN;
    return false;
}

static const char *words_of(const struct mismatch *m)
{
    static const char *const damages[] = {
        [DAMAGE_NONE] = NULL,
        [DAMAGE_CUT_CHARACTER] = "cut within a character",
        [DAMAGE_HALF_PAIR] = "different by half of a surrogate pair",
        [DAMAGE_LETTERS] = "without characters beyond ASCII",
        [DAMAGE_DIGITS] = "different in the digits of a number",
    };
    if (m->unchanged)
        return "as before";
    if (m->locale)
        return "without characters that the locale has not";
    if (m->damage)
        return damages[m->damage];
    if (m->shuffled)
        return "with its lines in another order";
    if (mismatch_wrong_lines(m))
        return "not the lines asked for";
    if (mismatch_last_line(m))
        return "without its last line";
    return m->stale ? "what an earlier write put there" : difference_words(m->how);
}

/* A range is cut by bytes, and may fail where the whole does not. Whole lines fail as the whole does, so that they are the same finding. */
static const char *scope_of(const struct mismatch *m)
{
    return m->part && !m->lines ? ", a range asked for" : "";
}

static void say_size(struct buf *out, const char *what, uint64_t size, struct bytes data, bool known)
{
    buf_addf(out, "%s %llu bytes", what, (unsigned long long)size);
    if (known) {
        char hash[65];
        sha256_hex(data, hash);
        buf_addf(out, " (sha256 %.16s…)", hash);
    }
}

static void say_first_difference(struct buf *out, struct bytes want, struct bytes got)
{
    size_t at = 0;
    while (at < want.len && at < got.len && want.data[at] == got.data[at])
        at++;
    buf_addf(out, "; first difference at byte %zu: wanted ", at);
    judge_quote(out, bytes_slice(want, at, want.len), QUOTE_MAX);
    buf_add_string(out, ", found ");
    judge_quote(out, bytes_slice(got, at, got.len), QUOTE_MAX);
}

/* Both sides of the layer rule in words: what the witness saw, and what the reply or the file has instead. */
static void say_evidence(struct buf *out, const struct observation *o, const struct mismatch *m)
{
    static const char *const wants[] = {[IN_FILE] = "must hold",
                                        [IN_REPLY] = "as the reply must have it:",
                                        [IN_OUTPUT] = "expected on standard output:",
                                        [IN_SITE] = "to be sent:"};
    buf_addf(out, "step %s %s: ", o->step->id, o->step->op->name);
    if (m->in == IN_FILE)
        buf_addf(out, "the reply claims success, the file ");
    else if (m->in == IN_REPLY && m->by != WITNESS_NONE)
        buf_addf(out, "the file, seen from %s the sandbox, is the same before and after the step; ",
                 witness_name(m->by));
    else if (m->in == IN_REPLY)
        buf_addf(out, "no witness saw the file; the last acknowledged write, ");
    say_size(out, wants[m->in], m->want_size, m->want, m->known);
    if (m->in == IN_FILE)
        buf_addf(out, " and, seen from %s the sandbox,", witness_name(m->by));
    say_size(out, m->in == IN_FILE ? " holds" : m->in == IN_SITE ? "; the fixture site got" : "; the reply has", m->got_size, m->got, m->known);
    buf_addf(out, "; it is %s", words_of(m));
    if (m->known)
        say_first_difference(out, m->want, m->got);
    buf_addf(out, " -> %s", layer_name(layer_of(m->effect)));
}

static void say(const struct execution *e, struct verdicts *out, const char *slug, const struct mismatch *m)
{
    const struct observation *o = &e->observations[m->observation];
    struct buf evidence;
    buf_init(&evidence, EVIDENCE_MAX);
    say_evidence(&evidence, o, m);
    bool everyone = m->unchanged || m->full_disk; /* no matter which op stored it */
    const char *op = everyone ? stored_op(o) : o->step->op->name;
    const char *detail = m->unchanged && strcmp(op, "write") == 0
                             ? DETAIL_NOTHING_STORED
                             : arena_printf(out->arena, "%s %s%s", subjects[m->in], words_of(m), scope_of(m));
    const char *title = m->in == IN_FILE ? arena_printf(out->arena, "%s reports success, but the file is %s",
                                                        o->step->op->name, words_of(m))
                                         : arena_printf(out->arena, "%s succeeds, but %s%s is %s", o->step->op->name,
                                                        m->in == IN_SITE ? "" : "its ", subjects[m->in], words_of(m));
    judge_say_op(out, e, slug, m->observation, op, m->effect, detail, title, buf_string(&evidence));
    buf_release(&evidence);
}

void roundtrip_report(const struct execution *e, struct verdicts *out, const char *slug,
                      bool (*mine)(const struct mismatch *m))
{
    size_t count;
    const struct mismatch *m = roundtrip_find(e, out->arena, &count);
    for (size_t i = 0; i < count; i++)
        if (mine(&m[i]))
            say(e, out, slug, &m[i]);
}
