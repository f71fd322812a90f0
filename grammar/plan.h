/* What a domain template compiles to: the tree that gen's interpreter walks. Read-only once loaded, all of it
 * in the domain's arena. Users see the notation (docs/templates.md); this is its other side.
 *
 * Bodies (workflows and steps) own a frame of slots: every name that a body binds has one, settled by the
 * scope check, so that the interpreter never looks a name up. Sites number the places where a choice is made:
 * 0 … n-1 here, the grammar's after them. */
#ifndef GRAMMAR_PLAN_H
#define GRAMMAR_PLAN_H

#include "grammar/domain.h"
#include "grammar/expr.h"

enum { PLAN_SITE_WORKFLOW = 0, PLAN_SITE_SWARM = 1, PLAN_SITE_ROOM = 2, PLAN_FIRST_SITE = 3, PLAN_MAX_ALTERNATIVES = 64 };
/* A seed of a recipe needs to differ, not to be long: it stands in every task. */
enum { PLAN_SEEDS = 1000000000 };
/* How sparing a derivation is with the room that a task has: 0 as usual, PLAN_SPARING_MOST only the cheapest. */
enum { PLAN_SPARING_MOST = 3 };

/* Text with parts to fill in: an attribute value template or mixed content. */
enum text_part_kind { TEXT_LITERAL, TEXT_EXPR, TEXT_RULE };

struct named_text;

struct rule_call {
    struct plan_place place;
    const char *name;
    int rule;                        /* index in the grammar */
    const struct named_text *args;   /* as written */
    size_t arg_count;
    const struct named_text **order; /* by parameter of the rule; room for its arity */
};

struct text_part {
    enum text_part_kind kind;
    struct bytes literal;
    struct expr *expr;
    struct rule_call *call;
    const struct function_row *const *encoders; /* applied left to right */
    size_t encoder_count;
};

struct text {
    struct plan_place place;
    struct text_part *parts;
    size_t count;
};

/* True when the text is one {expression} and nothing else: then it keeps the expression's type. */
bool text_is_whole(const struct text *t);

struct named_text {
    const char *name;
    struct text value;
};

/* How a value is made. */
enum maker_kind { MAKE_RULE, MAKE_VALUE, MAKE_INT, MAKE_RECIPE, MAKE_PICK };

struct maker {
    enum maker_kind kind;
    struct plan_place place;
    uint32_t site;                    /* of the choice of int and pick, and of a recipe's seed; 0: there is none */
    struct rule_call *call;           /* MAKE_RULE */
    struct text value;                /* MAKE_VALUE */
    struct text low, high;            /* MAKE_INT */
    struct text *choices;             /* MAKE_PICK */
    size_t choice_count;
    const char *recipe;               /* MAKE_RECIPE */
    struct named_text *parameters;
    size_t parameter_count;
};

struct handle_prop {
    const char *name;
    struct plan_place place;
    struct maker
        *maker; /* used when the property is read and was not set; NULL: a definition has to set it */
    bool unique;         /* a made-up value differs from every other one in the task */
};

struct handle_type {
    const char *name;
    struct plan_place place;
    const struct handle_type *base;
    const char *const *states; /* the first is the initial one; never empty ("live" when none is declared) */
    size_t state_count;
    struct handle_prop *props; /* the base's first */
    size_t prop_count;
};

bool handle_type_is(const struct handle_type *type,
                    const struct handle_type *base); /* the same, or made from it */
int handle_type_prop(const struct handle_type *type, struct bytes name);              /* index, or -1 */
const char *handle_type_state(const struct handle_type *type, const char *name);      /* interned, or NULL */

/* The cheapest completion of a node: upper bounds of the steps that it adds to the task and of how deep it nests
 * steps, and about how many bytes of the task it takes, which decides between those that are alike in the others. */
enum { PLAN_COST_INFINITE = 1 << 30 };
struct plan_cost {
    uint32_t steps, height, bytes;
};

/* By steps, then by nesting, then by bytes. */
bool plan_cost_less(struct plan_cost a, struct plan_cost b);

enum plan_kind {
    PLAN_SAY,
    PLAN_LET,
    PLAN_PARAM,
    PLAN_DEF,
    PLAN_WITH,
    PLAN_SET,
    PLAN_BECOME,
    PLAN_DO,
    PLAN_ONE_OF,
    PLAN_ALT,
    PLAN_REPEAT,
    PLAN_OPTIONAL,
    PLAN_PARALLEL,
    PLAN_WALK,
    PLAN_OP,
    PLAN_EXPECT,
    PLAN_KIND_COUNT
};

struct plan_set {
    const char *name; /* of the property */
    int prop;
    struct maker *maker;
};

struct plan_step;

struct plan_def {
    const char *type_name, *state_name;
    const struct handle_type *type;
    const char *state;
    struct plan_set *sets;
    size_t set_count;
};

struct plan_with {
    const char *type_name;
    const struct handle_type *type;
    const char *const *states; /* any of these; none: any state */
    size_t state_count;
    const struct plan_step **producers; /* steps that leave such a handle behind, the cheapest ones only */
    size_t producer_count;
    bool can_define;             /* a plain definition in the initial state will do */
};

