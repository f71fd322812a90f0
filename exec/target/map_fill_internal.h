/* Shared by map_fill.c and map_fill_run.c only. */
#ifndef EXEC_TARGET_MAP_FILL_INTERNAL_H
#define EXEC_TARGET_MAP_FILL_INTERNAL_H

#include "exec/target/map_fill.h"

/* NULL with f->missing set: the value of @line, @argv, …; NULL without it: the call has none. */
struct json *map_fill_run(const struct op_map *m, struct map_fill *f, const char *name);
/* Does the template place this argument of the op? */
bool map_places(const struct op_map *m, const char *name);
/* Sets f->missing to "op:what" and returns NULL. */
struct json *map_cannot(const struct op_map *m, struct map_fill *f, const char *what);
/* Path under the root, absolute or as asked. */
struct bytes map_spell(struct map_fill *f, struct bytes path, const char *as);

#endif
