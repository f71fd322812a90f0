/* Loading a template, for the files grammar/domain_*.c alone. It goes in passes:
 *   read    (domain_read, domain_body, domain_op, domain_text): XML to plan nodes, names as written, sites
 * numbered; resolve (domain_scope, domain_resolve): names to slots, types, rules, steps; everything undefined
 * is found here; cost    (domain_cost): cheapest completions, producers of handles, what never ends; rest
 * (domain_check): unreachable rules, workflows that do not fit the limits; flow
 * (domain_flow): states that are surely wrong, guards that never hold; sites (site.c): what each stands
 * for. */
#ifndef GRAMMAR_DOMAIN_INTERNAL_H
#define GRAMMAR_DOMAIN_INTERNAL_H

#include "grammar/elements.h"
#include "grammar/plan.h"
#include "grammar/xml_internal.h"

/* Pointers in an arena; grows by doubling. */
struct list {
    void **items;
    size_t count, capacity;
};
void list_add(struct arena *arena, struct list *list, void *item);

/* A <set>, wherever it stands: what a property may be made by. */
struct known_set {
    const char *prop;
    const struct maker *maker;
    bool alone; /* not inside a <def> */
};

struct reading {
    struct domain *domain;
    struct arena *arena; /* the domain's */
    const struct ops *ops;
    const struct domain_recipes *recipes;
    uint32_t next_site;
    uint64_t hash;
    const char *file;    /* being read */
    bool included;       /* it is not the main file */
    unsigned depth;      /* of includes */
    struct list files;   /* const char *: canonical names of all files read; those being read are `open` */
    struct list open;    /* of those, the chain of includes */
    struct list types, steps, workflows, hazards, fixed_paths, sets, roots;
    bool limited;        /* a <limit> was read */
    struct error **err;
};

struct plan_place place_at(const struct reading *r, const xmlNode *node);
int domain_read_file(struct reading *r, const char *file, const struct plan_place *from);

/* element_check.c: attributes and children of a node against its row of the table. */
int element_check(struct reading *r, xmlNode *node, const struct element *row);
int attribute_check(struct reading *r, const xmlNode *node, const struct element_attribute *row,
                    const char *value);
uint64_t attribute_count(const char *value);           /* of a checked ATTR_COUNT or ATTR_SIZE */
double attribute_number(const char *value,
                        double fallback); /* of a checked ATTR_NUMBER or ATTR_RATIO; NULL: fallback */

/* domain_text.c */
int text_read_template(struct reading *r, struct plan_place place, struct bytes source, struct text *out);
int text_read_attribute(struct reading *r, const xmlNode *node, const char *name,
                        struct text **out); /* NULL: absent */
enum text_layout { LAYOUT_SENTENCE, LAYOUT_BLOCK };
int text_read_mixed(struct reading *r, xmlNode *node, enum text_layout layout, struct text *out);
/* The next piece of a template up to a separator that stands outside braces; false at the end. */
bool text_split(struct bytes source, const char *separator, size_t *at, struct bytes *piece);
int text_read_parameters(struct reading *r, const xmlNode *node, const struct element *row,
                         struct named_text **out, size_t *count);
int maker_read(struct reading *r, const xmlNode *node, const struct element *row,
               struct maker **maker); /* NULL: none */

/* domain_body.c, domain_op.c, domain_expect.c */
int body_read(struct reading *r, xmlNode *parent, struct plan_node **first);
struct plan_node *plan_node_new(struct reading *r, const xmlNode *xml, enum plan_kind kind, uint32_t sites);
int guard_read(struct reading *r, const xmlNode *xml, struct expr **when);
const char *const *words_read(struct reading *r, const char *text, size_t *count);
int op_read(struct reading *r, xmlNode *xml, const struct op *op, struct plan_node **node);
int expect_read(struct reading *r, xmlNode *xml, struct plan_node **node);

int domain_hash_imports(struct reading *r); /* domain_hash.c */

/* domain_scope.c, domain_resolve.c, domain_cost.c, domain_check.c */
int domain_resolve(struct reading *r);
int domain_cost(struct reading *r);
int domain_check(struct reading *r);
/* The state that what `binder` defines is surely in at the end of the body that it stands directly in; NULL: another step
 * done later might have taken hold of it. `state`: the one that it begins with. */
const char *plan_final_state(const struct plan_node *binder, const char *state);

/* domain_scope.c: false when it surely has not. */
bool maker_may_have_fact(struct reading *r, const struct maker *maker, struct bytes fact);
/* domain_flow.c: what is certain of every derivation. */
int domain_flow(struct reading *r);

void domain_list_sites(struct reading *r); /* site.c */

#endif
