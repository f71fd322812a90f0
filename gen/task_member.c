/* Readers of single members of a record, and the table-driven reader of an object's members. */
#include <string.h>

#include "gen/task_internal.h"

int task_read_name(struct task_reader *r, struct json *value, const char *member, const char **out)
{
    if (!json_is(value, JSON_STRING) || !task_name_ok(value->text))
        return task_fault(r, member, value,
                          "a name: 1 to 64 letters, digits, '-', '_' or '.', not starting with '-'");
    *out = arena_string(&r->task->arena, value->text);
    return 0;
}

int task_read_text(struct task_reader *r, struct json *value, const char *member, const char **out)
{
    if (!json_is(value, JSON_STRING) ||
        memchr(value->text.data ? value->text.data : (const uint8_t *)"", 0, value->text.len))
        return task_fault(r, member, value, "a text without NUL");
    *out = arena_string(&r->task->arena, value->text);
    return 0;
}

int task_read_unsigned(struct task_reader *r, struct json *value, const char *member, uint64_t *out)
{
    uint64_t n = 0;
    bool ok = json_is(value, JSON_NUMBER);
    for (size_t i = 0; ok && i < value->text.len; i++) {
        uint64_t digit = (uint64_t)value->text.data[i] - '0';
        ok = digit <= 9 && n <= (UINT64_MAX - digit) / 10;
        n = n * 10 + digit;
    }
    if (!ok)
        return task_fault(r, member, value, "a whole number from 0 to 18446744073709551615");
    *out = n;
    return 0;
}

int task_read_count(struct task_reader *r, struct json *value, const char *member, int64_t low, int64_t high,
                    int64_t *out)
{
    if (!json_as_integer(value, out) || *out < low || *out > high)
        return task_fault(r, member, value,
                          arena_printf(&r->task->arena, "a whole number from %lld to %lld", (long long)low,
                                       (long long)high));
    return 0;
}

int task_expect_kind(struct task_reader *r, struct json *value, const char *member, enum json_kind kind,
                     const char *expected)
{
    return json_is(value, kind) ? 0 : task_fault(r, member, value, expected);
}

static char *member_path(struct task_reader *r, const char *prefix, const char *name)
{
    return *prefix ? arena_printf(&r->task->arena, "%s.%s", prefix, name)
                   : arena_printf(&r->task->arena, "%s", name);
}

static char *member_list(struct arena *a, const struct task_member *rows, size_t count)
{
    char *list = arena_printf(a, "one of");
    for (size_t i = 0; i < count; i++)
        list = arena_printf(a, "%s%s %s", list, i ? "," : "", rows[i].name);
    return list;
}

int task_read_members(struct task_reader *r, struct json *object, const char *prefix,
                      const struct task_member *rows, size_t count)
{
    for (struct json *member = object->first; member; member = member->next) {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++)
            known = bytes_equal_string(member->key, rows[i].name);
        if (!known) {
            struct json name = {.kind = JSON_STRING, .text = member->key};
            return error_set(r->err, ERR_INPUT, "%s: %s%sfound the member %s, expected %s", r->where, prefix,
                             *prefix ? ": " : "", task_describe(&r->task->arena, &name),
                             member_list(&r->task->arena, rows, count));
        }
    }
    for (size_t i = 0; i < count; i++) {
        struct json *value = json_get(object, rows[i].name);
        char *path = member_path(r, prefix, rows[i].name);
        if (value)
            TRY(rows[i].read(r, value, path));
        else if (rows[i].required)
            return task_fault(r, path, NULL, "this member");
    }
    return 0;
}
