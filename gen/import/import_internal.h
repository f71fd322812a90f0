/* What the formats share: the source they read, and how tasks are made.
 *
 * import.c   the table, telling formats apart, files in memory     walk.c   files and directories on disk
 * build.c    tasks: files that are put, scripts, calls             toml.c   TOML into JSON values
 * tasks.c mcp.c harbor.c inspect.c plain.c   a format each         csv.c    rows of a table */
#ifndef GEN_IMPORT_INTERNAL_H
#define GEN_IMPORT_INTERNAL_H

#include "gen/import/import.h"
#include "gen/import/toml.h"

struct import_source {
    struct import *im;
    struct arena *arena;  /* for passing use, until this input is read */
    const char *where;    /* of the file or directory, for messages and records */
    const char *name;     /* its last part */
    struct bytes text;    /* of a file */
    const char *directory; /* that it stands in, for what a dataset refers to; NULL: nothing is read from there */
    /* What the text is, looked at once: a whole JSON value, or the first line that holds one; NULL: neither. */
    const struct json *whole, *first;
    const struct import_file *files; /* of a directory */
    size_t file_count;
    struct error **err;
};

struct import_row {
    struct import_format format;
    bool (*fits)(const struct import_source *s); /* of files; the first that says yes reads it */
    int (*read)(struct import_source *s);
};
extern const struct import_row import_tasks, import_mcp, import_inspect, import_plain, import_harbor;

/* As import_bytes, for a file that lies in a directory. */
int import_bytes_in(struct import *im, const char *where, const char *directory, struct bytes data, struct error **err);

/* Lines of a text. False at the end; *number counts from 1, *line is without its end. */
struct import_lines {
    struct bytes text;
    size_t at;
    int64_t number;
};
bool import_next_line(struct import_lines *l, struct bytes *line);

/* "where:line: text" or "where: text" for line 0; ERR_INPUT. */
int import_fault(struct import_source *s, int64_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Tasks (build.c). */
struct task *import_task(const struct import_row *row);
/* A clean path below the root: no "..", no leading slash; "file" where nothing is left of it. */
const char *import_clean_path(struct arena *a, struct bytes path);
/* A step that puts the bytes there, by write where that is text and else by upload; with `back`, one that reads them and what is
 * expected of the file. */
void import_put_file(const struct import *im, struct task *t, const char *path, struct bytes data, bool back);
/* A step that runs the script; its first line says in which language. False, and nothing is done: it is no text. */
bool import_put_script(const struct import *im, struct task *t, struct bytes script, const struct json *env);
/* A value from outside as the argument of a step: what no record can hold as it is becomes raw text or a literal. */
struct json *import_value(struct arena *a, const struct json *value);
/* Takes the task over. One without steps is dropped; one that is no valid record is import_fault. */
int import_add(struct import_source *s, struct task *t, int64_t line, const char *format);

/* The next row of a table in which commas part cells, "…" holds any text and "" a quote. 1: cells in `a`, at most `max` of them kept,
 * *count says how many there were; 0: no more; ERR_INPUT: a quote that is not closed. */
struct csv {
    struct bytes text;
    size_t at;
    int64_t line, next_line; /* that the row begins in */
};
int csv_row(struct csv *c, struct arena *a, struct bytes *cells, size_t max, size_t *count);

#endif
