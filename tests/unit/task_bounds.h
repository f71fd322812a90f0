/* Whether what a task starts ends by itself: a loop that only its killer ends goes on when the session is lost. Looks at every text of a
 * task, also of files, since those may be run. A form of a program that goes on for ever wants one of the words that bound it in the
 * same text; a sleep, and a loop that sleeps, has to be over in time. Words are looked for, nothing is parsed. */
#ifndef TESTS_UNIT_TASK_BOUNDS_H
#define TESTS_UNIT_TASK_BOUNDS_H

#include <stdio.h>

#include "base/bytes.h"
#include "gen/task.h"

enum { BOUNDS_LONGEST_S = 120, BOUNDS_NEAR = 160 };

static const struct {
    const char *form, *bounds[4];
} bounds_forms[] = {
    {"while :", {"ulimit -t "}},
    {"while true", {"ulimit -t "}},
    {"until false", {"ulimit -t "}},
    {"while True", {"signal.alarm("}},
    {"while 1", {"signal.alarm("}},
    {"while(1)", {"alarm("}},
    {"while (1)", {"alarm("}},
    {"while(true)", {NULL}},
    {"while (true)", {NULL}},
    {"for(;;)", {"alarm("}},
    {"for (;;)", {"alarm("}},
    {"loop {", {NULL}},
    {"itertools.count(", {"signal.alarm("}},
    {"setInterval(", {"clearInterval("}},
    {"yes | ", {"ulimit -t ", "yes | head "}},
    {"tail -f", {NULL}},
    {"sleep infinity", {NULL}},
    {"signal.pause()", {"signal.alarm("}},
    {"-m http.server", {NULL}},
    {"serve_forever", {"signal.alarm(", "daemon=True"}},
    {".accept()", {"settimeout(", "setdefaulttimeout(", "signal.alarm(", "daemon=True"}},
    {"kill -STOP $!", {"kill -KILL $!"}},
    {"nc -l", {NULL}},
};

static inline bool bounds_has(struct bytes text, const char *word)
{
    return bytes_find(text, bytes_of_string(word), 0) >= 0;
}

/* The number behind the word, and where the word stands, from `from` on; -1: none, or no number. */
static inline double bounds_number(struct bytes text, const char *word, size_t from, ptrdiff_t *at)
{
    char digits[24] = "", *end;
    *at = bytes_find(text, bytes_of_string(word), from);
    size_t behind = (size_t)*at + strlen(word);
    struct bytes number = *at < 0 ? BYTES_NONE : bytes_slice(text, behind, behind + sizeof digits - 1);
    if (number.len)
        memcpy(digits, number.data, number.len);
    double n = strtod(digits, &end);
    return end == digits ? -1 : n;
}

/* The longest sleep of the text in seconds. */
static inline double bounds_sleep(struct bytes text)
{
    static const char *const words[] = {"sleep ", "time.sleep("};
    double longest = 0;
    ptrdiff_t at = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t from = 0; from < text.len; from = (size_t)at + 1) {
            double n = bounds_number(text, words[i], from, &at);
            if (at < 0)
                break;
            longest = n > longest ? n : longest;
        }
    return longest;
}

/* How long the loop over a count goes on that sleeps longest. */
static inline double bounds_loop(struct bytes text)
{
    static const char *const words[] = {"in $(seq ", "in range("};
    double longest = 0;
    ptrdiff_t at = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t from = 0; from < text.len; from = (size_t)at + 1) {
            double rounds = bounds_number(text, words[i], from, &at);
            if (at < 0)
                break;
            double each = bounds_sleep(bytes_slice(text, (size_t)at, (size_t)at + BOUNDS_NEAR));
            longest = rounds * each > longest ? rounds * each : longest;
        }
    return longest;
}

/* What goes on for ever, or too long, in a text; NULL: nothing. */
static inline const char *bounds_of_text(struct bytes text)
{
    for (size_t i = 0; i < sizeof bounds_forms / sizeof *bounds_forms; i++) {
        bool bound = false;
        for (size_t k = 0; k < 4 && bounds_forms[i].bounds[k]; k++)
            bound = bound || bounds_has(text, bounds_forms[i].bounds[k]);
        if (!bound && bounds_has(text, bounds_forms[i].form))
            return bounds_forms[i].form;
    }
    if (bounds_sleep(text) > BOUNDS_LONGEST_S)
        return "sleep";
    return bounds_loop(text) > BOUNDS_LONGEST_S ? "a loop that sleeps" : NULL;
}

static inline const char *bounds_of_value(const struct json *value, struct bytes *text)
{
    if (json_is(value, JSON_STRING)) {
        *text = value->text;
        return bounds_of_text(value->text);
    }
    if (!json_is(value, JSON_OBJECT) && !json_is(value, JSON_ARRAY))
        return NULL;
    for (const struct json *m = value->first; m; m = m->next) {
        const char *form = bounds_of_value(m, text);
        if (form)
            return form;
    }
    return NULL;
}

/* A message to be freed; NULL: all that the task starts ends by itself. */
static inline char *bounds_check(const struct task *t)
{
    struct bytes text = BYTES_NONE;
    const char *form = bounds_of_value(t->contents, &text);
    for (size_t i = 0; i < t->step_count && !form; i++)
        form = bounds_of_value(t->steps[i].args, &text);
    if (!form)
        return NULL;
    int length = (int)(text.len < 400 ? text.len : 400);
    size_t size = 600;
    char *message = malloc(size);
    snprintf(message, size, "%s: '%s' has no bound: %.*s", t->workflow, form, length, (const char *)text.data);
    return message;
}

#endif
