/* Errors as values, aborts for faults of our own, and memory that is always there.
 *
 * Invariant: an error's text is set once and only grows at its front. Running out of memory is not an error
 * value: no caller could do anything about it, so it ends the process with a line that says where. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bug_abort(const char *file, int line, const char *text)
{
    fprintf(stderr, "taskgen: bug at %s:%d: %s\n", file, line, text);
    abort();
}

static char *format_text(const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        BUG("out of memory, or a bad format");
    return text;
}

int error_set(struct error **err, int code, const char *format, ...)
{
    if (!err)
        return code;
    if (*err)
        BUG("a second error would hide the first");
    va_list args;
    va_start(args, format);
    *err = xmalloc(sizeof **err);
    **err = (struct error){.code = code, .text = format_text(format, args)};
    va_end(args);
    return code;
}

int error_wrap(struct error **err, const char *format, ...)
{
    if (!err || !*err)
        return ERR_INPUT; /* the caller passed NULL and so asked for no text; any negative code will do */
    va_list args;
    va_start(args, format);
    char *context = format_text(format, args);
    va_end(args);

    char *whole = NULL;
    if (asprintf(&whole, "%s: %s", context, (*err)->text) < 0)
        BUG("out of memory");
    free(context);
    free((*err)->text);
    (*err)->text = whole;
    return (*err)->code;
}

void error_free(struct error *err)
{
    if (!err)
        return;
    free(err->text);
    free(err);
}

void *xmalloc(unsigned long size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory)
        BUG("out of memory");
    return memory;
}

void *xcalloc(unsigned long count, unsigned long size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        BUG("out of memory");
    return memory;
}

void *xrealloc(void *old, unsigned long size)
{
    void *memory = realloc(old, size ? size : 1);
    if (!memory)
        BUG("out of memory");
    return memory;
}

char *xstrdup(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        BUG("out of memory");
    return copy;
}
