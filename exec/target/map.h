/* The map of ops to a server's tools: which tool carries out an op, with which arguments. It is found from
 * tools' names, descriptions and JSON Schemas (map.c with the tables of map_table.h), or stated by a profile
 * (profile.h); a profile wins for the ops it names.
 *
 * The arguments of a call are a JSON template. Where an object in it has the member "$arg", that object
 * stands for a value of the op (map_fill.h lists the forms); a member whose value is absent in a step is
 * left out. */
#ifndef EXEC_TARGET_MAP_H
#define EXEC_TARGET_MAP_H

#include "exec/target/mcp_tools.h"
#include "grammar/ops.h"

enum run_way {
    RUN_WAY_NONE,
    RUN_WAY_LINE, /* a shell's command line, as one string */
    RUN_WAY_ARGV, /* program and arguments apart */
    RUN_WAY_CODE  /* a script, and the language it is in */
};

/* How bytes come back that an op gives as a result. */
enum result_coding {
    CODING_TEXT,   /* as they are */
    CODING_BASE64  /* text parts are base64 */
};

/* How a glob over names is told to the tool's pattern parameter. */
enum glob_way {
    GLOB_PLAIN,
    GLOB_DEEP /* "**" and a slash before it */,
    GLOB_REGEX,
    GLOB_PART /* a part of the name */
};

struct profile_op;

struct op_map {
    const struct op *op;
    bool binary;                   /* the way that keeps every byte */
    const struct mcp_tool *tool;   /* NULL: there is none */
    struct json *arguments;        /* template; NULL without a tool */
    double sure;                   /* 0..1; 1 for a profile's */
    const char *why;               /* one line: what was found, or why nothing was */
    const struct profile_op *stated; /* from a profile: how results are read; or NULL */
    enum run_way run_way;          /* of run and start */
    unsigned languages;            /* of run: set of 1 << index into language_rows */
    bool shell_is_bash;            /* its command line is read by bash */
    enum result_coding coding;
    enum glob_way glob;            /* of search */
    bool limit_known;              /* its time limit is one of the whole program, in a unit that is stated by name, description or profile */
};

struct tool_map {
    struct arena arena;
    struct op_map *text, *binary;  /* by op index; those of helpers behind those of the vocabulary */
    size_t count;                  /* ops and helpers */
    size_t vocabulary;             /* ops */
    size_t mapped;                 /* how many of text and binary have a tool */
    const char *profile;           /* name of the profile used; NULL: none */
};

enum { MAP_SURE_PERCENT = 50 };    /* less sure candidates are not used */

struct profile;
/* `tools` and `profile` (or NULL) must outlive the map. */
void tool_map_init(struct tool_map *m, const struct mcp_tools *tools, const struct ops *ops,
                   const struct profile *profile);
void tool_map_release(struct tool_map *m);
/* The map of an op, in the way that keeps every byte or in the plain one; NULL when no tool does it. */
const struct op_map *tool_map_find(const struct tool_map *m, const struct op *op, bool binary);
/* A helper of browser ops (map_helpers.c): what lower_page.c makes them of. NULL when no tool does it. */
const struct op *tool_map_helper(const struct tool_map *m, const char *name);
/* A table for people, one line an op; with it what is missing and why. */
void tool_map_explain(const struct tool_map *m, const struct mcp_tools *tools, struct buf *out);

#endif
