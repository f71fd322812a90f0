/* Requests that break one rule of the stateless era on purpose, and what a server must make of them.
 *
 * Which rule is broken is read off the request itself, so it does not matter who made it. Where more than one is, nobody could say
 * which was refused, and nothing is said. */
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "exec/oracle/duty_modern.h"

#define META "io.modelcontextprotocol/"

enum { UNCLEAR = -2, FAULTLESS = -1, NO_META, BAD_VERSION, BAD_METHOD, BAD_HEADERS };

static const struct {
    int number;
    int64_t code;
    int status;
    const char *what;
} faults[] = {
    [NO_META] = {19, -32602, 400, "a request without its version or capabilities"},
    [BAD_VERSION] = {20, -32022, 400, "a version that there is not"},
    [BAD_METHOD] = {53, -32601, 404, "a method that there is not"},
    [BAD_HEADERS] = {50, -32020, 400, "headers that the body contradicts"},
};

/* --- what is wrong with a request --- */

static void found(int *fault, int one)
{
    *fault = *fault == FAULTLESS || *fault == one ? one : UNCLEAR;
}

static void look_at_meta(const struct json *meta, int *fault)
{
    const struct json *version = json_get(meta, META "protocolVersion"), *capabilities = json_get(meta, META "clientCapabilities");
    if (!version || !capabilities)
        found(fault, NO_META);
    if ((version && !json_is(version, JSON_STRING)) || (capabilities && !json_is(capabilities, JSON_OBJECT)))
        *fault = UNCLEAR;
    if (!json_is(version, JSON_STRING) || bytes_equal_string(version->text, "2026-07-28"))
        return;
    /* An older version may be one that the server has too. */
    bool none = bytes_compare(version->text, BYTES_LITERAL("2024-11-05")) < 0 ||
                bytes_compare(version->text, BYTES_LITERAL("2027")) > 0;
    if (none)
        found(fault, BAD_VERSION);
    else
        *fault = UNCLEAR;
}

static void look_at_method(struct duty_watch *w, struct bytes method, int *fault)
{
    if (bytes_starts(method, BYTES_LITERAL("taskgen/")))
        found(fault, BAD_METHOD); /* nobody has those */
    else if (!duty_handler_find(arena_string(&w->scratch, method)))
        *fault = UNCLEAR;
}

/* The texts of a header and of what it repeats are the same, once decoded. */
static bool repeats(const char *header, const struct json *value)
{
    static const struct bytes prefix = {(const uint8_t *)"=?base64?", 9}, suffix = {(const uint8_t *)"?=", 2};
    struct bytes text = bytes_of_string(header);
    if (!header || !json_is(value, JSON_STRING))
        return false;
    if (!bytes_starts(text, prefix) || !bytes_ends(text, suffix) || text.len < prefix.len + suffix.len)
        return bytes_equal(text, value->text);
    struct buf decoded;
    buf_init(&decoded, text.len);
    bool same = base64_decode(&decoded, bytes_slice(text, prefix.len, text.len - suffix.len)) == 0 &&
                bytes_equal(buf_bytes(&decoded), value->text);
    buf_release(&decoded);
    return same;
}

static const char *named_by(struct bytes method)
{
    if (bytes_equal_string(method, "resources/read"))
        return "uri";
    return bytes_equal_string(method, "tools/call") || bytes_equal_string(method, "prompts/get") ? "name" : NULL;
}

static void look_at_headers(const struct json *message, const struct duty_modern_ask *ask, int *fault)
{
    const struct json *params = json_get(message, "params"), *method = json_get(message, "method");
    const struct json *version = json_get(json_get(params, "_meta"), META "protocolVersion");
    const char *named = named_by(method->text);
    bool modern = ask->version && strcmp(ask->version, "2026-07-28") == 0;
    if (!version && !modern) {
        *fault = UNCLEAR; /* it may be taken for a request of an older era */
        return;
    }
    bool right = (!version || repeats(ask->version, version)) && repeats(ask->method, method) &&
                 (!named || !json_get(params, named) || repeats(ask->name, json_get(params, named)));
    if (!right)
        found(fault, BAD_HEADERS);
}

