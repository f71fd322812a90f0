/* Messages without what differs from run to run, so that the same error is the same text. */
#ifndef EXEC_ORACLE_NORMALISE_H
#define EXEC_ORACLE_NORMALISE_H

#include "base/bytes.h"

/* Replaces paths by <path>, ids by <id>, times by <time>, hex by <hex>, numbers by <n>, quoted text by
 * <text>; runs of white space become one space, bytes that are not printable ASCII become "?", once each run;
 * cut to 200 bytes. Appends to out. */
void message_normalise(struct bytes message, struct buf *out);

#endif
