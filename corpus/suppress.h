/* Suppressions: findings that somebody knows of and puts up with until a day.
 *
 *     # fixed in the next release
 *     [9f3a2b1c4d5e6f70]
 *     reason = known since May
 *     expires = 2027-01-31
 *
 *     [interface/encoding/newline-altered*]
 *     …
 *
 * A section's name is a signature (16 hex digits, or at least the first 8) or a pattern over its text as of a shell, in which *
 * stands for slashes too. Both members are needed. A rule holds through the day it names, in UTC; later it does nothing.
 * Lines that begin with # or ; and empty ones are passed over. */
#ifndef CORPUS_SUPPRESS_H
#define CORPUS_SUPPRESS_H

#include "base/bytes.h"
#include "base/error.h"
#include "corpus/store.h"

struct suppression {
    const char *pattern, *reason, *expires; /* as written */
    int64_t until_ms;                       /* wall clock, the first moment in which it does not hold */
    unsigned line;
};

struct suppressions; /* immutable once read */

/* ERR_INPUT: "WHERE:LINE: found …, expected …". */
int suppressions_read(struct bytes text, const char *where, struct suppressions **s, struct error **err);
void suppressions_free(struct suppressions *s); /* NULL is fine */
const struct suppression *suppression_at(const struct suppressions *s, size_t index); /* NULL past the end, and of NULL */
/* The first rule that holds now and is about the finding; NULL when there is none, and of NULL. */
const struct suppression *suppression_of(const struct suppressions *s, const struct finding *f, int64_t now_ms);
/* Marks each finding that a rule is about; those that are marked stay so. */
void suppressions_mark(const struct suppressions *s, struct finding *findings, size_t count, int64_t now_ms);

#endif
