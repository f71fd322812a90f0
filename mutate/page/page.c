/* Steps and pages for mutators of browser tasks; see page.h. */
#include "mutate/page/page.h"

#include <ctype.h>
#include <string.h>

static bool is_op(const struct task_step *step, const char *op)
{
    return strcmp(step->op->name, op) == 0;
}

bool page_loads(const struct task_step *step)
{
    return is_op(step, "navigate") || is_op(step, "tab-open");
}

bool page_uses(const struct task *t, const char *op)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (is_op(&t->steps[i], op))
            return true;
    return false;
}

size_t page_pick(const struct mutation *m, bool any)
{
    const struct task *t = m->task;
    size_t chosen = t->step_count, count = 0;
    for (size_t i = 0; i < t->step_count; i++) {
        const struct task_step *s = &t->steps[i];
        bool fits = page_loads(s) && (any || is_op(s, "navigate")) && !s->group && s->cancel_after_ms < 0;
        if (fits && rng_below(m->rng, ++count) == 0)
            chosen = i;
    }
    return chosen;
}

struct json *page_address(struct arena *a, const char *html)
{
    struct buf out;
    buf_init(&out, 1 << 20);
    buf_add_string(&out, "data:text/html;charset=utf-8,");
    for (const char *at = html; *at; at++) {
        uint8_t byte = (uint8_t)*at;
        if (byte < 128 && (isalnum(byte) || strchr("-_.~", byte)))
            buf_add_byte(&out, byte);
        else
            buf_addf(&out, "%%%02X", byte);
    }
    struct json *address = json_string(a, buf_bytes(&out));
    buf_release(&out);
    return address;
}

struct json *page_args(struct arena *a, const char *html)
{
    struct json *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "url", page_address(a, html));
    return args;
}

struct task_step *page_insert(struct change *c, size_t index, const char *op, struct json *args)
{
    const char *session = c->m->task->steps[index].session;
    struct task_step *step = change_insert_step(c, index, ops_find(c->m->ops, op), args);
    step->session = session;
    return step;
}
