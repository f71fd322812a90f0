/* Makers: rule, value, int, pick, and recipes, whose parameters are typed by the recipe. */
#include <string.h>

#include "gen/plan_internal.h"

static int make_rule(struct plan_run *run, struct frame *frame, const struct maker *m, struct value *out)
{
    struct buf text;
    buf_init(&text, run->bytes_max);
    int status = plan_derive(run, frame, m->call, &text);
    if (status < 0) {
        buf_release(&text);
        return status;
    }
    *out = plan_value_of_text(plan_text_once(run, &text));
    return 0;
}

static int make_value(struct plan_run *run, struct frame *frame, const struct maker *m, struct value *out)
{
    return plan_text(run, frame, &m->value, out);
}

static int make_int(struct plan_run *run, struct frame *frame, const struct maker *m, struct value *out)
{
    int64_t low, high;
    TRY(plan_text_integer(run, frame, &m->low, "the low end of int", &low));
    TRY(plan_text_integer(run, frame, &m->high, "the high end of int", &high));
    if (low > high)
        return plan_fail(run->err, m->place, "int from %lld to %lld, an empty range", (long long)low,
                         (long long)high);
    uint64_t span = (uint64_t)high - (uint64_t)low + 1; /* 0: all of 2^64 */
    if (span != 1 && run->sparing == PLAN_SPARING_MOST)
        chooser_note(&run->chooser, m->site, 0);
    else
        low = (int64_t)((uint64_t)low + chooser_uniform(&run->chooser, m->site, span));
    *out = plan_value_of_integer(low);
    return 0;
}

/* About how long it is: what is computed may have any length. */
static size_t literal_length(const struct text *text)
{
    size_t sum = 0;
    for (size_t i = 0; i < text->count; i++)
        sum += text->parts[i].literal.len;
    return sum;
}

static size_t shortest_choice(const struct maker *m)
{
    size_t best = 0;
    for (size_t i = 1; i < m->choice_count; i++)
        if (literal_length(&m->choices[i]) < literal_length(&m->choices[best]))
            best = i;
    return best;
}

static int make_pick(struct plan_run *run, struct frame *frame, const struct maker *m, struct value *out)
{
    size_t chosen = shortest_choice(m);
    if (m->choice_count > 1 && run->sparing == PLAN_SPARING_MOST)
        chooser_note(&run->chooser, m->site, chosen);
    else
        chosen = chooser_uniform(&run->chooser, m->site, m->choice_count);
    return plan_text(run, frame, &m->choices[chosen], out);
}

/* --- recipes --- */

static struct json *content_of(struct plan_run *run, const struct value *value)
{
    return value->kind == VALUE_CONTENT ? json_copy(&run->scratch, value->content->recipe) : NULL;
}

/* A parameter's value as the recipe wants it; what does not fit is passed as text, for the recipe to complain
 * about. */
static int parameter_json(struct plan_run *run, const struct recipe_parameter *row, const struct value *value,
                          struct plan_place place, struct json **out)
{
    struct bytes text;
    int64_t number;
    *out = row->type == RECIPE_CONTENT ? content_of(run, value) : NULL;
    if (*out)
        return 0;
    if (row->type == RECIPE_INT && plan_value_integer(value, &number)) {
        *out = json_integer(&run->scratch, number);
        return 0;
    }
    TRY(plan_value_bytes(run, place, value, &text));
    bool yes = bytes_equal_string(text, "true") || bytes_equal_string(text, "yes");
    if (row->type == RECIPE_BOOL &&
        (yes || bytes_equal_string(text, "false") || bytes_equal_string(text, "no")))
        *out = json_bool(&run->scratch, yes);
    else
        *out = json_string(&run->scratch, text);
    return 0;
}

static const struct recipe_parameter *find_parameter(const struct recipe *recipe, const char *name)
{
    for (size_t i = 0; i < recipe->parameter_count; i++)
        if (strcmp(recipe->parameters[i].name, name) == 0)
            return &recipe->parameters[i];
    return NULL;
}

static int set_parameters(struct plan_run *run, struct frame *frame, const struct maker *m,
                          const struct recipe *recipe, struct json *object)
{
    bool seeded = false;
    for (size_t i = 0; i < m->parameter_count; i++) {
        const struct named_text *given = &m->parameters[i];
        const struct recipe_parameter *row = find_parameter(recipe, given->name);
        if (!row)
            return plan_fail(run->err, m->place, "recipe \"%s\" has no parameter \"%s\"", m->recipe,
                             given->name);
        struct value value;
        struct json *json;
        TRY(plan_text(run, frame, &given->value, &value));
        TRY(parameter_json(run, row, &value, m->place, &json));
        json_set(&run->scratch, object, given->name, json);
        seeded |= strcmp(given->name, "seed") == 0;
    }
    if (!seeded && find_parameter(recipe, "seed"))
        json_set(&run->scratch, object, "seed",
                 json_integer(&run->scratch, (int64_t)chooser_uniform(&run->chooser, m->site, PLAN_SEEDS)));
    return 0;
}

static int make_recipe(struct plan_run *run, struct frame *frame, const struct maker *m, struct value *out)
{
    const struct recipe *recipe = recipe_find(bytes_of_string(m->recipe));
    if (!recipe)
        return plan_fail(run->err, m->place, "unknown recipe \"%s\"", m->recipe);
    struct json *object = json_new(&run->scratch, JSON_OBJECT), *complete;
    json_set(&run->scratch, object, "$recipe", json_text(&run->scratch, m->recipe));
    TRY(set_parameters(run, frame, m, recipe, object));
    const char *where = arena_printf(&run->scratch, "%s:%u: recipe \"%s\"", m->place.file, m->place.line,
                                     m->recipe);
    TRY(recipe_complete(object, where, &run->scratch, &complete, run->err));
    struct content *content = arena_alloc(&run->scratch, sizeof *content);
    content->recipe = complete;
    content->size = recipe->size ? content_size(complete) : -1;
    if (content->size > 0 && (uint64_t)content->size > run->content_max)
        return error_set(run->err, ERR_LIMIT,
                         "%s: a content of %lld bytes, expected at most %llu (generate.max-content)", where,
                         (long long)content->size, (unsigned long long)run->content_max);
    *out = (struct value){.kind = VALUE_CONTENT, .content = content};
    return 0;
}

static int (*const makers[])(struct plan_run *run, struct frame *frame, const struct maker *m,
                             struct value *out) = {
    [MAKE_RULE] = make_rule,     [MAKE_VALUE] = make_value, [MAKE_INT] = make_int,
    [MAKE_RECIPE] = make_recipe, [MAKE_PICK] = make_pick,
};

int plan_make(struct plan_run *run, struct frame *frame, const struct maker *maker, struct value *out)
{
    return makers[maker->kind](run, frame, maker, out);
}
