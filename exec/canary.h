/* Looking for the canaries of a session's tripwires in what came out of it. */
#ifndef EXEC_CANARY_H
#define EXEC_CANARY_H

#include "base/json.h"
#include "exec/target/tripwire.h"

/* Which canaries stand in the text, plain or as base64: a set of bits 1 << place. Base64 is looked for in the first mebibyte. */
unsigned canary_in_text(const struct tripwires *t, struct bytes text);
/* In any string of the value. */
unsigned canary_in_json(const struct tripwires *t, const struct json *value);

/* In the regular files below a directory: for each, the first file it was found in (path below the directory, in `a`; none:
 * not found). A bounded walk that follows no links; thorough: bounded more loosely. */
void canary_in_files(const struct tripwires *t, const char *directory, bool thorough, struct arena *a,
                     struct bytes found[TRIPWIRE_PLACES]);

#endif
