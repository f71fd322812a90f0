/* Expectations: facts a task states about a step or about the final state (docs/task-format.md), held against
 * what was observed. */
#ifndef EXEC_ORACLE_EXPECT_H
#define EXEC_ORACLE_EXPECT_H

#include "exec/oracle/joined.h"

enum fact { FACT_HOLDS, FACT_FAILS, FACT_UNKNOWN /* nobody looked, or the step was not run */ };

struct fact_report {
    enum fact fact;
    size_t observation; /* of the step it speaks of, or e->count for a file */
    bool compared;      /* whole bytes were compared: want and got are set */
    struct bytes want, got;
    struct bytes file; /* a fact about a file: its path */
    bool of_site;      /* about what the fixture site saw: an effect that has a witness */
    const char *why;   /* one line for a person, unless it holds */
};

/* Evaluates one member of task->expect. Texts and bytes live in `a` or in the execution. */
void expect_evaluate(const struct execution *e, const struct json *expectation, struct arena *a,
                     struct fact_report *r);

/* Every step up to and with `index` claims success, or fails as expected: a fact that is wrong then is wrong
 * silently. Of several tasks in one session those of the same task do, and nothing in another one has broken the session (joined.h). A run counts when its exit status is 0, unknown, or the expected one. (A mutator takes away the
 * expectations that its change makes uncertain, so those that a mutated task still has count like any other.)
 */
bool calm_until(const struct execution *e, size_t index);
/* The same without `index` itself. */
bool calm_before(const struct execution *e, size_t index);
/* The same of some observations; those before them have not broken the session. */
bool calm_in(const struct execution *e, struct span s);
/* The observation did not go as it should; and whatever comes behind it in the session may be a consequence. */
bool is_rough(const struct execution *e, size_t index);
bool is_broken(const struct execution *e, size_t index);

/* The bytes an expected value stands for: a string, or {"$content"}, {"$recipe"}, {"$bytes"}; false for
 * another value. */
bool expect_bytes(const struct task *task, const struct json *value, struct arena *a, struct bytes *out);

#endif
