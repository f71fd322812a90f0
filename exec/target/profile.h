/* Profiles: what the automatic mapping cannot find, stated in XML (docs/profiles.md). A profile names
 * tools for ops, the arguments of their calls, and where results stand in replies. It is for one kind of
 * server and says by which tools one knows it. */
#ifndef EXEC_TARGET_PROFILE_H
#define EXEC_TARGET_PROFILE_H

#include "exec/target/map.h"

struct profile; /* immutable once loaded */

/* ERR_INPUT: "file:line: what was found, what was expected". */
int profile_load(const char *file, const struct ops *ops, struct profile **profile, struct error **err);
/* The first of the directory's *.xml files, by name, that is for a server with these tools; *profile is
 * NULL when none is. A directory that is not there has none. A file that is wrong is an error. */
int profile_choose(const char *directory, const struct ops *ops, const struct mcp_tools *tools,
                   struct profile **profile, struct error **err);
void profile_free(struct profile *p);

const char *profile_name(const struct profile *p);
bool profile_is_for(const struct profile *p, const struct mcp_tools *tools);
/* Puts what the profile states into an automatic map. The map keeps pointers into the profile. */
void profile_apply(const struct profile *p, struct tool_map *m, const struct mcp_tools *tools);

#endif
