/* Suppressions: a small file of sections, read by hand so that each fault has its line. */
#include "corpus/suppress.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { RULES_MAX = 10000, PREFIX_MIN = 8, SIGNATURE = 16, DAY_MS = 24 * 60 * 60 * 1000 };

struct suppressions {
    struct arena arena;
    struct suppression *rules;
    size_t count, capacity;
};

struct reading {
    struct suppressions *s;
    const char *where;
    unsigned line;
    struct error **err;
};

static struct bytes trimmed(struct bytes b)
{
    while (b.len && (b.data[0] == ' ' || b.data[0] == '\t'))
        b = bytes_slice(b, 1, b.len);
    while (b.len && (b.data[b.len - 1] == ' ' || b.data[b.len - 1] == '\t' || b.data[b.len - 1] == '\r'))
        b.len--;
    return b;
}

static int fault(const struct reading *r, unsigned line, struct bytes found, const char *expected)
{
    return error_set(r->err, ERR_INPUT, "%s:%u: found '%.*s', expected %s", r->where, line, (int)(found.len < 60 ? found.len : 60),
                     (const char *)found.data, expected);
}

/* Days since 1970-01-01 of a day of the Gregorian calendar. */
static int64_t days_of(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year, era = y / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int digits(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + text[i] - '0';
    }
    return value;
}

static bool read_day(const char *text, int64_t *until_ms)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (strlen(text) != 10 || text[4] != '-' || text[7] != '-')
        return false;
    int year = digits(text, 4), month = digits(text + 5, 2), day = digits(text + 8, 2);
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > lengths[month - 1] + (month == 2 && leap))
        return false;
    *until_ms = (days_of(year, month, day) + 1) * DAY_MS;
    return true;
}

static bool is_hex(const char *text)
{
    return text[strspn(text, "0123456789abcdef")] == 0;
}

/* A pattern without a slash would be a signature that somebody mistyped. */
static int open_section(struct reading *r, struct bytes name)
{
    struct suppressions *s = r->s;
    const char *pattern = arena_string(&s->arena, name);
    size_t length = strlen(pattern);
    bool signature = is_hex(pattern) && length >= PREFIX_MIN && length <= SIGNATURE;
    if (length != name.len || (!signature && !strchr(pattern, '/')))
        return fault(r, r->line, name, "8 to 16 hex digits of a signature, or a pattern such as interface/encoding/*");
    if (s->count == RULES_MAX)
        return error_set(r->err, ERR_LIMIT, "%s:%u: more than %d suppressions", r->where, r->line, RULES_MAX);
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 16;
        s->rules = xrealloc(s->rules, s->capacity * sizeof *s->rules);
    }
    s->rules[s->count++] = (struct suppression){.pattern = pattern, .line = r->line};
    return 0;
}

static int close_section(const struct reading *r)
{
    const struct suppression *last = r->s->count ? &r->s->rules[r->s->count - 1] : NULL;
    if (!last || (last->reason && last->expires))
        return 0;
    return error_set(r->err, ERR_INPUT, "%s:%u: found no '%s' for [%s], expected 'reason = WORDS' and 'expires = YYYY-MM-DD'",
                     r->where, last->line, last->reason ? "expires" : "reason", last->pattern);
}

static int read_member(struct reading *r, struct bytes line, size_t equals)
{
    struct suppressions *s = r->s;
    struct suppression *rule = s->count ? &s->rules[s->count - 1] : NULL;
    struct bytes name = trimmed(bytes_slice(line, 0, equals)), value = trimmed(bytes_slice(line, equals + 1, line.len));
    bool reason = bytes_equal_string(name, "reason"), expires = bytes_equal_string(name, "expires");
    if (!rule)
        return fault(r, r->line, line, "[SIGNATURE] or [PATTERN] in front of it");
    if (!reason && !expires)
        return fault(r, r->line, name, "reason or expires");
    if (reason ? rule->reason != NULL : rule->expires != NULL)
        return fault(r, r->line, name, "it once for each section");
    if (!value.len)
        return fault(r, r->line, line, reason ? "words behind it" : "a day as YYYY-MM-DD behind it");
    const char *text = arena_string(&s->arena, value);
    if (expires && !read_day(text, &rule->until_ms))
        return fault(r, r->line, value, "a day as YYYY-MM-DD");
    *(reason ? &rule->reason : &rule->expires) = text;
    return 0;
}

static int read_line(struct reading *r, struct bytes line)
{
    if (!line.len || line.data[0] == '#' || line.data[0] == ';')
        return 0;
    if (line.data[0] == '[') {
        TRY(close_section(r));
        if (line.data[line.len - 1] != ']')
            return fault(r, r->line, line, "']' at its end");
        return open_section(r, trimmed(bytes_slice(line, 1, line.len - 1)));
    }
    ptrdiff_t equals = bytes_find(line, BYTES_LITERAL("="), 0);
    return equals < 0 ? fault(r, r->line, line, "[SIGNATURE], [PATTERN], 'reason = …' or 'expires = …'")
                      : read_member(r, line, (size_t)equals);
}

static int read_all(struct reading *r, struct bytes text)
{
    for (size_t at = 0; at < text.len;) {
        ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), at);
        size_t end = newline < 0 ? text.len : (size_t)newline;
        r->line++;
        TRY(read_line(r, trimmed(bytes_slice(text, at, end))));
        at = end + 1;
    }
    return close_section(r);
}

int suppressions_read(struct bytes text, const char *where, struct suppressions **s, struct error **err)
{
    struct suppressions *made = xcalloc(1, sizeof *made);
    arena_init(&made->arena);
    struct reading r = {.s = made, .where = where, .err = err};
    int status = read_all(&r, text);
    if (status < 0)
        suppressions_free(made);
    else
        *s = made;
    return status;
}

void suppressions_free(struct suppressions *s)
{
    if (!s)
        return;
    free(s->rules);
    arena_release(&s->arena);
    free(s);
}

const struct suppression *suppression_at(const struct suppressions *s, size_t index)
{
    return s && index < s->count ? &s->rules[index] : NULL;
}

static bool is_about(const struct suppression *rule, const struct finding *f)
{
    if (is_hex(rule->pattern))
        return strncmp(rule->pattern, f->signature, strlen(rule->pattern)) == 0;
    return fnmatch(rule->pattern, f->text, 0) == 0;
}

const struct suppression *suppression_of(const struct suppressions *s, const struct finding *f, int64_t now_ms)
{
    for (size_t i = 0; s && i < s->count; i++)
        if (now_ms < s->rules[i].until_ms && is_about(&s->rules[i], f))
            return &s->rules[i];
    return NULL;
}

void suppressions_mark(const struct suppressions *s, struct finding *findings, size_t count, int64_t now_ms)
{
    for (size_t i = 0; i < count; i++)
        findings[i].suppressed = findings[i].suppressed || suppression_of(s, &findings[i], now_ms);
}
