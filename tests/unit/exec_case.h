/* A session of the exec driver, in our box alone and in bubblewrap inside it. */
#ifndef TESTS_UNIT_EXEC_CASE_H
#define TESTS_UNIT_EXEC_CASE_H

#include "session_fixture.h"

static struct session_fixture f;

static inline void set_up(void)
{
    session_set_up(&f);
}

static inline void tear_down(void)
{
    session_tear_down(&f);
}

/* The loop tests' targets. */
static const char *const specs[] = {"exec:", BWRAP};
enum { SPECS = 2 };

/* False: this machine has no box, which is said. */
static inline bool start_kind(int kind)
{
    const char *why;
    if (!box_possible(&why)) {
        printf("not tested: no box here: %s\n", why);
        return false;
    }
    session_new(&f, specs[kind % SPECS]);
    return true;
}

#endif
