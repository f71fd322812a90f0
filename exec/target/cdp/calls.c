/* Ops side by side, beside commands in the box when there are some; see cdp.h.
 *
 * Every op is begun before any is waited for. The loop then takes what comes, calls ops whose moment has come, and ends those whose
 * time is over. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "exec/target/cdp/cdp.h"
#include "exec/target/exec_internal.h"

enum { NS_PER_MS = 1000000, SLICE_MS = 150, DIALOG_SHOWN = 200 };

/* --- ends --- */

static void end(struct cdp_op *op)
{
    op->done = true;
    op->watches = 0;
    op->wake_ns = INT64_MAX;
    cdp_forget(op->c, op);
    call_end(op->call);
}

void cdp_skip(struct cdp_op *op)
{
    end(op);
}

void cdp_ok(struct cdp_op *op)
{
    if (op->done)
        return;
    op->call->outcome.class = OUTCOME_OK;
    op->call->outcome.replies = 1;
    end(op);
}

void cdp_fail(struct cdp_op *op, enum outcome_class class, int64_t code, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    if (op->done)
        return;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        BUG("out of memory");
    va_end(args);
    call_fail(op->call, class, code, "%s", text);
    free(text);
    op->call->outcome.replies = class == OUTCOME_TOOL_ERROR || class == OUTCOME_PROTOCOL_ERROR;
    end(op);
}

static const char *dialog_words(const struct cdp_op *op)
{
    const struct cdp_tab *tab = op->tab;
    struct bytes text = bytes_slice(tab->dialog_text, 0, DIALOG_SHOWN);
    return arena_printf(op->call->arena, "a dialog (%s) is open in the page: \"%s\"", tab->dialog,
                        arena_string(op->call->arena, text));
}

void cdp_say_dialog(struct cdp_op *op, bool refused)
{
    const char *words = dialog_words(op);
    if (refused) {
        cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "%s", words);
        return;
    }
    if (!op->done)
        op->call->outcome.message = bytes_of_string(words);
    cdp_ok(op);
}

void cdp_refuse_dialog(struct cdp_op *op)
{
    cdp_say_dialog(op, true);
}

static void give_up(struct cdp_op *op, enum outcome_class class, const char *text)
{
    if (op->row && op->row->abandoned)
        op->row->abandoned(op);
    cdp_fail(op, class, 0, "%s", text);
}

/* --- what happens meanwhile --- */

void cdp_notice(struct cdp *c, const struct cdp_tab *tab, unsigned what)
{
    for (size_t i = 0; i < c->op_count; i++) {
        struct cdp_op *op = &c->ops[i];
        bool wanted = op->watches & what & ~(unsigned)CDP_WATCH_TAB || (op->watches & what & CDP_WATCH_TAB && op->tab == tab);
        if (!op->done && wanted && op->seen)
            op->seen(op);
    }
}

void cdp_tab_gone(struct cdp *c, struct cdp_tab *tab)
{
    for (size_t i = 0; i < c->op_count; i++) {
        struct cdp_op *op = &c->ops[i];
        if (op->tab != tab)
            continue;
        op->tab = NULL;
        if (!op->done)
            cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "the tab went away");
    }
}

void cdp_tab_crashed(struct cdp *c, struct cdp_tab *tab)
{
    for (size_t i = 0; i < c->op_count; i++)
        if (c->ops[i].tab == tab)
            cdp_fail(&c->ops[i], OUTCOME_TOOL_ERROR, 0, "the page crashed");
}

void cdp_dialog_opened(struct cdp *c, struct cdp_tab *tab)
{
    for (size_t i = 0; i < c->op_count; i++) {
        struct cdp_op *op = &c->ops[i];
        if (op->tab != tab || op->done || op->row->dialog)
            continue;
        if (op->row->interrupted)
            op->row->interrupted(op);
        else
            cdp_say_dialog(op, false);
    }
    cdp_notice(c, tab, CDP_WATCH_TAB);
}

/* --- the loop --- */

/* UTF-8, and halves of surrogate pairs, which JSON and scripts have too. */
static bool is_text(struct bytes b)
{
    for (size_t at = 0, from = 0; at < b.len; from = at) {
        if (utf8_next(b, &at) >= 0)
            continue;
        const uint8_t *p = b.data + from;
        if (b.len - from < 3 || p[0] != 0xed || p[1] < 0xa0 || p[1] > 0xbf || (p[2] & 0xc0) != 0x80)
            return false;
        at = from + 3;
    }
    return true;
}

