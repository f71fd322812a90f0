/* Limits that a policy states, and what went past them without a refusal. How large a limit is, is the sandbox's own business, and
 * without a policy nothing is said; but one that is stated must hold. */
#ifndef EXEC_ORACLE_LIMIT_H
#define EXEC_ORACLE_LIMIT_H

#include "exec/oracle/judge.h"

/* Says a finding of the check `slug` for the first place where more was had than the policy states, by more than measuring is off. */
void limit_report(const struct execution *e, struct verdicts *out, const char *slug, enum policy_limit limit);

#endif
