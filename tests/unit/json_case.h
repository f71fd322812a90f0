/* For the tests of JSON: reading and writing in one line, with what must be released kept here. */
#ifndef TESTS_UNIT_JSON_CASE_H
#define TESTS_UNIT_JSON_CASE_H

#include "base/json.h"
#include "unit.h"

static struct arena arena;
static struct buf written;

static inline void json_set_up(void)
{
    arena_init(&arena);
    buf_init(&written, SIZE_MAX / 4);
}

static inline void json_tear_down(void)
{
    arena_release(&arena);
    buf_release(&written);
}

/* Must succeed. */
static inline struct json *parse_bytes(struct bytes text)
{
    struct json *value = NULL;
    struct error *err = NULL;
    int status = json_read(&arena, text, NULL, "test", &value, NULL, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "no message");
    return value;
}

static inline struct json *parse(const char *text)
{
    return parse_bytes(bytes_of_string(text));
}

/* Valid until the next call. */
static inline const char *style_text(const struct json *value, enum json_style style)
{
    buf_clear(&written);
    json_write(&written, value, style);
    return buf_string(&written);
}

static inline const char *text_of(const struct json *value)
{
    return style_text(value, JSON_COMPACT);
}

static inline const char *canonical(const char *text)
{
    return style_text(parse(text), JSON_SORTED);
}

#endif
