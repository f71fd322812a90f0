/* The compact notation: what it accepts and what that means, every message of the reader with its place,
 * imports, and the questions that can be asked of a grammar. */
#include <sys/stat.h>
#include <unistd.h>

#include "grammar_case.h"

enum { TEXTS_MOST = 64 };

/* Texts in a data file are written as they are, but for the empty one. */
static bool is_text(struct bytes got, struct bytes wanted)
{
    if (bytes_equal_string(wanted, "\"\""))
        return got.len == 0;
    return bytes_equal(got, wanted);
}

static size_t split(struct bytes line, struct bytes *words)
{
    size_t count = 0, at = 0;
    while (at < line.len && count < TEXTS_MOST) {
        ptrdiff_t space = bytes_find(line, BYTES_LITERAL(" "), at);
        size_t end = space < 0 ? line.len : (size_t)space;
        words[count++] = bytes_slice(line, at, end);
        at = end + 1;
    }
    return count;
}

static void check_texts(struct bytes text, struct bytes line)
{
    struct bytes words[TEXTS_MOST];
    bool seen[TEXTS_MOST] = {false};
    size_t count = split(line, words);
    struct grammar *g = load_bytes(text);
    for (uint64_t i = 0; i < 400; i++) {
        struct derived d = derive_one(g, "a", i, roomy);
        size_t k = 0;
        while (k < count && !is_text(buf_bytes(&d.out), words[k]))
            k++;
        ck_assert_msg(k < count, "%.*s\ngave %.*s", BYTES_ARG(text), BYTES_ARG(buf_bytes(&d.out)));
        seen[k] = true;
        derived_release(&d);
    }
    for (size_t k = 0; k < count; k++)
        ck_assert_msg(seen[k], "%.*s\nnever gave %.*s", BYTES_ARG(text), BYTES_ARG(words[k]));
    grammar_free(g);
}

START_TEST(texts_of_grammars)
{
    struct buf file = data_file("texts.txt");
    struct bytes text, line;
    size_t cases = 0;
    for (size_t at = 0; next_line(buf_bytes(&file), &at, &text); cases++) {
        ck_assert(next_line(buf_bytes(&file), &at, &line));
        check_texts(text, line);
    }
    ck_assert_uint_ge(cases, 40);
    buf_release(&file);
}
END_TEST

START_TEST(messages)
{
    struct buf file = data_file("errors.txt");
    struct bytes text, message;
    size_t cases = 0;
    for (size_t at = 0; next_line(buf_bytes(&file), &at, &text); cases++) {
        ck_assert(next_line(buf_bytes(&file), &at, &message));
        char *got = load_failure(text);
        ck_assert_msg(bytes_equal_string(message, got), "%.*s\ngave     %s\nexpected %.*s", BYTES_ARG(text),
                      got, BYTES_ARG(message));
        free(got);
    }
    ck_assert_uint_ge(cases, 100);
    buf_release(&file);
}
END_TEST

/* Messages for bytes that a line of a data file cannot hold, and places beyond the first line. */
static const struct {
    struct bytes text;
    const char *message;
} awkward[] = {
    {BYTES_LITERAL("a = \"x\"\0;"),
     "test.tg:1:8: found byte 0x00, expected ';' at the end of rule 'a', '|' or one more item"},
    {BYTES_LITERAL("a = \xff;"),
     "test.tg:1:5: found byte 0xff, expected a text, a rule, /regex/ or '(' (\"\" stands for nothing)"},
    {BYTES_LITERAL("\x7f"), "test.tg:1:1: found byte 0x7f, expected the name of a rule"},
    {BYTES_LITERAL("a = \"\xc3\xa4\xe2\x82\xac\" b;"), "test.tg:1:10: rule 'b' is not defined"},
    {BYTES_LITERAL("# one\r\n\n a =\n\t'x\ny'\n b;"), "test.tg:6:2: rule 'b' is not defined"},
    {BYTES_LITERAL("a = 'x\n"), "test.tg:1:5: the text that begins here has no closing '"},
    {BYTES_LITERAL("a = /x\n/;"), "test.tg:1:5: the regular expression that begins here has no closing /"},
    {BYTES_LITERAL("a = \"x\";\nb = \"y\";\na = \"z\";"),
     "test.tg:3:1: rule 'a' is defined a second time, first at test.tg:1"},
    {BYTES_LITERAL("a = \"\\\0\";"),
     "test.tg:1:6: found an unknown escape, expected one of \\n \\r \\t \\0 \\\\ \\\" \\' \\xHH \\u{HEX}"},
    {BYTES_LITERAL("a = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = 1;"),
     "test.tg:1:58: found '=', expected ';' at the end of rule 'a', '|' or one more item"},
    {BYTES_LITERAL("a = \"x\" @aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;"),
     "test.tg:1:10: found the name 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…', expected a weight: a decimal "
     "from 0 to 1e9"},
};

