/* Policies; see policy.h. One table of keys, from which files are read, JSON is written and complaints are made.
 *
 * Invariant: the rows are sorted by section and key, so the JSON comes out sorted. */
#include "exec/oracle/policy.h"

#include <string.h>

#include "base/settings.h"

enum kind { FACT, LIMIT, ROOTS };

static const struct row {
    const char *section, *key;
    enum kind kind;
    int index;
    const char *unit; /* of a limit, as in settings */
} rows[] = {
    {"environment", "secrets", FACT, POLICY_SECRETS_VISIBLE, NULL},
    {"limits", "call-timeout", LIMIT, POLICY_CALL_TIMEOUT, "ms"},
    {"limits", "cpus", LIMIT, POLICY_CPUS, "count"},
    {"limits", "disk", LIMIT, POLICY_DISK, "bytes"},
    {"limits", "file-size", LIMIT, POLICY_FILE_SIZE, "bytes"},
    {"limits", "memory", LIMIT, POLICY_MEMORY, "bytes"},
    {"limits", "output", LIMIT, POLICY_OUTPUT, "bytes"},
    {"limits", "processes", LIMIT, POLICY_PROCESSES, "count"},
    {"limits", "session-timeout", LIMIT, POLICY_SESSION_TIMEOUT, "ms"},
    {"network", "egress", FACT, POLICY_EGRESS, NULL},
    {"roots", "readable", ROOTS, POLICY_READABLE, NULL},
    {"roots", "writable", ROOTS, POLICY_WRITABLE, NULL},
    {"state", "background", FACT, POLICY_BACKGROUND_LIVES, NULL},
    {"state", "calls", FACT, POLICY_CALLS_KEEP, NULL},
    {"state", "sessions", FACT, POLICY_SESSIONS_KEEP, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

#define LIMIT_MOST 1e15 /* an exact whole number, in a double as in JSON */

enum policy_answer policy_says(const struct policy *p, enum policy_fact fact)
{
    return p ? p->fact[fact] : POLICY_UNSTATED;
}

bool policy_limits(const struct policy *p, enum policy_limit limit, int64_t *most)
{
    if (!p || !p->limit[limit])
        return false;
    *most = p->limit[limit];
    return true;
}

/* --- roots --- */

static bool is_below(struct bytes path, struct bytes root)
{
    while (root.len && root.data[root.len - 1] == '/')
        root.len--;
    return bytes_starts(path, root) && (path.len == root.len || path.data[root.len] == '/');
}

static bool is_in(const struct policy *p, enum policy_roots kind, struct bytes path)
{
    for (size_t i = 0; i < POLICY_ROOTS_MAX && p->roots[kind][i][0]; i++)
        if (is_below(path, bytes_of_string(p->roots[kind][i])))
            return true;
    return false;
}

enum policy_answer policy_reaches(const struct policy *p, enum policy_roots kind, struct bytes path)
{
    if (!p || !p->roots[kind][0][0])
        return POLICY_UNSTATED;
    bool reaches = is_in(p, kind, path) || (kind == POLICY_READABLE && is_in(p, POLICY_WRITABLE, path));
    return reaches ? POLICY_YES : POLICY_NO;
}

static bool is_root(struct bytes word)
{
    static const char *const names[] = {"{root}", "{home}"};
    if (bytes_starts(word, BYTES_LITERAL("/")))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bytes_starts(word, bytes_of_string(names[i])) &&
            (word.len == strlen(names[i]) || word.data[strlen(names[i])] == '/'))
            return true;
    return false;
}

static int add_root(struct policy *p, const struct row *row, struct bytes word, struct error **err)
{
    size_t used = 0;
    while (used < POLICY_ROOTS_MAX && p->roots[row->index][used][0])
        used++;
    if (!is_root(word))
        return error_set(err, ERR_INPUT, "'%s.%s' names '%.*s', expected an absolute path, {root}/… or {home}/…",
                         row->section, row->key, BYTES_ARG(word));
    if (used == POLICY_ROOTS_MAX || word.len >= POLICY_ROOT_LENGTH)
        return error_set(err, ERR_INPUT, "'%s.%s' has more than %d paths or one of more than %d bytes", row->section,
                         row->key, POLICY_ROOTS_MAX, POLICY_ROOT_LENGTH - 1);
    memcpy(p->roots[row->index][used], word.data, word.len);
    return 0;
}

static int set_roots(struct policy *p, const struct row *row, const char *value, struct error **err)
{
    static const char space[] = " \t";
    const char *at = value + strspn(value, space);
    if (!*at)
        return error_set(err, ERR_INPUT, "'%s.%s' names no path, expected one or more", row->section, row->key);
    for (; *at; at += strspn(at, space)) {
        size_t length = strcspn(at, space);
        TRY(add_root(p, row, bytes_of(at, length), err));
        at += length;
    }
    return 0;
}

/* --- from files --- */

static const struct row *find(const char *section, const char *key)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].section, section) == 0 && strcmp(rows[i].key, key) == 0)
            return &rows[i];
    return NULL;
}

