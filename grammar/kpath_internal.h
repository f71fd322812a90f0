/* The graph behind kpath.h, for the files grammar/kpath*.c alone.
 *
 *   kpath_build.c   choice points and their alternatives, from the workflows on until nothing new turns up
 *   kpath_scan.c    what stands directly below an alternative: bodies, texts, makers, rules
 *   kpath_handles.c properties made when read; guards that say that a handle is there
 *   kpath_never.c   what no budget admits
 *   kpath.c         numbers of paths, places in logs, accounting
 *   kpath_name.c    all of it for people */
#ifndef GRAMMAR_KPATH_INTERNAL_H
#define GRAMMAR_KPATH_INTERNAL_H

#include "grammar/grammar_internal.h"
#include "grammar/kpath.h"
#include "grammar/plan.h"
#include "grammar/site.h"

enum { KPATH_PATHS_MOST = 1 << 26, KPATH_MADE = 0 /* the parent of properties made when read */ };

/* A site; a choice point once it has values. */
struct kpath_row {
    uint32_t first, count;        /* its alternatives, in a row */
    uint32_t values, value_count; /* index into `numbers`: the alternative of each value, or KPATH_NONE */
    uint8_t kind;                 /* enum site_kind */
    bool opens;
};

/* What an alternative was made from. */
struct kpath_body {
    const struct plan_node *choice; /* plan: the node that chooses; NULL: workflow */
    const struct plan_node *list;   /* plan: the body */
    const struct plan_do *call;     /* that passes arguments to it; NULL: nobody */
    /* Guards that hold when it begins: its own, and that of what it is the first part of. */
    const struct expr *when, *given;
    const struct plan_step *needs; /* is only done without what it needs when nothing else can be done */
    uint32_t node;                 /* grammar: what is derived, or the repetition; NONE: plan */
    bool repeats;                  /* node is a repetition, done `times` or more */
    uint32_t times;                /* not a repetition: above 1, so many texts, of which node is the first */
};

struct kpath_alternative {
    uint32_t site, value;
    uint32_t child, child_count; /* kids */
    uint32_t ways;               /* alternatives directly below */
    uint32_t read, read_count;   /* reads: names of properties that are read directly below */
    struct kpath_body body;
};

enum kpath_why { KPATH_MAY, KPATH_SENSELESS /* no choice at all: not listed */, KPATH_WEIGHT, KPATH_BUDGET };

struct kpath_never {
    enum kpath_why why;
    uint32_t site, value;
    struct plan_place place;
};

/* A property that is made when it is read, and the choices of its making. */
struct kpath_property {
    const struct handle_type *type;
    size_t prop;
    uint32_t name;
    uint32_t site, site_count; /* sites */
    uint32_t read, read_count; /* reads: of its maker */
};

struct kpath_graph {
    const struct domain *domain;
    unsigned longest;
    struct kpath_row *rows; /* by site */
    POOL(struct kpath_alternative) alternatives;
    POOL(uint32_t) numbers;
    POOL(struct kpath_child) kids;
    POOL(uint32_t) reads;
    POOL(uint32_t) sites;
    POOL(struct bytes) names; /* of properties */
    POOL(struct kpath_property) properties;
    POOL(struct kpath_never) nevers;
    uint64_t *start[KPATH_LONGEST]; /* [j], j >= 1: of each j-path, the number of its first extension */
    uint64_t count[KPATH_LONGEST + 1];
};

struct kpath_builder {
    const struct domain *domain;
    const char *workflow;
    struct kpath_graph *graph;
    uint32_t *kid_of;       /* by site: 1 + its index in kids, if the alternative being scanned has it */
    uint32_t *node_stamps;  /* of the grammar: the last scan that came by */
    uint32_t stamp;
    POOL(uint32_t) waiting; /* nodes of the grammar to come by */
    bool **missing;         /* by kind of handle and property: perhaps nobody sets it before it is read */
    bool **made;            /* … and is among graph->properties */
    uint32_t alternative;   /* being scanned */
    const struct plan_step *needs;
    bool undisturbed;                 /* nothing was done yet in the body being scanned */
    bool making;                      /* a property is scanned: its sites go to graph->sites */
    const struct kpath_never *banned; /* found by an earlier round */
    size_t banned_count;
};

/* kpath_build.c */
void kpath_open(struct kpath_builder *b, uint32_t site, enum site_kind kind, const struct plan_node *n);
/* kpath_scan.c */
void kpath_scan_alternative(struct kpath_builder *b, uint32_t alternative);
void kpath_scan_property(struct kpath_builder *b, const struct handle_type *type, size_t prop);
/* kpath_handles.c */
struct bytes kpath_first_word(struct bytes rest); /* of a name's rest: the property */
bool *kpath_missing(struct kpath_builder *b, const struct handle_type *type);
void kpath_note_definition(struct kpath_builder *b, const struct plan_node *def);
void kpath_note_result(struct kpath_builder *b, const struct plan_op *op);
/* A guard says that a <with> at the beginning of a step's body finds a handle. */
bool kpath_is_given(const struct kpath_graph *g, const struct kpath_body *body, const struct plan_with *with);
/* kpath_never.c */
/* Choices that no budget admits, among those of the graph; a list owned by the caller. */
struct kpath_never *kpath_over_budget(const struct kpath_graph *g, size_t *count);
enum kpath_why kpath_banned(const struct kpath_builder *b, uint32_t site, uint32_t value);

#endif
