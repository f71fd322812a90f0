/* A Chromium of this machine that a session starts: headless, quiet, with a profile and a download directory of its own. */
#ifndef EXEC_TARGET_CDP_CHROMIUM_H
#define EXEC_TARGET_CDP_CHROMIUM_H

#include "exec/target/session_internal.h"

struct chromium {
    char *profile, *downloads; /* directories in the session's home; owned */
    int download_fd;           /* of the latter; owned; -1: none */
};

int chromium_prepare(struct session *s, struct chromium *b, struct error **err);
void chromium_release(struct chromium *b);
/* The SPEC's words with all that has to stand beside them. sandbox: the browser can make one of its own here. To be freed with
 * strings_free. */
char **chromium_words(const struct session *s, const struct chromium *b, bool sandbox);

#endif
