/* What given.c (reading) and given_secret.c (telling what is secret) share. */
#ifndef EXEC_TARGET_GIVEN_INTERNAL_H
#define EXEC_TARGET_GIVEN_INTERNAL_H

#include "exec/target/given.h"

/* A value that comes from elsewhere. Warns when it is too short to be looked for and the name speaks of a secret. */
void given_secret(struct given *g, const char *name, const char *value);
/* What is secret in a header, and in the parts of its value. */
void given_header_secret(struct given *g, const char *line);
bool given_speaks_of_secret(const char *name);

#endif
