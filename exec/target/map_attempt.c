/* One attempt to use one tool for one op: is its name right, can every argument of the op be placed, can
 * every required parameter be filled, does it keep bytes if it must?
 *
 * sure = name * (0.5 + 0.5 * least sure required argument), a little more for optional arguments, a little
 * less for parameters that had to be made up; see docs/internals/mcp.md. */
#include "exec/target/map_internal.h"

#include <stdlib.h>
#include <string.h>

static const double description_share = .75; /* words of a description count for less than a name */
static const double foreign_word = .12;
static const double least_name = .25; /* less is not worth a word in the table */
static const double guessed_parameter = .3; /* quality of one that no schema tells of */

enum { NOTES_MAX = 1024 };

/* A schema that says nothing at all: parameters are taken to have their usual names. */
static bool has_no_schema(const struct mcp_tool *tool)
{
    return !json_get(tool->input, "properties") && !json_get(tool->input, "type") &&
           !json_get(tool->input, "$ref");
}

static void guess_parameter(struct map_attempt *t, enum role role)
{
    const char *usual = role_row(role)->usual;
    if (!usual || t->count == PARAMETERS_MAX)
        return;
    struct map_parameter *p = &t->parameters[t->count++];
    *p = (struct map_parameter){.name = bytes_of_string(usual),
                                .types = role_row(role)->types & ~(unsigned)TYPE_ARRAY};
    words_split(&p->words, p->name);
    t->worst = guessed_parameter;
}

static void read_parameters(struct map_attempt *t)
{
    const struct json *root = t->candidate->tool->input;
    const struct json *properties = schema_properties(root, root);
    if (has_no_schema(t->candidate->tool)) {
        for (size_t i = 0; i < t->row->place_count; i++)
            if (t->row->places[i].required)
                guess_parameter(t, t->row->places[i].role);
        if (t->row->way == WAY_RUN || t->row->way == WAY_START)
            guess_parameter(t, ROLE_COMMAND);
    }
    for (const struct json *one = properties ? properties->first : NULL; one; one = one->next) {
        if (t->count == PARAMETERS_MAX)
            break;
        struct map_parameter *p = &t->parameters[t->count++];
        *p = (struct map_parameter){
            .name = one->key,
            .schema = schema_follow(root, one),
            .values = schema_values(root, one, t->arena),
            .description = schema_description(root, one),
            .types = schema_types(root, one),
            .required = schema_requires(root, one->key),
        };
        words_split(&p->words, p->name);
        if (t->candidate->choice && bytes_equal(p->name, t->candidate->selector))
            map_set(t, p, json_copy(t->arena, t->candidate->choice), NULL);
    }
}

static struct json *read_constant(struct arena *a, const char *text)
{
    struct json *value = NULL;
    struct error *err = NULL;
    if (json_read(a, bytes_of_string(text), NULL, "map", &value, NULL, &err) < 0)
        BUG("a fixed value of the op table is not JSON");
    return value;
}

/* What a parameter is set to in every call; NULL: it cannot be that. */
static struct json *fixed_value(struct map_attempt *t, const struct op_fixed *fixed,
                                const struct map_parameter *p)
{
    struct word_pattern pattern = {1, fixed->words};
    if (p->used || fixed->choice != (p->values != NULL) ||
        words_match(&p->words, &pattern, 1, 1, "", "") < .99)
        return NULL;
    if (fixed->choice)
        return map_choose_value(t->arena, p->values, fixed->value);
    struct json *value = read_constant(t->arena, fixed->value);
    unsigned type = value->kind == JSON_TRUE ? TYPE_BOOL : value->kind == JSON_STRING ? TYPE_STRING : TYPE_NUMERIC;
    return p->types & type ? value : NULL;
}

/* Sets what is the same in every call; false when the row wants one of them and none is there. */
static bool place_fixed(struct map_attempt *t)
{
    bool wanted = false, found = false;
    for (size_t i = 0; i < t->row->fixed_count; i++) {
        const struct op_fixed *fixed = &t->row->fixed[i];
        wanted = wanted || fixed->wanted;
        for (size_t k = 0; k < t->count; k++) {
            struct json *value = fixed_value(t, fixed, &t->parameters[k]);
            if (!value)
                continue;
            map_set(t, &t->parameters[k], value, NULL);
            found = found || fixed->wanted;
        }
    }
    return found || !wanted || map_fail(t, "no parameter to", bytes_of_string(t->row->op));
}

/* A parameter that means nothing to us in any role: a required argument may be what it takes. */
static struct map_parameter *only_unknown_parameter(struct map_attempt *t, enum role role)
{
    struct map_parameter *found = NULL;
    for (size_t i = 0; i < t->count; i++) {
        struct map_parameter *p = &t->parameters[i];
        if (p->used || !p->required)
            continue;
        if (found || p->values || !(p->types & role_row(role)->types))
            return NULL;
        for (int r = 0; r < ROLE_TAB; r++) /* what browser ops alone have is not what they are about */
            if (role_quality(r, &p->words) >= .5)
                return NULL;
        found = p;
    }
    return found;
}

/* What the absence of the op's argument means, in the tool's words: a tool may need the parameter, or have a default of its own. */
static void set_otherwise(struct map_attempt *t, struct json *value, const struct op_arg *arg)
{
    if (!arg || !arg->fallback || !json_is(value, JSON_OBJECT))
        return;
    bool text = arg->type == OP_TEXT;
    const struct json *said = json_get(json_get(value, "map"), arg->fallback);
    json_set(t->arena, value, "else",
             said   ? json_copy(t->arena, said)
             : text ? json_text(t->arena, arg->fallback)
                    : read_constant(t->arena, arg->fallback));
}

