/* Effects that were claimed: did the file appear, go, move, change its mode, as a witness sees it? And where
 * is it, when it is not where it should be? */
#ifndef EXEC_ORACLE_EFFECT_H
#define EXEC_ORACLE_EFFECT_H

#include "exec/oracle/joined.h"
#include "exec/oracle/judge.h"

/* For an op that makes a path: the path, and the witness's view of it before and after. False for other ops.
 */
bool made_path(const struct observation *o, struct bytes *path, const struct file_view **before,
               const struct file_view **after);

/* The effect that step `index` claims is absent: words for it ("is not there", "is still there", …), or NULL.
 */
const char *effect_absent(const struct execution *e, size_t index);

/* What step `index` made, and nobody sees at its place, is somewhere else: another tool reads it, the
 * sandbox's programs see it, or it stands under another directory. Words and, where known, the place. */
bool effect_elsewhere(const struct execution *e, size_t index, const char **words, struct bytes *place);

/* Up to and with step `index`, everything that was claimed to be made can be seen, by all who were asked. Of several tasks in one session, what the
 * same task made (joined.h). */
bool effects_seen_until(const struct execution *e, size_t index);
/* The same of some observations. */
bool effects_seen_in(const struct execution *e, struct span s);
/* What the step claims to have made is not there, or not all see the same. */
bool is_unseen(const struct execution *e, size_t index);

#endif
