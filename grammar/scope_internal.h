/* Names in scope while a body is resolved: domain_scope.c keeps them and settles expressions, texts and
 * makers; domain_resolve.c walks the nodes. */
#ifndef GRAMMAR_SCOPE_INTERNAL_H
#define GRAMMAR_SCOPE_INTERNAL_H

#include "grammar/domain_internal.h"

enum binding_kind {
    BIND_VALUE,  /* let, param, repeat's index */
    BIND_HANDLE,
    BIND_RECORD, /* an op's results, known only at run time */
    BIND_STEP    /* an op's id: a name space of its own */
};

struct binding {
    const char *name;
    enum binding_kind kind;
    int slot;
    struct plan_place place;
    const struct maker *maker;       /* BIND_VALUE; NULL: unknown */
    const struct handle_type *type;  /* BIND_HANDLE */
    const struct plan_def *def;      /* BIND_HANDLE, when its definition is in this body */
    const struct op *op;             /* BIND_RECORD */
    const struct plan_node *group;   /* BIND_RECORD, BIND_HANDLE: the <parallel> that runs what gives it */
};

struct scope {
    struct reading *r;
    struct binding *items;
    size_t count, capacity;
    int slot_count;
    const struct plan_node *group;   /* the <parallel> we are in, or NULL */
    int own_prop; /* in a property's maker: only properties before this one can be read; -1: elsewhere */
};

/* Adds a name; *b has everything but the slot, which is a fresh one unless it is already set (>= 0). */
int scope_bind(struct scope *s, struct binding *b);
const struct binding *scope_find(const struct scope *s, struct bytes name, bool step);

/* What a text may be. */
enum text_use {
    TEXT_PLAIN,     /* known while generating */
    TEXT_RUN_TIME   /* a result of an earlier step may stand alone in it */
};
int scope_text(struct scope *s, struct text *t, enum text_use use);
int scope_texts(struct scope *s, struct text **texts, size_t count); /* NULLs are passed over */
int scope_condition(struct scope *s, struct plan_place place, struct expr *e); /* NULL is fine */
int scope_maker(struct scope *s, struct maker *m);                   /* NULL is fine */
/* Slots of the handles that the text reads, into out (room for max); returns how many. */
size_t scope_handles(const struct scope *s, const struct text *t, int *out, size_t max);

/* --- domain_resolve*.c --- */
int resolve_type(struct scope *s, struct plan_place place, const char *name, const struct handle_type **type);
int resolve_kind(struct scope *s, struct plan_place place, struct plan_def *def); /* type and state */
struct binding resolve_binding(const struct scope *s, const struct plan_node *n, enum binding_kind kind);
int resolve_bind(struct scope *s, struct plan_node *n, struct binding b); /* and gives the node its slot */
int resolve_do(struct scope *s, struct plan_node *n);
int resolve_walk(struct scope *s, struct plan_node *n);
int resolve_op(struct scope *s, struct plan_node *n);
/* `last`: the op before it among its siblings, the subject where nothing else is said; NULL: none. */
int resolve_expect(struct scope *s, struct plan_node *n, struct plan_node *last);

#endif
