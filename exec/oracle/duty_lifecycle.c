/* Duties of the first exchange. */
#include "exec/oracle/duty_internal.h"

void duty_lifecycle_result(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line)
{
    (void)r;
    const struct json *version = json_get(result, "protocolVersion"), *capabilities = json_get(result, "capabilities");
    if (!json_is(version, JSON_STRING))
        duty_say(w, 16, "no protocolVersion", line);
    if (!json_is(capabilities, JSON_OBJECT))
        duty_say(w, 16, "no capabilities", line);
    w->version = json_is(version, JSON_STRING) ? arena_string(&w->arena, version->text) : NULL;
    w->capabilities = json_is(capabilities, JSON_OBJECT) ? json_copy(&w->arena, capabilities) : NULL;
}
