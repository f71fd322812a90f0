/* Results of programs: exit status, output, what names a background job; see mcp_result_internal.h.
 *
 * Where a text could be the program's own output or the server's words about it, two signs are asked for,
 * not one: a program may print "exit code: 3" too. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "exec/target/mcp_result_internal.h"

enum { STATUS_LINE_MAX = 80, ID_WITHIN = 4096, JSON_WITHIN = 1 << 20 };

static const char out_names[] = "stdout|output|out|standardoutput";
static const char err_names[] = "stderr|err|standarderror|erroroutput";
/* Output that is not text, as servers give it that care for bytes. */
static const char out_base64_names[] = "stdoutbase64|outputbase64|outbase64";
static const char err_base64_names[] = "stderrbase64|errbase64";
static const char exit_names[] = "exitcode|exitstatus|returncode|exit|code|rc|statuscode";

static bool put_exit(struct mcp_reader *r, const struct json *value)
{
    int64_t status;
    if (!json_lenient_integer(value, &status) || status < -255 || status > 65535)
        return false;
    /* Node.js gives the exit status of a process that a signal ended as null, Python as minus the signal. */
    mcp_put(r, "exit", json_integer(r->context->arena, status < 0 ? 128 - status : status));
    return true;
}

/* A stream of an object, as text or as base64 of bytes. */
static bool stream_of(struct mcp_reader *r, const struct json *object, const char *names, const char *base64_names,
                      struct bytes *stream)
{
    const struct json *text = json_member(object, names), *encoded = json_member(object, base64_names);
    if (json_is(encoded, JSON_STRING) && mcp_base64(encoded->text, r->context->arena, stream))
        return true;
    if (!json_is(text, JSON_STRING))
        return false;
    *stream = text->text;
    return true;
}

/* An object with the streams in it; false when it has too little of one. */
static bool put_streams(struct mcp_reader *r, const struct json *object, int signs_needed)
{
    struct bytes out, err;
    bool has_out = stream_of(r, object, out_names, out_base64_names, &out);
    bool has_err = stream_of(r, object, err_names, err_base64_names, &err);
    const struct json *status = json_member(object, exit_names);
    int64_t number;
    if (has_out + has_err + json_lenient_integer(status, &number) < signs_needed)
        return false;
    if (has_out)
        mcp_put_bytes(r, "stdout", out);
    if (has_err)
        mcp_put_bytes(r, "stderr", err);
    put_exit(r, status);
    return true;
}

/* Each part says which stream it is. Parts that say something else are the server's own words. */
static bool put_labelled_parts(struct mcp_reader *r)
{
    const struct mcp_material *m = r->material;
    bool found = false;
    for (size_t i = 0; i < m->count; i++) {
        bool out = name_among(m->parts[i].label, out_names), err = name_among(m->parts[i].label, err_names);
        if (out || err)
            mcp_put_bytes(r, out ? "stdout" : "stderr", m->parts[i].data);
        else if (name_among(m->parts[i].label, exit_names))
            put_exit(r, json_string(r->context->arena, m->parts[i].data));
        found = found || out || err;
    }
    return found;
}

/* The last line with anything in it; none when it is longer than such a line can be. *from is where it
 * starts. */
static struct bytes last_short_line(struct bytes text, size_t *from)
{
    size_t end = text.len;
    while (end > 0 && isspace(text.data[end - 1]))
        end--;
    *from = end;
    while (*from > 0 && text.data[*from - 1] != '\n')
        (*from)--;
    return end - *from <= STATUS_LINE_MAX ? bytes_slice(text, *from, end) : BYTES_NONE;
}

/* Reads ": 3", " 3]", " 3." to the end of the line. */
static bool read_status(struct bytes rest, int64_t *status)
{
    char text[STATUS_LINE_MAX + 1];
    if (rest.len > STATUS_LINE_MAX || !rest.len)
        return false;
    memcpy(text, rest.data, rest.len);
    text[rest.len] = '\0';
    const char *digits = text + strspn(text, ": ");
    size_t length = strspn(digits, "0123456789");
    const char *after = digits + length;
    bool closed = !*after || (strchr("]).", *after) && !after[1]);
    if (digits == text || !length || length > 5 || !closed)
        return false;
    *status = strtoll(digits, NULL, 10);
    return (size_t)(after - text) + (*after != '\0') == rest.len; /* no NUL in between */
}

/* Length of the end of the text that says the exit status, or 0; *status is set. */
static size_t trailing_status(struct bytes text, int64_t *status)
{
    static const char *const openings[] = {"exit code",
                                           "exit status",
                                           "exited with code",
                                           "exited with status",
                                           "process exited with code",
                                           "process exited with status",
                                           "command exited with code",
                                           "command exited with status",
                                           "return code"};
    size_t from;
    struct bytes line = last_short_line(text, &from);
    bool bracket = line.len && (line.data[0] == '[' || line.data[0] == '(');
    line = bytes_slice(line, bracket, line.len);
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        size_t size = strlen(openings[i]);
        if (line.len > size && strncasecmp((const char *)line.data, openings[i], size) == 0 &&
            read_status(bytes_slice(line, size, line.len), status))
            return text.len - from;
    }
    return 0;
}

static void put_plain(struct mcp_reader *r)
{
    struct bytes text = r->material->text;
    int64_t status;
    size_t cut = text.len ? trailing_status(text, &status) : 0;
    if (cut) {
        mcp_put(r, "exit", json_integer(r->context->arena, status));
        text = bytes_slice(text, 0, text.len - cut);
    }
    mcp_put_bytes(r, "stdout", text);
}

