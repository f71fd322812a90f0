/* The network, by the ways of reaching it. What is the same place must be the same for each way: a program
 * that reaches the loopback by IPv4 and is refused a socket of IPv6 by permission sees two networks. (No IPv6
 * at all has errors of its own, which are fine.) Whether other machines may be reached is a matter of the
 * policy, and only a policy that says no makes a finding of it. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

static const char slug[] = "egress-differs";

static const char *const probes[] = {
    "IPv4 reaches the loopback and IPv6 is refused",
    NULL,
};

static const struct symptoms symptoms = {slug, "the network differs with the way of reaching it", NULL,
                                         probes};

static bool is_inside(struct bytes host)
{
    static const char *const inside[] = {"127.", "localhost", "::1", "[::1]", "0.0.0.0", "::", "[::]"};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (bytes_starts(host, bytes_of_string(inside[i])))
            return true;
    return !host.len;
}

static struct bytes host_of(const struct observation *o)
{
    struct bytes url = observation_argument(o, "url");
    ptrdiff_t slashes = bytes_find(url, BYTES_LITERAL("://"), 0);
    if (observation_is(o, "connect"))
        return observation_argument(o, "host");
    return slashes < 0 ? BYTES_NONE : bytes_slice(url, (size_t)slashes + 3, url.len);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    symptoms_report(e, out, &symptoms);
    for (size_t i = 0; i < e->count && policy_says(e->policy, POLICY_EGRESS) == POLICY_NO; i++) {
        const struct observation *o = &e->observations[i];
        bool net = observation_is(o, "fetch") || observation_is(o, "connect");
        if (!net || !observation_claims(o) || is_inside(host_of(o)))
            continue;
        judge_say(
            out, e, slug, i, EFFECT_WRONG, "another machine is reached, which the policy forbids",
            "another machine is reached, which the policy forbids",
            arena_printf(out->arena,
                         "step %s %s was answered by another machine; the policy says egress = no -> sandbox",
                         o->step->id, o->step->op->name));
    }
}

const struct check check_egress_differs = {
    slug, "C75", "network", "what may be reached is the same for every way of reaching it", judge};
