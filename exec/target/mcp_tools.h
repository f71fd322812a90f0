/* The tools of a server, as tools/list gave them. Anything may stand in that list: an entry that is no
 * object, has no name or no schema is kept as far as it goes, so that it can still be called by the op
 * `call`. */
#ifndef EXEC_TARGET_MCP_TOOLS_H
#define EXEC_TARGET_MCP_TOOLS_H

#include "base/json.h"
#include "exec/target/map_words.h"

struct mcp_tool {
    struct bytes name;
    const char *label;          /* the name for people: control characters as ?, cut to 80 bytes */
    struct bytes description;   /* its first 4 KiB, or none */
    const struct json *input;   /* its inputSchema, or NULL */
    const struct json *output;  /* its outputSchema, or NULL */
    bool says_read_only;        /* annotations.readOnlyHint is true */
    bool says_destructive;      /* annotations.destructiveHint is true; an absent one counts as no */
    bool repeats;               /* some of its arguments are repeated in HTTP headers: mcp_param.h */
    const char *refused;        /* why it is not called, or NULL; static text */
    struct words words;         /* of its name */
};

struct mcp_tools {
    struct arena arena;
    struct mcp_tool *items;
    size_t count, capacity;
    char prefix[WORD_SIZE];     /* the first word of all their names, where there are three or more; "" */
};

enum { MCP_TOOLS_MAX = 4096 };  /* more are dropped */

void mcp_tools_init(struct mcp_tools *t);
void mcp_tools_release(struct mcp_tools *t);
/* Adds the entries of one tools/list result's "tools"; copies them. False when it is no array. */
bool mcp_tools_add(struct mcp_tools *t, const struct json *array);
/* Call after the last page: finds the prefix, and refuses what the globs (NULL-terminated, or NULL)
 * exclude. Where `destructive` is false, tools that say they are destructive are refused too. */
void mcp_tools_finish(struct mcp_tools *t, const char *const *only, const char *const *exclude,
                      bool destructive);
const struct mcp_tool *mcp_tools_find(const struct mcp_tools *t,
                                      struct bytes name); /* NULL when there is none */
/* Why a tool of any name, listed or not, is not called; NULL when it may be. */
const char *mcp_tools_refusal(const struct mcp_tools *t, struct bytes name, const char *const *only,
                              const char *const *exclude);

/* Appends text for a person: at most max bytes, control characters and invalid bytes as '?'. */
void add_visible(struct buf *out, struct bytes text, size_t max);

#endif
