/* Parameters of a tool and what they stand for; helpers of the automatic mapping. */
#include "exec/target/map_internal.h"

#include <string.h>

static const double role_threshold = .5;

enum { FAILURE_MAX = 1024 };

bool map_fail(struct map_attempt *t, const char *what, struct bytes name)
{
    struct buf text;
    buf_init(&text, FAILURE_MAX);
    buf_add_string(&text, what);
    if (name.len)
        buf_add_byte(&text, ' ');
    add_visible(&text, name, 40);
    t->failure = arena_string(t->arena, buf_bytes(&text));
    buf_release(&text);
    return false;
}

/* The first value whose words are among the alternatives, in their order. */
struct json *map_choose_value(struct arena *a, const struct json *values, const char *alternatives)
{
    while (*alternatives) {
        size_t length = strcspn(alternatives, "|");
        char word[WORD_SIZE];
        if (length < sizeof word) {
            memcpy(word, alternatives, length);
            word[length] = '\0';
            for (const struct json *one = values->first; one; one = one->next) {
                struct words words;
                words_split(&words, json_as_text(one));
                if (words_have(&words, word))
                    return json_copy(a, one);
            }
        }
        alternatives += length + (alternatives[length] == '|');
    }
    return NULL;
}

static bool role_fits(const struct map_parameter *p, const struct role_row *row)
{
    if (p->used || !(p->types & row->types & ~(unsigned)TYPE_NULL))
        return false;
    if ((p->values && !row->takes_values) || (row->never && words_have(&p->words, row->never)))
        return false;
    return !row->says || words_have(&p->words, row->says) || text_mentions(p->description, row->says);
}

struct map_parameter *map_best_parameter(struct map_attempt *t, enum role role, double *quality)
{
    struct map_parameter *best = NULL;
    *quality = 0;
    for (size_t i = 0; i < t->count; i++) {
        struct map_parameter *p = &t->parameters[i];
        if (!role_fits(p, role_row(role)))
            continue;
        double found = role_quality(role, &p->words) + (p->required ? .01 : 0);
        if (role == ROLE_CONTENT || role == ROLE_STDIN)
            found += map_says_base64(p) == (t->row->binary || role == ROLE_STDIN) ? .05 : 0;
        if (found >= role_threshold && found > *quality) {
            best = p;
            *quality = found;
        }
    }
    if (*quality > 1)
        *quality = 1;
    return best;
}

void map_set(struct map_attempt *t, struct map_parameter *p, struct json *value, const char *note)
{
    json_set_bytes(t->arena, t->arguments, p->name, value);
    p->used = true;
    if (note) {
        if (t->notes.len)
            buf_add_string(&t->notes, " ");
        buf_addf(&t->notes, "%s:", note);
        add_visible(&t->notes, p->name, 40);
    }
}

struct json *map_placeholder(struct arena *a, const char *arg, const char *as)
{
    struct json *object = json_new(a, JSON_OBJECT);
    json_set(a, object, "$arg", json_text(a, arg));
    json_set(a, object, "as", json_text(a, as));
    return object;
}

static bool number_at_least(const struct json *schema, const char *key, double limit)
{
    double value;
    return json_as_real(json_get(schema, key), &value) && value >= limit && value < 1e12;
}

/* A limit on something else than the whole of the program's time. */
static bool limits_other_time(const struct map_parameter *p)
{
    return words_have(&p->words, "idle|inactivity|silence|connect|connection|session|wait|yield|grace|kill|start|startup|poll|lock") ||
           text_mentions(p->description, "inactivity") || text_mentions(p->description, "idle") ||
           text_mentions(p->description, "without output") || text_mentions(p->description, "no output");
}

struct json *map_timeout(struct map_attempt *t, const struct map_parameter *p, const char *arg)
{
    bool milliseconds = words_have(&p->words, "ms|milli|millisecond");
    bool seconds = words_have(&p->words, "s|sec|second");
    if (!milliseconds && !seconds) {
        milliseconds = text_mentions(p->description, "millisecond") || text_mentions(p->description, "(ms)");
        seconds = !milliseconds && text_mentions(p->description, "second");
    }
    t->map.limit_known = milliseconds != seconds && !limits_other_time(p);
    if (!milliseconds && !seconds)
        milliseconds = number_at_least(p->schema, "default", 1000) || number_at_least(p->schema, "maximum", 1e5);
    return map_placeholder(t->arena, arg, milliseconds ? "ms" : "s");
}

bool map_says_base64(const struct map_parameter *p)
{
    return words_have(&p->words, "base64|b64") ||
           bytes_equal_string(json_as_text(json_get(p->schema, "contentEncoding")), "base64") ||
           text_mentions(p->description, "base64");
}
