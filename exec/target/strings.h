/* NULL-terminated lists of strings under construction: argument vectors and environments. */
#ifndef EXEC_TARGET_STRINGS_H
#define EXEC_TARGET_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

struct strings {
    char **items; /* NULL-terminated once there is one; owned */
    size_t count, capacity;
};

void strings_add(struct strings *s, const char *text);             /* copies */
void strings_add_all(struct strings *s, const char *const *texts); /* NULL-terminated, or NULL */
void strings_addf(struct strings *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In a list of NAME=VALUE: takes the place of the one of that name. */
void strings_set(struct strings *s, const char *variable);
/* The list, never NULL, owned by the caller (strings_free); *s is empty then. */
char **strings_take(struct strings *s);
void strings_release(struct strings *s);

void strings_free(char **list);                                                      /* NULL is fine */
bool strings_have(char *const *list, const char *text);                              /* NULL list: false */
char *strings_printf(const char *format, ...) __attribute__((format(printf, 1, 2))); /* to be freed */

#endif
