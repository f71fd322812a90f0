/* Time: deadlines, clocks, idle timers, walks that do not end. */
#include <string.h>

#include "gen/arm/tables.h"

enum { ODD_LOW = 10, FILES_MANY = 1000, LEVELS_MANY = 50, SIZE_LEAST = 500, IDLE_MIN = 200 };
#define ODD_HIGH INT64_C(1000000000)

/* Its first output comes before its first sleep. */
static bool prints_before_sleep(const struct arm_step *s)
{
    ptrdiff_t sleep = bytes_find(s->script, BYTES_LITERAL("sleep"), 0);
    struct arm_step first = *s;
    if (sleep < 0)
        return false;
    first.script = bytes_slice(s->script, 0, (size_t)sleep);
    return arm_prints(&first);
}

/* C34 */
static bool output_before_timeout(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OP(RUN) && arm_overruns(s) &&
            (prints_before_sleep(s) || (arm_duration(s) == INT64_MAX && arm_prints(s))))
            return true;
    return false;
}

/* C39 */
static bool deadline_wrong(const struct arm_view *v)
{
    EACH (s, v) {
        int64_t ms = s->step->timeout_ms;
        if (s->op & OP(RUN) && ms > 0 && (arm_overruns(s) || ms <= ODD_LOW || ms >= ODD_HIGH))
            return true;
    }
    return false;
}

static size_t depth_of(struct bytes path)
{
    size_t depth = 0;
    for (size_t i = 0; i < path.len; i++)
        depth += path.data[i] == '/';
    return depth;
}

static bool makes_loop(const struct arm_step *s)
{
    struct bytes to = s->to.text;
    return (s->op & (OP(LINK) | OP(STAGE_SYMLINK)) &&
            (bytes_equal_string(to, ".") || bytes_equal_string(to, "..") || bytes_equal(to, s->path.text) ||
             arm_below(s->path.text, to))) ||
           (s->op & OPS_PROGRAM && arm_says(s, "ln -s . |ln -s .. |symlink('.|symlink(\".|ln -sfn . "));
}

static bool makes_deep(const struct arm_step *s)
{
    return depth_of(s->path.text) >= LEVELS_MANY ||
           (s->op & OPS_PROGRAM && arm_says(s, "mkdir|makedirs") &&
            (arm_amount(s, "'] * |\"] * |/' * |/\" * |',) * ") >= LEVELS_MANY ||
             arm_repeats(s, LEVELS_MANY, "cd |chdir(|os.path.join(deep|d = d +|path = path")));
}

/* How much the step puts, prints or lays out. */
static int64_t amount_of(const struct arm_step *s)
{
    if (s->op & OP(STAGE_MANY))
        return arm_int(s, "count", 0);
    return s->op & OPS_PROGRAM ? arm_amount(s, "head -c ") : s->content.present ? s->content.size : 0;
}

static bool has_amount(const struct arm_view *v, uint64_t op, int64_t amount)
{
    EACH (s, v)
        if (s->op == op && amount_of(s) == amount)
            return true;
    return false;
}

/* One op on n, twice and four times as much. */
static bool three_sizes(const struct arm_view *v)
{
    EACH (s, v) {
        int64_t n = amount_of(s);
        if (n >= SIZE_LEAST && has_amount(v, s->op, 2 * n) && has_amount(v, s->op, 4 * n))
            return true;
    }
    return false;
}

/* C67: a big or endless tree, then a walk over it; or inputs of three sizes. */
static bool traversal(const struct arm_view *v)
{
    if (three_sizes(v))
        return true;
    EACH (s, v)
        if ((makes_loop(s) || makes_deep(s) ||
             arm_repeats(s, FILES_MANY,
                         "touch|mkdir|makedirs| open(|> |write_text|writeFile|symlink|ln -s")) &&
            arm_follows(v, s, OP(SEARCH) | OP(LIST) | OP(REMOVE)))
            return true;
    return false;
}

/* C77 */
static bool clock_wrong(const struct arm_view *v)
{
    EACH (s, v) {
        if (!(s->op & (OP(RESUME) | OP(RESTORE))))
            continue;
        EACH_AFTER (p, s, v)
            if (p->op & OPS_PROGRAM &&
                arm_says(p, "date|time.|Date.now|clock|currentTimeMillis|openssl|uptime"))
                return true;
    }
    return false;
}

static bool takes_long(const struct arm_step *s)
{
    return s->op & OPS_PROGRAM && arm_duration(s) >= IDLE_MIN;
}

/* C80: work goes on while nothing is asked for; or life is extended, and it idles. */
static bool idle_timer(const struct arm_view *v)
{
    EACH (s, v) {
        const struct arm_step *idle = arm_next(v, s, OP(IDLE));
        if (!idle || arm_int(idle, "ms", 0) < IDLE_MIN)
            continue;
        if (s->op & OP(START) && takes_long(s) && arm_follows(v, idle, OP(POLL) | OP(WAIT)))
            return true;
        if (s->op & OP(RENEW) && arm_follows(v, idle, ~UINT64_C(0)))
            return true;
    }
    return arm_next(v, NULL, OP(RENEW)) && arm_next(v, NULL, OPS_PROGRAM) &&
           takes_long(arm_next(v, NULL, OPS_PROGRAM));
}

const struct arm_row arm_time[] = {
    {"C34", output_before_timeout, NULL}, {"C39", deadline_wrong, NULL}, {"C67", traversal, NULL},
    {"C77", clock_wrong, NULL},           {"C80", idle_timer, NULL},     {0},
};