START_TEST(awkward_messages)
{
    char *got = load_failure(awkward[_i].text);
    ck_assert_str_eq(got, awkward[_i].message);
    free(got);
}
END_TEST

static void check_example(struct bytes text, bool json)
{
    static const char *const starts[] = {"start", "note", "png"};
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    int status = json ? grammar_add_json(g, text, "grammar.md", &err)
                      : grammar_add_text(g, text, "grammar.md", 1, &err);
    status = status < 0 ? status : grammar_compile(g, 0, &err);
    ck_assert_msg(status == 0, "%s\n%.*s", err ? err->text : "", BYTES_ARG(text));
    size_t derived = 0;
    for (size_t i = 0; i < 3; i++) {
        if (grammar_rule(g, bytes_of_string(starts[i])) < 0)
            continue;
        struct derived d = derive_one(g, starts[i], 0, roomy);
        derived += d.out.len > 0;
        derived_release(&d);
    }
    ck_assert_uint_eq(derived, 1);
    grammar_free(g);
}

/* The examples of docs/grammar.md: each block between fences is a grammar, without its imports. */
START_TEST(examples_of_the_reference)
{
    struct buf page, block;
    struct bytes line;
    buf_init(&page, 1 << 20);
    buf_init(&block, 1 << 20);
    ck_assert_int_eq(fs_read(TASKGEN_SOURCE_DIR "/docs/grammar.md", 1 << 20, &page, NULL), 0);
    size_t blocks = 0;
    bool inside = false, json = false;
    for (size_t at = 0; next_line(buf_bytes(&page), &at, &line);) {
        if (!bytes_starts(line, BYTES_LITERAL("```"))) {
            if (inside && !bytes_starts(line, BYTES_LITERAL("import")))
                buf_addf(&block, "%.*s\n", BYTES_ARG(line));
            continue;
        }
        if (inside) {
            check_example(buf_bytes(&block), json);
            buf_clear(&block);
            blocks++;
        }
        inside = !inside;
        json = bytes_equal_string(line, "```json");
    }
    ck_assert_uint_eq(blocks, 3);
    buf_release(&page);
    buf_release(&block);
}
END_TEST

START_TEST(empty_grammars)
{
    static const char *const texts[] = {"", " \n\t", "# only a comment", "grammar x 1;",
                                        "grammar x-y 1; # no rules\n"};
    for (size_t i = 0; i < 5; i++) {
        struct grammar *g = load(texts[i]);
        ck_assert_uint_eq(grammar_rule_count(g), 0);
        ck_assert_uint_eq(grammar_site_end(g), TEST_FIRST_SITE);
        ck_assert_uint_eq(grammar_unreachable(g, NULL, 0, NULL), 0);
        ck_assert_int_eq(grammar_rule(g, BYTES_NONE), -1);
        grammar_free(g);
    }
    grammar_free(NULL);
}
END_TEST

