/* mutate/: each mutator against golden cases, any task, undo, budgets. See test_mutate_model.c for
 * expectations.
 *
 * Golden cases stand in tests/data/mutate/NAME.txt; UPDATE=1 writes what is made anew. */
#include "task_case.h"
#include "gen/recipe.h"
#include "mutate/mutate_internal.h"

#define DATA TASKGEN_SOURCE_DIR "/tests/data/mutate/"

static struct settings settings;

static void set_up(void)
{
    task_set_up();
    settings_defaults(&settings);
}

/* For tests that make and hash what mutators put: everything but the 10 MiB. */
static void small_budget(void)
{
    ck_assert_int_eq(settings_set(&settings, "budget.bytes", "2M", NULL), 0);
}

/* Golden cases: blocks of lines "seed N", "on …", "kinds …", "word \"…\"" (a dictionary's line), "task {…}", then what is made: "detail …", "out
 * {…}" or "no". Blocks are parted by empty lines, comments start with #. */

struct golden {
    const struct mutator *mutator;
    struct buf made; /* the file as it should be */
    uint64_t seed;
    char *on, *kinds;
    struct dictionary *words;
    int cases;
};

static void release_words(struct golden *g)
{
    free(g->on);
    free(g->kinds);
    g->on = g->kinds = NULL;
    dictionary_free(g->words);
    g->words = NULL;
}

static void run_case(struct golden *g, struct bytes line)
{
    struct rng rng;
    struct task *t = task_of(line);
    char *before = xstrdup(record_of(t));
    rng_seed(&rng, g->seed, 0);
    struct mutation m = {
        .task = t, .ops = ops, .rng = &rng, .settings = &settings, .on = g->on, .kinds = g->kinds, .words = g->words};
    if (!g->mutator->apply(&m)) {
        buf_add_string(&g->made, "no\n");
        ck_assert_str_eq(before, record_of(t));
    } else {
        task_identify(t);
        ck_assert_uint_eq(t->mutations->count, 1);
        ck_assert(bytes_equal_string(json_get(t->mutations->last, "mutator")->text, g->mutator->name));
        buf_addf(&g->made, "detail %.*s\n", BYTES_ARG(json_get(t->mutations->last, "detail")->text));
        buf_addf(&g->made, "out %s\n", record_of(t));
        struct task *back = task_of_string(record_of(t)); /* the reader takes it */
        ck_assert(mutate_undo(back, 0));
        ck_assert_str_eq(before, record_of(back));
        task_free(back);
    }
    g->cases++;
    free(before);
    task_free(t);
}

static void golden_line(struct golden *g, struct bytes line)
{
    const char *text = (const char *)line.data;
    bool result = bytes_starts(line, BYTES_LITERAL("detail ")) || bytes_starts(line, BYTES_LITERAL("out ")) ||
                  bytes_equal_string(line, "no");
    if (result)
        return;
    buf_add(&g->made, line);
    buf_add_byte(&g->made, '\n');
    if (bytes_starts(line, BYTES_LITERAL("seed ")))
        g->seed = strtoull(text + 5, NULL, 10);
    else if (bytes_starts(line, BYTES_LITERAL("on ")))
        g->on = strndup(text + 3, line.len - 3);
    else if (bytes_starts(line, BYTES_LITERAL("kinds ")))
        g->kinds = strndup(text + 6, line.len - 6);
    else if (bytes_starts(line, BYTES_LITERAL("word "))) {
        g->words = g->words ? g->words : dictionary_new();
        ck_assert_int_eq(dictionary_read(g->words, bytes_slice(line, 5, line.len), "word", NULL), 0);
    } else if (bytes_starts(line, BYTES_LITERAL("task ")))
        run_case(g, bytes_slice(line, 5, line.len));
    else if (line.len == 0)
        release_words(g);
    else
        ck_assert_msg(text[0] == '#', "%.*s", BYTES_ARG(line));
}

