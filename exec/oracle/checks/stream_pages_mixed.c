/* Output of a job that is read in pages, against the file that the same program wrote. A target may show all output so far, only
 * what is new, or the last lines, with words of its own around them; so whole lines of the file are looked for in each page, and
 * only their order is judged: within a page no line comes twice or goes back, and no page ends before an earlier one did.
 *
 * The first and last line of a page may be parts and are left out. Judged when the file's lines all differ. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/judge.h"
#include "exec/oracle/line_index.h"

static const char slug[] = "stream-pages-mixed";

enum { LINES_LEAST = 20 };

/* The one file among those seen at the end that the job's script names; NULL: none, or several. */
static const struct file_view *copy_of(const struct execution *e, struct bytes script)
{
    const struct file_view *found = NULL;
    for (size_t i = 0; i < e->final_count; i++) {
        const struct file_final *f = &e->finals[i];
        if (!f->view.have_data || !f->path.len || bytes_find(script, f->path, 0) < 0)
            continue;
        if (found)
            return NULL;
        found = &f->view;
    }
    return found;
}

static void say(const struct execution *e, struct verdicts *out, size_t i, const char *detail)
{
    const struct observation *o = &e->observations[i];
    judge_say_op(out, e, slug, i, "poll", EFFECT_RIGHT, detail, "pages of a job's output are not what the program printed",
              arena_printf(out->arena,
                           "step %s %s: %s; the file that the same program wrote, seen by a witness, has each line once and "
                           "in order -> interface",
                           o->step->id, o->step->op->name, detail));
}

/* The pages of the job that step `start` began. */
static void judge_job(const struct execution *e, struct verdicts *out, size_t start, const struct line_index *index)
{
    const struct json *pid = json_get(e->observations[start].outcome.result, "pid");
    size_t furthest = 0;
    bool any = false;
    for (size_t i = start + 1; pid && i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        const struct json *own = json_get(o->args, "pid");
        bool present;
        if (!(observation_is(o, "poll") || observation_is(o, "wait")) || !observation_claims(o) || o->in_group || !own ||
            !json_equal(own, pid))
            continue;
        struct line_order p = line_index_order(index, observation_result(o, "stdout", &present), false);
        if (p.back)
            say(e, out, i, "a page has lines twice or out of order");
        else if (p.known && any && p.last < furthest)
            say(e, out, i, "a page ends before an earlier one did");
        any = any || p.known;
        furthest = p.known && p.last > furthest ? p.last : furthest;
    }
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct line_index index;
        if (!observation_is(o, "start") || !observation_claims(o))
            continue;
        const struct file_view *copy = copy_of(e, observation_script(o));
        if (copy && line_index_make(&index, copy->data, LINES_LEAST, out->arena))
            judge_job(e, out, i, &index);
    }
}

const struct check check_stream_pages_mixed = {
    slug, "C30", "size", "output read in pages is the program's, once and in order", judge};
