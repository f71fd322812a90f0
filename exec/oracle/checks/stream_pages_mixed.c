/* Output of a job that is read in pages, against the file that the same program wrote. A target may show all output so far, only
 * what is new, or the last lines, with words of its own around them; so whole lines of the file are looked for in each page, and
 * only their order is judged: within a page no line comes twice or goes back, and no page ends before an earlier one did.
 *
 * The first and last line of a page may be parts and are left out. Judged when the file's lines all differ. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/judge.h"

#include <stdlib.h>
#include <string.h>

static const char slug[] = "stream-pages-mixed";

enum { LINES_LEAST = 20, LINES_MOST = 200000 };

struct line {
    struct bytes text;
    size_t number;
};

static int compare(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    size_t least = x->text.len < y->text.len ? x->text.len : y->text.len;
    int order = least ? memcmp(x->text.data, y->text.data, least) : 0;
    return order ? order : (x->text.len > y->text.len) - (x->text.len < y->text.len);
}

static bool next_line(struct bytes text, size_t *at, struct bytes *line)
{
    if (*at >= text.len)
        return false;
    ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), *at);
    size_t end = newline < 0 ? text.len : (size_t)newline;
    *line = bytes_slice(text, *at, end);
    *at = end + 1;
    return true;
}

/* The file's lines, sorted; NULL when they are few, many, or not all different. */
static struct line *lines_of(struct bytes text, struct arena *a, size_t *count)
{
    struct bytes one;
    *count = 0;
    for (size_t at = 0; next_line(text, &at, &one);)
        (*count)++;
    if (*count < LINES_LEAST || *count > LINES_MOST)
        return NULL;
    struct line *lines = arena_alloc(a, *count * sizeof *lines);
    size_t i = 0;
    for (size_t at = 0; next_line(text, &at, &one); i++)
        lines[i] = (struct line){one, i};
    qsort(lines, *count, sizeof *lines, compare);
    for (i = 1; i < *count; i++)
        if (compare(&lines[i - 1], &lines[i]) == 0)
            return NULL;
    return lines;
}

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

struct page {
    bool any, back; /* it has a line of the file; a line comes twice or goes back */
    size_t last;    /* number of its last line */
};

static struct page look_at(struct bytes text, const struct line *lines, size_t count)
{
    struct page p = {0};
    struct bytes one;
    bool first = true;
    for (size_t at = 0; next_line(text, &at, &one); first = false) {
        if (first || at >= text.len)
            continue;
        struct line key = {.text = one.len && one.data[one.len - 1] == '\r' ? bytes_slice(one, 0, one.len - 1) : one};
        const struct line *known = bsearch(&key, lines, count, sizeof key, compare);
        if (!known)
            continue;
        p.back = p.back || (p.any && known->number <= p.last);
        p.any = true;
        p.last = known->number;
    }
    return p;
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
static void judge_job(const struct execution *e, struct verdicts *out, size_t start, const struct line *lines, size_t count)
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
        struct page p = look_at(observation_result(o, "stdout", &present), lines, count);
        if (p.back)
            say(e, out, i, "a page has lines twice or out of order");
        else if (p.any && any && p.last < furthest)
            say(e, out, i, "a page ends before an earlier one did");
        any = any || p.any;
        furthest = p.any && p.last > furthest ? p.last : furthest;
    }
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        size_t count;
        if (!observation_is(o, "start") || !observation_claims(o))
            continue;
        const struct file_view *copy = copy_of(e, observation_script(o));
        const struct line *lines = copy ? lines_of(copy->data, out->arena, &count) : NULL;
        if (lines)
            judge_job(e, out, i, lines, count);
    }
}

const struct check check_stream_pages_mixed = {
    slug, "C30", "size", "output read in pages is the program's, once and in order", judge};