START_TEST(nesting)
{
    struct buf text;
    buf_init(&text, 100000);
    for (int depth = 150; depth <= 20000; depth *= 10) {
        buf_clear(&text);
        buf_add_string(&text, "a = ");
        for (int i = 0; i < depth; i++)
            buf_add_string(&text, i % 2 ? "hex(" : "(");
        buf_add_string(&text, "\"x\"");
        for (int i = 0; i < depth; i++)
            buf_add_byte(&text, ')');
        buf_add_byte(&text, ';');
        struct grammar *g = grammar_new();
        struct error *err = NULL;
        int status = grammar_add_text(g, buf_bytes(&text), "test.tg", 1, &err);
        ck_assert_int_eq(status, depth < 200 ? 0 : ERR_INPUT);
        ck_assert(depth < 200 || strstr(err->text, "nested deeper than 200"));
        error_free(err);
        /* 75 times twice as long: too big to be derived, which is told and not tried. */
        err = NULL;
        if (status == 0)
            ck_assert_int_eq(grammar_compile(g, 0, &err), ERR_INPUT);
        ck_assert(status < 0 || strstr(err->text, "rule 'a' is too big"));
        error_free(err);
        grammar_free(g);
    }
    buf_release(&text);
}
END_TEST

START_TEST(too_much_text)
{
    size_t size = (4 << 20) + 1;
    char *spaces = malloc(size);
    memset(spaces, ' ', size);
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    ck_assert_int_eq(grammar_add_text(g, bytes_of(spaces, size), "test.tg", 1, &err), ERR_LIMIT);
    ck_assert_str_eq(err->text, "test.tg: all texts of a grammar together are more than 4194304 bytes");
    error_free(err);
    ck_assert_int_eq(grammar_add_text(g, bytes_of(spaces, size - 1), "test.tg", 1, NULL), 0);
    ck_assert_int_eq(grammar_add_text(g, BYTES_LITERAL(" "), "test.tg", 1, NULL), ERR_LIMIT);
    grammar_free(g);
    free(spaces);
}
END_TEST

START_TEST(questions)
{
    struct grammar *g = grammar_new();
    ck_assert_int_eq(
        grammar_add_text(g, BYTES_LITERAL("a = b(\"x\", c);\nb(p, q) =\n p q;"), "one.xml", 40, NULL), 0);
    ck_assert_int_eq(grammar_add_text(g, BYTES_LITERAL("c = \"c\" | d; d = \"d\"; e = a | f; f = \"f\" | e;"),
                                      "two.tg", 1, NULL),
                     0);
    ck_assert_int_eq(grammar_compile(g, 7, NULL), 0);
    ck_assert_uint_eq(grammar_rule_count(g), 6);
    int b = rule_of(g, "b");
    ck_assert_str_eq(grammar_rule_name(g, b), "b");
    ck_assert_str_eq(grammar_rule_place(g, b), "one.xml:41");
    ck_assert_str_eq(grammar_rule_place(g, rule_of(g, "d")), "two.tg:1");
    ck_assert_uint_eq(grammar_rule_arity(g, b), 2);
    ck_assert_uint_eq(grammar_rule_arity(g, rule_of(g, "a")), 0);
    ck_assert_str_eq(grammar_rule_parameter(g, b, 0), "p");
    ck_assert_str_eq(grammar_rule_parameter(g, b, 1), "q");
    ck_assert_int_eq(grammar_rule(g, BYTES_LITERAL("p")), -1);
    ck_assert_uint_eq(grammar_site_end(g), 7 + 3); /* the alternatives of c, e and f */
    int out[6], roots[] = {rule_of(g, "a"), rule_of(g, "a"), -1, 99};
    ck_assert_uint_eq(grammar_unreachable(g, roots, 4, out), 2);
    ck_assert_int_eq(out[0], rule_of(g, "e"));
    ck_assert_int_eq(out[1], rule_of(g, "f"));
    roots[0] = rule_of(g, "f");
    ck_assert_uint_eq(grammar_unreachable(g, roots, 1, out), 0);
    ck_assert_uint_eq(grammar_unreachable(g, NULL, 0, out), 6);
    grammar_free(g);
}
END_TEST

