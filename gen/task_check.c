/* Checks of what a record says: each argument's name and type, references to steps and contents,
 * expectations.
 *
 * {"$raw":…} fits every argument: a task may send what no schema allows. So does {"$from":…}, whose value
 * only the run tells. */
#include <string.h>

#include "gen/task_internal.h"

/* References. */

static int check_content(struct task_reader *r, const struct json *value, const char *member)
{
    if (json_get_bytes(r->task->contents, value->first->text))
        return 0;
    return task_fault(r, arena_printf(&r->task->arena, "%s.$content", member), value->first,
                      "a name in \"contents\"");
}

/* The first token of a pointer must be a result of the op; what lies deeper is the target's affair. */
static bool result_known(const struct op *op, struct bytes pointer)
{
    size_t end = 1;
    while (end < pointer.len && pointer.data[end] != '/')
        end++;
    struct bytes token = bytes_slice(pointer, 1, end);
    for (size_t i = 0; i < op->result_count; i++)
        if (bytes_equal_string(token, op->results[i].name))
            return true;
    return false;
}

static const char *result_list(struct arena *a, const struct op *op)
{
    if (!op->result_count)
        return arena_printf(a, "no pointer: %s has no results", op->name);
    const char *list = arena_printf(a, "a pointer to a result of %s:", op->name);
    for (size_t i = 0; i < op->result_count; i++)
        list = arena_printf(a, "%s%s /%s", list, i ? "," : "", op->results[i].name);
    return list;
}

static int check_from(struct task_reader *r, const struct json *value, const char *member)
{
    const struct task *t = r->task;
    struct arena *a = &r->task->arena;
    const struct json *id = value->first, *at = id->next;
    size_t from = task_step_index(t, arena_string(a, id->text));
    if (from >= r->step)
        return task_fault(r, arena_printf(a, "%s.$from", member), id, "the id of an earlier step");
    const char *group = t->steps[r->step].group;
    bool together = group != NULL;
    for (size_t i = from; together && i < r->step; i++)
        together = t->steps[i].group && strcmp(t->steps[i].group, group) == 0;
    if (together)
        return task_fault(r, arena_printf(a, "%s.$from", member), id,
                          "an earlier step, not one of the same group, which runs at the same time");
    if (!result_known(t->steps[from].op, at->text))
        return task_fault(r, arena_printf(a, "%s.at", member), at, result_list(a, t->steps[from].op));
    return 0;
}

static int check_references(struct task_reader *r, const struct json *args, const char *member)
{
    for (struct json *v = (struct json *)args; v; v = task_walk_values(args, v)) {
        enum task_wrapper wrapper = task_wrapper_of(v);
        if (wrapper == WRAP_CONTENT)
            TRY(check_content(r, v, member));
        else if (wrapper == WRAP_FROM)
            TRY(check_from(r, v, member));
    }
    return 0;
}

/* Types. */

static bool is_stand_in(const struct json *value)
{
    return json_is(value, JSON_RAW) || task_wrapper_of(value) == WRAP_FROM;
}

static bool fits_path(const struct json *value)
{
    return json_is(value, JSON_STRING) || task_wrapper_of(value) == WRAP_PATH;
}

static bool fits_texts(const struct json *value, enum json_kind kind)
{
    if (!json_is(value, kind) || task_wrapper_of(value) != WRAP_NONE)
        return false;
    for (const struct json *item = value->first; item; item = item->next)
        if (!fits_path(item) && !is_stand_in(item))
            return false;
    return true;
}

static bool fits_one_of(const struct op_arg *arg, const struct json *value)
{
    for (size_t i = 0; json_is(value, JSON_STRING) && arg->values[i]; i++)
        if (bytes_equal_string(value->text, arg->values[i]))
            return true;
    return false;
}

static bool fits(const struct op_arg *arg, const struct json *value)
{
    int64_t integer;
    if (is_stand_in(value))
        return true;
    switch (arg->type) {
    case OP_PATH:
        return fits_path(value);
    case OP_BYTES:
        return json_is(value, JSON_STRING) || task_wrapper_of(value) == WRAP_CONTENT;
    case OP_TEXT:
        return json_is(value, JSON_STRING);
    case OP_INT:
        return json_as_integer(value, &integer);
    case OP_BOOL:
        return json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE);
    case OP_REAL:
        return json_is(value, JSON_NUMBER);
    case OP_ONE_OF:
        return fits_one_of(arg, value);
    case OP_TEXTS:
        return fits_texts(value, JSON_ARRAY);
    case OP_MAP:
        return fits_texts(value, JSON_OBJECT);
    case OP_JSON:
        return true;
    }
    BUG("an op argument has no type");
}

