/* For tests of what runs many sessions and keeps what it finds: a fixture of sessions, a store in a fresh directory. */
#ifndef TESTS_UNIT_LOOP_CASE_H
#define TESTS_UNIT_LOOP_CASE_H

#include <stdio.h>

#include "exec/loop.h"
#include "session_fixture.h"

static struct session_fixture f;
static struct store *store;
static char *directory;
static bool possible; /* there is a box here */

static inline void loop_set_up(void)
{
    const char *why = NULL;
    session_set_up(&f);
    possible = box_possible(&why);
    if (!possible)
        printf("not tested: no box here: %s\n", why);
    directory = fs_fresh_dir("test-loop", NULL);
    ck_assert_ptr_nonnull(directory);
    struct error *err = NULL;
    char *file = strings_printf("%s/t.db", directory);
    ck_assert_msg(store_open(file, STORE_WRITE, &f.settings, &store, &err) == 0, "%s", err ? err->text : "");
    free(file);
}

static inline void loop_tear_down(void)
{
    store_close(store);
    ck_assert_int_eq(fs_remove_tree(directory, NULL), 0);
    free(directory);
    session_tear_down(&f);
}

#endif