/* The streams of a result, wherever they are. */
static void put_output(struct mcp_reader *r)
{
    const struct mcp_material *m = r->material;
    bool error = r->outcome->class == OUTCOME_TOOL_ERROR;
    if (put_streams(r, m->structured, 1) || put_streams(r, m->object, 2) || put_labelled_parts(r))
        return;
    if (m->labels && put_streams(r, m->labels, 1)) {
        /* What the labels leave out was empty. */
        mcp_put_bytes(r, "stdout", BYTES_NONE);
        return;
    }
    if (!error)
        put_plain(r);
}

void mcp_read_run(struct mcp_reader *r)
{
    put_output(r);
}

/* The word behind a name: letters, digits, _ and -, with a digit among them; none when there is none. */
static struct bytes word_behind(struct bytes text, size_t from)
{
    static const char between[] = ": =(#`\"'";
    if (from >= text.len || !text.data[from] || !strchr(": =(#", text.data[from]))
        return BYTES_NONE;
    while (from < text.len && text.data[from] && strchr(between, text.data[from]))
        from++;
    size_t to = from;
    bool digit = false;
    for (; to < text.len && (isalnum(text.data[to]) || text.data[to] == '_' || text.data[to] == '-'); to++)
        digit = digit || isdigit(text.data[to]);
    return digit ? bytes_slice(text, from, to) : BYTES_NONE;
}

/* Is there any of the names below? Most texts have none, and then one pass says so. */
static bool may_name_id(struct bytes text)
{
    for (size_t at = 0; at + 1 < text.len; at++) {
        int one = text.data[at] | 0x20, two = text.data[at + 1] | 0x20; /* lower case, of letters */
        if ((one == 'i' && two == 'd') || (one == 's' && two == 'e'))
            return true;
    }
    return false;
}

/* "PID: 123", "with PID 123", "session id: abc-1": the word behind such a name, in running text. */
static struct bytes named_id(struct bytes text)
{
    static const char *const names[] = {"pid",     "process id", "session id", "job id",
                                        "task id", "command id", "id",         "session"};
    for (size_t n = may_name_id(text) ? 0 : sizeof names / sizeof *names; n < sizeof names / sizeof *names; n++) {
        size_t length = strlen(names[n]);
        for (size_t at = 0; at + length < text.len; at++) {
            if ((at > 0 && isalnum(text.data[at - 1])) ||
                strncasecmp((const char *)text.data + at, names[n], length) != 0)
                continue;
            struct bytes word = word_behind(text, at + length);
            if (word.len)
                return word;
        }
    }
    return BYTES_NONE;
}

void mcp_read_start(struct mcp_reader *r)
{
    struct arena *a = r->context->arena;
    static const char ids[] = "pid|processid|jobid|sessionid|taskid|commandid|shellid|id|handle|session";
    const struct json *id = json_member(r->material->object, ids);
    if (json_is(id, JSON_NUMBER) || json_is(id, JSON_STRING)) {
        mcp_put(r, "pid", json_copy(a, id));
        return;
    }
    struct bytes word = named_id(bytes_slice(r->material->text, 0, ID_WITHIN));
    int64_t number;
    struct json *text = json_string(a, word);
    if (word.len)
        mcp_put(r, "pid", json_lenient_integer(text, &number) ? json_integer(a, number) : text);
}

static int running_of(const struct json *facts)
{
    const struct json *flag = json_member(facts, "running|isrunning|alive|isalive|active");
    if (json_is(flag, JSON_TRUE) || json_is(flag, JSON_FALSE))
        return flag->kind == JSON_TRUE;
    const struct json *status = json_member(facts, "status|state");
    if (!json_is(status, JSON_STRING))
        return -1;
    if (name_among(status->text, "running|active|alive|started|pending|inprogress|sleeping"))
        return 1;
    bool ended = name_among(status->text,
                            "exited|completed|complete|finished|done|stopped|terminated|killed|failed|"
                            "ended|dead|success|error");
    return ended ? 0 : -1;
}

void mcp_read_poll(struct mcp_reader *r)
{
    const struct mcp_material *m = r->material;
    int running = running_of(m->object ? m->object : m->labels);
    if (running >= 0)
        mcp_put(r, "running", json_bool(r->context->arena, running == 1));
    put_output(r);
}

void mcp_read_fetch(struct mcp_reader *r)
{
    const struct json *object = r->material->object;
    int64_t status;
    if (json_as_integer(json_member(object, "status|statuscode|code|httpstatus"), &status))
        mcp_put(r, "status", json_integer(r->context->arena, status));
    const struct json *body = json_member(object, "content|body|text|data|html");
    bool wrapped = json_is(body, JSON_STRING) &&
                   (r->material->structured || json_get(r->outcome->result, "status"));
    mcp_put_bytes(r, "content", wrapped ? body->text : r->material->text);
}

void mcp_read_call(struct mcp_reader *r)
{
    mcp_put_bytes(r, "content", r->material->text);
    const struct json *structured = json_get(r->material->result, "structuredContent");
    if (structured)
        mcp_put(r, "structured", json_copy(r->context->arena, structured));
    if (r->material->object && r->material->object != r->material->structured && r->material->text.len <= JSON_WITHIN)
        mcp_put(r, "json", json_copy(r->context->arena, r->material->object));
    struct bytes id = named_id(bytes_slice(r->material->text, 0, ID_WITHIN));
    if (id.len)
        mcp_put(r, "id", json_string(r->context->arena, id));
}
