/* base/json against jansson: both must accept and refuse the same texts and find the same values in them, but
 * for the differences listed here. tests/data/json holds one text a file: accept and reject are agreed on,
 * differ is not. */

/* Some names are in both headers. Theirs are renamed here and not called; the library itself is linked so
 * that it calls its own (-Bsymbolic-functions). */
#define JSON_OBJECT THEIR_OBJECT
#define JSON_ARRAY THEIR_ARRAY
#define JSON_STRING THEIR_STRING
#define JSON_TRUE THEIR_TRUE
#define JSON_FALSE THEIR_FALSE
#define JSON_NULL THEIR_NULL
#define json_string their_string
#define json_integer their_integer
#define json_real their_real
#define json_equal their_equal
#define json_copy their_copy
#include <jansson.h>
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_STRING
#undef JSON_TRUE
#undef JSON_FALSE
#undef JSON_NULL
#undef JSON_COMPACT
#undef json_string
#undef json_integer
#undef json_real
#undef json_equal
#undef json_copy

#include <dirent.h>
#include <stdio.h>

#include "base/fs.h"
#include "base/rng.h"
#include "json_case.h"

#define DATA TASKGEN_SOURCE_DIR "/tests/data/json/"
enum { MAX_TEXT = 1 << 20 };

static json_t *their_read(struct bytes text)
{
    json_error_t error;
    return json_loadb((const char *)text.data, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
}

static struct json *our_read(struct bytes text)
{
    struct json *value = NULL;
    return json_read(&arena, text, NULL, "test", &value, NULL, NULL) == 0 ? value : NULL;
}

static bool same_value(const struct json *ours, const json_t *theirs);

/* Ours keeps doubled keys, theirs the last one. */
static bool same_object(const struct json *ours, const json_t *theirs)
{
    size_t distinct = 0;
    for (const struct json *child = ours->first; child; child = child->next) {
        distinct += !child->duplicate;
        if (!same_value(json_get_bytes(ours, child->key),
                        json_object_get(theirs, (const char *)child->key.data)))
            return false;
    }
    return distinct == json_object_size(theirs);
}

static bool same_array(const struct json *ours, const json_t *theirs)
{
    size_t at = 0;
    for (const struct json *child = ours->first; child; child = child->next)
        if (!same_value(child, json_array_get(theirs, at++)))
            return false;
    return at == json_array_size(theirs) && at == ours->count;
}

static bool same_value(const struct json *ours, const json_t *theirs)
{
    static const enum json_kind kinds[] = {
        [THEIR_OBJECT] = JSON_OBJECT, [THEIR_ARRAY] = JSON_ARRAY, [THEIR_STRING] = JSON_STRING,
        [JSON_INTEGER] = JSON_NUMBER, [JSON_REAL] = JSON_NUMBER,  [THEIR_TRUE] = JSON_TRUE,
        [THEIR_FALSE] = JSON_FALSE,   [THEIR_NULL] = JSON_NULL,
    };
    int64_t integer = 0;
    double real = 0;
    if (!ours || !theirs || ours->kind != kinds[json_typeof(theirs)])
        return false;
    switch (json_typeof(theirs)) {
    case THEIR_OBJECT:
        return same_object(ours, theirs);
    case THEIR_ARRAY:
        return same_array(ours, theirs);
    case THEIR_STRING:
        return bytes_equal(ours->text, bytes_of(json_string_value(theirs), json_string_length(theirs)));
    case JSON_INTEGER:
        return json_as_integer(ours, &integer) && integer == json_integer_value(theirs);
    case JSON_REAL:
        return !json_as_integer(ours, &integer) && json_as_real(ours, &real) &&
               real == json_real_value(theirs);
    default:
        return true;
    }
}

/* Everything that jansson refuses and we keep, because it is what is to be tested. The other way round there
 * is one thing: jansson overlooks a NUL byte right behind a number or a word. */
enum difference {
    SAME = 0,
    LONE_SURROGATE = 1, /* \ud800 without its pair */
    LARGE_INTEGER = 2,  /* an integer beyond 64 bits */
    LARGE_REAL = 4,     /* a real beyond a double's range */
    NUL_IN_KEY = 8,     /* it keeps keys as C strings */
    DEEP = 16,          /* nested more than 2,048 deep */
};

static int difference_of(const struct json *value)
{
    int64_t integer = 0;
    double real = 0;
    int found = value->lone_surrogate ? LONE_SURROGATE : 0;
    if (value->key.len && memchr(value->key.data, '\0', value->key.len))
        found |= NUL_IN_KEY;
    if (json_is(value, JSON_NUMBER) && !json_as_integer(value, &integer)) {
        bool integral = !memchr(value->text.data, '.', value->text.len) &&
                        !memchr(value->text.data, 'e', value->text.len) &&
                        !memchr(value->text.data, 'E', value->text.len);
        found |= integral ? LARGE_INTEGER : json_as_real(value, &real) ? SAME : LARGE_REAL;
    }
    return found;
}

static int differences(const struct json *root)
{
    enum { THEIR_DEPTH = 2048 };
    int found = 0;
    size_t depth = 0;
    for (const struct json *value = root; value;) {
        found |= difference_of(value) | (depth >= THEIR_DEPTH ? DEEP : 0);
        if (value->first) {
            value = value->first;
            depth++;
            continue;
        }
        while (value && value != root && !value->next) {
            value = value->parent;
            depth--;
        }
        value = value == root ? NULL : value->next;
    }
    return found;
}

/* What both must agree on for any text. */
static void check_agreement(struct bytes text, const char *name)
{
    struct json *ours = our_read(text);
    json_t *theirs = their_read(text);
    if (ours && !theirs)
        ck_assert_msg(differences(ours), "%s: only we accept \"%.*s\"", name, BYTES_ARG(text));
    else if (theirs && !ours)
        ck_assert_msg(text.len && memchr(text.data, '\0', text.len), "%s: only jansson accepts \"%.*s\"",
                      name, BYTES_ARG(text));
    ck_assert_msg(!ours || !theirs || same_value(ours, theirs), "%s: different values of \"%.*s\"", name,
                  BYTES_ARG(text));
    json_decref(theirs);
}

static void read_data(const char *folder, const char *name, struct buf *text)
{
    char path[512];
    struct error *err = NULL;
    snprintf(path, sizeof path, "%s%s/%s", DATA, folder, name);
    buf_clear(text);
    int status = fs_read(path, MAX_TEXT, text, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "no message");
}

/* Calls check for each file of a folder; returns their number. */
static int for_each_file(const char *folder, void (*check)(struct bytes text, const char *name))
{
    char path[512];
    struct buf text;
    int files = 0;
    snprintf(path, sizeof path, "%s%s", DATA, folder);
    DIR *dir = opendir(path);
    ck_assert_ptr_nonnull(dir);
    buf_init(&text, MAX_TEXT);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        read_data(folder, entry->d_name, &text);
        check(buf_bytes(&text), entry->d_name);
        files++;
    }
    buf_release(&text);
    closedir(dir);
    return files;
}

