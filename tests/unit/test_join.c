/* Two tasks in one session: references follow, expectations stay true, and tasks that have to do with each other are left alone. */
#include <string.h>

#include "gen/generate.h"
#include "mutate/join.h"
#include "mutate/mutate.h"
#include "task_case.h"

static struct settings settings;

static struct task *read_text(const char *text)
{
    struct task *t = NULL;
    struct error *err = NULL;
    ck_assert_msg(task_read(ops, bytes_of_string(text), "test", &t, &err) == 0, "%s", err ? err->text : "?");
    return t;
}

static struct task *joined(const char *one, const char *two)
{
    struct task *first = read_text(one), *second = read_text(two);
    struct task *t = mutate_join(first, second, &settings);
    task_free(first);
    task_free(second);
    return t;
}

#define HEAD "{\"format\":\"taskgen/task/1\",\"domain\":\"d\",\"workflow\":\"w\",\"instruction\":\"x\","
static const char writes[] =
    HEAD "\"contents\":{\"c1\":{\"$recipe\":\"pattern\",\"size\":50}},\"steps\":["
    "{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"first.txt\",\"content\":{\"$content\":\"c1\"}},\"group\":\"g1\"},"
    "{\"id\":\"s2\",\"op\":\"read\",\"args\":{\"path\":\"first.txt\"},\"group\":\"g1\"}],"
    "\"expect\":[{\"file\":\"first.txt\",\"equals\":{\"$content\":\"c1\"}}],\"limits\":{\"timeout_ms\":5000}}";
static const char starts[] =
    HEAD "\"contents\":{\"c1\":{\"$recipe\":\"pattern\",\"size\":70}},\"steps\":["
    "{\"id\":\"s1\",\"op\":\"start\",\"args\":{\"language\":\"sh\",\"script\":\"sleep 1\"},\"group\":\"g1\"},"
    "{\"id\":\"s2\",\"op\":\"write\",\"args\":{\"path\":\"other.txt\",\"content\":{\"$content\":\"c1\"}},\"group\":\"g1\"},"
    "{\"id\":\"s3\",\"op\":\"poll\",\"args\":{\"pid\":{\"$from\":\"s1\",\"at\":\"/pid\"}}}],"
    "\"expect\":[{\"step\":\"s3\",\"outcome\":\"ok\"},{\"file\":\"other.txt\",\"equals\":{\"$content\":\"c1\"}}],"
    "\"mutations\":[{\"mutator\":\"bom\",\"step\":\"s3\",\"at\":\"/frame\",\"detail\":\"first: a byte order mark\",\"before\":null},"
    "{\"mutator\":\"large-file\",\"step\":\"s2\",\"at\":\"/args/content\",\"detail\":\"longer\",\"before\":{}}],"
    "\"limits\":{\"timeout_ms\":9000,\"processes\":3}}";

START_TEST(references_follow)
{
    struct task *t = joined(writes, starts);
    ck_assert_ptr_nonnull(t);
    ck_assert_uint_eq(t->step_count, 5);
    ck_assert_str_eq(t->steps[2].op->name, "start");
    const char *start = t->steps[2].id;
    ck_assert_str_ne(start, "s1");
    ck_assert(bytes_equal_string(json_get(t->steps[4].args, "pid")->first->text, start));
    struct bytes mine = json_get(t->steps[0].args, "content")->first->text, theirs = json_get(t->steps[3].args, "content")->first->text;
    ck_assert(!bytes_equal(mine, theirs));
    ck_assert_ptr_nonnull(json_get_bytes(t->contents, mine));
    ck_assert_ptr_nonnull(json_get_bytes(t->contents, theirs));
    ck_assert_str_ne(t->steps[0].group, t->steps[2].group); /* or all four would run at once */
    ck_assert_str_eq(t->steps[2].group, t->steps[3].group);
    ck_assert_uint_eq(t->expect->count, 3);
    ck_assert(bytes_equal_string(json_as_text(json_get(json_at(t->expect, 1), "step")), t->steps[4].id));
    ck_assert(bytes_equal(json_get(json_at(t->expect, 2), "equals")->first->text, theirs));
    /* The one that runs, and the join; what was done to the content stands in the step. */
    ck_assert_uint_eq(t->mutations->count, 2);
    ck_assert(bytes_equal_string(json_as_text(json_get(json_at(t->mutations, 0), "step")), t->steps[4].id));
    ck_assert(bytes_equal_string(json_as_text(json_get(json_at(t->mutations, 1), "mutator")), MUTATE_JOIN));
    int64_t limit = 0;
    ck_assert(json_as_integer(json_get(t->limits, "timeout_ms"), &limit) && limit == 9000);
    ck_assert(json_as_integer(json_get(t->limits, "processes"), &limit) && limit == 3);
    /* A whole task: it is read back as it was written. */
    struct buf text;
    buf_init(&text, 1 << 20);
    task_write(t, &text);
    struct task *again = read_text(buf_string(&text));
    ck_assert_str_eq(again->id, t->id);
    task_free(again);
    buf_release(&text);
    task_free(t);
}
END_TEST