START_TEST(golden)
{
    struct golden g = {.mutator = mutator_at((size_t)_i)};
    struct error *err = NULL;
    struct buf kept;
    char path[512];
    snprintf(path, sizeof path, "%s%s.txt", DATA, g.mutator->name);
    buf_init(&kept, 1 << 22);
    buf_init(&g.made, 1 << 22);
    ck_assert_msg(fs_read(path, 1 << 22, &kept, &err) == 0, "%s", err ? err->text : "?");
    for (size_t at = 0; at < kept.len;) {
        ptrdiff_t end = bytes_find(buf_bytes(&kept), BYTES_LITERAL("\n"), at);
        ck_assert_int_ge(end, 0);
        golden_line(&g, bytes_slice(buf_bytes(&kept), at, (size_t)end));
        at = (size_t)end + 1;
    }
    release_words(&g);
    ck_assert_int_ge(g.cases, 4);
    if (getenv("UPDATE"))
        ck_assert_msg(fs_write(path, buf_bytes(&g.made), &err) == 0, "%s", err ? err->text : "?");
    else if (!bytes_equal(buf_bytes(&g.made), buf_bytes(&kept))) {
        fprintf(stderr, "%s", buf_string(&g.made)); /* too long for Check's messages */
        ck_abort_msg("%s: made other things", path);
    }
    buf_release(&kept);
    buf_release(&g.made);
}
END_TEST

START_TEST(registry)
{
    size_t count = 0;
    for (const struct mutator *m; (m = mutator_at(count)); count++) {
        ck_assert_ptr_eq(mutator_find(m->name), m);
        ck_assert(m->group && m->summary && m->details && m->places && m->kinds);
        struct bytes bad;
        ck_assert(mutation_words_within(m->places, "name path body script argument", &bad));
    }
    ck_assert_uint_eq(count, 55);
    ck_assert_ptr_null(mutator_find("frob"));
}
END_TEST

START_TEST(words)
{
    struct bytes bad;
    ck_assert(mutation_words_have(NULL, "a") && mutation_words_have("a b", "a") &&
              mutation_words_have(" b  a ", "a"));
    ck_assert(!mutation_words_have("ab", "a") && !mutation_words_have("", "a"));
    ck_assert(mutation_words_within(NULL, "", &bad) && mutation_words_within("", "", &bad) &&
              mutation_words_within("b a", "a b c", &bad));
    ck_assert(!mutation_words_within("a frob c", "a b c", &bad));
    ASSERT_BYTES(bad, "frob");
}
END_TEST

START_TEST(normal_paths)
{
    static const char *const cases[][2] = {{"", ""},
                                           {".", ""},
                                           {"a", "a"},
                                           {"./a", "a"},
                                           {"a//b/", "a/b"},
                                           {"a/./b", "a/b"},
                                           {"a/../b", "b"},
                                           {"../a", "../a"},
                                           {"a/../../b", "../b"},
                                           {"/", "/"},
                                           {"/a/../..", "/.."},
                                           {"/x//y/", "/x/y"},
                                           {"a/b/../../c", "c"},
                                           {"..", ".."}};
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes normal = mutation_path_normal(&a, bytes_of_string(cases[i][0]));
        ck_assert_msg(bytes_equal_string(normal, cases[i][1]), "%s: %.*s", cases[i][0], BYTES_ARG(normal));
    }
    ck_assert(mutation_path_within(BYTES_LITERAL("a/b"), BYTES_LITERAL("a")));
    ck_assert(mutation_path_within(BYTES_LITERAL("a"), BYTES_LITERAL("a")));
    ck_assert(mutation_path_within(BYTES_LITERAL("a"), BYTES_NONE));
    ck_assert(mutation_path_within(BYTES_LITERAL("/a"), BYTES_LITERAL("/")));
    ck_assert(!mutation_path_within(BYTES_LITERAL("ab"), BYTES_LITERAL("a")));
    ck_assert(!mutation_path_within(BYTES_LITERAL("a"), BYTES_LITERAL("a/b")));
    arena_release(&a);
}
END_TEST