static void check_accepted(struct bytes text, const char *name)
{
    struct json *value = our_read(text);
    ck_assert_msg(value, "%s is refused", name);
    ck_assert_msg(differences(value) == SAME, "%s", name);
    check_agreement(text, name);
    /* What we write reads back as the same, for both. */
    style_text(value, JSON_COMPACT);
    ck_assert_msg(json_equal(value, our_read(buf_bytes(&written))), "%s", name);
    check_agreement(buf_bytes(&written), name);
    style_text(value, JSON_SORTED);
    check_agreement(buf_bytes(&written), name);
}

static void check_refused(struct bytes text, const char *name)
{
    ck_assert_msg(!our_read(text), "%s is accepted", name);
    check_agreement(text, name);
}

START_TEST(both_accept)
{
    ck_assert_int_ge(for_each_file("accept", check_accepted), 27);
}
END_TEST

START_TEST(both_refuse)
{
    ck_assert_int_ge(for_each_file("reject", check_refused), 70);
}
END_TEST

static const struct {
    const char *name;
    int why;
} differ[] = {
    {"deep-3000.json", DEEP},
    {"high-high.json", LONE_SURROGATE},
    {"high-then-letter.json", LONE_SURROGATE},
    {"integer-2-64.json", LARGE_INTEGER},
    {"integer-minus-2-63-1.json", LARGE_INTEGER},
    {"lone-high.json", LONE_SURROGATE},
    {"lone-low.json", LONE_SURROGATE},
    {"nul-in-key.json", NUL_IN_KEY},
    {"real-overflow.json", LARGE_REAL},
};

