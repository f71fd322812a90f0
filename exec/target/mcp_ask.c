/* One question before a target has answered anything, and what to say when the answer does not come; see mcp_ask.h. */
#include "exec/target/mcp_ask.h"

#include <string.h>
#include <sys/wait.h>

#include "exec/target/mcp_json.h"
#include "exec/target/mcp_tools.h"

enum { LINE_SHOWN = 160 };

/* What helps against what the other end or its address said. */
static const struct {
    const char *said, *advice;
} advices[] = {
    {"HTTP 401", "--header 'Authorization: Bearer ${TOKEN}' sends a token"},
    {"HTTP 403", "--header 'Authorization: Bearer ${TOKEN}' sends a token"},
    {"HTTP 404", "is the path of the URL right?"},
    {"HTTP 405", "is the path of the URL right?"},
    {"redirects followed", "name the URL that they lead to"},
    {"ertificate", "--cacert FILE trusts one more"},
    {"wrong version number", "does it speak http: there?"},
    {"t connect to server", "--start CMD starts it first"},
};

static const char *advice_for(const char *failure, struct arena *a)
{
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (strstr(failure, advices[i].said))
            return arena_printf(a, " (%s)", advices[i].advice);
    return "";
}

const char *mcp_visible(struct arena *a, struct bytes text, size_t max)
{
    struct buf shown;
    buf_init(&shown, 4 * max + 16);
    add_visible(&shown, text, max);
    const char *copy = arena_string(a, buf_bytes(&shown));
    buf_release(&shown);
    return copy;
}

/* The line that ends at or before `end` and has anything in it; *start is where it begins. */
static struct bytes line_before(struct bytes text, size_t end, size_t *start)
{
    while (end > 0 && strchr("\n\r ", text.data[end - 1] ? text.data[end - 1] : 'x'))
        end--;
    *start = end;
    while (*start > 0 && text.data[*start - 1] != '\n')
        (*start)--;
    return bytes_slice(text, *start, end);
}

/* The last line that speaks of an error, since some runtimes go on after it; else the last line. */
static struct bytes last_words(struct bytes text)
{
    size_t start = text.len;
    struct bytes last = line_before(text, text.len, &start), line = last;
    while (line.len) {
        if (text_mentions(line, "error"))
            return line;
        line = line_before(text, start, &start);
    }
    return last;
}

static const char *said_last(struct mcp_client *c, struct arena *a)
{
    struct bytes line = last_words(mcp_client_stderr(c));
    return line.len ? arena_printf(a, "; its last words: %s", mcp_visible(a, line, LINE_SHOWN)) : "";
}

/* What came instead of an answer: the first line that was no message. */
static const char *said_instead(struct mcp_client *c, struct arena *a)
{
    const struct wire_event *events;
    size_t count = mcp_client_events(c, &events);
    for (size_t i = 0; i < count; i++)
        if (events[i].kind == WIRE_STRAY_LINE || events[i].kind == WIRE_BAD_MESSAGE ||
            events[i].kind == WIRE_BREACH)
            return arena_printf(a, "; instead of a message it wrote: %s",
                                mcp_visible(a, events[i].text, LINE_SHOWN));
    return "";
}

static int died(struct mcp_client *c, const char *command, const char *method, struct arena *a,
                struct error **err)
{
    int status = mcp_client_status(c);
    const char *how = WIFSIGNALED(status) ? arena_printf(a, "was ended by signal %d", WTERMSIG(status))
                                          : arena_printf(a, "ended with status %d", WEXITSTATUS(status));
    const char *last = said_last(c, a);
    return error_set(err, ERR_TARGET, "%s: %s before it answered %s%s", command, how, method,
                     *last ? last : said_instead(c, a));
}

int mcp_ask(struct mcp_client *c, struct mcp_exchange *x, const char *command, struct arena *a,
            const struct json **result, bool *refusal, struct error **err)
{
    mcp_client_exchange(c, x, 1);
    return mcp_asked(c, x, command, a, result, refusal, err);
}

int mcp_asked(struct mcp_client *c, const struct mcp_exchange *x, const char *command, struct arena *a,
              const struct json **result, bool *refusal, struct error **err)
{
    if (x->state == MCP_DIED)
        return died(c, command, x->method, a, err);
    if (x->state == MCP_FAILED)
        return error_set(err, ERR_TARGET, "%s: no answer to %s: %s%s", command, x->method,
                         mcp_visible(a, bytes_of_string(x->failure), 4 * LINE_SHOWN), advice_for(x->failure, a));
    if (x->state == MCP_CUT)
        return error_set(err, ERR_TARGET, "%s: closed its standard output before it answered %s%s", command,
                         x->method, said_last(c, a));
    if (x->state != MCP_ANSWERED) {
        const char *instead = said_instead(c, a), *said = *instead ? instead : said_last(c, a);
        return error_set(err, ERR_TARGET, "%s: no answer to %s within %lld ms%s", command, x->method, (long long)x->timeout_ms,
                         *said ? said : ", nor anything else (exec.start-timeout is how long is waited)");
    }
    if (x->too_long)
        return error_set(err, ERR_TARGET, "%s: its answer to %s is longer than exec.max-line", command,
                         x->method);
    const struct json *error = json_get(x->reply, "error");
    *result = json_get(x->reply, "result");
    if (error && refusal) {
        *refusal = true;
        return 0;
    }
    if (error)
        return error_set(err, ERR_TARGET, "%s: refused %s: %s", command, x->method,
                         mcp_visible(a, json_as_text(json_get(error, "message")), LINE_SHOWN));
    if (!json_is(*result, JSON_OBJECT))
        return error_set(err, ERR_TARGET, "%s: its answer to %s has no result object", command, x->method);
    return 0;
}
