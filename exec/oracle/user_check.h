/* Checks that a user states: a pattern that some part of what steps gave must match, or must not, or a command that is asked about
 * each step. Pure, like all oracles: commands are run by who executes tasks (exec/user_command.h), and their answers stand in the
 * execution. The verdict's check is "user-NAME", its layer undecided, since no witness saw anything.
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
 * outcome (its class). A step that does not have the field, was not sent, or whose frame was changed is passed over.
 *
 *     [no-oom]
 *     command = ./no-oom          sh -c; no field and no pattern beside it
 *     op = run
 *     primitive = process         absent: by the kind of the op (files: storage, programs: process, …) */
#ifndef EXEC_ORACLE_USER_CHECK_H
#define EXEC_ORACLE_USER_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct execution;
struct observation;
struct op;
struct verdicts;
struct user_checks;

struct user_checks *user_checks_new(void);
void user_checks_free(struct user_checks *c); /* NULL is fine */
/* One line of the file, as ini_file_read gives them. ERR_INPUT: found …, expected …. */
int user_checks_set(struct user_checks *c, const char *section, const char *key, const char *value, struct error **err);
void user_checks_at(struct user_checks *c, int line); /* where the next line stands, for the message of the following */
/* After the last line: whether each check is whole. ERR_INPUT names the one that is not; *line is its first line (0: not stated). */
int user_checks_end(struct user_checks *c, int *line, struct error **err);
size_t user_checks_count(const struct user_checks *c);                 /* 0 of NULL */
bool user_checks_have(const struct user_checks *c, const char *check); /* "user-NAME"; false of NULL */
void user_checks_judge(const struct execution *e, struct verdicts *out);

/* Commands. What one says about a step is an answer (struct user_answer of observation.h) when it finds fault, and nothing when it
 * does not. Its own trouble is no answer: it is counted, and told once for each check. */
struct user_command {
    const char *check, *op, *primitive, *command; /* op, primitive: NULL where not stated */
};
const struct user_command *user_checks_command(const struct user_checks *c, size_t index); /* NULL: that check is a pattern */
bool user_command_wants(const struct user_command *u, const struct observation *o);       /* is it asked about this step? */
const char *user_command_primitive(const struct user_command *u, const struct op *op);
/* From any thread: one was asked; trouble: why there was no answer, or NULL. */
void user_checks_asked(const struct user_checks *c, size_t index, const char *trouble);
struct user_tally {
    const char *check;
    int64_t asked, troubles;
};
struct user_tally user_checks_tally(const struct user_checks *c, size_t index);
/* Who is told the first trouble of each check; from any thread. */
void user_checks_tell(struct user_checks *c, void (*tell)(void *user, const char *check, const char *trouble), void *user);

#endif
