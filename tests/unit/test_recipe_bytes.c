/* gen/recipes: the bytes themselves, checked by tests/check_recipes.py, which shares no code with us, by that
 * and by public tools, and held fixed by hashes in tests/data/recipe/golden.txt (UPDATE=1 writes them anew).
 */
#include "base/fs.h"
#include "base/hash.h"
#include "base/subprocess.h"
#include "base/utf8.h"
#include "recipe_case.h"

/* One line of golden.txt for each content: its hash, its size, its recipe. */
static void add_golden(const char *text, int number, void *context)
{
    struct buf out;
    char hex[65];
    make(parse(text), &out);
    sha256_hex(buf_bytes(&out), hex);
    buf_addf(context, "%s %zu %s\n", hex, out.len, text);
    buf_release(&out);
}

START_TEST(golden_hashes)
{
    struct error *err = NULL;
    struct buf made, kept;
    buf_init(&made, 1 << 20);
    buf_init(&kept, 1 << 20);
    each_content(add_golden, &made);
    if (getenv("UPDATE"))
        ck_assert_msg(fs_write(DATA "golden.txt", buf_bytes(&made), &err) == 0, "%s", err ? err->text : "?");
    ck_assert_msg(fs_read(DATA "golden.txt", 1 << 20, &kept, &err) == 0, "%s", err ? err->text : "?");
    ck_assert_msg(bytes_equal(buf_bytes(&made), buf_bytes(&kept)), "contents changed:\n%s",
                  buf_string(&made));
    buf_release(&made);
    buf_release(&kept);
}
END_TEST

struct checking {
    const char *directory;
    struct buf index;
};

static void add_fact(struct json *facts, const struct json *value, const char *name)
{
    struct json *fact = content_fact(value, bytes_of_string(name), &arena);
    if (fact)
        json_set(&arena, facts, name, fact);
}

static void write_content(const char *text, int number, void *context)
{
    struct checking *c = context;
    struct json *value = complete_of(text), *facts = json_new(&arena, JSON_OBJECT);
    const struct recipe *recipe = recipe_find(json_get(value, "$recipe")->text);
    struct error *err = NULL;
    struct buf out;
    make(value, &out);
    const char *path = arena_printf(&arena, "%s/%d", c->directory, number);
    ck_assert_msg(fs_write(path, buf_bytes(&out), &err) == 0, "%s", err ? err->text : "?");
    add_fact(facts, value, "size");
    add_fact(facts, value, "sha256");
    for (size_t i = 0; recipe->facts && recipe->facts[i]; i++) {
        add_fact(facts, value, recipe->facts[i]);
        for (int label = 0; strcmp(recipe->facts[i], "count.*") == 0 && label < 20; label++)
            add_fact(facts, value, arena_printf(&arena, "count.%d", label));
    }
    struct json *entry = json_new(&arena, JSON_OBJECT);
    json_set(&arena, entry, "file", json_text(&arena, arena_printf(&arena, "%d", number)));
    json_set(&arena, entry, "facts", facts);
    struct json *recipe_value = json_set(&arena, entry, "recipe", json_copy(&arena, value));
    for (struct json *p = recipe_value->first; p; p = p->next)
        if (json_is(p, JSON_STRING) && !utf8_valid(p->text)) { /* as it stands in a record */
            struct json *bytes = json_new(&arena, JSON_OBJECT);
            json_set(&arena, bytes, "$bytes", json_text(&arena, "gP8="));
            json_replace(p, bytes);
            p = bytes;
        }
    json_write(&c->index, entry, JSON_COMPACT);
    buf_add_byte(&c->index, '\n');
    buf_release(&out);
}

/* Writes all contents and runs tests/check_recipes.py on them; option may be NULL. */
static void check_with(const char *option)
{
    struct error *err = NULL;
    struct checking c = {.directory = fs_fresh_dir("recipes", &err)};
    ck_assert_msg(c.directory != NULL, "%s", err ? err->text : "?");
    buf_init(&c.index, 1 << 24);
    each_content(write_content, &c);
    const char *index = arena_printf(&arena, "%s/index.jsonl", c.directory);
    ck_assert_int_eq(fs_write(index, buf_bytes(&c.index), &err), 0);
    const char *const argv[] = {"/usr/bin/python3", TASKGEN_SOURCE_DIR "/tests/check_recipes.py",
                                option ? option : c.directory, option ? c.directory : NULL, NULL};
    struct buf out, errors;
    int status = -1;
    buf_init(&out, 1 << 16);
    buf_init(&errors, 1 << 16);
    ck_assert_msg(subprocess_run(argv, BYTES_NONE, 100000, 1 << 16, &out, &errors, &status, &err) == 0, "%s",
                  err ? err->text : "?");
    ck_assert_msg(status == 0, "%s%s", buf_string(&out), buf_string(&errors));
    ck_assert_int_eq(fs_remove_tree(c.directory, &err), 0);
    free((char *)c.directory);
    buf_release(&c.index);
    buf_release(&out);
    buf_release(&errors);
}

START_TEST(checked_by_python)
{
    check_with(NULL);
}
END_TEST

START_TEST(checked_by_tools)
{
    check_with("--tools");
}
END_TEST

static void fill(TCase *tests)
{
    tcase_set_timeout(tests, 110); /* compilers of four languages run, maybe beside other tests */
    tcase_add_checked_fixture(tests, json_set_up, json_tear_down);
    tcase_add_test(tests, golden_hashes);
    tcase_add_test(tests, checked_by_python);
    tcase_add_test(tests, checked_by_tools);
}

int main(void)
{
    return unit_main("recipe bytes", fill);
}
