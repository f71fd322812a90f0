/* number-edge: numbers where integers, doubles and parsers end, in contents, in a tool's arguments, and as the part of a file
 * that is read. The digits that were sent are the ones that must come back. */
#include <string.h>

#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

enum { SHOWN = 40 };

static const struct number {
    const char *kind, *text;
} numbers[] = {
    {"int32", "2147483646"},           {"int32", "2147483647"},           {"int32", "2147483648"},
    {"int32", "2147483649"},           {"int32", "-2147483648"},          {"int32", "-2147483649"},
    {"int32", "4294967295"},           {"int32", "4294967296"},           {"int32", "4294967297"},
    {"double", "9007199254740991"},    {"double", "9007199254740992"},    {"double", "9007199254740993"},
    {"double", "-9007199254740993"},   {"int64", "9223372036854775806"},  {"int64", "9223372036854775807"},
    {"int64", "9223372036854775808"},  {"int64", "9223372036854775809"},  {"int64", "-9223372036854775808"},
    {"int64", "-9223372036854775809"}, {"uint64", "18446744073709551614"}, {"uint64", "18446744073709551615"},
    {"uint64", "18446744073709551616"}, {"uint64", "18446744073709551617"}, {"zero", "-0"},
    {"zero", "0.0"},                   {"zero", "-0.0"},                  {"huge", "1e400"},
    {"huge", "-1e400"},                {"huge", "1e-400"},                {"huge", "123456789012345678901234567890"},
    {"fraction", "0.30000000000000004"}, {"fraction", "1.0"},             {"fraction", "1.10"},
    {"fraction", "1E2"},               {"leading", "007"},                {"leading", "0000000000000001"},
    {"leading", "-01"},
};

static const char *const kinds[] = {"int32", "double", "int64", "uint64", "zero", "huge", "fraction", "leading", NULL};

static const struct number *some_number(struct mutation *m)
{
    const char *kind = mutation_kind(m, kinds);
    const struct number *chosen = NULL;
    size_t fitting = 0;
    for (size_t i = 0; kind && i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].kind, kind) == 0 && rng_below(m->rng, ++fitting) == 0)
            chosen = &numbers[i];
    return chosen;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* A random run of digits of a text; false when it has none. */
static bool find_digits(struct mutation *m, struct bytes text, size_t *at, size_t *length)
{
    uint64_t runs = 0;
    for (size_t i = 0; i < text.len;) {
        size_t end = i;
        while (end < text.len && is_digit(text.data[end]))
            end++;
        if (end > i && rng_below(m->rng, ++runs) == 0) {
            *at = i;
            *length = end - i;
        }
        i = end + 1;
    }
    return runs > 0;
}

static bool strike_body(struct mutation *m, const struct mutation_site *site, const struct number *number)
{
    struct arena *a = &m->task->arena;
    const struct json *content = body_content(m->task, site->value);
    struct buf text;
    size_t at = 0, length = 0;
    bool found = body_text(content, &text) && find_digits(m, buf_bytes(&text), &at, &length);
    const char *was = found ? task_show(a, bytes_slice(buf_bytes(&text), at, at + length), SHOWN) : NULL;
    buf_release(&text);
    if (!found)
        return false;
    struct json *made = body_splice(m->task, content, at, length, json_text(a, number->text));
    return payload_body(m, site, "number-edge", made,
                        arena_printf(a, "%s: %s in the place of %s at byte %zu", number->kind, number->text, was, at));
}

/* A JSON number keeps its digits in a task only as an integer; what else there is must be left alone by every parser. */
static struct json *number_value(struct mutation *m, const struct number *number)
{
    bool integer = number->text[strspn(number->text, "-0123456789")] == 0 && strcmp(number->text, "-0") != 0;
    struct json *value = NULL;
    if (integer && json_read(&m->task->arena, bytes_of_string(number->text), NULL, "number", &value, NULL, NULL) < 0)
        BUG("a number of the table is none");
    return integer ? value : json_raw(&m->task->arena, bytes_of_string(number->text));
}

static bool all_digits(struct bytes text)
{
    size_t i = 0;
    while (i < text.len && is_digit(text.data[i]))
        i++;
    return text.len > 0 && i == text.len;
}

/* Zeros in front are no JSON: they are for texts. */
static bool strike_argument(struct mutation *m, const struct mutation_site *site, const struct number *number)
{
    struct arena *a = &m->task->arena;
    bool text = json_is(site->value, JSON_STRING), part = strncmp(site->at, "/args/arguments/", 16) != 0;
    int64_t count;
    if (text ? !all_digits(site->value->text) : strcmp(number->kind, "leading") == 0)
        return false;
    struct json *value = text ? json_text(a, number->text) : number_value(m, number);
    if (part && !(json_as_integer(value, &count) && count >= 0))
        return false;
    payload_value(m, site, "number-edge", value,
                  arena_printf(a, "%s: %s%s in the place of %s", number->kind, text ? "the text " : "", number->text,
                               task_show(a, site->value->text, SHOWN)));
    return true;
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    const struct number *number = some_number(m);
    if (!number)
        return false;
    return site->place == PLACE_BODY ? strike_body(m, site, number) : strike_argument(m, site, number);
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_BODY | PLACE_ARGUMENT, strike);
}

const struct mutator mutator_number_edge = {
    .name = "number-edge",
    .group = "payload",
    .summary = "numbers where integers and doubles end",
    .details = "int32 (2^31, 2^32), double (2^53), int64 (2^63), uint64 (2^64) and their neighbours; zero (-0, 0.0), huge (1e400, "
               "1e-400, thirty digits), fraction (0.1+0.2, 1.0, 1E2), leading (zeros in front; only as text). In the place of a "
               "run of digits in a body, of a number or a text of digits among a called tool's arguments, or of the offset, "
               "length, head or tail of a read (there only what 63 bits hold). Places: body, argument.",
    .places = "body argument",
    .kinds = "int32 double int64 uint64 zero huge fraction leading",
    .apply = apply,
};