static const char *type_words(struct arena *a, const struct op_arg *arg)
{
    static const char *const words[] = {[OP_PATH] = "a path",
                                        [OP_BYTES] = "bytes: a string or {\"$content\":NAME}",
                                        [OP_TEXT] = "a text",
                                        [OP_INT] = "a whole number of 64 bits",
                                        [OP_BOOL] = "true or false",
                                        [OP_REAL] = "a number",
                                        [OP_TEXTS] = "an array of texts",
                                        [OP_MAP] = "an object of texts",
                                        [OP_JSON] = "a JSON value"};
    if (arg->type != OP_ONE_OF)
        return words[arg->type];
    const char *list = "one of";
    for (size_t i = 0; arg->values[i]; i++)
        list = arena_printf(a, "%s%s %s", list, i ? "," : "", arg->values[i]);
    return list;
}

static const char *arg_list(struct arena *a, const struct op *op)
{
    if (!op->arg_count)
        return arena_printf(a, "no arguments: %s takes none", op->name);
    const char *list = arena_printf(a, "an argument of %s:", op->name);
    for (size_t i = 0; i < op->arg_count; i++)
        list = arena_printf(a, "%s%s %s", list, i ? "," : "", op->args[i].name);
    return list;
}

/* A program is given in one of two ways, which the vocabulary's types alone cannot say. */
static int check_program(struct task_reader *r, const struct task_step *step, const char *member)
{
    if (!op_arg_find(step->op, "argv") || !op_arg_find(step->op, "script"))
        return 0;
    bool argv = json_get(step->args, "argv"), language = json_get(step->args, "language"),
         script = json_get(step->args, "script");
    if (argv ? language || script : !language || !script)
        return error_set(r->err, ERR_INPUT, "%s: %s: found %s, expected argv, or language and script",
                         r->where, member,
                         argv       ? "argv beside language or script"
                         : script   ? "script without language"
                         : language ? "language without script"
                                    : "no program");
    return 0;
}

int task_check_args(struct task_reader *r, const struct task_step *step, const char *member)
{
    struct arena *a = &r->task->arena;
    for (const struct json *value = step->args->first; value; value = value->next) {
        const struct op_arg *arg = op_arg_find(step->op, arena_string(a, value->key));
        struct json name = {.kind = JSON_STRING, .text = value->key};
        if (!arg || memchr(value->key.data, 0, value->key.len))
            return task_fault(r, member, &name, arg_list(a, step->op));
        const char *path = arena_printf(a, "%s.%s", member, arg->name);
        if (!fits(arg, value))
            return task_fault(r, path, value, type_words(a, arg));
        TRY(check_references(r, value, path));
    }
    for (size_t i = 0; i < step->op->arg_count; i++) {
        const struct op_arg *arg = &step->op->args[i];
        if (arg->required && !json_get(step->args, arg->name))
            return task_fault(r, arena_printf(a, "%s.%s", member, arg->name), NULL, type_words(a, arg));
    }
    return check_program(r, step, member);
}

/* Expectations. */

enum subject { ON_STEP, ON_RESULT, ON_FILE, ON_JSON };
enum { SITE_PATH_MAX = 8192 };

/* What may be claimed of what: each claim is one member of the expectation. */
struct claim_row {
    const char *name;
    unsigned subjects; /* set of 1 << enum subject */
    bool (*fits)(const struct json *value);
    const char *words;
};

static bool is_count(const struct json *value)
{
    int64_t n;
    return json_as_integer(value, &n) && n >= 0;
}

static bool is_integer(const struct json *value)
{
    int64_t n;
    return json_as_integer(value, &n);
}

static bool is_outcome(const struct json *value)
{
    return json_is(value, JSON_STRING) &&
           (bytes_equal_string(value->text, "ok") || bytes_equal_string(value->text, "error"));
}

static bool is_bytes(const struct json *value)
{
    return json_is(value, JSON_STRING) || task_wrapper_of(value) == WRAP_CONTENT;
}

static bool is_any(const struct json *value)
{
    return value != NULL;
}

static bool is_boolean(const struct json *value)
{
    return json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE);
}

static bool is_sha256(const struct json *value)
{
    bool ok = json_is(value, JSON_STRING) && value->text.len == 64;
    for (size_t i = 0; ok && i < 64; i++)
        ok = strchr("0123456789abcdef", value->text.data[i]) != NULL && value->text.data[i];
    return ok;
}

static const struct claim_row claims[] = {
    {"exit", 1 << ON_STEP, is_integer, "a whole number"},
    {"outcome", 1 << ON_STEP, is_outcome, "\"ok\" or \"error\""},
    {"equals", 1 << ON_RESULT | 1 << ON_JSON, is_any, "a value"},
    {"equals", 1 << ON_FILE, is_bytes, "bytes: a string or {\"$content\":NAME}"},
    {"contains", 1 << ON_RESULT | 1 << ON_FILE, is_bytes, "bytes: a string or {\"$content\":NAME}"},
    {"sha256", 1 << ON_RESULT | 1 << ON_FILE, is_sha256, "64 hex digits in lower case"},
    {"size", 1 << ON_RESULT | 1 << ON_FILE, is_count, "a number of bytes"},
    {"lines", 1 << ON_FILE, is_count, "a number of lines"},
    {"exists", 1 << ON_FILE, is_boolean, "true or false"},
};

