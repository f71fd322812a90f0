/* What a person gives a target: variables of its environment, headers of HTTP requests, and with them which values are secret.
 *
 * Secret is what comes from our own environment (NAME, ${NAME}) or from a file, and what is written out unless it plainly is none:
 * a short word, a number, a path, an address without a password, under a name that speaks of no secret (DEBUG=1). The redactor
 * that is filled here (base/redact.h) keeps them out of everything that taskgen writes.
 *
 * All errors are ERR_INPUT, one line that names the flag or file and line and what was expected, and never the value. */
#ifndef EXEC_TARGET_GIVEN_H
#define EXEC_TARGET_GIVEN_H

#include "base/error.h"
#include "base/redact.h"
#include "exec/target/strings.h"

struct given {
    struct strings env;      /* NAME=VALUE; a later one of the same name takes the earlier one's place */
    struct strings headers;  /* "Name: value" */
    struct strings warnings; /* lines for a person, without a full stop */
    struct redactor *secrets;
};

void given_init(struct given *g);
void given_release(struct given *g);

/* NAME (its value is ours), or NAME=VALUE, in which ${…} is expanded. */
int given_env(struct given *g, const char *text, struct error **err);
/* A line each: NAME=VALUE taken as it stands, or NAME; blank lines and those that begin with # are nothing. */
int given_env_file(struct given *g, const char *file, struct error **err);
/* "Name: value", in which ${…} is expanded; or @FILE, with such a line each, taken as they stand. */
int given_header(struct given *g, const char *text, struct error **err);
/* Authorization: Bearer TOKEN; in the token ${…} is expanded. */
int given_bearer(struct given *g, const char *token, struct error **err);
/* Likewise; the token is what the file holds but for white space around it. */
int given_bearer_file(struct given *g, const char *file, struct error **err);
/* An address is no secret, but a password or key in it is. */
void given_url(struct given *g, const char *url);

/* Appends text with ${NAME}, ${env:NAME} and ${NAME:-otherwise} expanded; what is expanded is secret. `where` begins messages. */
int given_expand(struct given *g, const char *where, const char *text, struct buf *out, struct error **err);
/* A value that is written out in a place that is usually kept from others; secret unless it plainly is none. */
void given_literal(struct given *g, const char *name, const char *value);
/* Adds a variable or header of a configuration, already expanded. `where` begins messages. */
int given_add_env(struct given *g, const char *where, const char *name, const char *value, struct error **err);
int given_add_header(struct given *g, const char *where, const char *line, struct error **err);
/* Warns when everybody on this machine may read the file. */
void given_look_at_file(struct given *g, const char *file);

#endif
