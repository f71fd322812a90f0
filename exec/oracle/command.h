/* What stands out in the command of a run, and whether a wrong effect of it bears the mark of that. One place decides, so that such an
 * effect belongs to one check, and the checks of output and files in general let go of it. */
#ifndef EXEC_ORACLE_COMMAND_H
#define EXEC_ORACLE_COMMAND_H

#include "exec/oracle/expect.h"

enum command_fault {
    COMMAND_NO_FAULT,
    COMMAND_SWALLOWS, /* a here-document ended too late or too early: its end mark is in the text, or a line like it ended it */
    COMMAND_LINE_CUT, /* a line of 1000 bytes or more came as long as a terminal takes them */
    COMMAND_LOST,     /* one of 96 KiB or more did nothing at all */
    COMMAND_FOOLED,   /* the output ends at what looks like a prompt or the end of a command */
    COMMAND_FAULTS
};

/* `want` is what the output of run `index` must be, or a file that it wrote, and `got` what it is; `there` is false for a file that is not
 * there. `output` is true for output. */
enum command_fault command_fault_of(const struct observation *o, struct bytes want, struct bytes got, bool there, bool output);

/* The same of a file that is not at the end what the task says; *index is the last run that may have written it. */
enum command_fault command_fault_of_file(const struct execution *e, const struct fact_report *wrong, size_t *index);

/* Says a verdict for each output and each file at the end that bears the mark. */
void command_report(const struct execution *e, struct verdicts *out, const char *slug, enum command_fault fault, const char *detail,
                    const char *title);

/* It prints, or its shell was given, what looks like a prompt or the end of a command. */
bool command_prints_prompt(const struct observation *o);

#endif