/* Sites are the same for the same text whatever was asked of the grammar, and move with first_site. */
START_TEST(sites_are_stable)
{
    static const char text[] =
        "a = b{1..5} /[xy]+z/ int(1..9) | u8() bits(:4, 1:4) | c; b = \"p\" | \"q\"; c = \"x\";";
    struct grammar *g = load(text), *h = grammar_new();
    ck_assert_int_eq(grammar_add_text(h, bytes_of_string(text), "other.tg", 9, NULL), 0);
    ck_assert_int_eq(grammar_compile(h, 5, NULL), 0);
    ck_assert_uint_eq(grammar_site_end(g) - TEST_FIRST_SITE, grammar_site_end(h) - 5);
    for (uint64_t i = 0; i < 50; i++) {
        struct derived d = derive_one(g, "a", i, roomy), e = derive_one(h, "a", i, roomy);
        ck_assert(bytes_equal(buf_bytes(&d.out), buf_bytes(&e.out)));
        ck_assert_uint_eq(d.log.count, e.log.count);
        for (size_t k = 0; k < d.log.count; k++) {
            ck_assert_uint_eq(d.log.items[k].site - TEST_FIRST_SITE, e.log.items[k].site - 5);
            ck_assert(d.log.items[k].site >= TEST_FIRST_SITE && d.log.items[k].site < grammar_site_end(g));
        }
        derived_release(&d);
        derived_release(&e);
    }
    grammar_free(g);
    grammar_free(h);
}
END_TEST

START_TEST(no_sites_left)
{
    struct grammar *g = grammar_new();
    struct error *err = NULL;
    ck_assert_int_eq(
        grammar_add_text(g, BYTES_LITERAL("a = \"x\" | \"y\"; b = \"x\" | \"y\";"), "test.tg", 1, NULL), 0);
    ck_assert_int_eq(grammar_compile(g, UINT32_MAX - 1, &err), ERR_LIMIT);
    ck_assert_str_eq(err->text, "the grammar has more sites than numbers are left from 4294967294 on");
    error_free(err);
    grammar_free(g);
}
END_TEST

/* Files. ------------------------------------------------------------------------------------------------- */

static char *directory;

static void make_directory(void)
{
    directory = fs_fresh_dir("test-tg", NULL);
    ck_assert_ptr_nonnull(directory);
}

static void remove_directory(void)
{
    fs_remove_tree(directory, NULL);
    free(directory);
}

static char *in_directory(const char *name)
{
    char *path = NULL;
    ck_assert_int_gt(asprintf(&path, "%s/%s", directory, name), 0);
    return path;
}

static void write_file(const char *name, const char *text)
{
    char *path = in_directory(name);
    ck_assert_int_eq(fs_write(path, bytes_of_string(text), NULL), 0);
    free(path);
}

/* What adding the file says, after the directory's name; NULL: nothing. To be freed. */
static char *add_file(struct grammar *g, const char *name)
{
    char *path = in_directory(name);
    struct error *err = NULL;
    int status = grammar_add_file(g, path, &err);
    free(path);
    ck_assert_int_eq(status, err ? ERR_INPUT : 0);
    if (!err)
        return NULL;
    struct buf text;
    buf_init(&text, 10000);
    struct bytes left = bytes_of_string(err->text);
    for (ptrdiff_t at; (at = bytes_find(left, bytes_of_string(directory), 0)) >= 0;) {
        buf_add(&text, bytes_slice(left, 0, (size_t)at));
        left = bytes_slice(left, (size_t)at + strlen(directory) + 1, left.len);
    }
    buf_add(&text, left);
    error_free(err);
    char *message = xstrdup(buf_string(&text));
    buf_release(&text);
    return message;
}

