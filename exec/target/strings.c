/* Growing lists of strings. Invariant: when items is not NULL, items[count] is NULL. */
#include "exec/target/strings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { FIRST_CAPACITY = 16 };

static void take_string(struct strings *s, char *text)
{
    if (s->count + 1 >= s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY;
        s->items = xrealloc(s->items, s->capacity * sizeof *s->items);
    }
    s->items[s->count++] = text;
    s->items[s->count] = NULL;
}

void strings_add(struct strings *s, const char *text)
{
    take_string(s, xstrdup(text));
}

void strings_add_all(struct strings *s, const char *const *texts)
{
    for (; texts && *texts; texts++)
        strings_add(s, *texts);
}

void strings_addf(struct strings *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        BUG("out of memory");
    va_end(args);
    take_string(s, text);
}

void strings_set(struct strings *s, const char *variable)
{
    size_t length = strcspn(variable, "=") + 1;
    for (size_t i = 0; i < s->count; i++) {
        if (strncmp(s->items[i], variable, length) == 0) {
            free(s->items[i]);
            s->items[i] = xstrdup(variable);
            return;
        }
    }
    strings_add(s, variable);
}

char **strings_take(struct strings *s)
{
    char **list = s->items ? s->items : xcalloc(1, sizeof *list);
    *s = (struct strings){0};
    return list;
}

void strings_release(struct strings *s)
{
    strings_free(s->items);
    *s = (struct strings){0};
}

void strings_free(char **list)
{
    for (char **at = list; at && *at; at++)
        free(*at);
    free(list);
}

bool strings_have(char *const *list, const char *text)
{
    for (; list && *list; list++)
        if (strcmp(*list, text) == 0)
            return true;
    return false;
}

char *strings_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        BUG("out of memory");
    va_end(args);
    return text;
}