static bool place_arguments(struct map_attempt *t)
{
    for (size_t i = 0; i < t->row->place_count; i++) {
        const struct op_place *place = &t->row->places[i];
        double quality;
        struct map_parameter *p = map_best_parameter(t, place->role, &quality);
        if (!p && place->required && t->row->way != WAY_PAGE) {
            p = only_unknown_parameter(t, place->role);
            quality = guessed_parameter;
        }
        struct json *value = p ? map_place_value(t, p, place) : NULL;
        if (!value && place->required)
            return map_fail(t, "no parameter for", bytes_of_string(place->arg));
        if (!value)
            continue;
        if (t->row->way == WAY_PAGE)
            set_otherwise(t, value, op_arg_find(t->op, place->arg));
        map_set(t, p, value, place->arg);
        if (place->required)
            t->worst = quality < t->worst ? quality : t->worst;
        else
            t->optional++;
    }
    return true;
}

/* Of text we can make up little: a remark, an encoding. */
static struct json *made_up_text(struct map_attempt *t, const struct map_parameter *p)
{
    static const struct {
        enum role role;
        const char *text;
    } texts[] = {{ROLE_NOTE, "taskgen"}, {ROLE_ENCODING, "utf-8"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (role_quality(texts[i].role, &p->words) >= .5)
            return json_text(t->arena, texts[i].text);
    return NULL;
}

static struct json *made_up_number(struct map_attempt *t, const struct map_parameter *p)
{
    if (role_quality(ROLE_TIMEOUT, &p->words) >= .5)
        return map_timeout(t, p, "@timeout");
    const struct json *low = json_get(p->schema, "minimum");
    return low ? json_copy(t->arena, low) : json_integer(t->arena, 1);
}

static struct json *made_up_choice(struct map_attempt *t, const struct map_parameter *p)
{
    struct json *plain = map_choose_value(t->arena, p->values, "utf8|utf|text|plain|default");
    return plain ? plain : json_copy(t->arena, p->values->first);
}

/* Something harmless for a required parameter that the op says nothing about; NULL: there is nothing. */
static struct json *made_up_value(struct map_attempt *t, const struct map_parameter *p)
{
    const struct json *fallback = json_get(p->schema, "default");
    if (fallback)
        return json_copy(t->arena, fallback);
    if (p->values && p->values->first)
        return made_up_choice(t, p);
    if (p->types & TYPE_BOOL)
        return json_bool(t->arena, false);
    if (p->types & TYPE_NULL)
        return json_new(t->arena, JSON_NULL);
    if (p->types & TYPE_NUMERIC)
        return made_up_number(t, p);
    if (p->types & TYPE_STRING)
        return made_up_text(t, p);
    if (p->types & (TYPE_ARRAY | TYPE_OBJECT))
        return json_new(t->arena, p->types & TYPE_ARRAY ? JSON_ARRAY : JSON_OBJECT);
    return NULL;
}

static bool fill_required(struct map_attempt *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct map_parameter *p = &t->parameters[i];
        if (p->used || !p->required)
            continue;
        struct json *value = made_up_value(t, p);
        if (!value)
            return map_fail(t, "cannot fill required parameter", p->name);
        map_set(t, p, value, NULL);
        t->extras++;
    }
    return true;
}

/* A binary row whose content would go as text is no use. */
static bool keeps_bytes(struct map_attempt *t)
{
    if (!t->row->binary || t->map.coding == CODING_BASE64)
        return true;
    for (const struct json *one = t->arguments->first; one; one = one->next)
        if (bytes_equal_string(json_as_text(json_get(one, "as")), "base64"))
            return true;
    return map_fail(t, "not said to take base64", BYTES_NONE);
}

static double name_quality(struct map_attempt *t)
{
    char neutral[512];
    size_t length = strlen(map_neutral_words);
    memcpy(neutral, map_neutral_words, length);
    neutral[length++] = '|';
    memcpy(neutral + length, t->prefix, strlen(t->prefix) + 1);
    double quality = words_match(&t->candidate->words, t->row->names, t->row->name_count, foreign_word,
                                 neutral, t->row->strange);
    const struct mcp_tool *tool = t->candidate->tool;
    if (t->candidate->from_description)
        quality *= words_have(&tool->words, t->row->strange) ? 0 : description_share;
    if (text_mentions(tool->description, "deprecated"))
        quality -= .05;
    bool runs = t->row->way == WAY_RUN || t->row->way == WAY_START;
    if (runs && (text_mentions(tool->description, "don't persist") ||
                 text_mentions(tool->description, "do not persist")))
        quality -= .05;
    return quality;
}

bool map_attempt(struct map_attempt *t)
{
    const struct mcp_tool *tool = t->candidate->tool;
    double name = name_quality(t);
    if (name < least_name)
        return false;
    if (t->row->changes && tool->says_read_only)
        return map_fail(t, "says it only reads", BYTES_NONE);
    t->arguments = json_new(t->arena, JSON_OBJECT);
    t->worst = 1;
    buf_init(&t->notes, NOTES_MAX);
    read_parameters(t);
    bool runs = t->row->way == WAY_RUN || t->row->way == WAY_START;
    bool fits = place_fixed(t) && (!runs || map_place_run(t)) && place_arguments(t) && map_place_tab(t) && map_place_result(t) && fill_required(t) && keeps_bytes(t);
    if (fits) {
        double sure = name * (.5 + .5 * t->worst) - .03 * t->extras + .005 * t->optional;
        t->map.tool = tool;
        t->map.arguments = t->arguments;
        t->map.sure = sure;
        t->map.binary = t->row->binary;
        t->map.why = arena_printf(t->arena, "name %.2f, %s", name < 1 ? name : 1, buf_string(&t->notes));
    }
    buf_release(&t->notes);
    return fits;
}
