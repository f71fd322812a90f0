/* Two streams in one text; see streams.h. */
#include "exec/oracle/streams.h"

#include "exec/oracle/expect.h"
#include "exec/oracle/line_index.h"

enum { LINES_LEAST = 3 };

static bool errors_wanted(const struct execution *e, size_t index, struct arena *a, struct bytes *want)
{
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next)
        if (bytes_equal_string(json_as_text(json_get(x, "at")), "/stderr") && json_get(x, "equals") &&
            bytes_equal_string(json_as_text(json_get(x, "step")), e->observations[index].step->id))
            return expect_bytes(e->task, json_get(x, "equals"), a, want);
    return false;
}

bool streams_whole(const struct execution *e, size_t index, struct bytes want, struct bytes got, struct arena *a, bool *shuffled)
{
    struct line_index out, err;
    struct bytes errors;
    if (!errors_wanted(e, index, a, &errors) || !line_index_make(&out, want, LINES_LEAST, a) || !line_index_make(&err, errors, 1, a))
        return false;
    struct line_order order = line_index_order(&out, got, true), others = line_index_order(&err, got, true);
    *shuffled = order.back;
    return order.known == out.count && order.others == others.known;
}
