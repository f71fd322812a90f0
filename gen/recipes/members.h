/* Files of an archive, as a list: what zip, tar and project write and what their facts are taken from. */
#ifndef GEN_RECIPES_MEMBERS_H
#define GEN_RECIPES_MEMBERS_H

#include "gen/recipes/recipes.h"

struct member {
    struct bytes name, data;
    struct bytes target; /* of a symbolic link; no bytes: a file */
    unsigned mode;       /* Unix permission bits */
};

struct members {
    struct arena *arena; /* holds names and data */
    struct member *items;
    size_t count, capacity;
};

/* The names that members_fact knows, for the list of a recipe's facts: names is a list; total is the sum of
 * sizes. */
#define MEMBERS_FACTS                                                                                        \
    "entries", "total", "first-name", "last-name", "names", "first-size", "first-sha256", "executables"

void members_init(struct members *m, struct arena *a);
void members_add(struct members *m, struct bytes name, struct bytes data, unsigned mode);
void members_add_text(struct members *m, const char *name,
                      struct buf *text); /* mode 0644; copies and releases text */
void members_add_link(struct members *m, struct bytes name, struct bytes target);
void members_zip(const struct members *m, struct buf *out); /* without links */
void members_tar(const struct members *m, struct buf *out);
struct json *members_fact(const struct members *m, struct bytes name, struct arena *a);

#endif
