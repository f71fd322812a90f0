/* Deriving a task from a compiled plan, for the files gen/plan_*.c and gen/generate.c alone.
 *
 *   plan_run.c     bodies, guards, control flow, budgets
 *   plan_call.c    do, walk, with: steps that are done, handles that are taken hold of
 *   plan_swarm.c   which of several steps and alternatives a task uses
 *   plan_handle.c  handles, their properties, unique names
 *   plan_make.c    makers and recipes
 *   plan_value.c   values of expressions;  plan_function.c  functions;  plan_text.c  texts and rules
 *   plan_op.c      ops to steps;  plan_expect.c  expectations
 *
 * What only the derivation needs lives in the scratch arena, what the task keeps is copied into the task's.
 * All choices go through the chooser, so the same log gives the same task. A run belongs to one thread; the
 * domain is shared. */
#ifndef GEN_PLAN_INTERNAL_H
#define GEN_PLAN_INTERNAL_H

#include "base/settings.h"
#include "gen/recipe.h"
#include "gen/task.h"
#include "grammar/plan.h"

enum value_kind {
    VALUE_NONE,
    VALUE_TEXT,     /* bytes */
    VALUE_INTEGER,
    VALUE_BOOL,     /* in integer */
    VALUE_JSON,     /* a fact that is neither text nor a whole number */
    VALUE_CONTENT,  /* made by a recipe */
    VALUE_FROM,     /* known at run time: {"$from":…,"at":…} in json */
    VALUE_HANDLE,
    VALUE_STEP      /* results of the step `integer`, or its id for <expect> */
};

struct content {
    struct json *recipe;  /* complete */
    int64_t size;         /* -1: not known yet, only making tells */
    const char *name;     /* in the task, once a step refers to it */
};

struct handle;

struct value {
    enum value_kind kind;
    int64_t integer;
    struct bytes text;
    struct json *json;
    struct content *content;
    struct handle *handle;
};

struct handle {
    const struct handle_type *type;
    const char *state;
    struct value *props;   /* VALUE_NONE: not made yet */
    uint32_t version;      /* counts set and become */
    bool making;           /* a property is being made up */
};

/* One execution of a body. */
struct frame {
    struct value *slots;
    int count;
};

/* An expectation about a file, withdrawn when a handle it names changes later. */
struct pending {
    struct json *row;
    struct handle *handles[8];
    uint32_t versions[8];
    size_t handle_count;
};

/* A value that has to stay the only one of its kind: paths, ports. */
struct taken {
    const char *prop;
    struct bytes value;
};

struct plan_run {
    const struct domain *domain;
    struct task *task;
    struct arena scratch;
    struct chooser chooser;
    struct rng rng;
    struct derivation log;
    struct handle **handles;
    size_t handle_count, handle_capacity;
    struct taken *taken;
    size_t taken_count, taken_capacity;
    struct pending *pending;
    size_t pending_count, pending_capacity;
    struct buf said;
    double *weights;          /* room for one choice */
    size_t weight_room;
    uint64_t bytes, bytes_max; /* of the task as JSON: used so far (an upper bound), allowed */
    uint64_t content_max;
    uint64_t sparing;         /* 0 … PLAN_SPARING_MOST: how soon only cheapest completions are taken */
    bool any_workflow;        /* even another one than was drawn, if it is shorter */
    bool too_long;            /* what failed is that the task gets too long */
    uint64_t swarm;           /* which steps and alternatives the task uses; 0: all */
    uint32_t steps_max, depth, depth_max;
    unsigned content_count, group_count;
    const char *group;        /* of the <parallel> that is running, or NULL */
    struct error **err;
};

/* --- plan_run.c --- */
/* Runs a list of nodes; `reserve` steps must be left over for what follows it. */
int plan_run_list(struct plan_run *run, struct frame *frame, const struct plan_node *first, uint32_t reserve);
/* Steps that may be added while leaving `reserve`. */
uint32_t plan_room(const struct plan_run *run, uint32_t reserve);
/* A completion of that cost fits; when space is short only the cheapest do. */
bool plan_affords(const struct plan_run *run, struct plan_cost cost, struct plan_cost cheapest,
                  uint32_t reserve);
