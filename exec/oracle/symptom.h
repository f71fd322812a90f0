/* Symptoms: what a program of a task printed, or how it ended, when the sandbox around it lacks something.
 * Two kinds:
 *
 * A symptom proper: the words of a library or a kernel's error, after a status that the task did not expect,
 * and not the task's own words. Where the reply says 0, they count when an exception ended the program, or when it
 * did not give what the task expects of it: then the status is what was lost.
 *
 * A probe: a program of the task that tests a fact itself and, when it is wrong, prints the line "probe SLUG:
 * WORDS" and fails. The words are one of those that the check lists, so that signatures stay the same; a program that
 * has them in its text is believed whatever status the reply gives. */
#ifndef EXEC_ORACLE_SYMPTOM_H
#define EXEC_ORACLE_SYMPTOM_H

#include "exec/oracle/judge.h"

struct symptom {
    const char *program; /* words, separated by |, of which the program's text has one; NULL: any program */
    const char *said;    /* likewise of what was printed; NULL with `exit` */
    const char *also;    /* likewise; NULL: that is enough */
    int exit;            /* the status it must have ended with; 0: any other than 0 */
    const char *unless;  /* words that the program's text must not have; NULL */
    const char *detail;
};

struct symptoms {
    const char *slug, *title;
    const struct symptom *items; /* ends with one without a detail; NULL */
    const char *const *probes;   /* the words that probes may say; ends with NULL; NULL */
};

/* Says a verdict for each run that shows one; the effect is what the program saw, so it is wrong. */
void symptoms_report(const struct execution *e, struct verdicts *out, const struct symptoms *s);

/* One of the words, separated by |, stands in the text. */
bool symptom_words(struct bytes text, const char *words);

/* One of them stands in the text of the program that the step runs: its script, or a word of its argv. */
bool symptom_program(const struct observation *o, const char *words);

/* A program of the task, unchanged, that ended by itself with any status; false for what is not a run that ended. */
bool symptom_ended(const struct execution *e, size_t index);

/* A program that ended with a status that the task did not expect, so that its words count; false for what is
 * not a run that ended. */
bool symptom_failed(const struct execution *e, size_t index);

/* An exception ended the Python program, by its own last words: they begin what it wrote to standard error. */
bool symptom_exception(const struct observation *o);

/* A probe that printed this line is to be believed: it failed, or is such a probe by its own text. */
bool symptom_probe(const struct execution *e, size_t index, const char *line);

/* What it printed: standard error and output, or the reply where they cannot be told. In `a` when joined. */
struct bytes symptom_printed(const struct observation *o, struct arena *a);

#endif
