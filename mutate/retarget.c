/* Expectations after a change: each stays true, follows to what is true now, or goes. */
#include <string.h>

#include "gen/recipe.h"
#include "mutate/fallout.h"
#include "mutate/mutate_internal.h"

/* A content, as far as claims about it need it. */
struct truth {
    struct task *task;
    const struct json *value;   /* as it stands in the step */
    const struct json *content; /* what that means; NULL: not known */
};

/* A change of content, from old to new. */
struct turn {
    struct change *change;
    struct truth old, new;
    bool text; /* the new content is text */
};

static bool made(const struct json *content, struct buf *out)
{
    buf_init(out, BODY_MAKE_MAX);
    return content && content_make(content, BODY_MAKE_MAX, out, NULL) == 0;
}

/* A claim's value for a content, or NULL when it cannot be made of it. `claimed` is the value that stands
 * there. */

static struct json *equals_of(const struct truth *truth, const struct json *claimed)
{
    return json_copy(&truth->task->arena, truth->value);
}

static struct json *sha256_of(const struct truth *truth, const struct json *claimed)
{
    return content_fact(truth->content, BYTES_LITERAL("sha256"), &truth->task->arena);
}

static struct json *size_of(const struct truth *truth, const struct json *claimed)
{
    return content_fact(truth->content, BYTES_LITERAL("size"), &truth->task->arena);
}

static struct json *contains_of(const struct truth *truth, const struct json *claimed)
{
    struct buf whole, part;
    bool both = made(truth->content, &whole);
    both = made(body_content(truth->task, claimed), &part) && both;
    bool found = both && bytes_find(buf_bytes(&whole), buf_bytes(&part), 0) >= 0;
    buf_release(&whole);
    buf_release(&part);
    return found ? json_copy(&truth->task->arena, claimed) : NULL;
}

/* A last line without an end counts too. */
static struct json *lines_of(const struct truth *truth, const struct json *claimed)
{
    struct buf whole;
    int64_t lines = 0;
    bool ok = made(truth->content, &whole);
    for (size_t i = 0; i < whole.len; i++)
        lines += whole.data[i] == '\n' || i + 1 == whole.len;
    buf_release(&whole);
    return ok ? json_integer(&truth->task->arena, lines) : NULL;
}

static const struct claim {
    const char *name;
    struct json *(*of)(const struct truth *truth, const struct json *claimed);
} claims[] = {
    {"equals", equals_of},     {"sha256", sha256_of}, {"size", size_of},
    {"contains", contains_of}, {"lines", lines_of},
};

/* Whether two claimed values mean the same bytes, or are the same number. */
static bool same_meaning(const struct task *t, const struct json *a, const struct json *b)
{
    if (json_equal(a, b))
        return true;
    struct buf x, y;
    bool both = made(body_content(t, a), &x);
    both = made(body_content(t, b), &y) && both;
    bool same = both && bytes_equal(buf_bytes(&x), buf_bytes(&y));
    buf_release(&x);
    buf_release(&y);
    return same;
}

/* Makes the claim under `member` true of the new content. False, and it must go, when it was not true of the
 * old one: it spoke of something else then, such as a write that was to fail. */
static bool turn_claim(const struct turn *turn, size_t index, const char *member,
                       struct json *(*of)(const struct truth *truth, const struct json *claimed))
{
    struct task *t = turn->change->m->task;
    const struct json *claimed = json_get(json_at(t->expect, index), member);
    if (!turn->old.content || !turn->new.content)
        return false;
    const struct json *before = of(&turn->old, claimed);
    struct json *now = before && same_meaning(t, before, claimed) ? of(&turn->new, claimed) : NULL;
    if (now && !json_equal(claimed, now))
        change_put_expectation(turn->change, index, member, now);
    return now != NULL;
}

/* An expectation about bytes that are the new content now. */
static bool follow(const struct turn *turn, size_t index)
{
    struct json *expectation = json_at(turn->change->m->task->expect, index);
    for (size_t i = 0; i < sizeof claims / sizeof *claims && !json_get(expectation, "json"); i++)
        if (json_get(expectation, claims[i].name))
            return turn_claim(turn, index, claims[i].name, claims[i].of);
    return json_get(expectation, "exists") != NULL;
}

/* What a step gives when it reads the new content back. A tool for text may refuse bytes that are none; one
 * for bytes may not. */
static bool follow_result(const struct turn *turn, size_t index, const struct op *op)
{
    const struct json *expectation = json_at(turn->change->m->task->expect, index);
    struct bytes at = json_as_text(json_get(expectation, "at"));
    if (!turn->text && strcmp(op->name, "download") != 0)
        return false;
    if (!at.len)
        return bytes_equal_string(json_as_text(json_get(expectation, "outcome")), "ok");
    return bytes_equal_string(at, "/content") && follow(turn, index);
}

/* What stat gives of the new content: only its size is another one. */
static bool follow_size(const struct turn *turn, size_t index)
{
    const struct json *expectation = json_at(turn->change->m->task->expect, index);
    if (!bytes_equal_string(json_as_text(json_get(expectation, "at")), "/size"))
        return true;
    return json_get(expectation, "equals") && turn_claim(turn, index, "equals", size_of);
}

static bool follow_step(const struct turn *turn, const struct fallout *f, size_t index, const struct json *id)
{
    const struct task *t = turn->change->m->task;
    for (size_t i = 0; i < t->step_count; i++) {
        if (!bytes_equal_string(json_as_text(id), t->steps[i].id))
            continue;
        switch (f->steps[i]) {
        case KNOWN_SAME:
            return true;
        case KNOWN_CONTENT:
            return follow_result(turn, index, t->steps[i].op);
        case KNOWN_SIZE:
            return follow_size(turn, index);
        case KNOWN_NOTHING:
            return false;
        }
    }
    return false;
}

static bool follow_file(const struct turn *turn, struct fallout *f, size_t index, const struct json *file)
{
    switch (fallout_of_path(f, mutation_path_normal(&f->arena, mutation_path(file)))) {
    case KNOWN_SAME:
        return true;
    case KNOWN_CONTENT:
        return follow(turn, index);
    default:
        return false;
    }
}

static void retarget(const struct turn *turn, struct fallout *f)
{
    struct task *t = turn->change->m->task;
    for (size_t i = 0; i < t->expect->count;) {
        const struct json *expectation = json_at(t->expect, i);
        const struct json *step = json_get(expectation, "step"), *file = json_get(expectation, "file");
        if (step ? follow_step(turn, f, i, step) : follow_file(turn, f, i, file))
            i++;
        else
            change_drop_expectation(turn->change, i);
    }
}

static struct truth truth_of(struct task *t, const struct json *value)
{
    return (struct truth){.task = t, .value = value, .content = body_content(t, value)};
}

void retarget_content(struct change *c, const struct json *value)
{
    struct task *t = c->m->task;
    struct turn turn = {.change = c,
                        .old = truth_of(t, json_get(c->old_args, c->at + strlen("/args/"))),
                        .new = truth_of(t, value)};
    turn.text = turn.new.content &&content_is_utf8(turn.new.content);
    struct fallout f;
    fallout_follow(&f, t, change_index(c), c->old_args, true);
    retarget(&turn, &f);
    fallout_release(&f);
}

void retarget_unknown(struct change *c)
{
    struct turn turn = {.change = c};
    struct fallout f;
    fallout_follow(&f, c->m->task, change_index(c), c->old_args, false);
    retarget(&turn, &f);
    fallout_release(&f);
}