START_TEST(only_we_accept)
{
    struct buf text;
    buf_init(&text, MAX_TEXT);
    read_data("differ", differ[_i].name, &text);
    struct json *value = our_read(buf_bytes(&text));
    ck_assert_ptr_nonnull(value);
    ck_assert_int_eq(differences(value), differ[_i].why);
    ck_assert_ptr_null(their_read(buf_bytes(&text)));
    ck_assert(json_equal(value, parse(text_of(value))));
    buf_release(&text);
}
END_TEST

START_TEST(only_jansson_accepts)
{
    static const struct bytes texts[] = {BYTES_LITERAL("[1\0]"), BYTES_LITERAL("{\"a\":true\0}")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *theirs = their_read(texts[i]);
        ck_assert_ptr_nonnull(theirs);
        json_decref(theirs);
        ck_assert_ptr_null(our_read(texts[i]));
    }
}
END_TEST

/* Damages one byte or a few: cut, changed, doubled, or taken from what JSON is made of. */
static void damage(struct buf *text, struct rng *r)
{
    static const char pool[] = "{}[]\",:\\ue0123456789+-.Etrufalsn \n\t\x80\xC3\xED\xFF";
    uint64_t times = rng_below(r, 3) + 1;
    while (times-- && text->len) {
        size_t at = rng_below(r, text->len);
        switch (rng_below(r, 4)) {
        case 0:
            buf_cut(text, at);
            break;
        case 1:
            text->data[at] = (uint8_t)pool[rng_below(r, sizeof pool)]; /* its NUL too */
            break;
        case 2:
            text->data[at] ^= (uint8_t)(1 << rng_below(r, 8));
            break;
        default: {
            size_t from = rng_below(r, text->len), to = from + rng_below(r, 12);
            buf_add(text, bytes_slice(buf_bytes(text), from, to));
        }
        }
    }
}

static const char *const damaged_folders[] = {"accept", "reject", "differ"};
static uint64_t damage_seed;

static void check_damaged(struct bytes text, const char *name)
{
    struct rng r;
    struct buf copy;
    buf_init(&copy, MAX_TEXT);
    for (uint64_t i = 0; i < 300; i++) {
        rng_seed(&r, damage_seed, i);
        buf_clear(&copy);
        buf_add(&copy, bytes_slice(text, 0, 200));
        damage(&copy, &r);
        check_agreement(buf_bytes(&copy), name);
        arena_clear(&arena);
    }
    buf_release(&copy);
}

START_TEST(damaged_texts)
{
    damage_seed = (uint64_t)_i;
    ck_assert_int_gt(for_each_file(damaged_folders[_i], check_damaged), 5);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, json_set_up, json_tear_down);
    tcase_add_test(tests, both_accept);
    tcase_add_test(tests, both_refuse);
    tcase_add_loop_test(tests, only_we_accept, 0, sizeof differ / sizeof *differ);
    tcase_add_test(tests, only_jansson_accepts);
    tcase_add_loop_test(tests, damaged_texts, 0, sizeof damaged_folders / sizeof *damaged_folders);
}

int main(void)
{
    return unit_main("json-conformance", fill);
}
