/* The table of formats, and how they are told apart: by what a file holds, not by its name. */
#include "gen/import/import_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For files the first that fits reads it; the last one fits all. */
static const struct import_row *const rows[] = {&import_harbor, &import_tasks, &import_mcp, &import_inspect, &import_plain};

enum { LOOK_LINES = 50 /* of a log in which no message was met before */ };

const struct import_format *import_format_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index]->format : NULL;
}

void import_init(struct import *im, const struct ops *ops, struct dictionary *words)
{
    *im = (struct import){.ops = ops, .words = words};
    arena_init(&im->arena);
}

void import_release(struct import *im)
{
    for (size_t i = 0; i < im->count; i++)
        task_free(im->seeds[i].task);
    free(im->seeds);
    arena_release(&im->arena);
}

int import_fault(struct import_source *s, int64_t line, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (line)
        return error_set(s->err, ERR_INPUT, "%s:%lld: %s", s->where, (long long)line, text);
    return error_set(s->err, ERR_INPUT, "%s: %s", s->where, text);
}

bool import_next_line(struct import_lines *l, struct bytes *line)
{
    if (l->at >= l->text.len)
        return false;
    ptrdiff_t end = bytes_find(l->text, BYTES_LITERAL("\n"), l->at);
    size_t stop = end < 0 ? l->text.len : (size_t)end;
    *line = bytes_slice(l->text, l->at, stop);
    l->at = stop + 1;
    l->number++;
    if (bytes_ends(*line, BYTES_LITERAL("\r")))
        line->len--;
    return true;
}

static bool blank(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] != ' ' && text.data[i] != '\t' && text.data[i] != '\n' && text.data[i] != '\r')
            return false;
    return true;
}

/* Whether it is JSON is asked of what begins like it. */
static void look(struct import_source *s)
{
    static const struct json_options lenient = {.allow_bad_utf8 = true, .max_depth = 10000};
    struct import_lines lines = {.text = s->text};
    struct bytes line;
    struct json *value = NULL;
    size_t at = 0;
    while (at < s->text.len && blank(bytes_slice(s->text, at, at + 1)))
        at++;
    if (at == s->text.len)
        return;
    bool bracket = s->text.data[at] == '{' || s->text.data[at] == '[';
    if (bracket && s->text.len <= IMPORT_VALUE_MAX && json_read(s->arena, s->text, &lenient, "", &value, NULL, NULL) == 0) {
        s->whole = value;
        s->first = value;
    }
    while (!s->first && lines.number < LOOK_LINES && import_next_line(&lines, &line)) {
        ptrdiff_t open = bytes_find(line, BYTES_LITERAL("{"), 0);
        struct json_options part = lenient;
        part.allow_trailing = true;
        if (open >= 0 && json_read(s->arena, bytes_slice(line, (size_t)open, line.len), &part, "", &value, NULL, NULL) == 0)
            s->first = value;
    }
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int read_source(struct import_source *s)
{
    look(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!rows[i]->format.mark && rows[i]->fits(s))
            return rows[i]->read(s);
    return 0;
}

int import_bytes_in(struct import *im, const char *where, const char *directory, struct bytes data, struct error **err)
{
    struct arena a;
    arena_init(&a);
    struct import_source s = {
        .im = im, .arena = &a, .where = where, .name = last_part(where), .text = data, .directory = directory, .err = err};
    int status = read_source(&s);
    arena_release(&a);
    return status;
}

int import_bytes(struct import *im, const char *where, struct bytes data, struct error **err)
{
    return import_bytes_in(im, where, NULL, data, err);
}

int import_bundle(struct import *im, const char *where, const struct import_file *files, size_t count, struct error **err)
{
    struct arena a;
    int status = 0;
    arena_init(&a);
    struct import_source s = {
        .im = im, .arena = &a, .where = where, .name = last_part(where), .files = files, .file_count = count, .err = err};
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !status; i++)
        if (rows[i]->format.mark)
            status = rows[i]->read(&s);
    arena_release(&a);
    return status;
}
