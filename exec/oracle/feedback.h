/* Feedback: is an execution interesting? The second of three interfaces that the loop is made of, each known to the others by its data
 * alone:
 *
 *   observer   what is measured while a task runs: exec/observe/observer.h, and the witnesses; gives an execution (observation.h)
 *   feedback   what of it is worth another look: here; gives features
 *   objective  what of it is a finding: the checks (check.h); gives verdicts
 *
 * A feature is a 64-bit number: the id of its domain in the top byte, below it 56 bits of the XXH3 of a tuple, such as (op, errno). Two
 * executions that behave alike have the same features, whatever their files are called; a feature that was never seen before says that the
 * target did something new. A task is kept for mutation when it shows a feature that is new and shows again when the task is run again
 * (exec/loop_admit.c): how often it has to is a property of its domain, since times and memory say much by chance.
 *
 * A domain is one file in features/ and one row of the table in feedback.c. Ids stand in databases: they are never given again to another
 * domain, nor is the hash of an old one changed without need. Like all oracles, domains are pure: what they compare with is handed in. */
#ifndef EXEC_ORACLE_FEEDBACK_H
#define EXEC_ORACLE_FEEDBACK_H

#include "base/error.h"
#include "exec/oracle/observation.h"

enum { FEEDBACK_IDS = 64 /* ids of domains are smaller */ };

struct features;
/* What a domain tells of, where that decides what is done with it. */
enum feedback_about {
    FEEDBACK_CALLS, /* what was done and what came of it, as most do */
    FEEDBACK_SEAMS, /* also of where two tasks meet that were put together: that is no news then */
    FEEDBACK_STATE  /* of the target's own state: whatever comes behind it may come out otherwise */
};

struct feedback {
    unsigned id;          /* 1.. */
    const char *name;     /* "outcome", for --features and for people */
    const char *doc;      /* one line: what its tuples are */
    const char *needs;    /* what must be there to see any; NULL: nothing but calls */
    unsigned runs, shows; /* after the first sight: stable when it shows in so many of so many fresh sessions */
    bool alone;           /* may let a task into the corpus without a feature of another domain */
    bool watched;         /* only where an observer looks on: an execution that has none of it says nothing about it */
    enum feedback_about about;
    size_t cap;           /* one execution has so many of it at most */
    void (*find)(struct features *f, const struct execution *e);
};
const struct feedback *feedback_at(size_t index);    /* NULL past the end */
const struct feedback *feedback_find(unsigned id);   /* NULL: there is none */
const struct feedback *feedback_of(uint64_t feature); /* its domain; NULL: of a taskgen that had more of them */

/* Sets of domains: bit N for the id N. All; or those of a list: "-message,-time" all but these, "outcome,code" only these, "all"; later
 * words win. ERR_INPUT, one line, for a name that is none. */
uint64_t feedback_all(void);
int feedback_parse(const char *list, uint64_t *set, struct error **err);

/* How long calls of one op have taken until now. */
struct feedback_latency {
    uint64_t op; /* feedback_op */
    int64_t median_ns;
};
uint64_t feedback_op(const struct observation *o);

/* What an execution is held against. */
struct feedback_context {
    uint64_t domains; /* a set */
    const struct feedback_latency *latencies; /* of its ops, as far as they are known; in any order */
    size_t latency_count;
};

/* Writes the features of an execution to `out`, sorted, each once, at most `max`, and returns how many. None of one with trouble of our own
 * (harness). Context NULL: all domains, and nothing to compare with. */
size_t features_of(const struct execution *e, const struct feedback_context *c, uint64_t *out, size_t max);

/* What features of this very execution, sorted, mean: in words without the domain's name ("write -> code 28"), one line each, in `a`. NULL: it
 * does not show that one. Costs about as much as finding all of them again. */
void features_tell(const struct execution *e, const struct feedback_context *c, const uint64_t *features, size_t count, struct arena *a,
                   const char **words);

#endif