static int compare_ids(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Ten thousand valid tasks: what comes out reads cleanly, says what was done, and goes back byte for byte. */
START_TEST(any_task)
{
    small_budget();
    size_t mutations = 0;
    static char ids[1000][33];
    for (uint64_t i = (uint64_t)_i * 1000; i < (uint64_t)(_i + 1) * 1000; i++) {
        struct rng rng;
        struct task *t = random_task(5, i);
        char *before = xstrdup(record_of(t));
        rng_seed(&rng, 6, i);
        size_t applied = mutate_task(t, ops, &settings, &rng, 1 + i % 4);
        applied += mutate_start(t, ops, &settings, &rng, NULL);
        ck_assert_uint_eq(applied, t->mutations->count);
        memcpy(ids[i % 1000], t->id, 33);
        mutations += applied;
        char *after = xstrdup(record_of(t));
        struct task *back = task_of_string(after);
        ck_assert_str_eq(after, record_of(back));
        for (size_t n = applied; n; n--)
            ck_assert(mutate_undo(back, n - 1));
        ck_assert_str_eq(before, record_of(back));
        ck_assert(applied ? strcmp(before, after) != 0 : strcmp(before, after) == 0);
        task_free(back);
        task_free(t);
        free(before);
        free(after);
    }
    ck_assert_uint_gt(mutations, 1500);
    qsort(ids, 1000, sizeof ids[0], compare_ids);
    for (size_t i = 1; i < 1000; i++) /* other tasks, other ids */
        ck_assert_str_ne(ids[i - 1], ids[i]);
}
END_TEST

static const char *const foreign[] = {
    "{\"mutator\":\"x\",\"step\":\"s1\",\"at\":\"/args/path\",\"detail\":\"\",\"before\":null}",
    "{\"mutator\":\"x\",\"step\":\"s9\",\"at\":\"/args/path\",\"detail\":\"\",\"before\":{}}",
    "{\"mutator\":\"x\",\"step\":\"\",\"at\":\"/args/path\",\"detail\":\"\",\"before\":{}}",
    "{\"mutator\":\"x\",\"step\":\"s1\",\"at\":\"/args/a/b\",\"detail\":\"\",\"before\":{\"value\":1}}",
    "{\"mutator\":\"x\",\"step\":\"s1\",\"at\":\"\",\"detail\":\"\",\"before\":{\"value\":1}}",
    "{\"mutator\":\"x\",\"step\":\"s1\",\"at\":\"/repeat\",\"detail\":\"\",\"before\":{\"value\":-1}}",
    "{\"mutator\":\"x\",\"step\":\"s1\",\"at\":\"/group\",\"detail\":\"\",\"before\":{\"value\":1}}",
    "{\"mutator\":\"x\",\"step\":\"s1\",\"at\":\"/args/"
    "path\",\"detail\":\"\",\"before\":{\"expect\":[{\"index\":-1,\"was\":{}}]}}",
    "{\"mutator\":\"x\",\"step\":\"s1\",\"at\":\"/args/path\",\"detail\":\"\",\"before\":{\"expect\":[7]}}",
    "{\"mutator\":\"x\",\"step\":\"s1\",\"at\":\"/args/"
    "path\",\"detail\":\"\",\"before\":{\"rename\":{\"from\":\"a\"}}}",
};

START_TEST(foreign_records_stay)
{
    char text[1024];
    snprintf(text, sizeof text, "\"mutations\":[%s]", foreign[_i]);
    char *record = wrap_steps("{\"id\":\"s1\",\"op\":\"read\",\"args\":{\"path\":\"a\"}}", text);
    struct task *t = task_of_string(record);
    char *before = xstrdup(record_of(t));
    ck_assert(!mutate_undo(t, 0));
    ck_assert(!mutate_undo(t, 1));
    ck_assert_str_eq(before, record_of(t));
    free(before);
    free(record);
    task_free(t);
}
END_TEST

/* Whatever a record says, undo neither crashes nor leaves a task that cannot be written. */
START_TEST(hostile_records)
{
    static const char *const odd[] = {
        "{\"expect\":[{\"index\":900,\"was\":{}},{\"index\":0,\"was\":{\"step\":\"s1\"},\"kept\":true}]}",
        "{\"steps\":[1,null,\"s1\"],\"contents\":[1,{},\"c1\"]}",
        "{\"steps\":7,\"contents\":{},\"expect\":\"x\"}",
        "{\"rename\":{\"from\":\"a\",\"to\":\"a\"}}",
        "{\"value\":{\"$raw\":\"x\"},\"contents\":[\"c1\",\"c1\"]}",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "\"contents\":{\"c1\":\"\"},\"mutations\":[{\"mutator\":\"x\",\"step\":\"s1\",\"at\":\"/"
                 "args/path\","
                 "\"detail\":\"\",\"before\":%s},{\"mutator\":\"x\",\"step\":\"s2\",\"at\":\"/args/"
                 "path\",\"detail\":\"\","
                 "\"before\":%s}]",
                 odd[i], odd[(i + 1) % 5]);
        char *record = wrap_steps("{\"id\":\"s1\",\"op\":\"read\",\"args\":{\"path\":\"a\"}},"
                                  "{\"id\":\"s2\",\"op\":\"read\",\"args\":{\"path\":\"b\"}}",
                                  text);
        struct task *t = task_of_string(record);
        mutate_undo(t, 0);
        mutate_undo(t, 0);
        ck_assert_uint_gt(strlen(record_of(t)), 0);
        free(record);
        task_free(t);
    }
}
END_TEST

