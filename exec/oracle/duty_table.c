/* The duties: numbers, words, and the verdicts that their breaches become. */
#include "exec/oracle/duty.h"

#include <string.h>

#include "exec/oracle/judge.h"

enum { QUOTED = 300 };

#define DUTY(number, holds, title) {number, {"mcp-" #number, "", "protocol", holds, NULL}, title}

static const struct duty_row rows[] = {
    DUTY(16, "initialize is answered with a protocol version and capabilities", "the target answers initialize wrongly"),
    DUTY(67, "a server with tools declares them", "the target lists tools that it did not declare"),
    DUTY(68, "the schema of a tool's arguments is an object", "the target gives a tool no proper schema"),
};

const struct duty_row *duty_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

const struct duty_row *duty_find(int number)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number)
            return &rows[i];
    return NULL;
}

const struct check *duty_check_find(const char *slug)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].check.slug, slug) == 0)
            return &rows[i].check;
    return NULL;
}

void duty_judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->wire_count; i++) {
        const struct wire_record *r = &e->wire[i];
        const struct duty_row *row = strcmp(r->kind, "breach") == 0 ? duty_find(r->duty) : NULL;
        if (!row)
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "duty %d (%s): %s, in ", row->number, row->check.doc, r->detail);
        judge_quote(&evidence, r->text, QUOTED);
        buf_add_string(&evidence, " -> interface");
        judge_say(out, e, row->check.slug, e->count, EFFECT_NONE, r->detail, row->title, buf_string(&evidence));
        buf_release(&evidence);
    }
}
