/* The observer of Node.js code with real servers: two branches show different ranges. */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"
#include "exec/observe/node_answer.h"
#include "observe_case.h"

#define DATA TASKGEN_SOURCE_DIR "/tests/data/observe/"
#define SERVER DATA "branches.cjs"
#define LAUNCHER DATA "launcher.cjs"

static void close_session(void)
{
    session_close(f.session);
    lookout_free(lookout);
    f.session = NULL;
    lookout = NULL;
}

/* The first session of a campaign finds out what runs, the second is observed. */
static void watch(const char *spec, bool no_box)
{
    struct error *err = NULL;
    struct target_options o = {.spec = spec, .settings = &f.settings, .ops = f.ops, .no_box = no_box, .env = f.env};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    ck_assert_msg(observers_new("node", f.target, &observers, &err) == 0, "%s", err ? err->text : "");
    open_session();
    close_session();
    open_session();
}

static enum outcome_class call(const char *tool, const char *way)
{
    return do_call(&f, "call", arena_printf(&f.arena, "{\"name\":\"%s\",\"arguments\":{\"way\":\"%s\"}}", tool, way));
}

static struct execution seen_in(const char *tool, const char *way)
{
    struct task task = {.id = "1"};
    e = (struct execution){.arena = &f.arena};
    lookout_task_begin(lookout, &task);
    enum outcome_class class = call(tool, way);
    ck_assert_msg(strcmp(tool, "end") == 0 || class == OUTCOME_OK, "%s", said_words(&f));
    lookout_task_end(lookout, &e);
    return e;
}

static bool saw(const struct execution *x, const char *part)
{
    for (size_t i = 0; i < x->seen_count; i++) {
        ck_assert_uint_eq(x->seen[i].domain, SEEN_CODE);
        if (strstr(x->seen[i].text, part))
            return true;
    }
    return false;
}

static bool has(const struct execution *x, uint64_t hash)
{
    for (size_t i = 0; i < x->seen_count; i++)
        if (x->seen[i].hash == hash)
            return true;
    return false;
}

static size_t shared(const struct execution *x, const struct execution *y)
{
    size_t count = 0;
    for (size_t i = 0; i < x->seen_count; i++)
        count += has(y, x->seen[i].hash);
    return count;
}

static bool there_is_node(void)
{
    static const char *const places[] = {"/usr/bin/node", "/usr/local/bin/node"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], X_OK) == 0)
            return true;
    printf("not tested: no node\n");
    return false;
}

START_TEST(two_branches)
{
    if (!there_is_node())
        return;
    watch("mcp:node " SERVER, false);
    struct execution left = seen_in("branch", "left"), right = seen_in("branch", "right"), again = seen_in("branch", "left");
    ck_assert(saw(&left, "branches.cjs:12-14 left, once"));
    ck_assert(!saw(&left, " right,"));
    ck_assert(saw(&right, "branches.cjs:16-18 right, once"));
    ck_assert(!saw(&right, " left,"));
    ck_assert(!saw(&right, " serve,")); /* ran at the start */
    ck_assert(!saw(&right, "node:"));
    ck_assert(!saw(&right, "node-code"));
    size_t common = shared(&left, &right);
    ck_assert_uint_gt(common, 3);
    ck_assert_uint_lt(common, left.seen_count);
    ck_assert_uint_eq(shared(&left, &again), left.seen_count);
    ck_assert_uint_eq(again.seen_count, left.seen_count);
}
END_TEST

/* Started by another Node.js process by way of a shell; and by its own first line. */
START_TEST(launched_by_others)
{
    static const char *const specs[] = {"mcp:node " LAUNCHER, "mcp:" SERVER};
    for (size_t i = 0; i < sizeof specs / sizeof *specs && there_is_node(); i++) {
        watch(specs[i], false);
        struct execution left = seen_in("branch", "left");
        ck_assert(saw(&left, "branches.cjs:12-14 left, once"));
        ck_assert(!saw(&left, "launcher"));
        close_session();
        observers_free(observers);
        target_free(f.target);
        observers = NULL;
        f.target = NULL;
    }
}
END_TEST

START_TEST(threads_of_the_server)
{
    if (!there_is_node())
        return;
    watch("mcp:node " SERVER, false);
    struct execution now = seen_in("thread", "");
    ck_assert(saw(&now, " inThread, once"));
    now = seen_in("branch", "left");
    ck_assert(!saw(&now, " inThread,"));
}
END_TEST

