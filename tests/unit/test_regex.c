/* grammar/regex: what is generated is matched as a whole by libpcre2; what is refused is refused with its
 * place. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/utf8.h"
#include "grammar_case.h"

enum { TEXTS = 300 };

/* Whether a pattern speaks of code points: a character outside ASCII, or \x{…} of three digits or more. */
static bool is_utf(struct bytes pattern)
{
    bool utf = utf8_count(pattern) != pattern.len;
    for (size_t i = 0; i + 6 < pattern.len; i++)
        utf = utf || (memcmp(pattern.data + i, "\\x{", 3) == 0 && pattern.data[i + 4] != '}' &&
                      pattern.data[i + 5] != '}');
    return utf;
}

static pcre2_code *compile(struct bytes pattern)
{
    int code;
    PCRE2_SIZE offset;
    uint32_t options = PCRE2_ANCHORED | PCRE2_ENDANCHORED | (is_utf(pattern) ? PCRE2_UTF : 0);
    pcre2_code *regex = pcre2_compile(pattern.data, pattern.len, options, &code, &offset, NULL);
    ck_assert_msg(regex != NULL, "libpcre2 refuses /%.*s/ at %zu: %d", BYTES_ARG(pattern), (size_t)offset,
                  code);
    return regex;
}

static struct grammar *load_pattern(struct bytes pattern)
{
    struct buf text;
    buf_init(&text, 100000);
    buf_add_string(&text, "a = /");
    buf_add(&text, pattern);
    buf_add_string(&text, "/;");
    struct grammar *g = load_bytes(buf_bytes(&text));
    buf_release(&text);
    return g;
}

static void check_pattern(struct bytes pattern, struct grammar_limits limits, uint64_t texts)
{
    pcre2_code *regex = compile(pattern);
    pcre2_match_data *match = pcre2_match_data_create(1, NULL);
    struct grammar *g = load_pattern(pattern);
    for (uint64_t i = 0; i < texts; i++) {
        struct derived d = derive_one(g, "a", i, limits);
        int status = pcre2_match(regex, d.out.data ? d.out.data : (PCRE2_SPTR) "", d.out.len, 0, 0, match,
                                 NULL);
        ck_assert_msg(status >= 0, "/%.*s/ gave \"%.*s\": %d", BYTES_ARG(pattern),
                      BYTES_ARG(buf_bytes(&d.out)), status);
        ck_assert_uint_eq(pcre2_get_ovector_pointer(match)[1], d.out.len);
        derived_release(&d);
    }
    pcre2_match_data_free(match);
    pcre2_code_free(regex);
    grammar_free(g);
}

START_TEST(generated_texts_match)
{
    struct buf file = data_file("regex.txt");
    struct bytes line;
    size_t patterns = 0;
    for (size_t at = 0; next_line(buf_bytes(&file), &at, &line); patterns++)
        check_pattern(line, roomy, TEXTS);
    ck_assert_uint_ge(patterns, 90);
    buf_release(&file);
}
END_TEST

/* The same when there is hardly any room: only the shortest texts are left, and they still match. */
START_TEST(tight_texts_match)
{
    static const char *const patterns[] = {"[éa-z]{2}", "a{2,9}[à-ÿ]?", "(?:abc|d)*e", "[\\x7e-\\x{810}]{3}"};
    static const size_t least[] = {2, 2, 1, 3};
    for (size_t i = 0; i < 4; i++)
        for (size_t more = 0; more < 4; more++)
            check_pattern(bytes_of_string(patterns[i]),
                          (struct grammar_limits){.max_bytes = least[i] + more, .max_depth = 8}, TEXTS);
}
END_TEST

