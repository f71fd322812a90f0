/* Duties of the first exchange, of ping, logging and completion. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

enum { COMPLETIONS_MAX = 100 };

static bool is_date(struct bytes text)
{
    if (text.len != 10)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool dash = i == 4 || i == 7;
        if (dash ? text.data[i] != '-' : text.data[i] < '0' || text.data[i] > '9')
            return false;
    }
    return true;
}

void duty_look_initialize(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *result = reply->result, *version = json_get(result, "protocolVersion");
    const struct json *capabilities = json_get(result, "capabilities"),
                      *info = json_get(result, "serverInfo");
    (void)r;
    if (!result || w->version)
        return; /* refused; or a second one, which changes nothing */
    w->version = json_is(version, JSON_STRING) && is_date(version->text)
                     ? arena_string(&w->arena, version->text)
                     : NULL;
    w->capabilities = json_is(capabilities, JSON_OBJECT) ? json_copy(&w->arena, capabilities) : NULL;
    if (!json_is(version, JSON_STRING))
        duty_say(w, 16, "no protocolVersion", reply->line);
    else if (!is_date(version->text))
        duty_say(w, 16, "a protocolVersion that is none", reply->line);
    if (!w->capabilities)
        duty_say(w, 16, "no capabilities", reply->line);
    if (!json_is(json_get(info, "name"), JSON_STRING) || !json_is(json_get(info, "version"), JSON_STRING))
        duty_say(w, 16, "no serverInfo with name and version", reply->line);
}

void duty_look_ping(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    (void)r;
    if (reply->error)
        duty_say(w, 61, "ping is refused", reply->line);
    else if (!json_is(reply->result, JSON_OBJECT))
        duty_say(w, 61, "ping is answered by no object", reply->line);
    for (const struct json *one = json_is(reply->result, JSON_OBJECT) ? reply->result->first : NULL; one;
         one = one->next)
        if (!bytes_equal_string(one->key, "_meta")) {
            duty_say(w, 61, "ping is answered by more than an empty result", reply->line);
            return;
        }
}

bool duty_log_level_known(const struct json *level)
{
    static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (json_is(level, JSON_STRING) && bytes_equal_string(level->text, levels[i]))
            return true;
    return false;
}

void duty_look_level(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *params = duty_params(w, r);
    if (reply->result && w->capabilities && !duty_declared(w, "/logging"))
        duty_say(w, 65, "takes a log level without having declared logging", reply->line);
    if (!params || duty_log_level_known(json_get(params, "level")) || !duty_declared(w, "/logging"))
        return;
    if (reply->result)
        duty_say_should(w, 65, "an unknown log level is accepted", reply->line);
    else if (reply->code != -32602)
        duty_say_should(w, 65, "an unknown log level is refused with another code than -32602", reply->line);
}

void duty_look_completion(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const struct json *values = json_pointer(reply->result, BYTES_LITERAL("/completion/values"));
    (void)r;
    if (!reply->result)
        return;
    if (w->capabilities && duty_since(w, "2025-03-26") && !duty_declared(w, "/completions"))
        duty_say(w, 66, "completes without having declared it", reply->line);
    bool texts = json_is(values, JSON_ARRAY);
    for (const struct json *one = texts ? values->first : NULL; one; one = one->next)
        texts = texts && json_is(one, JSON_STRING);
    if (!texts)
        duty_say(w, 66, "a completion without a list of texts", reply->line);
    else if (values->count > COMPLETIONS_MAX)
        duty_say(w, 66, "more than 100 completions at once", reply->line);
}
