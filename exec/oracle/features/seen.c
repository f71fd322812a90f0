/* What observers of the target saw (exec/observe/observer.h): system calls of its processes, stretches of its code. They make the tuples;
 * each is a feature as it is. */
#include "exec/oracle/features/features.h"

static void add_all(struct features *f, const struct execution *e, enum seen_domain domain)
{
    for (size_t i = 0; i < e->seen_count; i++)
        if (e->seen[i].domain == (unsigned)domain && feature_add(f, e->seen[i].hash))
            feature_say(f, "%s", e->seen[i].text ? e->seen[i].text : "");
}

void feature_find_syscalls(struct features *f, const struct execution *e)
{
    add_all(f, e, SEEN_SYSCALL);
}

void feature_find_code_coverage(struct features *f, const struct execution *e)
{
    add_all(f, e, SEEN_CODE);
}
