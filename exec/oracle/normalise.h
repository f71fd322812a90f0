/* Texts without what differs from run to run, so that the same fault is the same text. The rules are data,
 * domains/normalise.json (docs/normalise.md): PCRE2 patterns with what stands in the place of a match, each with examples. Two
 * lists: for messages of targets (features) and for details of signatures.
 *
 * At each place of a text the first rule whose pattern matches there wins; where none does, the byte is kept. White space at both
 * ends goes; what is longer than 200 bytes is cut.
 *
 * A normaliser does not change once it is loaded, and is shared by threads. */
#ifndef EXEC_ORACLE_NORMALISE_H
#define EXEC_ORACLE_NORMALISE_H

#include "base/bytes.h"
#include "base/error.h"

struct normaliser;

enum normalise_list { NORMALISE_MESSAGE, NORMALISE_DETAIL };

/* ERR_INPUT, one line with the file's name and the rule: not such a file, a pattern that does not compile, an example that does not
 * come out as it says. */
int normaliser_load(const char *path, struct normaliser **n, struct error **err);
int normaliser_read(struct bytes text, const char *name, struct normaliser **n, struct error **err);
/* The rules that ship. */
int normaliser_load_own(struct normaliser **n, struct error **err);
void normaliser_free(struct normaliser *n);

/* Appends to out. n NULL: nothing is replaced. */
void normalise(const struct normaliser *n, enum normalise_list list, struct bytes text, struct buf *out);

#endif
