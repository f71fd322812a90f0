/* Rules that make texts the same that mean the same, read from a JSON file. Patterns are compiled once; each use has match data of its
 * own, so nothing is shared that changes. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "exec/oracle/normalise.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"

enum { NORMALISED_MAX = 200, FILE_MAX = 1 << 20, RULES_MAX = 64, LISTS = 2, MATCH_LIMIT = 100000 };
#define FORMAT "taskgen/normalise/1"

struct rule {
    const char *name;
    pcre2_code *pattern;
    const struct json *replacement; /* NULL: what matches is kept as it is */
};

struct normaliser {
    struct arena arena;
    struct rule rules[LISTS][RULES_MAX];
    size_t count[LISTS];
    pcre2_match_context *limits;
};

static const char *const list_names[LISTS] = {[NORMALISE_MESSAGE] = "message", [NORMALISE_DETAIL] = "detail"};

/* How much the first rule that matches at `at` takes; 0: none does. */
static size_t match_at(const struct normaliser *n, enum normalise_list list, pcre2_match_data *match, struct bytes text, size_t at,
                       const struct rule **rule)
{
    for (size_t i = 0; i < n->count[list]; i++) {
        const struct rule *r = &n->rules[list][i];
        if (pcre2_match(r->pattern, text.data, text.len, at, 0, match, n->limits) <= 0)
            continue;
        const PCRE2_SIZE *found = pcre2_get_ovector_pointer(match);
        if (found[1] > found[0]) {
            *rule = r;
            return found[1] - found[0];
        }
    }
    return 0;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void normalise(const struct normaliser *n, enum normalise_list list, struct bytes text, struct buf *out)
{
    size_t start = out->len, at = 0;
    pcre2_match_data *match = n ? pcre2_match_data_create(1, NULL) : NULL;
    while (at < text.len && is_space(text.data[at]))
        at++;
    while (at < text.len && out->len - start < NORMALISED_MAX) {
        const struct rule *rule = NULL;
        size_t len = match ? match_at(n, list, match, text, at, &rule) : 0;
        if (len && rule->replacement)
            buf_add(out, json_as_text(rule->replacement));
        else
            buf_add(out, bytes_slice(text, at, at + (len ? len : 1)));
        at += len ? len : 1;
    }
    pcre2_match_data_free(match);
    if (out->len - start > NORMALISED_MAX)
        buf_cut(out, start + NORMALISED_MAX);
    while (out->len > start && is_space(out->data[out->len - 1]))
        buf_cut(out, out->len - 1);
}

/* --- reading --- */

static int read_rule(struct normaliser *n, enum normalise_list list, const struct json *row, struct error **err)
{
    const struct json *name = json_get(row, "name"), *pattern = json_get(row, "pattern"), *replacement = json_get(row, "replacement");
    if (!json_is(name, JSON_STRING) || !json_is(pattern, JSON_STRING) || (replacement && !json_is(replacement, JSON_STRING)))
        return error_set(err, ERR_INPUT, "%s: expected rules with a name, a pattern and a replacement, all of them texts", list_names[list]);
    if (n->count[list] == RULES_MAX)
        return error_set(err, ERR_INPUT, "%s: found more than %d rules", list_names[list], RULES_MAX);
    int code;
    PCRE2_SIZE offset;
    struct bytes text = json_as_text(pattern);
    struct rule *rule = &n->rules[list][n->count[list]];
    *rule = (struct rule){.name = arena_string(&n->arena, json_as_text(name)), .replacement = replacement};
    rule->pattern = pcre2_compile(text.data, text.len, PCRE2_ANCHORED | PCRE2_NEVER_UTF, &code, &offset, NULL);
    if (!rule->pattern) {
        char message[120];
        pcre2_get_error_message(code, (PCRE2_UCHAR *)message, sizeof message);
        return error_set(err, ERR_INPUT, "%s rule '%s': the pattern, at byte %zu: %s", list_names[list], rule->name, (size_t)offset, message);
    }
    n->count[list]++;
    return 0;
}

/* What a rule says of itself must be so, with all the others of its list. */
static int check_examples(const struct normaliser *n, enum normalise_list list, const struct json *row, struct error **err)
{
    int status = 0;
    const struct json *examples = json_get(row, "examples");
    if (!json_is(examples, JSON_ARRAY) || !examples->count)
        return error_set(err, ERR_INPUT, "%s rule '%s' has no examples", list_names[list], json_as_text(json_get(row, "name")).data);
    for (const struct json *x = examples->first; x && !status; x = x->next) {
        struct bytes text = json_as_text(json_get(x, "text")), want = json_as_text(json_get(x, "becomes"));
        struct buf got;
        buf_init(&got, FILE_MAX);
        normalise(n, list, text, &got);
        if (!bytes_equal(buf_bytes(&got), want))
            status = error_set(err, ERR_INPUT, "%s rule '%s': its example '%.*s' becomes '%s', expected '%.*s'", list_names[list],
                               json_as_text(json_get(row, "name")).data, BYTES_ARG(text), buf_string(&got), BYTES_ARG(want));
        buf_release(&got);
    }
    return status;
}

static int read_list(struct normaliser *n, enum normalise_list list, const struct json *rows, struct error **err)
{
    if (!json_is(rows, JSON_ARRAY))
        return error_set(err, ERR_INPUT, "expected a list '%s'", list_names[list]);
    for (const struct json *row = rows->first; row; row = row->next)
        TRY(read_rule(n, list, row, err));
    for (const struct json *row = rows->first; row; row = row->next)
        TRY(check_examples(n, list, row, err));
    return 0;
}

static int read_all(struct normaliser *n, struct bytes text, const char *name, struct error **err)
{
    struct json *file;
    TRY(json_read(&n->arena, arena_copy(&n->arena, text), NULL, name, &file, NULL, err));
    int status = 0;
    if (!bytes_equal(json_as_text(json_get(file, "format")), BYTES_LITERAL(FORMAT)))
        status = error_set(err, ERR_INPUT, "expected the format " FORMAT);
    for (int list = 0; list < LISTS && !status; list++)
        status = read_list(n, (enum normalise_list)list, json_get(file, list_names[list]), err);
    return status ? error_wrap(err, "%s", name) : 0;
}

int normaliser_read(struct bytes text, const char *name, struct normaliser **n, struct error **err)
{
    *n = xcalloc(1, sizeof **n);
    arena_init(&(*n)->arena);
    (*n)->limits = pcre2_match_context_create(NULL);
    if ((*n)->limits)
        pcre2_set_match_limit((*n)->limits, MATCH_LIMIT); /* a careless pattern costs its match, not the run */
    int status = read_all(*n, text, name, err);
    if (status) {
        normaliser_free(*n);
        *n = NULL;
    }
    return status;
}

int normaliser_load(const char *path, struct normaliser **n, struct error **err)
{
    struct buf text;
    buf_init(&text, FILE_MAX);
    int status = fs_read(path, FILE_MAX, &text, err);
    if (status)
        (*err)->code = status = ERR_INPUT; /* whoever names a file that cannot be read has made the mistake */
    else
        status = normaliser_read(buf_bytes(&text), path, n, err);
    buf_release(&text);
    return status;
}

int normaliser_load_own(struct normaliser **n, struct error **err)
{
    char *directory = fs_data_dir("domains", err);
    if (!directory)
        return ERR_TARGET;
    struct buf path;
    buf_init(&path, 1 << 16);
    buf_addf(&path, "%s/normalise.json", directory);
    int status = normaliser_load(buf_string(&path), n, err);
    buf_release(&path);
    free(directory);
    return status;
}

void normaliser_free(struct normaliser *n)
{
    if (!n)
        return;
    for (int list = 0; list < LISTS; list++)
        for (size_t i = 0; i < n->count[list]; i++)
            pcre2_code_free(n->rules[list][i].pattern);
    pcre2_match_context_free(n->limits);
    arena_release(&n->arena);
    free(n);
}
