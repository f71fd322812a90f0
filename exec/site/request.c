/* What pages ask of their request. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/site/page.h"
#include "exec/site/query.h"

static const struct web_parameter *find(const struct web_request *r, const char *name)
{
    for (size_t i = 0; i < r->parameter_count; i++)
        if (bytes_equal_string(r->parameters[i].name, name))
            return &r->parameters[i];
    return NULL;
}

bool web_has(const struct web_request *r, const char *name)
{
    return find(r, name) != NULL;
}

struct bytes web_bytes(const struct web_request *r, const char *name, const char *fallback)
{
    const struct web_parameter *p = find(r, name);
    return p ? p->value : bytes_of_string(fallback);
}

const char *web_text(const struct web_request *r, const char *name, const char *fallback)
{
    const struct web_parameter *p = find(r, name);
    return p ? arena_string(r->arena, p->value) : fallback;
}

int64_t web_number(const struct web_request *r, const char *name, int64_t fallback, int64_t low, int64_t high)
{
    const char *text = web_text(r, name, NULL);
    char *end;
    if (!text || !*text)
        return fallback;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (*end)
        return fallback;
    return value < low ? low : value > high ? high : value;
}

struct bytes web_form(const struct web_request *r, const char *name)
{
    size_t from = 0;
    const struct web_field *f = r->visit ? web_visit_field(r->visit, bytes_of_string(name), &from) : NULL;
    return f ? f->text.len ? f->text : f->value : BYTES_NONE;
}

struct bytes web_cookie(const struct web_request *r, const char *name)
{
    struct bytes value = BYTES_NONE;
    web_cookie_read(r->cookies, name, &value);
    return value;
}

const char *web_link(const struct web_request *r, const char *format, ...)
{
    char text[WEB_TARGET_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return arena_printf(r->arena, "%s%s%s", *r->room ? "/~" : "", r->room, text);
}
