/* The inside of the judge: schema_check.c has most keywords, schema_unevaluated.c the two that need to know what others did. */
#ifndef GEN_SCHEMA_JUDGE_H
#define GEN_SCHEMA_JUDGE_H

#include "gen/schema_internal.h"

enum { NESTING_MAX = 64, PATTERN_WORK = 20 };

struct judge {
    const struct schema_book *book;
    const struct json *root;
    unsigned depth;
    size_t work, most; /* done, and allowed */
};

enum schema_verdict schema_judge_value(struct judge *j, const struct json *schema, const struct json *value);
enum schema_verdict schema_both(enum schema_verdict a, enum schema_verdict b); /* a no wins, then doubt */
/* unevaluatedProperties of an object, unevaluatedItems of an array. */
enum schema_verdict schema_judge_unevaluated(struct judge *j, const struct json *s, const struct json *value);

#endif
