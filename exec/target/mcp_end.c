/* How exchanges end, in words; see mcp_end.h. */
#include "exec/target/mcp_end.h"

#include <sys/wait.h>

static struct bytes printed(struct arena *a, const char *text)
{
    return bytes_of_string(arena_string(a, bytes_of_string(text)));
}

void mcp_skip(struct call *call, const char *reason)
{
    call->outcome.class = OUTCOME_SKIPPED;
    call->outcome.skip_reason = reason;
}

static void died(struct mcp_client *c, struct outcome *o, struct arena *a)
{
    int status = mcp_client_status(c);
    o->class = OUTCOME_TARGET_DIED;
    if (WIFSIGNALED(status))
        o->message = printed(a, arena_printf(a, "the server was ended by signal %d", WTERMSIG(status)));
    else
        o->message = printed(a, arena_printf(a, "the server ended with status %d", WEXITSTATUS(status)));
}

static void timed_out(const struct mcp_exchange *x, struct outcome *o, struct arena *a)
{
    o->class = OUTCOME_TIMEOUT;
    o->message = printed(a, x->cancelled ? arena_printf(a, "cancelled by us after %lld ms, and not answered",
                                                        (long long)x->cancel_after_ms)
                                         : arena_printf(a, "no answer within %lld ms", (long long)x->timeout_ms));
    o->raw = x->lines;
}

bool mcp_end(struct mcp_client *c, const struct mcp_exchange *x, struct call *call)
{
    struct outcome *o = &call->outcome;
    o->start_ns = x->start_ns;
    o->ns = x->end_ns - x->start_ns;
    o->bytes_in = x->sent;
    o->bytes_out = x->received;
    o->replies = x->replies;
    switch (x->state) {
    case MCP_ANSWERED:
        o->class = OUTCOME_OK;
        if (!x->too_long)
            return true;
        o->truncated = true;
        o->message = BYTES_LITERAL("the reply is longer than exec.max-line");
        break;
    case MCP_DIED:
        died(c, o, call->arena);
        break;
    case MCP_CUT:
        o->class = OUTCOME_TRANSPORT_ERROR;
        o->message = BYTES_LITERAL("the server closed its standard output or input but did not end");
        break;
    case MCP_FAILED:
        o->class = OUTCOME_TRANSPORT_ERROR;
        o->message = bytes_of_string(x->failure);
        break;
    case MCP_STOPPED:
        o->class = OUTCOME_HARNESS;
        o->message = BYTES_LITERAL("interrupted");
        break;
    case MCP_TIMEOUT:
    case MCP_WAITING:
        timed_out(x, o, call->arena);
        break;
    }
    return false;
}
