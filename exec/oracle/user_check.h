/* Checks that a user states: a pattern that some part of what steps gave must match, or must not. Pure, like all oracles; the
 * verdict's check is "user-NAME", its layer undecided, since no witness saw anything.
 *
 * Read from an INI file (docs/findings.md), a section a check, whose name is NAME:
 *
 *     [no-traceback]
 *     op = run                    which steps; absent: all
 *     field = stderr              see below
 *     must-not = ^Traceback       PCRE2; or must
 *     primitive = process         of the closed list
 *
 * Fields: stdout, stderr, content (members of the result that are texts), message (of an error), raw (the reply's text), exit,
 * outcome (its class). A step that does not have the field, was not sent, or whose frame was changed is passed over. */
#ifndef EXEC_ORACLE_USER_CHECK_H
#define EXEC_ORACLE_USER_CHECK_H

#include "base/error.h"

struct execution;
struct verdicts;
struct user_checks;

struct user_checks *user_checks_new(void);
void user_checks_free(struct user_checks *c); /* NULL is fine */
/* One line of the file, as ini_file_read gives them. ERR_INPUT: found …, expected …. */
int user_checks_set(struct user_checks *c, const char *section, const char *key, const char *value, struct error **err);
/* After the last line: whether each check is whole. ERR_INPUT names the one that is not. */
int user_checks_end(const struct user_checks *c, struct error **err);
void user_checks_judge(const struct execution *e, struct verdicts *out);

#endif
