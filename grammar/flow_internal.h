/* What is certain of a body before anything is derived: domain_flow.c follows the states of handles through
 * it, flow_facts.c what made their properties, domain_known.c evaluates guards as far as that goes. */
#ifndef GRAMMAR_FLOW_INTERNAL_H
#define GRAMMAR_FLOW_INTERNAL_H

#include "grammar/domain_internal.h"

enum { KNOWN_TEXTS_MOST = 16, KNOWN_MAKERS_MOST = 8, FLOW_STATES_MOST = 64, FLOW_BODIES_MOST = 1024 };

/* What a value may be. */
enum known_kind {
    KNOWN_NOTHING,
    KNOWN_RANGE /* a whole number */,
    KNOWN_TEXTS /* one of them; no number */
};

struct known {
    enum known_kind kind;
    int64_t low, high;
    struct bytes texts[KNOWN_TEXTS_MOST];
    size_t count;
};

enum truth { TRUTH_NEVER, TRUTH_ALWAYS, TRUTH_PERHAPS };

/* Of a value's slot: what makes it, in all of the body. */
struct slot_makers {
    const struct maker *makers[KNOWN_MAKERS_MOST];
    size_t count;
    bool unknown;    /* set or passed from elsewhere, or more makers than that */
    uint32_t rounds; /* of a <repeat> whose index it is; 0: none */
};

/* Of a handle's slot: the states that it may be in here, as a set of state names (0: not bound), and by
 * property of its kind what surely made it; NULL: that is not certain. */
struct slot_states {
    uint64_t states;
    const struct handle_type *type;
    struct plan_place since;
    const struct maker **makers;
};

struct flow {
    struct reading *r;
    const char *names[FLOW_STATES_MOST]; /* of states, in sets */
    size_t name_count;
    const struct plan_step *body;
    int slot_count;
    struct slot_makers *makers;
    struct slot_states *now;
    bool *may_fail; /* by the slot of a step's id: an expectation says how it ends */
    bool quiet;     /* a round is being followed whose beginning is not known yet */
};

/* domain_known.c */
enum truth known_truth(const struct flow *f, const struct expr *e);
void known_collect(struct flow *f, const struct plan_node *first); /* into f->makers */

/* flow_facts.c: arrays live in the domain's arena and are not changed once made. */
const struct maker **facts_of_def(const struct flow *f, const struct plan_def *def);
const struct maker **facts_of_any(const struct flow *f, const struct handle_type *type);
void facts_set(const struct flow *f, int slot, int prop, const struct maker *maker);
const struct maker **facts_join(const struct flow *f, const struct slot_states *a,
                                const struct slot_states *b);
int facts_check(const struct flow *f, const struct plan_node *n);

/* flow_steps.c */
bool flow_collect_names(struct flow *f);                     /* false: more than fit a set */
uint64_t flow_state(const struct flow *f, const char *name); /* the set of it alone */
uint64_t flow_gone(const struct flow *f);                    /* states in which a handle is not there */
uint64_t flow_all(const struct flow *f,
                  const struct handle_type *base); /* of a kind, and of those made from it */
uint64_t flow_wanted(const struct flow *f, const struct plan_with *with);
const char *flow_name(const struct flow *f, uint64_t set); /* of one that is in it */
/* Steps that the nodes may do, and all that those may do. */
void flow_reach(const struct flow *f, const struct plan_node *first, bool *reached);
/* These steps are done, and all that they may do. */
void flow_disturb(struct flow *f, const struct plan_step *const *steps, size_t count);
/* Properties that the body sets of the handle in a slot of its own are no longer certain of the one here. */
void flow_forget_set(struct flow *f, const struct plan_node *first, int slot, int here);

#endif
