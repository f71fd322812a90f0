/* What a shell script does as far as its text tells without a shell: enough to know whether a call should
 * have returned. */
#ifndef EXEC_ORACLE_SCRIPT_H
#define EXEC_ORACLE_SCRIPT_H

#include "exec/oracle/judge.h"

struct script_traits {
    bool background;      /* a command ends with & */
    double background_s;  /* longest sleep among those; 0 */
    bool foreground_slow; /* something in front may take its time: sleep, wait, a loop, a program that is not
                             a plain one */
    bool reads_input;     /* a command in front reads standard input */
};

/* False when it is no script in sh or bash. */
bool script_traits_of(const struct observation *o, struct script_traits *t);

bool script_python_reads(const struct observation *o); /* a Python script that reads its standard input */
/* It runs a program that reads its standard input, and gives it none. */
bool script_reads_nothing(const struct observation *o);

/* A shell's script or a command that reads all of the little input it was given and then ends at once, as far as its words tell. */
bool script_reads_given(const struct observation *o);

/* A run whose script makes no file, as far as its words tell; in doubt it is none. */
bool script_makes_nothing(const struct observation *o);

/* The program is a file of this name, or hands one to an interpreter, as far as its words tell; in another language than the shell's, it
 * speaks of the name. */
bool script_runs_file(const struct observation *o, struct bytes name);

/* A shell script that does nothing but hand bytes on, as far as its words tell: its time is in proportion to what it prints. No loops. */
bool script_passes_on(const struct observation *o);

#endif