static int fail_key(const char *section, const char *key, struct error **err)
{
    struct buf known;
    buf_init(&known, 1024);
    for (size_t i = 0; i < ROWS; i++)
        buf_addf(&known, "%s%s.%s", i ? ", " : "", rows[i].section, rows[i].key);
    int code = error_set(err, ERR_INPUT, "found '%s%s%s', expected one of %s", section, *section ? "." : "", key,
                         buf_string(&known));
    buf_release(&known);
    return code;
}

static int set_fact(struct policy *p, const struct row *row, const char *value, struct error **err)
{
    static const char *const names[] = {[POLICY_NO] = "no", [POLICY_YES] = "yes"};
    for (int i = POLICY_NO; i <= POLICY_YES; i++)
        if (strcmp(value, names[i]) == 0) {
            p->fact[row->index] = (enum policy_answer)i;
            return 0;
        }
    return error_set(err, ERR_INPUT, "'%s.%s' is '%s', expected yes or no", row->section, row->key, value);
}

static int set_limit(struct policy *p, const struct row *row, const char *value, struct error **err)
{
    const char *expected = row->unit;
    double most;
    if (!settings_parse(row->unit, value, &most, &expected))
        return error_set(err, ERR_INPUT, "'%s.%s' is '%s', expected %s", row->section, row->key, value, expected);
    if (most < 1 || most > LIMIT_MOST)
        return error_set(err, ERR_INPUT, "'%s.%s' is '%s', expected at least 1", row->section, row->key, value);
    p->limit[row->index] = (int64_t)most;
    return 0;
}

int policy_set(struct policy *p, const char *section, const char *key, const char *value, struct error **err)
{
    static int (*const set[])(struct policy *, const struct row *, const char *, struct error **) = {
        [FACT] = set_fact, [LIMIT] = set_limit, [ROOTS] = set_roots};
    const struct row *row = find(section, key);
    return row ? set[row->kind](p, row, value, err) : fail_key(section, key, err);
}

/* --- as JSON --- */

static struct json *value_of(const struct policy *p, const struct row *row, struct arena *a)
{
    if (row->kind == FACT)
        return p->fact[row->index] ? json_text(a, p->fact[row->index] == POLICY_YES ? "yes" : "no") : NULL;
    if (row->kind == LIMIT)
        return p->limit[row->index] ? json_integer(a, p->limit[row->index]) : NULL;
    if (!p->roots[row->index][0][0])
        return NULL;
    struct json *list = json_new(a, JSON_ARRAY);
    for (size_t i = 0; i < POLICY_ROOTS_MAX && p->roots[row->index][i][0]; i++)
        json_add(list, json_text(a, p->roots[row->index][i]));
    return list;
}

struct json *policy_json(const struct policy *p, struct arena *a)
{
    struct json *object = json_new(a, JSON_OBJECT);
    for (size_t i = 0; p && i < ROWS; i++) {
        struct json *value = value_of(p, &rows[i], a);
        if (value)
            json_set(a, object, arena_printf(a, "%s.%s", rows[i].section, rows[i].key), value);
    }
    return object;
}

static void take_value(struct policy *p, const struct row *row, const struct json *value)
{
    int64_t most;
    if (row->kind == FACT && json_is(value, JSON_STRING))
        p->fact[row->index] = bytes_equal_string(value->text, "yes") ? POLICY_YES : POLICY_NO;
    if (row->kind == LIMIT && json_as_integer(value, &most) && most > 0)
        p->limit[row->index] = most;
    const struct json *word = row->kind == ROOTS && value ? value->first : NULL;
    for (; word; word = word->next)
        add_root(p, row, json_as_text(word), NULL); /* one that does not fit was not written by us */
}

void policy_of_json(struct policy *p, const struct json *object)
{
    *p = (struct policy){0};
    for (size_t i = 0; i < ROWS; i++) {
        struct buf name;
        buf_init(&name, 256);
        buf_addf(&name, "%s.%s", rows[i].section, rows[i].key);
        take_value(p, &rows[i], json_get(object, buf_string(&name)));
        buf_release(&name);
    }
}
