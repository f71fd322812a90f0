/* Filling in outcomes, and reading arguments, of one call. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "exec/target/session_internal.h"

enum { NS_PER_MS = 1000000, MAX_MESSAGE = 65536 };

void call_begin(struct call *call)
{
    call->outcome = (struct outcome){.class = OUTCOME_SKIPPED, .start_ns = clock_monotonic_ns()};
}

void call_end(struct call *call)
{
    if (!call->outcome.ns && call->outcome.class != OUTCOME_SKIPPED)
        call->outcome.ns = clock_monotonic_ns() - call->outcome.start_ns;
}

void call_skip(struct call *call, const char *reason)
{
    call->outcome.class = OUTCOME_SKIPPED;
    call->outcome.skip_reason = reason;
}

void call_fail(struct call *call, enum outcome_class class, int64_t code, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        BUG("out of memory");
    va_end(args);
    struct bytes message = bytes_slice(bytes_of_string(text), 0, MAX_MESSAGE);
    call->outcome.class = class;
    call->outcome.code = code;
    call->outcome.message = arena_copy(call->arena, message);
    free(text);
}

struct json *call_result(struct call *call)
{
    if (!call->outcome.result)
        call->outcome.result = json_new(call->arena, JSON_OBJECT);
    return call->outcome.result;
}

void call_put_bytes(struct call *call, const char *name, struct bytes value)
{
    json_set(call->arena, call_result(call), name, json_string(call->arena, value));
}

void call_put_integer(struct call *call, const char *name, int64_t value)
{
    json_set(call->arena, call_result(call), name, json_integer(call->arena, value));
}

int64_t call_time_left(const struct call *call)
{
    int64_t left = call->timeout_ms - (clock_monotonic_ns() - call->outcome.start_ns) / NS_PER_MS;
    return left > 0 ? left : 0;
}

bool call_bytes(const struct call *call, const char *name, struct bytes *value)
{
    const struct json *v = json_get(call->args, name);
    if (!json_is(v, JSON_STRING))
        return false;
    *value = v->text;
    return true;
}

bool call_integer(const struct call *call, const char *name, int64_t *value, bool *present)
{
    const struct json *v = json_get(call->args, name);
    bool there = v && v->kind != JSON_NULL;
    if (present)
        *present = there;
    return there && json_as_integer(v, value);
}
