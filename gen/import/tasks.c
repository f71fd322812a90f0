/* Tasks of our own: one record a file, laid out in any way, an array of them, or one a line. */
#include "gen/import/import_internal.h"

#include <stdio.h>

static bool is_record(const struct json *value)
{
    return bytes_starts(json_as_text(json_get(value, "format")), BYTES_LITERAL("taskgen/task/"));
}

static bool fits(const struct import_source *s)
{
    return is_record(s->whole) || is_record(s->first) || (json_is(s->whole, JSON_ARRAY) && is_record(s->whole->first));
}

static int read_record(struct import_source *s, struct bytes text, int64_t line)
{
    struct task *t = NULL;
    const char *where = line ? arena_printf(s->arena, "%s:%lld", s->where, (long long)line) : s->where;
    TRY(task_read(s->im->ops, text, where, &t, s->err));
    return import_add(s, t, line, import_tasks.format.name);
}

static int read_array(struct import_source *s)
{
    int64_t number = 0;
    for (const struct json *v = s->whole->first; v; v = v->next) {
        struct buf text;
        buf_init(&text, IMPORT_LINES_MAX);
        json_write(&text, v, JSON_COMPACT);
        int status = read_record(s, buf_bytes(&text), 0);
        buf_release(&text);
        number++;
        if (status < 0)
            return error_wrap(s->err, "task %lld of the array", (long long)number);
    }
    return 0;
}

static int read_tasks(struct import_source *s)
{
    struct import_lines lines = {.text = s->text};
    struct bytes line;
    if (is_record(s->whole))
        return read_record(s, s->text, 0);
    if (json_is(s->whole, JSON_ARRAY))
        return read_array(s);
    while (import_next_line(&lines, &line))
        if (line.len)
            TRY(read_record(s, line, lines.number));
    return 0;
}

const struct import_row import_tasks = {
    .format = {.name = "tasks", .summary = "tasks of taskgen: JSON Lines, one JSON object, or an array"},
    .fits = fits,
    .read = read_tasks,
};