static int find_fault(struct duty_watch *w, const struct json *message, const struct duty_modern_ask *ask)
{
    const struct json *id = json_get(message, "id"), *method = json_get(message, "method"), *params = json_get(message, "params");
    const struct json *meta = json_get(params, "_meta");
    int fault = FAULTLESS;
    bool request = json_is(message, JSON_OBJECT) && bytes_equal_string(json_as_text(json_get(message, "jsonrpc")), "2.0") &&
                   (json_is(id, JSON_STRING) || json_is(id, JSON_NUMBER)) && json_is(method, JSON_STRING) &&
                   (!params || json_is(params, JSON_OBJECT)) && (!meta || json_is(meta, JSON_OBJECT));
    if (!request || bytes_equal_string(method->text, "initialize"))
        return UNCLEAR;
    look_at_meta(meta, &fault);
    look_at_method(w, method->text, &fault);
    if (ask)
        look_at_headers(message, ask, &fault);
    return fault;
}

/* --- what became of it --- */

static void judge_refusal(struct duty_watch *w, int fault, int64_t code, int status, struct bytes text)
{
    const char *what = faults[fault].what;
    bool other = code != faults[fault].code && !(fault == NO_META && code == -32020);
    if (!code)
        duty_say(w, faults[fault].number, arena_printf(&w->scratch, "%s: refused without an error of the protocol", what), text);
    else if (other)
        duty_say(w, faults[fault].number,
                 arena_printf(&w->scratch, "%s: refused with another code than %d", what, (int)faults[fault].code), text);
    else if (status && status != faults[fault].status)
        duty_say(w, faults[fault].number,
                 arena_printf(&w->scratch, "%s: refused with another HTTP status than %d", what, faults[fault].status), text);
}

static void judge(struct duty_watch *w, int fault, int status, const struct json *answer, struct bytes text)
{
    const struct json *result = json_get(answer, "result"), *error = json_get(answer, "error");
    int64_t code = 0;
    json_as_integer(json_get(error, "code"), &code);
    /* Over pipes a server of both eras may take a request without _meta for one of the older era, which has no resultType. */
    bool older = fault == NO_META && w->transport == DUTY_STDIO && !json_get(result, "resultType") && code != -32602;
    if (older || (result && error))
        return;
    if (result)
        duty_say(w, faults[fault].number, arena_printf(&w->scratch, "%s: accepted", faults[fault].what), text);
    else
        judge_refusal(w, fault, code, status, text);
}

void duty_raw_message(struct duty_watch *w, const struct json *message)
{
    struct duty_modern *m = w->modern;
    if (!m || m->provoked_count == DUTY_PROVOKED_MAX)
        return;
    arena_clear(&w->scratch);
    int fault = find_fault(w, message, NULL);
    if (fault < 0)
        return;
    struct bytes id = duty_key(w, json_get(message, "id"));
    uint8_t *copy = xmalloc(id.len + 1);
    memcpy(copy, id.data, id.len);
    m->provoked[m->provoked_count++] = (struct duty_provoked){.id = bytes_of(copy, id.len), .fault = fault};
}

bool duty_provoked_answer(struct duty_watch *w, const struct json *message, struct bytes line)
{
    struct duty_modern *m = w->modern;
    struct bytes id = duty_key(w, json_get(message, "id"));
    for (size_t i = 0; i < m->provoked_count; i++) {
        if (!bytes_equal(m->provoked[i].id, id))
            continue;
        judge(w, m->provoked[i].fault, 0, message, line);
        free((void *)(uintptr_t)m->provoked[i].id.data);
        m->provoked[i] = m->provoked[--m->provoked_count];
        return true;
    }
    return false;
}

void duty_modern_asked(struct duty_watch *w, const struct duty_modern_ask *ask)
{
    int64_t code = 0;
    if (!w->modern || ask->status >= 500 || ask->status == 401 || ask->status == 403)
        return; /* what a crowded or guarded server says */
    arena_clear(&w->scratch);
    int fault = find_fault(w, ask->message, ask);
    json_as_integer(json_get(json_get(ask->answer, "error"), "code"), &code);
    bool encoded = (ask->name && strncmp(ask->name, "=?base64?", 9) == 0) || (ask->method && strncmp(ask->method, "=?base64?", 9) == 0);
    if (fault >= 0)
        judge(w, fault, ask->status, ask->answer, ask->text);
    else if (fault == FAULTLESS && code == -32020)
        duty_say(w, encoded ? 51 : 50, encoded ? "a header in base64 is not read" : "headers that repeat the body are refused", ask->text);
}
