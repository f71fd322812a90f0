/* Programs with a time limit: what their text says they do by when, and what a reply says about the end of their time. Shared by the
 * checks of deadlines. */
#ifndef EXEC_ORACLE_DEADLINE_H
#define EXEC_ORACLE_DEADLINE_H

#include "exec/oracle/judge.h"

/* A script of echo and sleep alone, so that its text tells what it has done by when at the earliest. */
struct sleeper {
    struct bytes word;  /* that its first echo prints, before anything sleeps; none */
    bool writes;        /* a later echo goes to a file */
    double to_file_s;   /* slept between the two */
    double slept_s;     /* in all */
};
bool sleeper_of(const struct observation *o, struct sleeper *s);

/* A loop without end, or of 20 s at the least, that prints a line, or adds one to a file, then sleeps: n lines take it n - 1 sleeps at
 * the least. */
bool heartbeat_of(const struct observation *o, double *every_s);
/* How long it has run at the least, as its file shows; 0: nobody saw that. */
double heartbeat_seen(const struct execution *e, size_t index, double every_s);

/* The script says itself that something shall go on without it. */
bool puts_into_background(const struct observation *o);

/* A call of a run whose limit the target knew, alone, unchanged on its way. */
bool limited_run(const struct execution *e, size_t index);
/* It was answered (as a success or not) when its limit was over or nearly so. */
bool answered_at_limit(const struct observation *o);
/* The reply's own words (not the script's): time ran out; the program was ended; it goes on without the call. */
bool reply_says_time(const struct observation *o);
bool reply_says_ended(const struct observation *o);
bool reply_says_goes_on(const struct observation *o);
/* The text stands somewhere in the reply, also where that quotes no more than the script. */
bool reply_has(const struct observation *o, struct bytes text);

#endif