/* Budgets hold for every seed. */
START_TEST(budgets)
{
    const char *steps =
        "{\"id\":\"s1\",\"op\":\"upload\",\"args\":{\"path\":\"a\",\"content\":\"x\"},\"repeat\":2},"
        "{\"id\":\"s2\",\"op\":\"write\",\"args\":{\"path\":\"b\",\"content\":\"y\"}},"
        "{\"id\":\"s3\",\"op\":\"run\",\"args\":{\"language\":\"sh\",\"script\":\"true\"}},"
        "{\"id\":\"s4\",\"op\":\"tab-open\"},{\"id\":\"s5\",\"op\":\"tab-open\"}";
    char *record = wrap_steps(steps, "\"limits\":{\"bytes\":70000,\"tabs\":7,\"processes\":20}");
    size_t large = 0, spawned = 0, tabs = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        struct rng rng;
        struct task *t = task_of_string(record);
        rng_seed(&rng, 11, i);
        mutate_task(t, ops, &settings, &rng, 6);
        int64_t bytes = 0, open = 0;
        for (size_t s = 0; s < t->step_count; s++) {
            struct json *value = json_get(t->steps[s].args, "content");
            if (task_is_wrapper(value, "$content"))
                value = json_get_bytes(t->contents, value->first->text);
            bytes += value ? content_size(value) * t->steps[s].repeat : 0;
            open += strcmp(t->steps[s].op->name, "tab-open") == 0 ? t->steps[s].repeat : 0;
        }
        ck_assert_int_le(bytes, 70000);
        ck_assert_int_le(open, 7);
        large += bytes > 60000;
        tabs += open == 7;
        for (const struct json *m = t->mutations->first; m; m = m->next) {
            const char *starts = strstr(arena_string(&t->arena, json_get(m, "detail")->text), " starts ");
            int children = starts ? (int)strtol(starts + 8, NULL, 10) : 0;
            ck_assert_int_le(children, 5);
            spawned += children == 5;
        }
        task_free(t);
    }
    ck_assert(large && spawned && tabs); /* the bounds are reached */
    free(record);
}
END_TEST

/* How many of the mutations of a task for these classes are of the mutator. */
static size_t share_of(const char *mutator, const struct arm_set *classes)
{
    size_t count = 0;
    char *record = wrap_steps("{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"a\",\"content\":\"some text\"}}", "");
    for (uint64_t i = 0; i < 300; i++) {
        struct rng rng;
        struct task *t = task_of_string(record);
        rng_seed(&rng, 8, i);
        if (mutate_task_by(t, ops, &settings, &rng, 1, &(struct mutate_choice){.classes = classes}))
            count += bytes_equal_string(json_as_text(json_get(t->mutations->first, "mutator")), mutator);
        task_free(t);
    }
    free(record);
    return count;
}

START_TEST(towards_classes)
{
    struct arm_set classes = {0};
    arm_add(&classes, arm_class_find("C14")); /* shell-quote provokes it */
    size_t aimed = share_of("shell-quote", &classes), plain = share_of("shell-quote", NULL);
    ck_assert_msg(aimed > 120 && plain < 60, "%zu, %zu", aimed, plain);
    struct arm_set none = {0};
    arm_add(&none, arm_class_find("C60")); /* nothing does */
    ck_assert_uint_lt(share_of("shell-quote", &none), 60);
}
END_TEST

START_TEST(nothing_to_do)
{
    struct rng rng;
    rng_seed(&rng, 1, 1);
    char *record = wrap_steps("", "");
    struct task *t = task_of_string(record);
    char *before = xstrdup(record_of(t));
    ck_assert_uint_eq(mutate_task(t, ops, &settings, &rng, 10), 0);
    ck_assert_uint_eq(mutate_task(t, ops, &settings, &rng, 0), 0);
    ck_assert_str_eq(before, record_of(t));
    free(before);
    free(record);
    task_free(t);
}
END_TEST

static void fill(TCase *tests)
{
    size_t mutators = 0;
    while (mutator_at(mutators))
        mutators++;
    tcase_add_checked_fixture(tests, set_up, task_tear_down);
    tcase_add_loop_test(tests, golden, 0, (int)mutators);
    tcase_add_test(tests, registry);
    tcase_add_test(tests, words);
    tcase_add_test(tests, normal_paths);
    tcase_add_loop_test(tests, any_task, 0, UNIT_ROUNDS(10));
    tcase_add_loop_test(tests, foreign_records_stay, 0, sizeof foreign / sizeof *foreign);
    tcase_add_test(tests, hostile_records);
    tcase_add_test(tests, budgets);
    tcase_add_test(tests, towards_classes);
    tcase_add_test(tests, nothing_to_do);
}

int main(void)
{
    return unit_main("mutate", fill);
}
