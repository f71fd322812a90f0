/* Persistence: what stays after a session and what must not. */
#include "base/json.h"
#include "gen/arm/tables.h"

enum { ROUNDS = 2 };

/* C60: a program, then a look at the directory it ran in. */
static bool litter_left(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM && (arm_next_on(v, s, OP(LIST), BYTES_LITERAL(".")) ||
                                    (arm_text(s, "cwd").len && arm_next_on(v, s, OP(LIST), arm_text(s, "cwd")))))
            return true;
    return false;
}

/* C61: put, two rounds of going away and coming back, look. */
static bool state_lost(const struct arm_view *v)
{
    EACH (put, v) {
        uint64_t rounds = 0;
        if (!(put->op & OPS_PUT))
            continue;
        EACH_AFTER (s, put, v) {
            rounds += s->op & (OP(REOPEN) | OP(RESUME) | OP(RESTORE)) ? s->step->repeat : 0;
            if (rounds >= ROUNDS &&
                ((s->op & OPS_LOOK && bytes_equal(s->path.text, put->path.text)) ||
                 (s->op & OPS_PROGRAM && arm_next_program(v, s - 1, put->path.text) == s)))
                return true;
        }
        if (rounds >= ROUNDS && arm_file_expected(v, put->path.text))
            return true;
    }
    return false;
}

/* A store of JSON records, a line each or one document, that is not what it should be. */
static bool is_damaged(const struct arm_step *s, struct arena *a)
{
    struct bytes rest = s->content.text;
    bool text = arm_holds(arm_base(s->path.text), ".json|.ndjson|.ipynb"),
         table = arm_holds(arm_base(s->path.text), ".db|.sqlite");
    if (!text && !table)
        return false;
    if (!s->content.size || (text && s->content.flags & (TEXT_BOM | TEXT_NUL)))
        return true;
    if (s->content.recipe || table)
        return bytes_equal_string(s->content.kind, "splice");
    struct json *value;
    struct error *err = NULL;
    if (json_read(a, rest, NULL, "store", &value, NULL, &err) == 0)
        return false;
    error_free(err);
    while (rest.len) {
        ptrdiff_t end = bytes_find(rest, BYTES_LITERAL("\n"), 0);
        struct bytes line = bytes_slice(rest, 0, end < 0 ? rest.len : (size_t)end);
        err = NULL;
        if (line.len && json_read(a, line, NULL, "store", &value, NULL, &err) < 0) {
            error_free(err);
            return true;
        }
        rest = end < 0 ? BYTES_NONE : bytes_slice(rest, (size_t)end + 1, rest.len);
    }
    return false;
}

/* C66 */
static bool damaged_store(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PUT && is_damaged(s, v->arena) &&
            (arm_follows(v, s, OP(CALL) | OP(REOPEN)) || arm_next_program(v, s, s->path.text)))
            return true;
    return false;
}

const struct arm_row arm_persistence[] = {
    {"C60", litter_left, NULL},
    {"C61", state_lost, NULL},
    {"C66", damaged_store, NULL},
    {0},
};