START_TEST(imports)
{
    char *sub = in_directory("sub");
    ck_assert_int_eq(mkdir(sub, 0755), 0);
    free(sub);
    write_file("main.tg",
               "grammar main 1;\nimport \"sub/one.tg\"; import \"sub/../two.tg\";\na = one two rule;");
    write_file(
        "sub/one.tg",
        "grammar one 1; import \"../two.tg\"; import \"../main.tg\"; import \"g.json\"; one = \"1\" two;");
    write_file("two.tg", "grammar two 1; two = \"2\";");
    write_file("sub/g.json", "{\"<rule>\": [\"3<two>\"]}");
    struct grammar *g = grammar_new();
    char *message = add_file(g, "main.tg");
    ck_assert_msg(!message, "%s", message);
    ck_assert_int_eq(grammar_compile(g, 0, NULL), 0);
    ck_assert_uint_eq(grammar_rule_count(g), 4);
    struct derived d = derive_one(g, "a", 0, roomy);
    ASSERT_BYTES(buf_bytes(&d.out), "12232");
    derived_release(&d);
    grammar_free(g);
}
END_TEST

static const struct {
    const char *text, *message;
} bad_files[] = {
    {"", "main.tg:1:1: found the end, expected a header: grammar NAME 1;"},
    {"a = \"x\";", "main.tg:1:1: found the name 'a', expected a header: grammar NAME 1;"},
    {"grammar = \"x\";", "main.tg:1:9: found '=', expected the name of the grammar, as in: grammar NAME 1;"},
    {"grammar x 1; import \"sub.tg\";",
     "main.tg:1:21: in an import: sub.tg:2:5: found ';', expected a text, a rule, /regex/ or '(' "
     "(\"\" stands for nothing)"},
    {"grammar x 1; import \"fifo.tg\";",
     "main.tg:1:21: in an import: cannot read 'fifo.tg': not a regular file"},
    {"grammar x 1; import \"/dev/zero\";",
     "main.tg:1:21: in an import: cannot read '/dev/zero': not a regular file"},
    {"grammar x 1; import \"\";", "main.tg:1:21: in an import: cannot read '': No such file or directory"},
};

START_TEST(bad_files_are_refused)
{
    write_file("main.tg", bad_files[_i].text);
    write_file("sub.tg", "grammar sub 1;\na = ;");
    char *fifo = in_directory("fifo.tg");
    ck_assert_int_eq(mkfifo(fifo, 0644), 0);
    free(fifo);
    struct grammar *g = grammar_new();
    char *message = add_file(g, "main.tg");
    ck_assert_str_eq(message, bad_files[_i].message);
    free(message);
    grammar_free(g);
}
END_TEST

START_TEST(long_chain_of_imports)
{
    char name[32], text[100];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "%d.tg", i);
        snprintf(text, sizeof text, "grammar g 1; import \"%d.tg\";", i + 1);
        write_file(name, text);
    }
    struct grammar *g = grammar_new();
    char *message = add_file(g, "0.tg");
    ck_assert_ptr_nonnull(message);
    ck_assert_ptr_nonnull(strstr(message, "more than 32 files import each other"));
    free(message);
    grammar_free(g);
}
END_TEST

START_TEST(missing_file)
{
    struct grammar *g = grammar_new();
    char *message = add_file(g, "none.tg");
    ck_assert_str_eq(message, "cannot read 'none.tg': No such file or directory");
    free(message);
    grammar_free(g);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_checked_fixture(t, make_directory, remove_directory);
    tcase_add_test(t, texts_of_grammars);
    tcase_add_test(t, messages);
    tcase_add_loop_test(t, awkward_messages, 0, sizeof awkward / sizeof *awkward);
    tcase_add_test(t, examples_of_the_reference);
    tcase_add_test(t, empty_grammars);
    tcase_add_test(t, nesting);
    tcase_add_test(t, too_much_text);
    tcase_add_test(t, questions);
    tcase_add_test(t, sites_are_stable);
    tcase_add_test(t, no_sites_left);
    tcase_add_test(t, imports);
    tcase_add_loop_test(t, bad_files_are_refused, 0, sizeof bad_files / sizeof *bad_files);
    tcase_add_test(t, long_chain_of_imports);
    tcase_add_test(t, missing_file);
}

int main(void)
{
    return unit_main("tg_read", fill);
}
