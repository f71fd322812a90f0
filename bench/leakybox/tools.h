/* Tools: what a client can call. A tool is one row of tool_table.c: what it takes and gives is described
 * once, and both the schema that clients see and the check of what they send are made from that. */
#ifndef LEAKYBOX_TOOLS_H
#define LEAKYBOX_TOOLS_H

#include "leakybox/server.h"

enum arg_type {
    ARG_TEXT,  /* any string */
    ARG_PATH,  /* a path: no NUL */
    ARG_LINE,  /* a string without NUL */
    ARG_COUNT, /* an integer, low..high */
    ARG_FLAG,
    ARG_MAP,    /* object of strings without NUL */
    ARG_CHOICE, /* one of `choices` */
};

#define ARG_NO_HIGH INT64_MAX

struct tool_arg {
    const char *name;
    enum arg_type type;
    bool required;
    int64_t low, high;
    const char *const *choices; /* NULL-terminated */
    const char *doc;
};

enum tool_hints {
    TOOL_READS = 1,      /* changes nothing */
    TOOL_DESTROYS = 2,   /* may overwrite or delete */
    TOOL_IDEMPOTENT = 4, /* twice is as good as once */
    TOOL_OPEN_WORLD = 8, /* may do anything that this machine allows */
    TOOL_STORES = 16,    /* puts the caller's bytes into a file */
};

enum result_type {
    RESULT_TEXT,
    RESULT_COUNT,
    RESULT_FLAG,
    RESULT_KIND,    /* file, directory, link or other */
    RESULT_ENTRIES, /* of a directory */
};

struct tool_result {
    const char *name;
    enum result_type type;
    bool required;
    const char *doc; /* NULL: the name says it all */
};

struct call;

struct tool {
    const char *name;
    const char *title;
    const char *doc;
    const struct tool_arg *args;
    size_t arg_count;
    unsigned hints;
    const struct tool_result *results; /* of structuredContent; none: text only */
    size_t result_count;
    void (*run)(struct call *c);
};

/* One call. Everything lives in the arena of its message, which is gone when the handler returns. */
struct call {
    struct server *server;
    struct arena *arena;
    struct bytes id; /* JSON text of the request's id */
    const struct tool *tool;
    struct json *args; /* object; checked when the tool runs */
};

const struct tool *tool_at(size_t index); /* NULL past the end */
const struct tool *tool_find(struct bytes name);
struct json *tools_describe(struct arena *a); /* the "tools" array of tools/list */
void tool_call(struct call *c);

/* Checks the arguments against the table; an optional one that is null is taken away. False when the call was
 * answered. */
bool call_check_args(struct call *c);
/* Arguments, which are checked. */
bool call_has(const struct call *c, const char *arg);
struct bytes call_bytes(const struct call *c, const char *arg); /* none when absent */
int64_t call_integer(const struct call *c, const char *arg, int64_t fallback);
/* Finds the place of a path argument; false when it was answered with the reason why not. */
bool call_place(struct call *c, const char *arg, unsigned flags, struct place *p);

/* Answers. Exactly one per call, now or later. */
void call_text(struct call *c, struct bytes text);
void call_textf(struct call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void call_failed(struct call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "cannot <verb> "<place>": <words of errno>"; the place may be NULL */
void call_failed_errno(struct call *c, const char *verb, const struct place *p, int number);

/* What kind of file this is, for messages: "a directory", "a FIFO". */
const char *place_kind(const struct stat *st);

/* The handlers, one file per group. */
void tool_write_file(struct call *c);
void tool_append_file(struct call *c);
void tool_edit_file(struct call *c);
void tool_upload_file(struct call *c);
void tool_read_file(struct call *c);
void tool_download_file(struct call *c);
void tool_list_directory(struct call *c);
void tool_file_info(struct call *c);
void tool_make_directory(struct call *c);
void tool_move_file(struct call *c);
void tool_delete_file(struct call *c);
void tool_run_command(struct call *c);
void tool_start_process(struct call *c);
void tool_poll_process(struct call *c);
void tool_wait_process(struct call *c);
void tool_signal_process(struct call *c);
void tool_add_note(struct call *c);
void tool_read_notes(struct call *c);

#endif
