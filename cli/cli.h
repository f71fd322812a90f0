/* What verbs share: the verb table, options, exit statuses, and the things loaded before a verb does its work. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/settings.h"
#include "grammar/domain.h"
#include "grammar/ops.h"

enum exit_status {
    EXIT_CLEAN = 0,
    EXIT_FOUND = 1,    /* findings, differences, a task that fails its check */
    EXIT_USAGE = 2,    /* flag, grammar, task file, database */
    EXIT_UNUSABLE = 3, /* target or machine unusable, or our output could not be written */
    EXIT_SIGNAL = 128  /* plus the signal's number */
};

/* Options of a verb: long ones, GNU style; a letter is an alias. */
struct cli_option {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: a flag */
    const char *help;
};

struct cli_given {
    const struct cli_option *option;
    const char *value;
};

struct cli_args {
    struct cli_given *given; /* in the order of the command line */
    size_t given_count;
    char **words;            /* what is not an option */
    size_t word_count;
    char **command;          /* what follows "--", NULL-terminated; NULL: no "--" */
    size_t command_count;
    char **kept;             /* values that come from --config */
    size_t kept_count;
};

struct verb {
    const char *name;
    const char *usage;                        /* "[OPTION]… SIGNATURE" */
    const char *summary;                      /* one line for `taskgen help` */
    const char *details;                      /* a paragraph for --help and the man page */
    const struct cli_option *const *options;  /* groups, NULL-terminated; each ends with a row without a name */
    int (*run)(const struct verb *v, struct cli_args *args);
};

extern const struct cli_option options_common[]; /* --config --set --help --version */

const struct verb *verb_at(size_t index); /* NULL past the end */
const struct verb *verb_find(const char *name);

/* Parses argv[0..argc-1] (after the verb); prints one line and returns EXIT_USAGE on a fault, else 0. --help and --version
 * are answered here: *done is then set. */
int cli_parse(const struct verb *v, int argc, char **argv, struct cli_args *args, bool *done);
void cli_args_release(struct cli_args *args);
const char *cli_value(const struct cli_args *args, const char *name); /* the last one given; NULL */
bool cli_flag(const struct cli_args *args, const char *name);
size_t cli_values(const struct cli_args *args, const char *name, const char **out, size_t max); /* all of them */
/* Whole numbers and reals; on a fault prints one line and returns EXIT_USAGE. Absent: *out is left alone. */
int cli_unsigned(const struct verb *v, const struct cli_args *args, const char *name, uint64_t *out);
int cli_real(const struct verb *v, const struct cli_args *args, const char *name, double low, double high, double *out);
/* Seconds, or with a suffix ms s m h; into milliseconds. */
int cli_time(const struct verb *v, const struct cli_args *args, const char *name, int64_t *ms);

void cli_help(const struct verb *v);     /* --help of a verb */
int cli_usage_fault(const struct verb *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints "taskgen VERB: text" and gives the exit status of the error's code; frees err. */
int cli_fail(const struct verb *v, struct error *err);

/* A line on standard error while a campaign runs: "taskgen VERB: text", above the live view if there is one. Any thread. */
void cli_notice(const struct verb *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* From now on these are called before and after each; NULL: nothing is. Not while a notice may come. */
void cli_around_notices(void (*before)(void *user), void (*after)(void *user), void *user);
const char *cli_version(void);

/* What must not stand in anything that is printed or stored from now on; taken over. The last one lives until the program ends. */
struct redactor;
void cli_keep_secret(struct redactor *secrets);
const struct redactor *cli_secrets(void); /* NULL: there are none */

/* The rules of --rules, or those that ship, until the next call; EXIT_… on a fault. */
struct normaliser;
int cli_rules(const struct verb *v, const struct cli_args *args, const struct normaliser **rules);
/* --checks FILE and --check NAME=COMMAND, read once; *checks NULL when none is given. EXIT_… on a fault. */
struct user_checks;
int cli_checks(const struct verb *v, const struct cli_args *args, const struct user_checks **checks);
/* Is the finding of a check of the user's own that is not stated now? Then it would seem to pass; says so. After cli_checks. */
struct finding;
bool cli_lacks_check(const struct verb *v, const struct finding *f);
/* How often their commands gave no answer, on standard error; at the end of a verb. */
void cli_checks_end(const struct verb *v);

/* --fail-on LIST, or what holds without it; EXIT_… on a fault. */
struct fail_on;
int cli_fail_on(const struct verb *v, const struct cli_args *args, struct fail_on *fail);

/* Settings from --config and --set, the op vocabulary; EXIT_… on a fault. */
int cli_settings(const struct verb *v, const struct cli_args *args, struct settings *settings);
int cli_ops(const struct verb *v, struct ops **ops);

/* Domains by --domain NAME|FILE|all, repeated. */
struct cli_domains {
    struct domain **items;
    size_t count;
};
int cli_domains_load(const struct verb *v, const char *const *names, size_t count, const struct ops *ops,
                     struct cli_domains *domains);
void cli_domains_release(struct cli_domains *d);
/* Names of the templates that ship, sorted; each owned by the caller, as the array is. */
int cli_domain_names(const struct verb *v, char ***names, size_t *count);

/* Standard output: buffered; a closed pipe ends quietly (then cli_out_closed is true), another failure is EXIT_UNUSABLE. */
int cli_out(const struct verb *v, struct bytes text);
int cli_out_flush(const struct verb *v);
bool cli_out_closed(void);

/* The findings of a store: all, or (prefix not NULL) the one whose signature begins so; none or several are a fault of usage, said here.
 * Both are the arena's. 0, or the exit status. */
struct arena;
struct store;
int cli_findings(const struct verb *v, struct store *store, const char *prefix, struct arena *a, struct finding **findings, size_t *count);

/* SIGINT, SIGTERM and SIGHUP set *cli_stop() to the signal's number; a second one ends the program at once. */
const atomic_int *cli_stop(void);
void cli_catch_signals(void);

#endif
