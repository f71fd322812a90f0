/* For tests of observers: a session that is watched. */
#ifndef TESTS_UNIT_OBSERVE_CASE_H
#define TESTS_UNIT_OBSERVE_CASE_H

#include "exec/observe/observer.h"
#include "session_fixture.h"

static struct session_fixture f;
static struct observers *observers;
static struct lookout *lookout;
static struct execution e;

static inline void observe_set_up(void)
{
    session_set_up(&f);
    observers = NULL;
    lookout = NULL;
}

static inline void observe_tear_down(void)
{
    if (f.session)
        session_close(f.session);
    f.session = NULL;
    lookout_free(lookout);
    observers_free(observers);
    session_tear_down(&f);
}

/* Opens a session of the fixture's target, watched by `observers`. */
static inline void open_session(void)
{
    static const struct start as_always = {.shared_memory = 0};
    struct error *err = NULL;
    lookout = lookout_new(observers);
    ck_assert_msg(session_open_watched(f.target, &as_always, lookout_hooks(lookout), &f.session, &err) == 0, "%s", err ? err->text : "");
}

#endif