/* What was joined is joined once more: no name is there twice. */
START_TEST(three_in_a_row)
{
    static const char *const names[] = {"first.txt", "second.txt", "third.txt"};
    struct task *whole = NULL;
    for (size_t i = 0; i < 3; i++) {
        struct buf text;
        buf_init(&text, 1 << 16);
        for (const char *at = writes; *at;) {
            bool name = !strncmp(at, "first.txt", 9);
            buf_add_string(&text, name ? names[i] : (char[]){*at, 0});
            at += name ? 9 : 1;
        }
        struct task *one = read_text(buf_string(&text)), *both = whole ? mutate_join(whole, one, &settings) : task_copy(one);
        ck_assert_ptr_nonnull(both);
        task_free(whole);
        task_free(one);
        whole = both;
        buf_release(&text);
    }
    ck_assert_uint_eq(whole->contents->count, 3);
    ck_assert_uint_eq(whole->step_count, 6);
    for (size_t i = 0; i < 6; i += 2)
        for (size_t k = 0; k < i; k += 2)
            ck_assert_str_ne(whole->steps[i].group, whole->steps[k].group);
    task_free(task_of_string(record_of(whole)));
    task_free(whole);
}
END_TEST

/* Pairs that are left alone. */
START_TEST(what_does_not_go_together)
{
    static const char *const firsts[] = {
        HEAD "\"steps\":[{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"a/other.txt\",\"content\":\"x\"}}],\"expect\":[]}",
        HEAD "\"steps\":[{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"ab\",\"content\":\"x\"}}],\"expect\":[]}",
        HEAD "\"steps\":[{\"id\":\"s1\",\"op\":\"run\",\"args\":{\"language\":\"sh\",\"script\":\"rm other.txt\"}}],\"expect\":[]}",
        HEAD "\"steps\":[{\"id\":\"s1\",\"op\":\"run\",\"args\":{\"language\":\"sh\",\"script\":\"ls -A | wc -l\"}}],\"expect\":[]}",
        HEAD "\"steps\":[{\"id\":\"s1\",\"op\":\"run\",\"args\":{\"language\":\"sh\",\"script\":\"true\"}},{\"id\":\"s2\",\"op\":\"close\",\"args\":{}}],\"expect\":[]}",
        HEAD "\"steps\":[{\"id\":\"s1\",\"op\":\"stage-damage\",\"args\":{\"path\":\".\"}}],\"expect\":[]}",
    };
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
        ck_assert_msg(!joined(firsts[i], starts), "%s", firsts[i]);
    static const char floods[] = HEAD "\"steps\":[{\"id\":\"s1\",\"op\":\"run\",\"args\":{\"argv\":[\"sh\",\"-c\",\"sleep 9 &\",\"taskgen-spawn-1\"]}}],\"expect\":[]}";
    ck_assert_ptr_null(joined(floods, floods));
    struct task *t = joined(starts, firsts[4]); /* it may end closed */
    ck_assert_ptr_nonnull(t);
    task_free(t);
    settings_set(&settings, "generate.max-steps", "2", NULL);
    ck_assert_ptr_null(joined(writes, starts));
}
END_TEST

/* Whatever was done to the two, and is done to the whole: it stays a task that can be read. */
START_TEST(any_two)
{
    const char *const names[] = {"filesystem", "process"};
    const struct domain *domains[2];
    struct domain *loaded[2];
    struct rng rng;
    int joined = 0;
    rng_seed(&rng, 5, 1);
    for (size_t i = 0; i < 2; i++) {
        char file[512];
        struct error *err = NULL;
        snprintf(file, sizeof file, "%s/domains/%s.xml", TASKGEN_SOURCE_DIR, names[i]);
        ck_assert_msg(domain_load(file, ops, generate_recipes(), &loaded[i], &err) == 0, "%s", err ? err->text : "?");
        domains[i] = loaded[i];
    }
    struct generate_options o = {.domains = domains, .domain_count = 2, .settings = &settings};
    struct task *whole = NULL;
    for (uint64_t index = 0; index < 200; index++) {
        struct task *t = NULL;
        ck_assert_int_eq(generate_task(&o, 3, index, &t, NULL), 0);
        mutate_task(t, ops, &settings, &rng, (size_t)rng_below(&rng, 3));
        mutate_wire(t, ops, &settings, &rng, NULL);
        if (index % 5 == 0)
            mutate_start(t, ops, &settings, &rng, NULL);
        struct task *both = whole ? mutate_join(whole, t, &settings) : NULL;
        joined += both != NULL;
        task_free(whole);
        whole = both ? both : task_copy(t);
        task_free(t);
        if (rng_chance(&rng, 0.5))
            for (size_t i = whole->mutations->count; i-- > 0;)
                mutate_undo(whole, i);
        mutate_task(whole, ops, &settings, &rng, (size_t)rng_below(&rng, 3));
        task_free(task_of_string(record_of(whole)));
    }
    ck_assert_int_gt(joined, 40);
    task_free(whole);
    for (size_t i = 0; i < 2; i++)
        domain_free(loaded[i]);
}
END_TEST

static void set_up(void)
{
    task_set_up();
    settings_defaults(&settings);
}

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, task_tear_down);
    tcase_add_test(tests, references_follow);
    tcase_add_test(tests, three_in_a_row);
    tcase_add_test(tests, any_two);
    tcase_add_test(tests, what_does_not_go_together);
}

int main(void)
{
    return unit_main("join", fill);
}
