/* ops: the vocabulary of steps, as read from domains/ops.xml. */
#include "base/json.h"
#include "cli/verbs.h"

static const struct cli_option own[] = {
    {"json", 0, NULL, "an array of objects"},
    {0},
};

static void add_fields_text(struct buf *out, const char *label, const struct op_arg *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct op_arg *f = &fields[i];
        buf_addf(out, "    %s %-10s %-7s %s", label, f->name, op_type_name(f->type), f->doc);
        if (f->required)
            buf_add_string(out, " (required)");
        else if (f->fallback)
            buf_addf(out, " (default %s)", *f->fallback ? f->fallback : "empty");
        for (size_t k = 0; f->values && f->values[k]; k++)
            buf_addf(out, "%s%s", k ? "|" : ": ", f->values[k]);
        buf_add_byte(out, '\n');
    }
}

static void add_text(struct buf *out, const struct op *op)
{
    buf_addf(out, "%-18s %s%s%s%s\n", op->name, op->doc, *op->needs ? " [needs " : "", op->needs, *op->needs ? "]" : "");
    add_fields_text(out, "takes", op->args, op->arg_count);
    add_fields_text(out, "gives", op->results, op->result_count);
}

static struct json *fields_json(struct arena *a, const struct op_arg *fields, size_t count)
{
    struct json *list = json_new(a, JSON_ARRAY);
    for (size_t i = 0; i < count; i++) {
        struct json *row = json_add(list, json_new(a, JSON_OBJECT));
        json_set(a, row, "name", json_text(a, fields[i].name));
        json_set(a, row, "type", json_text(a, op_type_name(fields[i].type)));
        json_set(a, row, "required", json_bool(a, fields[i].required));
        if (fields[i].fallback)
            json_set(a, row, "default", json_text(a, fields[i].fallback));
        json_set(a, row, "doc", json_text(a, fields[i].doc));
    }
    return list;
}

static void add_json(struct arena *a, struct json *list, const struct op *op)
{
    struct json *row = json_add(list, json_new(a, JSON_OBJECT));
    json_set(a, row, "name", json_text(a, op->name));
    json_set(a, row, "group", json_text(a, op->group));
    json_set(a, row, "needs", json_text(a, op->needs));
    json_set(a, row, "doc", json_text(a, op->doc));
    json_set(a, row, "args", fields_json(a, op->args, op->arg_count));
    json_set(a, row, "results", fields_json(a, op->results, op->result_count));
}

static int run_ops(const struct verb *v, struct cli_args *args)
{
    struct ops *ops = NULL;
    int status = cli_ops(v, &ops);
    if (status)
        return status;
    struct arena a;
    arena_init(&a);
    struct buf out;
    buf_init(&out, 4 << 20);
    struct json *list = json_new(&a, JSON_ARRAY);
    for (size_t i = 0; i < ops_count(ops); i++) {
        if (cli_flag(args, "json"))
            add_json(&a, list, ops_at(ops, i));
        else
            add_text(&out, ops_at(ops, i));
    }
    if (cli_flag(args, "json")) {
        json_write(&out, list, JSON_PRETTY);
        buf_add_byte(&out, '\n');
    }
    status = cli_out(v, buf_bytes(&out));
    buf_release(&out);
    arena_release(&a);
    ops_free(ops);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_ops = {
    .name = "ops",
    .usage = "[--json]",
    .summary = "list the ops that steps are made of",
    .details = "Lists every op with what it takes, what it gives, and the capability a target must have for it.",
    .options = options,
    .run = run_ops,
};
