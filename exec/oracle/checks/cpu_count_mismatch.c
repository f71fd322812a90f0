/* More processors than may be used: what a program counts is many times the quota of its control group. How
 * much a sandbox gives is a matter of its policy, and a machine that is itself a container has such quotas
 * too, so this is a note, unless the policy states how many there are. */
#include "exec/oracle/checks/checks.h"

static const char slug[] = "cpu-count-mismatch";

enum { TIMES = 4 };

/* The number that follows the words in a program's output; 0: none. */
static uint64_t number_after(struct bytes text, const char *words)
{
    struct bytes w = bytes_of_string(words);
    ptrdiff_t at = bytes_find(text, w, 0);
    uint64_t n = 0;
    for (size_t i = (size_t)at + w.len;
         at >= 0 && i < text.len && text.data[i] >= '0' && text.data[i] <= '9' && n < UINT32_MAX; i++)
        n = n * 10 + (uint64_t)(text.data[i] - '0');
    return n;
}

/* What is stated may be used, or not. */
static enum policy_answer allowed(const struct execution *e, uint64_t quota)
{
    int64_t stated;
    if (!policy_limits(e->policy, POLICY_CPUS, &stated))
        return POLICY_UNSTATED;
    return quota >= (uint64_t)stated ? POLICY_YES : POLICY_NO;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool present;
        struct bytes text = observation_result(o, "stdout", &present);
        if (!observation_is(o, "run") || !observation_claims(o) || step_mutated(e, o->step))
            continue;
        uint64_t seen = number_after(text, "processors seen: "),
                 quota = number_after(text, "processors allowed: ");
        if (!quota || seen < TIMES * quota)
            continue;
        judge_say_contract(out, e, allowed(e, quota), slug, i, EFFECT_WRONG,
                           "programs see many more processors than they may use",
                           "a program that starts a worker for each processor is slowed down",
                           arena_printf(out->arena,
                                        "step %s run: inside the sandbox a program counts %llu processors "
                                        "and may use %llu -> sandbox",
                                        o->step->id, (unsigned long long)seen, (unsigned long long)quota));
    }
}

const struct check check_cpu_count_mismatch = {slug, "C71", "environment",
                                               "a program sees the processors that it may use", judge};