/* Every text of a small language comes. */
START_TEST(all_texts_come)
{
    struct grammar *g = load("a = /[ab]|\\d{0,1}x|(?:y|z){2}/;");
    bool seen[17] = {false};
    static const char *const texts[] = {"a",  "b",  "x",  "0x", "1x", "2x", "3x", "4x", "5x",
                                        "6x", "7x", "8x", "9x", "yy", "yz", "zy", "zz"};
    for (uint64_t i = 0; i < 2000; i++) {
        struct derived d = derive_one(g, "a", i, roomy);
        size_t k = 0;
        while (k < 17 && !bytes_equal_string(buf_bytes(&d.out), texts[k]))
            k++;
        ck_assert_uint_lt(k, 17);
        seen[k] = true;
        derived_release(&d);
    }
    for (size_t k = 0; k < 17; k++)
        ck_assert_msg(seen[k], "%s never came", texts[k]);
    grammar_free(g);
}
END_TEST

/* All members of a class come alike, those of ranges that overlap too. */
START_TEST(classes_are_even)
{
    struct grammar *g = load("a = /[a-fc-j\\d]/;");
    uint64_t counts[20] = {0};
    double shares[20];
    for (uint64_t i = 0; i < 100000; i++) {
        struct derived d = derive_one(g, "a", i, roomy);
        uint8_t c = d.out.data[0];
        counts[c >= 'a' ? c - 'a' + 10 : c - '0']++;
        derived_release(&d);
    }
    for (size_t i = 0; i < 20; i++)
        shares[i] = 1;
    ck_assert(fits(counts, shares, 20));
    grammar_free(g);
}
END_TEST

/* "Anything but" is readable where the pattern leaves a choice, and exact where it does not. */
START_TEST(negations_prefer_printable)
{
    static const struct {
        const char *pattern;
        uint8_t low, high;
    } rows[] = {{".", 0x20, 0x7E},
                {"[^a]", 0x20, 0x7E},
                {"\\D", 0x20, 0x7E},
                {"[^\\D]", '0', '9'},
                {"[^ -~]", 0x00, 0xFF}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct grammar *g = load_pattern(bytes_of_string(rows[i].pattern));
        for (uint64_t k = 0; k < 500; k++) {
            struct derived d = derive_one(g, "a", k, roomy);
            ck_assert_uint_eq(d.out.len, 1);
            ck_assert(d.out.data[0] >= rows[i].low && d.out.data[0] <= rows[i].high);
            derived_release(&d);
        }
        grammar_free(g);
    }
}
END_TEST

/* What a class names outright is drawn, printable or not, beside what it only excludes. */
START_TEST(named_characters_come)
{
    struct grammar *g = load("a = /[a\\n\\x80]|[\\D\\t]/;");
    bool letter = false, feed = false, high = false, tab = false;
    for (uint64_t i = 0; i < 5000; i++) {
        struct derived d = derive_one(g, "a", i, roomy);
        letter = letter || d.out.data[0] == 'a';
        feed = feed || d.out.data[0] == '\n';
        high = high || d.out.data[0] == 0x80;
        tab = tab || d.out.data[0] == '\t';
        derived_release(&d);
    }
    ck_assert(letter && feed && high && tab);
    grammar_free(g);
}
END_TEST

