/* See odd_name.h. */
#include "exec/oracle/odd_name.h"

#include "exec/oracle/effect.h"

#include <string.h>

enum { SMALL = 4096 /* more than that, and the size may be to blame */ };

bool odd_name(struct bytes name)
{
    for (size_t i = 0; i < name.len; i++)
        if (strchr("*?[#\n", name.data[i]) && name.data[i])
            return true;
    return bytes_starts(name, BYTES_LITERAL("-")) || bytes_find(name, BYTES_LITERAL("%2"), 0) >= 0;
}

static bool has_odd_name(const struct observation *o)
{
    return odd_name(path_name(observation_argument(o, "path"))) || odd_name(path_name(observation_argument(o, "to")));
}

bool odd_name_ignored(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    struct bytes path = observation_argument(o, "path");
    bool removes = observation_is(o, "remove"); /* of what is seen there; where files are made is another matter */
    if (!has_odd_name(o) || o->outcome.lowered || o->before.size > SMALL || observation_argument(o, "content").len > SMALL ||
        (!removes && bytes_find(path, BYTES_LITERAL("/"), 0) >= 0) || !effect_absent(e, index))
        return false;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *other = &e->observations[i];
        if (other->step->op == o->step->op && !has_odd_name(other) && effect_absent(e, i))
            return false;
    }
    return true;
}
