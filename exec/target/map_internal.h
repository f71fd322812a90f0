/* The inside of the automatic mapping: one attempt to use one tool for one op. Not for other modules. */
#ifndef EXEC_TARGET_MAP_INTERNAL_H
#define EXEC_TARGET_MAP_INTERNAL_H

#include "exec/target/map.h"
#include "exec/target/map_schema.h"
#include "exec/target/map_table.h"
#include "exec/target/mcp_json.h"

enum { PARAMETERS_MAX = 64 };

struct map_parameter {
    struct bytes name;
    const struct json *schema;
    const struct json *values;   /* what it is limited to, or NULL */
    struct bytes description;
    unsigned types;
    struct words words;
    bool required, used;
};

/* A tool, or one of the things a tool does that has a parameter to choose them ("command": view, create,
 * …). */
struct map_candidate {
    const struct mcp_tool *tool;
    struct words words;
    bool from_description;       /* the words are those its description begins with */
    struct bytes selector;       /* parameter that chooses; none */
    struct json *choice;         /* its value */
};

struct map_attempt {
    struct arena *arena;
    const struct op *op;
    const struct op_row *row;
    const struct map_candidate *candidate;
    const char *prefix;          /* of all the tools' names */
    struct map_parameter parameters[PARAMETERS_MAX];
    size_t count;
    struct json *arguments;
    double worst;                /* quality of the least sure required argument */
    unsigned optional, extras;   /* arguments beyond the required ones; parameters we had to make up */
    struct buf notes;            /* for op_map.why */
    const char *failure;         /* why it cannot be; in the arena */
    struct op_map map;
};

/* The best unused parameter for a role; NULL when none is good enough. */
struct map_parameter *map_best_parameter(struct map_attempt *t, enum role role, double *quality);
/* Sets the parameter in the template and marks it used. */
void map_set(struct map_attempt *t, struct map_parameter *p, struct json *value, const char *note);
/* {"$arg":name,"as":as} */
struct json *map_placeholder(struct arena *a, const char *arg, const char *as);
/* {"$arg":"@timeout","as":"ms" or "s"}, told from the parameter's name, description and bounds. */
struct json *map_timeout(struct map_attempt *t, const struct map_parameter *p, const char *arg);
bool map_says_base64(const struct map_parameter *p);
/* Places command, script and language of run and start; false with failure set. */
bool map_place_run(struct map_attempt *t);
/* Sets t->failure to "what name" and returns false. */
bool map_fail(struct map_attempt *t, const char *what, struct bytes name);
/* A copy of the first of the values that has one of the words, tried in the order of the words; NULL. */
struct json *map_choose_value(struct arena *a, const struct json *values, const char *words);
/* What the parameter is given for an argument; NULL when it cannot be. */
struct json *map_place_value(struct map_attempt *t, struct map_parameter *p, const struct op_place *place);
/* The same for an argument of a browser op. */
struct json *map_place_page_value(struct map_attempt *t, const struct map_parameter *p, const struct op_place *place);
/* Of a browser op: a parameter that says which tab is meant is told the current one. */
bool map_place_tab(struct map_attempt *t);
/* For ops that give bytes back: can they come back whole, as far as the row asks for that? */
bool map_place_result(struct map_attempt *t);

/* Ops beside the vocabulary, which no task has. In the arena; indices from `first` on. */
struct op *map_helpers(struct arena *a, const struct ops *all, size_t first, size_t *count);

/* Tries a candidate for a row; true: t->map is set. */
bool map_attempt(struct map_attempt *t);

#endif