/* Neither the server nor its children have what we put into their environment, and what the user put there stays. */
START_TEST(the_environment_is_as_without)
{
    static const char *const env[] = {"NODE_OPTIONS=--max-old-space-size=1000", NULL};
    if (!there_is_node())
        return;
    f.env = env;
    watch("mcp:node " SERVER, false);
    struct execution now = seen_in("environment", "");
    ck_assert(saw(&now, " environment, once"));
    const char *text = arena_string(&f.arena, f.call.outcome.raw);
    ck_assert_msg(!strstr(text, "OBSERVE") && !strstr(text, "require") && !strstr(text, ".cjs"), "%s", text);
    ck_assert_msg(strstr(text, "NODE_OPTIONS\\\":\\\"--max-old-space-size=1000\\\"") ||
                      strstr(text, "\"NODE_OPTIONS\":\"--max-old-space-size=1000\""), "%s", text);
    ck_assert(strstr(text, "NODE_OPTIONS=--max-old-space-size=1000\\n") != NULL);
    f.env = NULL;
}
END_TEST

static void no_door(void)
{
    DIR *dir = opendir(f.session->base);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        ck_assert_msg(strncmp(entry->d_name, "observe", 7) != 0, "%s", entry->d_name);
    closedir(dir);
}

/* No name of ours is left beside the root when a task begins, so that nobody can speak for the server; nor by a session that begins in
 * the middle of it, which is observed all the same. */
START_TEST(the_door_is_shut)
{
    struct session *beside = NULL, *first;
    struct task task = {.id = "1"};
    if (!there_is_node())
        return;
    watch("mcp:node " SERVER, false);
    first = f.session;
    e = (struct execution){.arena = &f.arena};
    lookout_task_begin(lookout, &task);
    no_door();
    ck_assert_int_eq(session_open_beside(first, &beside, NULL), 0);
    no_door();
    f.session = beside;
    ck_assert_int_eq(call("branch", "left"), OUTCOME_OK);
    f.session = first;
    ck_assert_int_eq(call("branch", "right"), OUTCOME_OK);
    lookout_task_end(lookout, &e);
    ck_assert(saw(&e, " left, once") && saw(&e, " right, once"));
    session_close(beside);
}
END_TEST

START_TEST(a_server_that_dies)
{
    if (!there_is_node())
        return;
    watch("mcp:node " SERVER, false);
    struct execution now = seen_in("end", "");
    ck_assert_uint_eq(now.seen_count, 0);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TARGET_DIED);
    ck_assert_msg(strstr(said_words(&f), "status 3") != NULL, "%s", said_words(&f));
    ck_assert_int_eq(session_reopen(f.session, NULL), 0);
    now = seen_in("branch", "right");
    ck_assert(saw(&now, " right, once"));
}
END_TEST

START_TEST(without_a_box)
{
    if (!there_is_node())
        return;
    watch("mcp:node " SERVER, true);
    struct execution now = seen_in("branch", "right");
    ck_assert(saw(&now, " right, once"));
}
END_TEST

/* What runs on something else is left as it is. */
START_TEST(other_servers)
{
    struct buf text;
    watch("demo:none", false);
    struct task task = {.id = "1"};
    e = (struct execution){.arena = &f.arena};
    lookout_task_begin(lookout, &task);
    ASSERT_OK("run", "{\"language\":\"sh\",\"script\":\"env\"}");
    lookout_task_end(lookout, &e);
    ck_assert_uint_eq(e.seen_count, 0);
    ck_assert_int_lt(bytes_find(f.call.outcome.raw, BYTES_LITERAL("NODE_OPTIONS"), 0), 0);
    buf_init(&text, 1000);
    lookout_explain(lookout, &text);
    ck_assert_str_eq(buf_string(&text), "does not run on Node.js: its code is not observed\n");
    buf_release(&text);
}
END_TEST

/* --- answers --- */

static const char *texts_of(const char *line, unsigned number, bool *good)
{
    const char *texts = "";
    struct script_lines *lines = script_lines_new();
    struct seen_list list = {.arena = &f.arena};
    *good = node_answer_read(bytes_of_string(line), number, lines, &list);
    for (size_t i = 0; i < list.count; i++)
        texts = arena_printf(&f.arena, "%s[%s]", texts, list.items[i].text);
    script_lines_free(lines);
    return texts;
}

