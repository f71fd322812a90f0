/* The duties: numbers, words, and the verdicts that their breaches become. */
#include "exec/oracle/duty.h"

#include <string.h>

#include "exec/oracle/judge.h"

enum { QUOTED = 300 };

#define DUTY(number, slug, era, level, always, holds, title, provoked) \
    {number, era, level, always, {"mcp-" slug, "", "protocol", holds, NULL}, title, provoked, "mcp-" slug}
/* One that a check of its own decides, mcp-NN of checks/ or that of a fault class. */
#define ELSEWHERE(number, slug, era, level, holds, provoked) \
    {number, era, level, false, {"", "", "protocol", holds, NULL}, "", provoked, slug}

#define OLD  DUTY_ERA_OLD
#define BOTH DUTY_ERA_BOTH

static const struct duty_row rows[] = {
    DUTY(1, "01", BOTH, DUTY_MUST, true,
         "messages are JSON-RPC 2.0 in UTF-8",
         "the target sends a message that is not JSON-RPC 2.0 in UTF-8",
         "any call"),
    DUTY(2, "02", BOTH, DUTY_MUST, true,
         "the id of a request is a text or an integer",
         "the target asks by a request without a proper id",
         "whatever makes the target ask its client"),
    DUTY(3, "03", OLD, DUTY_MUST, false,
         "no two requests in a session have one id",
         "the target uses an id twice",
         "whatever makes the target ask its client"),
    ELSEWHERE(4, "mcp-04", BOTH, DUTY_MUST,
              "each request gets exactly one answer, with its id",
              "any call; calls in parallel"),
    DUTY(5, "05", BOTH, DUTY_MUST, true,
         "an answer has a result, or an error with a code and a message",
         "the target answers in a form that there is not",
         "calls that are refused"),
    DUTY(6, "06", BOTH, DUTY_MUST, false,
         "an error bears the id of its request where that could be read",
         "the target answers without an id",
         "calls that are refused"),
    DUTY(7, "07", BOTH, DUTY_MUST, false,
         "a notification has no id and gets no answer",
         "the target takes notifications for requests",
         "notifications of the client: initialized, cancelled"),
    DUTY(8, "08", OLD, DUTY_MUST, false,
         "since 2025-06-18 each message is sent by itself",
         "the target sends several messages as one",
         "calls in parallel"),
    DUTY(11, "11", BOTH, DUTY_MUST, false,
         "schemas of tools are valid in their dialect, and whole",
         "the target gives a tool a schema that is none",
         "the list of tools"),
    DUTY(16, "16", OLD, DUTY_MUST, false,
         "initialize is answered with a version, capabilities and the server's name",
         "the target answers initialize wrongly",
         "the first exchange"),
    DUTY(17, "17", OLD, DUTY_BOTH, false,
         "the client is asked only for what it offered, and told only of what was declared",
         "the target goes beyond what was agreed on",
         "whatever makes the target ask or tell its client"),
    DUTY(26, "26", BOTH, DUTY_MUST, false,
         "over pipes a message is one line",
         "the target breaks a message over lines",
         "any call"),
    ELSEWHERE(27, "stdout-polluted", BOTH, DUTY_MUST,
              "over pipes there are messages and nothing else",
              "any call; the start"),
    DUTY(32, "32", BOTH, DUTY_SHOULD_ONLY, false,
         "over pipes the target ends when its input does",
         "the target lives on when its input has ended",
         "the end of a session"),
    DUTY(34, "34", OLD, DUTY_MUST, false,
         "over HTTP one address takes POST and GET",
         "the target has no GET where it takes POST",
         "the stream of the client; streams of its own"),
    DUTY(35, "35", OLD, DUTY_MUST, false,
         "over HTTP a request from a foreign page is refused, with 403 since 2025-11-25",
         "the target does not refuse a foreign page as it should",
         "requests over HTTP with a foreign Origin"),
    DUTY(37, "37", OLD, DUTY_MUST, false,
         "over HTTP a notification or response that is taken gets 202 and no body",
         "the target answers a notification or response wrongly",
         "notifications; responses that nobody asked for"),
    DUTY(38, "38", OLD, DUTY_MUST, false,
         "over HTTP a request gets its own answer, as JSON or an event stream",
         "the target answers a request with something else",
         "any call"),
    DUTY(40, "40", OLD, DUTY_MUST, false,
         "over HTTP a GET brings an event stream or 405",
         "the target answers GET with something else",
         "the stream of the client; streams of its own"),
    DUTY(41, "41", OLD, DUTY_MUST, false,
         "over HTTP no response comes on the stream of a GET, unless it takes up another one",
         "the target answers on the stream of a GET",
         "calls while the client listens"),
    DUTY(42, "42", OLD, DUTY_MUST, false,
         "over HTTP each message comes on one stream",
         "the target sends a message on two streams",
         "calls while the client listens"),
    DUTY(43, "43", OLD, DUTY_MUST, false,
         "over HTTP no event id is used twice; a stream that is taken up again brings nothing of others",
         "the target mixes up events",
         "streams that break off"),
    DUTY(44, "44", OLD, DUTY_MUST, false,
         "a session id is visible ASCII",
         "the target gives a session id that no header can bear",
         "the first exchange over HTTP"),
    DUTY(45, "45", OLD, DUTY_MUST, false,
         "the id of a session that has ended, or never was, gets 404",
         "the target does not answer 404 to a session that is none",
         "requests in a session that was given up, or that nobody has"),
    DUTY(46, "46", OLD, DUTY_MUST, false,
         "over HTTP a protocol version that is none gets 400 (2025-06-18)",
         "the target does not refuse a bad protocol version",
         "requests with a bad MCP-Protocol-Version"),
    DUTY(47, "47", OLD, DUTY_SHOULD_ONLY, false,
         "a request without the session id gets 400; the end of a session gets success or 405",
         "the target is wrong about a session id that is missing or given up",
         "requests without the session id; DELETE"),
    DUTY(57, "57", OLD, DUTY_MUST, false,
         "a cancellation names a request of one's own",
         "the target cancels what it never asked for",
         "whatever makes the target ask its client"),
    DUTY(59, "59", BOTH, DUTY_MUST, false,
         "a progress token is a text or a number, and one live request's only",
         "the target gives a progress token that is none",
         "whatever makes the target ask its client"),
    DUTY(60, "60", BOTH, DUTY_MUST, false,
         "progress grows, belongs to a live request with a token, and ends with it",
         "the target tells of progress wrongly",
         "calls with a progress token"),
    DUTY(61, "61", OLD, DUTY_MUST, false,
         "ping gets an empty result",
         "the target does not answer ping by an empty result",
         "ping"),
    DUTY(63, "63", BOTH, DUTY_BOTH, false,
         "cursors are texts; one that was not given is refused with -32602",
         "the target is wrong about cursors",
         "lists, with cursors as given and made up"),
    DUTY(65, "65", OLD, DUTY_BOTH, false,
         "logging is declared; levels are known ones",
         "the target is wrong about logging",
         "calls that log; log levels that there are not"),
    DUTY(66, "66", BOTH, DUTY_MUST, false,
         "completion is declared; at most 100 texts at once",
         "the target is wrong about completion",
         "completion"),
    DUTY(67, "67", BOTH, DUTY_MUST, false,
         "a server with tools declares them, and lists what it declares",
         "the target lists other tools than it declared",
         "the list of tools"),
    DUTY(68, "68", BOTH, DUTY_MUST, false,
         "a tool has a name, and a schema that is an object",
         "the target gives a tool no proper schema",
         "the list of tools"),
    DUTY(70, "70", BOTH, DUTY_MUST, false,
         "structured content is what the tool's output schema says",
         "the target's structured content is not what its schema says",
         "calls of tools with an output schema"),
    DUTY(72, "72", OLD, DUTY_BOTH, false,
         "an unknown tool is an error of the protocol; wrong arguments are one of the tool (2025-11-25)",
         "the target refuses in the wrong way",
         "calls of tools that there are not, or with wrong arguments"),
    DUTY(73, "73", BOTH, DUTY_BOTH, false,
         "content is of known kinds, each whole; binary content is base64 with its type",
         "the target sends content that is none",
         "any call of a tool"),
    DUTY(74, "74", BOTH, DUTY_SHOULD_ONLY, false,
         "names of tools are unique, of 1 to 128 characters of A-Z a-z 0-9 _ . - (2025-11-25)",
         "the target names its tools unwisely",
         "the list of tools"),
    DUTY(76, "76", BOTH, DUTY_MUST, false,
         "a server with resources or prompts declares them, and lists what it declares",
         "the target lists other things than it declared",
         "the lists of resources, templates and prompts"),
    DUTY(77, "77", BOTH, DUTY_MUST, false,
         "a resource's contents have an address, and text or a blob in base64",
         "the target sends a resource that is none",
         "reading resources"),
    DUTY(78, "78", OLD, DUTY_SHOULD_ONLY, false,
         "a resource that is not there is refused with -32002",
         "the target refuses a resource in the wrong way",
         "reading resources that there are not"),
    DUTY(79, "79", BOTH, DUTY_BOTH, false,
         "a prompt's messages have a role and content; an unknown prompt or a missing argument is refused "
         "with -32602",
         "the target is wrong about prompts",
         "prompts; names that there are not, missing arguments"),
    DUTY(80, "80", OLD, DUTY_MUST, false,
         "tasks are made when declared and asked for, and only then (2025-11-25)",
         "the target makes a task, or none, against what was agreed on",
         "calls with and without a task"),
    DUTY(81, "81", OLD, DUTY_BOTH, false,
         "a tool that needs a task is refused without one, and one that has none with one, by -32601",
         "the target does not hold a tool to its tasks",
         "calls with and without a task"),
    DUTY(82, "82", OLD, DUTY_MUST, false,
         "a task has an id of its own, begins as working, and keeps a final state",
         "the target is wrong about a task's state",
         "tasks"),
    DUTY(83, "83", OLD, DUTY_MUST, false,
         "a task tells its times and how long it is kept",
         "the target does not tell what a task has to",
         "tasks"),
    DUTY(84, "84", OLD, DUTY_MUST, false,
         "a task's result comes when it has ended",
         "the target gives a result before the task has ended",
         "tasks"),
    DUTY(85, "85", OLD, DUTY_MUST, false,
         "a task that has ended cannot be cancelled; a cancelled one stays so",
         "the target is wrong about cancelling a task",
         "cancelling tasks"),
    DUTY(86, "86", OLD, DUTY_MUST, false,
         "unknown tasks and cursors are refused with -32602; what can be read is listed; a result names "
         "its task",
         "the target is wrong about which task is which",
         "tasks; ids that there are not"),
    DUTY(90, "90", BOTH, DUTY_MUST, false,
         "the user is asked only in a mode that was offered",
         "the target asks the user in a way that was not offered",
         "whatever makes the target ask its client"),
    DUTY(92, "92", BOTH, DUTY_MUST, false,
         "sampling has tools only where they were offered; each use of a tool has its result",
         "the target asks for sampling in a form that there is not",
         "whatever makes the target ask its client"),
    DUTY(94, "94", BOTH, DUTY_MUST, false,
         "401 comes with WWW-Authenticate",
         "the target refuses without saying what it wants",
         "requests without Authorization"),
    DUTY(95, "95", BOTH, DUTY_MUST, false,
         "over HTTP a token that is none is refused",
         "the target takes a token that is none",
         "requests with a wrong Authorization"),
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
        if (*rows[i].check.slug && strcmp(rows[i].check.slug, slug) == 0)
            return &rows[i].check;
    return NULL;
}

void duty_judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->wire_count; i++) {
        const struct wire_record *r = &e->wire[i];
        const struct duty_row *row = strcmp(r->kind, "breach") == 0 ? duty_find(r->duty) : NULL;
        if (!row || !*row->check.slug)
            continue;
        struct buf evidence;
        buf_init(&evidence, 4096);
        buf_addf(&evidence, "duty %d (%s): %s; in ", row->number, row->check.doc, r->detail);
        judge_quote(&evidence, r->text, QUOTED);
        buf_add_string(&evidence, " -> interface");
        judge_say(out, e, row->check.slug, e->count, EFFECT_NONE, r->detail, row->title, buf_string(&evidence));
        buf_release(&evidence);
    }
}
