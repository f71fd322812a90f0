/* Builds the schema: fixed parts are read from texts, the parts for ops are made from the vocabulary.
 *
 * Each op has a definition "args-OP"; a step picks the one of its op with if/then, so that a validator's
 * message names the argument at fault and not sixty alternatives. */
#include "gen/task_schema.h"

#include "base/json.h"
#include "gen/recipe.h"
#include "gen/task_internal.h"
#include "gen/task_schema_text.h"

/* JSON with ' for ", which reads better in C. */
static struct json *parse(struct arena *a, const char *text)
{
    struct json *value;
    char *quoted = arena_string(a, bytes_of_string(text));
    for (char *c = quoted; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    if (json_read(a, bytes_of_string(quoted), NULL, "the task schema", &value, NULL, NULL) < 0)
        BUG("a fixed part of the task schema is not JSON");
    return value;
}

static struct json *reference(struct arena *a, const char *name)
{
    struct json *object = json_new(a, JSON_OBJECT);
    json_set(a, object, "$ref", json_text(a, arena_printf(a, "#/$defs/%s", name)));
    return object;
}

static struct json *text_enum(struct arena *a, const char *const *values)
{
    struct json *object = json_new(a, JSON_OBJECT),
                *list = json_set(a, object, "enum", json_new(a, JSON_ARRAY));
    for (size_t i = 0; values[i]; i++)
        json_add(list, json_text(a, values[i]));
    return object;
}

/* The schema of one argument: its type, or something that stands for a value of any type. */
static struct json *arg_schema(struct arena *a, const struct op_arg *arg)
{
    static const char *const named[] = {[OP_PATH] = "path",   [OP_BYTES] = "bytes", [OP_TEXT] = "string",
                                        [OP_TEXTS] = "texts", [OP_MAP] = "map",     [OP_JSON] = "value"};
    static const char *const plain[] = {[OP_INT] = "{'type':'integer','minimum':-9223372036854775808,"
                                                   "'maximum':9223372036854775807}",
                                        [OP_BOOL] = "{'type':'boolean'}",
                                        [OP_REAL] = "{'type':'number'}"};
    struct json *schema = json_new(a, JSON_OBJECT);
    json_set(a, schema, "description", json_text(a, arg->doc));
    struct json *any = json_set(a, schema, "anyOf", json_new(a, JSON_ARRAY));
    if (arg->type == OP_ONE_OF)
        json_add(any, text_enum(a, arg->values));
    else if (arg->type == OP_INT || arg->type == OP_BOOL || arg->type == OP_REAL)
        json_add(any, parse(a, plain[arg->type]));
    else
        json_add(any, reference(a, named[arg->type]));
    json_add(any, reference(a, "stand-in"));
    return schema;
}

static struct json *args_schema(struct arena *a, const struct op *op)
{
    struct json *schema = json_new(a, JSON_OBJECT);
    json_set(a, schema, "description", json_text(a, op->doc));
    struct json *properties = json_set(a, schema, "properties", json_new(a, JSON_OBJECT));
    struct json *required = json_new(a, JSON_ARRAY);
    for (size_t i = 0; i < op->arg_count; i++) {
        json_set(a, properties, op->args[i].name, arg_schema(a, &op->args[i]));
        if (op->args[i].required)
            json_add(required, json_text(a, op->args[i].name));
    }
    if (required->count)
        json_set(a, schema, "required", required);
    if (op_arg_find(op, "argv") && op_arg_find(op, "script"))
        json_set(a, schema, "oneOf", parse(a, task_schema_program));
    json_set(a, schema, "additionalProperties", json_bool(a, false));
    return schema;
}

/* {"if":{"properties":{"op":{"const":OP}}},"then":{"properties":{"args":…},"required":["args"]}} */
static struct json *op_condition(struct arena *a, const struct op *op)
{
    struct json *condition = json_new(a, JSON_OBJECT);
    struct json *test = json_set(a, condition, "if", parse(a, "{'properties':{'op':{}},'required':['op']}"));
    json_set(a, json_get(json_get(test, "properties"), "op"), "const", json_text(a, op->name));
    struct json *then = json_set(a, condition, "then", parse(a, "{'properties':{}}"));
    json_set(a, json_get(then, "properties"), "args", reference(a, arena_printf(a, "args-%s", op->name)));
    bool needs_args = op_arg_find(op, "argv") != NULL;
    for (size_t i = 0; i < op->arg_count; i++)
        needs_args = needs_args || op->args[i].required;
    if (needs_args)
        json_set(a, then, "required", parse(a, "['args']"));
    return condition;
}

static struct json *step_schema(struct arena *a, const struct ops *ops)
{
    struct json *step = parse(a, task_schema_step);
    struct json *names = json_set(a, json_get(json_get(step, "properties"), "op"), "enum",
                                  json_new(a, JSON_ARRAY));
    struct json *all = json_set(a, step, "allOf", json_new(a, JSON_ARRAY));
    for (size_t i = 0; i < ops_count(ops); i++) {
        json_add(names, json_text(a, ops_at(ops, i)->name));
        json_add(all, op_condition(a, ops_at(ops, i)));
    }
    return step;
}

static struct json *path_schema(struct arena *a)
{
    struct json *path = parse(a,
                              "{'description':'a path and how it is spelled','type':'object','properties':{"
                              "'$path':{'$ref':'#/$defs/string'}},'required':['$path','as'],"
                              "'additionalProperties':false}");
    json_set(a, json_get(path, "properties"), "as", text_enum(a, task_spellings));
    return path;
}

static struct json *parameter_schema(struct arena *a, const struct recipe_parameter *p)
{
    struct json *range;
    switch (p->type) {
    case RECIPE_INT:
        range = parse(a, "{'type':'integer'}");
        json_set(a, range, "minimum", json_integer(a, p->low));
        json_set(a, range, "maximum", json_integer(a, p->high));
        return range;
    case RECIPE_BOOL:
        return parse(a, "{'type':'boolean'}");
    case RECIPE_BYTES:
        return reference(a, "string");
    case RECIPE_CONTENT:
        return reference(a, "content");
    case RECIPE_ONE_OF:
        return text_enum(a, p->values);
    }
    BUG("a recipe parameter has no type");
}

static struct json *recipe_schema(struct arena *a)
{
    struct json *any = json_new(a, JSON_OBJECT), *list = json_set(a, any, "oneOf", json_new(a, JSON_ARRAY));
    for (size_t i = 0; recipe_at(i); i++) {
        const struct recipe *recipe = recipe_at(i);
        struct json *one = json_add(list, parse(a, "{'type':'object','properties':{'$recipe':{}}}"));
        struct json *properties = json_get(one, "properties");
        json_set(a, one, "description", json_text(a, recipe->doc));
        json_set(a, json_get(properties, "$recipe"), "const", json_text(a, recipe->name));
        struct json *required = json_set(a, one, "required", parse(a, "['$recipe']"));
        for (size_t p = 0; p < recipe->parameter_count; p++) {
            json_set(a, properties, recipe->parameters[p].name, parameter_schema(a, &recipe->parameters[p]));
            if (!recipe->parameters[p].fallback)
                json_add(required, json_text(a, recipe->parameters[p].name));
        }
        json_set(a, one, "additionalProperties", json_bool(a, false));
    }
    return any;
}

void task_schema(const struct ops *ops, struct buf *out)
{
    struct arena scratch;
    arena_init(&scratch);
    struct json *schema = parse(&scratch, task_schema_record);
    struct json *definitions = json_set(&scratch, schema, "$defs", json_new(&scratch, JSON_OBJECT));
    json_set(&scratch, definitions, "step", step_schema(&scratch, ops));
    for (const struct task_schema_definition *d = task_schema_definitions; d->name; d++)
        json_set(&scratch, definitions, d->name, parse(&scratch, d->text));
    json_set(&scratch, definitions, "wrap-path", path_schema(&scratch));
    json_set(&scratch, definitions, "recipe", recipe_schema(&scratch));
    for (size_t i = 0; i < ops_count(ops); i++)
        json_set(&scratch, definitions, arena_printf(&scratch, "args-%s", ops_at(ops, i)->name),
                 args_schema(&scratch, ops_at(ops, i)));
    json_write(out, schema, JSON_PRETTY);
    struct bytes text = buf_bytes(out);
    if (!bytes_ends(text, BYTES_LITERAL("\n")))
        buf_add_byte(out, '\n');
    arena_release(&scratch);
}
