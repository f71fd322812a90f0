/* The environment of commands: a few names of our own that are harmless and useful, and what the caller adds.
 * Nothing else that this server was started with is handed on. */
#ifndef LEAKYBOX_ENVIRONMENT_H
#define LEAKYBOX_ENVIRONMENT_H

#include "base/json.h"

bool environment_allows(const char *entry); /* of "NAME=value", is NAME handed on? */
/* NULL-terminated, in the arena. `more`: object of strings, or NULL. `whole`: all of our own (a planted
 * fault). */
char *const *environment_make(struct arena *a, const struct json *more, bool whole, const char *temporary);

#endif