bool plan_affords_more(const struct plan_run *run, struct plan_cost cost,
                       uint32_t reserve);                 /* something that is not needed */
double *plan_weights(struct plan_run *run, size_t count); /* zeroed; valid until the next choice */
int plan_charge(struct plan_run *run, struct plan_place place, uint64_t bytes); /* ERR_LIMIT past bytes_max */
struct frame plan_frame(struct plan_run *run, int slot_count);
struct bytes plan_text_once(struct plan_run *run,
                            struct buf *text); /* moves it into scratch, releases the buffer */

/* --- plan_call.c --- */
int plan_run_do(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve);
int plan_run_walk(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve);
int plan_run_with(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve);

/* --- plan_swarm.c --- */
void plan_swarm_draw(struct plan_run *run);
/* Narrow run->weights, which has those that can be taken now, to those that the task uses; at least one is left. For the
 * rng: what a replay has chosen stays. */
void plan_swarm_alternatives(struct plan_run *run, const struct plan_node *one_of);
void plan_swarm_steps(struct plan_run *run, const struct plan_node *n); /* <do>, <walk> */
double plan_step_weight(const struct plan_do *call, size_t index);

/* --- plan_handle.c --- */
struct handle *plan_handle_new(struct plan_run *run, const struct handle_type *type, const char *state);
int plan_handle_prop(struct plan_run *run, struct plan_place place, struct handle *handle, int prop,
                     struct value *out);
/* Makes and sets a property, unique where it is to be. */
int plan_handle_set(struct plan_run *run, struct frame *frame, struct handle *handle, int prop,
                    const struct maker *maker);
int plan_handle_define(struct plan_run *run, struct frame *frame, const struct plan_def *def,
                       struct value *slot);
size_t plan_handle_count(const struct plan_run *run, struct bytes type,
                         struct bytes state); /* state "": any */

/* --- plan_make.c --- */
int plan_make(struct plan_run *run, struct frame *frame, const struct maker *maker, struct value *out);

/* --- plan_value.c --- */
int64_t plan_content_size(struct content *content); /* made once, where only that tells */
int plan_evaluate(struct plan_run *run, struct frame *frame, struct plan_place place, const struct expr *e,
                  struct value *out);
int plan_guard(struct plan_run *run, struct frame *frame, struct plan_place place, const struct expr *when,
               bool *holds);
/* The value as bytes: contents are made, as long as they are small. */
int plan_value_bytes(struct plan_run *run, struct plan_place place, const struct value *value,
                     struct bytes *out);
bool plan_value_integer(const struct value *value, int64_t *out);
int plan_fact(struct plan_run *run, struct plan_place place, const struct value *value, struct bytes fact,
              struct value *out);
struct value plan_value_of_json(struct json *json);
struct value plan_value_of_text(struct bytes text);
struct value plan_value_of_integer(int64_t integer);

/* --- plan_text.c --- */
/* A text that is one whole expression keeps its type, any other is bytes. */
int plan_text(struct plan_run *run, struct frame *frame, const struct text *text, struct value *out);
int plan_text_bytes(struct plan_run *run, struct frame *frame, const struct text *text, struct bytes *out);
int plan_text_integer(struct plan_run *run, struct frame *frame, const struct text *text, const char *what,
                      int64_t *out);
int plan_derive(struct plan_run *run, struct frame *frame, const struct rule_call *call, struct buf *out);

/* --- plan_function.c --- */
int plan_call_function(struct plan_run *run, struct frame *frame, struct plan_place place,
                       const struct expr *e, struct value *out);

/* --- plan_op.c, plan_expect.c --- */
int plan_run_op(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve);
const char *plan_step_id(struct plan_run *run, int64_t step);
uint64_t plan_json_length(const struct json *value); /* upper bound of how long it gets when written */
struct json *plan_content_reference(struct plan_run *run, struct content *content);
int plan_run_expect(struct plan_run *run, struct frame *frame, const struct plan_node *n, uint32_t reserve);
void plan_finish_expects(struct plan_run *run);

#endif
