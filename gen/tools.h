/* Tasks of a target's own tools: records whose steps are calls, with arguments from the tools' JSON Schemas
 * (gen/schema.h), singly, many in a row, and in sequences in which what one call was told or replied feeds a
 * later one.
 *
 * A record's domain is "tools", its grammar hash that of the tool list. (tool list, seed, index) gives the
 * same bytes, and the record's derivation replays wherever the same tool list is at hand; the record itself
 * needs none to be run.
 *
 * Which tools there are is told as text, so this knows no target. */
#ifndef GEN_TOOLS_H
#define GEN_TOOLS_H

#include "base/settings.h"
#include "gen/task.h"
#include "grammar/derivation.h"

/* Immutable, shared by threads. */
struct toolset;

/* A JSON array of objects with name, description, inputSchema, outputSchema and annotations, as tools/list
 * gives them; entries without a name that is UTF-8 are left out, and so is what is beyond SCHEMA_TEXT_MAX.
 * Or an object with that array as `tools`, and the `capabilities` of a server of the protocol, its `resources`,
 * `resourceTemplates` and `prompts`: then tasks have requests too. ERR_INPUT: neither. */
int toolset_new(struct bytes list, struct toolset **tools, struct error **err);
/* The server speaks the stateless era of MCP (2026-07-28): some tasks are of requests that break its rules. Before the first task; the
 * hash is another one then. */
enum tools_stateless { TOOLS_WITH_HANDSHAKE, TOOLS_OVER_PIPES, TOOLS_OVER_HTTP };
void toolset_stateless(struct toolset *t, enum tools_stateless how);
void toolset_free(struct toolset *t);
/* The target is reached over HTTP: tasks make requests of their own there too (docs/targets.md), and the hash is another one. Before
 * the first task is made. */
void toolset_over_http(struct toolset *t);
/* What the target has stored can be damaged from this machine: some tasks do so. Before the first task; the hash is another one then. */
void toolset_can_damage(struct toolset *t);
size_t toolset_count(const struct toolset *t);
bool toolset_usable(const struct toolset *t); /* tasks can be made: there are tools, resources or prompts */
const char *toolset_hash(const struct toolset *t); /* 16 hex digits of the canonical list */

/* The task of (tools, seed, index). ERR_INPUT when there are no tools, or no op "call". */
int toolset_task(const struct toolset *t, const struct ops *ops, const struct settings *settings,
                 uint64_t seed, uint64_t index, struct task **task, struct error **err);
/* The task that a derivation of this tool list means, completed from (seed, index). */
int toolset_task_from(const struct toolset *t, const struct ops *ops, const struct settings *settings,
                      const struct derivation *d, uint64_t seed, uint64_t index, struct task **task,
                      struct error **err);

/* How a tool's arguments are had, a line each for a person. */
void toolset_explain(const struct toolset *t, struct buf *out);

#endif