static const char *claim_list(struct arena *a, enum subject subject)
{
    const char *list = "one claim:";
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (claims[i].subjects & 1u << subject)
            list = arena_printf(a, "%s%s %s", list, strcmp(list, "one claim:") ? "," : "", claims[i].name);
    if (subject == ON_STEP)
        list = arena_printf(a, "%s; or \"at\" and a claim about the value there", list);
    if (subject == ON_FILE)
        list = arena_printf(a, "%s; or \"json\" and a claim about the value there", list);
    return list;
}

static int check_claim(struct task_reader *r, const struct json *expectation, enum subject subject,
                       uint32_t others, const char *member)
{
    struct arena *a = &r->task->arena;
    const struct claim_row *row = NULL;
    for (size_t i = 0; i < sizeof claims / sizeof *claims && !row; i++)
        if (claims[i].subjects & 1u << subject && json_get(expectation, claims[i].name))
            row = &claims[i];
    if (!row || expectation->count != others + 1)
        return error_set(r->err, ERR_INPUT, "%s: %s: found %u members, expected %s", r->where, member,
                         expectation->count, claim_list(a, subject));
    const struct json *value = json_get(expectation, row->name);
    const char *path = arena_printf(a, "%s.%s", member, row->name);
    if (!row->fits(value))
        return task_fault(r, path, value, row->words);
    return check_references(r, value, path);
}

static int check_site_expectation(struct task_reader *r, const struct json *expectation, const struct json *at, const char *member)
{
    struct arena *a = &r->task->arena;
    const struct json *path = json_get(expectation, "site");
    bool text;
    if (!json_is(path, JSON_STRING) || !path->text.len || path->text.data[0] != '/' || path->text.len > SITE_PATH_MAX)
        return task_fault(r, arena_printf(a, "%s.site", member), path, "a path of the fixture site");
    if (!json_is(at, JSON_STRING) || !op_site_pointer(at->text, &text))
        return task_fault(r, arena_printf(a, "%s.at", member), at, "one of " OP_SITE_POINTERS);
    return check_claim(r, expectation, ON_RESULT, 3, member);
}

static int check_step_expectation(struct task_reader *r, const struct json *expectation, const char *member)
{
    struct arena *a = &r->task->arena;
    const struct json *id = json_get(expectation, "step"), *at = json_get(expectation, "at");
    const struct task_step *step = json_is(id, JSON_STRING)
                                       ? task_find_step(r->task, arena_string(a, id->text))
                                       : NULL;
    if (!step)
        return task_fault(r, arena_printf(a, "%s.step", member), id, "the id of a step");
    if (json_get(expectation, "site"))
        return check_site_expectation(r, expectation, at, member);
    if (at) {
        const char *path = arena_printf(a, "%s.at", member);
        if (!json_is(at, JSON_STRING) || !at->text.len || at->text.data[0] != '/' ||
            !result_known(step->op, at->text))
            return task_fault(r, path, at, result_list(a, step->op));
    }
    return check_claim(r, expectation, at ? ON_RESULT : ON_STEP, at ? 2 : 1, member);
}

static int check_file_expectation(struct task_reader *r, const struct json *expectation, const char *member)
{
    struct arena *a = &r->task->arena;
    const struct json *file = json_get(expectation, "file"), *pointer = json_get(expectation, "json");
    if (!fits_path(file))
        return task_fault(r, arena_printf(a, "%s.file", member), file, "a path");
    if (pointer && !(json_is(pointer, JSON_STRING) && (!pointer->text.len || pointer->text.data[0] == '/')))
        return task_fault(r, arena_printf(a, "%s.json", member), pointer,
                          "a JSON pointer, \"\" for the whole");
    return check_claim(r, expectation, pointer ? ON_JSON : ON_FILE, pointer ? 2 : 1, member);
}

int task_check_expect(struct task_reader *r, const struct json *expect)
{
    struct arena *a = &r->task->arena;
    size_t index = 0;
    for (const struct json *item = expect->first; item; item = item->next, index++) {
        const char *member = arena_printf(a, "expect[%zu]", index);
        bool step = json_get(item, "step"), file = json_get(item, "file");
        if (step == file)
            return task_fault(r, member, item, "an expectation: an object with either \"step\" or \"file\"");
        TRY(step ? check_step_expectation(r, item, member) : check_file_expectation(r, item, member));
    }
    return 0;
}