/* What a browser is told travels as JSON. */
static bool can_be_said(const struct cdp_op *op)
{
    for (const struct json *arg = op->call->args->first; arg; arg = arg->next) {
        bool ours = strcmp(op->row->op, "save") == 0 && bytes_equal_string(arg->key, "path");
        if (json_is(arg, JSON_STRING) && !ours && !is_text(arg->text))
            return false;
    }
    return true;
}

/* What is in its way from the start. False: it has ended. */
static bool may_begin(struct cdp_op *op)
{
    struct cdp_tab *tab = op->tab;
    if (!can_be_said(op)) {
        call_skip(op->call, "an argument is no text, and a browser is told nothing else");
        cdp_skip(op);
    } else if (op->c->link.lost) {
        cdp_fail(op, OUTCOME_TARGET_DIED, 0, "%s", op->c->link.lost);
    } else if (op->row->tabless) {
        return true;
    } else if (!tab) {
        cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "no tab is open");
    } else if (tab->crashed && !op->row->crashed) {
        cdp_fail(op, OUTCOME_TOOL_ERROR, 0, "the page has crashed");
    } else if (tab->dialog[0] && !op->row->dialog) {
        cdp_say_dialog(op, true);
    }
    return !op->done;
}

static void begin(struct cdp *c, struct cdp_op *op, struct call *call)
{
    int64_t start = call->outcome.start_ns;
    const struct cdp_op_row *row = cdp_op_find(call->op->name);
    *op = (struct cdp_op){.c = c,
                          .call = call,
                          .row = row,
                          .tab = row->tabless ? NULL : c->current,
                          .deadline_ns = start + call->timeout_ms * NS_PER_MS,
                          .cancel_ns = call->cancel_after_ms >= 0 ? start + call->cancel_after_ms * NS_PER_MS : INT64_MAX,
                          .wake_ns = INT64_MAX};
    if (op->tab)
        op->commits = op->tab->commits;
    if (may_begin(op))
        op->row->begin(op);
}

static void cancel(struct cdp_op *op)
{
    op->cancel_ns = INT64_MAX;
    if (op->row->abandoned)
        op->row->abandoned(op);
    else if (op->tab)
        cdp_tell(op->c, op->tab, "Page.stopLoading", NULL);
}

/* Ends and wakes what it is time for; the next moment at which something is due. */
static int64_t look(struct cdp *c)
{
    int64_t next = INT64_MAX;
    const char *stopped = session_stop_reason(c->session);
    for (size_t i = 0; i < c->op_count; i++) {
        struct cdp_op *op = &c->ops[i];
        int64_t now = clock_monotonic_ns();
        if (op->done)
            continue;
        if (stopped)
            give_up(op, OUTCOME_HARNESS, stopped);
        else if (c->link.lost)
            cdp_fail(op, OUTCOME_TARGET_DIED, 0, "%s", c->link.lost);
        else if (now >= op->deadline_ns)
            give_up(op, OUTCOME_TIMEOUT, arena_printf(op->call->arena, "no answer within %lld ms", (long long)op->call->timeout_ms));
        if (!op->done && now >= op->cancel_ns)
            cancel(op);
        if (!op->done && now >= op->wake_ns) {
            op->wake_ns = INT64_MAX;
            op->woken(op);
        }
        if (op->done)
            continue;
        int64_t due = op->deadline_ns < op->cancel_ns ? op->deadline_ns : op->cancel_ns;
        due = op->wake_ns < due ? op->wake_ns : due;
        next = due < next ? due : next;
    }
    return next;
}

static bool busy(void *context)
{
    const struct cdp *c = context;
    for (size_t i = 0; i < c->op_count; i++)
        if (!c->ops[i].done)
            return true;
    return false;
}

static void turn_beside(void *context)
{
    look(context);
    cdp_turn(context, 0);
}

static void finish(struct cdp *c)
{
    while (busy(c)) {
        int64_t slice = clock_monotonic_ns() + (int64_t)SLICE_MS * NS_PER_MS, next = look(c);
        if (busy(c))
            cdp_turn(c, next < slice ? next : slice);
    }
}

void cdp_calls(struct cdp *c, struct call *const *calls, size_t count, struct call *const *commands, size_t command_count)
{
    struct exec_beside beside = {.busy = busy, .turn = turn_beside, .context = c};
    struct cdp_op *ops = xcalloc(count ? count : 1, sizeof *ops);
    cdp_turn(c, 0); /* what happened since the last call */
    c->ops = ops;
    for (size_t i = 0; i < count; i++) {
        c->op_count = i + 1;
        begin(c, &ops[i], calls[i]);
    }
    if (command_count)
        exec_calls_beside(c->session, commands, command_count, &beside);
    finish(c);
    c->ops = NULL;
    c->op_count = 0;
    free(ops);
}
