/* Ended children that nobody reaps. One or two may be about to be reaped; several that stay are not. */
#include "exec/oracle/checks/checks.h"

enum { TOLERATED = 2 };

static void judge(const struct execution *e, struct verdicts *out)
{
    size_t zombies = 0;
    for (size_t i = 0; i < e->leftover_count; i++)
        zombies += e->leftovers[i].kind == LEFTOVER_PROCESS && e->leftovers[i].state == 'Z' && !e->leftovers[i].calm;
    if (zombies > TOLERATED)
        judge_say(
            out, e, "zombies-pile-up", e->count, EFFECT_WRONG, "ended processes are not reaped",
            "ended processes pile up because nobody reaps them",
            arena_printf(
                out->arena,
                "%zu ended processes were still in the process table in two looks at the end -> sandbox",
                zombies));
}

const struct check check_zombies_pile_up = {"zombies-pile-up", "C41", "process", "ended children are reaped",
                                            judge};