/* Patterns put together at random: whatever we accept libpcre2 accepts too, and matches. */
START_TEST(random_patterns)
{
    static const char *const parts[] = {
        "a",    "b|", "|",   "(",     "(?:",        ")",   ")",     ")",   "[",     "[^",   "]",
        "]",    "-",  "^",   "$",     ".",          "\\d", "\\W",   "\\s", "[a-f]", "[^x]", "*",
        "+",    "?",  "{2}", "{1,3}", "{0,}",       "{",   "}",     ",",   "\\x41", "\\n",  "\\]",
        "\\\\", "1",  "[:",  ":]",    "[[:alpha:]", " ",   "(?<n>", "\\-", "é"};
    struct rng rng;
    rng_seed(&rng, 12, 0);
    struct buf text;
    buf_init(&text, 10000);
    size_t accepted = 0;
    for (int i = 0; i < 20000; i++) {
        buf_clear(&text);
        for (uint64_t k = 1 + rng_below(&rng, 7); k > 0; k--)
            buf_add_string(&text, parts[rng_below(&rng, sizeof parts / sizeof *parts)]);
        /* A group's name may come once; two of them we do not look for. */
        ptrdiff_t name = bytes_find(buf_bytes(&text), BYTES_LITERAL("<n>"), 0);
        if (name >= 0 && bytes_find(buf_bytes(&text), BYTES_LITERAL("<n>"), (size_t)name + 1) >= 0)
            continue;
        struct grammar *g = grammar_new();
        struct buf rule;
        buf_init(&rule, 10000);
        buf_addf(&rule, "a = /%s/;", buf_string(&text));
        bool good = grammar_add_text(g, buf_bytes(&rule), "test.tg", 1, NULL) == 0 &&
                    grammar_compile(g, 0, NULL) == 0;
        buf_release(&rule);
        grammar_free(g);
        if (!good)
            continue;
        check_pattern(buf_bytes(&text), roomy, 8);
        accepted++;
    }
    ck_assert_uint_ge(accepted, 3000);
    buf_release(&text);
}
END_TEST

START_TEST(refused_with_place)
{
    struct buf file = data_file("regex-errors.txt");
    struct bytes text, message;
    size_t cases = 0;
    for (size_t at = 0; next_line(buf_bytes(&file), &at, &text); cases++) {
        ck_assert(next_line(buf_bytes(&file), &at, &message));
        char *got = load_failure(text);
        ck_assert_msg(bytes_equal_string(message, got), "%.*s\ngave     %s\nexpected %.*s", BYTES_ARG(text),
                      got, BYTES_ARG(message));
        free(got);
    }
    ck_assert_uint_ge(cases, 50);
    buf_release(&file);
}
END_TEST

START_TEST(foreign_bytes)
{
    char *message = load_failure(BYTES_LITERAL("a = /x\xff/;"));
    ck_assert_str_eq(message, "test.tg:1:7: in a regular expression: a byte that is not UTF-8");
    free(message);
    message = load_failure(BYTES_LITERAL("a = /x\\"));
    ck_assert_str_eq(message, "test.tg:1:5: the regular expression that begins here has no closing /");
    free(message);
    struct grammar *g = load_bytes(BYTES_LITERAL("a = /\0[\0]\\\0/;"));
    struct derived d = derive_one(g, "a", 0, roomy);
    ASSERT_BYTES(buf_bytes(&d.out), "\0\0\0");
    derived_release(&d);
    grammar_free(g);
}
END_TEST

START_TEST(deep_groups)
{
    struct buf text;
    buf_init(&text, 10000);
    for (int depth = 190; depth <= 300; depth += 110) {
        buf_clear(&text);
        buf_add_string(&text, "a = /");
        for (int i = 0; i < depth; i++)
            buf_add_byte(&text, '(');
        buf_add_byte(&text, 'x');
        for (int i = 0; i < depth; i++)
            buf_add_byte(&text, ')');
        buf_add_string(&text, "/;");
        if (depth < 200) {
            grammar_free(load_bytes(buf_bytes(&text)));
        } else {
            char *message = load_failure(buf_bytes(&text));
            ck_assert_str_eq(message, "test.tg:1:205: in a regular expression: groups nested too deeply");
            free(message);
        }
    }
    buf_release(&text);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_test(t, generated_texts_match);
    tcase_add_test(t, tight_texts_match);
    tcase_add_test(t, all_texts_come);
    tcase_add_test(t, classes_are_even);
    tcase_add_test(t, negations_prefer_printable);
    tcase_add_test(t, named_characters_come);
    tcase_add_test(t, random_patterns);
    tcase_add_test(t, refused_with_place);
    tcase_add_test(t, foreign_bytes);
    tcase_add_test(t, deep_groups);
}

int main(void)
{
    return unit_main("regex", fill);
}
