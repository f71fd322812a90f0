/* What a sandbox promises its users, as far as somebody has stated it (--policy FILE, docs/policy.md). Some facts are neither right
 * nor wrong by themselves: whether a program in the background outlives its call, how much may be written. A check of such a fact
 * asks here. Stated and kept: nothing is said; stated and broken: a finding; not stated: a note (judge_say_contract).
 *
 * Plain data without pointers: copied by assignment, stored with a run and in recordings. A NULL policy states nothing. */
#ifndef EXEC_ORACLE_POLICY_H
#define EXEC_ORACLE_POLICY_H

#include "base/error.h"
#include "base/json.h"

enum policy_fact {
    POLICY_EGRESS,           /* programs reach other machines */
    POLICY_CALLS_KEEP,       /* a call finds the directory, variables and so on that the one before it has set */
    POLICY_SESSIONS_KEEP,    /* files are there again when the session is opened anew */
    POLICY_BACKGROUND_LIVES, /* a program in the background outlives the call that started it */
    POLICY_SECRETS_VISIBLE,  /* programs see the variables that the sandbox itself was started with */
    POLICY_FACTS
};

/* The most there may be; bytes, a count, or ms. */
enum policy_limit {
    POLICY_MEMORY,          /* bytes, of all processes together */
    POLICY_PROCESSES,       /* at one time */
    POLICY_CPUS,            /* processors that programs may use; the least there must be, for those who count them */
    POLICY_OUTPUT,          /* bytes that one call gives back */
    POLICY_FILE_SIZE,       /* bytes in one file */
    POLICY_DISK,            /* bytes in all files together */
    POLICY_CALL_TIMEOUT,    /* ms from a call to its end */
    POLICY_SESSION_TIMEOUT, /* ms without a call until the session may be gone */
    POLICY_LIMITS
};

enum policy_roots { POLICY_READABLE, POLICY_WRITABLE, POLICY_ROOT_KINDS };

enum policy_answer { POLICY_UNSTATED, POLICY_NO, POLICY_YES };

enum { POLICY_ROOTS_MAX = 16, POLICY_ROOT_LENGTH = 200 };

struct policy {
    enum policy_answer fact[POLICY_FACTS];
    int64_t limit[POLICY_LIMITS]; /* 0: not stated */
    char roots[POLICY_ROOT_KINDS][POLICY_ROOTS_MAX][POLICY_ROOT_LENGTH]; /* "" behind the last */
};

/* Details of signatures that begin with it are notes: last in every list, and no reason to fail. */
#define POLICY_NOTE "contract: "

enum policy_answer policy_says(const struct policy *p, enum policy_fact fact);
/* Is a limit stated? Then *most is it. */
bool policy_limits(const struct policy *p, enum policy_limit limit, int64_t *most);
/* May the path be read, or written? Absolute, or beginning with {root} or {home}. What may be written may be read too.
 * POLICY_UNSTATED when no directories of that kind are stated. */
enum policy_answer policy_reaches(const struct policy *p, enum policy_roots kind, struct bytes path);

/* One "key = value" of a section. ERR_INPUT says what was found and what was expected. Roots of several lines add up. */
int policy_set(struct policy *p, const char *section, const char *key, const char *value, struct error **err);
/* An object {"SECTION.KEY":VALUE,…}, sorted, with what is stated: "yes" or "no", a number, an array of strings. */
struct json *policy_json(const struct policy *p, struct arena *a);
/* Takes such an object; members that are unknown are left out. */
void policy_of_json(struct policy *p, const struct json *object);

#endif