START_TEST(what_answers_say)
{
    static const struct {
        const char *answer, *texts;
    } cases[] = {
        {"{\"n\":7}", ""},
        {"{\"n\":7,\"directory\":\"/srv/a\",\"scripts\":[[\"/srv/a/b/c.js\",[[\"f\",[1,9,1]]]]]}", "[b/c.js at 1 f, once]"},
        {"{\"n\":7,\"directory\":\"/srv/a\",\"scripts\":[[\"/srv/ab/c.js\",[[\"\",[1,9,3,2,4,0]]]]]}",
         "[c.js at 1 (anonymous), 2 times or more][c.js at 2 (anonymous), not run]"},
        {"{\"n\":7,\"scripts\":[[\"/x/node_modules/p/node_modules/q/r.js\",[[\"f\",[1,9,5000000000]]]]]}",
         "[q/r.js at 1 f, 1024 times or more]"},
        /* What is not as it should be is passed over. */
        {"{\"n\":7,\"directory\":1,\"scripts\":{\"a\":[]}}", ""},
        {"{\"n\":7,\"scripts\":[1,[],[\"a\"],[null,[[\"f\",[1,2]]]],[\"a\",[[\"f\",[1,2,\"3\"]]]],[\"a\",5]]}", ""},
        {"{\"n\":7,\"scripts\":[[\"a.js\",[[\"f\",[-1,-2,-3]]]]]}", "[a.js at -1 f, not run]"},
    };
    bool good;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *texts = texts_of(cases[i].answer, 7, &good);
        ck_assert(good);
        ck_assert_msg(strcmp(texts, cases[i].texts) == 0, "%s: %s", cases[i].answer, texts);
    }
    static const char *const wrong[] = {"", "7", "[]", "{}", "{\"n\":8}", "{\"n\":\"7\"}", "{\"n\":7", "\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        texts_of(wrong[i], 7, &good);
        ck_assert_msg(!good, "%s", wrong[i]);
    }
}
END_TEST

/* Names of any length cost no more than short ones. */
START_TEST(long_names_are_cut)
{
    struct buf answer;
    bool good;
    buf_init(&answer, 1 << 20);
    buf_add_string(&answer, "{\"n\":1,\"scripts\":[[\"/");
    for (int i = 0; i < 1000; i++)
        buf_add_byte(&answer, 'a');
    buf_add_string(&answer, "\",[[\"");
    for (int i = 0; i < 1000; i++)
        buf_add_byte(&answer, 'b');
    buf_add_string(&answer, "\",[1,2,3]]]]]}");
    const char *texts = texts_of(buf_string(&answer), 1, &good);
    ck_assert(good);
    ck_assert_uint_lt(strlen(texts), 600);
    ck_assert_uint_gt(strlen(texts), 500);
    buf_release(&answer);
}
END_TEST

/* --- lines --- */

START_TEST(lines_of_scripts)
{
    struct script_lines *lines = script_lines_new();
    struct error *err = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/taskgen-lines-%d.js", (int)getpid());
    ck_assert_msg(fs_write(path, BYTES_LITERAL("a\n\xc3\xa4\xf0\x9f\x98\x80\nb"), &err) == 0, "%s", err ? err->text : "");
    static const unsigned expected[] = {1, 1, 2, 2, 2, 2, 3, 3}; /* a, end; ä, two halves, end; b, behind it */
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++)
        ck_assert_uint_eq(script_line(lines, bytes_of_string(path), i), expected[i]);
    unlink(path);
    ck_assert_uint_eq(script_line(lines, bytes_of_string(path), 6), 3); /* read once */
    ck_assert_uint_eq(script_line(lines, BYTES_LITERAL("/no/such/file.js"), 0), 0);
    ck_assert_uint_eq(script_line(lines, BYTES_LITERAL("/dev/zero"), 0), 0);
    ck_assert_uint_eq(script_line(lines, BYTES_LITERAL("relative.js"), 0), 0);
    script_lines_free(lines);
}
END_TEST

static void fill(TCase *t)
{
    tcase_add_checked_fixture(t, observe_set_up, observe_tear_down);
    tcase_add_test(t, two_branches);
    tcase_add_test(t, launched_by_others);
    tcase_add_test(t, threads_of_the_server);
    tcase_add_test(t, the_environment_is_as_without);
    tcase_add_test(t, the_door_is_shut);
    tcase_add_test(t, a_server_that_dies);
    tcase_add_test(t, without_a_box);
    tcase_add_test(t, other_servers);
    tcase_add_test(t, what_answers_say);
    tcase_add_test(t, long_names_are_cut);
    tcase_add_test(t, lines_of_scripts);
}

int main(void)
{
    return unit_main("observe_node", fill);
}