/* What a <do> passes to its step: to a param, or a handle to a with. */
struct plan_argument {
    const char *name;
    struct text value;
    const struct plan_node *input; /* of the step */
};

struct plan_do {
    const char *names;                 /* as written: "*", or words */
    const struct plan_step **steps;    /* candidates */
    size_t step_count;
    struct plan_argument *args;        /* only with exactly one step */
    size_t arg_count;
    uint32_t min, max;                 /* PLAN_WALK */
};

enum op_value_kind { OP_VALUE_TEXT, OP_VALUE_LIST, OP_VALUE_MAP };

struct plan_op_arg {
    const struct op_arg *arg;
    enum op_value_kind kind;
    struct text text;             /* OP_VALUE_TEXT */
    struct named_text *items;     /* OP_VALUE_LIST (names unused), OP_VALUE_MAP */
    size_t item_count;
};

struct plan_op {
    const struct op *op;
    struct plan_op_arg *args;
    size_t arg_count;
    const char *id;               /* NULL: none */
    int id_slot; /* slot that keeps the step's id for <expect>; EXPR_SLOT_NONE: nobody asks */
    struct plan_def *into;        /* NULL: none; its type is NULL for a bare record of results */
    struct text *session, *as;    /* NULL: absent */
    struct text *after_ms, *timeout_ms, *cancel_after_ms, *repeat;
};

enum expect_predicate {
    EXPECT_EXIT, EXPECT_OUTCOME, EXPECT_EQUALS, EXPECT_CONTAINS, EXPECT_SHA256, EXPECT_SIZE, EXPECT_LINES,
    EXPECT_EXISTS, EXPECT_PREDICATE_COUNT
};

struct plan_expect {
    struct text *file;                               /* NULL: about a step */
    const char *step;                                /* id as written; NULL: the op before it */
    int step_slot;                                   /* holds the id of the step */
    const char *at;                                  /* JSON pointer into a step's result; NULL: none */
    struct text *site;                               /* path of the fixture site whose visit `at` is in; NULL: about the result */
    struct text *json;                               /* JSON pointer into a file; NULL: none */
    bool of_text; /* `at` is a result of text or bytes: equals compares text */
    struct text *values[EXPECT_PREDICATE_COUNT];     /* NULL: not asked */
    int *handles;                                    /* slots of handles that the subject reads */
    size_t handle_count;
};

struct plan_node {
    enum plan_kind kind;
    struct plan_place place;
    struct plan_node *next, *first; /* siblings; children in order */
    struct expr *when;              /* NULL: always */
    uint32_t site;                  /* first of its sites; how many depends on the kind */
    struct plan_cost cost;          /* when its guard holds */
    const char *name; /* what it binds (op, do: into; repeat: index) or changes; NULL: nothing */
    int slot;                       /* of that name */
    int low_slot, high_slot;        /* slots bound inside: fresh for every item of a repeat, alt … */
    double weight;                  /* PLAN_ALT; PLAN_OPTIONAL: probability */
    union {
        struct text say;
        struct maker *maker;        /* PLAN_LET, PLAN_PARAM (may be NULL: required) */
        struct plan_def def;
        struct plan_with with;
        struct plan_set set;        /* prop -1: the name itself */
        const char *become;         /* the state */
        struct plan_do call;        /* PLAN_DO, PLAN_WALK */
        struct { uint32_t min, max; } repeat;
        struct plan_op op;
        struct plan_expect expect;
    } u;
};

/* A workflow or a step. */
struct plan_step {
    const char *name;
    size_t index;               /* among steps, or among workflows */
    struct plan_place place;
    double weight;
    struct expr *when;          /* steps only */
    struct plan_node *body;
    int slot_count;
    struct plan_cost cost;
    uint32_t most_ops;          /* upper bound of ops, for steps inside parallel */
    struct plan_node **inputs;  /* params and withs directly in the body: what a <do> may pass */
    size_t input_count;
    const char *gives;          /* name bound directly in the body that into="…" of a <do> gets; NULL: none */
    const struct plan_node *given; /* the node that binds it */
    bool needs_arguments; /* has a parameter without a default, so only a <do> that names it can run it */
};

struct plan_limits {
    uint64_t bytes;
    uint32_t depth, steps;
    bool swarm; /* each task draws which steps and alternatives it uses */
    /* For whoever runs and mutates the task, as its member limits; -1: not said. */
    int64_t ms, payload, processes, tabs;
};

struct domain {
    struct arena arena;
    const char *name, *title, *file;
    char hash[17];
    const struct ops *ops;
    struct grammar *grammar;
    struct plan_limits limits;
    struct handle_type **types;
    size_t type_count;
    struct plan_step **steps, **workflows;
    size_t step_count, workflow_count;
    struct domain_hazard *hazards;
    size_t hazard_count;
    struct bytes *fixed_paths;  /* paths that templates spell out: made-up ones keep clear of them */
    size_t fixed_path_count;
    uint32_t site_end;          /* one past the last plan site */
    struct plan_site *sites;    /* of the plan; see site.c */
    struct site *grammar_sites; /* of the grammar */
};

const struct plan_step *domain_find_step(const struct domain *d, const char *name);
const struct handle_type *domain_find_type(const struct domain *d, const char *name);

#endif
