/* Which observations belong to which of the tasks that were put together; see joined.h. */
#include "exec/oracle/joined.h"

#include "exec/oracle/facts.h"
#include "mutate/fallout.h"

static bool begins(const struct execution *e, size_t i)
{
    const struct task_step *step = e->observations[i].step;
    return i == 0 || (step != e->observations[i - 1].step && fallout_begins_part(e->task, (size_t)(step - e->task->steps)));
}

struct span joined_span(const struct execution *e, size_t index)
{
    struct span s = {0, e->count};
    if (index >= e->count || !e->task->mutations || !e->task->mutations->count)
        return s;
    if (e->facts)
        return e->facts->spans[index];
    s.begin = index;
    s.end = index + 1;
    while (!begins(e, s.begin))
        s.begin--;
    while (s.end < e->count && !begins(e, s.end))
        s.end++;
    return s;
}

struct span joined_span_of_file(const struct execution *e, struct bytes path)
{
    struct span all = {0, e->count}, found = all;
    bool any = false;
    for (size_t i = 0; i < e->count; i++) {
        if (!observation_touches(&e->observations[i], path))
            continue;
        struct span s = joined_span(e, i);
        if (any && s.begin != found.begin)
            return all;
        found = s;
        any = true;
    }
    return found;
}
