/* Records of the wire, as evidence for checks of the protocol. */
#ifndef EXEC_ORACLE_WIRE_H
#define EXEC_ORACLE_WIRE_H

#include "exec/oracle/judge.h"

/* Says one verdict, for the session as a whole, when there are records of this kind. */
void wire_report(const struct execution *e, struct verdicts *out, const char *slug, const char *kind,
                 const char *detail, const char *title);

#endif
